package locate

import (
	"image"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/stretchr/testify/require"
)

// TestBlocks compares the sums of blocks, and their squares, with their definition.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, side := range []int{1, 2, 3, 4, 7, 8, 12, 16, 25, 33} {
		w, h := side+rng.IntN(40), side+rng.IntN(9)
		color := side%2 > 0
		scene, _ := pair(t, rng, []string{"noise", "extremes", "smooth"}[side%3], w, h, 1, 1, color, nil)
		sum := func(c, x, y int) (sum int) {
			for j := range side {
				for i := range min(side, max(w-x, 0)) {
					sum += int(scene.planes[c][(y+j)*scene.stride+x+i])
				}
			}
			return sum
		}
		for row := range table.Available() {
			restore := cpu.Limit(row.Needs)
			scene.cache.forget()
			p := scene.cache.blocks(&row.Kernels, &scene.pixels, side, 1+side%2)
			for y := range h - side + 1 {
				for x := range w - side + 1 {
					squares, got, lost := int64(0), int64(0), int64(0) // because of the shift
					for c := range scene.channels {
						s := sum(c, x, y)
						squares += int64(s) * int64(s) / int64(side*side)
						want := uint32(uint16(s>>p.shift-1<<15)) | uint32(sum(c, x+side, y)>>p.shift-1<<15)<<16
						pair := p.pairs[c][y*p.stride+x]
						require.Equal(t, want, pair, "%s, blocks of %d at %d, %d", row.Name, side, x, y)
						got += int64(square(pair, p.reciprocal))
						lost += 2 * int64(s) << p.shift / int64(side*side)
					}
					require.LessOrEqual(t, got, squares, "%s, blocks of %d at %d, %d", row.Name, side, x, y)
					if p.shift == 0 {
						lost = 0
					}
					require.GreaterOrEqual(t, got, squares-squares>>20-lost-int64(scene.channels))
				}
			}
			restore()
		}
	}
}

// TestNumerators checks that the means of a template are never less than their products with a
// window, where what the coefficients lack is as large as it can be: each block of the window is
// dark or bright as the rounding of its coefficient was up or down, and sums of blocks are one less
// than a multiple of what they are rounded to.
func TestNumerators(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range 60 {
		side := []int{2, 4, 8, 12, 16, 25}[round%6]
		w, h := 2*side+rng.IntN(2*side), 2*side+rng.IntN(side)
		_, m := pair(t, rng, "coarse", w, h, w, h, false, mask(rng, w, h))
		l, err := New(Options{Similarity: formulas[round/6%2], MinScore: -1})
		require.NoError(t, err)
		o := m.outline(side, l.opts.Similarity == Correlation)
		mean, exact := o.means(m)
		window := image.NewGray(image.Rect(0, 0, w, h))
		for i := range window.Pix {
			x, y := i%w/side, i/w/side
			if x >= o.columns || y >= o.rows {
				continue
			}
			a := float64(o.coefficients[0][y*2*o.pairs+x]) * o.scale / float64(int(1)<<shiftOf(side))
			if exact[y*o.columns+x] > a {
				window.Pix[i] = 240
			}
			if (i%w)%side == 0 && i/w%side == 0 {
				window.Pix[i] += 15 // the sum of the block is odd
			}
		}
		s := NewScene(window)
		j := newJob()
		j.set(&l.opts, s, m)
		j.bounds.side, j.goal = side, toFind
		if j.bounds.sideOf() == 0 {
			continue
		}
		j.crew.begin(&j.task)
		j.bounds.prepare(&j.crew)
		r := &j.crew.lanes.All()[0].bounder.run
		numbers := r.window(0)
		got := float64(numbers.numerator)*o.t + o.error*float64(numbers.root)
		var want float64
		for i, v := range window.Pix {
			want += mean[i] * float64(v)
		}
		require.GreaterOrEqual(t, got, want-1e-6*math.Abs(want)-1e-6, "blocks of %d, %d by %d, %v", side, w, h, l.opts.Similarity)
	}
}

// TestRest checks that the norm of what a template is without the means of its blocks is a little larger
// than that.
func TestRest(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for _, kind := range slices.Sorted(maps.Keys(pictures)) {
		for side := 1; side <= 16; side++ {
			w, h := side+rng.IntN(40), side+rng.IntN(40)
			_, m := pair(t, rng, kind, w, h, w, h, false, mask(rng, w, h))
			for _, centered := range []bool{false, true} {
				o := m.outline(side, centered)
				offset := 0.0
				if centered {
					offset = float64(m.sum1[0]) / float64(m.n)
				}
				pixels, _ := o.means(m)
				var want float64
				for i, mean := range pixels {
					if x, y := i%w, i/w; m.mask[y*m.maskStride+x] != 0 {
						d := float64(int64(m.values[0][y*m.stride+x])+m.mean[0]) - offset - mean
						want += d * d
					}
				}
				require.InDelta(t, math.Sqrt(want)+1e-3, o.q, 5e-4, "%s, blocks of %d, %d by %d", kind, side, w, h)
			}
		}
	}
}

// means returns, for each pixel, the mean of the template in its block or in the rest of the mask, and
// for each block its mean.
func (o *outline) means(t *Template) (pixels, blocks []float64) {
	offset := 0.0
	if o.centered {
		offset = float64(t.sum1[0]) / float64(t.n)
	}
	block := func(i int) int { // of a pixel, or -1 in the rest
		x, y := i%t.w/o.side, i/t.w/o.side
		if x >= o.columns || y >= o.rows || !t.has(x*o.side, y*o.side, o.side) {
			return -1
		}
		return y*o.columns + x
	}
	sums, counts := map[int]float64{}, map[int]float64{}
	for i := range t.w * t.h {
		if x, y := i%t.w, i/t.w; t.mask[y*t.maskStride+x] != 0 {
			sums[block(i)] += float64(int64(t.values[0][y*t.stride+x])+t.mean[0]) - offset
			counts[block(i)]++
		}
	}
	for i := range t.w * t.h {
		v := 0.0
		if t.mask[i/t.w*t.maskStride+i%t.w] != 0 {
			v = sums[block(i)] / counts[block(i)]
		}
		pixels = append(pixels, v)
	}
	for i := range o.columns * o.rows {
		v := 0.0
		if counts[i] > 0 {
			v = sums[i] / counts[i]
		}
		blocks = append(blocks, v)
	}
	return pixels, blocks
}
