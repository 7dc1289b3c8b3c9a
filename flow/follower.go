package flow

import "math"

// A follower is the state and the memory of a worker, which follows points.
type follower struct {
	opts    *Options
	limits  *limits
	kernels *windowKernels // those that serve the options

	searches [block]search
	moving   [block]*search    // those that make steps
	rounded  [block]*windowRun // those whose sums have to be made of floats
	// What is followed, and what was found.
	from, guesses, to [block]Point
	tracks            [block]Track
}

func newFollower(t *Tracker) *follower {
	return &follower{opts: &t.opts, limits: &t.limits}
}

// prepare makes the memory that kernels need.
func (f *follower) prepare(k *kernels) {
	serving := k.serving(f.opts)
	if f.kernels == serving {
		return
	}
	f.kernels = serving
	for i := range f.searches {
		f.searches[i].prepare(serving, f.opts.Window.X, f.opts.Window.Y)
	}
}

// release drops what belongs to the caller.
func (f *follower) release() {
	for i := range f.searches {
		f.searches[i].release()
	}
}

// follow follows points, at most block of them, whose indices are given.
func (f *follower) follow(j *job, indices []int) {
	for k, i := range indices {
		p := j.points[i]
		f.from[k] = Point{p.X - j.first.min.X, p.Y - j.first.min.Y}
		f.guesses[k] = f.from[k]
		if j.guesses != nil {
			p = j.guesses[i]
			f.guesses[k] = Point{p.X - j.second.min.X, p.Y - j.second.min.Y}
		}
	}
	f.search(j.first.levels, j.second.levels, len(indices))
	tracks := f.tracks[:len(indices)]
	for k := range tracks {
		s := &f.searches[k]
		if s.status == Found && !f.opts.EigenvalueError {
			f.measure(s)
		}
		f.to[k] = s.result
		tracks[k] = Track{s.result.X + j.second.min.X, s.result.Y + j.second.min.Y, s.err, s.status}
	}
	if f.opts.Confirm > 0 {
		f.confirm(j, tracks)
	}
	image := &j.second.levels[0]
	for k, i := range indices {
		t, p := tracks[k], f.to[k]
		if f.opts.KeepInside && t.Status == Found && !(p.X >= 0 && p.Y >= 0 && p.X <= float32(image.W-1) && p.Y <= float32(image.H-1)) {
			t.Status = Outside
		}
		if t.Status != Found && !f.opts.EigenvalueError {
			t.Err = 0
		}
		j.tracks[i] = t
	}
}

// confirm follows the points that were found back, and gives those the status Unconfirmed
// that do not arrive where they came from.
func (f *follower) confirm(j *job, tracks []Track) {
	var found [block]int // the indices of the points
	n := 0
	for i := range tracks {
		if tracks[i].Status == Found {
			found[n] = i
			n++
		}
	}
	from := f.from
	for k, i := range found[:n] {
		f.guesses[k], f.from[k] = from[i], f.to[i]
	}
	f.search(j.second.levels, j.first.levels, n)
	for k, i := range found[:n] {
		s := &f.searches[k]
		if !f.opts.EigenvalueError {
			s.place(s.result.minus(f.limits.half), s.second) // as measure does
		}
		dx, dy := float64(s.result.X-from[i].X), float64(s.result.Y-from[i].Y)
		if s.status != Found || !(float64(dx*dx)+float64(dy*dy) <= f.limits.confirm) {
			tracks[i].Status = Unconfirmed
		}
	}
}

// search follows the first n points of from through all levels, beginning at guesses.
func (f *follower) search(first, second []level, n int) {
	searches := f.searches[:n]
	for level := len(first) - 1; level >= 0; level-- {
		scale := 1 / float32(int64(1)<<level)
		moving := f.moving[:0]
		for i := range searches {
			s := &searches[i]
			if level == len(first)-1 {
				s.status, s.err = Found, 0
				s.position = f.guesses[i].times(scale)
			} else {
				s.position = s.result.times(2)
			}
			s.result = s.position
			s.last = level == 0
			s.first, s.second = &first[level], &second[level]
			s.source.level, s.target.level = nil, nil
			if f.begin(s, f.from[i].times(scale)) {
				moving = append(moving, s)
			}
		}
		for iteration := 0; len(moving) > 0 && iteration < f.opts.Iterations; iteration++ {
			moving = f.iterate(moving, iteration)
		}
	}
}

// begin makes the template of s, whose point is p, and reports whether there is something
// to search.
func (f *follower) begin(s *search, p Point) bool {
	s.position = s.position.minus(f.limits.half)
	if !s.setTemplate(p.minus(f.limits.half)) {
		return false
	}
	f.kernels.template(&s.run)
	determinant, twiceEigenvalue := s.setEquations(f.tensor(s))
	eigenvalue := twiceEigenvalue / f.limits.pixels
	if f.opts.EigenvalueError {
		s.err = eigenvalue
	}
	const epsilon = 1.1920929e-7 // of float32
	if eigenvalue < f.limits.eigenvalue || determinant < epsilon {
		if s.last {
			s.status = Flat
		}
		return false
	}
	return true
}

// iterate makes a step of each search, and returns those that have not arrived and do not
// leave the image, in the same memory.
func (f *follower) iterate(searches []*search, iteration int) []*search {
	moving := searches[:0]
	for _, s := range searches {
		if s.setWindow() {
			moving = append(moving, s)
		}
	}
	f.add(moving)
	// The processor adds up several windows at once, but not if it has to wait for each step.
	searches, moving = moving, moving[:0]
	for _, s := range searches {
		if f.step(s, iteration) {
			moving = append(moving, s)
		}
	}
	return moving
}

// add adds up the products of the differences and the derivatives of searches.
func (f *follower) add(searches []*search) {
	rounded := f.rounded[:0]
	for _, s := range searches {
		if f.opts.RemoveMean {
			s.run.addDifferences()
			continue
		}
		if f.kernels.exact != nil {
			f.kernels.exact(&s.run)
			if s.run.sums.inexact == 0 {
				continue
			}
		}
		rounded = append(rounded, &s.run)
	}
	for ; f.kernels.stepTwins != nil && len(rounded) >= 2; rounded = rounded[2:] {
		rounded[0].twin = rounded[1]
		f.kernels.stepTwins(rounded[0])
	}
	for _, r := range rounded {
		f.kernels.step(r)
	}
}

// step moves s to where the sums say, and reports whether it is to move on.
func (f *follower) step(s *search, iteration int) bool {
	b1, b2 := f.products(s)
	dx, dy := s.move(b1, b2, f.limits.half)
	x, y := float64(dx), float64(dy)
	if float64(x*x)+float64(y*y) <= f.limits.epsilon {
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
func (f *follower) measure(s *search) {
	s.position = s.result.minus(f.limits.half)
	if s.setWindow() {
		f.kernels.difference(&s.run)
		s.err = s.run.difference / (16 * f.limits.pixels)
	}
}

// scale is what sums are multiplied by, for the bits after the binary point.
const scale = 1.0 / (1 << 20)

// tensor returns the sums of the products of the derivatives, scaled.
func (f *follower) tensor(s *search) (a11, a12, a22 float32) {
	r := &s.run
	if f.opts.RemoveMean {
		r.addDerivatives()
		t := &r.portable.totals
		return r.centered(t.xx, t.x, t.x), r.centered(t.xy, t.x, t.y), r.centered(t.yy, t.y, t.y)
	}
	if f.kernels.exact == nil || !r.exactTensor() {
		f.kernels.tensor(r)
	}
	return r.tensor[0] * scale, r.tensor[1] * scale, r.tensor[2] * scale
}

// products returns the sums of the products of differences and derivatives, scaled.
func (f *follower) products(s *search) (b1, b2 float32) {
	r := &s.run
	if f.opts.RemoveMean {
		t := &r.portable.totals
		return r.centered(t.dx, t.d, t.x), r.centered(t.dy, t.d, t.y)
	}
	return r.products[0] * scale, r.products[1] * scale
}

// centered returns a sum of products, scaled, as if the means had been subtracted from
// their factors, whose sums are a and b.
func (r *windowRun) centered(products, a, b int64) float32 {
	mean := float64(float64(a)*float64(b)) / float64(r.w*r.h)
	return float32(float64(products)-mean) * scale
}
