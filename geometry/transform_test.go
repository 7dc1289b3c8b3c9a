package geometry

import (
	"fmt"
	"image"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// bigs are the elements of a matrix, exactly.
type bigs [9]*big.Rat

func exactly(t Transform) (b bigs) {
	for i, v := range t {
		b[i] = new(big.Rat).SetFloat64(v)
	}
	return b
}

func mulRat(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func addRat(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func subRat(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

// float returns elements rounded to the nearest float, divided by element 8.
func (b bigs) float() (t Transform) {
	for i, v := range b {
		t[i], _ = new(big.Rat).Quo(v, b[8]).Float64()
	}
	return t
}

func (b bigs) mul(c bigs) (product bigs) {
	for i := range 9 {
		r, k := i/3*3, i%3
		product[i] = addRat(addRat(mulRat(b[r], c[k]), mulRat(b[r+1], c[k+3])), mulRat(b[r+2], c[k+6]))
	}
	return product
}

// inverse returns the transposed matrix of cofactors, which is a multiple of the inverse.
func (b bigs) inverse() (inverse bigs) {
	for i := range 9 {
		r, c := i/3, i%3
		minor := func(dr, dc int) *big.Rat { return b[(r+dr)%3*3+(c+dc)%3] }
		inverse[3*c+r] = subRat(mulRat(minor(1, 1), minor(2, 2)), mulRat(minor(1, 2), minor(2, 1)))
	}
	return inverse
}

func (b bigs) apply(p Point) Point {
	x, y := new(big.Rat).SetFloat64(p.X), new(big.Rat).SetFloat64(p.Y)
	row := func(i int) *big.Rat { return addRat(addRat(mulRat(b[i], x), mulRat(b[i+1], y)), b[i+2]) }
	w := row(6)
	u, _ := new(big.Rat).Quo(row(0), w).Float64()
	v, _ := new(big.Rat).Quo(row(3), w).Float64()
	return Point{u, v}
}

// TestBig compares products, inverses and points with exact arithmetic.
func TestBig(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	matrices := []Transform{}
	for _, m := range maps {
		matrices = append(matrices, m.t)
	}
	for range 200 {
		g := recipe{Kind: kinds[random.IntN(len(kinds))], Seed: random.Uint64()}
		matrices = append(matrices, g.truth())
	}
	for i, m := range matrices {
		other := matrices[(i+1)%len(matrices)]
		requireClose(t, exactly(m).mul(exactly(other)).float(), m.Mul(other), 1e-12)
		inverse, ok := m.Inverse()
		require.True(t, ok)
		requireClose(t, exactly(m).inverse().float(), inverse, 1e-12)
		for _, p := range points(random, 10) {
			want, got := exactly(m).apply(p), m.Apply(p)
			require.Less(t, distance(want, got), 1e-12*(1+math.Hypot(want.X, want.Y))*640)
			back := inverse.Apply(got)
			require.Less(t, distance(p, back), 1e-8)
		}
	}
}

// TestInverse checks transforms that have none, and scales.
func TestInverse(t *testing.T) {
	for _, m := range []Transform{{}, {1, 2, 3, 2, 4, 6, 0, 0, 1}, {0: math.NaN()}, {0: math.Inf(1), 4: 1, 8: 1}} {
		_, ok := m.Inverse()
		require.False(t, ok, m)
	}
	m := Transform{2, 0, 0, 0, 2, 0, 0, 0, 2}
	inverse, ok := m.Inverse()
	require.True(t, ok)
	require.Equal(t, Identity(), inverse)
	require.Equal(t, Identity(), m.Mul(m))
	// A transform that maps 0, 0 to infinity has an element 8 of 0.
	m = Transform{0, 0, 1, 0, 1, 0, 1, 0, 0}
	inverse, ok = m.Inverse()
	require.True(t, ok)
	p := Point{3, 4}
	require.InDelta(t, 0, distance(p, inverse.Apply(m.Apply(p))), 1e-12)
	require.True(t, math.IsInf(m.Apply(Point{0, 4}).Y, 1))
}

// TestApplyAll checks that slices may be the same, and that nothing is allocated.
func TestApplyAll(t *testing.T) {
	m := maps["perspective"].t
	p := points(rand.New(rand.NewPCG(1, 2)), 9)
	dst := make([]Point, 9)
	m.ApplyAll(dst, p)
	for i := range p {
		require.Equal(t, m.Apply(p[i]), dst[i])
	}
	require.Zero(t, imagetest.Allocs(5, func() { m.ApplyAll(dst, p) }))
	m.ApplyAll(p, p)
	require.Equal(t, dst, p)
}

// TestBetweenRectangles checks that edges meet edges, that points between them are divided in the same
// proportion, and that the other direction is the inverse.
func TestBetweenRectangles(t *testing.T) {
	from, to := image.Rect(-3, 7, 29, 31), image.Rect(100, -50, 113, 22)
	u := BetweenRectangles(from, to)
	for i := range 5 {
		for k := range 5 {
			x, y := float64(i)/4, float64(k)/4
			p := u.Apply(Point{X: -3.5 + 32*x, Y: 6.5 + 24*y})
			require.InDelta(t, 99.5+13*x, p.X, 1e-12)
			require.InDelta(t, -50.5+72*y, p.Y, 1e-12)
		}
	}
	back, ok := u.Inverse()
	require.True(t, ok)
	other := BetweenRectangles(to, from)
	require.InDeltaSlice(t, back[:], other[:], 1e-12)
	require.Equal(t, Identity(), BetweenRectangles(from, from))
	require.Equal(t, Transform{0: 1, 2: 5, 4: 1, 5: -6, 8: 1}, BetweenRectangles(from, from.Add(image.Pt(5, -6))))
	require.Equal(t, Transform{0: 0.5, 2: -0.25, 4: 2, 5: 0.5, 8: 1}, BetweenRectangles(image.Rect(0, 0, 64, 48), image.Rect(0, 0, 32, 96)))
	for _, none := range []image.Rectangle{{}, {Min: image.Pt(3, 3), Max: image.Pt(3, 9)}} {
		require.Panics(t, func() { BetweenRectangles(none, to) })
		require.Panics(t, func() { BetweenRectangles(from, none) })
	}
}

// TestBounds compares with the points of all pixels.
func TestBounds(t *testing.T) {
	r := image.Rect(-3, 5, 40, 30)
	identity := Identity()
	got, ok := identity.Bounds(r)
	require.True(t, ok)
	require.Equal(t, r, got)
	for name, m := range maps {
		got, ok := m.t.Bounds(r)
		require.True(t, ok)
		low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				p := m.t.Apply(Point{float64(x), float64(y)})
				low = Point{min(low.X, p.X), min(low.Y, p.Y)}
				high = Point{max(high.X, p.X), max(high.Y, p.Y)}
			}
		}
		require.Equal(t, math.Floor(low.X), float64(got.Min.X), name)
		require.Equal(t, math.Floor(low.Y), float64(got.Min.Y), name)
		require.Equal(t, math.Ceil(high.X), float64(got.Max.X-1), name)
		require.Equal(t, math.Ceil(high.Y), float64(got.Max.Y-1), name)
	}
	for _, test := range []struct {
		m Transform
		r image.Rectangle
	}{
		{identity, image.Rectangle{}},
		{identity, image.Rect(3, 3, 3, 5)},
		{Transform{1, 0, 0, 0, 1, 0, -1.0 / 20, 0, 1}, r},
		{Transform{1, 0, 0, 0, 1, 0, 0, 0.1, -10}, r},
		{Transform{1e9, 0, 0, 0, 1, 0, 0, 0, 1}, r},
		{Transform{1, 0, 3e9, 0, 1, 0, 0, 0, 1}, r},
		{Transform{1, 0, -3e9, 0, 1, 0, 0, 0, 1}, r},
		{Transform{1, 0, 0, 0, 1, 3e9, 0, 0, 1}, r},
		{Transform{1, 0, 0, 0, 1, -3e9, 0, 0, 1}, r},
		{Transform{1, 0, 0, 0, math.NaN(), 0, 0, 0, 1}, r},
		{Transform{}, r},
	} {
		got, ok := test.m.Bounds(test.r)
		require.False(t, ok, test)
		require.Zero(t, got)
	}
}

// TestConversions checks the forms for other packages, and the parts of similarities.
func TestConversions(t *testing.T) {
	m := Transform{1, 2, 3, 4, 5, 6, 0, 0, 1}
	a, ok := m.Aff3()
	require.True(t, ok)
	require.Equal(t, [6]float64{1, 2, 3, 4, 5, 6}, a)
	a, ok = Transform{2, 4, 6, 8, 10, 12, 0, 0, 2}.Aff3()
	require.True(t, ok)
	require.Equal(t, [6]float64{1, 2, 3, 4, 5, 6}, a)
	for _, other := range []Transform{maps["steep"].t, {}, {6: 1, 8: 1}, {7: 1, 8: 1}} {
		_, ok = other.Aff3()
		require.False(t, ok)
		_, _, _, ok = other.Similarity()
		require.False(t, ok)
	}
	for _, other := range []Transform{
		maps["mirror"].t,
		maps["shear"].t,
		{1, 2, 0, 2, 1, 0, 0, 0, 1},
		{1, -2, 0, 2, 3, 0, 0, 0, 1},
		{math.NaN(), 0, 0, 0, math.NaN(), 0, 0, 0, 1},
	} {
		_, _, _, ok = other.Similarity()
		require.False(t, ok, other)
	}

	for _, angle := range []float64{0, 0.3, -2.5, math.Pi / 2} {
		sin, cos := math.Sincos(angle)
		m := Transform{1.5 * cos, -1.5 * sin, 10, 1.5 * sin, 1.5 * cos, -20, 0, 0, 1}
		m[4], m[1] = m[0], -m[3]
		scale, is, shift, ok := m.Similarity()
		require.True(t, ok)
		require.InDelta(t, 1.5, scale, 1e-15)
		require.InDelta(t, angle, is, 1e-15)
		require.Equal(t, Point{10, -20}, shift)
	}
	scale, angle, shift, ok := maps["shift"].t.Similarity()
	require.True(t, ok)
	require.Equal(t, 1.0, scale)
	require.Zero(t, angle)
	require.Equal(t, Point{-300, 20.5}, shift)
}

// TestExtents compares with exact arithmetic where points of small and large extents are mapped
// that are near to 0 or far away: to their partners, but for the rounding of the elements.
func TestExtents(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 7))
	float := func() float64 { return random.Float64()*2 - 1 }
	corners := []Point{{0, 0}, {1, 0.1}, {-0.1, 1}, {0.9, 1.2}}
	// place returns corners of an extent, so many extents away from 0.
	place := func(corners []Point, extent, away float64) []Point {
		center := Point{float() * away * extent, float() * away * extent}
		list := make([]Point, len(corners))
		for i, c := range corners {
			list[i] = Point{center.X + c.X*extent, center.Y + c.Y*extent}
		}
		return list
	}
	for _, kind := range kinds {
		m := maps[map[Kind]string{
			Translation: "identity", Rigid: "rotation", Similarity: "turn", Affine: "shear", Homography: "mirror",
		}[kind]].t
		m[2], m[5] = 0, 0
		turned := mapAll(m, corners)
		if kind == Homography {
			turned[3] = Point{turned[3].X * 1.2, turned[3].Y * 1.1}
		}
		for _, away := range []float64{0, 0.7, 40, 1e3, 1e6, 1e9} {
			for exponent := -30; exponent <= 6; exponent++ {
				extentA := math.Pow10(exponent)
				extentB := extentA
				if kind > Rigid {
					extentB = math.Pow10(random.IntN(37) - 30)
				}
				n := kind.Pairs()
				if extentA*away > 1e7 || extentB*away > 1e7 {
					continue
				}
				a, b := place(corners[:n], extentA, away), place(turned[:n], extentB, away)
				message := fmt.Sprintf("%v, extents %g and %g, %g away", kind, extentA, extentB, away)
				h, ok := Exact(kind, a, b)
				require.True(t, ok, message)
				tolerance := 4e-15 * extentB * (1 + away)
				if kind == Homography {
					tolerance *= 1 + away
				}
				for i, p := range a {
					require.LessOrEqual(t, distance(exactly(h).apply(p), b[i]), tolerance, message)
				}
			}
		}
	}
}
