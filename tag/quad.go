package tag

import (
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
)

// A quad is a component that has four sides.
type quad struct {
	corners [4]geometry.Point // clockwise as seen, beginning with any
	light   bool              // inside, where other quads are dark
}

// maxHull is the largest number of corners that the hull of a component may have.
const maxHull = 400

// A polygon is the convex hull of a component, which edges leave until there are four.
type polygon struct {
	vertices []geometry.Point   // clockwise as seen
	without  [maxHull]shortened // by edges; edge k runs from vertex k to the next one
}

// A shortened is what an edge leaves to the polygon when it goes.
type shortened struct {
	added  float64        // the area that is added, or infinity if the edge cannot go
	vertex geometry.Point // where the edges before and after meet, which replaces both ends
}

// find returns the quad of a component with the given outline from row y on, and the given area, whose
// sides move outward by shift. It reports false if the component does not look like one.
func (p *polygon) find(outline []span, y, pixels int32, shift float64) ([4]geometry.Point, bool) {
	p.hull(outline, y)
	if len(p.vertices) < 4 || len(p.vertices) > maxHull {
		return [4]geometry.Point{}, false
	}
	inside, around := area(p.vertices), perimeter(p.vertices)
	if !(inside >= 12 && float64(pixels) >= min(inside/4, 2*around)) || !p.reduce() {
		return [4]geometry.Point{}, false
	}
	q := [4]geometry.Point(p.vertices)
	if a := area(q[:]); a-inside > float64(0.06*a)+float64(0.12*around) {
		return [4]geometry.Point{}, false
	}
	q, ok := grown(&q, shift)
	return q, ok && wellShaped(&q)
}

// hull makes p the convex hull of the pixels' centers, beginning with the last one of the first row, y. There
// are two rows or more.
func (p *polygon) hull(outline []span, y int32) {
	last := len(outline) - 1
	p.vertices = raster.Resize(p.vertices, 2*len(outline))[:0]
	p.add(0, outline[0].right, y)
	for i := 1; i < last; i++ {
		x := outline[i].right
		if x-outline[i-1].right > outline[i+1].right-x { // or else it cannot be a corner
			p.add(0, x, y+int32(i))
		}
	}
	p.add(0, outline[last].right, y+int32(last))
	bottom := len(p.vertices) - 1
	if outline[last].left != outline[last].right {
		p.add(bottom, outline[last].left, y+int32(last))
	}
	for i := last - 1; i > 0; i-- {
		x := outline[i].left
		if x-outline[i+1].left < outline[i-1].left-x {
			p.add(bottom, x, y+int32(i))
		}
	}
	p.add(bottom, outline[0].left, y)
	if outline[0].left == outline[0].right {
		p.vertices = p.vertices[:len(p.vertices)-1] // which is the first one again
	}
}

// add adds a vertex, in place of those after the one numbered base that would no longer be convex.
func (p *polygon) add(base int, x, y int32) {
	v := geometry.Point{X: float64(x), Y: float64(y)}
	n := len(p.vertices)
	for n-base >= 2 {
		a, b := p.vertices[n-2], p.vertices[n-1]
		if cross(minus(b, a), minus(v, a)) > 0 {
			break
		}
		n--
	}
	p.vertices = append(p.vertices[:n], v)
}

func perimeter(polygon []geometry.Point) float64 {
	sum := 0.0
	last := len(polygon) - 1
	for i := range last {
		sum += distance(polygon[i], polygon[i+1])
	}
	return sum + distance(polygon[last], polygon[0])
}

// reduce removes edges until there are four, each time the one that adds the least area. It reports
// false if none can go.
func (p *polygon) reduce() bool {
	for k := range p.vertices {
		p.shorten(k)
	}
	for len(p.vertices) > 4 {
		n := len(p.vertices)
		k := 0
		for i := 1; i < n; i++ {
			if p.without[i].added < p.without[k].added {
				k = i
			}
		}
		if math.IsInf(p.without[k].added, 1) {
			return false
		}
		p.vertices[k] = p.without[k].vertex
		next := (k + 1) % n
		copy(p.vertices[next:], p.vertices[next+1:])
		copy(p.without[next:], p.without[next+1:n])
		p.vertices = p.vertices[:n-1]
		if next == 0 {
			k--
		}
		for i := k - 2; i <= k+1; i++ { // the two edges before the new vertex, and the two after it
			p.shorten(p.around(i))
		}
	}
	return true
}

// shorten computes what edge k leaves.
func (p *polygon) shorten(k int) {
	a, b, c, d := p.vertex(k-1), p.vertex(k), p.vertex(k+1), p.vertex(k+2)
	before, edge, after := minus(b, a), minus(c, b), minus(d, c)
	den := cross(before, after)
	if den <= 0 {
		p.without[k] = shortened{added: math.Inf(1)}
		return
	}
	t := cross(edge, after) / den
	v := geometry.Point{X: b.X + float64(t*before.X), Y: b.Y + float64(t*before.Y)}
	p.without[k] = shortened{cross(minus(v, b), edge) / 2, v}
}

// vertex returns vertex k, counted around the polygon.
func (p *polygon) vertex(k int) geometry.Point { return p.vertices[p.around(k)] }

// around returns the number of a vertex that is counted around the polygon, once at most.
func (p *polygon) around(k int) int {
	switch n := len(p.vertices); {
	case k < 0:
		return k + n
	case k >= n:
		return k - n
	}
	return k
}

// wellShaped reports whether a quad is convex and not too thin.
func wellShaped(q *[4]geometry.Point) bool {
	var sides [4]geometry.Point
	var lengths [4]float64
	for i := range q {
		sides[i] = minus(q[(i+1)&3], q[i])
		lengths[i] = length(sides[i])
	}
	for i, s := range sides {
		next := (i + 1) & 3
		if !(cross(s, sides[next]) > 0.2*lengths[i]*lengths[next]) || lengths[i] < 3.5 {
			return false
		}
	}
	for i := range 2 {
		if a, b := lengths[i], lengths[i+2]; max(a, b) >= 4*min(a, b) {
			return false
		}
	}
	return true
}
