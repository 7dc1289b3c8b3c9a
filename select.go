package fast

import (
	"fmt"
	"image"
	"math"
	"math/bits"
	"sync"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/point"
)

// Strongest returns the n strongest points; of equal ones the first count as stronger. A
// strength that is NaN is below all others. It returns all points when there are no more than n, and none when n is not positive.
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
	s.nodes = raster.Resize(s.nodes, len(points))
	for i := range points {
		s.nodes[i] = newNode(s.key(points[i].Strength()), i)
	}
	s.keep(s.nodes, n)
	points = kept(points, s.kept)
	selectors.Put(s)
	return points
}

// strongestCorners moves the n strongest corners to the front and returns n. It does so where
// Strongest would make keys of them first.
func strongestCorners(corners []Corner, n int) int {
	var h histogram
	for _, c := range corners {
		h[c.Score]++
	}
	score, equal := h.cut(n)
	limit := int(score) // becomes 1 more when enough of the equal ones are kept
	return filter(corners, func(_ int, c Corner) bool {
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

// filter moves the points that keep says yes to, asked in order, to the front of the slice
// and returns how many there are. Unlike slices.DeleteFunc it is inlined together with keep,
// and has no branch that cannot be predicted.
func filter[P any](points []P, keep func(i int, p P) bool) int {
	n := 0
	for i, p := range points {
		points[n] = p
		if keep(i, p) {
			n++
		}
	}
	return n
}

// A histogram counts bytes.
type histogram [math.MaxUint8 + 1]int

// cut returns the least of the n highest bytes, and how many that equal it are among them.
func (h *histogram) cut(n int) (limit uint8, equal int) {
	limit = math.MaxUint8
	for ; limit > 0 && h[limit] < n; limit-- {
		n -= h[limit]
	}
	return limit, n
}

// InMask returns the points at which the mask is not 0, in their order; a nil mask keeps
// all points. Outside its bounds a mask, which may be a SubImage, is 0.
//
// InMask moves the points it keeps to the front of the slice and returns that part of it;
// the other elements are lost. It does not allocate.
//
// InMask panics, before it moves any points, if mask is malformed: if Pix is shorter than
// Rect and Stride ask for, or Stride is negative.
func InMask[P point.Positioned](points []P, mask *image.Gray) []P {
	if mask == nil {
		return points
	}
	raster.Check("fast", "mask", mask.Rect, mask.Pix, mask.Stride, 1)
	if corners, ok := any(points).([]Corner); ok {
		return points[:filter(corners, func(_ int, c Corner) bool {
			return mask.GrayAt(int(c.X), int(c.Y)).Y != 0
		})]
	}
	return points[:filter(points, func(_ int, p P) bool {
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
		return points[:filter(corners, func(_ int, c Corner) bool {
			// Both differences are negative.
			return (int64(uint32(c.X-x))-w)&(int64(uint32(c.Y-y))-h) < 0
		})]
	}
	return points[:filter(points, func(_ int, p P) bool { return p.Pt().In(bounds) })]
}

// PerCell lays a grid of cells over the bounds and returns up to n points of each cell: the
// strongest ones, of equal ones the first. In a cell that has points with a strength of at
// least strong, only these count. The grid starts at bounds.Min, and the bounds may cut off
// the last cells of rows and columns. Points outside the bounds are dropped; when n is not
// positive, all are. PerCell panics if cell.X or cell.Y is not positive.
//
// So PerCell can replace detection in every cell at a high threshold, and once more at a
// lower one in the cells without corners. With [Options.Score] the corners at the higher
// threshold are those at the lower one whose score is not below the higher one, with
// suppression and without. Therefore a single detection at the lower threshold is enough,
// and strong is the higher one.
//
// The points come in any order, and those that are kept stay in it. PerCell moves them to
// the front of the slice and returns that part of it; the other elements are lost. It takes
// time in proportion to the number of points and, however many cells there are, works in
// memory of 33 bytes for each point, which is used again.
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
	s.setCells(bounds, cell)
	s.sort(rank)
	s.sort(number)
	limit := s.key(strong)
	last, low, left := ^s.places[0][number], uint32(0), 0 // a cell, what counts in it, and how many of these are left
	for i := range s.places {
		p := &s.places[i]
		key, first := p.node().key(), uint32(0)
		if key >= limit {
			first = limit
		}
		if p[number] != last {
			low, left = first, n
		}
		last = p[number]
		s.kept.addIf(p.node().point(), left > 0 && key >= low)
		left--
	}
	points = kept(points, s.kept)
	selectors.Put(s)
	return points
}

// A place is a point, as a node of its own, and a number of where it lies: of the pixel at
// first, its coordinates of 32 bits.
type place [2]uint64

// The elements of a place.
const (
	rank   = 0
	number = 1
)

func (p *place) node() node { return node(p[rank]) }

// coordinates returns those of the pixel.
func (p *place) coordinates() (x, y int32) {
	return int32(p[number] >> 32), int32(p[number])
}

// A set is a set of indices, of which each has a bit.
type set []uint64

// reset returns the empty set of indices below n, in the memory of s.
func (s set) reset(n int) set {
	s = raster.Resize(s, (n+63)/64)
	clear(s)
	return s
}

// add adds i.
func (s set) add(i int) {
	s[i/64] |= 1 << (i % 64)
}

// addIf adds i if the condition holds, without a branch.
func (s set) addIf(i int, condition bool) {
	bit := uint64(0)
	if condition {
		bit = 1
	}
	s[i/64] |= bit << (i % 64)
}

// has reports whether i is in s.
func (s set) has(i int) bool {
	return s[i/64]>>(i%64)&1 != 0
}

// kept moves the points whose indices are in the set to the front of the slice and returns
// that part of it. It looks at each index or, where they are few, only at those in the set.
func kept[P any](points []P, s set) []P {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	if n > len(points)/4 {
		return points[:filter(points, func(i int, _ P) bool { return s.has(i) })]
	}
	n = 0
	for k, word := range s {
		for ; word != 0; word &= word - 1 {
			points[n] = points[64*k+bits.TrailingZeros64(word)]
			n++
		}
	}
	return points[:n]
}

// A selector is the memory that a selection works in. It is reused.
type selector struct {
	keyBits        int // the length of keys
	places, sorted []place
	nodes          []node
	next           [1 << 11]uint32 // places by a digit
	kept           set             // of points
}

var selectors = sync.Pool{New: func() any { return new(selector) }}

// newSelector returns a selector for points.
func newSelector[P point.Strong](points []P) *selector {
	s := selectors.Get().(*selector)
	s.keyBits = 32
	if _, ok := any(points).([]Corner); ok {
		s.keyBits = 8
	}
	s.kept = s.kept.reset(len(points))
	return s
}

// setPlaces sets the places to those of the points.
func setPlaces[P point.Strong](s *selector, points []P) {
	s.places = raster.Resize(s.places, len(points))
	s.sorted = raster.Resize(s.sorted, len(points))
	if corners, ok := any(points).([]Corner); ok {
		for i, c := range corners {
			s.places[i] = place{uint64(newNode(uint32(c.Score), i)), uint64(uint32(c.X))<<32 | uint64(uint32(c.Y))}
		}
		return
	}
	for i := range points {
		at := points[i].Pt()
		s.places[i] = place{uint64(newNode(s.key(points[i].Strength()), i)), uint64(uint32(at.X))<<32 | uint64(uint32(at.Y))}
	}
}

// key returns the key of a strength or, where the keys are scores, the least one that is no
// less.
func (s *selector) key(strength float32) uint32 {
	switch key := math.Float32bits(strength + 0); { // turns -0 into 0
	case strength != strength:
		return 0
	case s.keyBits == 8:
		return uint32(math.Ceil(float64(max(0, min(strength, math.MaxUint8+1)))))
	case strength < 0:
		return ^key
	default:
		return key | 1<<31
	}
}

// keep keeps the points of the n highest of the nodes, and changes these.
func (s *selector) keep(nodes []node, n int) {
	for shift := 32 + s.keyBits - 8; shift >= 0; shift -= 8 {
		var h histogram // of the next byte
		for _, node := range nodes {
			h[uint8(node>>shift)]++
		}
		digit, equal := h.cut(n)
		if h[digit] == len(nodes) {
			continue
		}
		rest := 0
		for _, node := range nodes {
			d := uint8(node >> shift)
			s.kept.addIf(node.point(), d > digit)
			nodes[rest] = node
			if d == digit {
				rest++
			}
		}
		nodes, n = nodes[:rest], equal
	}
	for _, node := range nodes[:min(n, len(nodes))] {
		s.kept.add(node.point())
	}
}

// setCells makes the numbers of places, which are within the bounds, those of cells.
func (s *selector) setCells(bounds image.Rectangle, cell image.Point) {
	// The bounds are less than 1<<32 wide and high.
	w, h := uint32(min(uint(cell.X), math.MaxUint32)), uint32(min(uint(cell.Y), math.MaxUint32))
	columns := uint64(uint32(bounds.Dx())/w) + 1
	for i := range s.places {
		p := &s.places[i]
		x, y := p.coordinates()
		column := (uint32(x) - uint32(bounds.Min.X)) / w
		row := (uint32(y) - uint32(bounds.Min.Y)) / h
		p[number] = uint64(row)*columns + uint64(column)
	}
}

// sort sorts the places by an element, the largest first, and leaves those that are equal in
// the order they have. Points are equal if their keys are.
func (s *selector) sort(element int) {
	places, sorted := s.places, s.sorted
	first, differ := places[0][element], uint64(0) // the bits in which not all are equal
	for i := range places {
		differ |= places[i][element] ^ first
	}
	if element == rank {
		differ &^= math.MaxUint32
	}
	// Radix sort: a stable sort by each digit, from the lowest to the highest.
	for differ != 0 {
		shift := bits.TrailingZeros64(differ)
		mask := uint64(1)<<min(bits.Len64(differ>>shift), bits.Len(uint(len(places))), 11) - 1
		differ &^= mask << shift
		next := s.next[:mask+1] // where the next place with that digit goes
		clear(next)
		for i := range places {
			next[^places[i][element]>>shift&mask]++
		}
		sum := uint32(0)
		for digit, n := range next {
			next[digit] = sum
			sum += n
		}
		for i := range places {
			end := &next[^places[i][element]>>shift&mask]
			sorted[*end] = places[i]
			*end++
		}
		places, sorted = sorted, places
	}
	s.places, s.sorted = places, sorted
}

// Spread returns n points that are spread evenly over the bounds, strong ones where there
// are any. It returns all points within the bounds when there are no more than n, and none
// when n is not positive. Points outside the bounds are dropped.
//
// Like the front ends of SLAM systems it uses a quadtree. The root is divided into squares,
// or nearly so, side by side or one below the other, and every node into its quarters, level
// by level. On the deepest level where no more than n nodes have points in them, the
// strongest point of each node is kept. If these are fewer than n, the others are the
// strongest of those that the nodes of the next level would keep. Of equal points the first
// one counts as stronger.
//
// The points come in any order, and those that are kept stay in it. They
// should be different pixels: of several points at one pixel, only one is sure to be
// considered. Spread moves the points it keeps to the front of the slice and returns that part
// of it; the other elements are lost. It takes time in proportion to the number of points and
// works in memory of up to 49 bytes for each, which is used again.
func Spread[P point.Strong](points []P, bounds image.Rectangle, n int) []P {
	bounds = bounds.Intersect(limits)
	if n >= len(points) {
		return inBounds(points, bounds)
	}
	if n <= 0 || bounds.Empty() {
		return points[:0]
	}
	t := newQuadtree(bounds)
	s := newSelector(points)
	upper, lower, ok := spreadOnGrid(s, &t, points, n)
	if !ok {
		points = inBounds(points, bounds)
		if n >= len(points) {
			selectors.Put(s)
			return points
		}
		setPlaces(s, points)
		upper, lower = s.spreadSorted(&t, n)
	}
	for _, node := range upper {
		if node != 0 {
			s.kept.add(node.point())
			n--
		}
	}
	others := lower[:0]
	for _, node := range lower {
		if node != 0 && !s.kept.has(node.point()) {
			others = append(others, node)
		}
	}
	s.keep(others, n)
	points = kept(points, s.kept)
	selectors.Put(s)
	return points
}

// A node tells the strongest point of a node of a quadtree: its key in the upper 32 bits, and
// in the lower ones its index, inverted, so that of two nodes the larger one has the stronger
// point. It is 0 if there is no point.
type node uint64

func newNode(key uint32, point int) node { return node(key)<<32 | node(^uint32(point)) }

func (n node) key() uint32 { return uint32(n >> 32) }
func (n node) point() int  { return int(^uint32(n)) }

// gridNodes is how many times as many nodes as points wanted the deepest level of a grid has,
// at least. Most images have corners in more than a quarter of them.
const gridNodes = 4

// spreadOnGrid returns the nodes of the deepest level where no more than n nodes have points,
// if there is one, and those of the next level. It looks at each point once, but fails if the
// points are so close together that the next level is too deep for a grid of its nodes.
func spreadOnGrid[P point.Strong](s *selector, t *quadtree, points []P, n int) (upper, lower []node, ok bool) {
	depth, roots := uint(0), t.x.roots*t.y.roots
	for depth < t.depth && roots<<(2*depth) < gridNodes*uint64(n) {
		depth++
	}
	if roots<<(2*depth) > 2*uint64(len(points)) {
		return nil, nil, false
	}
	w, h := int(t.x.roots<<depth), int(t.y.roots<<depth)
	s.nodes = raster.Resize(s.nodes, w*h+w*h/2) // a level has a quarter of the nodes of the next one
	free := s.nodes
	lower, free = free[:w*h], free[w*h:]
	clear(lower)
	x, y := t.x.above(t.depth-depth), t.y.above(t.depth-depth)
	if corners, ok := any(points).([]Corner); ok {
		setCornerNodes(lower, w, corners, &x, &y)
	} else {
		for i := range points {
			p := points[i].Pt()
			if x.contains(int32(p.X)) && y.contains(int32(p.Y)) {
				node := &lower[int(y.at(int32(p.Y)))*w+int(x.at(int32(p.X)))]
				*node = max(*node, newNode(s.key(points[i].Strength()), i))
			}
		}
	}
	if countNodes(lower) <= n {
		return nil, nil, false
	}
	for ; depth > 0; depth-- {
		w, h = w/2, h/2
		upper, free = free[:w*h], free[w*h:]
		mergeNodes(upper, lower, w)
		if countNodes(upper) <= n {
			return upper, lower, true
		}
		lower = upper
	}
	return nil, lower, true
}

// setCornerNodes sets the nodes of a level, in rows of w, from the corners on the axes.
func setCornerNodes(nodes []node, w int, corners []Corner, x, y *axis) {
	for i := range corners {
		c := &corners[i]
		if x.contains(c.X) && y.contains(c.Y) {
			node := &nodes[int(y.at(c.Y))*w+int(x.at(c.X))]
			*node = max(*node, newNode(uint32(c.Score), i))
		}
	}
}

// mergeNodes sets the nodes of a level, in rows of w, from those of the next one.
func mergeNodes(upper, lower []node, w int) {
	for ; len(upper) > 0; upper, lower = upper[w:], lower[4*w:] {
		row, above, below := upper[:w], lower[:2*w], lower[2*w:][:2*w]
		for i := range row {
			row[i] = max(above[2*i], above[2*i+1], below[2*i], below[2*i+1])
		}
	}
}

// countNodes returns the number of nodes that have points.
func countNodes(nodes []node) int {
	count := 0
	for _, n := range nodes {
		if n != 0 {
			count++
		}
	}
	return count
}

// spreadSorted returns the same as spreadOnGrid, of the points in the places, always.
func (s *selector) spreadSorted(t *quadtree, n int) (upper, lower []node) {
	s.nodes = raster.Resize(s.nodes, 2*len(s.places))
	t.setLeaves(s.places)
	s.sort(number)
	nodes, level := 0, uint(0)
	added := t.added(s.places)
	for level < t.depth && nodes+added[level] <= n {
		nodes += added[level]
		level++
	}
	lower = t.setNodes(s.nodes, s.places, level)
	if level > 0 {
		upper = t.setNodes(s.nodes[len(lower):], s.places, level-1)
	}
	return upper, lower
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
		x:     axis{r.Min.X, w, nx, nx << (32 + depth) / (2 * w), 32},
		y:     axis{r.Min.Y, h, ny, ny << (32 + depth) / (2 * h), 32},
		depth: depth,
	}
}

// An axis maps the coordinates of a side to integers below the number of roots
// times 1<<depth.
type axis struct {
	min   int
	side  uint64
	roots uint64
	half  uint64 // half of the mapped width of a pixel, times 1<<32
	shift uint   // 32, and 1 more for each level above the deepest one
}

// above returns the axis of the level that is the given number of levels above that of a.
func (a axis) above(levels uint) axis {
	a.shift += levels
	return a
}

// contains reports whether v is a coordinate of the side.
func (a *axis) contains(v int32) bool {
	return uint64(int64(v)-int64(a.min)) < a.side
}

// at returns what the middle of a pixel is mapped to.
func (a *axis) at(v int32) uint64 {
	return uint64(2*(int64(v)-int64(a.min))+1) * a.half >> (a.shift & 63)
}

// setLeaves makes the numbers of places those of their pixels.
func (t *quadtree) setLeaves(leaves []place) {
	mask := uint64(1)<<t.depth - 1
	for i := range leaves {
		px, py := leaves[i].coordinates()
		x, y := t.x.at(px), t.y.at(py)
		root := x>>t.depth + y>>t.depth // one of the two is 0
		x, y = x&mask, y&mask
		leaf := root<<(2*t.depth) | interleave(x, y)
		if t.depth > 16 {
			leaf |= interleave(x>>16, y>>16) << 32
		}
		leaves[i][number] = leaf
	}
}

// interleave returns a number with the lower 16 bits of x as its even bits, and those of y as
// its odd ones.
func interleave(x, y uint64) uint64 {
	v := x&math.MaxUint16 | y&math.MaxUint16<<32
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f
	v = (v | v<<2) & 0x3333333333333333
	v = (v | v<<1) & 0x5555555555555555
	return v&math.MaxUint32 | v>>31
}

// added returns for each level how many more nodes than the one above it has,
// of those with points; above the roots there is no node.
func (t *quadtree) added(leaves []place) [33]int {
	var added [33]int
	added[0] = 1
	for i := range leaves[1:] {
		differ := uint(bits.Len64(leaves[i][number] ^ leaves[i+1][number]))
		switch {
		case differ > 2*t.depth:
			added[0]++
		case differ > 0:
			added[t.depth-(differ-1)/2]++
		}
	}
	return added
}

// setNodes sets the first of the nodes to those of a level that have points, and returns them.
func (t *quadtree) setNodes(nodes []node, leaves []place, level uint) []node {
	shift := 2 * (t.depth - level)
	n, common, strongest := 0, ^leaves[0][number]>>shift, node(0)
	for i := range leaves {
		l := &leaves[i]
		if l[number]>>shift != common {
			n++
			strongest = 0
		}
		common = l[number] >> shift
		strongest = max(strongest, l.node())
		nodes[n-1] = strongest
	}
	return nodes[:n]
}
