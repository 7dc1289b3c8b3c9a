package overlay

import (
	"image"
	"image/draw"

	"github.com/fastcorners/fast/point"
)

// Lines draws straight lines from the first point of each path to the last, through all points in
// between. The pens alternate. There is no line to or from a point with a coordinate that is not
// finite.
func Lines[P point.Positioned](dst draw.Image, paths [][]P, pens ...Pen) {
	checkDestination(dst)
	withRims(dst, inTurn(pens, paths, drawPath[P]))
}

// Polygons is like Lines, but also draws a line from the last point of each path to its first
// one.
func Polygons[P point.Positioned](dst draw.Image, paths [][]P, pens ...Pen) {
	checkDestination(dst)
	withRims(dst, inTurn(pens, paths, func(p *pen, path []P) {
		drawPath(p, path)
		if len(path) > 2 {
			drawPath(p, []P{path[len(path)-1], path[0]})
		}
	}))
}

// Rectangles draws the outermost pixels of rectangles, such as the bounds of matches of package
// locate. The pens alternate. Nothing is drawn for an empty rectangle.
func Rectangles(dst draw.Image, rectangles []image.Rectangle, pens ...Pen) {
	checkDestination(dst)
	withRims(dst, inTurn(pens, rectangles, func(p *pen, r image.Rectangle) {
		if r.Empty() {
			return
		}
		if r.Dx() == 1 && r.Dy() == 1 { // lines without a length are not drawn
			p.disc(float64(r.Min.X), float64(r.Min.Y), p.unit/2)
			return
		}
		left, top, right, bottom := float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X-1), float64(r.Max.Y-1)
		for _, side := range []segment{{left, top, right, top}, {right, top, right, bottom}, {right, bottom, left, bottom}, {left, bottom, left, top}} {
			p.line(side, p.unit)
		}
	}))
}

// Tracks is like Lines for the positions of points in a video, in order, but also draws a dot at
// the latest position of each. A track with one position is just the dot.
func Tracks[P point.Positioned](dst draw.Image, tracks [][]P, pens ...Pen) {
	checkDestination(dst)
	withRims(dst, inTurn(pens, tracks, drawPath[P]), inTurn(pens, tracks, func(p *pen, track []P) {
		if len(track) > 0 {
			x, y := track[len(track)-1].Position()
			p.disc(float64(x), float64(y), 2*p.unit)
		}
	}))
}

// drawPath draws the lines between the points of a path.
func drawPath[P point.Positioned](p *pen, path []P) {
	for i := 1; i < len(path); i++ {
		x0, y0 := path[i-1].Position()
		x1, y1 := path[i].Position()
		p.line(segment{float64(x0), float64(y0), float64(x1), float64(y1)}, p.unit)
	}
}
