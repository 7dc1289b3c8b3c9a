package consensus

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// given are pairs of points.
type given struct {
	a, b      [][2]float64
	distances []float64
}

func (g *given) Compare(i, k int) int {
	c := cmp.Or(slices.Compare(g.a[i][:], g.a[k][:]), slices.Compare(g.b[i][:], g.b[k][:]))
	return cmp.Or(c, cmp.Compare(g.distances[i], g.distances[k]))
}

// sort puts the pairs in order.
func (g *given) sort(s *Sorter) {
	s.Begin(len(g.a))
	for i, p := range g.a {
		q := g.b[i]
		s.Add(NewHash(p[0]).With(p[1]).With(q[0]).With(q[1]), i)
	}
	s.Sort(g)
}

// randomPairs returns pairs with distances.
func randomPairs(random *rand.Rand, distances []float64) *given {
	g := &given{distances: distances}
	for range distances {
		p := [2]float64{random.Float64(), random.Float64()}
		g.a, g.b = append(g.a, p), append(g.b, p)
	}
	return g
}

// TestOrder checks that the order of pairs depends on nothing but what they are: with so many
// equal pairs that have other distances that they are sorted in either way, and with pairs that
// have the same hash.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 1))
	type pair struct {
		a, b     [2]float64
		distance float64
	}
	var list []pair
	first := pair{[2]float64{1, 2}, [2]float64{3, 4}, 0}
	key := Mix(Mix(Mix(floatBits(1)+Golden)^floatBits(2))^floatBits(3)) ^ floatBits(4)
	for x := 10.0; len(list) < 5; x++ {
		// Some numbers make the same of another x.
		y := math.Float64frombits(Mix(Mix(Mix(floatBits(x)+Golden)^floatBits(2))^floatBits(3)) ^ key)
		if p := (pair{[2]float64{x, 2}, [2]float64{3, y}, 0}); Usable(3, y) {
			list = append(list, p)
		}
	}
	list = append(list, first)
	for i := range 9 {
		for range 6 * i {
			list = append(list, pair{[2]float64{float64(i), 0}, [2]float64{9, 9}, random.NormFloat64()})
		}
	}
	var s Sorter
	sorted := func() (pairs []pair) {
		var g given
		for _, p := range list {
			g.a, g.b, g.distances = append(g.a, p.a), append(g.b, p.b), append(g.distances, p.distance)
		}
		g.sort(&s)
		for _, i := range s.Order {
			pairs = append(pairs, list[i])
		}
		return pairs
	}
	want := sorted()
	require.ElementsMatch(t, list, want)
	for range 10 {
		random.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		require.Equal(t, want, sorted())
	}
}

// TestByDistance compares with a stable sort, for distances of all signs and sizes.
func TestByDistance(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 2))
	distances := []float64{0, 1, -1, math.Inf(1), math.Inf(-1), 5e-324, -5e-324, math.MaxFloat64, -math.MaxFloat64, math.Copysign(0, -1), 0}
	for range 300 {
		distances = append(distances, math.Round(random.NormFloat64()*20)/4)
	}
	var s Sorter
	randomPairs(random, distances).sort(&s)
	want := make([]int, len(distances))
	for i := range want {
		want[i] = i
	}
	slices.SortStableFunc(want, func(i, k int) int { return cmp.Compare(distances[s.Order[i]], distances[s.Order[k]]) })
	var got []int
	for _, k := range s.byDistance(distances) {
		got = append(got, k.index)
	}
	require.Equal(t, want, got)
}
