package selection

import (
	"image"
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/raster"
)

// A Quadtree numbers the pixels of a rectangle so that those of a node, on any level, have
// consecutive numbers: the number of the root, and then two bits for each level, as in I.
// Gargantini, "An effective way to represent quadtrees", Communications of the ACM 25 (1982). A
// node need not exist for that: it is a run of numbers that begin with the same bits.
type Quadtree struct {
	x, y  Axis // roots are side by side or one below the other
	depth uint // levels below the roots, enough for each pixel to be a node
}

// NewQuadtree returns the quadtree of a rectangle that is not empty.
func NewQuadtree(r image.Rectangle) Quadtree {
	w, h := raster.Size(r)
	nx, ny := max(1, (w+h/2)/h), max(1, (h+w/2)/w)
	// Sides longer than 1<<31 are not resolved to the pixel.
	var depth uint
	for (nx<<depth < w || ny<<depth < h) && max(nx, ny)<<depth < 1<<31 {
		depth++
	}
	return Quadtree{
		x:     Axis{int64(r.Min.X), w, nx, nx << (32 + depth) / (2 * w), 32},
		y:     Axis{int64(r.Min.Y), h, ny, ny << (32 + depth) / (2 * h), 32},
		depth: depth,
	}
}

// An Axis maps the coordinates of a side to integers below the number of roots times 1<<depth.
type Axis struct {
	min   int64
	side  uint64
	roots uint64
	half  uint64 // half of the mapped width of a pixel, times 1<<32
	shift uint   // 32, and 1 more for each level above the deepest one
}

// above returns the axis of the level that is the given number of levels above that of a.
func (a Axis) above(levels uint) Axis {
	a.shift += levels
	return a
}

// Contains reports whether v is a coordinate of the side.
func (a *Axis) Contains(v int32) bool {
	return uint64(int64(v)-a.min) < a.side
}

// At returns what the middle of a pixel is mapped to.
func (a *Axis) At(v int32) int {
	return int(uint64(2*(int64(v)-a.min)+1) * a.half >> (a.shift & 63))
}

// A Level is the nodes of a level of a quadtree. That of the pixel x, y is number
// Y.At(y)*W + X.At(x).
type Level struct {
	X, Y  Axis
	W     int
	Nodes []Node
	depth uint
	free  []Node // memory for the levels above it
}

// gridNodes is how many times as many nodes as points wanted a Level has, at least. Most images
// have corners in more than a quarter of them.
const gridNodes = 4

// Level returns a level of t without points, to find n of up to the given number of points on it
// and those above. It fails if the level would have more than twice as many nodes as there are
// points.
func (s *Selector) Level(t *Quadtree, points, n int) (l Level, ok bool) {
	depth, roots := uint(0), t.x.roots*t.y.roots
	for depth < t.depth && roots<<(2*depth) < gridNodes*uint64(n) {
		depth++
	}
	if roots<<(2*depth) > 2*uint64(points) {
		return Level{}, false
	}
	n = int(roots << (2 * depth))
	nodes := s.Nodes(n + n/2) // a level has a quarter of the nodes of the next one
	clear(nodes[:n])
	x, y := t.x.above(t.depth-depth), t.y.above(t.depth-depth)
	return Level{x, y, int(t.x.roots << depth), nodes[:n], depth, nodes[n:]}, true
}

// KeepOnGrid keeps n points: those of the deepest level where no more than n nodes have points,
// and the strongest of the next level. It fails if these levels are not among l and those above.
func (s *Selector) KeepOnGrid(l *Level, n int) bool {
	lower, free, w := l.Nodes, l.free, l.W
	if countNodes(lower) <= n {
		return false
	}
	for range l.depth {
		size := len(lower) / 4
		upper := free[:size]
		free, w = free[size:], w/2
		mergeNodes(upper, lower, w)
		if countNodes(upper) <= n {
			s.keepLevels(upper, lower, n)
			return true
		}
		lower = upper
	}
	s.keepLevels(nil, lower, n)
	return true
}

// mergeNodes sets the nodes of a level, in rows of w, from those of the next one.
func mergeNodes(upper, lower []Node, w int) {
	for ; len(upper) > 0; upper, lower = upper[w:], lower[4*w:] {
		row, above, below := upper[:w], lower[:2*w], lower[2*w:][:2*w]
		for i := range row {
			row[i] = max(above[2*i], above[2*i+1], below[2*i], below[2*i+1])
		}
	}
}

// countNodes returns the number of nodes that have points.
func countNodes(nodes []Node) int {
	count := 0
	for _, n := range nodes {
		if n != 0 {
			count++
		}
	}
	return count
}

// KeepSorted keeps the same points as KeepOnGrid, of those in the places, which are in the
// rectangle of t. It never fails.
func (s *Selector) KeepSorted(t *Quadtree, n int) {
	s.nodes = raster.Resize(s.nodes, 2*len(s.places))
	t.setLeaves(s.places)
	s.sort(number)
	nodes, level := 0, uint(0)
	added := t.added(s.places)
	for level < t.depth && nodes+added[level] <= n {
		nodes += added[level]
		level++
	}
	lower := t.setNodes(s.nodes, s.places, level)
	var upper []Node
	if level > 0 {
		upper = t.setNodes(s.nodes[len(lower):], s.places, level-1)
	}
	s.keepLevels(upper, lower, n)
}

// keepLevels keeps the points of a level and the strongest of the next level: n in all.
func (s *Selector) keepLevels(upper, lower []Node, n int) {
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
	s.Keep(others, n)
}

// setLeaves makes the numbers of places those of their pixels.
func (t *Quadtree) setLeaves(leaves []Place) {
	mask := uint64(1)<<t.depth - 1
	for i := range leaves {
		px, py := leaves[i].coordinates()
		x, y := uint64(t.x.At(px)), uint64(t.y.At(py))
		root := x>>t.depth + y>>t.depth // one of the two is 0
		x, y = x&mask, y&mask
		leaf := root<<(2*t.depth) | interleave(x, y)
		if t.depth > 16 {
			leaf |= interleave(x>>16, y>>16) << 32
		}
		leaves[i][number] = leaf
	}
}

// interleave returns a number with the lower 16 bits of x as its even bits, and those of y as its
// odd ones.
func interleave(x, y uint64) uint64 {
	v := x&math.MaxUint16 | y&math.MaxUint16<<32
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f
	v = (v | v<<2) & 0x3333333333333333
	v = (v | v<<1) & 0x5555555555555555
	return v&math.MaxUint32 | v>>31
}

// added returns for each level how many more nodes than the one above it has, of those with
// points; above the roots there is no node.
func (t *Quadtree) added(leaves []Place) [33]int {
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
func (t *Quadtree) setNodes(nodes []Node, leaves []Place, level uint) []Node {
	shift := 2 * (t.depth - level)
	n, common, strongest := 0, ^leaves[0][number]>>shift, Node(0)
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
