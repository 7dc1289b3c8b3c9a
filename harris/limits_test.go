package harris_test

import (
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// TestMinDistance compares the corners at distances up to more than the sides of images that
// are far from square with those that are left of all corners, the strongest first.
func TestMinDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []image.Point{{X: 700, Y: 4}, {X: 5, Y: 700}, {X: 90, Y: 70}} {
		img := newImage(rng, 0, size.X, size.Y)
		all := detector(t, harris.Options{Quality: 1e-6}).Detect(img, nil)
		require.Greater(t, len(all), 50)
		for _, distance := range []float64{2, 3.5, 7, 8, 9, 63.9, 64, 65, 300, 699, 700, 1e6, 1e200} {
			var want []harris.Corner
			for _, c := range all {
				near := false
				for _, d := range want {
					near = near || math.Hypot(float64(c.X-d.X), float64(c.Y-d.Y)) < distance
				}
				if !near {
					want = append(want, c)
				}
			}
			require.Equal(t, want, detector(t, harris.Options{Quality: 1e-6, MinDistance: distance}).Detect(img, nil), "%v, distance %v", size, distance)
		}
	}
}

// TestMinDistanceMemory checks that a large distance takes no memory beyond that for the
// pixels of a long image.
func TestMinDistanceMemory(t *testing.T) {
	imagetest.SkipRace(t)
	for _, size := range []image.Point{{X: 200_000, Y: 4}, {X: 4, Y: 200_000}} {
		img := newImage(rand.New(rand.NewPCG(3, 4)), 0, size.X, size.Y)
		allocated := func(distance float64) uint64 {
			d := detector(t, harris.Options{MinDistance: distance})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			require.NotEmpty(t, d.Detect(img, nil))
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		none := allocated(0)
		require.Less(t, allocated(1e6), none+32*uint64(len(img.Pix)), size)
	}
}

// TestTinySigma checks that Gaussians so narrow that the squares of their deviations round to
// 0 are those of the middle pixel alone, and give no NaN.
func TestTinySigma(t *testing.T) {
	img := newImage(rand.New(rand.NewPCG(5, 6)), 0, 50, 40)
	for measure := harris.MinEigenvalue; measure <= harris.DetOverTrace; measure++ {
		for _, gradient := range []harris.Gradient{harris.Sobel3, harris.Gaussian} {
			for _, mode := range []border.Mode{border.Reflect101, border.Constant} {
				for _, radius := range []int{0, 3, 15} {
					responses := func(sigma float64) []float32 {
						opts := harris.Options{Measure: measure, Gradient: gradient, Border: mode, WindowSigma: sigma, WindowRadius: radius}
						if gradient == harris.Gaussian {
							opts.GradientSigma, opts.GradientRadius = sigma, radius
						}
						return detector(t, opts).Response(img)
					}
					want := responses(1e-3)
					for _, sigma := range []float64{1e-100, 1e-160, 1e-162, 1e-170, math.SmallestNonzeroFloat64} {
						got := responses(sigma)
						imagetest.RequireSame(t, want, got, "%v, sigma %g", measure, sigma) // a NaN is not equal to itself
					}
				}
			}
		}
	}
}

// TestInvertedBounds checks that there is nothing in images whose bounds are empty, whatever
// their coordinates.
func TestInvertedBounds(t *testing.T) {
	for name, opts := range variants {
		d := detector(t, opts)
		for _, img := range imagetest.Empty() {
			require.Empty(t, d.Detect(img, img), name)
			require.Empty(t, d.Response(img), name)
			require.Empty(t, d.DetectColor(&image.RGBA{Rect: img.Rect}, img), name)
		}
	}
}
