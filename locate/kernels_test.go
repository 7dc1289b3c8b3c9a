package locate

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// guarded returns n numbers, all of which value makes, between memory that must not be touched.
func guarded[E any](t *testing.T, n int, value func() E) []E {
	t.Helper()
	var zero E
	memory := asmtest.GuardedMemory(t, n*int(unsafe.Sizeof(zero)))
	list := unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(memory))), n)
	for i := range list {
		list[i] = value()
	}
	return list
}

// A source makes random numbers that are within what kernels are given.
type source struct {
	*rand.Rand
	extreme bool // the least and the largest ones alone
}

// within returns a number from least to most.
func (s source) within(least, most int64) int64 {
	if s.extreme {
		return [2]int64{least, most}[s.IntN(2)]
	}
	return least + s.Int64N(most-least+1)
}

func (s source) pixel() uint8 { return uint8(s.within(0, 255)) }
func (s source) value() int16 { return int16(s.within(-255, 255)) }

// column returns the sum of a column, and square that of squares of all channels.
func (s source) column() uint32 { return uint32(s.within(0, maxSide*255)) }
func (s source) square() uint32 { return uint32(s.within(0, 3*maxSide*255*255)) }

// requireKernels runs a kernel of each instruction set. run makes its argument, whose numbers
// come from a source, lets the kernel work on it, and returns what must be the same for all.
func requireKernels[A any](t *testing.T, kernel func(*kernels) func(*A), run func(s source, do func(*A)) []any) {
	t.Helper()
	seed := rand.Uint64()
	for _, extreme := range []bool{false, true} {
		of := func(k *kernels) []any {
			return run(source{rand.New(rand.NewPCG(seed, 1)), extreme}, kernel(k))
		}
		want := of(&table[len(table)-1].Kernels)
		for row := range table.Available() {
			require.Equal(t, want, of(&row.Kernels), row.Name)
		}
	}
}

// TestMultiply compares products for all widths of templates up to 70.
func TestMultiply(t *testing.T) {
	for pairs := 1; pairs <= 35; pairs++ {
		for _, n := range []int{group, 2 * group, 3 * group, 6 * group} {
			t.Run("", func(t *testing.T) {
				requireKernels(t, func(k *kernels) func(*multiplyRun) { return k.multiply }, func(s source, do func(*multiplyRun)) []any {
					r := &multiplyRun{pairs: pairs, n: n, rows: 1 + s.IntN(12)}
					r.stride = n + 2*pairs + group + s.IntN(5)
					r.pix = guarded(t, (r.rows-1)*r.stride+n+2*pairs+64, s.pixel)
					r.values = guarded(t, 2*blockRows*r.rows*pairs, func() int16 { return int16(s.within(-128, 127)) })
					r.setBytes(t)
					r.apart = n + s.IntN(9)
					r.products = guarded(t, (blockRows-1)*r.apart+n, func() int64 { return s.within(-1<<36, 1<<36) })
					r.sums = make([]int32, n)
					do(r)
					return []any{r.products}
				})
			})
		}
	}
}

// setBytes sets the bytes to the values, which are as small.
func (r *multiplyRun) setBytes(t *testing.T) {
	r.quads = (r.pairs + 1) / 2
	i := 0
	r.bytes = guarded(t, 4*blockRows*r.rows*r.quads, func() int8 {
		column, row, line := i/(4*blockRows)%r.quads*4+i%4, i/4%blockRows, i/(4*blockRows)/r.quads
		i++
		if column/2 >= r.pairs {
			return 0
		}
		return int8(r.values[(line*r.pairs+column/2)*2*blockRows+2*row+column%2])
	})
}

// TestMultiplyWords compares products of values that are not bytes.
func TestMultiplyWords(t *testing.T) {
	for pairs := 1; pairs <= 35; pairs++ {
		const n = 3 * group
		s := source{Rand: rand.New(rand.NewPCG(uint64(pairs), 1))}
		r := &multiplyRun{pairs: pairs, n: n, rows: 3, stride: n + 2*pairs + group, apart: n, sums: make([]int32, n)}
		r.pix = guarded(t, r.rows*r.stride, s.pixel)
		r.values = guarded(t, 2*blockRows*r.rows*pairs, s.value)
		r.products = make([]int64, blockRows*n)
		multiply(r)
		want := r.products
		for row := range table.Available() {
			if !row.Kernels.bytes {
				r.products = make([]int64, blockRows*n)
				row.Kernels.multiply(r)
				require.Equal(t, want, r.products, row.Name)
			}
		}
	}
}

// TestMultiplyMost compares sums of as many products as a kernel is given, the largest ones.
func TestMultiplyMost(t *testing.T) {
	const pairs, n = 128, group
	for row := range table.Available() {
		least := int16(-255)
		if row.Kernels.bytes {
			least = -byteCenter
		}
		r := &multiplyRun{pairs: pairs, n: n, apart: n, rows: productPixels / (2 * pairs), stride: n + 2*pairs + 64}
		r.pix = guarded(t, r.rows*r.stride, func() uint8 { return 255 })
		r.values = guarded(t, 2*blockRows*r.rows*pairs, func() int16 { return least })
		r.setBytes(t)
		r.products, r.sums = make([]int64, blockRows*n), make([]int32, n)
		row.Kernels.multiply(r)
		require.Equal(t, int64(least)*255*productPixels, r.products[0], row.Name)
	}
}

// newWindowRun returns the argument of slide and window for n places and a template of some columns.
func newWindowRun(t *testing.T, s source, n, width int) *windowRun {
	r := &windowRun{channels: 1 + 2*s.IntN(2), width: width, n: n}
	r.count = padded(n + width)
	r.squares, r.sums2 = guarded(t, r.count, s.square), guarded(t, n, s.Int64)
	for c := range r.channels {
		r.entering[c], r.leaving[c] = guarded(t, r.count, s.pixel), guarded(t, r.count, s.pixel)
		r.columns[c], r.sums[c] = guarded(t, r.count, s.column), guarded(t, n, s.Int32)
	}
	return r
}

// sumWidths are the widths of templates that sums are compared for. A short test has a third of them.
func sumWidths() []int {
	var list []int
	step := 1
	if testing.Short() {
		step = 3
	}
	for w := 1; w <= 70; w += step {
		list = append(list, w)
	}
	return append(list, 300, 1023, 1024)
}

// TestSlide compares sums of columns.
func TestSlide(t *testing.T) {
	for n := group; n <= 5*group; n += group {
		t.Run("", func(t *testing.T) {
			requireKernels(t, func(k *kernels) func(*windowRun) { return k.slide }, func(s source, do func(*windowRun)) []any {
				r := newWindowRun(t, s, n, 1)
				do(r)
				r.alone = 1
				do(r)
				squares := r.squares
				r.alone, r.squares = 0, nil
				do(r)
				return []any{r.columns, squares}
			})
		})
	}
}

// TestWindow compares sums of windows.
func TestWindow(t *testing.T) {
	for _, width := range sumWidths() {
		for n := group; n <= 5*group; n += group {
			t.Run("", func(t *testing.T) {
				requireKernels(t, func(k *kernels) func(*windowRun) { return k.window }, func(s source, do func(*windowRun)) []any {
					r := newWindowRun(t, s, n, width)
					do(r)
					r.low = guarded(t, n, s.Uint32)
					do(r)
					low := r.low
					r.low, r.alone = guarded(t, n, s.Uint32), 1
					do(r)
					return []any{r.sums, r.sums2, low, r.low}
				})
			})
		}
	}
}

// newSpanRun returns the argument of accumulate and addSpans for n places and a template of some
// columns.
func newSpanRun(t *testing.T, s source, n, width int) *spanRun {
	r := &spanRun{channels: 1 + 2*s.IntN(2), n: n}
	r.count = padded(n + width)
	r.until2, r.low = guarded(t, r.count+1, s.Uint32), guarded(t, n, s.Uint32)
	for c := range r.channels {
		r.pix[c] = guarded(t, r.count, s.pixel)
		r.until[c] = guarded(t, r.count+1, s.Uint32)
		r.sums[c] = guarded(t, n, func() int32 { return int32(s.within(0, 1<<28)) })
	}
	return r
}

// TestAccumulate compares sums from the beginning of a row.
func TestAccumulate(t *testing.T) {
	for n := group; n <= 5*group; n += group {
		t.Run("", func(t *testing.T) {
			requireKernels(t, func(k *kernels) func(*spanRun) { return k.accumulate }, func(s source, do func(*spanRun)) []any {
				r := newSpanRun(t, s, n, 1)
				do(r)
				return []any{r.until, r.until2}
			})
		})
	}
}

// TestSpan compares sums of spans, of sums from the beginning of rows that accumulate has made.
func TestSpan(t *testing.T) {
	for _, width := range sumWidths() {
		for n := group; n <= 3*group; n += group {
			t.Run("", func(t *testing.T) {
				requireKernels(t, func(k *kernels) func(*spanRun) { return k.span }, func(s source, do func(*spanRun)) []any {
					r := newSpanRun(t, s, n, width)
					accumulate(r)
					for x := s.IntN(width); x < width; {
						end := x + 1 + s.IntN(width-x)
						r.spans = append(r.spans, interval{x, end})
						x = end + 1 + s.IntN(3)
					}
					do(r)
					return []any{r.sums, r.low}
				})
			})
		}
	}
}

// newScoreRun returns the argument of normalize and differ for n places of templates of at most that
// many pixels.
func newScoreRun(t *testing.T, s source, n int, most int64) *scoreRun {
	pixels := min(s.within(1, 1<<(1+s.IntN(20))), most)
	r := &scoreRun{channels: 1 + 2*s.IntN(2), n: n, factor: 1}
	r.centered = int64(s.IntN(2))
	if r.centered == 1 {
		r.factor = pixels
	}
	// Each window has a mean and a deviation.
	r.products = guarded(t, n, func() int64 { return pixels * s.within(-255*255, 255*255) })
	means := make([]int64, n)
	for c := range r.channels {
		r.offsets[c] = s.within(-pixels/2, pixels/2)
		r.sums[c] = guarded(t, n, func() int32 { return 0 })
		for x := range means {
			means[x] = s.within(0, 255)
			r.sums[c][x] = int32(pixels * means[x])
		}
	}
	x := 0
	r.sums2 = guarded(t, n, func() int64 {
		var sum2 int64
		for c := range r.channels {
			m := int64(r.sums[c][x]) / pixels
			sum2 += pixels*m*m + pixels*s.within(0, m*(255-m))
		}
		if s.IntN(5) > 0 {
			x++
			return sum2
		}
		sum2 = 0 // a flat window
		for c := range r.channels {
			sum2 += int64(r.sums[c][x]) * int64(r.sums[c][x]) / pixels
		}
		x++
		return sum2
	})
	r.variation = float64(s.within(1, pixels*pixels*65025))
	r.sum2, r.largest = s.within(0, 65025*pixels*int64(r.channels)), float64(65025*pixels*int64(r.channels))
	r.scores = guarded(t, n, s.Float64)
	return r
}

// TestScores compares scores.
func TestScores(t *testing.T) {
	zeros, ones := 0, 0
	for range 20 {
		for n := group; n <= 5*group; n += group {
			t.Run("", func(t *testing.T) {
				for _, kernel := range []func(*kernels) func(*scoreRun){
					func(k *kernels) func(*scoreRun) { return k.normalize },
					func(k *kernels) func(*scoreRun) { return k.differ },
				} {
					requireKernels(t, kernel, func(s source, do func(*scoreRun)) []any {
						r := newScoreRun(t, s, n, maxSide*maxSide)
						do(r)
						for _, v := range r.scores {
							switch v {
							case 0:
								zeros++
							case 1, -1:
								ones++
							}
						}
						return []any{r.scores}
					})
				}
			})
		}
	}
	require.NotZero(t, zeros)
	require.NotZero(t, ones)
}

// requireResponses compares the responses of each kernel with the scores of portable Go, and returns
// these.
func requireResponses(t *testing.T, r *scoreRun) []float64 {
	t.Helper()
	normalize(r)
	want := slices.Clone(r.scores)
	for row := range table.Available() {
		if row.Kernels.respond == nil {
			continue
		}
		row.Kernels.respond(r)
		for x, v := range want {
			require.Equal(t, float32(v), r.responses[x], "%s: %v", row.Name, v)
		}
	}
	return want
}

// TestRespond compares scores as float32.
func TestRespond(t *testing.T) {
	for i := range 100 {
		n := group * (1 + i%5)
		r := newScoreRun(t, source{rand.New(rand.NewPCG(uint64(i), 1)), i%2 == 0}, n, maxSide*maxSide)
		r.responses = guarded(t, n, func() float32 { return 2 })
		requireResponses(t, r)
	}
}

// TestRespondMiddle compares scores that are, as float64, next to the middle between two float32.
func TestRespondMiddle(t *testing.T) {
	const n = 2 * group
	s := source{Rand: rand.New(rand.NewPCG(3, 1))}
	r := &scoreRun{channels: 1, n: n, factor: 1, products: make([]int64, n), sums2: make([]int64, n)}
	r.sums[0], r.scores, r.responses = make([]int32, n), make([]float64, n), make([]float32, n)
	below, above := 0, 0
	for range 3000 {
		low := float32(s.Float64())
		middle := (float64(low) + float64(math.Nextafter32(low, 2))) / 2
		numerator, window := s.within(1, 1<<s.within(1, 52)), s.within(1, 1<<s.within(1, 52))
		ratio := float64(numerator) / middle
		r.variation = ratio * ratio / float64(window)
		for range s.IntN(3) {
			r.variation = math.Nextafter(r.variation, math.Inf(2*s.IntN(2)-1))
		}
		for x := range n {
			r.products[x], r.sums2[x] = numerator*(1-2*int64(x%2)), window
			if x%3 == 2 {
				r.sums2[x] = s.within(0, 5)
			}
		}
		switch v := requireResponses(t, r)[0]; {
		case v < middle:
			below++
		case v > middle:
			above++
		}
	}
	require.Greater(t, below, 500)
	require.Greater(t, above, 500)
}

// TestSeek looks for each score of some places, and for those that are larger or smaller by little.
func TestSeek(t *testing.T) {
	for i := range 20 {
		n := group * (1 + i%5)
		r := newScoreRun(t, source{Rand: rand.New(rand.NewPCG(uint64(i), 1))}, n, maxSide*maxSide)
		normalize(r)
		for x, v := range r.scores {
			if _, varied := r.at(x); v != 1 && v != -1 && varied > 0 {
				continue
			}
			// More than a score can be, or a numerator of a flat window that is not 0: let the window be black.
			r.products[x], r.sums2[x], r.scores[x] = 0, 0, 0
			for c := range r.channels {
				r.sums[c][x] = 0
			}
		}
		for row := range table.Available() {
			if row.Kernels.seek == nil {
				continue
			}
			for from := 0; from <= n; from += group {
				for _, v := range append(slices.Clone(r.scores), -2, 2) {
					for _, r.threshold = range []float64{v - seekMargin, v, v + seekMargin} {
						if r.threshold <= 0 {
							continue
						}
						first := func(least float64) int {
							for x := from; x < n; x++ {
								if r.scores[x] >= least {
									return x
								}
							}
							return n
						}
						r.place = from
						row.Kernels.seek(r)
						require.GreaterOrEqual(t, r.place, from, row.Name)
						require.LessOrEqual(t, r.place, first(r.threshold+1e-12), row.Name)
						require.GreaterOrEqual(t, r.place, first(r.threshold-seekMargin)/group*group, row.Name)
					}
				}
			}
		}
	}
}

// TestPlace compares the sums of single places.
func TestPlace(t *testing.T) {
	for columns := 16; columns <= 80; columns += 16 {
		for _, rows := range []int{1, 2, 7, placePixels / columns} {
			t.Run("", func(t *testing.T) {
				requireKernels(t, func(k *kernels) func(*placeRun) { return k.place }, func(s source, do func(*placeRun)) []any {
					r := &placeRun{rows: rows, columns: columns, stride: columns + s.IntN(40)}
					r.pix = guarded(t, (rows-1)*r.stride+columns, s.pixel)
					r.values = guarded(t, rows*columns, s.value)
					masks := 1
					if s.IntN(2) == 0 {
						r.maskStride, masks = columns, rows
					}
					r.mask = guarded(t, masks*columns, func() int16 { return int16(-s.IntN(2)) })
					r.product, r.sum, r.sum2 = s.Int64N(1e9), s.Int64N(1e9), s.Int64N(1e9)
					do(r)
					return []any{r.product, r.sum, r.sum2}
				})
			})
		}
	}
}

// TestPlaceMost compares the sums of as many pixels as a kernel is given, the largest ones.
func TestPlaceMost(t *testing.T) {
	for row := range table.Available() {
		r := &placeRun{rows: placePixels / 16, columns: 16, stride: 16}
		r.pix = bytes.Repeat([]byte{255}, placePixels)
		r.values, r.mask = make([]int16, placePixels), make([]int16, 16)
		for i := range r.values {
			r.values[i] = -255
		}
		for i := range r.mask {
			r.mask[i] = -1
		}
		row.Kernels.place(r)
		require.Equal(t, []int64{-255 * 255 * placePixels, 255 * placePixels, 255 * 255 * placePixels}, []int64{r.product, r.sum, r.sum2}, row.Name)
	}
}

// TestBlockRows compares rows of the planes of blocks.
func TestBlockRows(t *testing.T) {
	for side := 1; side <= 128; side += 1 + side/16 {
		for n := group; n <= 5*group; n += group {
			t.Run("", func(t *testing.T) {
				requireKernels(t, func(k *kernels) func(*blockRun) { return k.blocks }, func(s source, do func(*blockRun)) []any {
					r := &blockRun{side: side, shift: shiftOf(side), n: n}
					count := padded(n + side)
					r.columns = guarded(t, count+side, func() uint32 { return uint32(s.within(0, int64(255*side))) })
					r.sums = guarded(t, count, s.Uint32)
					r.pairs = guarded(t, n, s.Uint32)
					do(r)
					return []any{r.pairs}
				})
			})
		}
	}
}

// TestMultiplyBands compares products of blocks for some rows of places with those of each row.
func TestMultiplyBands(t *testing.T) {
	s := source{Rand: rand.New(rand.NewPCG(rand.Uint64(), 1))}
	for row := range table.Available() {
		if row.Kernels.multiplyBands == nil {
			continue
		}
		for pairs := 1; pairs <= 9; pairs++ {
			for n := group; n <= 9*group; n += group {
				r := &blockProductRun{columns: pairs, rows: blockRows + s.IntN(4), step: 2 + s.IntN(40), down: s.IntN(200), n: n}
				r.coefficients = guarded(t, 2*pairs*r.rows, func() int16 { return int16(s.within(-32767, 32767)) })
				r.pairs = guarded(t, (pairs-1)*r.step+(r.rows+blockRows-2)*r.down+n, s.Uint32)
				r.apart, r.moreApart = n+s.IntN(9), s.IntN(9)
				r.products = guarded(t, (blockRows-1)*r.apart+n, s.Int32)
				r.more = guarded(t, (blockRows-1)*r.moreApart+n, s.Int32)
				if s.IntN(2) == 0 {
					r.more, r.moreApart = r.products, r.apart
				}
				want := slices.Clone(r.products)
				for i := range blockRows {
					one := *r
					one.pairs, one.products, one.more = r.pairs[i*r.down:], want[i*r.apart:], slices.Clone(r.more[i*r.moreApart:][:n])
					multiplyBlocks(&one)
				}
				row.Kernels.multiplyBands(r)
				require.Equal(t, want, r.products, "%s: %d pairs, %d places", row.Name, pairs, n)
			}
		}
	}
}

// TestMultiplyBlocks compares products of blocks.
func TestMultiplyBlocks(t *testing.T) {
	for pairs := 1; pairs <= 17; pairs++ {
		for n := group; n <= 5*group; n += group {
			t.Run("", func(t *testing.T) {
				requireKernels(t, func(k *kernels) func(*blockProductRun) { return k.multiplyBlocks }, func(s source, do func(*blockProductRun)) []any {
					r := &blockProductRun{columns: pairs, rows: 1 + s.IntN(4), step: 2 + s.IntN(40), down: s.IntN(200), n: n}
					r.coefficients = guarded(t, 2*pairs*r.rows, func() int16 { return int16(s.within(-32767, 32767)) })
					size := (pairs-1)*r.step + (r.rows-1)*r.down + n
					r.pairs = guarded(t, size, s.Uint32)
					r.products, r.more = guarded(t, n, s.Int32), guarded(t, n, s.Int32)
					if s.IntN(2) == 0 {
						r.more = r.products
					}
					do(r)
					return []any{r.products}
				})
			})
		}
	}
}

// TestStride compares sums of a template's blocks.
func TestStride(t *testing.T) {
	for side := 1; side <= 20; side++ {
		for n := 0; n <= 5*group; n += group {
			t.Run("", func(t *testing.T) {
				requireKernels(t, func(k *kernels) func(*strideRun) { return k.stride }, func(s source, do func(*strideRun)) []any {
					r := &strideRun{side: side, blocks: 1 + s.IntN(9), n: n}
					r.count = padded(max(n, 1) + (r.blocks-1)*side)
					r.channels, r.reciprocal = 1+2*s.IntN(2), 0.4*s.Float32()
					for c := range r.channels {
						r.entering[c], r.leaving[c] = guarded(t, r.count, s.Uint32), guarded(t, r.count, s.Uint32)
					}
					r.columns = guarded(t, r.count, s.Uint32)
					r.sums = guarded(t, n, s.Uint32)
					do(r)
					return []any{r.columns, r.sums}
				})
			})
		}
	}
}

// TestSumBlocks compares exact sums of a template's blocks.
func TestSumBlocks(t *testing.T) {
	for step := 1; step <= 2*exactSide; step++ {
		for n := 0; n <= 5*group; n += group {
			t.Run("", func(t *testing.T) {
				requireKernels(t, func(k *kernels) func(*blockSumRun) { return k.sumBlocks }, func(s source, do func(*blockSumRun)) []any {
					r := &blockSumRun{step: step, strides: 1 + s.IntN(9), n: n, channels: 1 + 2*s.IntN(2)}
					r.words = []uint32{1<<16 - 1, 1<<32 - 1}[s.IntN(2)]
					r.count = padded(max(n, 1) + (r.strides-1)*step)
					pair := func() uint32 {
						sum := func() uint32 { return uint32(s.within(0, 255*exactSide*exactSide)) }
						return (sum() | sum()<<16) ^ signs
					}
					for c := range r.channels {
						r.entering[c], r.leaving[c] = guarded(t, r.count, pair), guarded(t, r.count, pair)
						r.columns[c] = guarded(t, r.count, s.Uint32)
						r.sums[c] = guarded(t, n, s.Int32)
					}
					r.squares, r.sums2 = guarded(t, r.count, s.Uint32), guarded(t, n, s.Uint32)
					do(r)
					return []any{r.columns, r.squares, r.sums, r.sums2}
				})
			})
		}
	}
}

// newMeasureRun returns the argument of measure for n windows.
func newMeasureRun(t *testing.T, s source, n int) *measureRun {
	windows := newScoreRun(t, s, padded(n), mostBoundValues/3)
	pixels := int64(windows.largest) / int64(65025*windows.channels)
	r := &measureRun{
		channels: windows.channels, sums: windows.sums, n: padded(n),
		raw: int32(1 - windows.centered), pixels: int32(pixels), reciprocal: 1 / float32(pixels),
		factor: int32(1 + s.IntN(64)), unit: s.Float32(),
	}
	if s.IntN(3) == 0 { // there are equal windows
		for x := range windows.sums2 {
			windows.sums2[x] = windows.sums2[0]
			for c := range r.channels {
				r.sums[c][x] = r.sums[c][0]
			}
		}
	}
	x := 0
	r.sums2 = guarded(t, r.n, func() uint32 { x++; return uint32(windows.sums2[x-1]) })
	x = 0
	r.squares = guarded(t, r.n, func() uint32 { x++; return r.sums2[x-1] / 2 })
	if s.IntN(2) == 0 {
		r.rest = int32(1 + s.IntN(int(pixels)))
		r.restReciprocal = 1 / float32(r.rest)
	}
	for c := range r.channels {
		r.means[c] = guarded(t, r.n, s.pixel)
		if r.rest != 0 {
			x := 0
			r.inner[c] = guarded(t, r.n, func() int32 { x++; return r.sums[c][x-1] / 3 })
			r.lacks[c] = guarded(t, r.n, s.Float32)
		}
	}
	r.norms, r.rests = guarded(t, r.n, s.Float32), guarded(t, r.n, s.Float32)
	return r
}

// TestMeasure compares what bounds need to know of windows.
func TestMeasure(t *testing.T) {
	for range 8 {
		for n := group; n <= 4*group; n += group {
			t.Run("", func(t *testing.T) {
				requireKernels(t, func(k *kernels) func(*measureRun) { return k.measure }, func(s source, do func(*measureRun)) []any {
					r := newMeasureRun(t, s, n)
					do(r)
					return []any{r.means, r.lacks, r.norms, r.rests}
				})
			})
		}
	}
}

// TestBound compares bounds, and the place with the largest estimate.
func TestBound(t *testing.T) {
	estimated := 0
	for range 8 {
		for n := leastBounds; n <= 3*group; n++ {
			t.Run("", func(t *testing.T) {
				requireKernels(t, func(k *kernels) func(*boundRun) { return k.bound }, func(s source, do func(*boundRun)) []any {
					windows := newMeasureRun(t, s, n)
					difference := s.IntN(3) == 0
					if difference {
						windows.raw = 1
					}
					measure(windows)
					r := new(boundRun)
					r.channels, r.rest, r.n, r.measures = windows.channels, windows.rest, n, windows.measures
					r.products = guarded(t, padded(n), func() int32 { return int32(s.within(-1<<31, 1<<31-1)) })
					if s.IntN(3) == 0 { // there are equal estimates
						for x := range r.products {
							r.products[x] = r.products[0]
						}
					}
					r.scale, r.margin, r.error = s.Float32()*1e-3, s.Float32()*100, s.Float32()
					r.q, r.p, r.lost = s.Float32(), 1e-3+s.Float32(), float32(s.IntN(1000))
					for c := range r.channels {
						r.meanProducts[c] = int32(s.within(-1<<23, 1<<23))
						r.restMeans[c] = 100*s.Float32() - 50
						if s.IntN(2) == 0 {
							r.meanOffsets[c], r.offset = s.Float32()-0.5, 1
						}
					}
					if difference {
						r.largest = 65025 * float32(windows.pixels) * float32(r.channels)
						r.sum2 = r.largest / 3
					}
					r.slack = slack
					r.setCutoff(float32(s.Float64()*2 - 1))
					r.bar = max(r.cutoff, float32(s.Float64()*2-1))
					r.bounds = guarded(t, n, s.Float32)
					do(r)
					for x, b := range r.bounds {
						if b < r.cutoff {
							r.bounds[x] = -2
						}
					}
					if r.most < r.cutoff {
						r.most = -2
					}
					if r.at >= 0 {
						estimated++
					}
					return []any{r.bounds, r.most, r.estimate, r.at}
				})
			})
		}
	}
	require.NotZero(t, estimated)
}
