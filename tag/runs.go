package tag

import (
	"math"
	"math/bits"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
)

// A labeler finds the components of set bits. The rows are divided into bands, which workers share.
type labeler struct {
	window     *window
	pixels     []uint64
	words      int // of a row of pixels
	bands      []band
	components []component // in the order of their first runs
	chosen     []int32     // the components whose outlines are asked for
	outlines   []span      // one of all components that are not chosen, which nobody needs, and those of the others
	places     []int32     // of the components' outlines: where row 0 of the image would be
}

// A band is successive rows of the window, with their runs: set bits of a row, with others or the edge of
// the image on both sides.
type band struct {
	y0, y1 int     // the first row, and the one behind the last
	rows   []int32 // the first run of each row, and the number of runs
	edges  []int32 // run i begins at column edges[2*i], and ends before edges[2*i+1]
	// For each run, first an earlier run of the same component, or the run itself if there is none, and
	// then the number of the component.
	of []int32
	// What touches at a corner and is not known to be joined: pairs of runs first, and then of components.
	touches [][2]int32
	first   int     // the number of the first component that begins here
	begun   int     // how many there are
	chosen  []int32 // of these
}

// A component is a set of runs.
type component struct {
	x0, y0, x1, y1 int32 // the first and the last column and row
	area           int32 // in pixels
	// A component with which this one has been joined, which begins earlier, or else byEdges or byCorners.
	parent int32
}

// A component that has not been joined with an earlier one is joined by edges, or also by corners.
const (
	byEdges   = -1
	byCorners = -2
)

// A span is the first and the last column of a row of a component.
type span struct{ left, right int32 }

// divide divides the rows of a window into bands.
func (l *labeler) divide(w *window, bands int) {
	l.window = w
	l.bands = raster.Resize(l.bands, bands)
	for i := range l.bands {
		l.bands[i].y0, l.bands[i].y1 = i*w.pixels.H/bands, (i+1)*w.pixels.H/bands
	}
}

// row returns the pixels of row y.
func (l *labeler) row(y int) []uint64 { return l.pixels[y*l.words:][:l.words] }

// find finds the runs of band i, and which of them belong together.
func (l *labeler) find(s *seam, i int) {
	b := l.bands[i] // a copy, since those of other workers are beside it
	b.rows, b.edges, b.of, b.touches = append(b.rows[:0], 0), b.edges[:0], b.of[:0], b.touches[:0]
	b.begun = 0
	above := 0
	for y := b.y0; y < b.y1; y++ {
		first := len(b.of)
		b.addRuns(l.row(y), l.window.origin.X, l.window.pixels.W)
		b.rows = append(b.rows, int32(len(b.of)))
		if y > b.y0 {
			s.find(l.row(y-1), l.row(y), above, first, len(b.of)-above)
			b.join(s.joins)
			for _, t := range s.touches {
				if b.of[t[0]] != b.of[t[1]] {
					b.touches = append(b.touches, t)
				}
			}
		}
		above = first
	}
	l.bands[i] = b
}

// addRuns adds the runs of a row of the given width, which begins at column x. None belongs to others.
func (b *band) addRuns(row []uint64, x, width int) {
	n := len(b.edges)
	b.edges = slices.Grow(b.edges, 64*len(row)+4)
	edges := b.edges[:cap(b.edges)]
	carry := uint64(0)
	for i, v := range row {
		m := v ^ (v<<1 | carry)
		carry = v >> 63
		next := n + bits.OnesCount64(m)
		for at := int32(x + 64*i); m != 0; n += 4 {
			e := (*[4]int32)(edges[n:]) // those that are too many are overwritten
			e[0] = at + int32(bits.TrailingZeros64(m))
			m &= m - 1
			e[1] = at + int32(bits.TrailingZeros64(m))
			m &= m - 1
			e[2] = at + int32(bits.TrailingZeros64(m))
			m &= m - 1
			e[3] = at + int32(bits.TrailingZeros64(m))
			m &= m - 1
		}
		n = next
	}
	if n%2 > 0 {
		edges[n] = int32(x + width) // where a run ends that fills the last word up to its end
		n++
	}
	b.edges = edges[:n]
	first := len(b.of)
	b.of = slices.Grow(b.of, n/2-first)[:n/2]
	for i := first; i < len(b.of); i++ {
		b.of[i] = int32(i)
	}
	b.begun += n/2 - first
}

// A seam is where two successive rows meet, as pairs of a run of the upper row and one of the lower one.
type seam struct {
	joins   [][2]int32 // that share columns
	touches [][2]int32 // that touch at a corner and share none
}

// find sets s. The numbers of the first runs of both rows are given, and how many both have.
func (s *seam) find(above, row []uint64, firstAbove, first, runs int) {
	joins, n := raster.Resize(s.joins, runs), 0 // with each pair, one of the two rows goes on to its next run
	s.touches = s.touches[:0]
	i, j := firstAbove-1, first-1 // the last runs that have begun before a word
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
			joins[n] = [2]int32{
				int32(i + bits.OnesCount64(beginAbove&upTo)), int32(j + bits.OnesCount64(begin&upTo)),
			}
			n++
		}
		for m := begin&beforeAbove&^a | beginAbove&before&^v; m != 0; m &= m - 1 {
			upTo := m ^ (m - 1)
			s.touches = append(s.touches, [2]int32{
				int32(i + bits.OnesCount64(beginAbove&upTo)), int32(j + bits.OnesCount64(begin&upTo)),
			})
		}
		i += bits.OnesCount64(beginAbove)
		j += bits.OnesCount64(begin)
		carryAbove, carry = a>>63, v>>63
	}
	s.joins = joins[:n]
}

// join notes which runs of the last two rows belong to the same components.
func (b *band) join(joins [][2]int32) {
	of := b.of
	for _, m := range joins {
		c := of[m[0]]
		for of[c] != c {
			of[c] = of[of[c]]
			c = of[c]
		}
		d := of[m[1]] // which is m[1], or the c of the pair before
		low, high := min(c, d), max(c, d)
		of[high], of[m[1]] = low, low
		if low != high {
			b.begun--
		}
	}
}

// number numbers the components, in the order of their first runs, and makes room for them.
func (l *labeler) number() {
	n := 0
	for i := range l.bands {
		l.bands[i].first = n
		n += l.bands[i].begun
	}
	l.components = raster.Resize(l.components, n)
}

// measure sets the components of band i.
func (l *labeler) measure(i int) {
	b := &l.bands[i]
	next := int32(b.first)
	run := 0
	for k, end := range b.rows[1:] {
		y := int32(l.window.origin.Y + b.y0 + k)
		for ; run < int(end); run++ {
			x0, x1 := b.edges[2*run], b.edges[2*run+1]
			at := b.of[run]
			if int(at) == run {
				l.components[next] = component{x0, y, x1 - 1, y, x1 - x0, byEdges}
				b.of[run] = next
				next++
				continue
			}
			at = b.of[at]
			b.of[run] = at
			c := &l.components[at]
			c.x0, c.x1, c.y1 = min(c.x0, x0), max(c.x1, x1-1), y
			c.area += x1 - x0
		}
	}
	n := 0
	for _, t := range b.touches {
		if c, d := b.of[t[0]], b.of[t[1]]; c != d {
			b.touches[n] = [2]int32{c, d}
			n++
		}
	}
	b.touches = b.touches[:n]
}

// joinBands joins the components of successive bands by edges.
func (l *labeler) joinBands(s *seam) {
	for i := 1; i < len(l.bands); i++ {
		a, b := &l.bands[i-1], &l.bands[i]
		first := int(a.rows[len(a.rows)-2])
		s.find(l.row(b.y0-1), l.row(b.y0), first, 0, len(a.of)-first+int(b.rows[1]))
		for _, m := range s.joins {
			l.unite(a.of[m[0]], b.of[m[1]], byEdges)
		}
		for _, t := range s.touches {
			b.touches = append(b.touches, [2]int32{a.of[t[0]], b.of[t[1]]})
		}
	}
}

// root returns the component that i has been joined with.
func (l *labeler) root(i int32) int32 {
	for {
		parent := l.components[i].parent
		if parent < 0 {
			return i
		}
		if next := l.components[parent].parent; next >= 0 {
			l.components[i].parent = next
		}
		i = parent
	}
}

// unite makes two components one, which is the first of them, and notes how they are joined.
func (l *labeler) unite(i, j, how int32) {
	i, j = l.root(i), l.root(j)
	if i == j {
		return
	}
	i, j = min(i, j), max(i, j)
	c, d := &l.components[i], &l.components[j]
	d.parent, c.parent = i, how
	c.x0, c.y0, c.x1, c.y1 = min(c.x0, d.x0), min(c.y0, d.y0), max(c.x1, d.x1), max(c.y1, d.y1)
	c.area += d.area
}

// joinCorners joins components that touch at corners.
func (l *labeler) joinCorners() {
	for i := range l.bands {
		for _, t := range l.bands[i].touches {
			l.unite(t[0], t[1], byCorners)
		}
	}
}

// choose chooses the plausible components of band i that are joined as given, byEdges or byCorners.
func (l *labeler) choose(i int, how int32) {
	b := &l.bands[i]
	chosen := b.chosen[:0]
	for k := b.first; k < b.first+b.begun; k++ {
		if c := &l.components[k]; c.parent == how && l.plausible(c) {
			chosen = append(chosen, int32(k))
		}
	}
	b.chosen = chosen
}

// place makes room for the outlines of what all bands have chosen.
func (l *labeler) place() {
	l.places, l.chosen = raster.Resize(l.places, len(l.components)), l.chosen[:0]
	for i := range l.places {
		l.places[i] = -int32(l.window.origin.Y)
	}
	for i := range l.bands {
		l.chosen = append(l.chosen, l.bands[i].chosen...)
	}
	rows := int32(l.window.pixels.H)
	for _, k := range l.chosen {
		c := &l.components[k]
		l.places[k] = rows - c.y0
		rows += c.y1 - c.y0 + 1
	}
	l.outlines = raster.Resize(l.outlines, int(rows))
	for i := range l.outlines {
		l.outlines[i].left = math.MaxInt32
	}
}

// trace finds the part of the outlines in band i. It does so for all components, whether chosen or not,
// since to tell them apart would take longer.
func (l *labeler) trace(i int) {
	b := &l.bands[i]
	for k := b.first; k < b.first+b.begun; k++ {
		if p := l.components[k].parent; p >= 0 {
			for int(p) < b.first && l.components[p].parent >= 0 {
				p = l.components[p].parent
			}
			l.places[k] = l.places[p] // of a root, or of an earlier component of the band
		}
	}
	run := 0
	for k, end := range b.rows[1:] {
		y := int32(l.window.origin.Y + b.y0 + k)
		for ; run < int(end); run++ {
			s := &l.outlines[l.places[b.of[run]]+y]
			s.left, s.right = min(s.left, b.edges[2*run]), b.edges[2*run+1]-1
		}
	}
}

// outline returns that of component i, from its first row on.
func (l *labeler) outline(i int32) []span {
	c := &l.components[i]
	return l.outlines[l.places[i]+c.y0:][:c.y1-c.y0+1]
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

// erode sets the rows of dst from y0 up to y1 to the bits of src, rows of the given number of words, that
// are set and whose four neighbors are. Those in the outermost rows and columns are not.
func erode(dst, src []uint64, words, y0, y1 int) {
	for begin := y0 * words; begin < y1*words; begin += words {
		out := dst[begin:][:words]
		if begin == 0 || begin+words == len(src) {
			clear(out)
			continue
		}
		row, above, below := src[begin:][:words], src[begin-words:][:words], src[begin+words:][:words]
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
