package harris

import (
	"encoding/binary"
	"image"
	"math"
	"math/bits"
	"slices"
)

// A ranking is the memory for the choice of the best corners.
type ranking struct {
	sorted []uint64           // keys, so changed that they ascend
	ends   [maxBuckets]uint32 // of the buckets in sorted

	blocked []byte // a bit for each pixel that is too near to a corner, with as many more on all sides as a corner blocks
	stride  int    // bytes of a row in it
	halves  []int  // how far to both sides a corner blocks pixels, by the distance of rows
}

// maxBuckets is how many buckets keys are sorted into at most.
const maxBuckets = 1 << 12

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
	s.sort(flip)
	r.unblock(s.plane.w, s.plane.h, o.MinDistance)
	left := o.MaxCorners
	begin := uint32(0)
	for _, end := range r.ends {
		bucket := r.sorted[begin:end]
		begin = end
		if len(bucket) > 1 {
			slices.Sort(bucket)
		}
		for _, key := range bucket {
			key ^= flip
			x, y := s.place(key)
			if len(r.halves) > 0 && !r.block(x, y) {
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

// sort puts the keys found whose responses exceed the limit into buckets, those of larger
// responses first. The bits in flip are inverted.
func (s *scratch) sort(flip uint64) {
	// Responses that are not negative compare as their bits do.
	low, high := math.Float32bits(s.limit), math.Float32bits(s.largest)
	shift := max(bits.Len32(high-low)-bits.Len32(maxBuckets-1), 0)
	r := &s.ranking
	clear(r.ends[:])
	for _, l := range s.lanes {
		for _, key := range l.run.keys[:l.run.n] {
			if response := uint32(key >> 32); response > low {
				r.ends[(high-response)>>shift]++
			}
		}
	}
	n := uint32(0)
	for i, count := range r.ends {
		r.ends[i] = n // where the bucket begins
		n += count
	}
	r.sorted = resize(r.sorted, int(n))
	for _, l := range s.lanes {
		for _, key := range l.run.keys[:l.run.n] {
			if response := uint32(key >> 32); response > low {
				end := &r.ends[(high-response)>>shift]
				r.sorted[*end] = key ^ flip
				*end++
			}
		}
	}
}

// unblock makes all pixels of an image free, for corners at so large a distance.
func (r *ranking) unblock(w, h int, distance float64) {
	r.halves = r.halves[:0]
	if distance < 1 {
		return
	}
	d2 := float64(distance * distance)
	for dy := 0; dy < h; dy++ {
		dy2 := float64(float64(dy) * float64(dy))
		if dy2 >= d2 {
			break
		}
		dx := min(math.Floor(math.Sqrt(d2-dy2)), float64(w))
		if float64(dx*dx)+dy2 >= d2 {
			dx--
		}
		r.halves = append(r.halves, int(dx))
	}
	if len(r.halves) > 0 {
		spare := len(r.halves) - 1
		r.stride = (r.halves[0]+w+r.halves[0])/8 + 8 // whole words may begin in the last byte
		r.blocked = resize(r.blocked, (spare+h+spare)*r.stride)
		clear(r.blocked)
	}
}

// block blocks the pixels that are near to one of the image, and reports whether that was
// free.
func (r *ranking) block(x, y int) bool {
	spare := len(r.halves) - 1
	bit := r.halves[0] + x
	rows := r.blocked[y*r.stride:]
	if rows[spare*r.stride+bit/8]>>(bit%8)&1 != 0 {
		return false
	}
	for dy := -spare; dy <= spare; dy++ {
		half := r.halves[max(dy, -dy)]
		row := rows[(spare+dy)*r.stride:]
		// A word has at least so many bits from any one of its first byte on.
		const whole = 57
		begin, n := bit-half, 2*half+1
		for ; n > 0; n -= whole {
			word := row[begin/8:][:8]
			bits := uint64(1)<<min(n, whole) - 1
			binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|bits<<(begin%8))
			begin += whole
		}
	}
	return true
}
