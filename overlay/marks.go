package overlay

import (
	"encoding/binary"
	"image"
	"image/draw"
	"slices"
)

// Marks of one level differ in nothing but their places, so the color of a pixel is that of
// the highest level with a mark there. Each row of the image is therefore drawn from the
// strongest marks to the weakest, and a pixel that has its color is not visited again: marks
// that others cover take hardly any time, and none once the row is full.

// A markSet is a set of points to draw, by their levels and rows.
type markSet struct {
	bounds  image.Rectangle // of the image
	palette *palette
	reach   int // how many pixels away from its point a mark is at most
	levels  [len(palette{})]struct{ line, rim stamp }
	starts  []int   // of the points of each level and row in xs, and the end
	xs      []int32 // of the points, from bounds.Min.X
}

// A stamp is the shape of a mark: the rows from reach above the point to reach below it, and
// of each row the spans of pixels, from where to where, relative to the point.
type stamp [][][2]int

// newMarkSet returns the set of n points. The function point returns the place of one, and the
// level of its color.
func newMarkSet(dst draw.Image, n int, point func(i int) (at image.Point, level int)) *markSet {
	unit := lineWidth(dst)
	m := &markSet{bounds: dst.Bounds(), palette: paletteOf(dst), reach: int(9*unit) + 1}
	for level := range m.levels {
		m.levels[level].line = newStamp(level, m.reach, pen{palette: m.palette, unit: unit})
		m.levels[level].rim = newStamp(level, m.reach, pen{palette: m.palette, unit: unit, extra: 2 * unit})
	}
	visible := m.bounds.Inset(-m.reach)
	m.starts = make([]int, len(m.levels)*visible.Dy()+1)
	for i := range n {
		if at, level := point(i); at.In(visible) {
			m.starts[m.index(level, at.Y)]++
		}
	}
	// The sums are where the points of a level and row end. Each of them moves that toward
	// the start.
	for i := range m.starts[1:] {
		m.starts[i+1] += m.starts[i]
	}
	m.xs = make([]int32, m.starts[len(m.starts)-1])
	for i := range n {
		if at, level := point(i); at.In(visible) {
			start := &m.starts[m.index(level, at.Y)]
			*start--
			m.xs[*start] = int32(at.X - m.bounds.Min.X)
		}
	}
	return m
}

// index returns the index in starts of a level and row y.
func (m *markSet) index(level, y int) int {
	return level*(m.bounds.Dy()+2*m.reach) + y - m.bounds.Min.Y + m.reach
}

// newStamp returns the shape of a mark that a pen draws.
func newStamp(level, reach int, p pen) stamp {
	const far = 1 << 20 // so that coordinates are rounded as they are in a large image
	mask := image.NewAlpha(image.Rect(far-reach, far-reach, far+reach+1, far+reach+1))
	p.dst, p.bounds = mask, mask.Rect
	p.mark(image.Pt(far, far), level)
	var s stamp
	for row := range slices.Chunk(mask.Pix, mask.Stride) {
		var spans [][2]int
		for x, v := range row {
			switch {
			case v == 0:
			case x > 0 && row[x-1] != 0:
				spans[len(spans)-1][1]++
			default:
				spans = append(spans, [2]int{x - reach, x - reach + 1})
			}
		}
		s = append(s, spans)
	}
	return s
}

// draw draws what is in a band of the image.
func (m *markSet) draw(dst draw.Image, band image.Rectangle) {
	row := newMarkedRow(band.Dx())
	mask := image.NewAlpha(image.Rect(band.Min.X, 0, band.Max.X, 1))
	p := pen{dst: dst, bounds: band}
	for y := band.Min.Y; y < band.Max.Y; y++ {
		for level := strongest; level >= 0; level-- {
			m.mark(row, level, y, m.levels[level].line, toneOf(level))
		}
		for level := strongest; level >= 0; level-- {
			m.mark(row, level, y, m.levels[level].rim, toneRim)
		}
		if row.free == len(row.tones) {
			continue
		}
		for begin, end := row.piece(0); begin < end; begin, end = row.piece(end) {
			for x, tone := range row.tones[begin:end] {
				mask.Pix[begin+x] = 0
				if tone == toneRim {
					mask.Pix[begin+x] = 0xff
				}
			}
			left, right := band.Min.X+begin, band.Min.X+end
			draw.DrawMask(dst, image.Rect(left, y, right, y+1), rim, image.Point{}, mask, image.Pt(left, 0), draw.Over)
			for x := begin; x < end; {
				from, tone := x, row.tones[x]
				for x < end && row.tones[x] == tone {
					x++
				}
				if tone != toneRim {
					p.color = m.palette[tone-toneFirst]
					p.fill(y, band.Min.X+from, band.Min.X+x)
				}
			}
		}
		row.reset()
	}
}

// mark gives the marks of a level a tone where they are in row y.
func (m *markSet) mark(row *markedRow, level, y int, shape stamp, tone uint8) {
	for i, spans := range shape {
		if row.free == 0 {
			return
		}
		if len(spans) == 0 {
			continue
		}
		// The row of the shape that is i rows below its first one is that of a point which
		// is reach-i rows below row y.
		at := m.index(level, y+m.reach-i)
		for _, x := range m.xs[m.starts[at]:m.starts[at+1]] {
			for _, span := range spans {
				row.mark(int(x)+span[0], int(x)+span[1], tone)
			}
		}
	}
}

// The tones of pixels: none, that of rims, and then those of levels.
const (
	toneNone = iota
	toneRim
	toneFirst
)

func toneOf(level int) uint8 { return uint8(toneFirst + level) }

// A markedRow is a row of the image.
type markedRow struct {
	tones []uint8 // of the pixels
	free  int     // the number of pixels without a tone

	// For a pixel without a tone, next is its own index. For others it is a higher index, and
	// no pixel between the two is without a tone.
	next  []int32
	fresh []int32 // next when no pixel has a tone
}

func newMarkedRow(width int) *markedRow {
	row := &markedRow{tones: make([]uint8, width), next: make([]int32, width+1), fresh: make([]int32, width+1)}
	for x := range row.fresh {
		row.fresh[x] = int32(x)
	}
	row.reset()
	return row
}

// reset takes all tones away.
func (r *markedRow) reset() {
	clear(r.tones)
	copy(r.next, r.fresh)
	r.free = len(r.tones)
}

// piece returns where the next pixels that have tones begin and end, or an empty piece.
func (r *markedRow) piece(begin int) (int, int) {
	for begin+8 <= len(r.tones) && binary.LittleEndian.Uint64(r.tones[begin:]) == 0 {
		begin += 8
	}
	for begin < len(r.tones) && r.tones[begin] == toneNone {
		begin++
	}
	end := begin
	for end < len(r.tones) && r.tones[end] != toneNone {
		end++
	}
	return begin, end
}

// mark gives a tone to the pixels from left to right-1 that have none.
func (r *markedRow) mark(left, right int, tone uint8) {
	left, right = max(left, 0), min(right, len(r.tones))
	for x := left; x < right; {
		if next := int(r.next[x]); next != x {
			r.next[x] = max(r.next[next], int32(right)) // this shortens the way for others
			x = next
			continue
		}
		r.tones[x] = tone
		r.next[x] = int32(right)
		r.free--
		x++
	}
}
