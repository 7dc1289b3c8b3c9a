package harris

import (
	"encoding/binary"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/rank"

	"github.com/fastcorners/fast/internal/raster"
)

// A ranking is the memory for the choice of the best corners.
type ranking struct {
	buckets rank.Buckets

	blocked []byte       // a bit for each pixel that is too near to a corner, with room on all sides
	stride  int          // bytes of a row in it
	reach   int          // pixels of the room, at least as many as a corner blocks
	halves  []int        // how far to both sides a corner blocks pixels, by the distance of rows
	spans   [8][]bitSpan // the same as bits, by the place of the corner's bit in its byte, where it has been asked for
}

// appendBest appends to dst those of the corners found whose responses exceed the limit,
// the strongest first, as many as are wanted.
func (s *scratch) appendBest(dst []Corner, origin image.Point) []Corner {
	if s.largest <= s.limit {
		return dst
	}
	o, r := &s.detector.opts, &s.ranking
	// Keys ascend when the bits are inverted that are to descend.
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

// A bitSpan is some bits of a word that begins so many bytes after the first row that a
// corner blocks pixels of.
type bitSpan struct {
	offset int
	bits   uint64
}

// unblock makes all pixels of an image free, for corners at so large a distance.
func (r *ranking) unblock(w, h int, distance float64) {
	r.reach = 0
	if distance < 1 {
		return
	}
	d2 := distance * distance
	near := func(dx, dy int) bool { return float64(dx)*float64(dx)+float64(dy)*float64(dy) < d2 }
	half := int(min(distance, float64(max(w, h)))) // of the pixels in a row that are near
	for half > 0 && !near(half, 0) {
		half--
	}
	r.reach = half/8*8 + 8
	r.stride = (r.reach+w+r.reach)/8 + 8 // whole words may begin in the last byte
	r.blocked = raster.Resize(r.blocked, (r.reach+h+r.reach)*r.stride)
	clear(r.blocked)
	r.halves = r.halves[:0]
	for dy := 0; dy < min(r.reach, h) && near(0, dy); dy++ {
		for half > 0 && !near(half, dy) {
			half--
		}
		r.halves = append(r.halves, half)
	}
	for i := range r.spans {
		r.spans[i] = r.spans[i][:0]
	}
}

// makeSpans makes the spans for a corner whose bit has this place in its byte.
func (r *ranking) makeSpans(place int) {
	for dy, half := range r.halves {
		r.appendSpans(place, dy, half)
		if dy > 0 {
			r.appendSpans(place, -dy, half)
		}
	}
}

// appendSpans appends the spans of a row for a corner whose bit has this place in its
// byte: so many pixels to both sides.
func (r *ranking) appendSpans(place, dy, half int) {
	// A word has at least so many bits from any one of its first byte on.
	const whole = 57
	for begin, end := r.reach+place-half, r.reach+place+half+1; begin < end; begin += whole {
		r.spans[place] = append(r.spans[place], bitSpan{
			offset: (r.reach+dy)*r.stride + begin/8,
			bits:   (uint64(1)<<min(end-begin, whole) - 1) << (begin % 8),
		})
	}
}

// block blocks the pixels that are near to one of the image, and reports whether that was
// free.
func (r *ranking) block(x, y int) bool {
	rows := r.blocked[y*r.stride+x/8:]
	if rows[r.reach*r.stride+r.reach/8]>>(x%8)&1 != 0 {
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
