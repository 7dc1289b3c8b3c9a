package harris

import (
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/apart"
	"github.com/fastcorners/fast/internal/rank"
)

// A ranking is memory for selecting the strongest corners.
type ranking struct {
	buckets rank.Buckets
	kept    apart.Pixels
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
	spaced := o.MinDistance >= 1
	if spaced {
		r.kept.Reset(s.plane.W, s.plane.H, o.MinDistance)
	}
	left := o.MaxCorners
	for bucket := range r.buckets.All() {
		if len(bucket) > 1 {
			slices.Sort(bucket)
		}
		for _, key := range bucket {
			key ^= flip
			x, y := s.place(key)
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
