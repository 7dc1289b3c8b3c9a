package stabilize

import (
	"image"
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
)

const (
	// limitSteps is how many bits of a limited correction's share are found.
	limitSteps = 20
	// velocitySpan is over how many times as many frames Online takes the mean motion.
	velocitySpan = 2
	// foreseen is how many frames after the next one Online plans with it.
	foreseen = 20
	// usualRate is the weight of a frame in what is usual with Online, and reach how many
	// standard deviations from there are reckoned with.
	usualRate = 0.1
	reach     = 1.5
	// presumed is that deviation before anything is known, as a share of the width and height.
	presumed = 0.02
)

// A step is the motion to a frame, in coordinates around the middle of frames.
type step struct {
	found
	joined   bool // with the frame before, so that the path goes on
	to, back geometry.Transform

	// What Online knows after the frame.
	after state
	shown history
}

// A path is where frames are, relative to each other.
type path struct {
	opts    *Options
	weights []float64 // by distance
	moments []moments // of the frames up to a distance
	size    image.Point
	center  geometry.Transform // from coordinates around the middle to pixels
	origin  geometry.Transform // from pixels to coordinates around the middle

	steps  []step // of the latest frames: that of a frame is at its number modulo their number
	frames int    // how many have been added
	done   int    // how many results there have been

	filter state // after the latest frame, with Online

	// places map points of the next frame to those of the frames around it, and origins map
	// points of frames after it back. smooth are the corrections that the smooth path has for
	// the next frame and, in turn, for those after it that are planned with it. unsure is by how
	// many pixels they may turn out to be others, or nil.
	places, origins []geometry.Transform
	smooth          []geometry.Transform
	unsure          []float64
	planner         planner
}

// moments are the sums of weights, of their products with distances and with squares of them.
type moments [3]float64

// A state is that of the filter that smooths with Online after a frame.
type state struct {
	correction geometry.Transform // of the frame
	velocity   geometry.Transform // how the picture moves as it is shown
	motion     geometry.Transform // the mean motion

	// usual is the mean correction, variance the mean square of how far from there corrections
	// take the corners of frames, in pixels along x or y, and covariance the mean product of
	// that and the same in the frame before.
	usual                geometry.Transform
	variance, covariance float64
}

var still = state{correction: geometry.Identity(), velocity: geometry.Identity(), motion: geometry.Identity(), usual: geometry.Identity()}

func (p *path) init(opts *Options) {
	p.opts = opts
	p.steps = make([]step, 2*opts.SmoothingRadius+1)
	p.weights = make([]float64, opts.SmoothingRadius+1)
	for k := range p.weights {
		u := float64(k) / float64(opts.SmoothingRadius+1)
		w := 1 - float64(u*u)
		p.weights[k] = w * w * w
	}
	p.moments = make([]moments, len(p.weights))
	for k := 1; k < len(p.weights); k++ {
		w, d := p.weights[k], float64(k)
		before := p.moments[k-1]
		p.moments[k] = moments{before[0] + w, before[1] + float64(w*d), before[2] + float64(float64(w*d)*d)}
	}
}

// begin gets ready for the first frame of a video.
func (p *path) begin(size image.Point) {
	c := middle(size)
	p.size = size
	p.center = geometry.Transform{1, 0, c.X, 0, 1, c.Y, 0, 0, 1}
	p.origin = geometry.Transform{1, 0, -c.X, 0, 1, -c.Y, 0, 0, 1}
	p.frames, p.done = 0, 0
	p.planner.begin(c, p.opts)
}

// at returns the step of a frame, one of the latest.
func (p *path) at(frame int) *step {
	return &p.steps[frame%len(p.steps)]
}

// add adds the motion to the next frame. The given number of frames before it are glitches.
func (p *path) add(f found, bridged int) {
	for frame := p.frames - bridged; frame < p.frames; frame++ {
		if s := p.at(frame); s.status == Cut {
			s.status, s.joined = Glitch, true
		}
	}
	if bridged > 0 && p.opts.Online { // the results of the glitches have come
		last := p.at(p.frames - bridged - 1)
		p.filter, p.planner.history = last.after, last.shown
	}
	s := p.at(p.frames)
	*s = step{found: f, joined: p.frames > 0 && f.status != Cut, to: geometry.Identity(), back: geometry.Identity()}
	if f.status == Followed {
		s.to = p.origin.Mul(f.motion).Mul(p.center)
		var ok bool
		if s.back, ok = s.to.Inverse(); !ok {
			s.to, s.back = geometry.Identity(), geometry.Identity()
		}
	}
	p.frames++
}

// next returns the result of the next frame if it is known, as are all when the video has ended.
func (p *path) next(ended bool) (Result, bool) {
	delay := p.opts.SmoothingRadius
	if p.opts.Online || ended {
		delay = 0
	}
	if p.done+delay >= p.frames {
		return Result{}, false
	}
	s := p.at(p.done)
	r := Result{Frame: p.done, Status: s.status, Points: s.points, Inliers: s.inliers, Motion: s.motion}
	if p.opts.Online {
		p.predict(s)
	} else {
		p.smoothen()
	}
	correction := p.smooth[0]
	if !p.opts.Borders {
		r.Limited = !p.hides(&correction)
		if !s.joined {
			p.planner.history = history{}
		}
		if p.opts.MaxZoom > 1 { // or else there is no room at all
			var departure geometry.Transform
			departure, r.Departure = p.planner.next(p.smooth, p.unsure)
			if back, ok := departure.Inverse(); ok {
				correction = back.Mul(correction)
			}
		}
		correction, _ = p.limit(correction)
	}
	s.after, s.shown = p.filter, p.planner.history
	r.Source = p.source(&correction)
	p.done++
	return r, true
}

// around returns how many frames before the next one and after it the path goes on without a
// cut, within the smoothing radius.
func (p *path) around() (before, after int) {
	for before < p.opts.SmoothingRadius && p.done-before > 0 && p.at(p.done-before).joined {
		before++
	}
	for after < p.opts.SmoothingRadius && p.done+after+1 < p.frames && p.at(p.done+after+1).joined {
		after++
	}
	return before, after
}

// smoothen sets smooth by the frames before and after: to the means of the transforms to where a
// frame would be, had it been taken from the places of the frames around it.
func (p *path) smoothen() {
	before, after := p.around()
	ahead := min(after, maxAhead)
	if p.opts.Borders {
		ahead = 0
	}
	p.places = raster.Resize(p.places, before+1+after)
	p.origins = raster.Resize(p.origins, before+1+after)
	p.places[before], p.origins[before] = geometry.Identity(), geometry.Identity()
	for k := before - 1; k >= 0; k-- {
		s := p.at(p.done + k + 1 - before)
		p.places[k] = s.back.Mul(p.places[k+1])
	}
	for k := before + 1; k <= before+after; k++ {
		s := p.at(p.done + k - before)
		p.places[k], p.origins[k] = s.to.Mul(p.places[k-1]), p.origins[k-1].Mul(s.back)
	}
	p.smooth = p.smooth[:0]
	for k := before; k <= before+ahead; k++ {
		t := p.mean(k)
		p.smooth = append(p.smooth, t.Mul(p.origins[k]))
	}
}

// mean returns the mean of the places at one of them.
func (p *path) mean(at int) geometry.Transform {
	radius := p.opts.SmoothingRadius
	before, after := p.moments[min(at, radius)], p.moments[min(len(p.places)-1-at, radius)]
	// The weights of a line through the places: w*(m2-m1*k)/(m0*m2-m1*m1).
	m0, m1, m2 := p.weights[0]+before[0]+after[0], after[1]-before[1], before[2]+after[2]
	determinant := float64(m0*m2) - float64(m1*m1)
	if !(determinant > 0) { // there is one frame
		return geometry.Identity()
	}
	var m mean
	for k := max(0, at-radius); k < min(len(p.places), at+radius+1); k++ {
		d := k - at
		m.add(&p.places[k], float64(p.weights[max(d, -d)]*(m2-float64(m1*float64(d))))/determinant)
	}
	return m.transform()
}

// predict sets smooth by the frames before: to the correction of the filter, and to those that
// are expected if the mean motion goes on, and what is unusual dies away as it used to.
func (p *path) predict(s *step) {
	p.filter.next(s, p.opts.SmoothingRadius, &p.planner.edge)
	p.smooth, p.unsure = append(p.smooth[:0], p.filter.correction), append(p.unsure[:0], 0)
	back, ok := p.filter.motion.Inverse()
	if !ok || p.opts.Borders {
		return
	}
	steady := step{joined: true, to: p.filter.motion, back: back}
	later, left := p.filter, 1.
	for range foreseen {
		later.next(&steady, p.opts.SmoothingRadius, &p.planner.edge)
		left *= p.filter.memory()
		var m mean
		m.add(&later.correction, 1)
		m.add(&p.filter.correction, left-1)
		m.add(&p.filter.usual, 1-left)
		p.smooth = append(p.smooth, m.transform())
		p.unsure = append(p.unsure, reach*math.Sqrt(float64(p.filter.variance*(1-float64(left*left)))))
	}
}

// memory returns how much of what is unusual in a frame is left in the next one.
func (f *state) memory() float64 {
	if !(f.variance > 0) {
		return 0
	}
	return min(max(0, f.covariance/f.variance), 1)
}

// next changes the state to that of the next frame. The picture is shown as if a spring pulled it
// to its place, with as much friction as keeps it from swinging, relative to the mean motion.
func (f *state) next(s *step, radius int, edge *geometry.Point) {
	if !s.joined {
		*f = still
		f.variance = float64(presumed*presumed) * (float64(edge.X*edge.X) + float64(edge.Y*edge.Y)) * 2
		return
	}
	rate := 1 / (2 + float64(radius)/3)
	f.motion = between(&s.to, &f.motion, rate/velocitySpan)
	shown := f.velocity.Mul(f.correction).Mul(s.back)
	identity := geometry.Identity()
	var m mean
	m.add(&f.velocity, 1-2*rate)
	m.add(&f.motion, 2*rate)
	m.add(&identity, rate*rate)
	m.add(&shown, -rate*rate)
	f.velocity = m.transform()
	before := f.correction
	f.correction = f.velocity.Mul(f.correction).Mul(s.back)
	var variance, covariance float64
	for _, c := range corners(*edge) {
		a, b, u := f.correction.Apply(c), before.Apply(c), f.usual.Apply(c)
		variance += float64((a.X-u.X)*(a.X-u.X)) + float64((a.Y-u.Y)*(a.Y-u.Y))
		covariance += float64((a.X-u.X)*(b.X-u.X)) + float64((a.Y-u.Y)*(b.Y-u.Y))
	}
	f.variance += float64(usualRate * (variance/8 - f.variance))
	f.covariance += float64(usualRate * (covariance/8 - f.covariance))
	f.usual = between(&f.correction, &f.usual, usualRate)
}

// between returns the transform between two, the weight of the first of which is given.
func between(a, b *geometry.Transform, weight float64) geometry.Transform {
	var m mean
	m.add(a, weight)
	m.add(b, 1-weight)
	return m.transform()
}

// A mean is the weighted mean of transforms around 0, 0 whose weights are 1 together.
type mean struct {
	sum   geometry.Transform
	scale float64
	// Of the similarities a*x + b in the complex plane that are nearest to the transforms: the sums
	// of the squares of a, and of the products of b with the conjugates of a.
	squares float64
	re, im  float64
}

// add adds a transform with an element 8 of 1.
func (m *mean) add(t *geometry.Transform, weight float64) {
	for i, v := range t {
		m.sum[i] += float64(weight * v)
	}
	m.scale += float64(weight * scale(t))
	x, y := turn(t)
	m.squares += float64(weight * (float64(x*x) + float64(y*y)))
	m.re += float64(weight * (float64(x*t[2]) + float64(y*t[5])))
	m.im += float64(weight * (float64(x*t[5]) - float64(y*t[2])))
}

// turn returns a complex number, by which the similarity nearest to a transform multiplies.
func turn(t *geometry.Transform) (re, im float64) {
	return (t[0] + t[4]) / 2, (t[3] - t[1]) / 2
}

// scale returns by how much a transform enlarges lengths at 0, 0, or 0 if it mirrors.
func scale(t *geometry.Transform) float64 {
	return math.Sqrt(max(float64(t[0]*t[4])-float64(t[1]*t[3]), 0))
}

// transform returns the mean. Its scale is the mean of the scales: the sum of rotations reduces.
//
// What the scale is restored around is the point whose images are nearest to each other, which is
// what the transforms turn around. Its mean image stays.
func (m *mean) transform() geometry.Transform {
	t := m.sum
	t[8] = 1
	s := scale(&t)
	if !(m.scale > 0 && s > 0) {
		return geometry.Identity()
	}
	f := m.scale / s
	x, y := turn(&t)
	if variance := m.squares - (float64(x*x) + float64(y*y)); variance > 0 {
		// The point is -re/variance, -im/variance.
		re := (m.re - (float64(x*t[2]) + float64(y*t[5]))) * (f - 1) / variance
		im := (m.im - (float64(x*t[5]) - float64(y*t[2]))) * (f - 1) / variance
		t[2], t[5] = t[2]+float64(t[0]*re)+float64(t[1]*im), t[5]+float64(t[3]*re)+float64(t[4]*im)
	}
	t[0], t[1], t[3], t[4] = t[0]*f, t[1]*f, t[3]*f, t[4]*f
	return t
}

// limit returns a correction, or as much of it as keeps the edges of the frame out of sight. Plans
// do that but for rounding, and for what they do not know of homographies.
func (p *path) limit(correction geometry.Transform) (limited geometry.Transform, less bool) {
	if p.opts.Borders || p.hides(&correction) {
		return correction, false
	}
	most := p.opts.MaxZoom / p.opts.Zoom
	enlarged := geometry.Transform{0: most, 4: most, 8: 1}
	low, high := 0., 1.
	limited = enlarged
	for range limitSteps {
		share := (low + high) / 2
		if t := between(&correction, &enlarged, share); p.hides(&t) {
			low, limited = share, t
		} else {
			high = share
		}
	}
	return limited, true
}

// hides reports whether a correction keeps the edges of the frame out of sight.
func (p *path) hides(correction *geometry.Transform) bool {
	back, ok := correction.Inverse()
	if !ok {
		return false
	}
	edge := middle(p.size)
	for _, corner := range corners(geometry.Point{X: edge.X / p.opts.Zoom, Y: edge.Y / p.opts.Zoom}) {
		if !(float64(back[6]*corner.X)+float64(back[7]*corner.Y)+back[8] > 0) {
			return false
		}
		if q := back.Apply(corner); !(math.Abs(q.X) <= edge.X && math.Abs(q.Y) <= edge.Y) {
			return false
		}
	}
	return true
}

// corners returns those of a rectangle around 0, 0.
func corners(c geometry.Point) [4]geometry.Point {
	return [4]geometry.Point{{X: -c.X, Y: -c.Y}, {X: c.X, Y: -c.Y}, {X: -c.X, Y: c.Y}, {X: c.X, Y: c.Y}}
}

// source returns where the pixels of a stabilized frame come from.
func (p *path) source(correction *geometry.Transform) geometry.Transform {
	back, ok := correction.Inverse()
	if !ok {
		back = geometry.Identity()
	}
	z := 1 / p.opts.Zoom
	return p.center.Mul(back).Mul(geometry.Transform{z, 0, 0, 0, z, 0, 0, 0, 1}).Mul(p.origin)
}
