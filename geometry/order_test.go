package geometry

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOrder checks that the order of pairs depends on nothing but what they are: with so many
// equal pairs that have other distances that they are sorted in either way, and with pairs that
// have the same hash.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 1))
	type pair struct {
		a, b     Point
		distance float64
	}
	var list []pair
	first := pair{Point{1, 2}, Point{3, 4}, 0}
	key := mix(mix(mix(floatBits(1)+golden)^floatBits(2))^floatBits(3)) ^ floatBits(4)
	for x := 10.0; len(list) < 5; x++ {
		// Some numbers make the same of another x.
		y := math.Float64frombits(mix(mix(mix(floatBits(x)+golden)^floatBits(2))^floatBits(3)) ^ key)
		if p := (pair{Point{x, 2}, Point{3, y}, 0}); usable(p.b) {
			list = append(list, p)
		}
	}
	list = append(list, first)
	for i := range 9 {
		for range 6 * i {
			list = append(list, pair{Point{float64(i), 0}, Point{9, 9}, random.NormFloat64()})
		}
	}
	var s sorter
	sorted := func() (pairs []pair) {
		var a, b []Point
		var distances []float64
		for _, p := range list {
			a, b, distances = append(a, p.a), append(b, p.b), append(distances, p.distance)
		}
		s.sort(a, b, distances)
		for _, i := range s.order {
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
	p := points(random, len(distances))
	var s sorter
	s.sort(p, p, distances)
	want := make([]int, len(distances))
	for i := range want {
		want[i] = i
	}
	slices.SortStableFunc(want, func(i, k int) int { return cmp.Compare(distances[s.order[i]], distances[s.order[k]]) })
	var got []int
	for _, k := range s.byDistance(distances) {
		got = append(got, k.index)
	}
	require.Equal(t, want, got)
}
