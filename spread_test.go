package fast

import (
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpreadOnGrid checks that the nodes of a grid are those that sorting finds, and that a
// grid serves corners that are scattered over the whole image.
func TestSpreadOnGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	served, refused := 0, 0
	for range 2000 {
		bounds := image.Rect(-rng.IntN(50), rng.IntN(50), 50+rng.IntN(800), 51+rng.IntN(800))
		part := bounds // that has corners
		if rng.IntN(2) == 0 {
			part.Max = part.Min.Add(image.Pt(1+rng.IntN(bounds.Dx()), 1+rng.IntN(bounds.Dy())))
		}
		corners := make([]Corner, 1+rng.IntN(3000))
		for i := range corners {
			corners[i] = Corner{int32(part.Min.X + rng.IntN(part.Dx())), int32(part.Min.Y + rng.IntN(part.Dy())), uint8(rng.IntN(20))}
		}
		n := 1 + rng.IntN(len(corners))
		tree, grid, sorted := newQuadtree(bounds), newSelector(corners), newSelector(corners)
		upper, lower, ok := spreadOnGrid(grid, &tree, corners, n)
		if !ok {
			refused++
			require.False(t, part == bounds && len(corners) > 20*n && n > 20, "%d of %d", n, len(corners))
			continue
		}
		served++
		setPlaces(sorted, corners)
		wantUpper, wantLower := sorted.spreadSorted(&tree, n)
		require.Equal(t, withPoints(wantUpper), withPoints(upper))
		require.Equal(t, withPoints(wantLower), withPoints(lower))
	}
	require.Greater(t, served, 200)
	require.Greater(t, refused, 200)
}

// withPoints returns the nodes that have points, sorted.
func withPoints(nodes []node) []node {
	var list []node
	for _, n := range nodes {
		if n != 0 {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}
