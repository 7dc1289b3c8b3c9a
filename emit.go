package fast

import "slices"

// listMasks lists those masks of from that are not zero, beginning at place at of the
// list, and returns how many there are. Unless allowed is nil, a mask is what is in
// allowed and not in from.
func (l *lane) listMasks(st *stages, at int, from, allowed []uint64, origins []uint32) int {
	r := &l.run
	// Slicing panics where there is no room for what is read and written.
	n := len(from) + maskSlack
	r.from, r.fromOrigins = from[:n][:len(from)], origins[:n]
	r.allowed = nil
	if allowed != nil {
		r.allowed = allowed[:n]
	}
	r.masks, r.origins = l.list[at:at+n], l.listOrigins[at:at+n]
	st.compact(r)
	return r.count
}

// emit appends the corners of the first n masks of the list, of which there are
// no more than most, to dst. The first pixel that the run tests is x, y.
func (l *lane) emit(dst []Corner, st *stages, n, most, x, y int) []Corner {
	if n == 0 {
		return dst
	}
	r := &l.run
	r.masks, r.origins, r.count = l.list, l.listOrigins, n
	r.packed, r.packedScores = l.packed[:most+packSlack], nil
	if r.scores != nil {
		r.packedScores = l.packedScores[:most+packSlack]
	}
	r.x, r.y = int32(x), int32(y-carriedRows)
	st.pack(r)
	if r.corners == 0 {
		return dst
	}
	end := len(dst)
	dst = slices.Grow(dst, r.corners)[:end+r.corners]
	st.widen(dst[end:], r)
	return dst
}

// emitBand appends the corners of a band, whose first row is y, to dst. The width
// counts the masks of a row.
func (l *lane) emitBand(dst []Corner, st *stages, band []uint64, width, y int) []Corner {
	most := l.room / 64
	l.setLayout(layout{block: 64, rows: max(most/width, 1), blocks: min(width, most), width: width})
	if width <= most {
		for rows := most / width; len(band) > 0; y += rows {
			n := min(rows*width, len(band))
			dst = l.emitMasks(dst, st, band[:n], radius, y)
			band = band[n:]
		}
		return dst
	}
	for ; len(band) > 0; y++ {
		for i := 0; i < width; i += most {
			dst = l.emitMasks(dst, st, band[i:min(i+most, width)], radius+64*i, y)
		}
		band = band[width:]
	}
	return dst
}

// emitMasks appends the corners of a run of masks, whose first pixel is x, y, to
// dst.
func (l *lane) emitMasks(dst []Corner, st *stages, masks []uint64, x, y int) []Corner {
	n := l.listMasks(st, 0, masks, nil, l.gridOrigins)
	return l.emit(dst, st, n, 64*n, x, y)
}
