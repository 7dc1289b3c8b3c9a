package warp_test

import (
	"encoding/binary"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// lenses are lenses of all kinds for images of 1920 by 1080 pixels.
var lenses = map[string]warp.Lens{
	"none":              {Fx: 1000, Fy: 1010, Cx: 960, Cy: 540},
	"weak barrel":       {Fx: 1000, Fy: 1010, Cx: 950, Cy: 543, K1: -0.1, K2: 0.01, P1: 0.001, P2: -0.0005},
	"barrel":            {Fx: 800, Fy: 805, Cx: 950, Cy: 543, K1: -0.3, K2: 0.1, P1: 0.001, P2: 0.002, K3: -0.01},
	"strong barrel":     {Fx: 600, Fy: 600, Cx: 970, Cy: 530, K1: -0.35, K2: 0.12, K3: -0.015},
	"action camera":     {Fx: 880, Fy: 880, Cx: 960, Cy: 540, K1: -0.27, K2: 0.11, P1: -0.0003, P2: 0.0002, K3: -0.023},
	"pincushion":        {Fx: 1500, Fy: 1490, Cx: 960, Cy: 540, K1: 0.2, K2: 0.05, P1: -0.001, P2: 0.001},
	"strong pincushion": {Fx: 700, Fy: 690, Cx: 960, Cy: 540, K1: 0.6, K2: 0.3, K3: 0.2},
	"mustache":          {Fx: 900, Fy: 900, Cx: 960, Cy: 540, K1: -0.3, K2: 0.3, K3: -0.08},
	"tangential":        {Fx: 900, Fy: 900, Cx: 960, Cy: 540, K1: -0.1, P1: 0.02, P2: -0.02},
}

// randomLens returns a lens that distorts much.
func randomLens(rng *rand.Rand) warp.Lens {
	about := func(v float64) float64 { return v * (2*rng.Float64() - 1) }
	f := 400 + 2600*rng.Float64()
	return warp.Lens{
		Fx: f, Fy: f * (1 + about(0.05)), Cx: 960 + about(50), Cy: 540 + about(50),
		K1: about(0.6), K2: about(0.4), P1: about(0.02), P2: about(0.02), K3: about(0.2),
	}
}

// seen returns the point at which a camera sees the point at u, v, by the formulas of OpenCV's
// documentation.
func seen(l warp.Lens, u, v float64) geometry.Point {
	r2 := u*u + v*v
	radial := 1 + l.K1*r2 + l.K2*math.Pow(r2, 2) + l.K3*math.Pow(r2, 3)
	return geometry.Point{
		X: l.Fx*(u*radial+2*l.P1*u*v+l.P2*(r2+2*u*u)) + l.Cx,
		Y: l.Fy*(v*radial+l.P1*(r2+2*v*v)+2*l.P2*u*v) + l.Cy,
	}
}

// distorted and undistorted return a single point.
func distorted(l warp.Lens, p geometry.Point) geometry.Point {
	list := []geometry.Point{p}
	l.Distort(list, list)
	return list[0]
}

func undistorted(l warp.Lens, p geometry.Point) geometry.Point {
	list := []geometry.Point{p}
	l.Undistort(list, list)
	return list[0]
}

// apart returns the distance between two points, in pixels.
func apart(p, q geometry.Point) float64 { return math.Hypot(p.X-q.X, p.Y-q.Y) }

// knownLenses returns the lenses, always in the same order.
func knownLenses() (list []warp.Lens) {
	for _, name := range slices.Sorted(maps.Keys(lenses)) {
		list = append(list, lenses[name])
	}
	return list
}

// TestLensRoundTrip checks that Undistort is the inverse of Distort, everywhere within the model.
func TestLensRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	list := knownLenses()
	rounds := 250
	if testing.Short() {
		rounds = 40
	}
	for range rounds {
		list = append(list, randomLens(rng))
	}
	inside, beyond := 0, 0
	for _, l := range list {
		for range 300 {
			p := geometry.Point{X: rng.Float64()*4000 - 1000, Y: rng.Float64()*2400 - 600}
			d := distorted(l, p)
			if math.IsNaN(d.X) {
				beyond++
				continue
			}
			inside++
			u, v := (p.X-l.Cx)/l.Fx, (p.Y-l.Cy)/l.Fy
			require.InDelta(t, 0, apart(seen(l, u, v), d), 1e-9*max(1, apart(d, geometry.Point{})/1e4), "%+v, %v", l, p)
			back := undistorted(l, d)
			require.False(t, math.IsNaN(back.X), "%+v, %v", l, p)
			require.False(t, math.IsNaN(back.Y), "%+v, %v", l, p)
			if math.Hypot(d.X, d.Y) > 1e4 {
				continue
			}
			require.InDelta(t, 0, apart(d, distorted(l, back)), 1e-9, "%+v, %v", l, p)
			// How much less the seen point moves than the point, at worst.
			least := math.Inf(1)
			for i := range 16 {
				sin, cos := math.Sincos(float64(i) * math.Pi / 16)
				const h = 1e-5
				least = min(least, apart(seen(l, u+h*cos, v+h*sin), seen(l, u-h*cos, v-h*sin))/(2*h*min(l.Fx, l.Fy)))
			}
			// The seen point is rounded, which moves the point by as many times more.
			require.InDelta(t, 0, apart(p, back), min(max(1e-9, 1e-11/least), 1e-3), "%+v, %v", l, p)
		}
	}
	require.Greater(t, inside, 150*len(list))
	require.Greater(t, beyond, 20*len(list))
}

// TestLensEnd compares the end of the model with what a walk from the principal point finds: where
// the growth of the distance falls to the limit, and without P1 and P2, where the seen point turns
// back.
func TestLensEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	list := knownLenses()
	for range 200 {
		l := randomLens(rng)
		if rng.IntN(2) == 0 {
			l.P1, l.P2 = 0, 0
		}
		list = append(list, l)
	}
	ends := 0
	for _, l := range list {
		radial := l.P1 == 0 && l.P2 == 0
		at := func(d float64) geometry.Point { return geometry.Point{X: l.Cx + d*l.Fx*0.6, Y: l.Cy + d*l.Fy*0.8} }
		distance := func(d float64) float64 {
			q := seen(l, 0.6*d, 0.8*d)
			return math.Hypot((q.X-l.Cx)/l.Fx, (q.Y-l.Cy)/l.Fy)
		}
		growing := func(d float64) bool {
			if radial { // by where it is seen
				return distance(d+1e-7) > distance(d-1e-7)
			}
			return 1+3*l.K1*math.Pow(d, 2)+5*l.K2*math.Pow(d, 4)+7*l.K3*math.Pow(d, 6) > 7*d*math.Hypot(l.P1, l.P2)
		}
		low, high := 1e-3, 0.0
		for d := 2e-3; d < 6; d += 1e-3 {
			if !growing(d) {
				high = d
				break
			}
			low = d
		}
		if high == 0 {
			require.False(t, math.IsNaN(distorted(l, at(5.9)).X), "%+v", l)
			continue
		}
		ends++
		for range 60 {
			if middle := (low + high) / 2; growing(middle) {
				low = middle
			} else {
				high = middle
			}
		}
		near, beyond := at(low*(1-1e-5)), at(low*(1+1e-5))
		require.False(t, math.IsNaN(distorted(l, near).X), "%+v, %v", l, low)
		require.True(t, math.IsNaN(distorted(l, beyond).X), "%+v, %v", l, low)
		require.True(t, math.IsNaN(distorted(l, at(3*low)).Y), "%+v, %v", l, low)
		require.InDelta(t, 0, apart(near, undistorted(l, distorted(l, near))), 1e-4, "%+v, %v", l, low)
		if radial {
			farthest := distance(low)
			inside := undistorted(l, at(farthest*(1-1e-9)))
			require.InDelta(t, 0, apart(at(low), inside), 1, "%+v, %v", l, low)
			require.True(t, math.IsNaN(undistorted(l, at(farthest*(1+1e-9))).X), "%+v, %v", l, low)
			require.True(t, math.IsNaN(undistorted(l, at(farthest*2)).X), "%+v, %v", l, low)
		}
	}
	require.Greater(t, ends, 60)
}

// TestLensMap checks that Map takes pixels from where Distort says.
func TestLensMap(t *testing.T) {
	const w, h = 192, 108
	step := 1
	if testing.Short() {
		step = 5
	}
	for name, l := range lenses {
		l.Fx, l.Fy, l.Cx, l.Cy = l.Fx/10, l.Fy/10, l.Cx/10, l.Cy/10
		m := l.Map(w, h)
		checked := 0
		for i := 0; i < w*h; i += step {
			p := distorted(l, geometry.Point{X: float64(i % w), Y: float64(i / w)})
			if math.IsNaN(p.X) {
				continue
			}
			checked++
			x, y := int(m.XY[2*i])<<5|int(m.Fraction[i]&31), int(m.XY[2*i+1])<<5|int(m.Fraction[i]>>5)
			if wantX, wantY := int(math.RoundToEven(32*p.X)), int(math.RoundToEven(32*p.Y)); x != wantX || y != wantY {
				t.Fatalf("%s, pixel %d comes from %d, %d, want %d, %d", name, i, x, y, wantX, wantY)
			}
		}
		require.Greater(t, checked, w*h/4/step, name)
	}
}

// TestLensPoints checks points that have no place, and that slices may be the same.
func TestLensPoints(t *testing.T) {
	l := lenses["barrel"]
	src := []geometry.Point{{X: 100, Y: 200}, {X: l.Cx, Y: l.Cy}, {X: 1e9, Y: 3}, {X: 900, Y: -100}}
	before := slices.Clone(src)
	dst := make([]geometry.Point, len(src))
	l.Undistort(dst, src)
	require.Equal(t, before, src)
	require.True(t, math.IsNaN(dst[2].X))
	require.True(t, math.IsNaN(dst[2].Y))
	require.Equal(t, geometry.Point{X: l.Cx, Y: l.Cy}, dst[1])
	l.Undistort(src, src)
	for _, i := range []int{0, 1, 3} {
		require.Equal(t, dst[i], src[i])
	}
	l.Distort(nil, nil)
	require.PanicsWithValue(t, "warp: slices of points of different lengths", func() { l.Distort(dst, src[1:]) })
	require.PanicsWithValue(t, "warp: slices of points of different lengths", func() { l.Undistort(nil, src) })

	nan, inf := math.NaN(), math.Inf(1)
	for _, p := range []geometry.Point{{X: nan}, {Y: nan}, {X: inf}, {Y: -inf}, {X: math.MaxFloat64, Y: -math.MaxFloat64}} {
		for name, l := range lenses {
			require.True(t, math.IsNaN(distorted(l, p).X), "%s, %v", name, p)
			require.True(t, math.IsNaN(undistorted(l, p).X), "%s, %v", name, p)
		}
	}
	for _, l := range []warp.Lens{{}, {Fx: 1}, {Fx: nan, Fy: 1}, {Fx: 1, Fy: 1, K1: nan}, {Fx: 1, Fy: 1, K2: inf}, {Fx: 1, Fy: 1, K3: -inf}, {Fx: 1, Fy: 1, P1: nan}, {Fx: 1, Fy: 1, P2: inf}, {Fx: 1, Fy: 1, P1: 1e200}} {
		require.True(t, math.IsNaN(distorted(l, geometry.Point{X: 0.1, Y: 0.1}).X), "%+v", l)
		require.True(t, math.IsNaN(undistorted(l, geometry.Point{X: 0.1, Y: 0.1}).X), "%+v", l)
	}
}

// TestLensBits checks that the results are the same on every platform, also where the compiler may
// fuse operations: their bits are those that amd64 makes.
func TestLensBits(t *testing.T) {
	hash := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(lenses)) {
		var src []geometry.Point
		for y := -50; y < 1200; y += 61 {
			for x := -70; x < 2000; x += 83 {
				src = append(src, geometry.Point{X: float64(x), Y: float64(y)})
			}
		}
		dst := make([]geometry.Point, len(src))
		l := lenses[name]
		for _, do := range []func(dst, src []geometry.Point){l.Distort, l.Undistort} {
			do(dst, src)
			for _, p := range dst {
				if !math.IsNaN(p.X) {
					require.NoError(t, binary.Write(hash, binary.LittleEndian, [2]float64{p.X, p.Y}))
				}
			}
		}
	}
	require.Equal(t, uint64(0x8030042d4bedeb41), hash.Sum64())
}
