package consensus

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEnough compares with how many cycles are enough by the formula log(1-confidence) /
// log(miss), miss being the probability that a cycle has no sample of inliers only. Pairs 0 to
// 31 of 64 are inliers.
func TestEnough(t *testing.T) {
	masks := []byte{255, 255, 255, 255, 0, 0, 0, 0}
	// Four of the 16 pairs of this pool are inliers.
	pool := make([]uint8, 64)
	for i := 28; i < 44; i++ {
		pool[i] = 1
	}
	for _, test := range []struct {
		Sampler
		want int
	}{
		{Sampler{Size: 1, pools: 1, Confidence: 0.75}, 2},    // 0.5 to the power of 2 is 0.25
		{Sampler{Size: 1, pools: 1, Confidence: 0.99}, 7},    // -4.605 / -0.693 = 6.6
		{Sampler{Size: 4, pools: 1, Confidence: 0.999}, 108}, // -6.908 / -0.0645 = 107.03
		{Sampler{Size: 4, pools: 1, Confidence: 0.999, Most: 50}, 50},
		{Sampler{Size: 1, pools: 1, Confidence: 0.99, Least: 20}, 20},
		{Sampler{Size: 1, pools: 1, Confidence: 0.99, Least: 20, Most: 15}, 15},
		{Sampler{Size: 1, pools: 2, Confidence: 0.99}, 2 * 5}, // miss is 0.5 * 0.75; 4.7
		{Sampler{Size: 1, pools: 2, Confidence: 0.99, Most: 9}, 9},
		{Sampler{Size: 1, pools: 3, Confidence: 0.99}, 3 * 5}, // nothing is known of the third pool
	} {
		s := test.Sampler
		s.pool = pool
		if s.Most == 0 {
			s.Most = 1000
		}
		require.Equal(t, test.want, s.Enough(masks, 64), fmt.Sprint(test))
	}
}

// TestPools checks how many pools there are, and that each has the first half of the one before.
func TestPools(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 1))
	for n, pools := range map[int]int{5: 1, 31: 1, 32: 2, 63: 2, 64: 3, 127: 3, 128: 4, 1000: 4} {
		distances := make([]float64, n)
		for i, k := range random.Perm(n) {
			distances[i] = float64(k)
		}
		var order Sorter
		randomPairs(random, distances).sort(&order)
		var s Sampler
		s.Begin(0, &order, distances)
		require.Equal(t, pools, s.pools, n)
		for k, i := range order.Order {
			if pools > 1 {
				require.Equal(t, k, s.ranks[int(distances[i])])
				want := 0
				for want+1 < pools && int(distances[i]) < n>>(want+1) {
					want++
				}
				require.Equal(t, want, int(s.pool[k]))
			}
		}
		s.Begin(0, &order, nil)
		require.Equal(t, 1, s.pools)
	}
}
