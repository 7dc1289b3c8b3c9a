package calibrate

import (
	"image"
	"testing"
	"time"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/stretchr/testify/require"
)

// FuzzFind compares peaks and links with those of the definitions, checks what all boards have in
// common, and compares what is found in an image with what is found in a part of another one. An
// image takes no longer than its size explains.
func FuzzFind(f *testing.F) {
	board, side := centered(4, 3, 9, 0.3)
	small := scene(side, side, 0.5, 1, ink, 1, board)
	f.Add(small.Pix, uint8(small.Stride), uint16(40), uint8(3), uint8(1))
	f.Add(make([]byte, 5000), uint8(70), uint16(1), uint8(5), uint8(3))
	f.Fuzz(func(t *testing.T, pix []byte, width uint8, threshold uint16, levels, workers uint8) {
		w := max(int(width), 1)
		h := min(len(pix)/w, 256)
		if h == 0 {
			return
		}
		img := &image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, h)}
		finder := newFinder(t, FinderOptions{
			MinCorners: 6, Threshold: 1 + int(threshold)%2000, Levels: 1 + int(levels)%5, Workers: 1 + int(workers)%3,
		})
		j := newJob(finder)
		j.begin(raster.NewPlane("calibrate", img))
		j.findPeaks()
		requirePeaks(t, j)
		j.findCrosses()
		j.link()
		requireLinks(t, j)

		start := time.Now()
		boards := finder.Find(img)
		require.Less(t, time.Since(start), 10*time.Second)
		count := len(pix)
		for i := range boards {
			requireSound(t, &boards[i], img)
			require.LessOrEqual(t, boards[i].Count, count)
			count = boards[i].Count
		}
		img.Rect = img.Rect.Add(image.Pt(16, -8))
		moved := finder.Find(img)
		require.Len(t, moved, len(boards))
		for i := range moved {
			require.Equal(t, boards[i].Count, moved[i].Count)
			for k, p := range moved[i].Corners {
				if !isMissing(p) {
					require.Equal(t, boards[i].Corners[k].X+16, p.X)
				}
			}
		}
	})
}

// requireSound checks what all boards have in common.
func requireSound(t testing.TB, b *Board, img *image.Gray) {
	t.Helper()
	require.GreaterOrEqual(t, b.Columns, b.Rows)
	require.Greater(t, b.Rows, 1)
	require.Len(t, b.Corners, b.Columns*b.Rows)
	require.GreaterOrEqual(t, b.Count, 6)
	count := 0
	for _, p := range b.Corners {
		if !isMissing(p) {
			count++
			require.True(t, p.X > 0 && p.Y > 0 && p.X < float64(img.Rect.Dx()-1) && p.Y < float64(img.Rect.Dy()-1), p)
		}
	}
	require.Equal(t, b.Count, count)
}
