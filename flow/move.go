package flow

import "math"

// A moveRun is the argument of the kernels place, equate and move: the windows of the searches of a
// block, in their order.
type moveRun struct {
	tensors [block][3]float32 // of the templates

	positions [block]Point // of the windows
	results   [block]Point // the middles of the windows, or where the searches have ended
	steps     [block]Point // the last ones
	// The equations of the steps: the tensor, scaled, and the inverse of its determinant.
	mixed   [block]struct{ a12, inverse float32 }
	squares [block]struct{ a22, a11 float32 }
	// products are the sums of the differences times the derivatives along x and y.
	products [block][2]float32

	half    Point   // the distance from a window's first pixel to its middle
	epsilon float64 // the length of a last step, squared
	pixels  float32 // twice those of a window
	// eigenvalue is the least one of a template with enough structure.
	eigenvalue float32
	moving     uint32 // has a bit for each search that makes steps

	// at is the integer parts of positions, math.MinInt32 for what does not fit, and weights are
	// those of the pixels there if it does: of a pixel, the one to the right, and the two below.
	at      [block][2]int32
	weights [block][4]int16
}

const (
	// scale is what sums of products are multiplied by, for the bits after the binary point.
	scale = 1.0 / (1 << 20)
	// cancelling is the largest sum in a direction of two steps that cancel each other out: the
	// float nearest to 0.01, which is less than that, as OpenCV asks for.
	cancelling float32 = 0.01
)

// noStep is what no step can cancel out.
var noStep = Point{float32(math.Inf(1)), float32(math.Inf(1))}

// place sets the integer parts and the weights of all positions.
func place(r *moveRun) {
	for i := range r.positions {
		r.place(i)
	}
}

// place sets the integer part and the weights of a position.
func (r *moveRun) place(i int) {
	p := r.positions[i]
	x, y := floor(p.X), floor(p.Y)
	r.at[i] = [2]int32{x, y}
	a, b := p.X-float32(x), p.Y-float32(y)
	w00 := round14(float32((1 - a) * (1 - b)))
	w01 := round14(float32(a * (1 - b)))
	w10 := round14(float32((1 - a) * b))
	r.weights[i] = [4]int16{int16(w00), int16(w01), int16(w10), int16(1<<14 - w00 - w01 - w10)}
}

// round14 returns v, 0 to 1, times 1<<14, rounded to the nearest integer, and to the even one
// of two.
func round14(v float32) int32 {
	const magic = 3 << 22 // whose last bit is 1
	return int32(float32(v*(1<<14))+magic) - magic
}

// fits reports whether the integer part of v has 32 bits.
func fits(v float32) bool {
	return v >= math.MinInt32 && v < -math.MinInt32
}

// floor returns the largest integer that is not larger than v, or math.MinInt32 if that does not
// fit.
func floor(v float32) int32 {
	if !fits(v) {
		return math.MinInt32
	}
	i := int32(v)
	if float32(i) > v {
		i--
	}
	return i
}

// move makes a step of the searches that move: the solution of the equations. It tells which are
// to move on, and places their windows.
func move(r *moveRun) {
	for i := range r.positions {
		if r.moving>>i&1 == 0 {
			continue
		}
		if r.step(i) {
			r.place(i)
		} else {
			r.moving &^= 1 << i
		}
	}
}

// step makes a step of a search, and reports whether it is to move on.
func (r *moveRun) step(i int) bool {
	b1, b2 := r.products[i][0]*scale, r.products[i][1]*scale
	m, s := r.mixed[i], r.squares[i]
	dx := float32((float32(m.a12*b2) - float32(s.a22*b1)) * m.inverse)
	dy := float32((float32(m.a12*b1) - float32(s.a11*b2)) * m.inverse)
	p, last := Point{r.positions[i].X + dx, r.positions[i].Y + dy}, r.steps[i]
	r.positions[i], r.results[i], r.steps[i] = p, Point{p.X + r.half.X, p.Y + r.half.Y}, Point{dx, dy}
	x, y := float64(dx), float64(dy)
	if float64(x*x)+float64(y*y) <= r.epsilon {
		return false
	}
	if abs(dx+last.X) <= cancelling && abs(dy+last.Y) <= cancelling {
		r.results[i] = Point{r.results[i].X - float32(dx*0.5), r.results[i].Y - float32(dy*0.5)}
		return false
	}
	return true
}

func abs(v float32) float32 { return float32(math.Abs(float64(v))) }

// equate makes the equations of the steps of the searches that move, from their tensors, and tells
// which of these have enough structure.
func equate(r *moveRun) {
	for i, tensor := range r.tensors {
		if r.moving>>i&1 == 0 {
			continue
		}
		a11, a12, a22 := tensor[0]*scale, tensor[1]*scale, tensor[2]*scale
		determinant := float32(a11*a22) - float32(a12*a12)
		r.mixed[i].a12, r.mixed[i].inverse = a12, 1/determinant
		r.squares[i].a22, r.squares[i].a11 = a22, a11
		difference := a11 - a22
		root := float32(math.Sqrt(float64(float32(difference*difference) + float32(float32(4*a12)*a12))))
		eigenvalue := (a22 + a11 - root) / r.pixels // the smaller one, for each pixel
		if eigenvalue < r.eigenvalue || determinant < leastDeterminant {
			r.moving &^= 1 << i
		}
	}
}

// leastDeterminant is that of a tensor with enough structure: the difference of 1 and the next
// float.
const leastDeterminant = 1.0 / (1 << 23)

func (p Point) times(f float32) Point { return Point{float32(p.X * f), float32(p.Y * f)} }
func (p Point) minus(q Point) Point   { return Point{p.X - q.X, p.Y - q.Y} }
