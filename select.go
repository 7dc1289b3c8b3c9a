package fast

import (
	"fmt"
	"image"
	"math"
	"math/bits"
	"slices"
)

// Strongest returns the n corners with the highest scores, in raster order; of
// equal scores the first ones count as higher. It returns all of them when
// there are no more than n, and none when n is not positive.
//
// The corners come in raster order. Strongest moves those it keeps to the front
// of the slice and returns that part of it; the other elements are lost. It
// takes time in proportion to the number of corners and does not allocate.
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
	kept := corners[:0]
	for _, c := range corners {
		if limit.keeps(c.Score) {
			kept = append(kept, c)
		}
	}
	return kept
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
func InMask(corners []Corner, mask *image.Alpha) []Corner {
	return slices.DeleteFunc(corners, func(c Corner) bool {
		return mask.AlphaAt(int(c.X), int(c.Y)).A == 0
	})
}

// inBounds is InMask for a rectangle.
func inBounds(corners []Corner, bounds image.Rectangle) []Corner {
	return slices.DeleteFunc(corners, func(c Corner) bool { return !c.Pt().In(bounds) })
}

// PerCell lays a grid of cells over the bounds and returns, in raster order, up
// to n corners of each cell: the ones with the highest scores, of equal scores
// the first. In a cell that has corners with a score of at least strong, only
// these count. The grid starts at bounds.Min, and the last cell of a row and of
// a column may be cut off by the bounds. Corners outside of the bounds are
// dropped; when n is not positive, all are. PerCell panics when cell.X or cell.Y
// is not positive.
//
// This spares detection in every cell, again with a lower threshold where a
// cell has none: with [Options.Score], corners at the lower threshold are at the
// higher one, too, exactly when their score is not below it, with suppression
// and without. One detection at the lower threshold, and the higher as strong,
// give the same corners.
//
// The corners come in raster order. PerCell moves those it keeps to the front of
// the slice and returns that part of it; the other elements are lost. It takes
// time in proportion to the number of corners and of cells in a row, and
// allocates memory for one row of cells and the corners therein.
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
	g := grid{min: bounds.Min, cell: cell, n: n, strong: strong}
	g.first = g.column(left)
	g.cells = make([]gridCell, g.column(right)-g.first+1)

	kept := corners[:0]
	for len(corners) > 0 {
		end := g.rowEnd(corners)
		kept = g.appendBest(kept, corners[:end])
		corners = corners[end:]
	}
	return kept
}

// A grid has the cells of PerCell.
type grid struct {
	min, cell image.Point
	n         int
	strong    uint8

	first  uint       // the number of the first column
	cells  []gridCell // a row, from that column on
	before []int      // for each corner of the row the one before it in its cell, as in gridCell
	scores histogram  // all 0 between the cells
}

// A gridCell is one cell of the current row of cells.
type gridCell struct {
	last  int // 1 + the index of its last corner, or 0 when limit has been found
	limit cut
}

// column returns the number of the column that x lies in. No difference of two
// numbers is too large for unsigned ones.
func (g *grid) column(x int32) uint {
	return (uint(x) - uint(g.min.X)) / uint(g.cell.X)
}

// rowEnd returns how many corners lie in the same row of cells as the first.
func (g *grid) rowEnd(corners []Corner) int {
	y := uint(corners[0].Y) - uint(g.min.Y)
	top := uint(g.min.Y) + y - y%uint(g.cell.Y)
	for i, c := range corners {
		if uint(c.Y)-top >= uint(g.cell.Y) {
			return i
		}
	}
	return len(corners)
}

// appendBest appends the corners to keep of a row of cells to kept, which may
// end where row begins or before.
func (g *grid) appendBest(kept, row []Corner) []Corner {
	g.before = slices.Grow(g.before[:0], len(row))
	for i, c := range row {
		cell := &g.cells[g.column(c.X)-g.first]
		g.before = append(g.before, cell.last)
		cell.last = i + 1
	}
	for _, c := range row {
		cell := &g.cells[g.column(c.X)-g.first]
		if cell.last > 0 {
			// This is the first corner of its cell: none of them has been
			// overwritten.
			cell.limit = g.limit(row, cell.last)
			cell.last = 0
		}
		if cell.limit.keeps(c.Score) {
			kept = append(kept, c)
		}
	}
	return kept
}

// limit returns the cut for the cell with the given last corner.
func (g *grid) limit(row []Corner, last int) cut {
	high, low := row[last-1].Score, row[last-1].Score
	for i := last; i > 0; i = g.before[i-1] {
		score := row[i-1].Score
		g.scores[score]++
		high, low = max(high, score), min(low, score)
	}
	if high >= g.strong {
		low = max(low, g.strong)
	}
	limit := g.scores.cut(g.n, high, low)
	for i := last; i > 0; i = g.before[i-1] {
		g.scores[row[i-1].Score] = 0
	}
	return limit
}

// Spread returns n corners, in raster order, that are spread evenly over the
// bounds and strong where they are. It returns all corners within the bounds
// when there are no more than n, and none when n is not positive. Corners
// outside of the bounds are dropped.
//
// Like the front ends of SLAM systems it uses a quadtree. The root is divided
// into squares, or nearly so, side by side or one below the other, and every
// node into its quarters, level by level. Of the deepest level that has no more
// than n nodes with corners in them, each node gives the one with the highest
// score. What is missing to n are the highest of those that the nodes of the
// next level would give. Of equal scores the first one counts as higher.
//
// The corners come in raster order, and no two of them are the same pixel: of
// such, no more than one is sure to be kept. Spread moves the corners it keeps
// to the front of the slice and returns that part of it; the other elements are
// lost. It takes time in proportion to the number of corners and allocates some
// 33 bytes for each.
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
	leaves := t.leaves(corners)

	// nodes counts those of the level above.
	nodes, level := 0, uint(0)
	added := t.added(leaves)
	for level < t.depth && nodes+added[level] <= n {
		nodes += added[level]
		level++
	}
	// Who is the best of a node is also the best of a node below it.
	votes := make([]uint8, len(corners))
	t.vote(votes, leaves, corners, level)
	if level > 0 {
		t.vote(votes, leaves, corners, level-1)
	}
	var h histogram
	for i, c := range corners {
		if votes[i] == 1 {
			h[c.Score]++
		}
	}
	limit := h.cut(n-nodes, math.MaxUint8, 0)
	kept := corners[:0]
	for i, c := range corners {
		if votes[i] == 2 || votes[i] == 1 && limit.keeps(c.Score) {
			kept = append(kept, c)
		}
	}
	return kept
}

// A quadtree numbers the pixels of a rectangle so that those of a node, on any
// level, have consecutive numbers: the number of the root, and then two bits for
// each level, as in I. Gargantini, "An effective way to represent quadtrees",
// Communications of the ACM 25 (1982). A node need not exist for that: it is a
// run of numbers that begin with the same bits.
type quadtree struct {
	x, y  axis
	roots uint64 // side by side or one below the other
	depth uint   // levels below the roots, enough for each pixel to be a node
}

// newQuadtree returns the quadtree of a rectangle that is not empty.
func newQuadtree(r image.Rectangle) quadtree {
	w, h := uint64(int64(r.Max.X)-int64(r.Min.X)), uint64(int64(r.Max.Y)-int64(r.Min.Y))
	nx, ny := max(1, (w+h/2)/h), max(1, (h+w/2)/w)
	// Sides longer than 1<<31 are not resolved to the pixel.
	var depth uint
	for (nx<<depth < w || ny<<depth < h) && max(nx, ny)<<depth < 1<<31 {
		depth++
	}
	return quadtree{
		x:     axis{r.Min.X, nx << (32 + depth) / (2 * w)},
		y:     axis{r.Min.Y, ny << (32 + depth) / (2 * h)},
		roots: max(nx, ny),
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

// A leaf is a corner's place in a quadtree.
type leaf struct {
	number uint64
	corner int // its index
}

// leaves returns the leaves of the corners in the order of their numbers.
func (t *quadtree) leaves(corners []Corner) []leaf {
	memory := make([]leaf, 2*len(corners))
	leaves, sorted := memory[:len(corners)], memory[len(corners):]
	for i, c := range corners {
		x, y := t.x.at(c.X), t.y.at(c.Y)
		root := x>>t.depth + y>>t.depth // one of the two is 0
		mask := uint64(1)<<t.depth - 1
		leaves[i] = leaf{root<<(2*t.depth) | evenBits(x&mask) | evenBits(y&mask)<<1, i}
	}
	// Radix sort: a stable sort by each byte, from the lowest to the highest.
	width := 2*t.depth + uint(bits.Len64(t.roots-1))
	for shift := uint(0); shift < width; shift += 8 {
		var next [256]int // where the next leaf with that byte goes
		for _, l := range leaves {
			next[l.number>>shift&255]++
		}
		sum := 0
		for b, n := range next {
			next[b] = sum
			sum += n
		}
		for _, l := range leaves {
			b := l.number >> shift & 255
			sorted[next[b]] = l
			next[b]++
		}
		leaves, sorted = sorted, leaves
	}
	return leaves
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
func (t *quadtree) added(leaves []leaf) [33]int {
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
func (t *quadtree) vote(votes []uint8, leaves []leaf, corners []Corner, level uint) {
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
