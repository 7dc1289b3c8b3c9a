package rank_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/rank"
	"github.com/stretchr/testify/require"
)

// TestBuckets compares sorted buckets with a sort of everything, for few and many keys,
// and responses in narrow and wide ranges.
func TestBuckets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	b := rank.NewBuckets("test")
	for i := range 1000 {
		spread := uint32(1) << rng.IntN(31)
		low := rng.Uint32N(1 << 30)
		high := low
		flip := []uint64{0, ^uint64(0), 0xffffffff << 32}[i%3]
		var keys, want, got []uint64
		for range rng.IntN(1 << rng.IntN(14+i%7/6*2)) {
			response := max(low, 5) - 5 + rng.Uint32N(spread)
			key := uint64(response)<<32 | uint64(rng.Uint32())
			keys = append(keys, key)
			high = max(high, response)
			if response > low {
				want = append(want, key)
			}
		}
		descending := func(a, b uint64) int { return cmp.Compare(b, a) }
		slices.SortFunc(want, descending)
		for _, workers := range []int{1, 2, 5} {
			var lists [][]uint64
			for rest := keys; len(rest) > 0; {
				n := 1 + rng.IntN(len(rest))
				if i%10 == 9 {
					n = 1 // more lists than there may be counts
				}
				lists, rest = append(lists, rest[:n]), rest[n:]
			}
			got = got[:0]
			b.Fill(workers, lists, low, high, flip, []int{0, 1, 100}[i/3%3])
			for bucket := range b.Sorted() {
				require.True(t, slices.IsSorted(bucket))
				for i := range bucket {
					bucket[i] ^= flip
				}
				slices.SortFunc(bucket, descending)
				got = append(got, bucket...)
			}
			require.True(t, slices.Equal(want, got))
		}
	}
}
