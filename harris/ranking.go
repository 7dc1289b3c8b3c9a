package harris

import (
	"image"
	"math"
	"math/bits"
	"slices"
)

// A ranking is the memory for the choice of the best corners.
type ranking struct {
	sorted []uint64           // keys, so changed that they ascend
	ends   [maxBuckets]uint32 // of the buckets in sorted

	blocked []uint64 // a bit for each pixel that is too near to a corner
	words   int      // of a row in it
	halves  []int    // how far to both sides a corner blocks pixels, by the distance of rows
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
		slices.Sort(bucket)
		for _, key := range bucket {
			key ^= flip
			x, y := s.place(key)
			if len(r.halves) > 0 && !r.block(x, y, s.plane.w, s.plane.h) {
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
	r.words = (w + 63) / 64
	n := r.words * h
	r.blocked = resize(r.blocked, n)
	clear(r.blocked)
}

// block blocks the pixels that are near to one of an image, and reports whether that
// was free.
func (r *ranking) block(x, y, w, h int) bool {
	if r.blocked[y*r.words+x>>6]>>(x&63)&1 != 0 {
		return false
	}
	reach := len(r.halves) - 1
	for i := max(y-reach, 0); i <= min(y+reach, h-1); i++ {
		half := r.halves[max(i-y, y-i)]
		left, right := max(x-half, 0), min(x+half, w-1)
		first, last := ^uint64(0)<<(left&63), ^uint64(0)>>(63-right&63)
		words := r.blocked[i*r.words:][left>>6 : right>>6+1]
		if len(words) == 1 {
			words[0] |= first & last
			continue
		}
		words[0] |= first
		for j := 1; j < len(words)-1; j++ {
			words[j] = ^uint64(0)
		}
		words[len(words)-1] |= last
	}
	return true
}
