package apart

import (
	"encoding/binary"

	"github.com/fastcorners/fast/internal/raster"
)

// Pixels keeps points that are pixels of an image, in a bitmap of those that are near them.
type Pixels struct {
	near   []byte    // a bit for each pixel that is near a point, with room on all sides
	stride int       // bytes of a row of near
	reach  int       // pixels of the room to the left and right, at least as far as near ones are
	rows   int       // rows of the room above and below, as far as near pixels are
	halves []int     // how many pixels to the left and right are near, by the distance in rows
	spans  [8][]span // the same as bits, by the position of the point's bit in its byte; empty until needed
}

// A span is some bits of a word, which begins offset bytes after the byte of the point in the
// first row that has pixels near it.
type span struct {
	offset int
	bits   uint64
}

// Reset removes all points, before pixels of an image that is not empty are offered. The radius
// is positive.
func (p *Pixels) Reset(w, h int, radius float64) {
	limit := limit(radius)
	isNear := func(dx, dy int) bool { return square(float64(dx), float64(dy)) < limit }
	half := int(min(radius, float64(w)))
	p.halves = p.halves[:0]
	for dy := 0; dy < h && isNear(0, dy); dy++ {
		for half > 0 && !isNear(half, dy) {
			half--
		}
		p.halves = append(p.halves, half)
	}
	p.reach, p.rows = p.halves[0]/8*8+8, len(p.halves)-1
	p.stride = (p.reach+w+p.reach)/8 + 8 // a word may begin in the last byte
	p.near = raster.Resize(p.near, (p.rows+h+p.rows)*p.stride)
	clear(p.near)
	for i := range p.spans {
		p.spans[i] = p.spans[i][:0]
	}
}

// Add keeps a pixel of the image if it is not near one that has been kept, and reports whether
// it did.
func (p *Pixels) Add(x, y int) bool {
	rows := p.near[y*p.stride+x/8:]
	if rows[p.rows*p.stride+p.reach/8]>>(x%8)&1 != 0 {
		return false
	}
	if len(p.spans[x%8]) == 0 {
		p.makeSpans(x % 8)
	}
	for _, s := range p.spans[x%8] {
		word := rows[s.offset:][:8]
		binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|s.bits)
	}
	return true
}

// makeSpans makes the spans for a point whose bit has the given position in its byte.
func (p *Pixels) makeSpans(place int) {
	for dy, half := range p.halves {
		p.appendSpans(place, dy, half)
		if dy > 0 {
			p.appendSpans(place, -dy, half)
		}
	}
}

// appendSpans appends the spans of the row at distance dy, for a point whose bit has the given
// position in its byte, and which is near half pixels on each side.
func (p *Pixels) appendSpans(place, dy, half int) {
	// A word has at least 57 bits from any bit of its first byte on.
	const whole = 57
	for begin, end := p.reach+place-half, p.reach+place+half+1; begin < end; begin += whole {
		p.spans[place] = append(p.spans[place], span{
			offset: (p.rows+dy)*p.stride + begin/8,
			bits:   (uint64(1)<<min(end-begin, whole) - 1) << (begin % 8),
		})
	}
}
