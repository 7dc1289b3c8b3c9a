package flow

import "math"

// A search follows a point on a level.
type search struct {
	run windowRun

	first, second  *level // the level
	last           bool   // of the levels
	source, target patch  // for the windows in first and in second

	position  Point // of the window
	result    Point
	step      Point // the one before
	equations equations

	status Status
	err    float32
}

// equations are those of the step: the tensor, scaled, and the inverse of its determinant.
type equations struct{ a11, a12, a22, inverse float32 }

// prepare makes the memory that kernels need for windows of w by h pixels.
func (s *search) prepare(k *windowKernels, w, h int) {
	s.run = windowRun{}
	s.run.prepare(k, w, h)
	s.source.prepare(w+3, h+3, s.run.over)
	s.target.prepare(w+1+2*patchMargin, h+1+2*patchMargin, s.run.over)
}

// release drops what belongs to the caller.
func (s *search) release() {
	s.run.template.pix, s.run.window.pix = nil, nil
	s.first, s.second = nil, nil
	s.source.level, s.target.level = nil, nil
}

// setTemplate sets the template's window to a position, and reports whether it overlaps the
// image.
func (s *search) setTemplate(p Point) bool {
	x, y, ok := s.place(p, s.first)
	if !ok {
		return false
	}
	r := &s.run
	r.template.pix, r.template.stride = s.source.window(s.first, x-1, y-1, r.w+3, r.h+3, r.over, 0)
	r.template.setWeights(p, x, y)
	r.setBounds(x, y, s.first)
	return true
}

// setWindow sets the window in the second image to the position of s, and reports whether it
// overlaps the image.
func (s *search) setWindow() bool {
	x, y, ok := s.place(s.position, s.second)
	if !ok {
		return false
	}
	r := &s.run
	r.window.pix, r.window.stride = s.target.window(s.second, x, y, r.w+1, r.h+1, r.over, patchMargin)
	r.window.setWeights(s.position, x, y)
	return true
}

// place returns the integer part of the window's position in a level, and whether the window
// overlaps the level. If it does not on the last level, the point is not found.
func (s *search) place(p Point, level *level) (x, y int, ok bool) {
	x, okX := floor(p.X)
	y, okY := floor(p.Y)
	switch {
	case !okX || !okY:
		if s.last {
			s.status = Lost
		}
	case x < -s.run.w || x >= level.W || y < -s.run.h || y >= level.H || level.W == 0:
		if s.last {
			s.status = Outside
		}
	default:
		return x, y, true
	}
	return 0, 0, false
}

// floor returns the largest integer that is not larger than v, and whether it has 32 bits.
func floor(v float32) (int, bool) {
	if !(v >= math.MinInt32 && v < -math.MinInt32) {
		return 0, false
	}
	i := int(v)
	if float32(i) > v {
		i--
	}
	return i, true
}

// setEquations makes the equations of the step from the tensor, and returns the determinant of
// that and twice its smaller eigenvalue.
func (s *search) setEquations(a11, a12, a22 float32) (determinant, twiceEigenvalue float32) {
	determinant = float32(a11*a22) - float32(a12*a12)
	s.equations = equations{a11, a12, a22, 1 / determinant}
	difference := a11 - a22
	root := float32(math.Sqrt(float64(float32(difference*difference) + float32(float32(4*a12)*a12))))
	return determinant, a22 + a11 - root
}

// move moves s by a step, the solution of the equations for the sums of the products of
// differences and derivatives. half is the distance from the window's first pixel to its middle.
func (s *search) move(b1, b2 float32, half Point) (dx, dy float32) {
	e := &s.equations
	dx = float32((float32(e.a12*b2) - float32(e.a22*b1)) * e.inverse)
	dy = float32((float32(e.a12*b1) - float32(e.a11*b2)) * e.inverse)
	s.position = Point{s.position.X + dx, s.position.Y + dy}
	s.result = Point{s.position.X + half.X, s.position.Y + half.Y}
	return dx, dy
}

func (p Point) times(f float32) Point { return Point{float32(p.X * f), float32(p.Y * f)} }
func (p Point) minus(q Point) Point   { return Point{p.X - q.X, p.Y - q.Y} }
