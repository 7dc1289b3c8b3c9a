package flow

import "math/bits"

// A follower is the state and the memory of a worker, which follows points.
type follower struct {
	opts    *Options
	limits  *limits
	kernels *kernels
	windows *windowKernels // those of kernels that serve the options

	searches [block]search
	moves    moveRun           // of the searches
	rounded  [block]*windowRun // those whose sums have to be made of floats
	// The level that is searched: its number, and where windows of templates and others lie in it.
	level            int
	first, second    *level
	sources, targets area
	// What is followed, and what was found.
	from, guesses, to [block]Point
	tracks            [block]Track
}

func newFollower(t *Tracker) *follower {
	l := &t.limits
	return &follower{opts: &t.opts, limits: l, moves: moveRun{half: l.half, epsilon: l.epsilon, pixels: l.pixels, eigenvalue: l.eigenvalue}}
}

// prepare makes the memory that kernels need.
func (f *follower) prepare(k *kernels) {
	if f.kernels == k {
		return
	}
	w, h := f.opts.Window.X, f.opts.Window.Y
	f.kernels, f.windows = k, k.serving(f.opts)
	derivatives := f.windows.derivatives(w, h)
	for i := range f.searches {
		f.searches[i].prepare(f.windows, w, h)
		f.searches[i].run.derivatives = derivatives
	}
}

// release drops what belongs to the caller.
func (f *follower) release() {
	f.first, f.second, f.sources.pix, f.targets.pix = nil, nil, nil, nil
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
		f.searches[k].slot = nil
		if s := j.kept.slots[i]; s != nil && s.full {
			f.searches[k].slot = s
		}
	}
	f.search(j.first.levels, j.second.levels, len(indices))
	f.measure(len(indices))
	tracks := f.tracks[:len(indices)]
	f.to = f.moves.results
	for k := range tracks {
		s, p := &f.searches[k], f.to[k]
		tracks[k] = Track{p.X + j.second.min.X, p.Y + j.second.min.Y, s.err, s.status}
	}
	if f.opts.Confirm > 0 {
		f.confirm(j, indices, tracks)
	}
	image := &j.second.levels[0]
	for k, i := range indices {
		t, p := tracks[k], f.to[k]
		if f.opts.KeepInside && t.Status == Found && !(p.X >= 0 && p.Y >= 0 && p.X <= float32(image.W-1) && p.Y <= float32(image.H-1)) {
			t.Status = Outside
		}
		if t.Status != Found {
			t.Err = 0
		}
		j.tracks[i] = t
	}
}

// confirm follows the points that were found back, and gives those the status Unconfirmed
// that do not arrive where they came from. It keeps the templates.
func (f *follower) confirm(j *job, indices []int, tracks []Track) {
	var found [block]int // the indices of the points
	n := 0
	for i := range tracks {
		if s := j.kept.slots[indices[i]]; s != nil {
			s.full = false
		}
		if tracks[i].Status == Found {
			found[n] = i
			n++
		}
	}
	from := f.from
	for k, i := range found[:n] {
		f.guesses[k], f.from[k] = from[i], f.to[i]
		f.searches[k].slot = j.kept.slots[indices[i]]
	}
	f.search(j.second.levels, j.first.levels, n)
	f.placeResults(n)
	for k, i := range found[:n] {
		if s := f.searches[k].slot; s != nil {
			s.place, s.full = f.from[k], true
		}
		f.place(k, f.second) // as measure does
		p := f.moves.results[k]
		dx, dy := float64(p.X-from[i].X), float64(p.Y-from[i].Y)
		if f.searches[k].status != Found || !(float64(dx*dx)+float64(dy*dy) <= f.limits.confirm) {
			tracks[i].Status = Unconfirmed
		}
	}
}

// search follows the first n points of from through all levels, beginning at guesses.
func (f *follower) search(first, second []level, n int) {
	m, over := &f.moves, f.searches[0].run.over
	for f.level = len(first) - 1; f.level >= 0; f.level-- {
		f.first, f.second = &first[f.level], &second[f.level]
		f.sources, f.targets = f.first.area(f.opts.Window, 1, over), f.second.area(f.opts.Window, 0, over)
		scale := 1 / float32(int64(1)<<f.level)
		for i := range f.searches[:n] {
			if f.level == len(first)-1 {
				f.searches[i].status, f.searches[i].err = Found, 0
				m.results[i] = f.guesses[i].times(scale)
			} else {
				m.results[i] = m.results[i].times(2)
			}
			m.positions[i] = f.from[i].times(scale).minus(f.limits.half)
			m.steps[i] = noStep
		}
		f.kernels.place(m)
		f.makeTemplates(n)
		f.placeResults(n)
		for iteration := 0; m.moving != 0 && iteration < f.opts.Iterations; iteration++ {
			f.iterate()
		}
	}
	f.level = 0 // the last one
}

// makeTemplates makes the templates of the first n searches, whose windows have been placed. Those
// with something to search move.
func (f *follower) makeTemplates(n int) {
	m := &f.moves
	m.moving = 0
	for i := range f.searches[:n] {
		if f.setTemplate(i) {
			m.tensors[i] = f.template(&f.searches[i])
			m.moving |= 1 << i
		}
	}
	templates := m.moving
	f.kernels.equate(m)
	if f.level == 0 {
		for list := templates &^ m.moving; list != 0; list &= list - 1 {
			f.searches[bits.TrailingZeros32(list)].status = Flat
		}
	}
}

// placeResults places the windows of the first n searches around their results.
func (f *follower) placeResults(n int) {
	m := &f.moves
	for i := range n {
		m.positions[i] = m.results[i].minus(f.limits.half)
	}
	f.kernels.place(m)
}

// iterate makes a step of each search that moves and does not leave the image.
func (f *follower) iterate() {
	m := &f.moves
	rounded := f.rounded[:0]
	for list := m.moving; list != 0; list &= list - 1 {
		i := bits.TrailingZeros32(list)
		if !f.setWindow(i) {
			m.moving &^= 1 << i
			continue
		}
		r := &f.searches[i].run
		if !f.add(r) {
			rounded = append(rounded, r)
		}
		m.products[i] = r.products
	}
	if len(rounded) > 0 {
		f.addFloats(rounded)
	}
	f.kernels.move(m)
}

// add adds up the products of the differences and the derivatives, and reports whether they are
// those of sums of floats.
func (f *follower) add(r *windowRun) bool {
	if f.opts.RemoveMean {
		r.addDifferences()
		t := &r.portable.totals
		r.products = [2]float32{r.centered(t.dx, t.d, t.x), r.centered(t.dy, t.d, t.y)}
		return true
	}
	if f.windows.exact == nil {
		return false
	}
	f.windows.exact(r)
	return r.sums.inexact == 0
}

// addFloats is add by sums of floats, after add.
func (f *follower) addFloats(runs []*windowRun) {
	for ; f.windows.stepTwins != nil && len(runs) >= 2; runs = runs[2:] {
		runs[0].twin = runs[1]
		f.windows.stepTwins(runs[0])
	}
	for _, r := range runs {
		f.windows.step(r)
	}
	for i := range f.searches {
		f.moves.products[i] = f.searches[i].run.products
	}
}

// measure sets the errors of the first n searches to the mean differences of the windows.
func (f *follower) measure(n int) {
	f.placeResults(n)
	for i := range n {
		if s := &f.searches[i]; s.status == Found && f.setWindow(i) {
			f.windows.difference(&s.run)
			s.err = s.run.difference / (16 * f.limits.pixels)
		}
	}
}

// template sets the template of a search, and returns the sums of the products of its derivatives. It
// makes the template unless that is kept.
func (f *follower) template(s *search) [3]float32 {
	r := &s.run
	if s.slot == nil {
		r.values = s.values
		return f.tensor(r)
	}
	t := &s.slot.levels[f.level]
	r.values = t.values
	if s.slot.full {
		r.sums.bounds = t.bounds
	} else {
		t.tensor = f.tensor(r)
		t.bounds = r.sums.bounds
	}
	return t.tensor
}

// tensor makes the template, and returns the sums of the products of its derivatives.
func (f *follower) tensor(r *windowRun) [3]float32 {
	f.windows.template(r)
	if f.opts.RemoveMean {
		r.addDerivatives()
		t := &r.portable.totals
		return [3]float32{r.centered(t.xx, t.x, t.x), r.centered(t.xy, t.x, t.y), r.centered(t.yy, t.y, t.y)}
	}
	if f.windows.exact == nil || r.sums.inexact != 0 {
		f.windows.tensor(r)
	}
	return r.tensor
}

// centered returns a sum of products as if the means had been subtracted from their factors, whose
// sums are a and b.
func (r *windowRun) centered(products, a, b int64) float32 {
	mean := float64(float64(a)*float64(b)) / float64(r.w*r.h)
	return float32(float64(products) - mean)
}

// setTemplate sets the template's window of search i, which has been placed, and reports whether
// it overlaps the image.
func (f *follower) setTemplate(i int) bool {
	s := &f.searches[i]
	x, y, ok := f.set(&s.run.template, i, f.first, &f.sources, &s.source, 1, 0)
	if ok {
		s.run.setBounds(x, y, f.first)
	}
	return ok
}

// setWindow sets the window of search i in the second image, which has been placed, and reports
// whether it overlaps the image.
func (f *follower) setWindow(i int) bool {
	s := &f.searches[i]
	_, _, ok := f.set(&s.run.window, i, f.second, &f.targets, &s.target, 0, patchMargin)
	return ok
}

// set sets a window of search i, which has been placed in a level, and returns what place does. The
// window has the given number of pixels more before and after. If it is not in the area, p holds it,
// with a margin.
func (f *follower) set(w *window, i int, l *level, a *area, p *patch, more, margin int) (x, y int, ok bool) {
	m, r := &f.moves, &f.searches[i].run
	x, y = int(m.at[i][0]), int(m.at[i][1])
	w.weights = m.weights[i]
	if w.pix, ok = a.window(x, y); ok {
		w.stride = l.Stride
	} else if x, y, ok = f.place(i, l); ok {
		w.pix, w.stride = p.window(l, x-more, y-more, r.w+1+2*more, r.h+1+2*more, r.over, margin)
	}
	return x, y, ok
}

// place returns the integer part of the position of window i, which has been placed in a level,
// and whether the window overlaps the level. If it does not on the last level, the point is not
// found.
func (f *follower) place(i int, level *level) (x, y int, ok bool) {
	m, s := &f.moves, &f.searches[i]
	x, y = int(m.at[i][0]), int(m.at[i][1])
	if x >= -s.run.w && x < level.W && y >= -s.run.h && y < level.H && level.W > 0 {
		return x, y, true
	}
	if f.level == 0 {
		s.status = Outside
		if p := m.positions[i]; !fits(p.X) || !fits(p.Y) {
			s.status = Lost
		}
	}
	return 0, 0, false
}
