package calibrate

import (
	"math"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

func newFinder(t testing.TB, opts FinderOptions) *Finder {
	t.Helper()
	f, err := NewFinder(opts)
	require.NoError(t, err)
	return f
}

// isMissing reports whether a corner was not found.
func isMissing(p geometry.Point) bool { return math.IsNaN(p.X) && math.IsNaN(p.Y) }
