package sift

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// randoms returns n numbers like those of pixels, a few of which are 0 or denormal.
func randoms(rng *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		switch rng.IntN(20) {
		case 0:
		case 1:
			list[i] = math.Float32frombits(rng.Uint32() & 0x807fffff)
		case 2:
			list[i] = float32(rng.IntN(256))
		default:
			list[i] = (rng.Float32() - 0.3) * 255
		}
	}
	return list
}

// requireBits checks that floats are the same, bit for bit.
func requireBits(t *testing.T, want, got []float32, message ...any) {
	t.Helper()
	require.Len(t, got, len(want), message...)
	for i := range want {
		if math.Float32bits(want[i]) != math.Float32bits(got[i]) {
			t.Fatalf("number %d is %g, not %g %v", i, got[i], want[i], message)
		}
	}
}

// eachRow runs a test for the kernels of each instruction set.
func eachRow(t *testing.T, test func(t *testing.T, k *kernels)) {
	for row := range table.Available() {
		t.Run(row.Name, func(t *testing.T) { test(t, &row.Kernels) })
	}
}

// TestDouble compares the kernel double with the portable one.
func TestDouble(t *testing.T) {
	eachRow(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(1, 1))
		for n := 32; n <= 256; n += 32 {
			line := func() []byte {
				list := make([]byte, n/2+2+vectorWidth)
				for i := range list {
					list[i] = byte(rng.IntN(256))
				}
				return list
			}
			run := doubleRun{line(), line(), make([]float32, n)}
			double(&run)
			got := run
			got.dst = make([]float32, n)
			k.double(&got)
			requireBits(t, run.dst, got.dst)
		}
	})
}

// TestHalve compares the kernel halve with the portable one.
func TestHalve(t *testing.T) {
	eachRow(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(1, 2))
		for n := vectorWidth; n <= 160; n += vectorWidth {
			run := halveRun{randoms(rng, 2*n), make([]float32, n)}
			halve(&run)
			got := halveRun{run.src, make([]float32, n)}
			k.halve(&got)
			requireBits(t, run.dst, got.dst)
		}
	})
}

// radii are those of filters to test.
var radii = []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 24, 25, 40}

// TestRows compares the kernel rows with the portable one.
func TestRows(t *testing.T) {
	eachRow(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(1, 3))
		for _, radius := range radii {
			for n := vectorWidth; n <= 300; n += vectorWidth {
				run := rowRun{src: randoms(rng, n+2*radius), weights: randoms(rng, 2*radius+1), dst: make([]float32, n)}
				if n%3 != 0 {
					run.pixels = make([]float32, n)
				}
				filterRow(&run)
				got := rowRun{src: run.src, weights: run.weights, dst: make([]float32, n), pixels: make([]float32, len(run.pixels)), twin: make([]float32, len(run.src)+vectorWidth)}
				k.rows(&got)
				requireBits(t, run.dst, got.dst, radius, n)
				requireBits(t, run.pixels, got.pixels, radius, n)
			}
		}
	})
}

// TestColumns compares the kernel columns with the portable one.
func TestColumns(t *testing.T) {
	eachRow(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(1, 4))
		for _, radius := range radii {
			for n := vectorWidth; n <= 64; n += vectorWidth {
				rows := 2*radius + batch
				ring := randoms(rng, rows*n)
				run, got := columnRun{ring: ring, weights: randoms(rng, radius+1)}, columnRun{ring: ring}
				for range rows {
					run.places = append(run.places, n*rng.IntN(rows))
				}
				got.places, got.weights = run.places, run.weights
				for i := range batch {
					run.dst[i], got.dst[i] = make([]float32, n), make([]float32, n)
				}
				filterColumns(&run)
				k.columns(&got)
				for i := range batch {
					requireBits(t, run.dst[i], got.dst[i], radius, n, i)
				}
			}
		}
	})
}

// TestExtrema compares the kernel extrema with the portable one, on small numbers, many of which are
// equal, for all numbers of rows and of columns.
func TestExtrema(t *testing.T) {
	eachRow(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(1, 5))
		found := 0
		for i := range 400 {
			var run extremaRun
			run.rows, run.columns = 1+i%11, 1+i%97
			run.stride = run.columns + 2 + rng.IntN(9)
			run.limit = math.Nextafter32(float32(i%3), 9)
			run.markStride = (run.columns+markRoom+7)/8 + rng.IntN(5)
			for j := range run.layers {
				layer := make([]float32, run.stride*(run.rows+2)+2*vectorWidth)
				rare := 1 + rng.IntN(20)
				for at := range layer {
					if rng.IntN(rare) == 0 {
						layer[at] = float32(rng.IntN(5) - 2)
					}
				}
				run.layers[j] = layer
			}
			got := run
			run.marks, got.marks = make([]byte, run.rows*together*run.markStride), make([]byte, run.rows*together*run.markStride)
			markExtrema(&run)
			k.extrema(&got)
			for at := range run.rows * together {
				for x := range run.columns {
					place, bit := at*run.markStride+x/8, x%8
					want := run.marks[place] >> bit & 1
					require.Equal(t, want, got.marks[place]>>bit&1, "%d by %d: %d, %d", run.columns, run.rows, x, at)
					found += int(want)
				}
			}
		}
		require.NotZero(t, found)
	})
}

// TestFit compares the kernel fit with the portable one, also where the Hessian is singular.
func TestFit(t *testing.T) {
	eachRow(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(1, 7))
		singular := 0
		for i := range 20_000 {
			var f fitRun
			number := func() float32 {
				if i%2 == 0 {
					return float32(rng.IntN(3))
				}
				return (rng.Float32() - 0.5) * 20
			}
			for _, v := range []*float32{
				&f.center, &f.left, &f.right, &f.up, &f.down, &f.before, &f.after, &f.leftUp, &f.rightUp, &f.leftDown, &f.rightDown,
				&f.leftBefore, &f.rightBefore, &f.upBefore, &f.downBefore, &f.leftAfter, &f.rightAfter, &f.upAfter, &f.downAfter,
			} {
				*v = number()
			}
			got := f
			fitPeak(&f)
			k.fit(&got)
			requireBits(t,
				[]float32{f.x, f.y, f.layer, f.value, f.trace, f.det},
				[]float32{got.x, got.y, got.layer, got.value, got.trace, got.det})
			if f.x == 0 && f.y == 0 && f.layer == 0 {
				singular++
			}
		}
		require.NotZero(t, singular)
	})
}
