package locate

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMultiplyLow compares products of 32 bits with those of [multiply].
func TestMultiplyLow(t *testing.T) {
	for row := range table.Available() {
		if row.Kernels.multiplyLow == nil {
			continue
		}
		for pairs := 1; pairs <= 35; pairs++ {
			s := source{rand.New(rand.NewPCG(uint64(pairs), 2)), pairs%4 == 0}
			r := &multiplyRun{pairs: pairs, n: group * (1 + s.IntN(6)), rows: 1 + s.IntN(12)}
			r.stride, r.apart = r.n+2*pairs+group+s.IntN(5), r.n+s.IntN(9)
			r.pix = guarded(t, (r.rows-1)*r.stride+r.n+2*pairs+64, s.pixel)
			r.values = guarded(t, 2*blockRows*r.rows*pairs, func() int16 { return int16(s.within(-128, 127)) })
			r.setBytes(t)
			r.lows = guarded(t, (blockRows-1)*r.apart+r.n, func() int32 { return int32(s.within(-1<<29, 1<<29)) })
			r.products, r.sums = make([]int64, len(r.lows)), make([]int32, r.n)
			for i, v := range r.lows {
				r.products[i] = int64(v)
			}
			multiply(r)
			row.Kernels.multiplyLow(r)
			for i, v := range r.products {
				require.Equal(t, v, int64(r.lows[i]), row.Name)
			}
		}
	}
}

// TestMultiplyFolds compares products of folded rows with the sums that they are, for templates of all widths up
// to 40 and some heights.
func TestMultiplyFolds(t *testing.T) {
	for row := range table.Available() {
		if row.Kernels.fold == nil {
			continue
		}
		for w := 1; w <= 40; w++ {
			s := source{rand.New(rand.NewPCG(uint64(w), 3)), w%3 == 0}
			img := image.NewGray(image.Rect(0, 0, w, 1+s.IntN(12)))
			for i := range img.Pix {
				img.Pix[i] = s.pixel()
			}
			m, err := NewTemplate(img, nil)
			require.NoError(t, err)
			f := &foldRun{n: group * (1 + s.IntN(8)), rows: (m.h + 1) / 2, quads: (m.w + 3) / 4}
			whole := (f.n + foldGroup - 1) / foldGroup * foldGroup
			f.length, f.apart = padded(whole/2+2*f.quads), whole+s.IntN(9)
			f.stride = 2*f.length + s.IntN(5)
			pix := guarded(t, 2*f.rows*f.stride+2*f.length+2, s.pixel)
			folds := guarded(t, f.rows*foldLists*f.length, func() int16 { return -1 })
			for i := range f.rows {
				f.pix, f.folded = pix[2*i*f.stride:], folds[i*foldLists*f.length:]
				row.Kernels.fold(f)
			}
			f.folds, f.coefficients = folds, guarded(t, 2*foldLists*f.rows*f.quads, func() int16 { return 0 })
			copy(f.coefficients, m.foldedValues(0))
			f.products = guarded(t, f.apart+whole, func() int32 { return int32(s.within(-1<<29, 1<<29)) })
			want := append([]int32{}, f.products...)
			for i := range 2 {
				for x := range f.n {
					for y := range m.h {
						for c, v := range m.values[0][y*m.stride:][:m.w] {
							want[i*f.apart+x] += int32(v) * int32(pix[(i+y)*f.stride+x+c])
						}
					}
				}
			}
			row.Kernels.multiplyFolds(f)
			what := fmt.Sprintf("%s: %d by %d, %d places", row.Name, m.w, m.h, f.n)
			for i := range 2 {
				require.Equal(t, want[i*f.apart:][:f.n], f.products[i*f.apart:][:f.n], what)
			}
			require.Equal(t, want[whole:f.apart], f.products[whole:f.apart], what)
		}
	}
}

// newLowScoreRun returns the argument of respondLow and seekLow for n places, with numerators and with the
// variations of the windows.
func newLowScoreRun(t *testing.T, s source, n int, numbers func() (numerator, variation int32)) *lowScoreRun {
	r := &lowScoreRun{channels: 1 + 2*s.IntN(2), n: n, factor: int32(s.within(1, 300) | 1), centered: -int32(s.IntN(2))}
	r.responses = guarded(t, n, func() float32 { return 2 })
	for c := range r.channels {
		r.offsets[c] = int32(s.within(-150, 150))
		r.sums[c] = guarded(t, n, func() int32 { return int32(s.within(0, 255*300)) })
	}
	r.products, r.sums2 = guarded(t, n, func() int32 { return 0 }), guarded(t, n, func() uint32 { return 0 })
	// The inverse of an odd factor, without what overflows: each step has twice as many right bits.
	inverse := r.factor
	for range 5 {
		inverse *= 2 - r.factor*inverse
	}
	for x := range n {
		numerator, variation := numbers()
		for c := range r.channels {
			numerator -= r.offsets[c] * r.sums[c][x]
			variation += r.sums[c][x] * r.sums[c][x] & r.centered
		}
		r.products[x], r.sums2[x] = numerator*inverse, uint32(variation*inverse)
	}
	return r
}

// TestRespondLow compares scores as float32 of numbers of 32 bits, among them the largest ones, and 0.
func TestRespondLow(t *testing.T) {
	for i := range 300 {
		s := source{Rand: rand.New(rand.NewPCG(uint64(i), 4))}
		template := float64(s.within(1, 1<<s.within(1, 31)-1))
		var want []float32
		r := newLowScoreRun(t, s, group*(1+i%5), func() (int32, int32) {
			variation := s.within(0, 1<<s.within(0, 31)-1)
			most := int64(min(math.Sqrt(template*float64(variation)), 1<<31-1))
			for most*most > int64(template)*variation {
				most--
			}
			numerator := s.within(-most, most)
			if s.IntN(4) == 0 {
				numerator = most
			}
			want = append(want, float32(ratio(numerator, template, variation)))
			return int32(numerator), int32(variation)
		})
		r.variation = template
		for row := range table.Available() {
			if row.Kernels.respondLow != nil {
				clear(r.responses)
				row.Kernels.respondLow(r)
				require.Equal(t, want, r.responses, row.Name)
			}
		}
	}
}

// TestRespondLowMiddle compares scores that are, as float64, next to the middle between two float32.
func TestRespondLowMiddle(t *testing.T) {
	s := source{Rand: rand.New(rand.NewPCG(5, 1))}
	below, above := 0, 0
	for range 3000 {
		low := float32(s.Float64())
		middle := (float64(low) + float64(math.Nextafter32(low, 2))) / 2
		numerator, variation := s.within(1, 1<<s.within(1, 31)-1), s.within(1, 1<<s.within(1, 31)-1)
		quotient := float64(numerator) / middle
		template := quotient * quotient / float64(variation)
		for range s.IntN(3) {
			template = math.Nextafter(template, math.Inf(2*s.IntN(2)-1))
		}
		v := ratio(numerator, template, variation)
		if v < middle {
			below++
		} else if v > middle {
			above++
		}
		sign := int32(1)
		r := newLowScoreRun(t, s, group, func() (int32, int32) {
			sign = -sign
			return sign * int32(numerator), int32(variation)
		})
		r.variation = template
		for row := range table.Available() {
			if row.Kernels.respondLow == nil {
				continue
			}
			row.Kernels.respondLow(r)
			for x, got := range r.responses {
				want := float32(v)
				if x%2 == 0 {
					want = -want
				}
				require.Equal(t, want, got, "%s: %d of %d, %v", row.Name, numerator, variation, template)
			}
		}
	}
	require.Greater(t, below, 500)
	require.Greater(t, above, 500)
}

// TestSeekLow looks for each score of some places, and for those that are larger or smaller by little.
func TestSeekLow(t *testing.T) {
	for i := range 20 {
		s := source{Rand: rand.New(rand.NewPCG(uint64(i), 6))}
		template := float64(s.within(1, 1<<s.within(1, 30)))
		var scores []float64
		r := newLowScoreRun(t, s, group*(1+i%5), func() (int32, int32) {
			variation := s.within(0, 1<<s.within(0, 30))
			most := int64(math.Sqrt(template * float64(variation)))
			numerator := s.within(-most, most)
			scores = append(scores, ratio(numerator, template, variation))
			return int32(numerator), int32(variation)
		})
		r.variation = template
		first := func(from int, least float64) int {
			for x := from; x < r.n; x++ {
				if scores[x] >= least {
					return x
				}
			}
			return r.n
		}
		for row := range table.Available() {
			if row.Kernels.seekLow == nil {
				continue
			}
			for from := 0; from <= r.n; from += group {
				for _, v := range append([]float64{2}, scores...) {
					for _, least := range []float64{v * (1 - 1e-7), v, v * (1 + 1e-7)} {
						if least <= 0 {
							continue
						}
						r.place = from
						r.seek(&row.Kernels, least)
						require.LessOrEqual(t, r.place, first(from, least), row.Name)
						require.GreaterOrEqual(t, r.place, max(from, first(from, least*(1-2*lowSlack))/group*group), row.Name)
					}
				}
			}
		}
	}
}
