package harris

import (
	"image"

	"github.com/fastcorners/fast/internal/tensor"
)

// findInBlocks finds corners in squares of any size, from all responses. The image is
// divided into blocks of about half of the side of the square, so that each pixel of a
// block has the others in its square: only those that equal the largest one can be
// corners (A. Neubeck and L. Van Gool, "Efficient non-maximum suppression", ICPR 2006).
// What else is in their squares lies in the blocks around, and few of those have larger
// responses.
func (s *scratch) findInBlocks() {
	w, h := s.plane.w, s.plane.h
	s.memory = resize(s.memory, w*h)
	s.responses = s.memory
	s.parts = appendParts(s.parts[:0], w, h, 0, s.bandRows(2))
	s.each((*scratch).respond)
	s.setLimit()
	if s.region.Empty() || s.largest <= s.limit {
		return
	}

	s.side = min(s.detector.opts.Suppression/2, max(w, h)) + 1
	s.grid = image.Pt((s.region.Dx()+s.side-1)/s.side, (s.region.Dy()+s.side-1)/s.side)
	s.blocks = resize(s.blocks, s.grid.X*s.grid.Y)
	rows := s.bandRows(s.side)
	s.parts = s.parts[:0]
	for y := s.region.Min.Y; y < s.region.Max.Y; y += rows {
		s.parts = append(s.parts, image.Rect(s.region.Min.X, y, s.region.Max.X, min(y+rows, s.region.Max.Y)))
	}
	s.each((*scratch).maximize)
	s.each((*scratch).findLargest)
}

// block returns the pixels of a block.
func (s *scratch) block(column, row int) image.Rectangle {
	at := s.region.Min.Add(image.Pt(column, row).Mul(s.side))
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(s.side, s.side))}.Intersect(s.region)
}

// row returns the responses in a row of a rectangle.
func (s *scratch) row(r image.Rectangle, y int) []float32 {
	return s.responses[y*s.plane.w:][r.Min.X:r.Max.X]
}

// maximize finds the largest response of each block of a part, which consists of whole
// rows of blocks.
func (s *scratch) maximize(l *lane, part image.Rectangle) {
	for top := part.Min.Y; top < part.Max.Y; top += s.side {
		// The largest responses of the columns: the first ones in l.extremes.
		l.extremes.reset()
		l.columns = append(l.columns[:0], s.row(part, top)...)
		first := l.extremes.add(s.kernels, l.columns)
		for y := top + 1; y < min(top+s.side, part.Max.Y); y++ {
			row := s.row(part, y)
			l.extremes.add(s.kernels, row)
			columns := l.columns[:len(row)]
			for x := first; x < len(row); x++ {
				columns[x] = larger(columns[x], row[x])
			}
		}
		copy(l.columns, l.extremes.most)
		blocks := s.blocks[(top-s.region.Min.Y)/s.side*s.grid.X:][:s.grid.X]
		for i := range blocks {
			largest := tensor.Order(l.columns[i*s.side])
			for _, v := range l.columns[i*s.side : min((i+1)*s.side, len(l.columns))] {
				largest = max(largest, tensor.Order(v))
			}
			blocks[i] = largest
		}
	}
}

// findLargest finds the corners of a part, which consists of whole rows of blocks.
func (s *scratch) findLargest(l *lane, part image.Rectangle) {
	first, last := (part.Min.Y-s.region.Min.Y)/s.side, (part.Max.Y-s.region.Min.Y-1)/s.side
	for row := first; row <= last; row++ {
		for column, largest := range s.blocks[row*s.grid.X:][:s.grid.X] {
			if largest <= tensor.Order(s.limit) {
				continue
			}
			r := s.block(column, row)
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for i, v := range s.row(r, y) {
					x := r.Min.X + i
					if tensor.Order(v) == largest && image.Pt(x, y).In(s.inner) && s.inMask(x, y) && s.isLargest(x, y, column, row) {
						l.run.keys = append(l.run.keys[:l.run.n], newKey(largest, uint32(y*s.plane.w+x)))
						l.run.n++
					}
				}
			}
		}
	}
}

// isLargest reports whether no response in the square around a pixel is larger than its
// own, which is the largest one of the block.
func (s *scratch) isLargest(x, y, column, row int) bool {
	largest := s.blocks[row*s.grid.X+column]
	reach := image.Pt(s.side-1, s.side-1)
	square := image.Rectangle{Min: image.Pt(x, y).Sub(reach), Max: image.Pt(x+1, y+1).Add(reach)}
	for j := max(row-1, 0); j <= min(row+1, s.grid.Y-1); j++ {
		for i := max(column-1, 0); i <= min(column+1, s.grid.X-1); i++ {
			if s.blocks[j*s.grid.X+i] <= largest {
				continue
			}
			r := s.block(i, j).Intersect(square)
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for _, v := range s.row(r, y) {
					if tensor.Order(v) > largest {
						return false
					}
				}
			}
		}
	}
	return true
}
