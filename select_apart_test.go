package fast_test

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

func ExampleApart() {
	corners := []fast.Corner{
		{X: 10, Y: 5, Score: 30}, // 5 pixels from the next one, which is stronger
		{X: 13, Y: 9, Score: 90},
		{X: 18, Y: 9, Score: 60}, // the same
		{X: 23, Y: 9, Score: 50}, // 5 pixels from one that is not kept itself
	}
	fmt.Println(fast.Apart(corners, 5.5))
	// Output: [{13 9 90} {23 9 50}]
}

// naiveApart is Apart, point by point.
func naiveApart[P point.Strong](points []P, radius float64) []P {
	if !(radius > 0) {
		return points
	}
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	// Compare has NaN below all others, and zeros equal.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(points[b].Strength(), points[a].Strength()) })
	var kept []int
	for _, i := range order {
		x, y := points[i].Position()
		near := slices.ContainsFunc(kept, func(k int) bool {
			u, v := points[k].Position()
			dx, dy := float64(x)-float64(u), float64(y)-float64(v)
			return float64(dx*dx)+float64(dy*dy) < radius*radius
		})
		if !near {
			kept = append(kept, i)
		}
	}
	slices.Sort(kept)
	list := []P{}
	for _, i := range kept {
		list = append(list, points[i])
	}
	return list
}

// requireApart compares Apart with naiveApart, and checks that it works in place.
func requireApart[P interface {
	point.Strong
	comparable
}](t *testing.T, points []P, radius float64) {
	t.Helper()
	if len(points) == 0 {
		return
	}
	buf := append(slices.Clone(points), points[0])
	got := fast.Apart(buf[:len(points)], radius)
	require.Same(t, &buf[0], &got[0])
	require.Equal(t, fmt.Sprint(points[0]), fmt.Sprint(buf[len(points)]), "beyond the argument")
	// NaN do not equal themselves.
	require.Equal(t, fmt.Sprint(naiveApart(points, radius)), fmt.Sprint(got), "radius %v of %d %T", radius, len(points), points)
}

var apartRadii = []float64{math.Inf(-1), -1, 0, math.NaN(), 1e-30, 0.3, 1, 1.01, 2, 3.5, 5, 10, 25, 40.5, 200, 1e5, 1e20, math.Inf(1)}

// TestApart compares the points of all packages, on pixels and between them, of many and of equal
// strengths, with the naive version.
func TestApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, radius := range apartRadii {
		for range 8 {
			n := 1 + rng.IntN(300)
			w, h, levels := 1+rng.IntN(150), 1+rng.IntN(150), 1+rng.IntN(256)
			x0, y0 := rng.IntN(300)-150, rng.IntN(300)-150
			var corners []fast.Corner
			var counted []vpi.Corner
			var responses []harris.Corner
			var between []lococo.Corner
			var keypoints []orb.Keypoint
			for range n {
				x, y, s := int32(x0+rng.IntN(w)), int32(y0+rng.IntN(h)), rng.IntN(levels)
				corners = append(corners, fast.Corner{X: x, Y: y, Score: uint8(s)})
				counted = append(counted, vpi.Corner{X: x, Y: y, Score: uint16(7 * s)})
				responses = append(responses, harris.Corner{X: x, Y: y, Response: float32(s)/100 - 1})
				between = append(between, lococo.Corner{X: x, Y: y, DX: rng.Float32() - 0.5, DY: rng.Float32() - 0.5, Response: float32(s)})
				keypoints = append(keypoints, orb.Keypoint{X: rng.Float32() * float32(w), Y: rng.Float32() * float32(h), Response: rng.Float32()})
			}
			requireApart(t, corners, radius)
			requireApart(t, counted, radius)
			requireApart(t, responses, radius)
			requireApart(t, between, radius)
			requireApart(t, keypoints, radius)
		}
	}
	require.Nil(t, fast.Apart[fast.Corner](nil, 5))
	require.Empty(t, fast.Apart([]fast.Corner{}, 5))
}

// TestApartFar compares points whose coordinates just fit in 32 bits, differ by many powers of
// two, or are not finite, and whose strengths are not, either.
func TestApartFar(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	far := []int32{math.MinInt32, math.MinInt32 + 300, -1 << 24, -1, 0, 1 << 24, 1<<24 + 1, 1<<24 + 5, math.MaxInt32 - 200, math.MaxInt32}
	odd := []float32{
		float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 0,
		math.SmallestNonzeroFloat32, 1, 1.0000001, 1 << 30, math.MaxFloat32, -math.MaxFloat32,
	}
	radii := append([]float64{100, 500, 1 << 24, 1 << 31, 1 << 33, 3e38, 1e39}, apartRadii...)
	for _, radius := range radii {
		var corners []fast.Corner
		var keypoints []orb.Keypoint
		for range 300 {
			corners = append(corners, fast.Corner{X: far[rng.IntN(len(far))], Y: far[rng.IntN(len(far))], Score: uint8(rng.IntN(3))})
			keypoints = append(keypoints, orb.Keypoint{X: odd[rng.IntN(len(odd))], Y: odd[rng.IntN(len(odd))], Response: odd[rng.IntN(len(odd))]})
		}
		requireApart(t, corners, radius)
		requireApart(t, keypoints, radius)
	}
}

// TestApartGoodFeatures checks that Apart leaves those of Harris corners that the detector finds
// with a minimum distance.
func TestApartGoodFeatures(t *testing.T) {
	img := photo("camera_512x512")
	find := func(distance float64) []harris.Corner {
		d, err := harris.New(harris.GoodFeatures(0, 0.01, distance))
		require.NoError(t, err)
		return d.Detect(img, nil)
	}
	all := find(0)
	for _, distance := range []float64{1, 3, 7.5, 10, 64, 1000} {
		// The detector's corners of equal responses come in another order.
		slices.SortStableFunc(all, func(a, b harris.Corner) int { return cmp.Compare(b.Response, a.Response) })
		imagetest.RequireSame(t, find(distance), fast.Apart(slices.Clone(all), distance), "distance %v", distance)
	}
}

// TestApartAllocs checks that Apart does not allocate in the steady state, and that its memory does
// not grow with the distances between points.
func TestApartAllocs(t *testing.T) {
	imagetest.SkipRace(t)
	rng := rand.New(rand.NewPCG(35, 36))
	for _, side := range []int{100, 1000, 1 << 30} {
		corners := scatter(rng, image.Rect(0, 0, side, side), 2000, 255)
		buf := make([]fast.Corner, len(corners))
		for _, radius := range []float64{0.5, 10, 1e6, 1e300} {
			require.Zero(t, imagetest.Allocs(5, func() {
				copy(buf, corners)
				fast.Apart(buf, radius)
			}), "side %d, radius %v", side, radius)
		}
	}
}

// TestApartMemory checks how much memory Apart works in for pixels in a narrow and high column.
func TestApartMemory(t *testing.T) {
	imagetest.SkipRace(t)
	corners := make([]fast.Corner, 20_000)
	for i := range corners {
		corners[i].Y = int32(280 * i)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.Len(t, fast.Apart(corners, 0.4), len(corners))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(150*len(corners)))
}

// BenchmarkApart measures the choice among many corners, on pixels and between them.
func BenchmarkApart(b *testing.B) {
	const count = 10_000
	bounds := image.Rect(0, 0, 1241, 376)
	rng := rand.New(rand.NewPCG(1, 2))
	corners := scatter(rng, bounds, count, 254)
	var between []lococo.Corner
	for _, c := range corners {
		between = append(between, lococo.Corner{X: c.X, Y: c.Y, DX: rng.Float32() - 0.5, DY: rng.Float32() - 0.5, Response: float32(c.Score)})
	}
	for _, radius := range []float64{1, 5, 10, 30} {
		b.Run(fmt.Sprintf("corners=%d/radius=%v", count, radius), func(b *testing.B) {
			buf := make([]fast.Corner, count)
			for b.Loop() {
				copy(buf, corners)
				fast.Apart(buf, radius)
			}
		})
		b.Run(fmt.Sprintf("between=%d/radius=%v", count, radius), func(b *testing.B) {
			buf := make([]lococo.Corner, count)
			for b.Loop() {
				copy(buf, between)
				fast.Apart(buf, radius)
			}
		})
	}
}
