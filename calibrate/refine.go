package calibrate

import (
	"math"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// share is the radius of a fit in distances of the nearest neighbor.
const share = 0.55

// searchedOff is the deviation of a corner that was searched by its gradients, in distances of the
// nearest neighbor. There was no fit, so little of it is known.
const searchedOff = 0.1

// leastBent is by how many pixels a corner is off the line through its neighbors if that is bent.
const leastBent = 0.1

// A refinement is the way of a corner to its place.
type refinement struct {
	side       float64 // the distance of the nearest neighbor
	radius     float64 // of the fit, or 0 if a direction is not known
	directions [2]vector
	places     [2]vector // after the first and the second pass
	ways       [2]ending // of the two passes
	bends      [2]float64
	deviation  float64 // of a coordinate of the place
}

// An ending is how a pass came to its place.
type ending uint8

const (
	omitted ending = iota // there was no second pass
	fitted
	searched // by the gradients
	stayed
)

// refine finds the places of the lattice's corners in the image, from those where their crosses
// are.
func (j *job) refine() {
	corners := j.lattice.corners
	for i, c := range corners {
		j.lattice.slot(c.cell).index = int32(i)
	}
	j.refinements = raster.Resize(j.refinements, len(corners))
	workers := worker.For(j.finder.opts.Workers, int64(len(corners))/refineShare)
	worker.Each(j, &j.lanes, workers, len(corners), (*job).refineFirst)
	worker.Each(j, &j.lanes, workers, len(corners), (*job).refineSecond)
}

// refineShare is the number of corners that are worth another worker.
const refineShare = 8

// refineFirst is the first pass of a corner.
func (j *job) refineFirst(l *lane, i int) {
	c := j.lattice.corners[i]
	at := j.crosses[c.cross].vector
	r := &j.refinements[i]
	*r = refinement{side: math.Inf(1)}
	for axis := range r.directions {
		for sign := int32(-1); sign <= 1; sign += 2 {
			if other, ok := j.placeOf(c.plus(steps[axis].times(sign))); ok {
				d := other.minus(at)
				r.side = min(r.side, d.length())
				r.directions[axis] = r.directions[axis].plus(d.unit().times(float64(sign)))
			}
		}
		r.directions[axis] = r.directions[axis].unit()
	}
	if sine := math.Abs(r.directions[0].cross(r.directions[1])); !math.IsNaN(sine) {
		r.radius = max(leastRadius, min(share*r.side*sine, mostRadius))
	}
	r.places[0], r.ways[0] = j.refineOnce(l, r, at)
}

// refineSecond is the second pass of a corner, which is the first one again, but with bent lines,
// where they are.
func (j *job) refineSecond(l *lane, i int) {
	r := &j.refinements[i]
	r.places[1] = r.places[0]
	bent := false
	for axis, step := range steps[:2] {
		off := 0.0
		r.bends[axis], off = j.bendAt(j.lattice.corners[i].cell, step)
		bent = bent || math.Abs(off) > leastBent
	}
	if !bent {
		r.bends = [2]float64{}
		return
	}
	r.places[1], r.ways[1] = j.refineOnce(l, r, r.places[0])
}

// bendAt returns the curvature of the line of a lattice through a corner, by three successive
// corners after the first pass, and by how many pixels the middle one is off the line through the
// others.
func (j *job) bendAt(c, step cell) (bend, off float64) {
	for _, middle := range [3]cell{c, c.plus(step), c.plus(step.back())} {
		p, ok1 := j.placed(middle.plus(step.back()))
		o, ok2 := j.placed(middle)
		q, ok3 := j.placed(middle.plus(step))
		if !ok1 || !ok2 || !ok3 {
			continue
		}
		chord := q.minus(p)
		u := chord.unit()
		off = u.cross(o.minus(p))
		before := u.dot(o.minus(p))
		after := chord.length() - before
		return -2 * off / (before * after), off
	}
	return 0, 0
}

// placed returns where the corner of a cell was after the first pass.
func (j *job) placed(c cell) (vector, bool) {
	s := j.lattice.lookup(c)
	if s.number != j.lattice.number || s.cross < 0 {
		return vector{}, false
	}
	return j.refinements[s.index].places[0], true
}

// refineOnce returns where two edges cross near a place.
func (j *job) refineOnce(l *lane, r *refinement, from vector) (vector, ending) {
	image := &j.levels[0]
	if r.radius > 0 {
		a, b := r.directions[0], r.directions[1]
		if place, ok := l.fit(image, from, r.radius, line{-a.y, a.x, r.bends[0]}, line{-b.y, b.x, r.bends[1]}); ok {
			r.deviation = l.equations.deviation()
			return place, fitted
		}
	}
	x, y, ok := l.saddle(image, from.x, from.y, max(2.5, min(share*r.side, mostWindow)), 20)
	if !ok || math.Abs(x-from.x) > mostOff*r.side || math.Abs(y-from.y) > mostOff*r.side {
		r.deviation = mostOff * r.side
		return from, stayed
	}
	r.deviation = searchedOff * r.side
	return vector{x, y}, searched
}
