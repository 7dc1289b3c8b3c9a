package fast

import (
	"fmt"
	"image"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/raster"
)

// Strongest returns the n corners with the highest scores; of equal scores the
// first ones count as higher. It returns all of them when there are no more than
// n, and none when n is not positive. Corners found without [Options.Score] or
// [Options.NonmaxSuppression] have a score of 0: of them, Strongest keeps just
// the first ones.
//
// The corners come in any order, and those that are kept stay in it. Strongest
// moves them to the front of the slice and returns that part of it; the other
// elements are lost. It takes time in proportion to the number of corners and
// does not allocate.
func Strongest(corners []Corner, n int) []Corner {
	if n >= len(corners) {
		return corners
	}
	if n <= 0 {
		return corners[:0]
	}
	var h histogram
	for _, c := range corners {
		h[c.Score]++
	}
	limit := h.cut(n, math.MaxUint8, 0)
	return filter(corners, func(i int) bool { return limit.keeps(corners[i].Score) })
}

// filter moves the corners to whose index keep says yes, asked in order, to the
// front of the slice and returns that part of it. Unlike slices.DeleteFunc it is
// inlined together with keep, and has no branch that cannot be predicted.
func filter(corners []Corner, keep func(i int) bool) []Corner {
	n := 0
	for i, c := range corners {
		corners[n] = c
		if keep(i) {
			n++
		}
	}
	return corners[:n]
}

// A histogram holds how many corners have each score.
type histogram [math.MaxUint8 + 1]int

// A cut keeps the scores above one and the first few that equal it.
type cut struct {
	score uint8
	equal int // how many that equal score are yet to be kept
}

// cut returns the cut that keeps the n highest scores, of those not below low.
// None is above high.
func (h *histogram) cut(n int, high, low uint8) cut {
	s := high
	for ; s > low && h[s] < n; s-- {
		n -= h[s]
	}
	return cut{s, n}
}

// keeps reports whether c keeps the next score.
func (c *cut) keeps(score uint8) bool {
	if score == c.score && c.equal > 0 {
		c.equal--
		return true
	}
	return score > c.score
}

// InMask returns the corners at which the mask is not 0, be it 1 or 255, in
// their order. Outside of its bounds a mask, which may be a SubImage, is 0.
//
// InMask moves the corners it keeps to the front of the slice and returns that
// part of it; the other elements are lost. It does not allocate.
//
// InMask panics, before it moves any, when mask is nil or malformed: when Pix is
// shorter than Rect and Stride ask for, or Stride is negative.
func InMask(corners []Corner, mask *image.Alpha) []Corner {
	if mask == nil {
		panic("fast: mask is nil")
	}
	raster.Check("fast", "mask", mask.Rect, mask.Pix, mask.Stride, 1)
	return filter(corners, func(i int) bool {
		return mask.AlphaAt(int(corners[i].X), int(corners[i].Y)).A != 0
	})
}

// inBounds is InMask for a rectangle.
func inBounds(corners []Corner, bounds image.Rectangle) []Corner {
	return filter(corners, func(i int) bool { return corners[i].Pt().In(bounds) })
}

// PerCell lays a grid of cells over the bounds and returns up to n corners of
// each cell: the ones with the highest scores, of equal scores the first. In a
// cell that has corners with a score of at least strong, only these count. The
// grid starts at bounds.Min, and the last cell of a row and of a column may be
// cut off by the bounds. Corners outside of the bounds are dropped; when n is
// not positive, all are. PerCell panics when cell.X or cell.Y is not positive.
//
// This spares detection in every cell, again with a lower threshold where a
// cell has none: with [Options.Score], corners at the lower threshold are at the
// higher one, too, exactly when their score is not below it, with suppression
// and without. One detection at the lower threshold, and the higher as strong,
// give the same corners. Corners found without [Options.Score] or
// [Options.NonmaxSuppression] have a score of 0: of them, PerCell keeps just the
// first ones of each cell.
//
// The corners come in any order, and those that are kept stay in it. PerCell
// moves them to the front of the slice and returns that part of it; the other
// elements are lost. It takes time in proportion to the number of corners and,
// however many cells there are, works in memory of 34 bytes for each, which is
// used again.
func PerCell(corners []Corner, bounds image.Rectangle, cell image.Point, n int, strong uint8) []Corner {
	if cell.X <= 0 || cell.Y <= 0 {
		panic(fmt.Sprintf("fast: cell size %v is not positive", cell))
	}
	corners = inBounds(corners, bounds)
	if n <= 0 || len(corners) == 0 {
		return corners[:0]
	}
	left, right := corners[0].X, corners[0].X
	for _, c := range corners {
		left, right = min(left, c.X), max(right, c.X)
	}
	// No difference of two numbers is too large for unsigned ones.
	column := func(x int32) uint { return (uint(x) - uint(bounds.Min.X)) / uint(cell.X) }
	first := column(left)
	width := bits.Len(column(right) - first) // at most 32, which leaves enough for rows
	s := newSelector(len(corners))
	for i, c := range corners {
		row := (uint(c.Y) - uint(bounds.Min.Y)) / uint(cell.Y)
		s.places[i] = place{uint64(row)<<width | uint64(column(c.X)-first), i}
	}
	s.sort()
	var h histogram
	for places := s.places; len(places) > 0; {
		scores := s.scores[:0] // of a cell
		for _, p := range places {
			if p.number != places[0].number {
				break
			}
			scores = append(scores, corners[p.corner].Score)
		}
		limit := h.cellCut(scores, n, strong)
		for i, score := range scores {
			if limit.keeps(score) {
				s.votes[places[i].corner] = 1
			}
		}
		places = places[len(scores):]
	}
	corners = filter(corners, func(i int) bool { return s.votes[i] > 0 })
	selectors.Put(s)
	return corners
}

// cellCut returns the cut that PerCell makes in a cell with these scores. All of
// h is 0, before and after.
func (h *histogram) cellCut(scores []uint8, n int, strong uint8) cut {
	high, low := slices.Max(scores), uint8(0)
	if high >= strong {
		low = strong
	}
	if len(scores) <= n {
		return cut{low, n}
	}
	for _, score := range scores {
		h[score]++
	}
	limit := h.cut(n, high, low)
	for _, score := range scores {
		h[score] = 0
	}
	return limit
}

// A place is a corner with the number of where it lies.
type place struct {
	number uint64
	corner int // its index
}

// A selector is the memory that a selection works in: an element for each corner.
// It is reused.
type selector struct {
	places, sorted []place
	votes          []uint8 // to keep the corner, 0 at first
	scores         []uint8
}

var selectors = sync.Pool{New: func() any { return new(selector) }}

// newSelector returns a selector for n corners.
func newSelector(n int) *selector {
	s := selectors.Get().(*selector)
	s.places = slices.Grow(s.places[:0], n)[:n]
	s.sorted = slices.Grow(s.sorted[:0], n)[:n]
	s.votes = slices.Grow(s.votes[:0], n)[:n]
	s.scores = slices.Grow(s.scores[:0], n)[:n]
	clear(s.votes)
	return s
}

// sort sorts the places by their numbers, and leaves those with equal numbers in
// the order they have.
func (s *selector) sort() {
	places, sorted := s.places, s.sorted
	differ := uint64(0) // the bits in which not all numbers are equal
	for _, p := range places {
		differ |= p.number ^ places[0].number
	}
	// Radix sort: a stable sort by each digit, from the lowest to the highest.
	const mask = 1<<11 - 1
	for shift := 0; shift < 64; shift += 11 {
		if differ>>shift&mask == 0 {
			continue
		}
		var next [mask + 1]int // where the next place with that digit goes
		for _, p := range places {
			next[p.number>>shift&mask]++
		}
		sum := 0
		for digit, n := range next {
			next[digit] = sum
			sum += n
		}
		for _, p := range places {
			digit := p.number >> shift & mask
			sorted[next[digit]] = p
			next[digit]++
		}
		places, sorted = sorted, places
	}
	s.places, s.sorted = places, sorted
}

// Spread returns n corners that are spread evenly over the bounds and strong
// where they are. It returns all corners within the bounds when there are no
// more than n, and none when n is not positive. Corners outside of the bounds
// are dropped.
//
// Like the front ends of SLAM systems it uses a quadtree. The root is divided
// into squares, or nearly so, side by side or one below the other, and every
// node into its quarters, level by level. Of the deepest level that has no more
// than n nodes with corners in them, each node gives the one with the highest
// score. What is missing to n are the highest of those that the nodes of the
// next level would give. Of equal scores the first one counts as higher. Corners
// found without [Options.Score] or [Options.NonmaxSuppression] have a score of
// 0: of them, each node gives just the first one.
//
// The corners come in any order, and those that are kept stay in it. No two of
// them are the same pixel: of such, no more than one is sure to be kept. Spread
// moves the corners it keeps to the front of the slice and returns that part of
// it; the other elements are lost. It takes time in proportion to the number of
// corners and works in memory of 33 bytes for each, which is used again.
func Spread(corners []Corner, bounds image.Rectangle, n int) []Corner {
	// Corners are within these bounds, as images are.
	bounds = bounds.Intersect(image.Rect(math.MinInt32, math.MinInt32, math.MaxInt32, math.MaxInt32))
	corners = inBounds(corners, bounds)
	if n >= len(corners) {
		return corners
	}
	if n <= 0 {
		return corners[:0]
	}
	t := newQuadtree(bounds)
	s := newSelector(len(corners))
	t.setLeaves(s.places, corners)
	s.sort()
	leaves := s.places

	// nodes counts those of the level above.
	nodes, level := 0, uint(0)
	added := t.added(leaves)
	for level < t.depth && nodes+added[level] <= n {
		nodes += added[level]
		level++
	}
	// Who is the best of a node is also the best of a node below it.
	t.vote(s.votes, leaves, corners, level)
	if level > 0 {
		t.vote(s.votes, leaves, corners, level-1)
	}
	var h histogram
	for i, c := range corners {
		if s.votes[i] == 1 {
			h[c.Score]++
		}
	}
	limit := h.cut(n-nodes, math.MaxUint8, 0)
	corners = filter(corners, func(i int) bool {
		return s.votes[i] == 2 || s.votes[i] == 1 && limit.keeps(corners[i].Score)
	})
	selectors.Put(s)
	return corners
}

// A quadtree numbers the pixels of a rectangle so that those of a node, on any
// level, have consecutive numbers: the number of the root, and then two bits for
// each level, as in I. Gargantini, "An effective way to represent quadtrees",
// Communications of the ACM 25 (1982). A node need not exist for that: it is a
// run of numbers that begin with the same bits.
type quadtree struct {
	x, y  axis // roots are side by side or one below the other
	depth uint // levels below the roots, enough for each pixel to be a node
}

// newQuadtree returns the quadtree of a rectangle that is not empty.
func newQuadtree(r image.Rectangle) quadtree {
	w, h := raster.Size(r)
	nx, ny := max(1, (w+h/2)/h), max(1, (h+w/2)/w)
	// Sides longer than 1<<31 are not resolved to the pixel.
	var depth uint
	for (nx<<depth < w || ny<<depth < h) && max(nx, ny)<<depth < 1<<31 {
		depth++
	}
	return quadtree{
		x:     axis{r.Min.X, nx << (32 + depth) / (2 * w)},
		y:     axis{r.Min.Y, ny << (32 + depth) / (2 * h)},
		depth: depth,
	}
}

// An axis maps the coordinates of a side to integers below the number of roots
// times 1<<depth.
type axis struct {
	min  int
	half uint64 // half of the mapped width of a pixel, times 1<<32
}

// at returns what the middle of a pixel is mapped to.
func (a axis) at(v int32) uint64 {
	return uint64(2*(int64(v)-int64(a.min))+1) * a.half >> 32
}

// setLeaves sets leaves to the corners with the numbers of their pixels.
func (t *quadtree) setLeaves(leaves []place, corners []Corner) {
	for i, c := range corners {
		x, y := t.x.at(c.X), t.y.at(c.Y)
		root := x>>t.depth + y>>t.depth // one of the two is 0
		mask := uint64(1)<<t.depth - 1
		leaves[i] = place{root<<(2*t.depth) | evenBits(x&mask) | evenBits(y&mask)<<1, i}
	}
}

// evenBits returns a number with the lower 32 bits of v as its even bits, and
// with odd bits of 0.
func evenBits(v uint64) uint64 {
	v &= 1<<32 - 1
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f
	v = (v | v<<2) & 0x3333333333333333
	return (v | v<<1) & 0x5555555555555555
}

// added returns for each level how many more nodes than the one above it has,
// of those with corners; above the roots there is no node.
func (t *quadtree) added(leaves []place) [33]int {
	var added [33]int
	added[0] = 1
	for i := range leaves[1:] {
		differ := uint(bits.Len64(leaves[i].number ^ leaves[i+1].number))
		switch {
		case differ > 2*t.depth:
			added[0]++
		case differ > 0:
			added[t.depth-(differ-1)/2]++
		}
	}
	return added
}

// vote adds one vote for the best corner of each node of a level.
func (t *quadtree) vote(votes []uint8, leaves []place, corners []Corner, level uint) {
	shift := 2 * (t.depth - level)
	best := leaves[0].corner
	for i, l := range leaves[1:] {
		if l.number>>shift != leaves[i].number>>shift {
			votes[best]++
			best = l.corner
			continue
		}
		a, b := corners[l.corner].Score, corners[best].Score
		if a > b || a == b && l.corner < best {
			best = l.corner
		}
	}
	votes[best]++
}
