package selection

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeepOnGrid checks that a grid keeps the points that sorting finds, and that it serves points
// that are scattered over the whole image.
func TestKeepOnGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	served, refused := 0, 0
	for range 2000 {
		bounds := image.Rect(-rng.IntN(50), rng.IntN(50), 50+rng.IntN(800), 51+rng.IntN(800))
		part := bounds // that has corners
		if rng.IntN(2) == 0 {
			part.Max = part.Min.Add(image.Pt(1+rng.IntN(bounds.Dx()), 1+rng.IntN(bounds.Dy())))
		}
		points := 1 + rng.IntN(3000)
		n := 1 + rng.IntN(points)
		tree, grid, sorted := NewQuadtree(bounds), New(points, true), New(points, true)
		level, ok := grid.Level(&tree, points, n)
		places := sorted.Places(points)
		for i := range points {
			x, y, key := int32(part.Min.X+rng.IntN(part.Dx())), int32(part.Min.Y+rng.IntN(part.Dy())), rng.Uint32N(20)
			node := NewNode(key, i)
			places[i].Set(node, x, y)
			if ok && level.X.Contains(x) && level.Y.Contains(y) {
				at := &level.Nodes[level.Y.At(y)*level.W+level.X.At(x)]
				*at = max(*at, node)
			}
		}
		if !ok || !grid.KeepOnGrid(&level, n) {
			refused++
			require.False(t, part == bounds && points > 20*n && n > 20, "%d of %d", n, points)
			continue
		}
		served++
		sorted.KeepSorted(&tree, n)
		require.Equal(t, sorted.kept, grid.kept)
	}
	require.Greater(t, served, 200)
	require.Greater(t, refused, 200)
}
