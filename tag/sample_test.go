package tag

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// TestSampleKernels compares the samples of kernels with those of portable Go, at places in and beyond images
// that end where no memory follows, on pixels and between them, and where no place is.
func TestSampleKernels(t *testing.T) {
	for row := range table.Available() {
		t.Run(row.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 8))
			for range 400 {
				p := raster.Plane{W: 2 + rng.IntN(30), H: 2 + rng.IntN(30)}
				p.Stride = p.W + rng.IntN(5)
				p.Pix = asmtest.GuardedMemory(t, (p.H-1)*p.Stride+p.W)
				for i := range p.Pix {
					p.Pix[i] = uint8(rng.Uint32())
				}
				scale := math.Exp(4 * rng.NormFloat64())
				h := homography{
					scale * rng.NormFloat64(), scale * rng.NormFloat64(), float64(rng.IntN(p.W)),
					scale * rng.NormFloat64(), scale * rng.NormFloat64(), float64(rng.IntN(p.H)),
					rng.NormFloat64() / 4, rng.NormFloat64() / 4, 1,
				}
				if rng.IntN(10) == 0 {
					h[rng.IntN(9)] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1e300}[rng.IntN(5)]
				}
				list := make([]geometry.Point, rng.IntN(40))
				for i := range list {
					list[i] = geometry.Point{X: 1.5 * rng.NormFloat64(), Y: 1.5 * rng.NormFloat64()}
					if rng.IntN(5) == 0 {
						list[i] = geometry.Point{} // a pixel
					}
				}
				var want, got sampler
				want.reset(&p, &kernels{sample: sampleImage})
				got.reset(&p, &row.Kernels)
				places := newPlaces(list)
				samples := got.sample(&h, places)
				require.Len(t, samples, len(list))
				require.Equal(t, want.sample(&h, places), samples)
			}
		})
	}
}

// TestSampleOracle compares samples with sums of products.
func TestSampleOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 8))
	p := raster.Plane{W: 5, H: 4, Stride: 7, Pix: make([]byte, 28)}
	for i := range p.Pix {
		p.Pix[i] = uint8(rng.Uint32())
	}
	var s sampler
	s.reset(&p, table.Best())
	for range 1000 {
		at := geometry.Point{X: 8*rng.Float64() - 2, Y: 8*rng.Float64() - 2}
		want := 0.0
		x, y := math.Min(math.Max(at.X, 0), 4), math.Min(math.Max(at.Y, 0), 3)
		for j := range p.H {
			for i := range p.W {
				want += math.Max(0, 1-math.Abs(x-float64(i))) * math.Max(0, 1-math.Abs(y-float64(j))) * float64(p.Pix[7*j+i])
			}
		}
		got := s.sample(&homography{1, 0, 0, 0, 1, 0, 0, 0, 1}, newPlaces([]geometry.Point{at}))
		require.InDelta(t, want, got[0], 1e-9)
	}
}
