package fast

import "slices"

// emit appends the corners of the first n masks of the list, of which there are
// no more than most, to dst. The run's position 0 is the pixel x, y.
func (s *scratch) emit(dst []Corner, st *stages, n, most, x, y int) []Corner {
	if n == 0 {
		return dst
	}
	r := &s.run
	r.masks, r.origins, r.count = s.list, s.listOrigins, n
	r.packed, r.packedScores = s.packed[:most+packSlack], nil
	if r.scores != nil {
		r.packedScores = s.packedScores[:most+packSlack]
	}
	r.x, r.y = int32(x), int32(y)
	st.pack(r)
	if r.corners == 0 {
		return dst
	}
	end := len(dst)
	dst = slices.Grow(dst, r.corners)[:end+r.corners]
	st.widen(dst[end:], r)
	return dst
}
