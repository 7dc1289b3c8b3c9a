package stabilize

import (
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
)

// The path that is shown departs from the smooth one where that would bring an edge of the frame
// into sight. A plan says how for the frames whose motion is known: the departures have the
// least sum of these squares, weighted, of all that keep the edges out of sight.
const (
	restWeight = 1e-5 // of the departures
	bendWeight = 1    // of their second differences, from frame to frame
	jerkWeight = 10   // of their third differences
	// stiffness is how many times as large as another departure one that enlarges counts, unless
	// a zoom is to be found of frames that are known.
	stiffness = 10
	// maxEnlarged is by how much less of the frame is shown at most, as a share of its width and
	// height, unless there is a range for the zoom.
	maxEnlarged = 0.2
	// maxAhead is how many frames after the next one are planned with it, at most.
	maxAhead = 30
	// unsureRoom is how much of the room to the edges is left to what is unsure, at most.
	unsureRoom = 0.9
	// outOfSight is by how many pixels a corner may be beyond the edge in a plan.
	outOfSight = 1e-6
	// maxRounds is after how many steps for each frame a plan is taken as it is.
	maxRounds = 50
)

// A departure is by how much the frame is taken from another place than that of the smooth path:
// along x and y, turned and enlarged, all in pixels. What is turned or enlarged is as far from
// the middle as planner.turns and planner.enlarges.
type departure [4]float64

// dot returns the sum of the products.
func (d *departure) dot(e *departure) float64 {
	return float64(d[0]*e[0]) + float64(d[1]*e[1]) + float64(d[2]*e[2]) + float64(d[3]*e[3])
}

// add adds e times w.
func (d *departure) add(e *departure, w float64) {
	for i := range d {
		d[i] += float64(w * e[i])
	}
}

// A side keeps a corner of what is shown within two edges of the frame, or the zoom within its
// range: low <= at.dot(d) <= high.
type side struct {
	at        departure
	low, high float64
}

// A touch is an edge that a plan touches: at.dot(d) is limit.
type touch struct {
	frame int // from the next one
	at    departure
	limit float64
	force float64 // with which it keeps the plan away, not negative
}

// A history is what a plan goes on from.
type history struct {
	past  [3]departure // of the frames before, the latest first
	known int          // how many of them belong to the scene
}

// A planner plans departures.
type planner struct {
	kind            geometry.Kind
	edge, crop      geometry.Point // of the frame and of what is shown, from the middle
	turns, enlarges float64
	narrowest       float64 // how many times as wide what is shown is at least
	room            float64 // between what is shown and the edges, at most, as a share of the frame

	history

	// inverse is that of the matrix of the squares of frames departures, known of which before
	// them are given. bands has its rows while it is made: an element on the diagonal and
	// three before it.
	frames, given int
	inverse       []float64
	bands         [][4]float64

	sides   [][9]side
	plan    []departure
	touches []touch
	// root is the Cholesky factor of the touches' matrix, row by row. pull and step are what it
	// is solved for.
	root, pull, step []float64
}

// differences are the coefficients of what is squared, and its weight.
var differences = [...]struct {
	weight float64
	of     []float64 // the latest frame first
}{
	{restWeight, []float64{1}},
	{bendWeight, []float64{1, -2, 1}},
	{jerkWeight, []float64{1, -3, 3, -1}},
}

// begin gets ready for a video of frames whose right lower corner is at edge.
func (p *planner) begin(edge geometry.Point, opts *Options) {
	p.kind = opts.Kind
	p.edge = edge
	p.crop = geometry.Point{X: edge.X / opts.Zoom, Y: edge.Y / opts.Zoom}
	p.turns = max(1, math.Sqrt((float64(edge.X*edge.X)+float64(edge.Y*edge.Y))/3))
	p.enlarges = p.turns
	p.narrowest = opts.Zoom / opts.MaxZoom
	p.room = 1 - 1/opts.MaxZoom
	if p.narrowest == 1 || opts.Online {
		p.enlarges *= stiffness
	}
	p.history = history{}
}

// next returns where pixels of the next frame, as it is shown, are on the smooth path, and by how
// many pixels the middle departs. The corrections that the smooth path has for this frame and for
// those after it are given, and by how many pixels they are unsure, unless that is nil.
func (p *planner) next(smooth []geometry.Transform, unsure []float64) (shown geometry.Transform, departed float64) {
	p.sides = raster.Resize(p.sides, len(smooth))
	for i := range smooth {
		least := 0.
		if unsure != nil {
			least = unsure[i]
		}
		p.look(&p.sides[i], &smooth[i], least)
	}
	p.relax(len(smooth))
	for range maxRounds * len(smooth) {
		t, ok := p.worst()
		if !ok || !p.keep(t) {
			break
		}
	}
	d := p.plan[0]
	p.past = [3]departure{d, p.past[0], p.past[1]}
	p.known = min(p.known+1, len(p.past))
	return p.transform(&d), math.Sqrt(float64(d[0]*d[0]) + float64(d[1]*d[1]))
}

// look sets the sides of a frame from the correction that the smooth path has for it, some pixels
// within its edges if there is room.
func (p *planner) look(sides *[9]side, correction *geometry.Transform, within float64) {
	back, ok := correction.Inverse()
	if !ok {
		back = geometry.Identity()
	}
	for i, c := range corners(p.crop) {
		q := back.Apply(c)
		w := float64(back[6]*c.X) + float64(back[7]*c.Y) + back[8]
		for axis, along := range [2]float64{q.X, q.Y} {
			edge := p.edge.X
			if axis == 1 {
				edge = p.edge.Y
			}
			edge -= min(within, unsureRoom*p.room*edge)
			// The derivatives of along by the place of the corner.
			row := back[3*axis:]
			x, y := (row[0]-float64(along*back[6]))/w, (row[1]-float64(along*back[7]))/w
			s := &sides[2*i+axis]
			s.at = departure{
				x, y,
				(float64(y*c.X) - float64(x*c.Y)) / p.turns,
				(float64(x*c.X) + float64(y*c.Y)) / p.enlarges,
			}
			if p.kind == geometry.Translation {
				s.at[2] = 0
			}
			if p.narrowest == 1 && p.kind <= geometry.Rigid {
				s.at[3] = 0
			}
			s.low, s.high = -edge-along, edge-along
		}
	}
	zoom := &sides[8]
	*zoom = side{departure{3: 1}, -maxEnlarged * p.enlarges, math.Inf(1)}
	if p.narrowest < 1 {
		zoom.low, zoom.high = float64((p.narrowest-1)*p.enlarges), 0
	}
}

// transform returns where pixels of what is shown are on the smooth path.
func (p *planner) transform(d *departure) geometry.Transform {
	a, b := 1+d[3]/p.enlarges, d[2]/p.turns
	if p.kind == geometry.Rigid && p.narrowest == 1 {
		a = 1 / math.Sqrt(1+float64(b*b))
		b *= a
	}
	return geometry.Transform{a, -b, d[0], b, a, d[1], 0, 0, 1}
}

// each calls f for the products of two frames' departures that the squares have, with their
// weights. Frames before the first one are negative.
func (p *planner) each(frames int, f func(i, j int, weight float64)) {
	for _, d := range differences {
		for last := max(0, len(d.of)-1-p.known); last < frames; last++ {
			for i, a := range d.of {
				for j, b := range d.of {
					f(last-i, last-j, float64(d.weight*a*b))
				}
			}
		}
	}
}

// prepare makes the inverse for plans of a number of frames.
func (p *planner) prepare(frames int) {
	if p.frames == frames && p.given == p.known {
		return
	}
	p.frames, p.given = frames, p.known
	p.bands = raster.Resize(p.bands, frames)
	clear(p.bands)
	p.each(frames, func(i, j int, weight float64) {
		if 0 <= j && j <= i {
			p.bands[i][i-j] += weight
		}
	})
	// The Cholesky factor, and what it is of with each column of the identity.
	for i := range p.bands {
		row := &p.bands[i]
		for j := max(0, i-len(row)+1); j <= i; j++ {
			sum := row[i-j]
			for k := max(0, i-len(row)+1); k < j; k++ {
				sum -= float64(row[i-k] * p.bands[j][j-k])
			}
			if j < i {
				row[i-j] = sum / p.bands[j][0]
			} else {
				row[0] = math.Sqrt(sum)
			}
		}
	}
	p.inverse = raster.Resize(p.inverse, frames*frames)
	clear(p.inverse)
	for c := range frames {
		x := p.inverse[c*frames:][:frames]
		x[c] = 1
		for i := c; i < frames; i++ {
			for j := max(c, i-3); j < i; j++ {
				x[i] -= float64(p.bands[i][i-j] * x[j])
			}
			x[i] /= p.bands[i][0]
		}
		for i := frames - 1; i >= 0; i-- {
			for j := i + 1; j < min(i+4, frames); j++ {
				x[i] -= float64(p.bands[j][j-i] * x[j])
			}
			x[i] /= p.bands[i][0]
		}
	}
}

// relax makes the plan that follows from the frames before alone, which touches no edge.
func (p *planner) relax(frames int) {
	p.plan = raster.Resize(p.plan, frames)
	clear(p.plan)
	p.touches, p.root = p.touches[:0], p.root[:0]
	p.prepare(frames)
	if p.past == ([3]departure{}) {
		return
	}
	var pull [len(p.past)]departure
	p.each(min(frames, len(pull)), func(i, j int, weight float64) {
		if i >= 0 && j < 0 {
			pull[i].add(&p.past[-1-j], -weight)
		}
	})
	for i := range pull[:min(frames, len(pull))] {
		p.push(i, &pull[i], 1)
	}
}

// push changes the plan as a force on one of its frames does.
func (p *planner) push(frame int, at *departure, force float64) {
	for i, share := range p.inverse[frame*p.frames:][:p.frames] {
		p.plan[i].add(at, force*share)
	}
}

// worst returns the edge that the plan is beyond by most, if there is one.
func (p *planner) worst() (t touch, ok bool) {
	most := outOfSight
	for frame := range p.plan {
		d, sides := &p.plan[frame], &p.sides[frame]
		for i := range sides {
			s := &sides[i]
			at := s.at.dot(d)
			if at-s.high > most {
				most, t, ok = at-s.high, touch{frame, s.at, s.high, 0}, true
			}
			if s.low-at > most {
				var back departure
				back.add(&s.at, -1)
				most, t, ok = s.low-at, touch{frame, back, -s.low, 0}, true
			}
		}
	}
	return t, ok
}

// keep makes the plan touch an edge that it is beyond, and no longer touch others that are then
// no longer in its way: a step of the dual method of D. Goldfarb and A. Idnani, "A numerically
// stable dual method for solving strictly convex quadratic programs", Mathematical Programming
// 27, 1983. It reports whether this is possible.
func (p *planner) keep(t touch) bool {
	own := float64(p.inverse[t.frame*p.frames+t.frame] * t.at.dot(&t.at))
	for {
		gain := own - p.solve(&t)
		// The force that is needed, but for the first touch to come loose.
		force, loose := math.Inf(1), -1
		if gain > 1e-12*own {
			force = (t.at.dot(&p.plan[t.frame]) - t.limit) / gain
		}
		moves := !math.IsInf(force, 1)
		for i, s := range p.step {
			if s > 0 && p.touches[i].force/s < force {
				force, loose = p.touches[i].force/s, i
			}
		}
		if math.IsInf(force, 1) {
			return false
		}
		t.force += force
		for i, s := range p.step {
			p.touches[i].force -= float64(force * s)
		}
		if moves {
			p.push(t.frame, &t.at, -force)
			for i, s := range p.step {
				p.push(p.touches[i].frame, &p.touches[i].at, float64(force*s))
			}
		}
		if loose < 0 {
			p.touches = append(p.touches, t)
			p.root = append(append(p.root, p.pull...), math.Sqrt(gain))
			return true
		}
		p.loosen(loose)
	}
}

// row returns a row of the root.
func (p *planner) row(i int) []float64 {
	return p.root[i*(i+1)/2:][:i+1]
}

// solve sets step to the change of the touches' forces for one of t, whose row of the root it
// sets pull to. It returns by how much less the plan gives way than without the touches.
func (p *planner) solve(t *touch) (less float64) {
	p.pull = p.pull[:0]
	for i := range p.touches {
		o := &p.touches[i]
		sum := float64(p.inverse[o.frame*p.frames+t.frame] * o.at.dot(&t.at))
		row := p.row(i)
		for k, v := range p.pull {
			sum -= float64(row[k] * v)
		}
		v := sum / row[i]
		p.pull = append(p.pull, v)
		less += float64(v * v)
	}
	p.step = append(p.step[:0], p.pull...)
	for i := len(p.step) - 1; i >= 0; i-- {
		for k := i + 1; k < len(p.step); k++ {
			p.step[i] -= float64(p.row(k)[i] * p.step[k])
		}
		p.step[i] /= p.row(i)[i]
	}
	return less
}

// loosen takes a touch away.
func (p *planner) loosen(i int) {
	later := p.touches[i+1:]
	p.touches, p.root = p.touches[:i], p.root[:i*(i+1)/2]
	for _, t := range later {
		own := float64(p.inverse[t.frame*p.frames+t.frame] * t.at.dot(&t.at))
		gain := own - p.solve(&t)
		p.touches = append(p.touches, t)
		p.root = append(append(p.root, p.pull...), math.Sqrt(max(gain, 1e-12*own)))
	}
}
