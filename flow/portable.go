package flow

// template makes the template of s from the pixels of its window, which has one more on each
// side.
func template(s *search) {
	w, h := s.w, s.h
	weights := &s.template.weights
	w00, w01, w10, w11 := int32(weights[0]), int32(weights[1]), int32(weights[2]), int32(weights[3])
	pix, stride := s.template.pix, s.template.stride
	dx0, dy0, dx1, dy1 := s.rows[0], s.rows[1], s.rows[2], s.rows[3]
	s.derive(0, dx0, dy0)
	for y := range h {
		s.derive(y+1, dx1, dy1)
		upper, lower := pix[(y+1)*stride+1:][:w+1], pix[(y+2)*stride+1:][:w+1]
		values := s.values[y*w:][:w]
		gx, gy := s.values[(h+y)*w:][:w], s.values[(2*h+y)*w:][:w]
		for x := range values {
			values[x] = int16((w00*int32(upper[x]) + w01*int32(upper[x+1]) + w10*int32(lower[x]) + w11*int32(lower[x+1]) + 1<<8) >> 9)
			gx[x] = int16((w00*int32(dx0[x]) + w01*int32(dx0[x+1]) + w10*int32(dx1[x]) + w11*int32(dx1[x+1]) + 1<<13) >> 14)
			gy[x] = int16((w00*int32(dy0[x]) + w01*int32(dy0[x+1]) + w10*int32(dy1[x]) + w11*int32(dy1[x+1]) + 1<<13) >> 14)
		}
		dx0, dx1, dy0, dy1 = dx1, dx0, dy1, dy0
	}
}

// derive sets the derivatives of row y of the template's window, of its w+1 columns.
func (s *search) derive(y int, dx, dy []int16) {
	clear(dx)
	clear(dy)
	if y < s.top || y >= s.bottom {
		return
	}
	row := func(i int) []byte { return s.template.pix[(y+i)*s.template.stride:][:s.w+3] }
	a, b, c := row(0), row(1), row(2)
	for x := s.left; x < s.right; x++ {
		a, b, c := a[x:][:3], b[x:][:3], c[x:][:3]
		dx[x] = 3*(int16(a[2])-int16(a[0])+int16(c[2])-int16(c[0])) + 10*(int16(b[2])-int16(b[0]))
		dy[x] = 3*(int16(c[0])-int16(a[0])+int16(c[2])-int16(a[2])) + 10*(int16(c[1])-int16(a[1]))
	}
}

// lanes is a sum in the order of OpenCV's vectors of four: the columns of a row, but for the
// last ones if their number is not a multiple of eight, belong to the lanes in turn.
type lanes struct {
	lane [4]float32
	tail float32
}

func (l *lanes) sum() float32 {
	return l.tail + ((l.lane[0] + l.lane[2]) + (l.lane[1] + l.lane[3]))
}

// derivativesOf returns those of row y of the template.
func (s *search) derivativesOf(y int) (gx, gy []int16) {
	return s.values[(s.h+y)*s.w:][:s.w], s.values[(2*s.h+y)*s.w:][:s.w]
}

// tensor adds up the products of the derivatives.
func tensor(s *search) {
	var xx, xy, yy lanes
	n := s.w &^ 7
	for y := range s.h {
		gx, gy := s.derivativesOf(y)
		for x := 0; x < n; x += 4 {
			gx, gy := gx[x:][:4], gy[x:][:4]
			for c := range xx.lane {
				dx, dy := float32(gx[c]), float32(gy[c])
				xx.lane[c] += float32(dx * dx)
				xy.lane[c] += float32(dx * dy)
				yy.lane[c] += float32(dy * dy)
			}
		}
		for x := n; x < len(gx); x++ {
			dx, dy := float32(gx[x]), float32(gy[x])
			xx.tail += float32(dx * dx)
			xy.tail += float32(dx * dy)
			yy.tail += float32(dy * dy)
		}
	}
	s.tensor = [3]float32{xx.sum(), xy.sum(), yy.sum()}
}

// differ returns the differences between row y of the window and of the template.
func (s *search) differ(y int) []int32 {
	w := s.w
	weights := &s.window.weights
	w00, w01, w10, w11 := int32(weights[0]), int32(weights[1]), int32(weights[2]), int32(weights[3])
	upper := s.window.pix[y*s.window.stride:][:w+1]
	lower := s.window.pix[(y+1)*s.window.stride:][:w+1]
	values := s.values[y*w:][:w]
	d := s.differences[:w]
	for x, v := range values {
		d[x] = (w00*int32(upper[x])+w01*int32(upper[x+1])+w10*int32(lower[x])+w11*int32(lower[x+1])+1<<8)>>9 - int32(v)
	}
	return d
}

// step adds up the products of the differences and the derivatives.
func step(s *search) {
	var b1, b2 lanes
	n := s.w &^ 7
	for y := range s.h {
		d := s.differ(y)
		gx, gy := s.derivativesOf(y)
		for x := 0; x < n; x += 8 {
			d, gx, gy := d[x:][:8], gx[x:][:8], gy[x:][:8]
			for c := range b1.lane {
				b1.lane[c] += float32(d[c]*int32(gx[c]) + d[c+4]*int32(gx[c+4]))
				b2.lane[c] += float32(d[c]*int32(gy[c]) + d[c+4]*int32(gy[c+4]))
			}
		}
		for x := n; x < len(d); x++ {
			b1.tail += float32(d[x] * int32(gx[x]))
			b2.tail += float32(d[x] * int32(gy[x]))
		}
	}
	s.products = [2]float32{b1.sum(), b2.sum()}
}

// addDerivatives sets the totals of the derivatives.
func (s *search) addDerivatives() {
	s.totals = totals{}
	t := &s.totals
	for y := range s.h {
		gx, gy := s.derivativesOf(y)
		for i := range gx {
			x, y := int64(gx[i]), int64(gy[i])
			t.x += x
			t.y += y
			t.xx += x * x
			t.xy += x * y
			t.yy += y * y
		}
	}
}

// addDifferences sets the totals of the differences.
func (s *search) addDifferences() {
	t := &s.totals
	t.d, t.dx, t.dy = 0, 0, 0
	for y := range s.h {
		d := s.differ(y)
		gx, gy := s.derivativesOf(y)
		for i, v := range d {
			t.d += int64(v)
			t.dx += int64(v * int32(gx[i]))
			t.dy += int64(v * int32(gy[i]))
		}
	}
}

// difference adds up the absolute differences, row by row, as floats.
func difference(s *search) {
	var sum float32
	for y := range s.h {
		for _, v := range s.differ(y) {
			sum += float32(max(v, -v))
		}
	}
	s.difference = sum
}
