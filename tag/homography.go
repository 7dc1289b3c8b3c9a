package tag

import (
	"math"

	"github.com/fastcorners/fast/geometry"
)

// A homography maps coordinates of a tag, -1 to 1 over its quad, to pixels, as geometry.Transform
// does. Its last element is 1.
type homography [9]float64

// corners are those of the quad in coordinates of a tag, clockwise as seen.
var corners = [4]geometry.Point{{X: -1, Y: -1}, {X: 1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}}

// squareTo returns the homography that maps the corners of the square from -1 to 1 to those of a quad.
// It reports false if there is none that keeps all of the square on one side of the horizon.
func squareTo(q *[4]geometry.Point) (homography, bool) {
	d1, d2 := minus(q[1], q[2]), minus(q[3], q[2])
	s := geometry.Point{X: q[0].X - q[1].X + q[2].X - q[3].X, Y: q[0].Y - q[1].Y + q[2].Y - q[3].Y}
	den := cross(d1, d2)
	if den == 0 {
		return homography{}, false
	}
	// The homography from the square from 0 to 1.
	g, k := cross(s, d2)/den, cross(d1, s)/den
	last := 1 + (g+k)/2
	if !(last > 0 && 1+g > 0 && 1+k > 0 && 1+g+k > 0) {
		return homography{}, false
	}
	a, d := q[1].X-q[0].X+float64(g*q[1].X), q[1].Y-q[0].Y+float64(g*q[1].Y)
	b, e := q[3].X-q[0].X+float64(k*q[3].X), q[3].Y-q[0].Y+float64(k*q[3].Y)
	h := homography{a / 2, b / 2, q[0].X + (a+b)/2, d / 2, e / 2, q[0].Y + (d+e)/2, g / 2, k / 2, last}
	for i := range h {
		h[i] /= last
	}
	return h, true
}

// at returns the place of a point of the tag.
func (h *homography) at(u, v float64) geometry.Point {
	w := h.row(6, u, v)
	return geometry.Point{X: h.row(0, u, v) / w, Y: h.row(3, u, v) / w}
}

// row returns the product of the row that begins at element i and the column u, v, 1.
func (h *homography) row(i int, u, v float64) float64 {
	return float64(h[i]*u) + float64(h[i+1]*v) + h[i+2]
}

// quad returns the places of the corners.
func (h *homography) quad() (q [4]geometry.Point) {
	for i, c := range corners {
		q[i] = h.at(c.X, c.Y)
	}
	return q
}

// inverse returns the map from pixels to the tag, times a factor with which the last row is positive
// at the tag's center.
func (h *homography) inverse() homography {
	minor := func(a, b, c, d int) float64 { return float64(h[a]*h[b]) - float64(h[c]*h[d]) }
	inv := homography{
		minor(4, 8, 5, 7), minor(2, 7, 1, 8), minor(1, 5, 2, 4),
		minor(5, 6, 3, 8), minor(0, 8, 2, 6), minor(2, 3, 0, 5),
		minor(3, 7, 4, 6), minor(1, 6, 0, 7), minor(0, 4, 1, 3),
	}
	center := h.at(0, 0)
	if inv.row(6, center.X, center.Y) < 0 {
		for i := range inv {
			inv[i] = -inv[i]
		}
	}
	return inv
}

// turned returns the corners of q, from that with the given number on.
func turned(q *[4]geometry.Point, turn int) [4]geometry.Point {
	return [4]geometry.Point{q[turn&3], q[(turn+1)&3], q[(turn+2)&3], q[(turn+3)&3]}
}

func minus(a, b geometry.Point) geometry.Point { return geometry.Point{X: a.X - b.X, Y: a.Y - b.Y} }

// cross returns the area between two vectors, positive if b is clockwise of a as seen.
func cross(a, b geometry.Point) float64 { return float64(a.X*b.Y) - float64(a.Y*b.X) }

func length(a geometry.Point) float64 {
	return math.Sqrt(float64(a.X*a.X) + float64(a.Y*a.Y))
}

func distance(a, b geometry.Point) float64 { return length(minus(a, b)) }

// area returns that of a polygon, positive if it runs clockwise as seen.
func area(polygon []geometry.Point) float64 {
	sum := 0.0
	last := len(polygon) - 1
	for i := range last {
		sum += cross(polygon[i], polygon[i+1])
	}
	return (sum + cross(polygon[last], polygon[0])) / 2
}
