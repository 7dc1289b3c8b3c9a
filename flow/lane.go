package flow

import "math"

// A lane is the state and the memory of a worker.
type lane struct {
	opts    *Options
	limits  *limits
	kernels *kernels // of the processor
	windows kernels  // those for the options

	searches [block]search
	moving   [block]*search // those that make steps
	rounded  [block]*search // those whose steps have to be made of floats
	// What is followed, and what was found.
	from, guesses, to [block]Point
	tracks            [block]Track
}

func newLane(t *Tracker) *lane {
	l := &lane{opts: &t.opts, limits: &t.limits}
	for i := range l.searches {
		s := &l.searches[i]
		s.w, s.h = t.opts.Window.X, t.opts.Window.Y
	}
	return l
}

// prepare makes the memory that kernels need.
func (l *lane) prepare(k *kernels) {
	if l.kernels == k {
		return
	}
	l.kernels, l.windows = k, k.of(l.opts)
	for i := range l.searches {
		l.searches[i].prepare(&l.windows)
	}
}

// release drops what belongs to the caller.
func (l *lane) release() {
	for i := range l.searches {
		s := &l.searches[i]
		s.template.pix, s.window.pix = nil, nil
		s.first, s.second = nil, nil
		s.source.level, s.target.level = nil, nil
	}
}

// follow follows points, at most block of them, whose indices are given.
func (l *lane) follow(j *job, indices []int) {
	for k, i := range indices {
		p := j.points[i]
		l.from[k] = Point{p.X - j.first.min.X, p.Y - j.first.min.Y}
		l.guesses[k] = l.from[k]
		if j.guesses != nil {
			p = j.guesses[i]
			l.guesses[k] = Point{p.X - j.second.min.X, p.Y - j.second.min.Y}
		}
	}
	l.search(j.first.levels, j.second.levels, len(indices))
	tracks := l.tracks[:len(indices)]
	for k := range tracks {
		s := &l.searches[k]
		if s.status == Found && !l.opts.EigenvalueError {
			l.measure(s)
		}
		l.to[k] = s.result
		tracks[k] = Track{s.result.X + j.second.min.X, s.result.Y + j.second.min.Y, s.err, s.status}
	}
	if l.opts.Confirm > 0 {
		l.confirm(j, tracks)
	}
	image := &j.second.levels[0]
	for k, i := range indices {
		t, p := tracks[k], l.to[k]
		if l.opts.KeepInside && t.Status == Found && !(p.X >= 0 && p.Y >= 0 && p.X <= float32(image.W-1) && p.Y <= float32(image.H-1)) {
			t.Status = Outside
		}
		if t.Status != Found && !l.opts.EigenvalueError {
			t.Err = 0
		}
		j.tracks[i] = t
	}
}

// confirm follows the points that were found back, and gives those the status Unconfirmed
// that do not arrive where they came from.
func (l *lane) confirm(j *job, tracks []Track) {
	var found [block]int // the indices of the points
	n := 0
	for i := range tracks {
		if tracks[i].Status == Found {
			found[n] = i
			n++
		}
	}
	from := l.from
	for k, i := range found[:n] {
		l.guesses[k], l.from[k] = from[i], l.to[i]
	}
	l.search(j.second.levels, j.first.levels, n)
	for k, i := range found[:n] {
		s := &l.searches[k]
		if !l.opts.EigenvalueError {
			s.place(s.result.minus(l.limits.half), s.second) // as measure does
		}
		dx, dy := float64(s.result.X-from[i].X), float64(s.result.Y-from[i].Y)
		if s.status != Found || !(float64(dx*dx)+float64(dy*dy) <= l.limits.confirm) {
			tracks[i].Status = Unconfirmed
		}
	}
}

// search follows the first n points of from through all levels, beginning at guesses.
func (l *lane) search(first, second []level, n int) {
	searches := l.searches[:n]
	for level := len(first) - 1; level >= 0; level-- {
		scale := 1 / float32(int64(1)<<level)
		moving := l.moving[:0]
		for i := range searches {
			s := &searches[i]
			if level == len(first)-1 {
				s.status, s.err = Found, 0
				s.position = l.guesses[i].times(scale)
			} else {
				s.position = s.result.times(2)
			}
			s.result = s.position
			s.last = level == 0
			s.first, s.second = &first[level], &second[level]
			s.source.level, s.target.level = nil, nil
			if l.begin(s, l.from[i].times(scale)) {
				moving = append(moving, s)
			}
		}
		for iteration := 0; len(moving) > 0 && iteration < l.opts.Iterations; iteration++ {
			moving = l.iterate(moving, iteration)
		}
	}
}

// begin makes the template of s, whose point is p, and reports whether there is something
// to search.
func (l *lane) begin(s *search, p Point) bool {
	p = p.minus(l.limits.half)
	s.position = s.position.minus(l.limits.half)
	x, y, ok := s.place(p, s.first)
	if !ok {
		return false
	}
	s.template.pix, s.template.stride = s.source.window(s.first, x-1, y-1, s.w+3, s.h+3, s.over, 0)
	s.template.setWeights(p, x, y)
	s.setBounds(x, y)
	l.windows.template(s)
	a11, a12, a22 := l.tensor(s)
	d := float32(a11*a22) - float32(a12*a12)
	difference := a11 - a22
	root := float32(math.Sqrt(float64(float32(difference*difference) + float32(float32(4*a12)*a12))))
	eigenvalue := (a22 + a11 - root) / l.limits.pixels
	if l.opts.EigenvalueError {
		s.err = eigenvalue
	}
	const epsilon = 1.1920929e-7 // of float32
	if eigenvalue < l.limits.eigenvalue || d < epsilon {
		if s.last {
			s.status = Flat
		}
		return false
	}
	s.a11, s.a12, s.a22, s.inverse = a11, a12, a22, 1/d
	return true
}

// iterate makes a step of each search, and returns those that have not arrived and do not
// leave the image, in the same memory.
func (l *lane) iterate(searches []*search, iteration int) []*search {
	moving := searches[:0]
	for _, s := range searches {
		if l.move(s) {
			moving = append(moving, s)
		}
	}
	l.add(moving)
	// The processor adds up several windows at once, but not if it has to wait for each step.
	searches, moving = moving, moving[:0]
	for _, s := range searches {
		if l.step(s, iteration) {
			moving = append(moving, s)
		}
	}
	return moving
}

// add adds up the products of the differences and the derivatives of searches.
func (l *lane) add(searches []*search) {
	rounded := l.rounded[:0]
	for _, s := range searches {
		if l.opts.RemoveMean {
			s.addDifferences()
			continue
		}
		if l.windows.integers {
			l.windows.exact(s)
			if s.inexact == 0 {
				continue
			}
		}
		rounded = append(rounded, s)
	}
	for ; l.windows.stepTwins != nil && len(rounded) >= 2; rounded = rounded[2:] {
		rounded[0].twin = rounded[1]
		l.windows.stepTwins(rounded[0])
	}
	for _, s := range rounded {
		l.windows.step(s)
	}
}

// move sets the window of s to its position, and reports whether it overlaps the image.
func (l *lane) move(s *search) bool {
	x, y, ok := s.place(s.position, s.second)
	if !ok {
		return false
	}
	s.window.pix, s.window.stride = s.target.window(s.second, x, y, s.w+1, s.h+1, s.over, patchMargin)
	s.window.setWeights(s.position, x, y)
	return true
}

// step moves s to where the sums say, and reports whether it is to move on.
func (l *lane) step(s *search, iteration int) bool {
	b1, b2 := l.products(s)
	dx := float32((float32(s.a12*b2) - float32(s.a22*b1)) * s.inverse)
	dy := float32((float32(s.a12*b1) - float32(s.a11*b2)) * s.inverse)
	s.position = Point{s.position.X + dx, s.position.Y + dy}
	s.result = Point{s.position.X + l.limits.half.X, s.position.Y + l.limits.half.Y}
	x, y := float64(dx), float64(dy)
	if float64(x*x)+float64(y*y) <= l.limits.epsilon {
		return false
	}
	if iteration > 0 && math.Abs(float64(dx+s.step.X)) < 0.01 && math.Abs(float64(dy+s.step.Y)) < 0.01 {
		s.result = Point{s.result.X - float32(dx*0.5), s.result.Y - float32(dy*0.5)}
		return false
	}
	s.step = Point{dx, dy}
	return true
}

// measure sets the error of s to the mean difference of the windows.
func (l *lane) measure(s *search) {
	s.position = s.result.minus(l.limits.half)
	if l.move(s) {
		l.windows.difference(s)
		s.err = s.difference / (16 * l.limits.pixels)
	}
}

// scale is what sums are multiplied by, for the bits after the binary point.
const scale = 1.0 / (1 << 20)

// tensor returns the sums of the products of the derivatives, scaled.
func (l *lane) tensor(s *search) (a11, a12, a22 float32) {
	if l.opts.RemoveMean {
		s.addDerivatives()
		t := &s.totals
		return s.centered(t.xx, t.x, t.x), s.centered(t.xy, t.x, t.y), s.centered(t.yy, t.y, t.y)
	}
	if !l.windows.integers || !s.exactTensor() {
		l.windows.tensor(s)
	}
	return s.tensor[0] * scale, s.tensor[1] * scale, s.tensor[2] * scale
}

// products returns the sums of the products of differences and derivatives, scaled.
func (l *lane) products(s *search) (b1, b2 float32) {
	if l.opts.RemoveMean {
		t := &s.totals
		return s.centered(t.dx, t.d, t.x), s.centered(t.dy, t.d, t.y)
	}
	return s.products[0] * scale, s.products[1] * scale
}

// centered returns a sum of products, scaled, as if the means had been subtracted from
// their factors, whose sums are a and b.
func (s *search) centered(products, a, b int64) float32 {
	mean := float64(float64(a)*float64(b)) / float64(s.w*s.h)
	return float32(float64(products)-mean) * scale
}

func (p Point) times(f float32) Point { return Point{float32(p.X * f), float32(p.Y * f)} }
func (p Point) minus(q Point) Point   { return Point{p.X - q.X, p.Y - q.Y} }
