package match_test

import (
	"encoding/binary"
	"fmt"
	"image"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/stretchr/testify/require"
)

// A place is a point of a descriptor.
type place struct{ x, y float32 }

func (p place) Pt() image.Point          { return image.Pt(int(p.x), int(p.y)) }
func (p place) Position() (x, y float32) { return p.x, p.y }

// scattered returns points in an image of 640x480 pixels, a quarter of them with coordinates
// of quarters.
func scattered(rng *rand.Rand, n int) []place {
	list := make([]place, n)
	for i := range list {
		list[i] = place{640 * rng.Float32(), 480 * rng.Float32()}
		if i%4 == 0 {
			list[i] = place{float32(rng.IntN(4*640)) / 4, float32(rng.IntN(4*480)) / 4}
		}
	}
	return list
}

// excess returns how much farther from the center of a circle a point is than the radius, in
// terms of squares, without rounding. All numbers are finite.
func excess(c match.Circle, p place) *big.Float {
	square := func(v, minus float32) *big.Float {
		d := new(big.Float).SetPrec(2000).SetFloat64(float64(v))
		d.Sub(d, new(big.Float).SetFloat64(float64(minus)))
		return d.Mul(d, d)
	}
	sum := square(p.x, c.X)
	sum.Add(sum, square(p.y, c.Y))
	return sum.Sub(sum, square(c.Radius, 0))
}

// finite reports whether all numbers are finite.
func finite(list ...float32) bool {
	return !slices.ContainsFunc(list, func(v float32) bool {
		return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0)
	})
}

// inside reports whether a circle has a point inside, by the definition.
func inside(c match.Circle, p place) bool {
	return finite(c.X, c.Y, p.x, p.y) && c.Radius >= 0 &&
		(math.IsInf(float64(c.Radius), 1) || excess(c, p).Sign() <= 0)
}

// near returns what Near has to, looking at all pairs, of numbers of descriptors.
func near(queries, trains int, distance func(i, j int) int32, candidate func(i, j int) bool, opts match.Options) (want []match.Match) {
	for i := range queries {
		best, second := -1, -1
		for j := range trains {
			switch {
			case !candidate(i, j):
			case best < 0 || distance(i, j) < distance(i, best):
				best, second = j, best
			case second < 0 || distance(i, j) < distance(i, second):
				second = j
			}
		}
		if best < 0 || int(distance(i, best)) > limit(opts) {
			continue
		}
		if opts.Ratio > 0 && second >= 0 && float64(distance(i, best)) >= opts.Ratio*float64(distance(i, second)) {
			continue
		}
		nearest := true // of all query descriptors
		for k := range queries {
			if candidate(k, best) {
				d, own := distance(k, best), distance(i, best)
				nearest = nearest && (d > own || d == own && k >= i)
			}
		}
		if !opts.CrossCheck || nearest {
			want = append(want, match.Match{Query: int32(i), Train: int32(best), Distance: distance(i, best)})
		}
	}
	return want
}

// requireNear compares Near of all kinds of descriptors with the definition, with all
// combinations of options besides the given number of workers.
func requireNear(t testing.TB, query, train []match.Descriptor, circles []match.Circle, points []place, workers int) {
	t.Helper()
	grid := match.NewGrid(points)
	var candidates [][]bool
	for _, c := range circles {
		var list []bool
		for _, p := range points {
			list = append(list, inside(c, p))
		}
		candidates = append(candidates, list)
	}
	candidate := func(i, j int) bool { return candidates[i][j] }
	same := func(want, got []match.Match, name string, opts match.Options) {
		t.Helper()
		require.Equal(t, before[0], got[0])
		if !slices.Equal(want, got[1:]) {
			imagetest.RequireSame(t, want, got[1:], "%s of %d and %d with %+v", name, len(query), len(train), opts)
		}
	}
	queryBits, firstOfQuery := shorten(query)
	trainBits, firstOfTrain := shorten(train)
	for _, ratio := range []float64{0, 0.9} {
		for _, crossCheck := range []bool{false, true} {
			for _, most := range []int{0, 100, -1} {
				opts := match.Options{Ratio: ratio, CrossCheck: crossCheck, MaxDistance: most, Workers: workers}
				for _, opts.Hamming2 = range []bool{false, true} {
					want := near(len(circles), len(points), func(i, j int) int32 { return distance(&query[i], &train[j], opts.Hamming2) }, candidate, opts)
					same(want, matcher(t, opts).AppendNear(before, query, train, circles, grid), "Near", opts)
					want = near(len(circles), len(points), func(i, j int) int32 { return distance(&firstOfQuery[i], &firstOfTrain[j], opts.Hamming2) }, candidate, opts)
					same(want, newMatcher[match.Descriptor32](t, opts).AppendNear(before, queryBits, trainBits, circles, grid), "Near of 32 bits", opts)
				}
				// The same bits, and a part of them.
				flatOpts := match.Options{Length: 32, Ratio: ratio, CrossCheck: crossCheck, MaxDistance: most, Workers: workers}
				want := near(len(circles), len(points), func(i, j int) int32 { return distance(&query[i], &train[j], false) }, candidate, opts)
				same(want, newMatcher[byte](t, flatOpts).AppendNear(before, flatten(query), flatten(train), circles, grid), "Near of bytes", opts)
				same(want, newMatcher[uint64](t, flatOpts).AppendNear(before, wordsOf(flatten(query)), wordsOf(flatten(train)), circles, grid), "Near of words", opts)
				flatOpts.Length = 13
				cut := func(list []match.Descriptor) (bytes []byte, whole []match.Descriptor) {
					for _, d := range list {
						bytes = append(bytes, d[:13]...)
						clear(d[13:])
						whole = append(whole, d)
					}
					return bytes, whole
				}
				query, shortQuery := cut(query)
				train, shortTrain := cut(train)
				want = near(len(circles), len(points), func(i, j int) int32 { return distance(&shortQuery[i], &shortTrain[j], false) }, candidate, opts)
				same(want, newMatcher[byte](t, flatOpts).AppendNear(before, query, train, circles, grid), "Near of 13 bytes", opts)
			}
		}
	}
}

// TestNear compares Near with the definition, for points that are spread evenly, in lines, at
// one place and far away.
func TestNear(t *testing.T) {
	defer match.ForceWorkers()()
	rng := rand.New(rand.NewPCG(21, 22))
	places := map[string]func() place{
		"even":     func() place { return scattered(rng, 1)[0] },
		"corners":  func() place { return place{float32(rng.IntN(9)), float32(rng.IntN(9))} },
		"row":      func() place { return place{640 * rng.Float32(), 7} },
		"column":   func() place { return place{-3, float32(rng.IntN(900)) - 450} },
		"one":      func() place { return place{5.5, -6.25} },
		"diagonal": func() place { v := rng.Float32(); return place{1000 * v, -1000 * v} },
		"huge":     func() place { return place{(rng.Float32() - 0.5) * 3e38 * 2, (rng.Float32() - 0.5) * 1e38} },
		"tiny":     func() place { return place{float32(rng.IntN(5)) * 1e-45, float32(rng.IntN(5)) * 1e-45} },
		"outlier": func() place {
			if rng.IntN(40) == 0 {
				return place{3e38, -3e38}
			}
			return scattered(rng, 1)[0]
		},
		"odd": func() place {
			odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 3}
			return place{odd[rng.IntN(4)], odd[rng.IntN(4)]}
		},
	}
	radii := []float32{0, 1, 2.5, 30, 400, 1e30, math.MaxFloat32, float32(math.Inf(1)), -1, float32(math.NaN())}
	sizes := [][2]int{{1, 1}, {1, 40}, {30, 1}, {3, 7}, {90, 120}}
	if testing.Short() {
		sizes[4] = [2]int{40, 70}
	}
	for _, name := range slices.Sorted(maps.Keys(places)) { // so that the data are the same in each run
		next := places[name]
		for _, size := range sizes {
			points, circles := make([]place, size[1]), make([]match.Circle, size[0])
			for i := range points {
				points[i] = next()
			}
			for i := range circles {
				p := next()
				if i%3 == 0 { // exactly at a point
					p = points[rng.IntN(len(points))]
				}
				circles[i] = match.Circle{X: p.x, Y: p.y, Radius: radii[rng.IntN(len(radii))]}
			}
			query, train := random(rng, size[0]), random(rng, size[1])
			for i := range query { // some that are similar, and some that are equal
				query[i] = train[rng.IntN(len(train))]
				query[i][rng.IntN(32)] ^= byte(rng.IntN(3))
			}
			t.Run(fmt.Sprintf("%s/%d/%d", name, size[0], size[1]), func(t *testing.T) {
				requireNear(t, query, train, circles, points, 1+rng.IntN(3))
			})
		}
	}
}

// TestNearBorder checks that points at a distance of exactly the radius are inside, and those
// just beyond are not.
func TestNearBorder(t *testing.T) {
	m := matcher(t, match.Options{})
	for _, far := range []float32{0, 100, -4096.5, 1 << 20} {
		circle := match.Circle{X: far, Y: -far, Radius: 5}
		for _, at := range []place{{5, 0}, {0, -5}, {-5, 0}, {3, 4}, {-4, 3}, {4, -3}, {-3, -4}} {
			// Others make a grid of many cells.
			points := []place{{far + at.x, -far + at.y}, {far - 20, -far - 20}, {far + 20, -far + 20}, {far + 20, -far - 19}}
			descs := make([]match.Descriptor, len(points))
			got := m.Near(descs[:1], descs, []match.Circle{circle}, match.NewGrid(points))
			require.Equal(t, []match.Match{{}}, got, "%v", points[0])
			less := circle
			less.Radius = math.Nextafter32(5, 0)
			require.Empty(t, m.Near(descs[:1], descs, []match.Circle{less}, match.NewGrid(points)), "%v", points[0])
		}
	}
}

// TestNearRounded checks that all points are candidates whose distance is rounded to the radius,
// also those in the cells beyond it.
func TestNearRounded(t *testing.T) {
	const far = 1 << 30
	var points []place
	for i := range 41 {
		points = append(points, place{float32(i-20) * 1e-9, float32(i-20) * 1e-9})
	}
	descs := make([]match.Descriptor, len(points))
	descs[0] = match.Descriptor{1} // which is on the other side of 0
	for i, circle := range []match.Circle{{far, 0, far}, {0, far, far}} {
		require.Equal(t, []match.Match{{}}, matcher(t, match.Options{}).Near(descs[:1], descs, []match.Circle{circle}, match.NewGrid(points)), i)
	}
}

// TestNearIsMatch checks that Near finds what Match finds if all descriptors are candidates.
func TestNearIsMatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	query, train := random(rng, 200), random(rng, 300)
	points := scattered(rng, 300)
	circles := match.Circles(points[:200], float32(math.Inf(1)))
	for _, opts := range []match.Options{{}, {CrossCheck: true}, {Ratio: 0.95}, {CrossCheck: true, MaxDistance: 100, Workers: 2}} {
		m := matcher(t, opts)
		want := m.Match(query, train)
		require.NotEmpty(t, want)
		require.Equal(t, want, m.Near(query, train, circles, match.NewGrid(points)))
	}
}

// TestNearRatio checks that the only candidate passes, whatever the ratio is.
func TestNearRatio(t *testing.T) {
	points := []place{{10, 10}, {50, 10}, {51, 10}}
	query, train := make([]match.Descriptor, 2), make([]match.Descriptor, 3)
	train[0] = match.Descriptor{0xff, 0xff}
	m := matcher(t, match.Options{Ratio: 1e-12})
	circles := []match.Circle{{10, 10, 5}, {50, 10, 5}}
	require.Equal(t, []match.Match{{Distance: 16}}, m.Near(query, train, circles, match.NewGrid(points)))
	require.Empty(t, m.Match(query[:1], train[:1]))
}

// TestNearSets checks what sets, circles and grids of other lengths do.
func TestNearSets(t *testing.T) {
	m := matcher(t, match.Options{CrossCheck: true, Ratio: 0.5})
	points := make([]place, 3)
	descs, circles, grid := make([]match.Descriptor, 3), match.Circles(points, 1), match.NewGrid(points)
	require.PanicsWithValue(t, "match: nil Grid", func() { m.Near(descs, descs, circles, nil) })
	require.PanicsWithValue(t, "match: 2 circles for 3 query descriptors", func() { m.Near(descs, descs, circles[:2], grid) })
	require.PanicsWithValue(t, "match: 3 circles for 2 query descriptors", func() { m.Near(descs[:2], descs, circles, grid) })
	require.PanicsWithValue(t, "match: a grid of 3 points for 2 train descriptors", func() { m.Near(descs, descs[:2], circles, grid) })
	require.PanicsWithValue(t, "match: a grid of 0 points for 2 train descriptors", func() { m.Near(nil, descs[:2], nil, new(match.Grid)) })
	require.Nil(t, m.Near(nil, descs, nil, grid))
	require.Nil(t, m.Near(descs, nil, circles, new(match.Grid)))
	require.Nil(t, m.Near(nil, nil, nil, new(match.Grid)))
	require.Nil(t, m.Near(descs, nil, circles, match.NewGrid[place](nil)))
	require.Len(t, matcher(t, match.Options{}).Near(descs, descs, circles, grid), 3)

	none := make([]struct{ place }, 0)
	require.Empty(t, match.Circles(none, 3))
}

// TestGridInto checks that a Grid made anew is a new one, whatever it was.
func TestGridInto(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	m := matcher(t, match.Options{CrossCheck: true})
	var grid match.Grid
	for _, n := range []int{50, 400, 7, 0, 1, 333} {
		points, query, train := scattered(rng, n), random(rng, n), random(rng, n)
		match.GridInto(&grid, points)
		circles := match.Circles(points, 60)
		require.Equal(t, m.Near(query, train, circles, match.NewGrid(points)), m.Near(query, train, circles, &grid))
	}
}

// TestGridConcurrent checks that several goroutines can use a Grid.
func TestGridConcurrent(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	points, query, train := scattered(rng, 500), random(rng, 500), random(rng, 500)
	circles, grid := match.Circles(points, 40), match.NewGrid(points)
	m := matcher(t, match.Options{CrossCheck: true, Ratio: 0.9})
	want := m.Near(query, train, circles, grid)
	require.NotEmpty(t, want)
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range 20 {
				if !slices.Equal(want, m.Near(query, train, circles, grid)) {
					t.Error("another result")
				}
			}
		}()
	}
	wait.Wait()
}

// FuzzNear compares Near with the definition, for points and circles that are data.
func FuzzNear(f *testing.F) {
	f.Add([]byte("some bytes that are circles, points and descriptors"), uint8(2), uint8(1))
	f.Add(slices.Repeat([]byte{0, 0, 0x80, 0x3f, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40}, 20), uint8(12), uint8(2))
	f.Add(slices.Repeat([]byte{0xff, 0xff, 0x7f, 0x7f, 0, 0, 0x80, 0xff, 0, 0, 0xc0, 0x7f}, 9), uint8(3), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, queries, workers uint8) {
		next := func() float32 {
			if len(data) < 4 {
				return 0
			}
			v := math.Float32frombits(binary.LittleEndian.Uint32(data))
			data = data[4:]
			return v
		}
		data = data[:min(len(data), 600)]
		var query, train []match.Descriptor
		var circles []match.Circle
		for range min(int(queries), 40) {
			query = append(query, match.Descriptor{byte(len(data)), byte(len(data) * 7)})
			circles = append(circles, match.Circle{X: next(), Y: next(), Radius: next()})
		}
		var points []place
		for len(data) >= 8 {
			train = append(train, match.Descriptor{data[0], data[5]})
			points = append(points, place{next(), next()})
		}
		for _, c := range circles {
			for _, p := range points {
				if onBorder(c, p) {
					t.Skip("rounding decides")
				}
			}
		}
		requireNear(t, query, train, circles, points, int(workers%4))
	})
}

// onBorder reports whether a point is so near to a circle, but not on it, that rounding decides
// whether it is inside.
func onBorder(c match.Circle, p place) bool {
	if !finite(c.X, c.Y, c.Radius, p.x, p.y) {
		return false
	}
	e := excess(c, p)
	near := new(big.Float).SetFloat64(1e-12 * float64(c.Radius) * float64(c.Radius))
	return e.Sign() != 0 && e.Abs(e).Cmp(near) <= 0
}
