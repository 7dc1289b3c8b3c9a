package sift

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/match"
	"github.com/stretchr/testify/require"
)

// floats returns memory for n floats that is followed by a page that faults.
func floats(t *testing.T, n int) []float32 {
	t.Helper()
	mem := asmtest.GuardedMemory(t, 4*n)
	return unsafe.Slice((*float32)(unsafe.Pointer(&mem[0])), n)
}

// fillPixels makes pixels of one of several kinds.
func fillPixels(random *rand.Rand, pix []float32) {
	kind := random.IntN(6)
	a, b := random.Float32(), random.Float32()
	for i := range pix {
		switch kind {
		case 0:
			pix[i] = 255 * random.Float32()
		case 1:
			pix[i] = float32(random.IntN(3))
		case 2:
			pix[i] = 0
		case 3: // below the normal numbers
			pix[i] = math.Float32frombits(random.Uint32N(1 << (1 + i%24)))
		case 4:
			pix[i] = 128 + 100*float32(math.Sin(float64(a*float32(i%17)+b*float32(i/17))))
		case 5: // steep on the one side, hardly anything on the other
			pix[i] = 255 * float32(random.IntN(2)) * float32(math.Ldexp(1, -random.IntN(2)*random.IntN(100)))
		}
	}
}

// samplePair is the same argument for two kernels, with memory of their own.
type samplePair [2]samplesRun

// newPair returns the arguments for layers of pixels that end before a page that faults, as do the
// lists.
func newPair(t *testing.T, width int) *samplePair {
	t.Helper()
	p := new(samplePair)
	for i := range p {
		s := &p[i]
		for _, list := range []*[]float32{&s.dx, &s.dy, &s.columns, &s.rows} {
			*list = floats(t, batchSize+width+2*vectorWidth)
		}
		s.histogram = floats(t, histogramSize)
		s.math = &approximation
	}
	return p
}

// begin prepares both for a keypoint. Their lists and histograms have the same contents.
func (p *samplePair) begin(random *rand.Rand, layer *plane, x, y, radius int) {
	for i := range p {
		p[i].begin(layer, x, y, radius)
		for j := range p[i].dx {
			p[i].dx[j], p[i].dy[j], p[i].columns[j], p[i].rows[j] = 0, 0, 0, 0
		}
	}
	s := &p[0]
	s.angle = 360 * random.Float32()
	if random.IntN(4) == 0 {
		s.angle = float32(random.IntN(8) * 45)
	}
	width := float32(radius)/3.6 + random.Float32() + 0.01
	s.falloff = max(-1/(2*width*width), -1)
	if random.IntN(2) == 0 {
		s.falloff /= 1000 // lets the last samples, in a corner, count as much as others
	}
	sin, cos := sincosf(s.angle * (math.Pi / 180))
	switch random.IntN(12) {
	case 0:
		sin = 0
	case 1: // pixels on the sides of the square
		sin, cos, width = 0, 1, 2
	case 2:
		sin, cos, width = -1, 0, 4
	}
	s.cos, s.sin = cos/width, sin/width
	s.inverseCos, s.inverseSin = inverse(s.cos), inverse(s.sin)
	o := &p[1]
	o.angle, o.falloff, o.cos, o.sin, o.inverseCos, o.inverseSin = s.angle, s.falloff, s.cos, s.sin, s.inverseCos, s.inverseSin
}

// requireSame compares the counts and the samples.
func (p *samplePair) requireSame(t *testing.T, message string, lists func(s *samplesRun) [][]float32) {
	t.Helper()
	require.Equal(t, p[0].row, p[1].row, message)
	require.Equal(t, p[0].count, p[1].count, message)
	a, b := lists(&p[0]), lists(&p[1])
	for i := range a {
		requireBits(t, a[i], b[i], fmt.Sprintf("%s, list %d", message, i))
	}
}

// orientationLists and descriptorLists return what the kernels that gather make, and the others
// the sums.
func orientationLists(s *samplesRun) [][]float32 {
	return [][]float32{s.dx[:s.count], s.dy[:s.count], s.columns[:s.count]}
}

func descriptorLists(s *samplesRun) [][]float32 {
	return append(orientationLists(s), s.rows[:s.count])
}

func directionSums(s *samplesRun) [][]float32 { return [][]float32{s.histogram} }

func cellSums(s *samplesRun) (lists [][]float32) {
	for o := range cellBins + 1 {
		lists = append(lists, s.histogram[cellPlace(0, 0, o):][:cells*cells])
	}
	return lists
}

// TestSamples compares the kernels of each row with those of portable Go, on layers and lists that
// end where memory ends, for keypoints in and beside the layers, and for all that they begin
// with.
func TestSamples(t *testing.T) {
	const side = 70
	keypoints := 3000
	if testing.Short() {
		keypoints = 300
	}
	kinds := []struct {
		name        string
		gather, add func(k *kernels) func(*samplesRun)
		lists, sums func(s *samplesRun) [][]float32
	}{
		{
			"orientation",
			func(k *kernels) func(*samplesRun) { return k.surroundings },
			func(k *kernels) func(*samplesRun) { return k.directions },
			orientationLists, directionSums,
		},
		{
			"descriptor",
			func(k *kernels) func(*samplesRun) { return k.patch },
			func(k *kernels) func(*samplesRun) { return k.cells },
			descriptorLists, cellSums,
		},
	}
	mem := floats(t, side*side+vectorWidth)
	for row := range table.Available() {
		random := rand.New(rand.NewPCG(5, 6))
		p := newPair(t, side)
		for i := range keypoints {
			layer := plane{width: 3 + random.IntN(side-2), height: 3 + random.IntN(side-2)}
			layer.stride = layer.width + random.IntN(side-layer.width+1)
			n := layer.stride*layer.height + vectorWidth
			layer.pix = mem[len(mem)-n:]
			fillPixels(random, layer.pix)
			x, y := random.IntN(layer.width+8)-4, random.IntN(layer.height+8)-4
			radius := random.IntN(40) - 1
			for _, kind := range kinds {
				message := fmt.Sprintf("%s, %s %d", row.Name, kind.name, i)
				p.begin(random, &layer, x, y, radius)
				s, o := &p[0], &p[1]
				first := s.row
				for s.left <= s.right && s.row < s.end {
					kind.gather(&portable)(s)
					kind.gather(&row.Kernels)(o)
					p.requireSame(t, message, kind.lists)
					// The sums of a number of samples.
					s.count = min(s.count, random.IntN(2*side))
					s.fused = s.count % 8
					if random.IntN(4) == 0 && s.count > 8 {
						s.count -= s.fused
						s.fused = 0
					}
					o.count, o.fused = s.count, s.fused
					kind.add(&portable)(s)
					kind.add(&row.Kernels)(o)
					p.requireSame(t, message, kind.sums)
					s.count, o.count = 0, 0
				}
				require.LessOrEqual(t, first, s.row)
			}
		}
	}
}

// TestPairs compares the kernels pairs with those of portable Go.
func TestPairs(t *testing.T) {
	const side = 70
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	layer := plane{make([]float32, side*side+vectorWidth), side, side, side}
	for row := range table.Available() {
		random := rand.New(rand.NewPCG(11, 12))
		pairs := [2]*samplePair{newPair(t, side), newPair(t, side)}
		for round := range rounds {
			most := batchSize
			var want, got pairRun
			for i, p := range pairs {
				fillPixels(random, layer.pix)
				p.begin(random, &layer, random.IntN(side), random.IntN(side), 5+random.IntN(30))
				for j := range p {
					p[j].refill(patch)
				}
				p.requireSame(t, row.Name, descriptorLists)
				p[0].done = random.IntN(p[0].count + 1)
				p[1].done = p[0].done
				most = min(most, p[0].count-p[0].done)
				want.samples[i], got.samples[i] = &p[0], &p[1]
			}
			want.count = random.IntN(most/8+1) * 8
			got.count = want.count
			if want.count == 0 {
				continue // nothing to add, which the kernels are not called for
			}
			portable.pairs(&want)
			row.Kernels.pairs(&got)
			for _, p := range pairs {
				message := fmt.Sprintf("%s %d", row.Name, round)
				p.requireSame(t, message, cellSums)
				require.Equal(t, p[0].done, p[1].done, message)
				require.Zero(t, p[1].fused, message)
			}
		}
	}
}

// TestNormalize compares the kernels with the definition, whose sums have an order of their own.
func TestNormalize(t *testing.T) {
	rounds := 2000
	if testing.Short() {
		rounds = 504
	}
	for row := range table.Available() {
		random := rand.New(rand.NewPCG(7, 8))
		s := &newPair(t, 0)[0]
		sheaf := new(normalizeRun)
		var want [sheafSize]match.Vector
		for round := range rounds {
			exponent := 7
			if round%8 == 0 {
				exponent = random.IntN(160) - 148
			}
			for i := range s.histogram {
				s.histogram[i] = float32(math.Ldexp(float64(random.Float32()), exponent))
				if random.IntN(3) < round%3 {
					s.histogram[i] = 0
				}
				if random.IntN(100) == 0 {
					s.histogram[i] *= 20
				}
			}
			vector, descriptor, scale := normalized(s.histogram)
			if round%2 == 0 && scale < 1e6 {
				// Some numbers that are nearly halfway between integers tell the scale apart from its
				// neighbors.
				for range 4 {
					for i := 1; i < 64; i += 2 {
						halfway := (math.Floor(float64(vector[i]*scale)) + 0.5) / float64(scale)
						s.histogram[cellPlace(i/32, i/8%4, i%8)] = float32(halfway)
					}
					vector, descriptor, scale = normalized(s.histogram)
				}
			}
			i := round % sheafSize
			s.vector, want[i] = sheaf.vectors[i][:], descriptor
			row.Kernels.cut(s)
			requireBits(t, vector[:], s.vector, row.Name, round)
			if i == sheafSize-1 {
				row.Kernels.normalize(sheaf)
				require.Equal(t, want, sheaf.descriptors, "%s %d", row.Name, round)
			}
		}
	}
}

// normalized returns the numbers of a descriptor before they are scaled, the descriptor and the
// scale.
func normalized(histogram []float32) (v [128]float32, descriptor match.Vector, scale float32) {
	var sums [8]float32
	for i := range v {
		cell, o := i/8, i%8
		v[i] = histogram[cellPlace(cell/4, cell%4, o)]
		if o == 0 {
			v[i] += histogram[cellPlace(cell/4, cell%4, 8)]
		}
		sums[o] = fma32(v[i], v[i], sums[o])
	}
	square := ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
	most := sqrt(square) * 0.2
	square = 0
	for i := range v {
		v[i] = min(v[i], most)
		square = fma32(v[i], v[i], square)
	}
	scale = 512 / max(sqrt(square), 0x1p-23)
	for i := range v {
		descriptor[i] = uint8(min(math.RoundToEven(float64(float32(v[i]*scale))), 255))
	}
	return v, descriptor, scale
}

// TestSums compares the sums of all samples of a keypoint with those of the definition: in the order
// of the rows and columns, with fused operations for the last ones that eight do not divide.
func TestSums(t *testing.T) {
	const side = 90
	random := rand.New(rand.NewPCG(9, 10))
	layer := plane{make([]float32, side*side+vectorWidth), side, side, side}
	rounds := 200
	if testing.Short() {
		rounds = 60
	}
	for round := range rounds {
		fillPixels(random, layer.pix)
		x, y, radius := random.IntN(side), random.IntN(side), 1+random.IntN(30)
		if round%4 > 0 { // few samples, of which the last ones matter
			radius = 1 + random.IntN(3)
		}
		first := newPair(t, side)
		first.begin(random, &layer, x, y, radius)
		var places [][4]float32 // of all samples: differences of pixels, and the column and the row
		s := &first[0]
		for r := max(y-radius, 1); r <= min(y+radius, side-2); r++ {
			for c := max(x-radius, 1); c <= min(x+radius, side-2); c++ {
				at := layer.pix[r*side+c:]
				up, down := layer.pix[(r-1)*side+c], at[side]
				places = append(places, [4]float32{at[1] - layer.pix[r*side+c-1], up - down, float32(c - x), float32(r - y)})
			}
		}
		wantDirections := sumDirections(s, places)
		var used [][4]float32
		for _, v := range places {
			c := exactFMA(v[2], s.cos, -float32(v[3]*s.sin))
			r := exactFMA(v[2], s.sin, float32(v[3]*s.cos))
			if c+2-0.5 > -1 && c+2-0.5 < 4 && r+2-0.5 > -1 && r+2-0.5 < 4 {
				used = append(used, [4]float32{v[0], v[1], c, r})
			}
		}
		wantCells := sumCells(s, used)
		for row := range table.Available() {
			other := *s
			other.histogram = make([]float32, histogramSize)
			other.collect(row.Kernels.surroundings, row.Kernels.directions)
			requireBits(t, wantDirections[:], other.histogram[2:][:directions], row.Name)
			other = *s
			other.histogram = make([]float32, histogramSize)
			other.collect(row.Kernels.patch, row.Kernels.cells)
			for i := range cells * cells {
				for o, want := range wantCells[i] {
					require.Equal(t, math.Float32bits(want), math.Float32bits(other.histogram[cellPlace(i/cells, i%cells, o)]), "%s, cell %d, direction %d of %d samples", row.Name, i, o, len(used))
				}
			}
		}
	}
}

// sumDirections returns the histogram of an orientation. The samples have columns and rows of pixels.
func sumDirections(s *samplesRun, list [][4]float32) (sums [directions]float32) {
	for i, v := range list {
		weight := exp32((float32(v[2]*v[2]) + float32(v[3]*v[3])) * s.falloff)
		magnitude := length(v[0], v[1])
		sum := &sums[int(math.RoundToEven(float64(float32(0.1*atan(v[1], v[0])))))%directions]
		if i < len(list)/8*8 {
			*sum += float32(weight * magnitude)
		} else {
			*sum = exactFMA(weight, magnitude, *sum)
		}
	}
	return sums
}

// sumCells returns the histograms of the cells of a descriptor. The samples have columns and rows of
// cells.
func sumCells(s *samplesRun, list [][4]float32) (sums [cells * cells][cellBins + 1]float32) {
	for i, v := range list {
		c, r := v[2]+2-0.5, v[3]+2-0.5
		turn := float32((atan(v[1], v[0]) - s.angle) * (8.0 / 360))
		floor := func(v *float32) int {
			n := math.Floor(float64(*v))
			*v -= float32(n)
			return int(n)
		}
		column, row, direction := floor(&c), floor(&r), (floor(&turn)+8)%8
		weight := float32(length(v[0], v[1]) * exp32(exactFMA(v[2], v[2], float32(v[3]*v[3]))*-0.125))
		v1 := float32(weight * r)
		v0 := weight - v1
		c11, c01 := float32(v1*c), float32(v0*c)
		for j, part := range [4]float32{v0 - c01, c01, v1 - c11, c11} {
			r, c := row+j/2, column+j%2
			if r < 0 || r > 3 || c < 0 || c > 3 {
				continue
			}
			bins := &sums[4*r+c]
			if i < len(list)/8*8 {
				next := float32(part * turn)
				bins[direction] += part - next
				bins[direction+1] += next
			} else {
				bins[direction] += exactFMA(-part, turn, part)
				bins[direction+1] = exactFMA(part, turn, bins[direction+1])
			}
		}
	}
	return sums
}
