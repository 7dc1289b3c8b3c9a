package worker

import (
	"image"
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCount checks that small images get fewer workers, and that no size overflows.
func TestCount(t *testing.T) {
	AlwaysAwake = true
	defer func() { AlwaysAwake = false }()
	require.Equal(t, 1, Count(0, 1000, 1000))
	require.Equal(t, 1, Count(8, 100, 100))
	require.Equal(t, 2, Count(8, 640, 480))
	require.Equal(t, 8, Count(8, 10_000, 10_000))
	require.Equal(t, 8, Count(8, math.MaxInt32, math.MaxInt32))
}

// TestRows checks how rows are shared.
func TestRows(t *testing.T) {
	require.Equal(t, 480, Rows(480, 1, 32, 1))
	require.Equal(t, 481, Rows(480, 1, 32, 13))
	require.Equal(t, 60, Rows(480, 2, 32, 1))
	require.Equal(t, 64, Rows(480, 2, 64, 2))
	require.Equal(t, 65, Rows(480, 2, 64, 5))
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

// TestEach checks that every part is done once, by as many lanes as there are workers and
// parts at most.
func TestEach(t *testing.T) {
	type lane struct{ done []image.Rectangle }
	lanes := NewLanes("test", func() *lane { return new(lane) })
	var parts []image.Rectangle
	for n := range 20 {
		for _, workers := range []int{0, 1, 2, 7} {
			for _, l := range lanes.All() {
				l.done = nil
			}
			count := new(atomic.Int64)
			Each(count, &lanes, workers, parts, func(count *atomic.Int64, l *lane, part image.Rectangle) {
				l.done = append(l.done, part)
				count.Add(1)
			})
			require.EqualValues(t, n, count.Load())
			var done []image.Rectangle
			for _, l := range lanes.All()[:max(min(workers, n), 1)] {
				done = append(done, l.done...)
			}
			require.ElementsMatch(t, parts, done)
		}
		parts = append(parts, image.Rect(n, 0, n+1, 1))
	}
	require.Len(t, lanes.All(), 7)
}
