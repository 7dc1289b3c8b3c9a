package match_test

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/internal/worker"
	"github.com/fastcorners/fast/match"
	"github.com/stretchr/testify/require"
)

// Small images are shared also after the pauses between calls.
func init() { worker.AlwaysAwake = true }

// distance is the distance by its definition.
func distance(a, b *match.Descriptor, hamming2 bool) int32 {
	n := 0
	for i := range a {
		differ := a[i] ^ b[i]
		if hamming2 {
			differ = (differ | differ>>1) & 0b01_01_01_01
		}
		n += bits.OnesCount8(differ)
	}
	return int32(n)
}

// A table holds for each query descriptor all matches, the nearest first, and for each
// train descriptor the first of the nearest query descriptors.
type table struct {
	query   [][]match.Match
	train   []match.Match
	squared bool // the distances
}

func newTable(query, train []match.Descriptor, hamming2 bool) *table {
	return tableOf(len(query), len(train), func(i, j int) int32 { return distance(&query[i], &train[j], hamming2) })
}

// tableOf returns the table of sets of the given numbers of descriptors, whose distances
// are given.
func tableOf(queries, trains int, distance func(i, j int) int32) *table {
	t := &table{query: make([][]match.Match, queries), train: make([]match.Match, trains)}
	for i := range queries {
		for j := range trains {
			m := match.Match{Query: int32(i), Train: int32(j), Distance: distance(i, j)}
			t.query[i] = append(t.query[i], m)
			if i == 0 || m.Distance < t.train[j].Distance {
				t.train[j] = m
			}
		}
		slices.SortStableFunc(t.query[i], func(a, b match.Match) int { return cmp.Compare(a.Distance, b.Distance) })
	}
	return t
}

// match returns what Match has to.
func (t *table) match(opts match.Options) []match.Match {
	var want []match.Match
	if t.squared {
		opts.Ratio *= opts.Ratio
	}
	for i, list := range t.query {
		if len(list) == 0 {
			continue
		}
		m := list[0]
		ok := int(m.Distance) <= limit(opts)
		if opts.Ratio > 0 {
			ok = ok && len(list) > 1 && float64(m.Distance) < opts.Ratio*float64(list[1].Distance)
		}
		if opts.CrossCheck {
			ok = ok && t.train[m.Train].Query == int32(i)
		}
		if ok {
			want = append(want, m)
		}
	}
	return want
}

// limit returns the largest distance of a match.
func limit(opts match.Options) int {
	if opts.MaxDistance == 0 {
		return math.MaxInt
	}
	return max(opts.MaxDistance, 0)
}

// lists returns for each query descriptor the first k matches of those that are not
// above a distance.
func (t *table) lists(k, radius int) []match.Match {
	var want []match.Match
	for _, list := range t.query {
		for n, m := range list {
			if n < k && int(m.Distance) <= radius {
				want = append(want, m)
			}
		}
	}
	return want
}

// before is what every method finds in dst.
var before = []match.Match{{Query: -1, Train: -2, Distance: -3}}

// newDst returns before. If there are many pairs, there is room for all of them, so that no
// time goes to finding some.
func newDst(queries, trains int) []match.Match {
	if pairs := queries * trains; pairs > 2000 {
		return slices.Grow(slices.Clone(before), pairs)
	}
	return before
}

// requireMatches compares all methods with the definition, with all combinations of
// options besides the given ones.
func requireMatches(t testing.TB, query, train []match.Descriptor, opts match.Options) {
	t.Helper()
	before := newDst(len(query), len(train))
	distances := []int{0, 1, 120, -1}
	if testing.Short() && len(query)*len(train) > 2000 {
		distances = []int{0, 120}
	}
	for _, opts.Hamming2 = range []bool{false, true} {
		table := newTable(query, train, opts.Hamming2)
		// same compares what a method appends to before, with every instruction set.
		same := func(want []match.Match, get func() []match.Match, method string, args ...any) {
			t.Helper()
			for _, isa := range cpu.InstructionSets("match") {
				restore := cpu.Limit(isa.Set)
				got := get()
				restore()
				if got[0] != before[0] || !slices.Equal(want, got[1:]) { // much faster than require.Equal
					imagetest.RequireSame(t, append(slices.Clone(before), want...), got, "%s, %s of %d and %d with %+v", isa.Name, fmt.Sprintf(method, args...), len(query), len(train), opts)
				}
			}
		}
		for _, opts.MaxDistance = range distances {
			most := limit(opts)
			for _, opts.CrossCheck = range []bool{false, true} {
				for _, opts.Ratio = range []float64{0, 0.8, 1} {
					m := matcher(t, opts)
					same(table.match(opts), func() []match.Match { return m.Append(before, query, train) }, "Append")
				}
			}
			m := matcher(t, opts)
			for _, k := range []int{-1, 0, 1, 2, 3, 17, len(train), len(train) + 1} {
				same(table.lists(k, most), func() []match.Match { return m.AppendKNearest(before, query, train, k) }, "%d nearest", k)
			}
			for _, radius := range []int{-1, 0, 1, 100, 128, math.MaxInt} {
				same(table.lists(math.MaxInt, min(radius, most)), func() []match.Match { return m.AppendWithin(before, query, train, radius) }, "within %d", radius)
			}
		}
	}
}

// A finder is a matcher of any kind.
type finder[E any] interface {
	Append(dst []match.Match, query, train []E) []match.Match
	AppendKNearest(dst []match.Match, query, train []E, k int) []match.Match
	AppendWithin(dst []match.Match, query, train []E, radius int) []match.Match
	AppendNear(dst []match.Match, query, train []E, circles []match.Circle, grid *match.Grid) []match.Match
}

// requireTable compares all methods but AppendNear of finders with the table of the sets, with
// the given largest distances and radii. create makes them with options that leave the number of
// workers to it.
func requireTable[E any](t testing.TB, table *table, query, train []E, distances, radii []int, create func(match.Options) finder[E]) {
	t.Helper()
	before := newDst(len(table.query), len(table.train))
	var opts match.Options
	same := func(want, got []match.Match, method string) {
		t.Helper()
		if got[0] != before[0] || !slices.Equal(want, got[1:]) {
			imagetest.RequireSame(t, append(slices.Clone(before), want...), got, "%s of %d and %d %T with %+v", method, len(table.query), len(table.train), query[:0], opts)
		}
	}
	for _, opts.MaxDistance = range distances {
		if testing.Short() && opts.MaxDistance != 0 && len(table.query)*len(table.train) > 10_000 {
			continue // smaller sets have all limits
		}
		for _, opts.CrossCheck = range []bool{false, true} {
			for _, opts.Ratio = range []float64{0, 0.9} {
				same(table.match(opts), create(opts).Append(before, query, train), "Append")
			}
		}
		f, most := create(opts), limit(opts)
		for _, k := range []int{-1, 0, 1, 2, 3, len(table.train) + 1} {
			same(table.lists(k, most), f.AppendKNearest(before, query, train, k), fmt.Sprintf("%d nearest", k))
		}
		for _, radius := range radii {
			same(table.lists(math.MaxInt, min(radius, most)), f.AppendWithin(before, query, train, radius), fmt.Sprintf("within %d", radius))
		}
	}
}

// contents makes descriptors of several kinds.
var contents = map[string]func(rng *rand.Rand, n int) []match.Descriptor{
	"random": random,
	"few bits": func(rng *rand.Rand, n int) []match.Descriptor { // many distances are equal
		list := make([]match.Descriptor, n)
		for i := range list {
			list[i][rng.IntN(32)] = byte(rng.IntN(4))
		}
		return list
	},
	"equal": func(_ *rand.Rand, n int) []match.Descriptor { return make([]match.Descriptor, n) },
	"opposite": func(rng *rand.Rand, n int) []match.Descriptor { // distances of 0 and 256
		list := make([]match.Descriptor, n)
		for i := range list {
			if rng.IntN(2) > 0 {
				for k := range list[i] {
					list[i][k] = 0xff
				}
			}
		}
		return list
	},
}

// eachISA runs a test with each instruction set.
func eachISA(t *testing.T, test func(t *testing.T)) {
	for _, isa := range cpu.InstructionSets("match") {
		t.Run("isa="+isa.Name, func(t *testing.T) {
			defer cpu.Limit(isa.Set)()
			test(t)
		})
	}
}

// TestSmall compares small sets.
func TestSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, content := range contents {
		t.Run("content="+name, func(t *testing.T) {
			queries, trains := []int{0, 1, 2, 5, 33}, []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33}
			if testing.Short() {
				queries, trains = []int{0, 2, 33}, []int{0, 1, 2, 9, 17}
			}
			for _, query := range queries {
				for _, train := range trains {
					q, tr := content(rng, query), content(rng, train)
					requireMatches(t, q, tr, match.Options{})
				}
			}
		})
	}
}

// TestLarge compares sets around the size of chunks, batches and groups.
func TestLarge(t *testing.T) {
	sizes := []struct{ query, train int }{{3, 47 * 16}, {33, 48*16 - 1}, {2, 48*16 + 1}, {65, 48 * 16}, {2, 49 * 16}, {7, 1540}, {200, 40}}
	if testing.Short() {
		sizes = sizes[:3]
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range sizes {
		for name, content := range contents {
			if testing.Short() && size.query > 30 && name == "opposite" {
				continue
			}
			t.Run(fmt.Sprintf("content=%s/query=%d/train=%d", name, size.query, size.train), func(t *testing.T) {
				q, tr := content(rng, size.query), content(rng, size.train)
				requireMatches(t, q, tr, match.Options{Workers: 2})
			})
		}
	}
}

// TestMatch32 compares short descriptors.
func TestMatch32(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for _, n := range []int{0, 1, 2, 15, 128} {
			var short [2][]match.Descriptor32
			var wide [2][]match.Descriptor
			for i := range short {
				for range n {
					d := match.Descriptor32(rng.Uint32())
					short[i] = append(short[i], d)
					wide[i] = append(wide[i], match.Descriptor{byte(d), byte(d >> 8), byte(d >> 16), byte(d >> 24)})
				}
			}
			for _, opts := range []match.Options{{}, {CrossCheck: true}, {Ratio: 0.9}, {MaxDistance: 9, Hamming2: true}} {
				m := matcher(t, opts)
				want := newTable(wide[0], wide[1], opts.Hamming2).match(opts)
				imagetest.RequireSame(t, want, m.Match32(short[0], short[1]))
				got := m.AppendMatch32(before, short[0], short[1])
				require.Equal(t, append(slices.Clone(before), want...), got)
			}
		}
	})
}

// TestWorkers checks that the number of workers changes nothing.
func TestWorkers(t *testing.T) {
	defer match.ForceWorkers()()
	eachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		query, train := contents["few bits"](rng, 300), random(rng, 800)
		copy(train[500:], query[:250])
		if testing.Short() {
			query, train = query[:150], train[:600]
		}
		for _, opts := range []match.Options{{}, {CrossCheck: true}, {CrossCheck: true, Ratio: 0.9, Hamming2: true}} {
			var want [3][]match.Match
			for _, workers := range []int{0, 1, 2, 3, 4, -1} {
				opts.Workers = workers
				m := matcher(t, opts)
				for i, got := range [][]match.Match{
					m.Match(query, train), m.KNearest(query, train, 5), m.Within(query, train, 70),
				} {
					if workers == 0 {
						want[i] = got
					}
					require.NotEmpty(t, got)
					require.True(t, slices.Equal(want[i], got), "method %d with %+v", i, opts)
				}
			}
		}
	})
}

// TestConcurrent uses one Matcher in many goroutines.
func TestConcurrent(t *testing.T) {
	defer match.ForceWorkers()()
	m := matcher(t, match.Options{CrossCheck: true, Ratio: 0.99, Workers: 2})
	rng := rand.New(rand.NewPCG(9, 10))
	var wait sync.WaitGroup
	for i := range 6 {
		query, train := random(rng, 100+i), random(rng, 790+i)
		want, wantLists := m.Match(query, train), m.KNearest(query, train, 4)
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range 20 {
				if !slices.Equal(want, m.Match(query, train)) || !slices.Equal(wantLists, m.KNearest(query, train, 4)) {
					t.Error("other matches than alone")
					return
				}
			}
		}()
	}
	wait.Wait()
}

// TestNew checks which options are refused.
func TestNew(t *testing.T) {
	for ratio, want := range map[float64]string{
		-0.1:       "match: Options.Ratio is -0.1, not 0 to 1",
		1.5:        "match: Options.Ratio is 1.5, not 0 to 1",
		math.NaN(): "match: Options.Ratio is NaN, not 0 to 1",
	} {
		_, err := match.New(match.Options{Ratio: ratio})
		require.EqualError(t, err, want)
	}
	for _, most := range []int{math.MaxInt, math.MinInt} {
		matcher(t, match.Options{Ratio: 1, MaxDistance: most, CrossCheck: true, Hamming2: true, Workers: -1})
	}
}

// TestZeroMatcher checks that every method of a Matcher that New has not made panics.
func TestZeroMatcher(t *testing.T) {
	var m match.Matcher
	for _, do := range []func(){
		func() { m.Match(nil, nil) },
		func() { m.Append(nil, nil, nil) },
		func() { m.Match32(nil, nil) },
		func() { m.AppendMatch32(nil, nil, nil) },
		func() { m.KNearest(nil, nil, 0) },
		func() { m.AppendKNearest(nil, nil, nil, 0) },
		func() { m.Within(nil, nil, -1) },
		func() { m.AppendWithin(nil, nil, nil, -1) },
	} {
		require.PanicsWithValue(t, "match: Matcher not made by New", do)
	}
}

// TestNothing checks that there are no matches without descriptors.
func TestNothing(t *testing.T) {
	m := matcher(t, match.Options{})
	require.Nil(t, m.Match(nil, nil))
	require.Nil(t, m.Match32(nil, nil))
	require.Nil(t, m.KNearest(nil, nil, 3))
	require.Nil(t, m.Within(nil, nil, 3))
}

// TestAllocs checks that methods do not allocate when there is room.
func TestAllocs(t *testing.T) {
	imagetest.SkipRace(t)
	eachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		query, train := random(rng, 70), random(rng, 800)
		short := make([]match.Descriptor32, 50)
		room := make([]match.Match, 0, 70*800)
		m := matcher(t, match.Options{CrossCheck: true, Ratio: 0.99, Hamming2: true})
		f := newFlat[byte](t, match.FlatOptions{Bytes: 61, CrossCheck: true, Ratio: 0.99})
		flatQuery, flatTrain := make([]byte, 61*70), make([]byte, 61*800)
		w := newFlat[uint64](t, match.FlatOptions{Bytes: 16, CrossCheck: true})
		wordQuery, wordTrain := make([]uint64, 2*70), make([]uint64, 2*800)
		l, vectors := newL2(t, match.L2Options{CrossCheck: true, Ratio: 0.99}), randomVectors(rng, 800)
		points := scattered(rng, 800)
		circles, grid := match.Circles(points[:70], 50), match.NewGrid(points)
		for name, do := range map[string]func(){
			"Append":     func() { m.Append(room, query, train) },
			"Match32":    func() { m.AppendMatch32(room, short, short) },
			"2 nearest":  func() { m.AppendKNearest(room, query, train, 2) },
			"20 nearest": func() { m.AppendKNearest(room, query, train, 20) },
			"Within":     func() { m.AppendWithin(room, query, train, 60) },

			"Append of Flat":     func() { f.Append(room, flatQuery, flatTrain) },
			"20 nearest of Flat": func() { f.AppendKNearest(room, flatQuery, flatTrain, 20) },
			"Within of Flat":     func() { f.AppendWithin(room, flatQuery, flatTrain, 60) },

			"Append of words": func() { w.Append(room, wordQuery, wordTrain) },

			"Append of L2":     func() { l.Append(room, vectors[:70], vectors) },
			"20 nearest of L2": func() { l.AppendKNearest(room, vectors[:70], vectors, 20) },
			"Within of L2":     func() { l.AppendWithin(room, vectors[:70], vectors, 1_200_000) },
			"Near of L2":       func() { l.AppendNear(room, vectors[:70], vectors, circles, grid) },

			"Near":          func() { m.AppendNear(room, query, train, circles, grid) },
			"Near of Flat":  func() { f.AppendNear(room, flatQuery, flatTrain, circles, grid) },
			"Near of words": func() { w.AppendNear(room, wordQuery, wordTrain, circles, grid) },
			"grid":          func() { match.GridInto(grid, points) },
			"circles":       func() { match.AppendCircles(circles[:0], points[:70], 50) },

			"on the stack": func() {
				var stack [8]match.Match
				m.Append(stack[:0], query[:8], train)
			},
		} {
			require.Zero(t, imagetest.Allocs(10, do), name)
		}
	})
}

// stretches returns n descriptors or vectors that are stretches of the data, which is repeated.
func stretches[D match.Descriptor | match.Vector](data []byte, n, seed int) []D {
	list := make([]D, n)
	for i := range list {
		for k := range len(list[i]) {
			if len(data) > 0 {
				list[i][k] = data[(seed+i*37+k*(1+i%3))%len(data)]
			}
		}
	}
	return list
}

// FuzzMatch is TestSmall on descriptors that are data.
func FuzzMatch(f *testing.F) {
	f.Add([]byte("some bits"), uint16(40), uint16(30), uint8(3))
	f.Add([]byte{0, 0, 0, 1}, uint16(65), uint16(17), uint8(0))
	f.Add([]byte{0xff, 0}, uint16(3), uint16(40020), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, query, train uint16, workers uint8) {
		n := int(train % 40)
		if train >= 1<<15 {
			n += 48*16 - 20 // around the size of a chunk
			query %= 4
		}
		requireMatches(t, stretches[match.Descriptor](data, int(query%40), 0), stretches[match.Descriptor](data, n, 11), match.Options{Workers: int(workers % 4)})
	})
}
