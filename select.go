package fast

import (
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/selection"
	"github.com/fastcorners/fast/point"
)

// Strongest returns the n strongest points; among equal points, the first count as stronger. A
// strength of NaN is below all others. It returns all points if there are no more than n, and none
// if n is not positive.
//
// The points come in any order, and those that are kept stay in it. Strongest moves them
// to the front of the slice and returns that part of it; the other elements are lost. It
// takes time in proportion to the number of points and does not allocate in the steady
// state.
func Strongest[P point.Strong](points []P, n int) []P {
	if n >= len(points) {
		return points
	}
	if n <= 0 {
		return points[:0]
	}
	if corners, ok := any(points).([]Corner); ok {
		return points[:strongestCorners(corners, n)]
	}
	s := newSelector(points)
	nodes := s.Nodes(len(points))
	for i := range points {
		nodes[i] = newNode(s, points[i].Strength(), i)
	}
	s.Keep(nodes, n)
	return selection.Finish(s, points)
}

// newSelector returns a Selector for points.
func newSelector[P point.Strong](points []P) *selection.Selector {
	_, scores := any(points).([]Corner)
	return selection.New(len(points), scores)
}

// newNode returns the Node of a point. In the functions below, which other packages instantiate,
// the compiler inlines what this package has inlined in a function that is not generic.
func newNode(s *selection.Selector, strength float32, i int) selection.Node {
	return selection.NewNode(s.Key(strength), i)
}

// strongestCorners moves the n strongest corners to the front and returns n. It does so where
// Strongest would make keys of them first.
func strongestCorners(corners []Corner, n int) int {
	var h selection.Histogram
	for _, c := range corners {
		h[c.Score]++
	}
	score, equal := h.Cut(n)
	limit := int(score) // becomes 1 more when enough of the equal ones are kept
	return selection.Filter(corners, func(_ int, c Corner) bool {
		s := int(c.Score)
		strong := s >= limit
		if s == limit {
			if equal--; equal == 0 {
				limit++
			}
		}
		return strong
	})
}

// InMask returns the points at which the mask is not 0, in their order; a nil mask keeps all
// points. A mask, which may be a SubImage, is 0 outside its bounds.
//
// InMask moves the points it keeps to the front of the slice and returns that part of it;
// the other elements are lost. It does not allocate.
//
// InMask panics, before it moves any points, if mask is malformed: if Pix is shorter than Rect and
// Stride require, or Stride is negative.
func InMask[P point.Positioned](points []P, mask *image.Gray) []P {
	if mask == nil {
		return points
	}
	raster.Check("fast", "mask", mask.Rect, mask.Pix, mask.Stride, 1)
	if corners, ok := any(points).([]Corner); ok {
		return points[:selection.Filter(corners, func(_ int, c Corner) bool {
			return mask.GrayAt(int(c.X), int(c.Y)).Y != 0
		})]
	}
	return points[:selection.Filter(points, func(_ int, p P) bool {
		at := p.Pt()
		return mask.GrayAt(at.X, at.Y).Y != 0
	})]
}

// limits are the bounds of the pixels of all images.
var limits = image.Rect(math.MinInt32, math.MinInt32, math.MaxInt32, math.MaxInt32)

// inBounds is InMask for a rectangle within the limits.
func inBounds[P point.Strong](points []P, bounds image.Rectangle) []P {
	if corners, ok := any(points).([]Corner); ok {
		x, y, w, h := int32(bounds.Min.X), int32(bounds.Min.Y), int64(uint32(bounds.Dx())), int64(uint32(bounds.Dy()))
		return points[:selection.Filter(corners, func(_ int, c Corner) bool {
			// Both differences are negative.
			return (int64(uint32(c.X-x))-w)&(int64(uint32(c.Y-y))-h) < 0
		})]
	}
	return points[:selection.Filter(points, func(_ int, p P) bool { return p.Pt().In(bounds) })]
}

// PerCell lays a grid of cells over the bounds and returns up to n points of each cell: the
// strongest ones, and the first ones among equals. In a cell that has points with a strength of at
// least strong, only these are considered. The grid starts at bounds.Min, and the bounds may cut
// off the last cells of rows and columns. Points outside the bounds are dropped; if n is not
// positive, all points are. PerCell panics if cell.X or cell.Y is not positive.
//
// PerCell can therefore replace detection in every cell at a high threshold, and again at a lower
// one in cells without corners. With [Options.Score], the corners at the higher threshold are those
// at the lower one whose score is not below the higher one, with suppression or without, so a
// single detection at the lower threshold is enough, with the higher one as strong.
//
// The points come in any order, and those that are kept stay in it. PerCell moves them to the front
// of the slice and returns that part of it; the other elements are lost. It takes time in
// proportion to the number of points and, regardless of the number of cells, uses 33 bytes of
// memory for each point, which it keeps for later calls.
func PerCell[P point.Strong](points []P, bounds image.Rectangle, cell image.Point, n int, strong float32) []P {
	if cell.X <= 0 || cell.Y <= 0 {
		panic(fmt.Sprintf("fast: cell size %v is not positive", cell))
	}
	bounds = bounds.Intersect(limits)
	points = inBounds(points, bounds)
	if n <= 0 || len(points) == 0 {
		return points[:0]
	}
	s := newSelector(points)
	setPlaces(s, points)
	s.KeepPerCell(bounds, cell, n, s.Key(strong))
	return selection.Finish(s, points)
}

// setPlaces sets the places of all points.
func setPlaces[P point.Strong](s *selection.Selector, points []P) {
	places := s.Places(len(points))
	if corners, ok := any(points).([]Corner); ok {
		setCornerPlaces(places, corners)
		return
	}
	for i := range points {
		at := points[i].Pt()
		places[i].Set(newNode(s, points[i].Strength(), i), int32(at.X), int32(at.Y))
	}
}

// setCornerPlaces sets the places of corners.
func setCornerPlaces(places []selection.Place, corners []Corner) {
	for i, c := range corners {
		places[i].Set(selection.NewNode(uint32(c.Score), i), c.X, c.Y)
	}
}

// Spread returns n points that are spread evenly over the bounds, preferring strong ones. It
// returns all points within the bounds if there are no more than n, and none if n is not positive.
// Points outside the bounds are dropped.
//
// Like the front ends of SLAM systems, it uses a quadtree. The root is divided into squares, or
// nearly so, side by side or one below the other, and every node into quarters, level by level. On
// the deepest level at which no more than n nodes contain points, the strongest point of each node
// is kept. If these are fewer than n, the rest are the strongest of the points that the nodes of
// the next level would keep. Among equal points, the first counts as stronger.
//
// The points come in any order, and those that are kept stay in it. They should be at different
// pixels: of several points at one pixel, only one is sure to be considered. Spread moves the
// points it keeps to the front of the slice and returns that part of it; the other elements are
// lost. It takes time in proportion to the number of points and uses up to 49 bytes of memory for
// each, which it keeps for later calls.
func Spread[P point.Strong](points []P, bounds image.Rectangle, n int) []P {
	bounds = bounds.Intersect(limits)
	if n >= len(points) {
		return inBounds(points, bounds)
	}
	if n <= 0 || bounds.Empty() {
		return points[:0]
	}
	s := newSelector(points)
	t := selection.NewQuadtree(bounds)
	if !spreadOnGrid(s, &t, points, n) {
		points = inBounds(points, bounds)
		if n >= len(points) {
			s.Release()
			return points
		}
		setPlaces(s, points)
		s.KeepSorted(&t, n)
	}
	return selection.Finish(s, points)
}

// spreadOnGrid looks at each point once, but fails if the points are so close together that they
// need a level with too many nodes.
func spreadOnGrid[P point.Strong](s *selection.Selector, t *selection.Quadtree, points []P, n int) bool {
	l, ok := s.Level(t, len(points), n)
	if !ok {
		return false
	}
	if corners, ok := any(points).([]Corner); ok {
		setCornerNodes(l.Nodes, l.W, corners, &l.X, &l.Y)
	} else {
		for i := range points {
			p := points[i].Pt()
			if x, y := int32(p.X), int32(p.Y); l.X.Contains(x) && l.Y.Contains(y) {
				node := &l.Nodes[l.Y.At(y)*l.W+l.X.At(x)]
				*node = max(*node, newNode(s, points[i].Strength(), i))
			}
		}
	}
	return s.KeepOnGrid(&l, n)
}

// setCornerNodes sets the nodes of a level, in rows of w, from the corners on the axes.
func setCornerNodes(nodes []selection.Node, w int, corners []Corner, x, y *selection.Axis) {
	for i := range corners {
		c := &corners[i]
		if x.Contains(c.X) && y.Contains(c.Y) {
			node := &nodes[y.At(c.Y)*w+x.At(c.X)]
			*node = max(*node, selection.NewNode(uint32(c.Score), i))
		}
	}
}

// Apart returns points that are at least radius pixels from every stronger point that it returns:
// it takes the strongest point, and then, from strong to weak, each point that is not closer than
// radius to one already taken. Among equal points, the first counts as stronger; a strength of NaN
// is below all others. If radius is not positive, Apart returns all points.
//
// Distances between Positions are compared by their squares, in float64. A Position represents
// whole pixels exactly up to 1<<24. A point with a coordinate that is NaN or infinite is not close
// to any other. Trackers choose the points to follow this way, as OpenCV's goodFeaturesToTrack does
// with minDistance.
//
// The points come in any order, and those that are kept stay in it. Apart moves them to the front
// of the slice and returns that part of it; the other elements are lost. It takes expected linear
// time, for any radius, and uses up to 100 bytes of memory for each point, which it keeps for later
// calls.
func Apart[P point.Strong](points []P, radius float64) []P {
	if !(radius > 0) || len(points) == 0 { // NaN is not positive
		return points
	}
	s := newSelector(points)
	places := s.Places(len(points))
	for i := range points {
		x, y := points[i].Position()
		places[i].Set(newNode(s, points[i].Strength(), i), int32(math.Float32bits(x)), int32(math.Float32bits(y)))
	}
	s.KeepApart(radius)
	return selection.Finish(s, points)
}
