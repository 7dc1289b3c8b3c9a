package tag

import (
	"math"

	"github.com/fastcorners/fast/geometry"
)

// A line is the points where a*x + b*y + c = 0. Its normal a, b has length 1; that of the side of a
// quad points outward.
type line struct{ a, b, c float64 }

// lineThrough returns the line from p to q, the side of a quad that runs clockwise.
func lineThrough(p, q geometry.Point) line {
	d := minus(q, p)
	l := length(d)
	a, b := d.Y/l, -d.X/l
	return line{a, b, -(float64(a*p.X) + float64(b*p.Y))}
}

// meet returns where two lines meet. It reports false if they are nearly parallel.
func meet(l, m line) (geometry.Point, bool) {
	d := float64(l.a*m.b) - float64(l.b*m.a)
	if !(math.Abs(d) >= 0.05) {
		return geometry.Point{}, false
	}
	return geometry.Point{
		X: (float64(l.b*m.c) - float64(l.c*m.b)) / d,
		Y: (float64(l.c*m.a) - float64(l.a*m.c)) / d,
	}, true
}

// between returns the quad with the given sides. It reports false if two that follow each other are
// nearly parallel.
func between(sides *[4]line) (q [4]geometry.Point, ok bool) {
	for i := range q {
		if q[i], ok = meet(sides[(i+3)&3], sides[i]); !ok {
			return q, false
		}
	}
	return q, true
}

// grown returns q with its sides moved outward by shift times the larger component of their normals.
// That is as much along a row or a column of pixels, whichever crosses a side more steeply.
func grown(q *[4]geometry.Point, shift float64) ([4]geometry.Point, bool) {
	var sides [4]line
	for i := range q {
		l := lineThrough(q[i], q[(i+1)&3])
		l.c -= float64(shift * max(math.Abs(l.a), math.Abs(l.b)))
		sides[i] = l
	}
	return between(&sides)
}
