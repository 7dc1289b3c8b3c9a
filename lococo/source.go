package lococo

import "image"

// A plane is the gray values of an image.
type plane struct {
	w, h   int
	pix    []byte
	stride int
}

func newPlane(img *image.Gray) plane {
	if img == nil || img.Rect.Empty() {
		return plane{}
	}
	return plane{w: img.Rect.Dx(), h: img.Rect.Dy(), pix: img.Pix, stride: img.Stride}
}

// row returns columns of row y.
func (p *plane) row(y, begin, end int) []byte {
	return p.pix[y*p.stride:][begin:end]
}

// A source makes the responses of a part of an image, row by row. Sums over columns of
// boxes and windows slide down with the rows, and those over rows along each of them.
// Floats hold integers: gradients have less than 24 bits, and sums of their products less
// than 53, so that all is exact.
type source struct {
	size

	plane *plane
	left  int // first column of the image that counts
	y     int // of the next row of gradients
	first bool

	bands     [2][]int32     // sums over columns: of 2r-1 pixels, and of the r below less the r above
	gradients [2][][]float32 // in x and y, of the rows of a window and the one before them
	newest    int            // of these rows
	columns   [3][]float64   // sums of products over the columns of windows
	tensors   [3][]float32
}

func newSource(s size) *source {
	src := &source{size: s}
	for i := range src.gradients {
		src.gradients[i] = make([][]float32, 2*s.q+2)
	}
	return src
}

// start begins a part. Responses are defined for all of its pixels.
func (s *source) start(p *plane, part image.Rectangle) {
	s.plane = p
	s.left = part.Min.X - s.margin()
	s.y = part.Min.Y - s.q
	s.first = true
	w := part.Dx()
	gradients := w + 2*s.q
	for i := range s.bands {
		s.bands[i] = resize(s.bands[i], gradients+2*s.r)
		clear(s.bands[i])
	}
	for _, rows := range s.gradients {
		for i := range rows {
			rows[i] = resize(rows[i], gradients)
			clear(rows[i])
		}
	}
	for i := range s.columns {
		s.columns[i] = resize(s.columns[i], gradients)
		clear(s.columns[i])
		s.tensors[i] = resize(s.tensors[i], w)
	}
	for range 2 * s.q {
		s.slide()
	}
}

// row makes the next row of responses.
func (s *source) row(dst []float32) {
	s.slide()
	s.sumWindows()
	s.measure.Respond(dst, s.tensors[0], s.tensors[1], s.tensors[2])
}

// slide moves windows down by a row.
func (s *source) slide() {
	if s.first {
		s.sumBands()
		s.first = false
	} else {
		s.slideBands()
	}
	s.y++
	rows := len(s.gradients[0])
	s.newest = (s.newest + 1) % rows
	oldest := (s.newest + 1) % rows
	gx, gy := s.gradients[0][s.newest], s.gradients[1][s.newest]
	s.differentiate(gx, gy)
	s.slideColumns(gx, gy, s.gradients[0][oldest], s.gradients[1][oldest])
}

// pixels returns the pixels of a row that count.
func (s *source) pixels(y int) []byte {
	return s.plane.row(y, s.left, s.left+len(s.bands[0]))
}

// sumBands makes the bands around row y.
func (s *source) sumBands() {
	add := func(band []int32, y int, sign int32) {
		for i, p := range s.pixels(y) {
			band[i] += sign * int32(p)
		}
	}
	add(s.bands[0], s.y, 1)
	for d := 1; d <= s.r; d++ {
		if d < s.r {
			add(s.bands[0], s.y-d, 1)
			add(s.bands[0], s.y+d, 1)
		}
		add(s.bands[1], s.y-d, -1)
		add(s.bands[1], s.y+d, 1)
	}
}

// slideBands moves the bands to row y from the one above.
func (s *source) slideBands() {
	whole := s.bands[0]
	halves := s.bands[1][:len(whole)]
	bottom, above := s.pixels(s.y + s.r)[:len(whole)], s.pixels(s.y - s.r)[:len(whole)]
	top, middle := s.pixels(s.y - s.r - 1)[:len(whole)], s.pixels(s.y)[:len(whole)]
	last, before := s.pixels(s.y + s.r - 1)[:len(whole)], s.pixels(s.y - 1)[:len(whole)]
	for i := range whole {
		whole[i] += int32(last[i]) - int32(above[i])
		halves[i] += int32(bottom[i]) - int32(middle[i]) - int32(before[i]) + int32(top[i])
	}
}

// differentiate makes a row of gradients of the bands.
func (s *source) differentiate(gx, gy []float32) {
	r := s.r
	whole, halves := s.bands[0], s.bands[1]
	var x, y int32
	for i, v := range whole[:r] {
		x += whole[r+1+i] - v
	}
	for _, v := range halves[1 : 2*r] {
		y += v
	}
	gx[0], gy[0] = float32(x), float32(y)
	n := len(gx) - 1
	gx, gy = gx[1:][:n], gy[1:][:n]
	// What enters and leaves the boxes to the right and to the left.
	right, rightEnd, left, leftEnd := whole[2*r+1:][:n], whole[r+1:][:n], whole[r:][:n], whole[:n]
	enter, leave := halves[2*r:][:n], halves[1:][:n]
	for i := range gx {
		// Only one addition waits for the one before.
		x += right[i] - rightEnd[i] - (left[i] - leftEnd[i])
		y += enter[i] - leave[i]
		gx[i], gy[i] = float32(x), float32(y)
	}
}

// slideColumns adds the products of a row of gradients to the sums over columns and
// subtracts those of another one.
func (s *source) slideColumns(gx, gy, oldX, oldY []float32) {
	n := len(gx)
	gy, oldX, oldY = gy[:n], oldX[:n], oldY[:n]
	xx, yy, xy := s.columns[0][:n], s.columns[1][:n], s.columns[2][:n]
	for i, x := range gx {
		x, y, u, v := float64(x), float64(gy[i]), float64(oldX[i]), float64(oldY[i])
		xx[i] += (x - u) * (x + u)
		yy[i] += (y - v) * (y + v)
		xy[i] += x*y - u*v
	}
}

// sumWindows makes the tensors of the sums over columns.
func (s *source) sumWindows() {
	side := 2*s.q + 1
	var sums [3]float64
	for i, columns := range s.columns {
		for _, v := range columns[:side] {
			sums[i] += v
		}
		s.tensors[i][0] = float32(sums[i])
	}
	n := len(s.tensors[0]) - 1
	a, b, c := s.tensors[0][1:][:n], s.tensors[1][1:][:n], s.tensors[2][1:][:n]
	newXX, newYY, newXY := s.columns[0][side:][:n], s.columns[1][side:][:n], s.columns[2][side:][:n]
	oldXX, oldYY, oldXY := s.columns[0][:n], s.columns[1][:n], s.columns[2][:n]
	xx, yy, xy := sums[0], sums[1], sums[2]
	for i := range a {
		xx += newXX[i] - oldXX[i]
		yy += newYY[i] - oldYY[i]
		xy += newXY[i] - oldXY[i]
		a[i], b[i], c[i] = float32(xx), float32(yy), float32(xy)
	}
}
