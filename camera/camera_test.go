package camera_test

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"image"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// lenses are lenses of all kinds for images of 1920 by 1080 pixels.
var lenses = map[string]camera.Camera{
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

// TestBits checks that the results are the same on every platform, also where the compiler may fuse
// operations: their bits are those that amd64 makes.
func TestBits(t *testing.T) {
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
	require.Equal(t, uint64(0xa7599c3e88482844), hash.Sum64())
}

// knownLenses returns the lenses, always in the same order.
func knownLenses() (list []camera.Camera) {
	for _, name := range slices.Sorted(maps.Keys(lenses)) {
		list = append(list, lenses[name])
	}
	return list
}

// seen returns the point at which a camera sees the ray u, v, or for KannalaBrandt, a ray at the
// angle hypot(u, v) in that direction, by the formulas of OpenCV's documentation.
func seen(c camera.Camera, u, v float64) geometry.Point {
	r2 := u*u + v*v
	if c.Model == camera.KannalaBrandt {
		k := 1 + c.K1*r2 + c.K2*math.Pow(r2, 2) + c.K3*math.Pow(r2, 3) + c.K4*math.Pow(r2, 4)
		return geometry.Point{X: c.Fx*u*k + c.Cx, Y: c.Fy*v*k + c.Cy}
	}
	radial := (1 + c.K1*r2 + c.K2*math.Pow(r2, 2) + c.K3*math.Pow(r2, 3)) / (1 + c.K4*r2 + c.K5*math.Pow(r2, 2) + c.K6*math.Pow(r2, 3))
	return geometry.Point{
		X: c.Fx*(u*radial+2*c.P1*u*v+c.P2*(r2+2*u*u)) + c.Cx,
		Y: c.Fy*(v*radial+c.P1*(r2+2*v*v)+2*c.P2*u*v) + c.Cy,
	}
}

// apart returns the distance between two points, in pixels.
func apart(p, q geometry.Point) float64 { return math.Hypot(p.X-q.X, p.Y-q.Y) }

// TestOracle compares all methods with the oracle, to the bit: for random cameras, pixels inside and
// outside of images, points everywhere, and those around the end of the model.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 1500
	if testing.Short() {
		rounds = 60
	}
	rays, noRays, projections, noProjections := 0, 0, 0, 0
	for range rounds {
		c := randomCamera(rng)
		o := newOracle(c)
		var pixels []geometry.Point
		var points [][3]float64
		for range 20 {
			pixels = append(pixels, geometry.Point{X: rng.Float64()*4000 - 1000, Y: rng.Float64()*2400 - 600})
			points = append(points, [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64() + 1})
		}
		pixels = append(pixels, geometry.Point{X: c.Cx, Y: c.Cy})
		for range 20 {
			near := min(o.end, 10) * (1 + rng.NormFloat64()*math.Pow(10, -rng.Float64()*18))
			sin, cos := math.Sincos(rng.Float64() * 2 * math.Pi)
			if c.Model == camera.KannalaBrandt {
				along, across := math.Sincos(near)
				points = append(points, [3]float64{cos * along, sin * along, across})
			} else {
				points = append(points, [3]float64{cos * near, sin * near, 1})
			}
			pixels = append(pixels, seen(c, cos*near, sin*near))
		}
		bearings, slopes, projected := c.Bearings(pixels), c.Rays(pixels), c.Projections(points)
		for i, p := range pixels {
			want, wantOK := o.bearing(p)
			got, ok := c.Bearing(p)
			require.Equal(t, wantOK, ok, "%+v, %v", c, p)
			require.Equal(t, want, got, "%+v, %v", c, p)
			require.Equal(t, ok, bearings[i][0] == bearings[i][0])
			if ok {
				require.Equal(t, want, bearings[i])
				rays++
			} else {
				noRays++
			}
			x, y, wantOK := o.ray(p)
			u, v, ok := c.Ray(p)
			require.Equal(t, wantOK, ok, "%+v, %v", c, p)
			require.Equal(t, ok, slopes[i].X == slopes[i].X)
			if ok {
				require.Equal(t, [2]float64{x, y}, [2]float64{u, v}, "%+v, %v", c, p)
				require.Equal(t, geometry.Point{X: x, Y: y}, slopes[i])
			}
		}
		for i, p := range points {
			want, wantOK := o.project(p)
			got, ok := c.Project(p)
			require.Equal(t, wantOK, ok, "%+v, %v", c, p)
			require.Equal(t, want, got, "%+v, %v", c, p)
			require.Equal(t, ok, projected[i].X == projected[i].X)
			if ok {
				require.Equal(t, want, projected[i])
				projections++
			} else {
				noProjections++
			}
		}
	}
	for _, n := range []int{rays, noRays, projections, noProjections} {
		require.Greater(t, n, rounds, "%d rays, %d none, %d projections, %d none", rays, noRays, projections, noProjections)
	}
}

// TestRoundTrip checks that Undistort is the inverse of Distort, and Project that of Bearing,
// everywhere within the model.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	list := knownLenses()
	rounds := 250
	if testing.Short() {
		rounds = 20
	}
	for range rounds {
		list = append(list, randomCamera(rng))
	}
	inside, beyond := 0, 0
	for _, c := range list {
		for range 300 {
			p := geometry.Point{X: rng.Float64()*4000 - 1000, Y: rng.Float64()*2400 - 600}
			at := []geometry.Point{p}
			c.Distort(at, at)
			d := at[0]
			if math.IsNaN(d.X) {
				require.True(t, math.IsNaN(d.Y))
				beyond++
				continue
			}
			inside++
			u, v := (p.X-c.Cx)/c.Fx, (p.Y-c.Cy)/c.Fy
			if c.Model == camera.KannalaBrandt {
				r := math.Hypot(u, v)
				u, v = u/r*math.Atan(r), v/r*math.Atan(r)
			}
			// Near the pole of a quotient, the formula's result is as large as it is inexact.
			size := max(1, apart(d, geometry.Point{})/1e4)
			require.InDelta(t, 0, apart(seen(c, u, v), d), 1e-9*size*size, "%+v, %v", c, p)
			c.Undistort(at, at)
			back := at[0]
			require.False(t, math.IsNaN(back.X), "%+v, %v", c, p)
			require.False(t, math.IsNaN(back.Y), "%+v, %v", c, p)
			if math.Hypot(d.X, d.Y) > 1e4 {
				continue
			}
			c.Distort(at, at)
			require.InDelta(t, 0, apart(d, at[0]), 1e-9, "%+v, %v", c, p)
			b, ok := c.Bearing(d)
			require.True(t, ok)
			require.InDelta(t, 1, b[0]*b[0]+b[1]*b[1]+b[2]*b[2], 1e-14)
			again, ok := c.Project(b)
			require.True(t, ok, "%+v, %v", c, p)
			require.InDelta(t, 0, apart(d, again), 1e-9, "%+v, %v", c, p)
			// How much less the seen point moves than the point, at worst. A fisheye's points also move
			// less the farther they are from the axis.
			least := math.Inf(1)
			for i := range 16 {
				sin, cos := math.Sincos(float64(i) * math.Pi / 16)
				const h = 1e-5
				least = min(least, apart(seen(c, u+h*cos, v+h*sin), seen(c, u-h*cos, v-h*sin))/(2*h*min(c.Fx, c.Fy)))
			}
			rounding := 1e-11
			if c.Model == camera.KannalaBrandt {
				least *= b[2] * b[2]
				rounding = 5e-11
			}
			// The seen point is rounded, which moves the point by as many times more.
			require.InDelta(t, 0, apart(p, back), min(max(1e-9, rounding/least), 1e-3), "%+v, %v", c, p)
		}
	}
	require.Greater(t, inside, 150*len(list))
	require.Greater(t, beyond, 20*len(list))
}

// TestBehind checks that a fisheye sees what is behind it, and only as a bearing.
func TestBehind(t *testing.T) {
	c := camera.Camera{Model: camera.KannalaBrandt, Fx: 100, Fy: 100, Cx: 320, Cy: 240}
	p, ok := c.Project([3]float64{1, 0, -1})
	require.True(t, ok)
	require.InDelta(t, 320+100*0.75*math.Pi, p.X, 1e-12)
	b, ok := c.Bearing(p)
	require.True(t, ok)
	require.InDeltaSlice(t, []float64{math.Sqrt2 / 2, 0, -math.Sqrt2 / 2}, b[:], 1e-15)
	_, _, ok = c.Ray(p)
	require.False(t, ok)
	_, ok = c.Project([3]float64{0, 0, -1})
	require.False(t, ok)
	_, ok = c.Project([3]float64{})
	require.False(t, ok)
	p, ok = c.Project([3]float64{0, 0, 1e-9})
	require.True(t, ok)
	require.Equal(t, geometry.Point{X: 320, Y: 240}, p)
}

// TestFold checks a point 59.5 degrees beside the axis of a lens whose model ends at 46.5 degrees: the
// formula has it in the middle of the image, where the lens shows something else.
func TestFold(t *testing.T) {
	c := camera.Camera{Fx: 600, Fy: 600, Cx: 320, Cy: 240, K1: -0.3}
	_, ok := c.Project([3]float64{1.7, 0, 1})
	require.False(t, ok)
	require.InDelta(t, 46.5, math.Atan(c.End())*180/math.Pi, 0.05)
	p, ok := c.Project([3]float64{1, 0, 1})
	require.True(t, ok)
	x, _, ok := c.Ray(p)
	require.True(t, ok)
	require.InDelta(t, 1, x, 1e-12)
	for _, at := range []geometry.Point{{X: 320 + 600*0.71, Y: 240}, {X: 1e4, Y: 1e4}, {X: -1e6, Y: 10}, {X: 1e300}} {
		_, _, ok := c.Ray(at)
		require.False(t, ok, at)
	}
	c = camera.Camera{Fx: 400, Fy: 400, Cx: 320, Cy: 240, K1: -0.4}
	_, ok = c.Project([3]float64{1.5, 0, 1})
	require.False(t, ok)
}

// TestRay checks that Ray undoes Project.
func TestRay(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	for _, c := range []camera.Camera{
		{Fx: 600, Fy: 590, Cx: 320, Cy: 240},
		{Fx: 536, Fy: 535.5, Cx: 342.25, Cy: 235.5, K1: -0.265625, K2: -0.0390625, P1: 0.001953125, P2: -0.000244140625, K3: 0.234375},
		{Fx: 530, Fy: 531, Cx: 330, Cy: 240, K1: -0.28125, K2: 0.0625},
	} {
		for range 200 {
			x, y := rng.Float64()-0.5, 0.8*rng.Float64()-0.4
			p, ok := c.Project([3]float64{3 * x, 3 * y, 3})
			require.True(t, ok)
			u, v, ok := c.Ray(p)
			require.True(t, ok)
			require.InDelta(t, x, u, 1e-12)
			require.InDelta(t, y, v, 1e-12)
		}
		_, ok := c.Project([3]float64{1, 1, 0})
		require.False(t, ok)
	}
}

// TestFolds checks rays of lenses of all kinds by the distances that appear, up to where they no
// longer grow.
func TestFolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	folds := 0
	for range 300 {
		c := camera.Camera{Fx: 500, Fy: 500, K1: 0.8*rng.Float64() - 0.4, K2: 0.4*rng.Float64() - 0.2, K3: 0.2*rng.Float64() - 0.1}
		appears := func(r float64) float64 { return seen(c, r, 0).X / 500 }
		// The distance up to which what appears grows, and by a twentieth of the distance at least.
		fold, clear := 0.0, 0.0
		for fold < 3 && appears(fold+0.01) > appears(fold) {
			if fold += 0.01; clear == fold-0.01 && appears(fold) > appears(clear)+0.0005 {
				clear = fold
			}
		}
		see := func(distance float64) (x, y float64, ok bool) {
			return c.Ray(geometry.Point{X: 500 * distance * 0.8, Y: 500 * distance * 0.6})
		}
		for range 20 {
			r := clear * rng.Float64()
			x, y, ok := see(appears(r))
			require.True(t, ok, "%v at %v of %v", c, r, fold)
			require.InDelta(t, 0.8*r, x, 1e-9)
			require.InDelta(t, 0.6*r, y, 1e-9)
			if fold < 3 {
				folds++
				_, _, ok = see(appears(fold) * (1.01 + 3*rng.Float64()))
				require.False(t, ok, "%v", c)
			}
		}
	}
	require.Greater(t, folds, 1500)
}

// TestPoints checks points that have no place, and that slices may be the same.
func TestPoints(t *testing.T) {
	c := lenses["barrel"]
	src := []geometry.Point{{X: 100, Y: 200}, {X: c.Cx, Y: c.Cy}, {X: 1e9, Y: 3}, {X: 900, Y: -100}}
	before := slices.Clone(src)
	dst := make([]geometry.Point, len(src))
	c.Undistort(dst, src)
	require.Equal(t, before, src)
	require.True(t, math.IsNaN(dst[2].X))
	require.True(t, math.IsNaN(dst[2].Y))
	require.Equal(t, geometry.Point{X: c.Cx, Y: c.Cy}, dst[1])
	c.Undistort(src, src)
	for _, i := range []int{0, 1, 3} {
		require.Equal(t, dst[i], src[i])
	}
	c.Distort(nil, nil)
	require.PanicsWithValue(t, "camera: room for 4 points of 3", func() { c.Distort(dst, src[1:]) })
	require.PanicsWithValue(t, "camera: room for 0 points of 4", func() { c.Undistort(nil, src) })

	nan, inf := math.NaN(), math.Inf(1)
	list := append(knownLenses(), camera.Camera{Model: camera.KannalaBrandt, Fx: 300, Fy: 300, Cx: 960, Cy: 540, K1: 0.01})
	for _, c := range list {
		for _, p := range []geometry.Point{{X: nan}, {Y: nan}, {X: inf}, {Y: -inf}, {X: math.MaxFloat64, Y: -math.MaxFloat64}} {
			if _, ok := c.Bearing(p); c != lenses["none"] || math.Abs(p.X) != math.MaxFloat64 {
				require.False(t, ok, "%+v, %v", c, p)
			}
			_, _, ok := c.Ray(p)
			require.False(t, ok, "%+v, %v", c, p)
			at := []geometry.Point{p, p}
			c.Distort(at[:1], at[:1])
			c.Undistort(at[1:], at[1:])
			if c.Model == camera.BrownConrady || p.X != math.MaxFloat64 {
				require.True(t, math.IsNaN(at[0].X), "%+v, %v", c, p)
			}
			require.True(t, math.IsNaN(at[1].Y), "%+v, %v", c, p)
		}
		for _, p := range [][3]float64{{nan, 0, 1}, {0, nan, 1}, {0, 0, nan}, {inf, 0, 1}, {0, -inf, 1}, {0, 0, inf}, {1, 1, inf}, {0, 0, 0}} {
			_, ok := c.Project(p)
			require.False(t, ok, "%+v, %v", c, p)
			_, ok = c.Derivatives(p)
			require.False(t, ok, "%+v, %v", c, p)
		}
	}
	require.Empty(t, c.Rays(nil))
	require.Empty(t, c.Bearings(nil))
	require.Empty(t, c.Projections(nil))
}

// TestEnd compares the end of the model with what a walk from the axis finds: where the growth of the
// distance falls to the limit, without P1 and P2 where the seen point turns back or the denominator
// has a root.
func TestEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	list := knownLenses()
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	for range rounds {
		c := randomCamera(rng)
		if rng.IntN(2) == 0 {
			c.P1, c.P2 = 0, 0
		}
		list = append(list, c)
	}
	ends, poles := 0, 0
	for _, c := range list {
		p := 7 * math.Hypot(c.P1, c.P2)
		below := func(d float64) float64 { return 1 + c.K4*d*d + c.K5*math.Pow(d, 4) + c.K6*math.Pow(d, 6) }
		if c.Model == camera.KannalaBrandt {
			below = func(float64) float64 { return 1 }
		}
		along := func(d float64) float64 { // where it is seen, without P1 and P2
			radial := c
			radial.P1, radial.P2 = 0, 0
			return (seen(radial, d, 0).X - c.Cx) / c.Fx
		}
		growing := func(d float64) bool {
			return below(d) > 0 && (along(d+1e-6)-along(d-1e-6))/2e-6 > p*d
		}
		most := 6.0
		if c.Model == camera.KannalaBrandt {
			most = math.Pi
		}
		low, high := 1e-3, 0.0
		for d := 2e-3; d < most; d += 1e-3 {
			if !growing(d) {
				high = d
				break
			}
			low = d
		}
		end := c.End()
		if high == 0 {
			require.Greater(t, end, most-0.01, "%+v", c)
			if c.Model == camera.KannalaBrandt {
				require.LessOrEqual(t, end, math.Pi)
			}
			continue
		}
		ends++
		if below(high) <= 0 {
			poles++
		}
		for range 60 {
			if middle := (low + high) / 2; growing(middle) {
				low = middle
			} else {
				high = middle
			}
		}
		// Near a minimum that hardly touches the limit, differences tell little.
		if math.Abs(end-low) > 1e-5 {
			require.InDelta(t, p*end, (along(end+1e-6)-along(end-1e-6))/2e-6, 1e-4, "%+v", c)
			require.Less(t, end, low)
		}
	}
	require.Greater(t, ends, rounds/3)
	require.NotZero(t, poles)
}

// TestJacobian checks that the matrix of derivatives is positive definite within the model, so that
// no two points of the disc are seen at one pixel, and that without P1 and P2 it is not at its end.
func TestJacobian(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 500 {
		c := randomCamera(rng)
		c.Fx, c.Fy = 1, 1
		end := c.End()
		for i := range 50 {
			d := min(end, 4) * math.Sqrt(rng.Float64())
			if i == 0 && end < 4 {
				d = end * (1 - 1e-9)
			}
			sin, cos := math.Sincos(rng.Float64() * 2 * math.Pi)
			if c.Model == camera.KannalaBrandt {
				along, across := math.Sincos(d)
				v, ok := c.Derivatives([3]float64{cos * along, sin * along, across})
				require.True(t, ok)
				// The change as the angle grows.
				x := v.Point[0][0]*cos*across + v.Point[0][1]*sin*across - v.Point[0][2]*along
				y := v.Point[1][0]*cos*across + v.Point[1][1]*sin*across - v.Point[1][2]*along
				require.Greater(t, x*cos+y*sin, -1e-12, "%+v, %v", c, d)
				continue
			}
			v, ok := c.Derivatives([3]float64{cos * d, sin * d, 1})
			require.True(t, ok)
			j := [4]float64{v.Point[0][0], v.Point[0][1], v.Point[1][0], v.Point[1][1]}
			require.Equal(t, j[1], j[2])
			require.Greater(t, j[0]+j[3], 0.0, "%+v, %v", c, d)
			require.Greater(t, j[0]*j[3]-j[1]*j[2], 0.0, "%+v, %v", c, d)
		}
		if end < 4 && end < math.Pi && c.P1 == 0 && c.P2 == 0 && c.K4 == 0 {
			// Beyond the end of a polynomial, it shrinks.
			beyond := end + 1e-3
			a, b := seen(c, end, 0), seen(c, beyond, 0)
			require.Less(t, b.X, a.X+1e-6, "%+v", c)
		}
	}
}

// TestExtremeEnds checks coefficients for which numbers overflow or underflow: nothing is seen where
// it is not known.
func TestExtremeEnds(t *testing.T) {
	for _, k := range []float64{1e-300, 1e-30, 1e30, 1e150, 1e300, math.MaxFloat64} {
		for _, c := range []camera.Camera{
			{K1: k},
			{K1: -k},
			{K2: -k},
			{K3: -k},
			{P1: k},
			{P2: -k},
			{K4: k},
			{K4: -k},
			{K5: -k},
			{K6: k},
			{K1: k, K2: -k, K4: -k, K6: k},
			{Model: camera.KannalaBrandt, K1: k},
			{Model: camera.KannalaBrandt, K1: -k},
			{Model: camera.KannalaBrandt, K3: -k, K4: k},
		} {
			c.Fx, c.Fy, c.Cx, c.Cy = 100, 120, 100, 90
			end := c.End()
			require.GreaterOrEqual(t, end, 0.0, "%+v", c)
			require.LessOrEqual(t, end, 1e30, "%+v", c)
			for e := 1e-9; e <= math.MaxFloat64/1e3; e *= 1000 {
				for _, p := range []geometry.Point{{X: 100 + e, Y: 90}, {X: 100, Y: 90 - e}, {X: e, Y: e}} {
					if x, y, ok := c.Ray(p); ok {
						require.LessOrEqual(t, math.Hypot(x, y), 1e30, "%+v, %v", c, p)
					}
				}
				if p, ok := c.Project([3]float64{e, -e, 1}); ok {
					require.False(t, math.IsNaN(p.X) || math.IsNaN(p.Y), "%+v, %v", c, e)
				}
			}
		}
	}
}

// TestDerivatives compares derivatives with differences, also beyond the end of the model.
func TestDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	const h = 1e-6
	beyond := 0
	for range 2000 {
		c := randomCamera(rng)
		p := [3]float64{0.5 * rng.NormFloat64(), 0.5 * rng.NormFloat64(), 1 + rng.Float64()}
		if c.Model == camera.KannalaBrandt {
			p[2] = rng.NormFloat64()
		}
		if k := 1 + c.K4 + c.K5 + c.K6; k < 0.5 || c.K4 < -0.4 {
			continue // near the pole differences are large
		}
		at := func(c camera.Camera, p [3]float64) geometry.Point {
			d, ok := c.Derivatives(p)
			require.True(t, ok)
			return d.Pixel
		}
		d, ok := c.Derivatives(p)
		require.True(t, ok)
		if q, ok := c.Project(p); ok {
			require.Equal(t, q, d.Pixel)
		} else {
			beyond++
		}
		largest := 1.0
		for _, row := range d.Point {
			for _, v := range row {
				largest = max(largest, math.Abs(v))
			}
		}
		for i := range p {
			up, down := p, p
			up[i] += h
			down[i] -= h
			a, b := at(c, up), at(c, down)
			require.InDelta(t, (a.X-b.X)/(2*h), d.Point[0][i], 1e-5*largest, "%+v, %v, %d", c, p, i)
			require.InDelta(t, (a.Y-b.Y)/(2*h), d.Point[1][i], 1e-5*largest, "%+v, %v, %d", c, p, i)
		}
		for i := range 12 {
			var f [2][12]float64
			for side := range f {
				f[side] = [12]float64{c.Fx, c.Fy, c.Cx, c.Cy, c.K1, c.K2, c.P1, c.P2, c.K3, c.K4, c.K5, c.K6}
				f[side][i] += h * float64(1-2*side)
			}
			if c.Model == camera.KannalaBrandt && (i == 6 || i == 7 || i >= 10) {
				require.Zero(t, d.Field[0][i])
				require.Zero(t, d.Field[1][i])
				continue
			}
			a, b := at(withFields(c.Model, f[0]), p), at(withFields(c.Model, f[1]), p)
			size := 1 + math.Abs(d.Field[0][i]) + math.Abs(d.Field[1][i]) + apart(d.Pixel, geometry.Point{})
			require.InDelta(t, (a.X-b.X)/(2*h), d.Field[0][i], 1e-5*size, "%+v, %v, %d", c, p, i)
			require.InDelta(t, (a.Y-b.Y)/(2*h), d.Field[1][i], 1e-5*size, "%+v, %v, %d", c, p, i)
		}
	}
	require.Greater(t, beyond, 50)
	// On the axis of a fisheye and beside it.
	fisheye := camera.Camera{Model: camera.KannalaBrandt, Fx: 300, Fy: 310, Cx: 320, Cy: 240, K1: -0.1}
	onAxis, ok := fisheye.Derivatives([3]float64{0, 0, 2})
	require.True(t, ok)
	require.Equal(t, [2][3]float64{{150, 0, 0}, {0, 155, 0}}, onAxis.Point)
	for _, r := range []float64{1e-12, 1e-8, 1e-6, 1e-4} {
		near, ok := fisheye.Derivatives([3]float64{r, -r, 2})
		require.True(t, ok)
		for i := range 2 {
			require.InDeltaSlice(t, onAxis.Point[i][:], near.Point[i][:], 1000*r+1e-9)
		}
	}
	_, ok = fisheye.Derivatives([3]float64{0, 0, -2})
	require.False(t, ok)
	_, ok = lenses["none"].Derivatives([3]float64{1, 1, -2})
	require.False(t, ok)
}

// TestCheck checks the errors of Check, and that methods panic with them.
func TestCheck(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for want, c := range map[string]camera.Camera{
		"camera: Fx is 0, not positive":                                       {Fy: 1},
		"camera: Fy is -1, not positive":                                      {Fx: 1, Fy: -1},
		"camera: Fx is NaN, not finite":                                       {Fx: nan, Fy: 1},
		"camera: Fy is +Inf, not finite":                                      {Fx: 1, Fy: inf},
		"camera: Cx is NaN, not finite":                                       {Fx: 1, Fy: 1, Cx: nan},
		"camera: Cy is -Inf, not finite":                                      {Fx: 1, Fy: 1, Cy: -inf},
		"camera: K1 is NaN, not finite":                                       {Fx: 1, Fy: 1, K1: nan},
		"camera: K2 is +Inf, not finite":                                      {Fx: 1, Fy: 1, K2: inf},
		"camera: P1 is NaN, not finite":                                       {Fx: 1, Fy: 1, P1: nan},
		"camera: P2 is +Inf, not finite":                                      {Fx: 1, Fy: 1, P2: inf},
		"camera: K3 is -Inf, not finite":                                      {Fx: 1, Fy: 1, K3: -inf},
		"camera: K4 is NaN, not finite":                                       {Fx: 1, Fy: 1, K4: nan},
		"camera: K5 is NaN, not finite":                                       {Fx: 1, Fy: 1, K5: nan},
		"camera: K6 is +Inf, not finite":                                      {Fx: 1, Fy: 1, K6: inf},
		"camera: P1 is 1, not 0 for kannala-brandt":                           {Model: camera.KannalaBrandt, Fx: 1, Fy: 1, P1: 1},
		"camera: P2 is 1, not 0 for kannala-brandt":                           {Model: camera.KannalaBrandt, Fx: 1, Fy: 1, P2: 1},
		"camera: K5 is 1, not 0 for kannala-brandt":                           {Model: camera.KannalaBrandt, Fx: 1, Fy: 1, K5: 1},
		"camera: K6 is 1, not 0 for kannala-brandt":                           {Model: camera.KannalaBrandt, Fx: 1, Fy: 1, K6: 1},
		"camera: Model is Model(2), not one of brown-conrady, kannala-brandt": {Model: 2, Fx: 1, Fy: 1},
	} {
		require.EqualError(t, c.Check(), want)
		size := image.Pt(4, 3)
		for _, do := range []func(){
			func() { c.Project([3]float64{0, 0, 1}) }, func() { c.Projections(nil) },
			func() { c.Ray(geometry.Point{}) }, func() { c.Rays(nil) },
			func() { c.Bearing(geometry.Point{}) }, func() { c.Bearings(nil) },
			func() { c.Distort(nil, nil) }, func() { c.Undistort(nil, nil) },
			func() { c.Derivatives([3]float64{0, 0, 1}) }, func() { c.End() },
			func() { c.Resized(size, size) }, func() { c.Cropped(size) },
		} {
			require.PanicsWithValue(t, want, do)
		}
	}
	for _, c := range knownLenses() {
		require.NoError(t, c.Check())
	}
	require.NoError(t, camera.Camera{Model: camera.KannalaBrandt, Fx: 1, Fy: 1, K1: 1, K2: 1, K3: 1, K4: 1}.Check())
}

// TestModel checks the text forms of models.
func TestModel(t *testing.T) {
	for m, name := range []string{"brown-conrady", "kannala-brandt"} {
		m := camera.Model(m)
		require.Equal(t, name, m.String())
		text, err := json.Marshal(map[camera.Model]camera.Model{m: m})
		require.NoError(t, err)
		require.Equal(t, `{"`+name+`":"`+name+`"}`, string(text))
		var read camera.Model
		require.NoError(t, read.UnmarshalText([]byte(name)))
		require.Equal(t, m, read)
	}
	require.Equal(t, "Model(2)", camera.Model(2).String())
	_, err := camera.Model(2).MarshalText()
	require.EqualError(t, err, "camera: unknown Model 2")
	require.EqualError(t, new(camera.Model).UnmarshalText([]byte("pinhole")), `camera: unknown Model "pinhole", not one of brown-conrady, kannala-brandt`)
}

// TestSizes checks that points of images stay at their place in resized and cropped ones.
func TestSizes(t *testing.T) {
	c := lenses["barrel"]
	x := [3]float64{0.3, -0.2, 1.5}
	p, _ := c.Project(x)
	from, to := image.Pt(1920, 1080), image.Pt(640, 540)
	q, _ := c.Resized(from, to).Project(x)
	require.InDelta(t, (p.X+.5)/3-.5, q.X, 1e-12)
	require.InDelta(t, (p.Y+.5)/2-.5, q.Y, 1e-12)
	q, _ = c.Cropped(image.Pt(100, -50)).Project(x)
	require.InDelta(t, p.X-100, q.X, 1e-12)
	require.InDelta(t, p.Y+50, q.Y, 1e-12)
	for _, bad := range []image.Point{{0, 1}, {1, 0}, {-5, 5}} {
		want := "camera: image of " + map[image.Point]string{{0, 1}: "0 by 1", {1, 0}: "1 by 0", {-5, 5}: "-5 by 5"}[bad] + " pixels"
		require.PanicsWithValue(t, want, func() { c.Resized(bad, to) })
		require.PanicsWithValue(t, want, func() { c.Resized(from, bad) })
		require.PanicsWithValue(t, want, func() { camera.From35mm(26, bad) })
		require.PanicsWithValue(t, want, func() { camera.FromFieldOfView(70, 640, bad) })
	}
}

// TestGuesses checks cameras without calibration by the angles that they see.
func TestGuesses(t *testing.T) {
	size := image.Pt(1920, 1080)
	angle := func(c camera.Camera, p, q geometry.Point) float64 {
		a, _ := c.Bearing(p)
		b, _ := c.Bearing(q)
		return math.Acos(a[0]*b[0]+a[1]*b[1]+a[2]*b[2]) * 180 / math.Pi
	}
	for _, degrees := range []float64{1, 30, 69.4, 90, 120, 179} {
		c := camera.FromFieldOfView(degrees, 1920, size)
		require.Equal(t, camera.Camera{Fx: c.Fx, Fy: c.Fx, Cx: 959.5, Cy: 539.5}, c)
		require.InDelta(t, degrees, angle(c, geometry.Point{X: -.5, Y: 539.5}, geometry.Point{X: 1919.5, Y: 539.5}), 1e-6)
		c = camera.FromFieldOfView(degrees, math.Hypot(1920, 1080), size)
		require.InDelta(t, degrees, angle(c, geometry.Point{X: -.5, Y: -.5}, geometry.Point{X: 1919.5, Y: 1079.5}), 1e-6)
	}
	// A frame of 35 mm film, and photos whose sides are swapped.
	c := camera.From35mm(50, image.Pt(3600, 2400))
	require.InDelta(t, 5000, c.Fx, 1e-9)
	require.Equal(t, camera.Camera{Fx: c.Fx, Fy: c.Fx, Cx: 1799.5, Cy: 1199.5}, c)
	require.Equal(t, c.Fx, camera.From35mm(50, image.Pt(2400, 3600)).Fx)
	for _, bad := range []float64{0, -1, 180, math.NaN(), math.Inf(1)} {
		require.Panics(t, func() { camera.FromFieldOfView(bad, 640, size) })
		if bad != 180 {
			require.Panics(t, func() { camera.FromFieldOfView(70, bad, size) })
			require.Panics(t, func() { camera.From35mm(bad, size) })
		}
	}
	require.PanicsWithValue(t, "camera: field of view of 180 degrees, not between 0 and 180", func() { camera.FromFieldOfView(180, 640, size) })
	require.PanicsWithValue(t, "camera: field of view over -1 pixels", func() { camera.FromFieldOfView(70, -1, size) })
	require.PanicsWithValue(t, "camera: 35 mm equivalent focal length of 0 mm", func() { camera.From35mm(0, size) })
}

// bigSincos returns the sine and cosine of an angle by their series.
func bigSincos(t float64) (sin, cos *big.Float) {
	float := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	sin, cos = float(0), float(0)
	term := float(1)
	for n := 1; n < 80; n++ {
		sum := cos
		if n%2 == 0 {
			sum = sin
		}
		if (n-1)/2%2 == 0 {
			sum.Add(sum, term)
		} else {
			sum.Sub(sum, term)
		}
		term = new(big.Float).Quo(new(big.Float).Mul(term, float(t)), float(float64(n)))
	}
	return sin, cos
}

// TestAngle compares angles, sines and cosines with their series.
func TestAngle(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	worst := [3]float64{}
	off := func(a *big.Float, b float64) float64 {
		d, _ := new(big.Float).Sub(a, new(big.Float).SetFloat64(b)).Float64()
		return math.Abs(d)
	}
	for i := range 3000 {
		y, x := rng.Float64(), rng.NormFloat64()
		switch i {
		case 0:
			y = 0
		case 1:
			x = 0
		case 2:
			y = math.Abs(x)
		case 3:
			y, x = 0, -1
		}
		a := camera.Angle(y, x)
		sin, cos := bigSincos(a)
		// The sine of the error.
		d, _ := new(big.Float).Sub(new(big.Float).Mul(big.NewFloat(y), cos), new(big.Float).Mul(big.NewFloat(x), sin)).Float64()
		worst[0] = max(worst[0], math.Abs(d)/math.Hypot(x, y))
		s, c := camera.Sincos(a)
		worst[1], worst[2] = max(worst[1], off(sin, s)), max(worst[2], off(cos, c))
	}
	for i, w := range worst {
		require.Less(t, w, 5e-16, i)
	}
	require.Zero(t, camera.Angle(0, 0))
}

// TestAllocations checks that nothing is allocated where there is room.
func TestAllocations(t *testing.T) {
	pixels := []geometry.Point{{X: 100, Y: 200}, {X: 1900, Y: 1000}, {X: -5e3, Y: 0}}
	points := [][3]float64{{0.1, 0.2, 1}, {3, 3, 1}, {0, 0, 1}}
	seen, bearings := make([]geometry.Point, 0, 3), make([][3]float64, 0, 3)
	rng := rand.New(rand.NewPCG(6, 1))
	for range 30 {
		c := randomCamera(rng)
		require.Zero(t, testing.AllocsPerRun(3, func() {
			for i := range pixels {
				c.Project(points[i])
				c.Ray(pixels[i])
				c.Bearing(pixels[i])
				c.Derivatives(points[i])
			}
			c.AppendProjections(seen, points)
			c.AppendRays(seen, pixels)
			c.AppendBearings(bearings, pixels)
			c.Distort(seen[:3], pixels)
			c.Undistort(seen[:3], pixels)
			c.End()
		}))
	}
}

// TestNotFinite checks points whose projection or its derivatives are too large for a number, and
// cameras whose focal lengths are.
func TestNotFinite(t *testing.T) {
	pinhole := camera.Camera{Fx: 500, Fy: 500}
	for _, p := range [][3]float64{{1e29, 0, 1e-300}, {1, 1e30, 1}, {0, 0, 1e-320}} {
		_, ok := pinhole.Derivatives(p)
		require.False(t, ok, "%v", p)
	}
	fisheye := camera.Camera{Model: camera.KannalaBrandt, Fx: 500, Fy: 500}
	_, ok := fisheye.Derivatives([3]float64{1e-320, 0, 1e-320})
	require.False(t, ok)
	x, y, ok := camera.Camera{Fx: 400, Fy: 400, K1: -0.4}.Ray(geometry.Point{X: 500})
	require.False(t, ok)
	require.Zero(t, [2]float64{x, y})
	size := image.Pt(640, 480)
	require.Panics(t, func() { camera.FromFieldOfView(5e-324, 640, size) })
	require.Panics(t, func() { camera.From35mm(1e308, size) })
	require.Panics(t, func() { camera.Camera{Fx: 1e308, Fy: 1}.Resized(image.Pt(1, 1), size) })
}
