package calibrate

import "math"

const (
	// leastRange is the least range of the sums of three neighbors on a ring, of which the one in the
	// middle counts twice.
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
	x, y, ok := e.saddle(l, float64(p.x), float64(p.y), ringRadius-1, 3)
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

// edgesOf returns where the ring around x, y changes between dark and light, along the ring in 16ths of a
// turn, beginning with a change to light, and the contrast of light and dark. It reports false if there
// are not four changes, nearly opposite.
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
	window [(2*mostWindow + 3) * (2*mostWindow + 3)]float64
	radius float64 // of the disc
	disc   []discPixel
}

// saddle moves x, y, in pixels of the level, to where the lines through pixels, normal to their
// gradients, meet best, in a window with the given radius, in up to the given number of rounds. It
// reports false if there is no such place, or not in the window.
func (e *examiner) saddle(l *level, x, y, radius float64, rounds int) (float64, float64, bool) {
	startX, startY := x, y
	for range rounds {
		if !(x >= 1 && y >= 1 && x <= float64(l.W-2) && y <= float64(l.H-2)) {
			return startX, startY, false
		}
		step, ok := e.lines(l, x, y, radius)
		if !ok {
			return startX, startY, false
		}
		x += step.x
		y += step.y
		if math.Abs(x-startX) > radius || math.Abs(y-startY) > radius {
			return startX, startY, false
		}
		if step.dot(step) < 1e-6 {
			break
		}
	}
	return x, y, true
}

// lines returns how far from x, y the lines through the pixels of a window meet by least squares.
// Gradients count by their squares, and pixels in the middle more. It reports false if the lines are
// nearly parallel.
func (e *examiner) lines(l *level, x, y, radius float64) (vector, bool) {
	m := int(math.Ceil(radius)) + 1
	n := 2*m + 1
	e.read(l, x, y, m)
	e.open(radius)
	var xx, xy, yy, rx, ry float64
	for i := range e.disc {
		p := &e.disc[i]
		around := e.window[p.at-n:][:2*n+1]
		gx, gy := around[n+1]-around[n-1], around[2*n]-around[0]
		weighted := p.weight * gx
		a, b, c := float64(weighted*gx), float64(weighted*gy), float64(p.weight*gy*gy)
		xx += a
		xy += b
		yy += c
		rx += float64(a*p.dx) + float64(b*p.dy)
		ry += float64(b*p.dx) + float64(c*p.dy)
	}
	det := float64(xx*yy) - float64(xy*xy)
	trace := xx + yy
	if !(det > 1e-4*trace*trace) {
		return vector{}, false
	}
	return vector{(float64(yy*rx) - float64(xy*ry)) / det, (float64(xx*ry) - float64(xy*rx)) / det}, true
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
	for j := -m; j <= m; j++ {
		for i := -m; i <= m; i++ {
			if w := 1 - float64(float64(i*i+j*j)*inverse); w > 0 {
				e.disc = append(e.disc, discPixel{(j+m+1)*(2*m+3) + i + m + 1, float64(i), float64(j), w})
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
	if fx == 0 && fy == 0 {
		for j := range n {
			for i, p := range l.Pix[(iy-m+j)*l.Stride+ix-m:][:n] {
				e.window[j*n+i] = float64(p)
			}
		}
		return
	}
	// Between columns, and then between rows.
	for j := range n + 1 {
		from := l.Pix[(iy-m+j)*l.Stride+ix-m:][:n+1]
		a := float64(from[0])
		var row []float64
		if j < n {
			row = e.window[j*n:][:n]
		}
		for i, p := range from[1:] {
			b := float64(p)
			v := a + float64(fx*(b-a))
			if j < n {
				row[i] = v
			}
			if j > 0 {
				above := &e.window[(j-1)*n+i]
				*above += float64(fy * (v - *above))
			}
			a = b
		}
	}
}
