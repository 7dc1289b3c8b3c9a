package flow

// template makes the template of s from the pixels of its window, which has one more on each
// side.
func template(s *search) {
	pix, stride := s.template.pix, s.template.stride
	row := func(y int) []byte { return pix[y*stride:][:s.w+3] }
	// Each row of pixels has the differences of neighbors, and is smoothed.
	difference, smooth := s.rows[:3], s.rows[3:6]
	derive(row(0), difference[0], smooth[0])
	derive(row(1), difference[1], smooth[1])
	for y := range s.h + 1 {
		derive(row(y+2), difference[(y+2)%3], smooth[(y+2)%3])
		dx, dy := s.rows[6+y%2], s.rows[8+y%2]
		a, b, c := difference[y%3], difference[(y+1)%3][:len(dx)], difference[(y+2)%3][:len(dx)]
		for x := range dx {
			dx[x] = 3*(a[x]+c[x]) + 10*b[x]
		}
		a, c = smooth[y%3][:len(dy)], smooth[(y+2)%3][:len(dy)]
		for x := range dy {
			dy[x] = c[x] - a[x]
		}
		inside := min(max(s.left, 0), s.right)
		if y < s.top || y >= s.bottom {
			inside = s.right
		}
		for _, d := range [2][]int16{dx, dy} {
			clear(d[:inside])
			clear(d[s.right:])
		}
		if y == 0 {
			continue
		}
		interpolate(s.values[(y-1)*s.w:][:s.w], row(y)[1:], row(y + 1)[1:], &s.template.weights, 9)
		interpolate(s.values[(s.h+y-1)*s.w:][:s.w], s.rows[6+(y+1)%2], dx, &s.template.weights, 14)
		interpolate(s.values[(2*s.h+y-1)*s.w:][:s.w], s.rows[8+(y+1)%2], dy, &s.template.weights, 14)
	}
}

// derive sets the differences of the neighbors of each pixel in a row, and their weighted
// sums.
func derive(row []byte, difference, smooth []int16) {
	a, b := int16(row[0]), int16(row[1])
	row = row[2:][:len(difference)]
	smooth = smooth[:len(difference)]
	for x := range difference {
		c := int16(row[x])
		difference[x] = c - a
		smooth[x] = 3*(a+c) + 10*b
		a, b = b, c
	}
}

// interpolate sets a row to the weighted sums of two rows and their neighbors to the right,
// rounded to a number of bits less.
func interpolate[T uint8 | int16](to []int16, upper, lower []T, weights *[4]int16, bits int) {
	w00, w01, w10, w11 := int32(weights[0]), int32(weights[1]), int32(weights[2]), int32(weights[3])
	a, b := int32(upper[0]), int32(lower[0])
	upper, lower = upper[1:][:len(to)], lower[1:][:len(to)]
	rounding := int32(1) << (bits - 1)
	for x := range to {
		c, d := int32(upper[x]), int32(lower[x])
		to[x] = int16((w00*a + w01*c + w10*b + w11*d + rounding) >> (bits & 31))
		a, b = c, d
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
		xx.addSquares(gx[:n], gx)
		xy.addSquares(gx[:n], gy)
		yy.addSquares(gy[:n], gy)
		for x := n; x < len(gx); x++ {
			dx, dy := float32(gx[x]), float32(gy[x])
			xx.tail += float32(dx * dx)
			xy.tail += float32(dx * dy)
			yy.tail += float32(dy * dy)
		}
	}
	s.tensor = [3]float32{xx.sum(), xy.sum(), yy.sum()}
}

// addSquares adds products to the lanes, one by one. They are exact.
func (l *lanes) addSquares(x, y []int16) {
	l0, l1, l2, l3 := l.lane[0], l.lane[1], l.lane[2], l.lane[3]
	for len(x) >= 4 && len(y) >= 4 {
		l0 += float32(int32(x[0]) * int32(y[0]))
		l1 += float32(int32(x[1]) * int32(y[1]))
		l2 += float32(int32(x[2]) * int32(y[2]))
		l3 += float32(int32(x[3]) * int32(y[3]))
		x, y = x[4:], y[4:]
	}
	l.lane = [4]float32{l0, l1, l2, l3}
}

// differ returns the differences between row y of the window and of the template.
func (s *search) differ(y int) []int32 {
	weights := &s.window.weights
	w00, w01, w10, w11 := int32(weights[0]), int32(weights[1]), int32(weights[2]), int32(weights[3])
	upper := s.window.pix[y*s.window.stride:][:s.w+1]
	lower := s.window.pix[(y+1)*s.window.stride:][:s.w+1]
	a, b := int32(upper[0]), int32(lower[0])
	values := s.values[y*s.w:][:s.w]
	upper, lower = upper[1:][:len(values)], lower[1:][:len(values)]
	differences := s.differences[:len(values)]
	for x, v := range values {
		c, d := int32(upper[x]), int32(lower[x])
		differences[x] = (w00*a+w01*c+w10*b+w11*d+1<<8)>>9 - int32(v)
		a, b = c, d
	}
	return differences
}

// step adds up the products of the differences and the derivatives.
func step(s *search) {
	var b1, b2 lanes
	n := s.w &^ 7
	for y := range s.h {
		d := s.differ(y)
		gx, gy := s.derivativesOf(y)
		b1.addPairs(d[:n], gx)
		b2.addPairs(d[:n], gy)
		gx, gy = gx[:len(d)], gy[:len(d)]
		for x := n; x < len(d); x++ {
			b1.tail += float32(d[x] * int32(gx[x]))
			b2.tail += float32(d[x] * int32(gy[x]))
		}
	}
	s.products = [2]float32{b1.sum(), b2.sum()}
}

// addPairs adds products to the lanes: of each eight, the sums of two.
func (l *lanes) addPairs(d []int32, g []int16) {
	l0, l1, l2, l3 := l.lane[0], l.lane[1], l.lane[2], l.lane[3]
	for len(d) >= 8 && len(g) >= 8 {
		l0 += float32(d[0]*int32(g[0]) + d[4]*int32(g[4]))
		l1 += float32(d[1]*int32(g[1]) + d[5]*int32(g[5]))
		l2 += float32(d[2]*int32(g[2]) + d[6]*int32(g[6]))
		l3 += float32(d[3]*int32(g[3]) + d[7]*int32(g[7]))
		d, g = d[8:], g[8:]
	}
	l.lane = [4]float32{l0, l1, l2, l3}
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
