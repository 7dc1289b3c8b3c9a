package match

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/pixel"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/point"
)

// A Circle is the area in which the train descriptor of a match is expected, in pixels. Points at a
// distance of exactly Radius are inside. A circle contains no points if X, Y or Radius is NaN, if X
// or Y is infinite, or if Radius is negative. A circle with an infinite Radius contains all points.
type Circle struct {
	X, Y, Radius float32
}

// Pt returns the pixel nearest to the center, with math.MaxInt32 for a coordinate that is NaN or
// does not fit in 32 bits.
func (c Circle) Pt() image.Point {
	return pixel.Nearest(float64(c.X), float64(c.Y))
}

// Position returns the center.
func (c Circle) Position() (x, y float32) {
	return c.X, c.Y
}

// Circles returns circles of the same radius around points of any package.
func Circles[P point.Positioned](points []P, radius float32) []Circle {
	return AppendCircles(nil, points, radius)
}

// AppendCircles is like Circles but appends the circles to dst. It does not allocate if dst has
// room.
func AppendCircles[P point.Positioned](dst []Circle, points []P, radius float32) []Circle {
	dst = slices.Grow(dst, len(points))
	for i := range points {
		x, y := points[i].Position()
		dst = append(dst, Circle{x, y, radius})
	}
	return dst
}

// A Grid finds the points in a circle. If the points are evenly spread, the time is proportional to
// the number of points found. Make a Grid once, from the points of the train descriptors. It is
// safe for concurrent use, except by [GridInto]. The zero Grid has no points.
type Grid struct {
	n             int // the number of points
	x, y          axis
	columns, rows int
	starts        []int32    // of the cells in points, row after row, and the end
	points        []gridItem // by cells

	// Memory that is used again.
	unsorted []gridItem
}

// A gridItem is a point and its index.
type gridItem struct {
	x, y  float32
	index int32
}

// cellPoints is about how many points there are in a cell.
const cellPoints = 2

// NewGrid returns a Grid of points of any package. Points with a coordinate that is not finite are
// not in any circle.
func NewGrid[P point.Positioned](points []P) *Grid {
	return GridInto(new(Grid), points)
}

// GridInto makes dst the Grid of points, reusing its memory, and returns dst. It does not allocate
// if that memory is large enough. It panics if dst is nil.
func GridInto[P point.Positioned](dst *Grid, points []P) *Grid {
	if dst == nil {
		panic("match: nil Grid")
	}
	if len(points) > math.MaxInt32 {
		panic(fmt.Sprintf("match: a grid of %d points, more than 2^31-1", len(points)))
	}
	dst.unsorted = slices.Grow(dst.unsorted[:0], len(points))
	for i := range points {
		x, y := points[i].Position()
		if isFinite(x) && isFinite(y) {
			dst.unsorted = append(dst.unsorted, gridItem{x, y, int32(i)})
		}
	}
	dst.n = len(points)
	dst.sort()
	return dst
}

// isFinite reports whether v is neither infinite nor NaN.
func isFinite(v float32) bool {
	return v-v == 0
}

// sort makes cells of the unsorted points.
func (g *Grid) sort() {
	g.setCells()
	// The cells' numbers of points become where they end. Each point moves that toward the
	// start.
	g.starts = filled(g.starts, g.columns*g.rows+1, 0)
	for i := range g.unsorted {
		g.starts[g.cell(&g.unsorted[i])]++
	}
	end := int32(0)
	for i, n := range g.starts {
		end += n
		g.starts[i] = end
	}
	g.points = raster.Resize(g.points, len(g.unsorted))
	for i := range g.unsorted {
		start := &g.starts[g.cell(&g.unsorted[i])]
		*start--
		g.points[*start] = g.unsorted[i]
	}
}

// setCells divides the bounds of the points into cells, square ones unless that would be far
// more than the points.
func (g *Grid) setCells() {
	left, right := float32(math.Inf(1)), float32(math.Inf(-1))
	top, bottom := left, right
	for _, p := range g.unsorted {
		left, right = min(left, p.x), max(right, p.x)
		top, bottom = min(top, p.y), max(bottom, p.y)
	}
	w, h := float64(right)-float64(left), float64(bottom)-float64(top)
	share := cellPoints / float64(len(g.unsorted))
	side := max(math.Sqrt(w*h*share), max(w, h)*share)
	g.x, g.columns = newAxis(left, w, side)
	g.y, g.rows = newAxis(top, h, side)
}

// cell returns the cell of a point.
func (g *Grid) cell(p *gridItem) int {
	return g.y.cell(float64(p.y))*g.columns + g.x.cell(float64(p.x))
}

// An axis divides the x or the y coordinates into cells.
type axis struct {
	origin, scale float64
	last          float64 // the last cell
}

// newAxis returns an axis from origin on, and its number of cells. The cells have sides of a
// given length, unless all points are at one place.
func newAxis(origin float32, length, side float64) (axis, int) {
	a := axis{origin: float64(origin)}
	if side > 0 && length >= 0 { // which is -Inf without points
		a.scale = 1 / side
		a.last = math.Floor(length * a.scale)
	}
	return a, int(a.last) + 1
}

// cell returns the cell of a coordinate, or the nearest one. That of a larger coordinate is
// not a smaller one.
func (a *axis) cell(v float64) int {
	if f := (v - a.origin) * a.scale; f > 0 {
		return int(min(f, a.last))
	}
	return 0 // also where that is NaN
}

// span returns the first and the last cell of the coordinates from v-radius to v+radius. What
// it adds to the radius is more than the differences of coordinates are rounded by.
func (a *axis) span(v, radius float64) (first, last int) {
	const rounding = 1.0 / (1 << 40)
	radius += float64((math.Abs(v) + radius) * rounding)
	return a.cell(v - radius), a.cell(v + radius)
}

// appendInside appends the indices of the points inside of c to dst.
func (g *Grid) appendInside(dst []int32, c Circle) []int32 {
	if len(g.points) == 0 || !(c.Radius >= 0 && isFinite(c.X) && isFinite(c.Y)) {
		return dst
	}
	x, y, r := float64(c.X), float64(c.Y), float64(c.Radius)
	left, right := g.x.span(x, r)
	top, bottom := g.y.span(y, r)
	square := float64(r * r)
	for row := top; row <= bottom; row++ {
		cells := g.starts[row*g.columns:]
		points := g.points[cells[left]:cells[right+1]]
		n := len(dst)
		dst = slices.Grow(dst, len(points))[:n+len(points)]
		for i := range points {
			p := &points[i]
			dx, dy := float64(p.x)-x, float64(p.y)-y
			dst[n] = p.index
			if float64(dx*dx)+float64(dy*dy) <= square { // compiled without a branch, which could not be predicted
				n++
			}
		}
		dst = dst[:n]
	}
	return dst
}
