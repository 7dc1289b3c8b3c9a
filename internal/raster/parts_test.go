package raster

import (
	"image"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShares checks that small images are worth few workers, and that no size overflows.
func TestShares(t *testing.T) {
	require.Zero(t, Shares(0, 0))
	require.Zero(t, Shares(362, 362))
	require.EqualValues(t, 2, Shares(640, 480))
	require.EqualValues(t, 762, Shares(10_000, 10_000))
	require.Positive(t, Shares(math.MaxInt32, math.MaxInt32))
}

// TestBandRows checks how rows are shared.
func TestBandRows(t *testing.T) {
	require.Equal(t, 480, BandRows(480, 1, 32, 1))
	require.Equal(t, 481, BandRows(480, 1, 32, 13))
	require.Equal(t, 60, BandRows(480, 2, 32, 1))
	require.Equal(t, 64, BandRows(480, 2, 64, 2))
	require.Equal(t, 65, BandRows(480, 2, 64, 5))
}

// TestAppendParts checks that parts cover a region once, but for what overlaps, and that
// their sides are what they are to be.
func TestAppendParts(t *testing.T) {
	for _, region := range []image.Rectangle{
		image.Rect(0, 0, 1, 1), image.Rect(-3, 5, 97, 38), image.Rect(7, 7, 71, 39), image.Rect(0, 0, 65, 8), image.Rect(0, 0, 1000, 3),
	} {
		for _, p := range []struct{ rows, width, align, overlap int }{{8, 64, 32, 0}, {7, 64, 32, 2}, {100, 60, 5, 0}, {1, 1000, 1, 0}} {
			parts := AppendParts([]image.Rectangle{{}}, region, p.rows, p.width, p.align, p.overlap)
			require.Equal(t, image.Rectangle{}, parts[0])
			previous := image.Rectangle{Max: region.Min}
			for _, part := range parts[1:] {
				if part.Min.X == region.Min.X {
					require.Equal(t, previous.Max.Y, part.Min.Y)
				} else {
					require.Equal(t, previous.Max, image.Pt(part.Min.X+p.overlap, part.Max.Y))
				}
				require.True(t, part.In(region) && !part.Empty())
				require.True(t, part.Dx() > p.overlap || region.Dx() <= p.overlap)
				require.LessOrEqual(t, part.Dx(), p.width)
				require.LessOrEqual(t, part.Dy(), p.rows)
				if part.Max.X < region.Max.X {
					require.Zero(t, part.Dx()%p.align)
				}
				if part.Max.Y < region.Max.Y {
					require.Equal(t, p.rows, part.Dy())
				}
				previous = part
			}
			require.Equal(t, region.Max, previous.Max)
		}
	}
}
