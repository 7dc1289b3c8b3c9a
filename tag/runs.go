package tag

import (
	"math/bits"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
)

// A labeler finds the components of set bits.
type labeler struct {
	window     *window
	runs       []run // row by row, from the left
	components []component
	touches    [][2]int32 // runs of successive rows that touch at a corner and share no column
	blank      []uint64   // the row above the first one
	edges      []int32    // of a row: the columns where runs begin and end, in turn
}

const none = -1

// A run is set bits of a row, with others or the edge of the image on both sides.
type run struct {
	y, x0, x1 int32 // it begins at column x0, and ends before x1
	component int32 // or one that has been joined with it
	next      int32 // the next run of the same component, or none
}

// A component is a set of runs.
type component struct {
	first, last    int32 // of the runs
	x0, y0, x1, y1 int32 // the first and the last column and row
	area           int32 // in pixels
	// A component with which this one has been joined, which begins earlier, or this one itself.
	parent int32
	corner bool // some of the runs touch at corners only
}

// find finds the runs of set bits of a window, and their components by edges, in the order of their first
// runs; there are also components that have been joined with earlier ones. Each row of bits has the given
// number of words.
func (l *labeler) find(b []uint64, words int, w *window) {
	l.window = w
	l.runs, l.components, l.touches = l.runs[:0], l.components[:0], l.touches[:0]
	l.blank = raster.Resize(l.blank, words)
	clear(l.blank)
	l.edges = raster.Resize(l.edges, 64*words+1)
	above, first := l.blank, 0
	for y := range w.pixels.H {
		row, next := b[y*words:][:words], len(l.runs)
		l.addRuns(row, int32(w.origin.Y+y))
		l.joinRows(above, row, first, next)
		above, first = row, next
	}
}

// addRuns adds the runs of row y, which have no components yet.
func (l *labeler) addRuns(row []uint64, y int32) {
	n, x := 0, l.window.origin.X
	carry := uint64(0)
	for i, v := range row {
		for m := v ^ (v<<1 | carry); m != 0; m &= m - 1 {
			l.edges[n] = int32(x + 64*i + bits.TrailingZeros64(m))
			n++
		}
		carry = v >> 63
	}
	l.edges[n] = int32(x + l.window.pixels.W) // where a run ends that fills the last word up to its end
	first := len(l.runs)
	l.runs = slices.Grow(l.runs, (n+1)/2)[:first+(n+1)/2]
	for i := range l.runs[first:] {
		r := &l.runs[first+i]
		r.y, r.x0, r.x1, r.next = y, l.edges[2*i], l.edges[2*i+1], none
	}
}

// joinRows adds the runs of a row to the components of the runs of the row above that share a column, or
// else to new ones, and notes runs that touch at a corner. The numbers of the first runs of both rows are
// given.
func (l *labeler) joinRows(above, row []uint64, firstAbove, first int) {
	i, j := firstAbove-1, first-1 // the last runs that have begun before a word
	next := first                 // the first run without a component
	carryAbove, carry := uint64(0), uint64(0)
	for k, v := range row {
		a := above[k]
		if a|v|carryAbove|carry == 0 {
			continue
		}
		beforeAbove, before := a<<1|carryAbove, v<<1|carry
		begin, beginAbove := v&^before, a&^beforeAbove
		for m := a & v &^ (beforeAbove & before); m != 0; m &= m - 1 {
			upTo := m ^ (m - 1)
			c := l.root(l.runs[i+bits.OnesCount64(beginAbove&upTo)].component)
			at := j + bits.OnesCount64(begin&upTo)
			for ; next < at; next++ {
				l.begin(next)
			}
			if next == at {
				l.add(next, c)
				next++
			} else if d := l.root(l.runs[at].component); c != d {
				l.unite(c, d)
			}
		}
		for m := begin&beforeAbove&^a | beginAbove&before&^v; m != 0; m &= m - 1 {
			upTo := m ^ (m - 1)
			l.touches = append(l.touches, [2]int32{
				int32(i + bits.OnesCount64(beginAbove&upTo)), int32(j + bits.OnesCount64(begin&upTo)),
			})
		}
		i += bits.OnesCount64(beginAbove)
		j += bits.OnesCount64(begin)
		carryAbove, carry = a>>63, v>>63
	}
	for ; next < len(l.runs); next++ {
		l.begin(next)
	}
}

// begin begins a component with run i.
func (l *labeler) begin(i int) {
	k := int32(len(l.components))
	l.components = append(l.components, component{})
	c, r := &l.components[k], &l.runs[i]
	c.first, c.last, c.parent = int32(i), int32(i), k
	c.x0, c.y0, c.x1, c.y1, c.area = r.x0, r.y, r.x1-1, r.y, r.x1-r.x0
	r.component = k
}

// add adds run i to component k.
func (l *labeler) add(i int, k int32) {
	c, r := &l.components[k], &l.runs[i]
	c.x0, c.x1, c.y1 = min(c.x0, r.x0), max(c.x1, r.x1-1), r.y
	c.area += r.x1 - r.x0
	l.runs[c.last].next = int32(i)
	c.last = int32(i)
	r.component = k
}

// root returns the component that i has been joined with.
func (l *labeler) root(i int32) int32 {
	for l.components[i].parent != i {
		parent := l.components[i].parent
		l.components[i].parent = l.components[parent].parent
		i = parent
	}
	return i
}

// unite makes two different components one, which is the first of them, and returns it.
func (l *labeler) unite(i, j int32) *component {
	c, d := &l.components[min(i, j)], &l.components[max(i, j)]
	d.parent = min(i, j)
	c.x0, c.y0, c.x1, c.y1 = min(c.x0, d.x0), min(c.y0, d.y0), max(c.x1, d.x1), max(c.y1, d.y1)
	c.area += d.area
	l.runs[c.last].next = d.first
	c.last = d.last
	return c
}

// joinCorners joins components that touch at corners.
func (l *labeler) joinCorners() {
	for _, t := range l.touches {
		i, j := l.root(l.runs[t[0]].component), l.root(l.runs[t[1]].component)
		if i != j {
			l.unite(i, j).corner = true
		}
	}
}

// plausible reports whether c may be the border of a tag: neither small nor thin, and without pixels in the
// outermost rows and columns of the window's bounds or beyond, which are outside of the image if its edge
// is there.
func (l *labeler) plausible(c *component) bool {
	w, h := c.x1-c.x0+1, c.y1-c.y0+1
	b := &l.window.bounds
	if max(w, h) < 6 || min(w, h) < 4 ||
		int(c.x0) <= b.Min.X || int(c.y0) <= b.Min.Y || int(c.x1) >= b.Max.X-1 || int(c.y1) >= b.Max.Y-1 {
		return false
	}
	return int64(c.area)*8 >= int64(w)*int64(h) || int64(c.area) >= 3*(int64(w)+int64(h))
}

// An outline is the first and the last column of each row of a component.
type outline struct {
	y           int32 // of the first row
	left, right []int32
}

// trace sets o to the outline of a component.
func (l *labeler) trace(o *outline, c *component) {
	n := int(c.y1 - c.y0 + 1)
	o.y, o.left, o.right = c.y0, raster.Resize(o.left, n), raster.Resize(o.right, n)
	for k := range o.left {
		o.left[k], o.right[k] = c.x1, c.x0
	}
	for i := c.first; i != none; i = l.runs[i].next {
		r := &l.runs[i]
		o.left[r.y-o.y] = min(o.left[r.y-o.y], r.x0)
		o.right[r.y-o.y] = max(o.right[r.y-o.y], r.x1-1)
	}
}

// erode sets dst to the bits of src, rows of the given number of words, that are set and whose four
// neighbors are. Those in the outermost rows and columns are not.
func erode(dst, src []uint64, words int) {
	clear(dst)
	for begin := words; begin+words < len(src); begin += words {
		out, row := dst[begin:][:words], src[begin:][:words]
		above, below := src[begin-words:][:words], src[begin+words:][:words]
		carry := uint64(0) // the last pixel of the word before
		for i, v := range row {
			right := uint64(0)
			if i+1 < len(row) {
				right = row[i+1] << 63
			}
			out[i] = v & (v<<1 | carry) & (v>>1 | right) & above[i] & below[i]
			carry = v >> 63
		}
	}
}
