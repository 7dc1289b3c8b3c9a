package calibrate

import "math"

// The unknowns of a fit: the place, the angles of the two lines, the mean, the contrast, the slopes, and
// the width of the edges.
const (
	unknowns   = 9
	residualAt = unknowns // in a row of derivatives, after those by the unknowns
	columns    = unknowns + 1
	sums       = unknowns * (unknowns + 3) / 2
)

// lanes is the number of columns of pixels that a fit computes side by side.
const lanes = 8

const (
	// leastRadius and mostRadius are those of a fit, in pixels.
	leastRadius = 3
	mostRadius  = 12
	// fitStride is the number of pixels from a row of a fit to the next one, a multiple of lanes.
	fitStride = (2*mostRadius + lanes) / lanes * lanes
	fitRows   = 2*mostRadius + 1
)

// A line is one of the two that cross in a corner. Distances from it are positive on the side of its
// normal.
type line struct {
	nx, ny float64 // the unit normal. The direction is ny, -nx.
	bend   float64 // the curvature
}

// A fitRun is the argument of the kernel that computes the normal equations of a round of a fit. Of the
// pixels whose weight is positive, it sums the weighted products of two columns of derivatives: of
// column 0 with columns 0 to 9, of column 1 with columns 1 to 9, and so on. The last column is the
// residual.
type fitRun struct {
	// The sums over the columns of pixels that have the same number modulo lanes, row by row.
	sums [sums][lanes]float64
	// The pixels, row by row. Those that fill up a row weigh nothing.
	pixels    [fitRows * fitStride]float64
	width     int // of a row
	rows      int
	left, top float64 // the first pixel, from the center
	x, y      float64 // the place, from the center
	first     line
	second    line
	mean      float64
	contrast  float64 // half of it
	gx, gy    float64
	edge      float64 // the width of the edges
	inverse   float64 // 1 over the square of the radius
}

// fitRound computes the sums of a round.
func fitRound(r *fitRun) {
	clear(r.sums[:])
	scale := 1 / r.edge
	strength := r.contrast * scale
	for j := range r.rows {
		dy := r.top + float64(j) - r.y
		for i, v := range r.pixels[j*fitStride:][:r.width] {
			dx := r.left + float64(i) - r.x
			w := min(1-float64((float64(dx*dx)+float64(dy*dy))*r.inverse), 0.3)
			if w <= 0 {
				continue
			}
			d1, bx1, by1, l1 := r.first.at(dx, dy)
			d2, bx2, by2, l2 := r.second.at(dx, dy)
			// With r(t) = t/sqrt(1+t*t), of which r'(t) = 1/sqrt(1+t*t)^3.
			t1, t2 := d1*scale, d2*scale
			a, b := 1+float64(t1*t1), 1+float64(t2*t2)
			p := 1 / math.Sqrt(a*b)
			white := p * t1 * t2
			slope := strength * (p * p * p)
			k1, k2 := slope*(t2*b), slope*(t1*a)
			d := [columns]float64{
				-float64(k1*bx1) - float64(k2*bx2) - r.gx,
				-float64(k1*by1) - float64(k2*by2) - r.gy,
				-(k1 * l1), -(k2 * l2),
				1, white, dx, dy,
				-((float64(k1*d1) + float64(k2*d2)) * scale),
				v - (r.mean + float64(r.contrast*white) + float64(r.gx*dx) + float64(r.gy*dy)),
			}
			k := 0
			for m := range unknowns {
				weighted := w * d[m]
				for n := m; n < columns; n++ {
					r.sums[k][i%lanes] += float64(weighted * d[n])
					k++
				}
			}
		}
	}
}

// at returns the distance of a place from the line, how it changes along x and y, and the place along the
// line.
func (l *line) at(dx, dy float64) (distance, byX, byY, along float64) {
	along = float64(l.ny*dx) - float64(l.nx*dy)
	bent := l.bend * along
	distance = float64(l.nx*dx) + float64(l.ny*dy) - float64(bent*along*0.5)
	return distance, l.nx - float64(bent*l.ny), l.ny + float64(bent*l.nx), along
}

// turn turns a line by a small angle.
func (l *line) turn(angle float64) {
	n := vector{l.nx - float64(angle*l.ny), l.ny + float64(angle*l.nx)}.unit()
	l.nx, l.ny = n.x, n.y
}

// equations are the normal equations of a round.
type equations struct {
	rows [unknowns][columns]float64 // the upper triangle of the matrix, and the right side. Afterward, of its factor.
	step [unknowns]float64
}

// set makes the equations from the sums of a round.
func (e *equations) set(r *fitRun) {
	k := 0
	for m := range e.rows {
		for n := m; n < columns; n++ {
			s := &r.sums[k]
			e.rows[m][n] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
			k++
		}
	}
}

// solve computes the step by Cholesky's factors. It reports false if the matrix is not positive.
func (e *equations) solve() bool {
	for i := range e.rows {
		row := &e.rows[i]
		least := 1e-12 * row[i]
		row[i] += float64(1e-9 * row[i])
		for k := range i {
			above := &e.rows[k]
			l := above[i]
			for n := i; n < columns; n++ {
				row[n] -= float64(l * above[n])
			}
		}
		if !(row[i] > least) {
			return false
		}
		root := math.Sqrt(row[i])
		for n := i; n < columns; n++ {
			row[n] /= root
		}
	}
	for i := unknowns - 1; i >= 0; i-- {
		row := &e.rows[i]
		v := row[residualAt]
		for n := i + 1; n < unknowns; n++ {
			v -= float64(row[n] * e.step[n])
		}
		e.step[i] = v / row[i]
	}
	return true
}

// A fitter fits the image of two crossing edges to the pixels around a corner, by Gauss-Newton steps: the
// mean, the contrast times r(d1/w) r(d2/w), and slopes, with the distances d1 and d2 from the two lines,
// the width w, and r(t) = t/sqrt(1+t*t).
type fitter struct {
	fitRound  func(*fitRun) // the kernel
	fitRun    fitRun
	equations equations
}

// mostFitRounds is the number of rounds of a fit.
const mostFitRounds = 6

// fit returns the place where the edges cross, near a place. Their directions and curvatures are about
// those of the lines. It reports false if the fit fails.
func (f *fitter) fit(image *level, place vector, radius float64, first, second line) (vector, bool) {
	x, y := int(math.Floor(place.x+0.5)), int(math.Floor(place.y+0.5))
	if x < 2 || y < 2 || x > image.W-3 || y > image.H-3 {
		return vector{}, false
	}
	center := vector{float64(x), float64(y)}
	r := &f.fitRun
	r.first, r.second = first, second
	r.x, r.y = place.x-center.x, place.y-center.y
	r.gx, r.gy, r.edge = 0, 0, 1.2
	r.inverse = 1 / float64(radius*radius)
	f.read(image, x, y, radius)
	for range mostFitRounds {
		f.fitRound(r)
		f.equations.set(r)
		if !f.equations.solve() {
			return vector{}, false
		}
		ended := f.step(radius)
		if math.Abs(r.x+center.x-place.x) > 0.6*radius || math.Abs(r.y+center.y-place.y) > 0.6*radius {
			return vector{}, false
		}
		if ended {
			break
		}
	}
	return center.plus(vector{r.x, r.y}), true
}

// read reads the pixels around x, y, and sets the mean and the contrast.
func (f *fitter) read(image *level, x, y int, radius float64) {
	r := &f.fitRun
	m := int(math.Ceil(radius))
	left, top := max(-m, -x), max(-m, -y)
	right, bottom := min(m, image.W-1-x), min(m, image.H-1-y)
	r.left, r.top = float64(left), float64(top)
	r.width, r.rows = right-left+1, bottom-top+1
	square := float64(radius * radius)
	sum, n := 0, 0
	low, high := uint8(255), uint8(0)
	for j := top; j <= bottom; j++ {
		row := r.pixels[(j-top)*fitStride:][:r.width]
		for i, v := range image.Pix[(y+j)*image.Stride+x+left:][:r.width] {
			row[i] = float64(v)
			if i += left; float64(i*i+j*j) <= square {
				sum += int(v)
				n++
				low, high = min(low, v), max(high, v)
			}
		}
	}
	r.mean = float64(sum) / float64(n)
	r.contrast = float64(high-low) / 2
	balance := 0.0
	for j := range r.rows {
		dy := r.top + float64(j) - r.y
		for i, v := range r.pixels[j*fitStride:][:r.width] {
			dx := r.left + float64(i) - r.x
			if float64(dx*dx)+float64(dy*dy) > square {
				continue
			}
			d1 := float64(r.first.nx*dx) + float64(r.first.ny*dy)
			d2 := float64(r.second.nx*dx) + float64(r.second.ny*dy)
			if d1*d2 < 0 {
				balance -= v - r.mean
			} else {
				balance += v - r.mean
			}
		}
	}
	if balance < 0 {
		r.contrast = -r.contrast
	}
}

// step takes the step, which it shortens if it is too long, and reports whether it is the last one.
func (f *fitter) step(radius float64) bool {
	r, s := &f.fitRun, &f.equations.step
	limit := max(1, math.Abs(s[0])/(0.35*radius), math.Abs(s[1])/(0.35*radius),
		math.Abs(s[2])/0.3, math.Abs(s[3])/0.3, math.Abs(s[8])/(0.4*r.edge))
	for k := range s {
		s[k] /= limit
	}
	r.x += s[0]
	r.y += s[1]
	r.first.turn(s[2])
	r.second.turn(s[3])
	r.mean += s[4]
	r.contrast += s[5]
	r.gx += s[6]
	r.gy += s[7]
	r.edge = max(0.4, min(r.edge+s[8], radius))
	return math.Abs(s[0])+math.Abs(s[1]) < 0.001 && limit == 1
}
