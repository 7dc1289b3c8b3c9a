package tag

import (
	"math/bits"

	"github.com/fastcorners/fast/internal/raster"
)

// A labeler finds the components of set bits.
type labeler struct {
	w, h int
	// Runs of set bits, row by row. Run i begins at column edges[2*i] and ends before edges[2*i+1].
	edges []int32
	rows  []int32 // the first run of each row, and the number of all
	// The component of each run; while runs are joined, a run of the same component that is not a later
	// one, or the run itself if it is the first.
	label   []int32
	next    []int32    // the next run of the same component, or none
	touches [][2]int32 // runs of successive rows that touch at a corner and share no column

	// The components by edges, in the order of their first runs.
	components []component
}

const none = -1

// A component is a set of runs.
type component struct {
	x0, y0, x1, y1 int32 // the first and the last column and row
	area           int32 // in pixels
	first, last    int32 // of the runs

	// Components that touch at corners are a group. Its first component leads it, and joined has made
	// its box and its area those of the group.
	leader     int32 // a component of the group that is not a later one
	member     int32 // the next one of the group, or none
	lastMember int32 // the last one of the group that this one leads
}

// find finds the runs of set bits, and their components by edges. Each row of bits has the given
// number of words.
func (l *labeler) find(b []uint64, words, w, h int) {
	l.w, l.h = w, h
	l.edges, l.label, l.touches = l.edges[:0], l.label[:0], l.touches[:0]
	l.rows = append(raster.Resize(l.rows, h+1)[:0], 0)
	above := 0
	for y := range h {
		begin := len(l.label)
		l.edges = appendEdges(l.edges, b[y*words:][:words], w)
		for i := begin; i < len(l.edges)/2; i++ {
			l.label = append(l.label, int32(i))
		}
		l.rows = append(l.rows, int32(len(l.label)))
		l.joinRows(above, begin)
		above = begin
	}
	l.collect()
}

// appendEdges appends the columns where runs of set bits begin and end, in turn.
func appendEdges(edges []int32, row []uint64, w int) []int32 {
	carry := uint64(0)
	for i, v := range row {
		for e := v ^ (v<<1 | carry); e != 0; e &= e - 1 {
			edges = append(edges, int32(64*i+bits.TrailingZeros64(e)))
		}
		carry = v >> 63
	}
	if len(edges)%2 != 0 {
		edges = append(edges, int32(w)) // a run that fills the last word up to its end
	}
	return edges
}

// joinRows joins the runs of a row, which begin with the given one and are the last, with those of the
// row above that share a column, and notes those that touch at a corner.
func (l *labeler) joinRows(above, begin int) {
	i, j := above, begin
	for i < begin && j < len(l.label) {
		a, b := l.edges[2*i:][:2], l.edges[2*j:][:2]
		switch {
		case a[0] < b[1] && b[0] < a[1]:
			l.join(int32(i), int32(j))
		case a[0] == b[1] || b[0] == a[1]:
			l.touches = append(l.touches, [2]int32{int32(i), int32(j)})
		}
		if a[1] < b[1] {
			i++
		} else {
			j++
		}
	}
}

// join makes the components of two runs one.
func (l *labeler) join(i, j int32) {
	i, j = l.root(i), l.root(j)
	l.label[max(i, j)] = min(i, j)
}

// root returns the first run that run i has been joined with.
func (l *labeler) root(i int32) int32 {
	for l.label[i] != i {
		l.label[i] = l.label[l.label[i]]
		i = l.label[i]
	}
	return i
}

// collect makes the components of the runs.
func (l *labeler) collect() {
	l.components = l.components[:0]
	l.next = raster.Resize(l.next, len(l.label))
	y := int32(0)
	for i := range int32(len(l.label)) {
		for i >= l.rows[y+1] {
			y++
		}
		l.next[i] = none
		x0, x1 := l.edges[2*i], l.edges[2*i+1]
		if l.label[i] == i {
			k := int32(len(l.components))
			l.label[i] = k
			l.components = append(l.components, component{
				x0: x0, y0: y, x1: x1 - 1, y1: y, area: x1 - x0, first: i, last: i, leader: k, member: none, lastMember: k,
			})
			continue
		}
		l.label[i] = l.label[l.label[i]] // that run has its component already
		c := &l.components[l.label[i]]
		c.x0, c.x1, c.y1 = min(c.x0, x0), max(c.x1, x1-1), y
		c.area += x1 - x0
		l.next[c.last] = i
		c.last = i
	}
}

// joinCorners makes groups of the components that touch at corners. Then only the leaders have boxes
// and areas that mean something.
func (l *labeler) joinCorners() {
	for _, t := range l.touches {
		i, j := l.leader(l.label[t[0]]), l.leader(l.label[t[1]])
		l.components[max(i, j)].leader = min(i, j)
	}
	for i := range int32(len(l.components)) {
		k := l.leader(i)
		if k == i {
			continue
		}
		c, m := &l.components[k], &l.components[i]
		c.x0, c.y0, c.x1, c.y1 = min(c.x0, m.x0), min(c.y0, m.y0), max(c.x1, m.x1), max(c.y1, m.y1)
		c.area += m.area
		l.components[c.lastMember].member = i
		c.lastMember = i
	}
}

// leader returns the first component that component i has been joined with.
func (l *labeler) leader(i int32) int32 {
	c := l.components
	for c[i].leader != i {
		c[i].leader = c[c[i].leader].leader
		i = c[i].leader
	}
	return i
}

// group reports whether component i leads a group of several.
func (l *labeler) group(i int32) bool {
	return l.components[i].leader == i && l.components[i].lastMember != i
}

// plausible reports whether c, a component or a group, may be the border of a tag: neither small nor
// thin, and without pixels in the outermost rows and columns of the image.
func (l *labeler) plausible(c *component) bool {
	w, h := c.x1-c.x0+1, c.y1-c.y0+1
	if max(w, h) < 6 || min(w, h) < 4 || c.x0 == 0 || c.y0 == 0 || c.x1 == int32(l.w-1) || c.y1 == int32(l.h-1) {
		return false
	}
	return int64(c.area)*8 >= int64(w)*int64(h) || int64(c.area) >= 3*(int64(w)+int64(h))
}

// An outline is the first and the last column of each row of a component.
type outline struct {
	y           int32 // of the first row
	left, right []int32
}

// trace sets o to the outline of component i or, once there are groups, of the group that it leads.
func (l *labeler) trace(o *outline, i int32) {
	c := &l.components[i]
	n := int(c.y1 - c.y0 + 1)
	o.y, o.left, o.right = c.y0, raster.Resize(o.left, n), raster.Resize(o.right, n)
	for k := range o.left {
		o.left[k], o.right[k] = int32(l.w), none
	}
	for ; i != none; i = l.components[i].member {
		y := l.components[i].y0
		for k := l.components[i].first; k != none; k = l.next[k] {
			for k >= l.rows[y+1] {
				y++
			}
			o.left[y-o.y] = min(o.left[y-o.y], l.edges[2*k])
			o.right[y-o.y] = max(o.right[y-o.y], l.edges[2*k+1]-1)
		}
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
