package harris

import (
	"image"
	"math"

	"github.com/fastcorners/fast/internal/apart"
	"github.com/fastcorners/fast/internal/rank"
)

// A ranking is memory for selecting the strongest corners.
type ranking struct {
	lists   [][]uint64 // the keys of the lanes
	buckets *rank.Buckets
	kept    apart.Pixels
}

// appendBest appends to dst the strongest of the corners found whose responses exceed the
// limit, at most MaxCorners of them.
func (j *job) appendBest(dst []Corner, origin image.Point) []Corner {
	if j.largest <= j.limit {
		return dst
	}
	o, r := &j.detector.opts, &j.ranking
	// Inverted bits descend when keys are sorted in ascending order.
	flip := ^uint64(0)
	if o.topFirst {
		flip = math.MaxUint32 << 32
	}
	// Without a distance, exactly MaxCorners are needed.
	likely := o.MaxCorners
	spaced := o.MinDistance >= 1
	if spaced {
		likely = 4 * min(o.MaxCorners, math.MaxInt/4)
	}
	r.lists = r.lists[:0]
	for _, l := range j.lanes.All() {
		r.lists = append(r.lists, l.keys)
	}
	r.buckets.Fill(j.workers(), r.lists, math.Float32bits(j.limit), math.Float32bits(j.largest), flip, likely)
	if spaced {
		r.kept.Reset(j.plane.W, j.plane.H, o.MinDistance)
	}
	left := o.MaxCorners
	for bucket := range r.buckets.Sorted() {
		for _, key := range bucket {
			key ^= flip
			x, y := j.place(key)
			if spaced && !r.kept.Add(x, y) {
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
