package harris

import (
	"encoding/binary"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/rank"
	"github.com/fastcorners/fast/internal/raster"
)

// A ranking is memory for selecting the strongest corners.
type ranking struct {
	buckets rank.Buckets

	blocked []byte       // a bit for each pixel, which is set if a corner is too near, with room on all sides
	stride  int          // bytes of a row of blocked
	reach   int          // pixels of the room to the left and right, at least as far as a corner blocks others
	rows    int          // rows of the room above and below, as far as a corner blocks others
	halves  []int        // pixels that a corner blocks to the left and right, by the distance in rows
	spans   [8][]bitSpan // the same as bits, by the position of the corner's bit in its byte; empty until needed
}

// appendBest appends to dst the strongest of the corners found whose responses exceed the
// limit, at most MaxCorners of them.
func (s *scratch) appendBest(dst []Corner, origin image.Point) []Corner {
	if s.largest <= s.limit {
		return dst
	}
	o, r := &s.detector.opts, &s.ranking
	// Inverted bits descend when keys are sorted in ascending order.
	flip := ^uint64(0)
	if o.TopFirst {
		flip = math.MaxUint32 << 32
	}
	lanes := s.lanes.All()
	for _, l := range lanes[1:] {
		lanes[0].keys = append(lanes[0].keys, l.keys...)
	}
	r.buckets.Fill(lanes[0].keys, math.Float32bits(s.limit), math.Float32bits(s.largest), flip)
	r.unblock(s.plane.W, s.plane.H, o.MinDistance)
	left := o.MaxCorners
	for bucket := range r.buckets.All() {
		if len(bucket) > 1 {
			slices.Sort(bucket)
		}
		for _, key := range bucket {
			key ^= flip
			x, y := s.place(key)
			if r.reach > 0 && !r.block(x, y) {
				continue
			}
			dst = append(dst, Corner{
				X:        int32(origin.X + x),
				Y:        int32(origin.Y + y),
				Response: math.Float32frombits(uint32(key >> 32)),
			})
			if left--; left == 0 {
				return dst
			}
		}
	}
	return dst
}

// A bitSpan is some bits of a word, which begins offset bytes after the byte of the corner in
// the first row where the corner blocks pixels.
type bitSpan struct {
	offset int
	bits   uint64
}

// unblock makes all pixels of an image free, for corners with the given minimum distance.
func (r *ranking) unblock(w, h int, distance float64) {
	r.reach = 0
	if distance < 1 {
		return
	}
	d2 := distance * distance
	near := func(dx, dy int) bool { return float64(dx)*float64(dx)+float64(dy)*float64(dy) < d2 }
	half := int(min(distance, float64(w))) // pixels of a row that a corner blocks on each side
	r.halves = r.halves[:0]
	for dy := 0; dy < h && near(0, dy); dy++ {
		for half > 0 && !near(half, dy) {
			half--
		}
		r.halves = append(r.halves, half)
	}
	r.reach, r.rows = r.halves[0]/8*8+8, len(r.halves)-1
	r.stride = (r.reach+w+r.reach)/8 + 8 // a word may begin in the last byte
	r.blocked = raster.Resize(r.blocked, (r.rows+h+r.rows)*r.stride)
	clear(r.blocked)
	for i := range r.spans {
		r.spans[i] = r.spans[i][:0]
	}
}

// makeSpans makes the spans for a corner whose bit has the given position in its byte.
func (r *ranking) makeSpans(place int) {
	for dy, half := range r.halves {
		r.appendSpans(place, dy, half)
		if dy > 0 {
			r.appendSpans(place, -dy, half)
		}
	}
}

// appendSpans appends the spans of the row at distance dy, for a corner whose bit has the
// given position in its byte and which blocks half pixels on each side.
func (r *ranking) appendSpans(place, dy, half int) {
	// A word has at least 57 bits from any bit of its first byte on.
	const whole = 57
	for begin, end := r.reach+place-half, r.reach+place+half+1; begin < end; begin += whole {
		r.spans[place] = append(r.spans[place], bitSpan{
			offset: (r.rows+dy)*r.stride + begin/8,
			bits:   (uint64(1)<<min(end-begin, whole) - 1) << (begin % 8),
		})
	}
}

// block blocks the pixels near a pixel of the image, unless that is blocked itself. It reports
// whether the pixel was free.
func (r *ranking) block(x, y int) bool {
	rows := r.blocked[y*r.stride+x/8:]
	if rows[r.rows*r.stride+r.reach/8]>>(x%8)&1 != 0 {
		return false
	}
	if len(r.spans[x%8]) == 0 {
		r.makeSpans(x % 8)
	}
	for _, s := range r.spans[x%8] {
		word := rows[s.offset:][:8]
		binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|s.bits)
	}
	return true
}
