package hashes

import (
	"image"
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/tag"
)

// tagFamilies are those of the markers in images, which have all kinds of quads.
var tagFamilies = []tag.Family{
	{}, {Kind: tag.ArUco5x5, Codes: 50}, {Kind: tag.Standard41h12}, {Border: 2}, {Kind: tag.Tag16h5, Inverted: true},
}

// markers adds the markers that are found in an image with four of them.
func markers(s *sum, img *image.Gray, n int, settings Settings) {
	found := must(tag.New(tag.Options{
		Families: tagFamilies, MinContrast: 10 + n%7, MaxCorrected: n % 4, Workers: settings.Workers,
	})).Detect(marked(img, n))
	for _, t := range found {
		s.result().integers(int32(t.ID), int32(t.Family.Kind), int32(t.Family.Border), int32(t.Corrected)).bool(t.Hidden)
		s.doubles(t.Transform[:]...).doubles(t.Noise, t.Misfit)
		for _, c := range t.Corners {
			s.doubles(c.X, c.Y)
		}
	}
}

// marked returns a copy of an image with markers in its quarters, one in each, in perspective. A pixel is
// the mean of three by three places.
func marked(img *image.Gray, n int) *image.Gray {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	marked := copied(img)
	for quarter := range 4 {
		f := tagFamilies[(n+quarter)%len(tagFamilies)]
		begin, cells := extent(f)
		half, lean := min(w, h)/7, min(w, h)/40*(n%3-1)
		x, y := w/4+quarter%2*w/2, h/4+quarter/2*h/2
		corner := func(dx, dy int) geometry.Point { return geometry.Point{X: float64(x + dx), Y: float64(y + dy)} }
		last := float64(cells)
		toCells, ok := geometry.Exact(geometry.Homography,
			[]geometry.Point{corner(-half, lean-half), corner(half+lean, -half), corner(half, half), corner(lean-half, half+lean)},
			[]geometry.Point{{X: 0, Y: 0}, {X: last, Y: 0}, {X: last, Y: last}, {X: 0, Y: last}})
		if !ok {
			continue // the image is too small
		}
		placed(marked, toCells, cells, func(x, y int) bool { return f.White(n%f.Len(), x+begin, y+begin) })
	}
	return marked
}

// copied returns a copy of an image, with coordinates from 0, 0 on.
func copied(img *image.Gray) *image.Gray {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	to := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		copy(to.Pix[y*to.Stride:][:w], img.Pix[y*img.Stride:])
	}
	return to
}

// extent returns the first cell of the drawings of a family, and the number of cells of a row.
func extent(f tag.Family) (begin, cells int) {
	cells = f.Draw(0, 1).Rect.Dx()
	if f.Kind == tag.Standard41h12 {
		return -2, cells
	}
	return -1, cells
}

// placed draws square cells into an image: the given number of them in each direction, from 0, 0 on.
func placed(img *image.Gray, toCells geometry.Transform, cells int, white func(x, y int) bool) {
	for v := range img.Rect.Dy() {
		for u := range img.Rect.Dx() {
			if p, ok := shade(toCells, cells, u, v, white); ok {
				img.Pix[v*img.Stride+u] = p
			}
		}
	}
}

// shade returns the brightness of a pixel. It reports false if the pixel's center is not in the cells.
func shade(toCells geometry.Transform, cells, u, v int, white func(x, y int) bool) (uint8, bool) {
	sum := 0
	for k := range 9 {
		// The center comes last.
		dx, dy := float64((k+5)%9%3-1)/3, float64((k+5)%9/3-1)/3
		p := toCells.Apply(geometry.Point{X: float64(u) + dx, Y: float64(v) + dy})
		x, y := math.Floor(p.X), math.Floor(p.Y)
		inside := x >= 0 && y >= 0 && x < float64(cells) && y < float64(cells)
		switch {
		case !inside && k == 8:
			return 0, false
		case !inside || white(int(x), int(y)):
			sum++
		}
	}
	return uint8(40 + 20*sum), true
}
