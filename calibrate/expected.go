package calibrate

import (
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
	"github.com/fastcorners/fast/pose"
)

// An expected is a corner of a board of which markers say where it is.
type expected struct {
	cell
	sight
	world     pose.Vector // on the board
	id        int
	contrast  float64 // of the fit, positive if light and dark are where they should be
	residual  float64 // the root mean square of what the fit leaves
	deviation float64 // of the place from where markers have it
	refused   bool
}

const (
	// mostDeviation is how far a corner may be from where markers have it, in distances of the next one.
	mostDeviation = 0.15
	// mostResidual is the largest residual, in contrasts.
	mostResidual = 0.3
	// leastHalf and mostHalf are the least and the largest contrast, half the difference of light and dark. It
	// seems larger than it is where edges are blurred.
	leastHalf = 3
	mostHalf  = 255
	// timesContrast is the factor by which it may differ from what is usual.
	timesContrast = 3
	// moreDeviation is by how many pixels a corner may be farther from where markers have it than
	// timesDeviation times what is usual.
	moreDeviation  = 0.5
	timesDeviation = 6
	// moreResidual is by how many contrasts a residual may be larger than what is usual, and moreResidualFirst
	// the same after the first pass, in which lines are straight.
	moreResidual      = 0.08
	moreResidualFirst = 0.2
)

// expect returns a job that has begun with an image of a board with markers.
func (f *Finder) expect(img *image.Gray) *job {
	f.check()
	p := raster.NewPlane("calibrate", img)
	p.RequireSize("calibrate")
	j := f.pool.Get().(*job)
	j.memory[0] = level{p, 1, 1}
	j.levels = j.memory[:1]
	j.expected, j.refinements = j.expected[:0], j.refinements[:0]
	j.lattice.reset()
	return j
}

// addExpected adds a corner, of which only the given part of the distance to the next one looks like two edges
// that cross.
func (j *job) addExpected(e expected, reach float64) {
	r := refinement{side: e.side(), directions: [2]vector{e.right.unit(), e.down.unit()}}
	sine := math.Abs(r.directions[0].cross(r.directions[1]))
	r.radius = max(leastRadius, min(reach*r.side*sine, mostRadius))
	j.lattice.add(corner{e.cell, int32(len(j.expected)), notTurned})
	j.lattice.slot(e.cell).index = int32(len(j.expected))
	j.expected = append(j.expected, e)
	j.refinements = append(j.refinements, r)
}

// findExpected finds the corners, by two passes as those of refine.
func (j *job) findExpected() {
	n := len(j.expected)
	workers := worker.For(j.finder.opts.Workers, int64(n)/refineShare)
	worker.Each(j, &j.lanes, workers, n, (*job).fitExpected)
	j.judge(moreResidualFirst)
	worker.Each(j, &j.lanes, workers, n, (*job).refineExpected)
	j.judge(moreResidual)
}

// appendExpected appends the corners that were found to world, points and ids, in an image whose upper left pixel has
// the given coordinates.
func (j *job) appendExpected(world []pose.Vector, points []geometry.Point, ids []int, origin image.Point) ([]pose.Vector, []geometry.Point, []int, error) {
	err := ErrNoBoard
	for i := range j.expected {
		if e := &j.expected[i]; !e.refused {
			at := j.refinements[i].places[1]
			world = append(world, e.world)
			points = append(points, geometry.Point{X: at.x + float64(origin.X), Y: at.y + float64(origin.Y)})
			ids = append(ids, e.id)
			err = nil
		}
	}
	return world, points, ids, err
}

// fitExpected is the first pass of a corner. What markers say takes the place of its neighbors.
func (j *job) fitExpected(l *lane, i int) {
	r, e := &j.refinements[i], &j.expected[i]
	a, b := r.directions[0], r.directions[1]
	place, ok := l.fit(&j.levels[0], e.place, r.radius, line{nx: -a.y, ny: a.x}, line{nx: -b.y, ny: b.x})
	r.places = [2]vector{place, place}
	j.assess(l, i, ok)
}

// refineExpected is the second pass.
func (j *job) refineExpected(l *lane, i int) {
	if j.expected[i].refused {
		return
	}
	j.refineSecond(l, i)
	if way := j.refinements[i].ways[1]; way != omitted {
		j.assess(l, i, way == fitted)
	}
}

// assess sets what the last fit says of a corner, and refuses it if that failed or is far off.
func (j *job) assess(l *lane, i int, ok bool) {
	e, r, image := &j.expected[i], &j.refinements[i], &j.levels[0]
	at := r.places[1]
	e.contrast = -l.fitRun.contrast * e.slope
	e.deviation = at.minus(e.place).length()
	inside := at.x >= 0 && at.y >= 0 && at.x <= float64(image.W-1) && at.y <= float64(image.H-1)
	if !ok || !inside || !(e.contrast >= leastHalf && e.contrast <= mostHalf) || !(e.deviation <= mostDeviation*r.side) {
		e.refused = true
		return
	}
	e.residual = math.Sqrt(l.equations.variance)
	e.refused = !(e.residual <= mostResidual*e.contrast)
}

// judge refuses corners that are farther from where they are expected than a lens explains, or look less like two
// edges than noise explains: something is in front of them. What is usual is what a quarter of the corners is
// below, as many may be hidden.
func (j *job) judge(more float64) {
	deviation := moreDeviation + float64(timesDeviation*j.usual(func(e *expected) float64 { return e.deviation }))
	residual := j.usual(func(e *expected) float64 { return e.residual })
	contrast := j.usual(func(e *expected) float64 { return e.contrast })
	for i := range j.expected {
		e := &j.expected[i]
		if e.deviation > deviation || e.residual > residual+float64(more*e.contrast) ||
			e.contrast > timesContrast*contrast || contrast > timesContrast*e.contrast {
			e.refused = true
		}
		if e.refused {
			j.lattice.slot(e.cell).cross = -1
		}
	}
}

// usual returns the value that a quarter of those of the corners is below.
func (j *job) usual(of func(e *expected) float64) float64 {
	j.values = j.values[:0]
	for i := range j.expected {
		if e := &j.expected[i]; !e.refused {
			j.values = append(j.values, of(e))
		}
	}
	if len(j.values) == 0 {
		return 0
	}
	slices.Sort(j.values)
	return j.values[len(j.values)/4]
}
