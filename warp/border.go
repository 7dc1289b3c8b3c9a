package warp

import (
	"encoding/binary"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/edge"
)

// finishRow makes the pixels in outer. If kept is not nil, its elements become true for those
// that it leaves as they are.
func (l *lane) finishRow(mode border.Mode, nearest bool, size int, kept []bool) {
	s := &l.sampling
	for _, i := range s.outer[:s.outers] {
		x, y := int((s.x0+s.x[i])>>(s.shift&31)), int((s.y0+s.y[i])>>(s.shift&31))
		to := s.to[int(i)*size:][:size]
		var set bool
		if nearest {
			set = s.nearestAt(to, mode, x-int(s.left), y-int(s.top))
		} else {
			set = s.linearAt(to, mode, x>>5-int(s.left), y>>5-int(s.top), x&31, y&31)
		}
		if !set && kept != nil {
			kept[i] = true
		}
	}
}

// nearestAt sets to to the pixel of a column and a row, which may be outside. It reports false
// if to is left as it is.
func (s *sampleRun) nearestAt(to []byte, mode border.Mode, column, row int) bool {
	w, h := int(s.right)+1, int(s.bottom)+1
	if uint(column) >= uint(w) || uint(row) >= uint(h) {
		switch mode {
		case border.Transparent:
			return false
		case border.Constant:
			copy(to, s.value[:])
			return true
		}
		column, row = edge.Inside(mode, column, w), edge.Inside(mode, row, h)
	}
	copy(to, s.pix[row*s.stride+len(to)*column:])
	return true
}

// linearAt sets to to the mean of the pixels of a column and a row and the next ones, some of
// which may be outside. It reports false if to is left as it is.
func (s *sampleRun) linearAt(to []byte, mode border.Mode, column, row, fx, fy int) bool {
	w, h := int(s.right)+1, int(s.bottom)+1
	columns, rows := [2]int{column, column + 1}, [2]int{row, row + 1}
	if column < 0 || column >= w-1 || row < 0 || row >= h-1 {
		switch mode {
		case border.Transparent:
			return false
		case border.Constant:
			if column >= w || column+1 < 0 || row >= h || row+1 < 0 {
				copy(to, s.value[:])
				return true
			}
		}
		for k := range 2 {
			columns[k], rows[k] = edge.Inside(mode, columns[k], w), edge.Inside(mode, rows[k], h)
		}
	}
	if len(to) == 2 {
		var v [4]float32
		for k := range v {
			column, row := columns[k%2], rows[k/2]
			v[k] = float32(s.at(column, row, 0, 2)<<8 | s.at(column, row, 1, 2))
		}
		binary.BigEndian.PutUint16(to, mix16(v[0], v[1], v[2], v[3], int32(fx), int32(fy)))
		return true
	}
	for c := range to {
		var sums [2]int
		for k, row := range rows {
			a, b := s.at(columns[0], row, c, len(to)), s.at(columns[1], row, c, len(to))
			sums[k] = (32-fx)*a + fx*b
		}
		to[c] = uint8(((32-fy)*sums[0] + fy*sums[1] + 512) >> 10)
	}
	return true
}

// at returns byte i of a pixel of some bytes, or of what lies outside if the column or the row is
// negative.
func (s *sampleRun) at(column, row, i, size int) int {
	if column < 0 || row < 0 {
		return int(s.value[i])
	}
	return int(s.pix[row*s.stride+column*size+i])
}
