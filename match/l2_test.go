package match_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/stretchr/testify/require"
)

// squares has the square of each difference of two bytes, as the sum of the first odd numbers.
var squares = func() (list [256]int32) {
	for i := 1; i < len(list); i++ {
		list[i] = list[i-1] + int32(2*i-1)
	}
	return list
}()

// squaredDistance is the distance by its definition.
func squaredDistance(a, b *match.Vector) (sum int32) {
	for i := range a {
		sum += squares[max(a[i], b[i])-min(a[i], b[i])]
	}
	return sum
}

// maxSquared is the largest distance of two vectors.
const maxSquared = 8_323_200

// vectorContents makes vectors of several kinds.
var vectorContents = map[string]func(rng *rand.Rand, n int) []match.Vector{
	"random": randomVectors,
	"few": func(rng *rand.Rand, n int) []match.Vector { // many distances are equal
		list := make([]match.Vector, n)
		for i := range list {
			list[i][rng.IntN(128)] = byte(rng.IntN(4))
		}
		return list
	},
	"equal": func(_ *rand.Rand, n int) []match.Vector { // large products, and the distance 0
		list := make([]match.Vector, n)
		for i := range list {
			list[i] = match.Vector(slices.Repeat([]byte{255}, 128))
		}
		return list
	},
	"opposite": func(rng *rand.Rand, n int) []match.Vector { // the largest distance, and 0
		list := make([]match.Vector, n)
		for i := range list {
			list[i] = match.Vector(slices.Repeat([]byte{byte(-rng.IntN(2))}, 128))
		}
		return list
	},
	"extreme": func(rng *rand.Rand, n int) []match.Vector { // numbers where signs change and words are full
		list := make([]match.Vector, n)
		for i := range list {
			for k := range list[i] {
				list[i][k] = []byte{0, 1, 127, 128, 254, 255}[rng.IntN(6)]
			}
		}
		return list
	},
	"near": func(rng *rand.Rand, n int) []match.Vector { // differences that are small or large
		list := make([]match.Vector, n)
		for i := range list {
			for k := range list[i] {
				list[i][k] = byte(-rng.IntN(2)) ^ byte(rng.IntN(2))
			}
		}
		return list
	},
}

// contentNames are the names of vectorContents, in an order that is the same in each run, as are
// then the data.
var contentNames = slices.Sorted(maps.Keys(vectorContents))

// randomVectors returns n random vectors.
func randomVectors(rng *rand.Rand, n int) []match.Vector {
	list := make([]match.Vector, n)
	for i := range list {
		for k := range list[i] {
			list[i][k] = byte(rng.Uint32())
		}
	}
	return list
}

// requireL2 compares all methods but Near with the definition, with every instruction set.
func requireL2(t testing.TB, query, train []match.Vector, workers int) {
	t.Helper()
	table := tableOf(len(query), len(train), func(i, j int) int32 { return squaredDistance(&query[i], &train[j]) })
	table.squared = true
	for _, isa := range cpu.InstructionSets("match") {
		func() {
			defer cpu.Limit(isa.Set)()
			requireTable(t, table, query, train, []int{0, 1_300_000, 1, -1}, []int{-1, 0, 2, 1_200_000, maxSquared - 1, maxSquared, math.MaxInt}, match.Options{Workers: workers})
		}()
	}
}

// TestL2Small compares sets of 0 to 70 vectors.
func TestL2Small(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for i := range 71 {
		// All sizes of the one set with some of the other.
		for _, k := range []int{i, []int{1, 2, 33}[i%3]} {
			if testing.Short() && (i%16 > 1 || k > 2 && i > 33) {
				continue
			}
			content := vectorContents[contentNames[rng.IntN(len(contentNames))]]
			requireL2(t, content(rng, i), content(rng, k), 1)
			requireL2(t, content(rng, k), content(rng, i), 1)
		}
	}
	for _, name := range contentNames {
		t.Run("content="+name, func(t *testing.T) {
			for _, size := range [][2]int{{0, 0}, {1, 1}, {5, 3}, {9, 37}, {40, 17}} {
				requireL2(t, vectorContents[name](rng, size[0]), vectorContents[name](rng, size[1]), 1)
			}
		})
	}
}

// TestL2Large compares sets around the sizes of chunks, batches and groups.
func TestL2Large(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	sizes := []struct{ query, train int }{{9, 513}, {520, 40}, {3, 256}, {2, 257}, {33, 255}, {2, 511}, {65, 530}, {2, 1030}}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, size := range sizes {
		for _, name := range contentNames {
			content := vectorContents[name]
			if size.query > 30 && name != "random" && name != "opposite" {
				continue
			}
			t.Run(fmt.Sprintf("content=%s/query=%d/train=%d", name, size.query, size.train), func(t *testing.T) {
				requireL2(t, content(rng, size.query), content(rng, size.train), 2)
			})
		}
	}
}

// TestL2Workers checks that the number of workers changes nothing.
func TestL2Workers(t *testing.T) {
	defer match.ForceWorkers()()
	rng := rand.New(rand.NewPCG(35, 36))
	query, train := vectorContents["extreme"](rng, 300), vectorContents["extreme"](rng, 400)
	copy(train[200:], query[:150])
	for _, opts := range []match.Options{{}, {CrossCheck: true}, {CrossCheck: true, Ratio: 0.97}} {
		var want [3][]match.Match
		for _, opts.Workers = range []int{1, 2, 3, 7, -1} {
			m := newMatcher[match.Vector](t, opts)
			for i, got := range [][]match.Match{m.Match(query, train), m.KNearest(query, train, 5), m.Within(query, train, 2_000_000)} {
				if opts.Workers == 1 {
					want[i] = got
				}
				require.NotEmpty(t, got)
				require.True(t, slices.Equal(want[i], got), "method %d with %+v", i, opts)
			}
		}
	}
}

// TestL2Extremes checks what 255 and 0 give, at the most and the least distance.
func TestL2Extremes(t *testing.T) {
	full := match.Vector(slices.Repeat([]byte{255}, 128))
	sets := func(v match.Vector, n int) []match.Vector { return slices.Repeat([]match.Vector{v}, n) }
	eachISA(t, func(t *testing.T) {
		m := newMatcher[match.Vector](t, match.Options{CrossCheck: true})
		for _, n := range []int{1, 7, 50} {
			require.Equal(t, []match.Match{{Distance: maxSquared}}, m.Match(sets(full, n), sets(match.Vector{}, n)))
			require.Equal(t, []match.Match{{Distance: maxSquared}}, m.Match(sets(match.Vector{}, n), sets(full, n)))
			require.Equal(t, []match.Match{{}}, m.Match(sets(full, n), sets(full, n)))
			require.Len(t, m.Within(sets(full, n), sets(match.Vector{}, n), maxSquared), n*n)
			require.Empty(t, m.Within(sets(full, n), sets(match.Vector{}, n), maxSquared-1))
		}
	})
}

// TestL2Ratio checks that the ratio is that of distances, not of their squares, and that it
// must be less.
func TestL2Ratio(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		query, train := []match.Vector{{}}, []match.Vector{{5}, {3}}
		for ratio, want := range map[float64]int{0.36: 0, 0.59: 0, 0.6: 0, math.Nextafter(0.6, 1): 1, 0.61: 1, 1: 1} {
			require.Len(t, newMatcher[match.Vector](t, match.Options{Ratio: ratio}).Match(query, train), want, "%v", ratio)
		}
		// 0.75² has no rounding error, so the border is exact.
		train = []match.Vector{{4}, {3}}
		require.Empty(t, newMatcher[match.Vector](t, match.Options{Ratio: 0.75}).Match(query, train))
		require.Len(t, newMatcher[match.Vector](t, match.Options{Ratio: math.Nextafter(0.75, 1)}).Match(query, train), 1)
	})
}

// TestL2Near compares Near with the definition.
func TestL2Near(t *testing.T) {
	defer match.ForceWorkers()()
	rng := rand.New(rand.NewPCG(37, 38))
	for _, name := range contentNames {
		content := vectorContents[name]
		query, train := content(rng, 60), content(rng, 90)
		points := scattered(rng, 90)
		var circles []match.Circle
		for _, p := range scattered(rng, 60) {
			circles = append(circles, match.Circle{X: p.x, Y: p.y, Radius: 10 + 300*rng.Float32()})
		}
		distances, candidate := make([][]int32, len(query)), make([][]bool, len(query))
		for i := range query {
			for j := range train {
				distances[i] = append(distances[i], squaredDistance(&query[i], &train[j]))
				candidate[i] = append(candidate[i], inside(circles[i], points[j]))
			}
		}
		grid := match.NewGrid(points)
		for _, opts := range []match.Options{
			{}, {CrossCheck: true}, {Ratio: 0.95}, {CrossCheck: true, MaxDistance: 1_300_000, Workers: 3}, {MaxDistance: -1}, {CrossCheck: true, Ratio: 0.99},
		} {
			squared := opts
			squared.Ratio *= opts.Ratio
			want := near(len(query), len(train), func(i, j int) int32 { return distances[i][j] }, func(i, j int) bool { return candidate[i][j] }, squared)
			for _, isa := range cpu.InstructionSets("match") {
				restore := cpu.Limit(isa.Set)
				got := newMatcher[match.Vector](t, opts).AppendNear(before, query, train, circles, grid)
				restore()
				imagetest.RequireSame(t, append(slices.Clone(before), want...), got, "%s, %s, %+v", name, isa.Name, opts)
			}
		}
	}
}

// FuzzL2 is TestL2Small on vectors that are data.
func FuzzL2(f *testing.F) {
	f.Add([]byte("some bytes"), uint8(40), uint16(30), uint8(3))
	f.Add([]byte{0xff, 0}, uint8(3), uint16(40020), uint8(1))
	f.Add([]byte{0x80, 0x7f, 0, 0xff, 1}, uint8(33), uint16(33), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, query uint8, train uint16, workers uint8) {
		n := int(train % 40)
		if train >= 1<<15 {
			n += 256 - 20 // around the size of a chunk
			query %= 4
		}
		requireL2(t, stretches[match.Vector](data, int(query%40), 0), stretches[match.Vector](data, n, 11), int(workers%4))
	})
}
