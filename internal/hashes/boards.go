package hashes

import (
	"image"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/geometry"
)

// boards adds the chessboards that are found in an image with one.
func boards(s *sum, img *image.Gray, n int, settings Settings) {
	finder := must(calibrate.NewFinder(calibrate.FinderOptions{
		MinCorners: 6, Threshold: 10 + 10*(n%5), Levels: 1 + n%4, Workers: settings.Workers,
	}))
	for _, b := range finder.Find(withBoard(img, n)) {
		s.result().integers(int32(b.Columns), int32(b.Rows), int32(b.Count))
		for _, c := range b.Corners {
			s.doubles(c.X, c.Y)
		}
		s.doubles(b.Deviations...)
	}
}

// withBoard returns a copy of an image with a chessboard in perspective.
func withBoard(img *image.Gray, n int) *image.Gray {
	to := copied(img)
	columns, rows := 6+n%3, 5+n%2 // of squares
	w, h := float64(to.Rect.Dx()), float64(to.Rect.Dy())
	lean := 0.05 * float64(n%5-2)
	cells := float64(columns + 2) // with a margin
	toCells, ok := geometry.Exact(geometry.Homography,
		[]geometry.Point{{X: 0.05 * w, Y: (0.1 + lean) * h}, {X: (0.9 + lean) * w, Y: 0.02 * h}, {X: 0.95 * w, Y: 1.1 * h}, {X: 0.03 * w, Y: (1.2 - lean) * h}},
		[]geometry.Point{{X: 0, Y: 0}, {X: cells, Y: 0}, {X: cells, Y: cells}, {X: 0, Y: cells}})
	if ok {
		placed(to, toCells, columns+2, func(x, y int) bool {
			return x < 1 || y < 1 || x > columns || y > rows || (x+y)%2 == 1
		})
	}
	return to
}
