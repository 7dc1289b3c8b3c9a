package calibrate

import (
	"image"
	"math"
	"testing"
	"time"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
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

// FuzzMarkers checks what all results for boards with markers have in common, whatever is in the image and
// wherever tags are said to be: on a board that is moved, turned and scaled, but one of them elsewhere.
func FuzzMarkers(f *testing.F) {
	img, p := uprightBoard(tag.Charuco{Family: tag.Family{Kind: tag.ArUco4x4}, Columns: 4, Rows: 3}, 1)
	h := p.transform
	at := p.transform.Apply(p.pattern.Corner(p.cells/2, p.cells/2))
	f.Add(img.Pix, uint8(img.Stride), uint8(4), uint8(3), false, at.X, at.Y, h[0]/16, h[3]/16, uint8(99))
	f.Add(img.Pix, uint8(img.Stride), uint8(5), uint8(4), true, at.X, at.Y, 0.1, -3., uint8(2))
	f.Add(make([]byte, 900), uint8(30), uint8(2), uint8(2), true, 15., 15., math.Inf(1), math.NaN(), uint8(0))
	f.Fuzz(func(t *testing.T, pix []byte, width, columns, rows uint8, legacy bool, x, y, a, b float64, odd uint8) {
		w := max(int(width), 1)
		h := min(len(pix)/w, 256)
		if h == 0 {
			return
		}
		img := &image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, h)}
		board := tag.Charuco{
			Family: tag.Family{Kind: tag.ArUco4x4}, Columns: 2 + int(columns)%12, Rows: 2 + int(rows)%12,
			Square: 8, Marker: 6, Legacy: legacy,
		}
		sheet := tag.Sheet{Family: board.Family, Columns: board.Columns, Rows: board.Rows, Side: 6, Gap: 2, Squares: true}
		turned := func(u, v float64) geometry.Transform {
			return geometry.Transform{3 * a, -3 * b, x + a*u - b*v, 3 * b, 3 * a, y + b*u + a*v, 0, 0, 1}
		}
		var inSquares, inSheet []tag.Tag
		for id := range board.Columns * board.Rows {
			if column, row, ok := board.Place(id); ok {
				m := tag.Tag{ID: id, Family: board.Family, Transform: turned(8*float64(column), 8*float64(row))}
				if id == int(odd) {
					m.Transform = turned(b, a)
					m.Hidden = legacy
				}
				inSquares = append(inSquares, m)
			}
			m := tag.Tag{ID: id, Family: board.Family, Transform: turned(8*float64(id%sheet.Columns), 8*float64(id/sheet.Columns))}
			if id == int(odd) {
				m.Transform = turned(b, a)
			}
			inSheet = append(inSheet, m)
		}
		finder := newFinder(t, FinderOptions{})
		world, points, ids, err := finder.Charuco(img, board, inSquares)
		requireSoundPoints(t, img, world, points, ids, err)
		for i, id := range ids {
			require.Equal(t, board.Corner(id), world[i])
		}
		world, points, ids, err = finder.AprilGrid(img, sheet, inSheet)
		requireSoundPoints(t, img, world, points, ids, err)
	})
}

// requireSoundPoints checks what all results for boards with markers have in common.
func requireSoundPoints(t testing.TB, img *image.Gray, world []pose.Vector, points []geometry.Point, ids []int, err error) {
	t.Helper()
	require.Len(t, world, len(points))
	require.Len(t, ids, len(points))
	require.Equal(t, err != nil, len(ids) == 0)
	for i, p := range points {
		require.True(t, p.X >= 0 && p.Y >= 0 && p.X <= float64(img.Rect.Dx()-1) && p.Y <= float64(img.Rect.Dy()-1), p)
		require.GreaterOrEqual(t, ids[i], 0)
		require.NotContains(t, world[:i], world[i])
	}
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
