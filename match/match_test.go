package match_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/stretchr/testify/require"
)

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

// requireTable compares all methods but AppendNear of matchers with the table of the sets, with the
// given largest distances and radii, and with all combinations of options besides the given ones.
func requireTable[D descriptor](t testing.TB, table *table, query, train []D, distances, radii []int, opts match.Options) {
	t.Helper()
	before := newDst(len(table.query), len(table.train))
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
				same(table.match(opts), newMatcher[D](t, opts).Append(before, query, train), "Append")
			}
		}
		m, most := newMatcher[D](t, opts), limit(opts)
		for _, k := range []int{-1, 0, 1, 2, 3, len(table.train) + 1} {
			same(table.lists(k, most), m.AppendKNearest(before, query, train, k), fmt.Sprintf("%d nearest", k))
		}
		for _, radius := range radii {
			same(table.lists(math.MaxInt, min(radius, most)), m.AppendWithin(before, query, train, radius), fmt.Sprintf("within %d", radius))
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

// shorten returns the first 32 bits of descriptors, and descriptors that have no others.
func shorten(list []match.Descriptor) (short []match.Descriptor32, first []match.Descriptor) {
	for _, d := range list {
		short = append(short, match.Descriptor32(binary.LittleEndian.Uint32(d[:])))
		clear(d[4:])
		first = append(first, d)
	}
	return short, first
}

// TestDescriptor32 compares sets of short descriptors.
func TestDescriptor32(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for name, content := range contents {
			for _, size := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {2, 15}, {128, 128}, {70, 800}} {
				if testing.Short() && size[1] > 100 && name != "random" {
					continue
				}
				query, firstOfQuery := shorten(content(rng, size[0]))
				train, firstOfTrain := shorten(content(rng, size[1]))
				for _, hamming2 := range []bool{false, true} {
					table := newTable(firstOfQuery, firstOfTrain, hamming2)
					requireTable(t, table, query, train, []int{0, 9, -1}, []int{-1, 0, 12, 32, math.MaxInt}, match.Options{Hamming2: hamming2})
				}
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
	const hamming2, length = "match: Options.Hamming2 is true, not false for ", "match: Options.Length is 32, not 0 for "
	for ratio, want := range map[float64]string{
		-0.1:       "match: Options.Ratio is -0.1, not 0 to 1",
		1.5:        "match: Options.Ratio is 1.5, not 0 to 1",
		math.NaN(): "match: Options.Ratio is NaN, not 0 to 1",
	} {
		requireNewFails[match.Descriptor](t, match.Options{Ratio: ratio}, want)
		requireNewFails[match.Descriptor32](t, match.Options{Ratio: ratio}, want)
		requireNewFails[match.Vector](t, match.Options{Ratio: ratio}, want)
		requireNewFails[byte](t, match.Options{Ratio: ratio}, want)
		requireNewFails[uint64](t, match.Options{Ratio: ratio}, want)
	}
	requireNewFails[match.Vector](t, match.Options{Hamming2: true}, hamming2+"Vector")
	requireNewFails[byte](t, match.Options{Hamming2: true}, hamming2+"byte")
	requireNewFails[uint64](t, match.Options{Hamming2: true}, hamming2+"uint64")
	requireNewFails[match.Descriptor](t, match.Options{Length: 32}, length+"Descriptor")
	requireNewFails[match.Descriptor32](t, match.Options{Length: 32}, length+"Descriptor32")
	requireNewFails[match.Vector](t, match.Options{Length: 32}, length+"Vector")
	for _, length := range []int{-1, 129, math.MinInt, math.MaxInt} {
		requireNewFails[byte](t, match.Options{Length: length}, fmt.Sprintf("match: Options.Length is %d, not 1 to 128 for byte", length))
	}
	for _, length := range []int{-8, 4, 12, 136} {
		requireNewFails[uint64](t, match.Options{Length: length}, fmt.Sprintf("match: Options.Length is %d, not a multiple of 8 from 8 to 128 for uint64", length))
	}
}

// requireNewFails checks the error of New.
func requireNewFails[D descriptor](t *testing.T, opts match.Options, want string) {
	t.Helper()
	m, err := match.New[D](opts)
	require.EqualError(t, err, want)
	require.Nil(t, m)
}

// TestOptions checks what Options returns.
func TestOptions(t *testing.T) {
	requireOptions[match.Descriptor](t, 256, match.Options{Ratio: 1, CrossCheck: true, Hamming2: true})
	requireOptions[match.Descriptor32](t, 32, match.Options{Ratio: 0.5, Hamming2: true})
	requireOptions[match.Vector](t, maxSquared, match.Options{Ratio: 0.5, CrossCheck: true})
	requireOptions[byte](t, 8, match.Options{Length: 1})
	requireOptions[byte](t, 1024, match.Options{Length: 128, CrossCheck: true, Ratio: 0.5})
	requireOptions[uint64](t, 128, match.Options{Length: 16})
	require.Equal(t, 64, newMatcher[byte](t, match.Options{}).Options().Length)
	require.Equal(t, 64, newMatcher[uint64](t, match.Options{}).Options().Length)
}

// requireOptions checks what becomes of MaxDistance, whose largest value is given, and that the other
// options stay.
func requireOptions[D descriptor](t *testing.T, most int, opts match.Options) {
	t.Helper()
	want := opts
	want.Workers = 1
	for opts.MaxDistance, want.MaxDistance = range map[int]int{0: most, -5: 0, 1: 1, most: most, most + 1: most, math.MaxInt: most, math.MinInt: 0} {
		require.Equal(t, want, newMatcher[D](t, opts).Options())
	}
}

// TestZeroMatcher checks that every method of a Matcher that New has not made panics.
func TestZeroMatcher(t *testing.T) {
	requireZeroPanics[match.Descriptor](t)
	requireZeroPanics[match.Descriptor32](t)
	requireZeroPanics[match.Vector](t)
	requireZeroPanics[byte](t)
	requireZeroPanics[uint64](t)
}

func requireZeroPanics[D descriptor](t *testing.T) {
	var m match.Matcher[D]
	for _, do := range []func(){
		func() { m.Match(nil, nil) },
		func() { m.Append(nil, nil, nil) },
		func() { m.KNearest(nil, nil, 0) },
		func() { m.AppendKNearest(nil, nil, nil, 0) },
		func() { m.Within(nil, nil, -1) },
		func() { m.AppendWithin(nil, nil, nil, -1) },
		func() { m.Near(nil, nil, nil, nil) },
		func() { m.AppendNear(nil, nil, nil, nil, nil) },
		func() { m.Options() },
	} {
		require.PanicsWithValue(t, "match: Matcher not made by New", do)
	}
}

// TestNothing checks that there are no matches without descriptors.
func TestNothing(t *testing.T) {
	requireNothing(t, make([]match.Descriptor, 2))
	requireNothing(t, make([]match.Descriptor32, 2))
	requireNothing(t, make([]match.Vector, 2))
	requireNothing(t, make([]byte, 128))
	requireNothing(t, make([]uint64, 16))
}

func requireNothing[D descriptor](t *testing.T, two []D) {
	m, points := newMatcher[D](t, match.Options{}), make([]place, 2)
	for _, sets := range [][2][]D{{nil, nil}, {two, nil}, {nil, two}, {two, two[:0]}, {two[:0], two}} {
		require.Nil(t, m.Match(sets[0], sets[1]))
		require.Nil(t, m.KNearest(sets[0], sets[1], 3))
		require.Nil(t, m.Within(sets[0], sets[1], 3))
		circles, trains := points, points
		if len(sets[0]) == 0 {
			circles = nil
		}
		if len(sets[1]) == 0 {
			trains = nil
		}
		require.Nil(t, m.Near(sets[0], sets[1], match.Circles(circles, 1), match.NewGrid(trains)))
	}
	require.Len(t, m.Within(two, two, 3), 4)
}

// TestAllocs checks that methods do not allocate when there is room.
func TestAllocs(t *testing.T) {
	imagetest.SkipRace(t)
	eachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		descs, vectors := random(rng, 800), randomVectors(rng, 800)
		requireNoAllocs(t, match.Options{Hamming2: true}, descs[:70], descs, 60)
		requireNoAllocs(t, match.Options{}, descs[:70], descs, 60)
		requireNoAllocs(t, match.Options{}, make([]match.Descriptor32, 70), make([]match.Descriptor32, 800), 3)
		requireNoAllocs(t, match.Options{}, vectors[:70], vectors, 1_200_000)
		requireNoAllocs(t, match.Options{Length: 61}, make([]byte, 61*70), make([]byte, 61*800), 60)
		requireNoAllocs(t, match.Options{Length: 16}, make([]uint64, 2*70), make([]uint64, 2*800), 60)

		points := scattered(rng, 800)
		circles, grid := match.Circles(points[:70], 50), match.NewGrid(points)
		require.Zero(t, imagetest.Allocs(10, func() { match.GridInto(grid, points) }))
		require.Zero(t, imagetest.Allocs(10, func() { match.AppendCircles(circles[:0], points[:70], 50) }))
	})
}

// requireNoAllocs checks the methods of a matcher on sets of 70 and 800 descriptors.
func requireNoAllocs[D descriptor](t *testing.T, opts match.Options, query, train []D, radius int) {
	t.Helper()
	opts.CrossCheck, opts.Ratio = true, 0.99
	m := newMatcher[D](t, opts)
	points := scattered(rand.New(rand.NewPCG(13, 14)), 800)
	circles, grid := match.Circles(points[:70], 50), match.NewGrid(points)
	room := make([]match.Match, 0, 70*800)
	for _, test := range []struct {
		name string
		do   func()
	}{
		{"Append", func() { m.Append(room, query, train) }},
		{"2 nearest", func() { m.AppendKNearest(room, query, train, 2) }},
		{"20 nearest", func() { m.AppendKNearest(room, query, train, 20) }},
		{"Within", func() { m.AppendWithin(room, query, train, radius) }},
		{"Near", func() { m.AppendNear(room, query, train, circles, grid) }},
		{"on the stack", func() {
			var stack [80]match.Match
			m.Append(stack[:0], query, train)
		}},
	} {
		require.Zero(t, imagetest.Allocs(10, test.do), "%s of %T", test.name, query)
	}
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
