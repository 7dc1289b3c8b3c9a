package calibrate

import "math"

const (
	// leastRange is the least range of the sums of three neighbors on a ring, of which the one in
	// the middle counts twice.
	leastRange = 24
	// leastArc is the least distance between two edges along a ring, in 16ths of a turn.
	leastArc = 1.3
	// mostKink is the largest deviation from half a turn between the two ends of a line.
	mostKink = 1.8
)

// A cross is a place where two dark and two light sectors meet.
type cross struct {
	vector               // the place, in pixels of the image
	contrast   float64   // of light and dark
	scale      float64   // pixels of the image in a pixel of the level where it was seen
	directions [4]vector // unit vectors along the edges, clockwise. 0 and 2 have dark to the left, 1 and 3 to the right.
	links      [4]int32  // the neighbors along the edges, or -1
	next       int32     // the next one in a bucket, or -1
	grown      bool      // it was in a grid
	taken      bool      // it belongs to a board
	lattice    uint32    // the number of the last lattice that it was in
}

// A candidate is what was made of a peak: a cross, or not.
type candidate struct {
	cross cross
	ok    bool
}

// examine makes a cross of a peak, if it is one.
func (e *examiner) examine(l *level, p peak) (c candidate) {
	turns, contrast, ok := edgesOf(l, int(p.x), int(p.y))
	if !ok {
		return c
	}
	x, y, ok := e.saddleOfPeak(l, p)
	if !ok || math.Abs(x-float64(p.x)) > 2 || math.Abs(y-float64(p.y)) > 2 {
		return c
	}
	c.cross = cross{
		vector:   vector{l.to(x), l.to(y)},
		contrast: contrast, scale: l.scale, links: noLinks,
	}
	for i, t := range turns {
		c.cross.directions[i] = directionOf(t)
	}
	c.ok = true
	return c
}

// edgesOf returns where the ring around x, y changes between dark and light, along the ring in
// 16ths of a turn, beginning with a change to light, and the contrast of light and dark. It reports
// false if there are not four changes, nearly opposite.
func edgesOf(l *level, x, y int) (turns [4]float64, contrast float64, ok bool) {
	var pixels, sums [16]int
	center := y*l.Stride + x
	for n, p := range ring {
		pixels[n] = int(l.Pix[center+p.y*l.Stride+p.x])
	}
	low, high := math.MaxInt, 0
	for n := range sums {
		sums[n] = pixels[(n+15)%16] + 2*pixels[n] + pixels[(n+1)%16]
		low, high = min(low, sums[n]), max(high, sums[n])
	}
	if high-low < leastRange {
		return turns, 0, false
	}
	var changes [4]float64
	found, first := 0, -1
	for n := range sums {
		a, b := 2*sums[n]-(low+high), 2*sums[(n+1)%16]-(low+high)
		if (a < 0) == (b < 0) {
			continue
		}
		if found == len(changes) {
			return turns, 0, false
		}
		if a < 0 && first < 0 {
			first = found
		}
		changes[found] = float64(n) + float64(a)/float64(a-b)
		found++
	}
	if found < len(changes) {
		return turns, 0, false
	}
	for i := range turns {
		turns[i] = changes[(first+i)%4]
		if first+i >= 4 {
			turns[i] += 16
		}
	}
	for i := range turns {
		next := turns[(i+1)%4]
		if i == 3 {
			next += 16
		}
		if next-turns[i] < leastArc {
			return turns, 0, false
		}
	}
	kinked := math.Abs(turns[2]-turns[0]-8) > mostKink || math.Abs(turns[3]-turns[1]-8) > mostKink
	return turns, float64(high-low) / 4, !kinked
}

// directionOf returns the direction of a place along the ring, in 16ths of a turn.
func directionOf(turn float64) vector {
	n := int(turn)
	f := turn - float64(n)
	a, b := ring[n%16], ring[(n+1)%16]
	return vector{
		float64(float64(a.x)*(1-f)) + float64(float64(b.x)*f),
		float64(float64(a.y)*(1-f)) + float64(float64(b.y)*f),
	}.unit()
}

// mostWindow is the largest radius of a window.
const mostWindow = 29

// An examiner has the memory for looking at places.
type examiner struct {
	window [(2*mostWindow + 1) * (2*mostWindow + 1)]float64
	rows   [2][2*mostWindow + 1]float64
	radius float64 // of the disc
	disc   []discPixel
}

// saddle moves x, y, in pixels of the level, to where the lines through pixels, normal to their
// gradients, meet best, in a window with the given radius, in up to the given number of rounds. It
// reports false if there is no such place, or not in the window.
func (e *examiner) saddle(l *level, x, y, radius float64, rounds int) (float64, float64, bool) {
	return e.saddleFrom(l, x, y, x, y, radius, rounds)
}

// saddleFrom is saddle for a place that earlier rounds have moved from its start.
func (e *examiner) saddleFrom(l *level, startX, startY, x, y, radius float64, rounds int) (float64, float64, bool) {
	for range rounds {
		if !(x >= 1 && y >= 1 && x <= float64(l.W-2) && y <= float64(l.H-2)) {
			return startX, startY, false
		}
		s := e.sums(l, x, y, radius)
		step, ok := s.meet()
		x += step.x
		y += step.y
		if !ok || math.Abs(x-startX) > radius || math.Abs(y-startY) > radius {
			return startX, startY, false
		}
		if step.isSmall() {
			break
		}
	}
	return x, y, true
}

// saddleOfPeak is saddle for the place of a peak, with a window that reaches over its ring's
// inside. The first round is computed in integers, which gives the same.
func (e *examiner) saddleOfPeak(l *level, p peak) (float64, float64, bool) {
	const window, rounds = ringRadius - 1, 3
	x, y := float64(p.x), float64(p.y)
	s := wholeSums(l, int(p.x), int(p.y))
	step, ok := s.meet()
	if !ok || math.Abs(step.x) > window || math.Abs(step.y) > window {
		return x, y, false
	}
	if step.isSmall() {
		return x + step.x, y + step.y, true
	}
	return e.saddleFrom(l, x, y, x+step.x, y+step.y, window, rounds-1)
}

// isSmall reports whether a step of saddle is the last one.
func (a vector) isSmall() bool { return a.dot(a) < 1e-6 }

// lineSums are those of the normal equations of the place where lines through the pixels of a
// window meet best. Gradients count by their squares, and pixels in the middle more.
type lineSums struct{ xx, xy, yy, x, y float64 }

// meet returns how far from the middle the lines meet. It reports false if they are nearly
// parallel.
func (s *lineSums) meet() (vector, bool) {
	det := float64(s.xx*s.yy) - float64(s.xy*s.xy)
	trace := s.xx + s.yy
	if !(det > 1e-4*trace*trace) {
		return vector{}, false
	}
	return vector{(float64(s.yy*s.x) - float64(s.xy*s.y)) / det, (float64(s.xx*s.y) - float64(s.xy*s.x)) / det}, true
}

// sums returns those of the window around a place.
func (e *examiner) sums(l *level, x, y, radius float64) (s lineSums) {
	m := int(math.Ceil(radius)) // the first pixel outside of the disc, whose neighbor's gradient needs it
	n := 2*m + 1
	e.read(l, x, y, m)
	e.open(radius)
	for i := range e.disc {
		p := &e.disc[i]
		around := e.window[p.at-n:][:2*n+1]
		gx, gy := around[n+1]-around[n-1], around[2*n]-around[0]
		weighted := p.weight * gx
		xx, xy, yy := float64(weighted*gx), float64(weighted*gy), float64(p.weight*gy*gy)
		s.xx += xx
		s.xy += xy
		s.yy += yy
		s.x += float64(xx*p.dx) + float64(xy*p.dy)
		s.y += float64(xy*p.dx) + float64(yy*p.dy)
	}
	return s
}

// wholeSums returns sums for a pixel at least ringRadius away from the edges and the window of
// saddleOfPeak.
func wholeSums(l *level, x, y int) lineSums {
	const radius = ringRadius - 1
	var xx, xy, yy, sumX, sumY int // times the square of the radius, exactly
	for j := 1 - radius; j < radius; j++ {
		at := (y+j)*l.Stride + x - radius
		above, row, below := l.Pix[at-l.Stride:][:2*radius+1], l.Pix[at:][:2*radius+1], l.Pix[at+l.Stride:][:2*radius+1]
		for i := 1 - radius; i < radius; i++ {
			weight := radius*radius - i*i - j*j
			if weight <= 0 {
				continue
			}
			gx := int(row[radius+i+1]) - int(row[radius+i-1])
			gy := int(below[radius+i]) - int(above[radius+i])
			a, b, c := weight*gx*gx, weight*gx*gy, weight*gy*gy
			xx += a
			xy += b
			yy += c
			sumX += a*i + b*j
			sumY += b*i + c*j
		}
	}
	const scale = 1. / (radius * radius)
	return lineSums{float64(xx) * scale, float64(xy) * scale, float64(yy) * scale, float64(sumX) * scale, float64(sumY) * scale}
}

// A discPixel is a pixel of a window, and its weight.
type discPixel struct {
	at     int // in the window
	dx, dy float64
	weight float64
}

// open sets the pixels of the disc with a radius, row by row.
func (e *examiner) open(radius float64) {
	if radius == e.radius {
		return
	}
	e.radius, e.disc = radius, e.disc[:0]
	m := int(math.Ceil(radius))
	inverse := 1 / float64(radius*radius)
	for j := 1 - m; j < m; j++ {
		for i := 1 - m; i < m; i++ {
			if w := 1 - float64(float64(i*i+j*j)*inverse); w > 0 {
				e.disc = append(e.disc, discPixel{(j+m)*(2*m+1) + i + m, float64(i), float64(j), w})
			}
		}
	}
}

// read reads the square window around x, y of which m pixels are on each side of the middle.
func (e *examiner) read(l *level, x, y float64, m int) {
	n := 2*m + 1
	ix, iy := int(x), int(y)
	if ix < m || iy < m || ix+m+1 >= l.W || iy+m+1 >= l.H {
		for k := range n * n {
			e.window[k] = l.at(x+float64(k%n-m), y+float64(k/n-m))
		}
		return
	}
	fx, fy := x-float64(ix), y-float64(iy)
	// Between columns, and then between rows.
	above, row := e.rows[0][:n], e.rows[1][:n]
	for j := range n + 1 {
		from := l.Pix[(iy-m+j)*l.Stride+ix-m:][:n+1]
		left := float64(from[0])
		for i, p := range from[1:] {
			right := float64(p)
			row[i] = left + float64(fx*(right-left))
			left = right
		}
		if j > 0 {
			to := e.window[(j-1)*n:][:n]
			for i, v := range row {
				to[i] = above[i] + float64(fy*(v-above[i]))
			}
		}
		above, row = row, above
	}
}
