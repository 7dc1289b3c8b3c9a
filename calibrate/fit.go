package calibrate

import (
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

// The unknowns of a fit: the place, the angles of the two lines, the contrast, the slopes, the
// width of the edges, and the mean. The signs of those marked are such that no derivative is
// negated.
const (
	placeAt    = 0 // of x and y, negative
	angleAt    = 2 // of two lines, negative
	contrastAt = 4
	slopeAt    = 5 // along x and y
	edgeAt     = 7 // negative
	meanAt     = 8
	unknowns   = 9
	residualAt = unknowns // in a row of derivatives, after those by the unknowns
	columns    = unknowns + 1
	products   = unknowns * (unknowns + 3) / 2
)

// lanes is the number of columns of pixels that a fit computes side by side.
const lanes = 8

// A kernel collects the derivatives of slots times lanes pixels before it adds their products.
const (
	slots     = 8
	collected = slots*lanes*columns + lanes - 1 // the weight, and all derivatives but that by the mean, which is 1
)

const (
	// leastRadius and mostRadius are those of a fit, in pixels.
	leastRadius = 3
	mostRadius  = 12
	// mostWeight is the largest weight of a pixel, which is that in most of the disc.
	mostWeight = 0.3
	// beyond is the column of pixels that fill up a row. They are so far away that they weigh
	// nothing.
	beyond = 1000
)

// A line is one of the two that cross in a corner. Distances from it are positive on the side of
// its normal.
type line struct {
	nx, ny float64 // the unit normal. The direction is ny, -nx.
	bend   float64 // the curvature
}

// A fitRun is the argument of the kernel that computes a round of a fit, and adds to its sums.
type fitRun struct {
	// The sums, over the pixels whose weight is positive, of the products of two columns of
	// derivatives, times the weight: of column 0 with columns 0 to 9, of column 1 with columns 1 to
	// 9, and so on, each as the sums of the pixels that have the same number modulo lanes.
	products [products][lanes]float64
	squares  [lanes]float64 // the sums of the squares of the residuals, times the weight
	// Memory of a kernel, which it aligns to cache lines.
	//lint:ignore U1000 only kernels use it
	collected [collected]float64

	// The pixels from begin up to end, row by row: their places from the center, and their values.
	// Each row is filled up to a multiple of lanes.
	x, y, value []float64
	begin, end  int

	placeX, placeY float64 // from the center
	first, second  line
	mean           float64
	contrast       float64 // half of it
	slopeX, slopeY float64
	edge           float64 // the width of the edges
	sharpness      float64 // 1/edge
	steepness      float64 // contrast/edge
	inverse        float64 // 1 over the square of the radius
}

// fitRound adds what the pixels contribute to the sums of a round of a fit.
func fitRound(r *fitRun) {
	for i := r.begin; i < r.end; i++ {
		dx, dy := r.x[i]-r.placeX, r.y[i]-r.placeY
		weight := min(1-float64((float64(dx*dx)+float64(dy*dy))*r.inverse), mostWeight)
		if weight <= 0 {
			continue
		}
		d1, x1, y1, along1 := r.first.at(dx, dy)
		d2, x2, y2, along2 := r.second.at(dx, dy)
		// With r(t) = t/sqrt(1+t*t), of which r'(t) = 1/sqrt(1+t*t)^3.
		t1, t2 := d1*r.sharpness, d2*r.sharpness
		a, b := 1+float64(t1*t1), 1+float64(t2*t2)
		root := 1 / math.Sqrt(a*b)
		white := root * t1 * t2
		slope := r.steepness * (root * root * root)
		k1, k2 := slope*(t2*b), slope*(t1*a)
		derivatives := [columns]float64{
			float64(k1*x1) + float64(k2*x2) + r.slopeX,
			float64(k1*y1) + float64(k2*y2) + r.slopeY,
			k1 * along1, k2 * along2,
			white, dx, dy,
			(float64(k1*d1) + float64(k2*d2)) * r.sharpness,
			1,
			r.value[i] - (r.mean + float64(r.contrast*white) + float64(r.slopeX*dx) + float64(r.slopeY*dy)),
		}
		k := 0
		for m := range unknowns {
			weighted := weight * derivatives[m]
			for n := m; n < columns; n++ {
				r.products[k][i%lanes] += float64(weighted * derivatives[n])
				k++
			}
		}
		residual := derivatives[residualAt]
		r.squares[i%lanes] += float64(float64(weight*residual) * residual)
	}
}

// at returns the distance of a place from the line, how it changes along x and y, and the place
// along the line.
func (l *line) at(dx, dy float64) (distance, byX, byY, along float64) {
	along = float64(l.ny*dx) - float64(l.nx*dy)
	bent := float64(l.bend * along)
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
	rows     [unknowns][columns]float64 // the upper triangle of the matrix, and the right side. Afterward, of its factor.
	step     [unknowns]float64
	variance float64 // of the residuals
}

// set makes the equations from the sums of a round.
func (e *equations) set(r *fitRun) {
	k := 0
	for m := range e.rows {
		for n := m; n < columns; n++ {
			e.rows[m][n] = sum(&r.products[k])
			k++
		}
	}
	e.variance = sum(&r.squares) / e.rows[meanAt][meanAt]
}

// sum returns the sum of lanes, by halves.
func sum(s *[lanes]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
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

// deviation returns the standard deviation of a coordinate of the place that the residuals explain, in
// pixels, if they do not depend on each other and are at least those of rounded pixels. It needs the
// factor. It is a little large, since weights are taken for mostWeight, which none exceeds.
func (e *equations) deviation() float64 {
	sum := 0.0
	for k := range 2 {
		var v [unknowns]float64
		for i := k; i < unknowns; i++ {
			if i == k {
				v[i] = 1
			}
			for n := k; n < i; n++ {
				v[i] -= float64(e.rows[n][i] * v[n])
			}
			v[i] /= e.rows[i][i]
			sum += float64(v[i] * v[i])
		}
	}
	return math.Sqrt(mostWeight * max(e.variance, 1.0/12) * sum / 2)
}

// A fitter fits the image of two crossing edges to the pixels around a corner, by Gauss-Newton
// steps: the mean, the contrast times r(d1/w) r(d2/w), and slopes, with the distances d1 and d2
// from the two lines, the width w, and r(t) = t/sqrt(1+t*t).
type fitter struct {
	fitRound  func(*fitRun) // the kernel
	fitRun    fitRun
	window    window // for which the run has room
	equations equations
}

// mostFitRounds is the number of rounds of a fit.
const mostFitRounds = 6

// fit returns the place where the edges cross, near a place. Their directions and curvatures are
// about those of the lines. It reports false if the fit fails.
func (f *fitter) fit(image *level, place vector, radius float64, first, second line) (vector, bool) {
	x, y := int(math.Floor(place.x+0.5)), int(math.Floor(place.y+0.5))
	if x < 2 || y < 2 || x > image.W-3 || y > image.H-3 {
		return vector{}, false
	}
	center := vector{float64(x), float64(y)}
	r := &f.fitRun
	r.first, r.second = first, second
	r.placeX, r.placeY = place.x-center.x, place.y-center.y
	r.slopeX, r.slopeY, r.edge = 0, 0, 1.2
	r.inverse = 1 / float64(radius*radius)
	f.read(image, x, y, radius)
	for range mostFitRounds {
		r.sharpness = 1 / r.edge
		r.steepness = r.contrast * r.sharpness
		clear(r.products[:])
		clear(r.squares[:])
		f.fitRound(r)
		f.equations.set(r)
		if !f.equations.solve() {
			return vector{}, false
		}
		ended := f.step(radius)
		moved := vector{r.placeX, r.placeY}.plus(center).minus(place)
		if math.Abs(moved.x) > 0.6*radius || math.Abs(moved.y) > 0.6*radius {
			return vector{}, false
		}
		if ended {
			break
		}
	}
	return center.plus(vector{r.placeX, r.placeY}), true
}

// read reads the pixels around x, y, and sets the mean and the contrast.
func (f *fitter) read(image *level, x, y int, radius float64) {
	m := int(math.Ceil(radius))
	w := window{max(-m, -x), max(-m, -y), min(m, image.W-1-x), min(m, image.H-1-y)}
	f.open(w)
	r := &f.fitRun
	square := float64(radius * radius)
	sum, n := 0, 0
	low, high := uint8(255), uint8(0)
	for j := w.top; j <= w.bottom; j++ {
		row := image.Pix[(y+j)*image.Stride+x+w.left:][:w.right-w.left+1]
		values := r.value[(j-w.top)*w.stride():][:len(row)]
		for i, v := range row {
			values[i] = float64(v)
		}
		if float64(j*j) > square {
			continue
		}
		reach := int(math.Sqrt(square - float64(j*j))) // along the row, in the disc
		disc := row[max(-reach-w.left, 0):min(reach-w.left+1, len(row))]
		for _, v := range disc {
			sum += int(v)
			low, high = min(low, v), max(high, v)
		}
		n += len(disc)
	}
	r.mean = float64(sum) / float64(n)
	r.contrast = float64(high-low) / 2
	if f.balance(square) < 0 {
		r.contrast = -r.contrast
	}
}

// A window is the pixels of a fit, from its center.
type window struct{ left, top, right, bottom int }

// stride returns the number of pixels of a row, filled up.
func (w window) stride() int { return (w.right - w.left + lanes) / lanes * lanes }

// open makes room for the pixels of a window, and sets their places.
func (f *fitter) open(w window) {
	if w == f.window {
		return
	}
	f.window = w
	r := &f.fitRun
	stride := w.stride()
	r.end = (w.bottom - w.top + 1) * stride
	r.x, r.y, r.value = raster.Resize(r.x, r.end), raster.Resize(r.y, r.end), raster.Resize(r.value, r.end)
	for i := range stride {
		r.x[i], r.value[i] = float64(w.left+i), 0
		if i > w.right-w.left {
			r.x[i] = beyond
		}
	}
	for j := w.top; j <= w.bottom; j++ {
		at := (j - w.top) * stride
		copy(r.x[at:], r.x[:stride])
		copy(r.value[at:], r.value[:stride])
		y := r.y[at:][:stride]
		for i := range y {
			y[i] = float64(j)
		}
	}
}

// balance returns by how much the pixels are lighter where the distances from both lines have the
// same sign, in a disc around the place.
func (f *fitter) balance(square float64) float64 {
	r, w := &f.fitRun, f.window
	mean, slope1, slope2 := r.mean, r.first.nx, r.second.nx
	sum := 0.0
	for j := w.top; j <= w.bottom; j++ {
		dy := float64(j) - r.placeY
		left := square - float64(dy*dy)
		if left < 0 {
			continue
		}
		reach := math.Sqrt(left)
		first := max(int(math.Ceil(r.placeX-reach)), w.left)
		last := min(int(math.Floor(r.placeX+reach)), w.right)
		dx := float64(first) - r.placeX
		d1 := float64(r.first.nx*dx) + float64(r.first.ny*dy)
		d2 := float64(r.second.nx*dx) + float64(r.second.ny*dy)
		for _, v := range r.value[(j-w.top)*w.stride()+first-w.left:][:max(last-first+1, 0)] {
			v -= mean
			if d1*d2 < 0 {
				v = -v
			}
			sum += v
			d1 += slope1
			d2 += slope2
		}
	}
	return sum
}

// step takes the step, which it shortens if it is too long, and reports whether it is the last one.
func (f *fitter) step(radius float64) bool {
	r, s := &f.fitRun, &f.equations.step
	limit := max(1, math.Abs(s[placeAt])/(0.35*radius), math.Abs(s[placeAt+1])/(0.35*radius),
		math.Abs(s[angleAt])/0.3, math.Abs(s[angleAt+1])/0.3, math.Abs(s[edgeAt])/(0.4*r.edge))
	for k := range s {
		s[k] /= limit
	}
	r.placeX -= s[placeAt]
	r.placeY -= s[placeAt+1]
	r.first.turn(-s[angleAt])
	r.second.turn(-s[angleAt+1])
	r.contrast += s[contrastAt]
	r.slopeX += s[slopeAt]
	r.slopeY += s[slopeAt+1]
	r.edge = max(0.4, min(r.edge-s[edgeAt], radius))
	r.mean += s[meanAt]
	return math.Abs(s[placeAt])+math.Abs(s[placeAt+1]) < 0.001 && limit == 1
}
