package geometry

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSameBits checks that the result has the same bits on every platform. The hashes are those
// of portable Go on amd64.
func TestSameBits(t *testing.T) {
	require.Equal(t, "70021760d0a7df68", hash(t, Homography, Affine, Similarity, Translation))
	require.Equal(t, "f2886cc9a1b29232", hash(t, Rigid))
}

// hash returns a hash of results of the kinds.
func hash(t *testing.T, kinds ...Kind) string {
	h := fnv.New64a()
	add := func(values ...float64) {
		for _, v := range values {
			binary.Write(h, binary.LittleEndian, math.Float64bits(v))
		}
	}
	for _, kind := range kinds {
		for _, n := range []int{0, 9, 30, 200, 1000, 3000} {
			for seed := range uint64(3) {
				g := recipe{Kind: kind, Seed: 100 + seed, N: n, Permille: 350 + 250*int(seed), Sigma: 600, Distances: seed%2 > 0}
				p, _ := g.make()
				fit, inliers, err := estimate(t, Options{Kind: kind, Seed: seed}, p)
				add(fit.Transform[:]...)
				fmt.Fprint(h, fit.Inliers, fit.Samples, inliers, err)
				if least, ok := LeastSquares(kind, p.a, p.b); ok && err == nil {
					inverse, _ := least.Inverse()
					both := least.Mul(fit.Transform)
					q := both.Apply(Point{12, 34})
					add(append(append(least[:], inverse[:]...), q.X, q.Y)...)
				}
				if n >= kind.Pairs() {
					exact, _ := Exact(kind, p.a[:kind.Pairs()], p.b[:kind.Pairs()])
					add(exact[:]...)
				}
			}
		}
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
