package flow

import "math/bits"

// A lane is the state and the memory of a worker, which follows points.
type lane struct {
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

func newLane(t *Tracker) *lane {
	m := &t.limits
	return &lane{opts: &t.opts, limits: m, moves: moveRun{half: m.half, epsilon: m.epsilon, pixels: m.pixels, eigenvalue: m.eigenvalue}}
}

// prepare makes the memory that kernels need.
func (l *lane) prepare(k *kernels) {
	if l.kernels == k {
		return
	}
	w, h := l.opts.Window.X, l.opts.Window.Y
	l.kernels, l.windows = k, k.serving(l.opts)
	derivatives := l.windows.derivatives(w, h)
	for i := range l.searches {
		l.searches[i].prepare(l.windows, w, h)
		l.searches[i].run.derivatives = derivatives
	}
}

// release drops what belongs to the caller.
func (l *lane) release() {
	l.first, l.second, l.sources.pix, l.targets.pix = nil, nil, nil, nil
	for i := range l.searches {
		l.searches[i].release()
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
		l.searches[k].slot = nil
		if s := j.kept.slots[i]; s != nil && s.full {
			l.searches[k].slot = s
		}
	}
	l.search(j.first.levels, j.second.levels, len(indices))
	l.measure(len(indices))
	tracks := l.tracks[:len(indices)]
	l.to = l.moves.results
	for k := range tracks {
		s, p := &l.searches[k], l.to[k]
		tracks[k] = Track{p.X + j.second.min.X, p.Y + j.second.min.Y, s.err, s.status}
	}
	if l.opts.Confirm > 0 {
		l.confirm(j, indices, tracks)
	}
	image := &j.second.levels[0]
	for k, i := range indices {
		t, p := tracks[k], l.to[k]
		if l.opts.KeepInside && t.Status == Found && !(p.X >= 0 && p.Y >= 0 && p.X <= float32(image.W-1) && p.Y <= float32(image.H-1)) {
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
func (l *lane) confirm(j *job, indices []int, tracks []Track) {
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
	from := l.from
	for k, i := range found[:n] {
		l.guesses[k], l.from[k] = from[i], l.to[i]
		l.searches[k].slot = j.kept.slots[indices[i]]
	}
	l.search(j.second.levels, j.first.levels, n)
	l.placeResults(n)
	for k, i := range found[:n] {
		if s := l.searches[k].slot; s != nil {
			s.place, s.full = l.from[k], true
		}
		l.place(k, l.second) // as measure does
		p := l.moves.results[k]
		dx, dy := float64(p.X-from[i].X), float64(p.Y-from[i].Y)
		if l.searches[k].status != Found || !(float64(dx*dx)+float64(dy*dy) <= l.limits.confirm) {
			tracks[i].Status = Unconfirmed
		}
	}
}

// search follows the first n points of from through all levels, beginning at guesses.
func (l *lane) search(first, second []level, n int) {
	m, over := &l.moves, l.searches[0].run.over
	for l.level = len(first) - 1; l.level >= 0; l.level-- {
		l.first, l.second = &first[l.level], &second[l.level]
		l.sources, l.targets = l.first.area(l.opts.Window, 1, over), l.second.area(l.opts.Window, 0, over)
		scale := 1 / float32(int64(1)<<l.level)
		for i := range l.searches[:n] {
			if l.level == len(first)-1 {
				l.searches[i].status, l.searches[i].err = Found, 0
				m.results[i] = l.guesses[i].times(scale)
			} else {
				m.results[i] = m.results[i].times(2)
			}
			m.positions[i] = l.from[i].times(scale).minus(l.limits.half)
			m.steps[i] = noStep
		}
		l.kernels.place(m)
		l.makeTemplates(n)
		l.placeResults(n)
		for iteration := 0; m.moving != 0 && iteration < l.opts.Iterations; iteration++ {
			l.iterate()
		}
	}
	l.level = 0 // the last one
}

// makeTemplates makes the templates of the first n searches, whose windows have been placed. Those
// with something to search move.
func (l *lane) makeTemplates(n int) {
	m := &l.moves
	m.moving = 0
	for i := range l.searches[:n] {
		if l.setTemplate(i) {
			m.tensors[i] = l.template(&l.searches[i])
			m.moving |= 1 << i
		}
	}
	templates := m.moving
	l.kernels.equate(m)
	if l.level == 0 {
		for list := templates &^ m.moving; list != 0; list &= list - 1 {
			l.searches[bits.TrailingZeros32(list)].status = Flat
		}
	}
}

// placeResults places the windows of the first n searches around their results.
func (l *lane) placeResults(n int) {
	m := &l.moves
	for i := range n {
		m.positions[i] = m.results[i].minus(l.limits.half)
	}
	l.kernels.place(m)
}

// iterate makes a step of each search that moves and does not leave the image.
func (l *lane) iterate() {
	m := &l.moves
	rounded := l.rounded[:0]
	for list := m.moving; list != 0; list &= list - 1 {
		i := bits.TrailingZeros32(list)
		if !l.setWindow(i) {
			m.moving &^= 1 << i
			continue
		}
		r := &l.searches[i].run
		if !l.add(r) {
			rounded = append(rounded, r)
		}
		m.products[i] = r.products
	}
	if len(rounded) > 0 {
		l.addFloats(rounded)
	}
	l.kernels.move(m)
}

// add adds up the products of the differences and the derivatives, and reports whether they are
// those of sums of floats.
func (l *lane) add(r *windowRun) bool {
	if l.opts.RemoveMean {
		r.addDifferences()
		t := &r.portable.totals
		r.products = [2]float32{r.centered(t.dx, t.d, t.x), r.centered(t.dy, t.d, t.y)}
		return true
	}
	if l.windows.exact == nil {
		return false
	}
	l.windows.exact(r)
	return r.sums.inexact == 0
}

// addFloats is add by sums of floats, after add.
func (l *lane) addFloats(runs []*windowRun) {
	for ; l.windows.stepTwins != nil && len(runs) >= 2; runs = runs[2:] {
		runs[0].twin = runs[1]
		l.windows.stepTwins(runs[0])
	}
	for _, r := range runs {
		l.windows.step(r)
	}
	for i := range l.searches {
		l.moves.products[i] = l.searches[i].run.products
	}
}

// measure sets the errors of the first n searches to the mean differences of the windows.
func (l *lane) measure(n int) {
	l.placeResults(n)
	for i := range n {
		if s := &l.searches[i]; s.status == Found && l.setWindow(i) {
			l.windows.difference(&s.run)
			s.err = s.run.difference / (16 * l.limits.pixels)
		}
	}
}

// template sets the template of a search, and returns the sums of the products of its derivatives. It
// makes the template unless that is kept.
func (l *lane) template(s *search) [3]float32 {
	r := &s.run
	if s.slot == nil {
		r.values = s.values
		return l.tensor(r)
	}
	t := &s.slot.levels[l.level]
	r.values = t.values
	if s.slot.full {
		r.sums.bounds = t.bounds
	} else {
		t.tensor = l.tensor(r)
		t.bounds = r.sums.bounds
	}
	return t.tensor
}

// tensor makes the template, and returns the sums of the products of its derivatives.
func (l *lane) tensor(r *windowRun) [3]float32 {
	l.windows.template(r)
	if l.opts.RemoveMean {
		r.addDerivatives()
		t := &r.portable.totals
		return [3]float32{r.centered(t.xx, t.x, t.x), r.centered(t.xy, t.x, t.y), r.centered(t.yy, t.y, t.y)}
	}
	if l.windows.exact == nil || r.sums.inexact != 0 {
		l.windows.tensor(r)
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
func (l *lane) setTemplate(i int) bool {
	s := &l.searches[i]
	x, y, ok := l.set(&s.run.template, i, l.first, &l.sources, &s.source, 1, 0)
	if ok {
		s.run.setBounds(x, y, l.first)
	}
	return ok
}

// setWindow sets the window of search i in the second image, which has been placed, and reports
// whether it overlaps the image.
func (l *lane) setWindow(i int) bool {
	s := &l.searches[i]
	_, _, ok := l.set(&s.run.window, i, l.second, &l.targets, &s.target, 0, patchMargin)
	return ok
}

// set sets a window of search i, which has been placed in a level, and returns what place does. The
// window has the given number of pixels more before and after. If it is not in the area, p holds it,
// with a margin.
func (l *lane) set(w *window, i int, level *level, a *area, p *patch, more, margin int) (x, y int, ok bool) {
	m, r := &l.moves, &l.searches[i].run
	x, y = int(m.at[i][0]), int(m.at[i][1])
	w.weights = m.weights[i]
	if w.pix, ok = a.window(x, y); ok {
		w.stride = level.Stride
	} else if x, y, ok = l.place(i, level); ok {
		w.pix, w.stride = p.window(level, x-more, y-more, r.w+1+2*more, r.h+1+2*more, r.over, margin)
	}
	return x, y, ok
}

// place returns the integer part of the position of window i, which has been placed in a level,
// and whether the window overlaps the level. If it does not on the last level, the point is not
// found.
func (l *lane) place(i int, level *level) (x, y int, ok bool) {
	m, s := &l.moves, &l.searches[i]
	x, y = int(m.at[i][0]), int(m.at[i][1])
	if x >= -s.run.w && x < level.W && y >= -s.run.h && y < level.H && level.W > 0 {
		return x, y, true
	}
	if l.level == 0 {
		s.status = Outside
		if p := m.positions[i]; !fits(p.X) || !fits(p.Y) {
			s.status = Lost
		}
	}
	return 0, 0, false
}
