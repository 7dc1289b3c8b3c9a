package calibrate

import (
	"math"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/rotation"
	"github.com/fastcorners/fast/internal/worker"
	"github.com/fastcorners/fast/pose"
)

// The functions of this package that solve use + - * / and math.Sqrt only, and round every product
// that is added, so that no compiler fuses the two. Sums over views are made in their order. That makes
// the results the same on every platform and for every number of workers.

const (
	poseSize    = 6 // a turn about the center of the board, and a shift
	bendSize    = 2
	maxColumns  = poseSize + poseSize + numFields + bendSize + 1 // the last one is the error
	maxProducts = maxColumns * (maxColumns + 1) / 2
)

// A solver is the memory of a call that solves for cameras and for the poses of boards that they see.
//
// The unknowns that all boards share are, in this order, the pose between two sensors, the fields of the
// sensors that are unknown, and the bend. Those of a board are its pose. The normal equations are solved
// by eliminating the poses first, one board at a time (Schur's complement).
type solver struct {
	sensors []sensor // one, or the two of a pair
	boards  int
	points  int // that the sensors see
	shared  int // the number of unknowns that all boards share
	huber   float64
	typical float64 // the deviation with the mean weight, 1
	extent  extent
	workers int
	lanes   worker.Lanes[solverLane]

	now, next *estimate
	step      []float64 // of the shared unknowns
	gradient  []float64
	reduced   []float64 // what remains of the normal equations
	factor    []float64 // of reduced
	steps     [][poseSize]float64
	gain      float64 // by which the steps would reduce the cost if the equations held
}

// A sensor is a camera that sees a view of each board.
type sensor struct {
	freedom
	views    []View
	relative bool  // its frame is moved by the pose between the sensors
	columns  []int // the shared unknowns on which its projections depend, in increasing order
}

// An extent is the rectangle of all points of the world, by its center and half of its sides. The zero
// value means that boards are flat.
type extent struct {
	x, y, halfX, halfY float64
}

// bulges returns by how much a point of the board rises by the two numbers of its bend.
func (e *extent) bulges(x *pose.Vector) (a, b float64) {
	u, v := (x[0]-e.x)/e.halfX, (x[1]-e.y)/e.halfY
	return 1 - float64(u*u), 1 - float64(v*v)
}

// extentOf returns the extent of the points of all views.
func extentOf(views []View) extent {
	low, high := views[0].World[0], views[0].World[0]
	for i := range views {
		for _, x := range views[i].World {
			for k := range 2 {
				low[k], high[k] = min(low[k], x[k]), max(high[k], x[k])
			}
		}
	}
	return extent{
		x: float64(low[0]/2) + float64(high[0]/2), halfX: float64(high[0]/2) - float64(low[0]/2),
		y: float64(low[1]/2) + float64(high[1]/2), halfY: float64(high[1]/2) - float64(low[1]/2),
	}
}

// A solverLane is the memory of a worker.
type solverLane struct {
	x, y     [maxColumns]float64 // the derivatives of the coordinates of a pixel, and their errors
	products [maxProducts]float64
	placer   placer
}

// An estimate is a value of all unknowns, with its cost and its normal equations.
type estimate struct {
	cameras [2]camera.Camera // of the sensors
	between pose.Pose        // from the frame of the first sensor to that of the second
	bend    [bendSize]float64
	poses   []pose.Pose // of the boards in the frame of the first sensor
	blocks  []block
	cost    float64
}

// A block is what a board contributes to the normal equations, and what its elimination leaves.
type block struct {
	cost   float64
	behind bool // a sensor does not see a point

	// With n shared unknowns, those of the n by n equations of these, and their right side; n rows of
	// products with the unknowns of the pose; and the equations of the pose and their right side.
	shared   []float64
	right    []float64
	mixed    []float64
	own      [poseSize * poseSize]float64
	ownRight [poseSize]float64

	// The factor of own, and the solutions of the equations that it makes of mixed and ownRight.
	factor    [poseSize * poseSize]float64
	solved    []float64
	ownSolved [poseSize]float64
}

// newSolver returns a solver for a sensor or a pair, which see views of the same boards. free are the unknown
// fields of each of them.
func newSolver(opts *Options, free freedom, views ...[]View) *solver {
	j := &solver{boards: len(views[0]), huber: opts.HuberThreshold}
	if len(views) > 1 {
		j.shared = poseSize
	}
	weights := 0.0
	for i, v := range views {
		s := sensor{freedom: free, views: v, relative: i > 0}
		if s.relative {
			for k := range poseSize {
				s.columns = append(s.columns, k)
			}
		}
		for range free.fields {
			s.columns = append(s.columns, j.shared)
			j.shared++
		}
		for b := range v {
			j.points += len(v[b].World)
			weights += v[b].weights()
		}
		j.sensors = append(j.sensors, s)
	}
	if opts.Bend {
		j.extent = extentOf(views[0])
		for i := range j.sensors {
			j.sensors[i].columns = append(j.sensors[i].columns, j.shared, j.shared+1)
		}
		j.shared += bendSize
	}
	j.typical = math.Sqrt(float64(j.points) / weights)
	j.workers = worker.For(opts.Workers, int64(j.points/sharePoints))
	j.lanes = worker.NewLanes("calibrate", func() *solverLane { return new(solverLane) })
	n := j.shared
	j.step, j.gradient = make([]float64, n), make([]float64, n)
	j.reduced, j.factor = make([]float64, n*n), make([]float64, n*n)
	j.steps = make([][poseSize]float64, j.boards)
	j.now, j.next = j.newEstimate(), j.newEstimate()
	return j
}

// weights returns the sum of the weights of all points.
func (v *View) weights() float64 {
	if v.Deviations == nil {
		return float64(len(v.World))
	}
	sum := 0.0
	for _, d := range v.Deviations {
		sum += 1 / float64(d*d)
	}
	return sum
}

// sharePoints is the number of points whose normal equations are worth a worker.
const sharePoints = 100

// newEstimate returns memory for an estimate.
func (j *solver) newEstimate() *estimate {
	e := &estimate{between: pose.Identity(), poses: make([]pose.Pose, j.boards), blocks: make([]block, j.boards)}
	n := j.shared
	size := n*n + n + 2*n*poseSize
	memory := make([]float64, j.boards*size)
	take := func(n int) []float64 {
		part := memory[:n:n]
		memory = memory[n:]
		return part
	}
	for i := range e.blocks {
		b := &e.blocks[i]
		b.shared, b.right, b.mixed, b.solved = take(n*n), take(n), take(n*poseSize), take(n*poseSize)
	}
	return e
}

// An evaluation is the work of the lanes of a solver on an estimate.
type evaluation struct {
	*solver
	*estimate
}

// evaluate computes the cost of e and its normal equations. It reports false if a point is not in front
// of a sensor, or the cost is not finite.
func (j *solver) evaluate(e *estimate) bool {
	worker.Each(evaluation{j, e}, &j.lanes, j.workers, j.boards, evaluation.board)
	e.cost = 0
	for i := range e.blocks {
		if e.blocks[i].behind {
			return false
		}
		e.cost += e.blocks[i].cost
	}
	return e.cost-e.cost == 0
}

// board computes the block of board i.
func (v evaluation) board(l *solverLane, i int) {
	b := &v.blocks[i]
	b.cost, b.behind = 0, false
	clear(b.shared)
	clear(b.right)
	clear(b.mixed)
	b.own, b.ownRight = [poseSize * poseSize]float64{}, [poseSize]float64{}
	for k := range v.sensors {
		if !v.see(l, b, i, k) {
			b.behind = true
			return
		}
	}
}

// see adds what sensor k sees of board i to its block. It reports false if the sensor does not see a
// point.
func (v evaluation) see(l *solverLane, b *block, i, k int) bool {
	s, c := &v.sensors[k], &v.cameras[k]
	view := &s.views[i]
	board := &v.poses[i]
	aspect := s.aspectOf(c)
	first := poseSize // of the columns of fields
	if s.relative {
		first += poseSize
	}
	bend := first + len(s.fields) // the first column of the bend, if there is one
	last := poseSize + len(s.columns)
	products := l.products[:(last+1)*(last+2)/2]
	clear(products)
	columnsX, columnsY := l.x[:last+1], l.y[:last+1]
	for n := range view.World {
		x := view.World[n]
		var riseA, riseB float64
		if bend < last {
			riseA, riseB = v.extent.bulges(&x)
			x[2] = float64(v.bend[0]*riseA) + float64(v.bend[1]*riseB)
		}
		arm := rotated(&board.R, &x)
		seen := arm.Add(board.T)
		var far pose.Vector
		if s.relative {
			far = rotated(&v.between.R, &seen)
			seen = far.Add(v.between.T)
		}
		d, ok := c.Derivatives(seen)
		if !ok {
			return false
		}
		for r, columns := range [2][]float64{columnsX, columnsY} {
			by := pose.Vector(d.Point[r]) // the derivatives by the point in the frame of the first sensor
			if s.relative {
				putTurn(columns[poseSize:], far, by)
				by = transposed(&v.between.R, by)
			}
			putTurn(columns, arm, by)
			s.derivatives(columns[first:], &d.Field[r], aspect)
			if bend < last {
				up := by.Dot(pose.Vector{board.R[2], board.R[5], board.R[8]})
				columns[bend], columns[bend+1] = float64(up*riseA), float64(up*riseB)
			}
		}
		ex, ey := d.Pixel.X-view.Image[n].X, d.Pixel.Y-view.Image[n].Y
		columnsX[last], columnsY[last] = ex, ey
		weight := 1.0 // the square root of it
		if view.Deviations != nil {
			weight = v.typical / view.Deviations[n]
		}
		squared := float64(weight * weight * (float64(ex*ex) + float64(ey*ey)))
		if h := v.huber; h > 0 && squared > float64(h*h) {
			e := math.Sqrt(squared)
			squared = float64(2*h*e) - float64(h*h)
			weight = float64(weight * math.Sqrt(h/e))
		}
		if weight != 1 {
			for m := range columnsX {
				columnsX[m], columnsY[m] = float64(columnsX[m]*weight), float64(columnsY[m]*weight)
			}
		}
		b.cost += squared
		accumulate(products, columnsX, columnsY)
	}
	b.add(products, s.columns)
	return true
}

// putTurn sets the columns of a pose to the derivatives of a coordinate by a turn of arm, the vector from
// the center of the turn to a point, and by a shift. by has the derivatives by the point.
func putTurn(columns []float64, arm, by pose.Vector) {
	turn := arm.Cross(by)
	_ = columns[5]
	columns[0], columns[1], columns[2] = turn[0], turn[1], turn[2]
	columns[3], columns[4], columns[5] = by[0], by[1], by[2]
}

// rotated returns r times v.
func rotated(r *pose.Rotation, v *pose.Vector) pose.Vector {
	return pose.Vector{
		float64(r[0]*v[0]) + float64(r[1]*v[1]) + float64(r[2]*v[2]),
		float64(r[3]*v[0]) + float64(r[4]*v[1]) + float64(r[5]*v[2]),
		float64(r[6]*v[0]) + float64(r[7]*v[1]) + float64(r[8]*v[2]),
	}
}

// transposed returns the transpose of r times v.
func transposed(r *pose.Rotation, v pose.Vector) pose.Vector {
	return pose.Vector{
		float64(v[0]*r[0]) + float64(v[1]*r[3]) + float64(v[2]*r[6]),
		float64(v[0]*r[1]) + float64(v[1]*r[4]) + float64(v[2]*r[7]),
		float64(v[0]*r[2]) + float64(v[1]*r[5]) + float64(v[2]*r[8]),
	}
}

// accumulate adds the products of all pairs of elements of x, and those of y, by the rows of the lower
// triangle. It takes two rows at a time, so that it loads x and y half as often.
func accumulate(products, x, y []float64) {
	y = y[:len(x)]
	a := 0
	for ; a+1 < len(x); a += 2 {
		upper, lower := products[:a+1:a+1], products[a+1:2*a+3]
		products = products[2*a+3:]
		x0, y0, x1, y1 := x[a], y[a], x[a+1], y[a+1]
		xs, ys := x[:len(upper)], y[:len(upper)]
		left := lower[:len(upper)]
		for b := range upper {
			xb, yb := xs[b], ys[b]
			upper[b] += float64(x0*xb) + float64(y0*yb)
			left[b] += float64(x1*xb) + float64(y1*yb)
		}
		lower[len(upper)] += float64(x1*x1) + float64(y1*y1)
	}
	if a < len(x) {
		for b := range products[:a+1] {
			products[b] += float64(x[a]*x[b]) + float64(y[a]*y[b])
		}
	}
}

// add adds the sums of products of a sensor whose columns, after those of the pose, are the given shared
// unknowns.
func (b *block) add(products []float64, columns []int) {
	n := len(b.right)
	for i := range poseSize {
		for k := range i + 1 {
			b.own[poseSize*i+k] += products[k]
		}
		products = products[i+1:]
	}
	for i, row := range columns {
		for k := range poseSize {
			b.mixed[poseSize*row+k] += products[k]
		}
		for k, column := range columns[:i+1] {
			b.shared[n*row+column] += products[poseSize+k]
		}
		products = products[poseSize+i+1:]
	}
	for k := range b.ownRight {
		b.ownRight[k] += products[k]
	}
	for k, column := range columns {
		b.right[column] += products[poseSize+k]
	}
}

// eliminate solves the equations of the pose, with their diagonal multiplied by 1 + damping. It reports
// false if they are singular.
func (b *block) eliminate(damping float64) bool {
	if !factor(b.factor[:], b.own[:], poseSize, damping, 1e-13) {
		return false
	}
	copy(b.solved, b.mixed)
	for k := 0; k < len(b.solved); k += poseSize {
		forward(b.factor[:], b.solved[k:k+poseSize])
	}
	b.ownSolved = b.ownRight
	forward(b.factor[:], b.ownSolved[:])
	return true
}

// subtract subtracts what the elimination of the pose takes from the n by n equations of the shared
// unknowns, and from their right side.
func (b *block) subtract(equations, right []float64) {
	n := len(right)
	row := func(i int) *[poseSize]float64 { return (*[poseSize]float64)(b.solved[poseSize*i:]) }
	for i := range n {
		r := row(i)
		for k := range i + 1 {
			equations[n*i+k] -= product(r, row(k))
		}
		right[i] -= product(r, &b.ownSolved)
	}
}

// product returns the scalar product of a and b.
func product(a, b *[poseSize]float64) float64 {
	sum := 0.0
	for k, v := range a {
		sum += float64(v * b[k])
	}
	return sum
}

// reduce sets the reduced equations, and their right side in j.gradient, to those of e, with all
// diagonals multiplied by 1 + damping. It reports false if they are singular because of a pose.
func (j *solver) reduce(e *estimate, damping float64) bool {
	n := j.shared
	clear(j.reduced)
	clear(j.gradient)
	for i := range e.blocks {
		b := &e.blocks[i]
		if !b.eliminate(damping) {
			return false
		}
		for k, v := range b.shared {
			j.reduced[k] += v
		}
		for k, v := range b.right {
			j.gradient[k] += v
		}
	}
	for k := range n {
		j.reduced[k*n+k] += float64(damping * j.reduced[k*n+k])
	}
	for i := range e.blocks {
		e.blocks[i].subtract(j.reduced, j.gradient)
	}
	return true
}

// solve computes the steps from e that its equations say with the given damping. It reports false if the
// equations are singular.
func (j *solver) solve(e *estimate, damping float64) bool {
	if !j.reduce(e, damping) || !j.regular() {
		return false
	}
	copy(j.step, j.gradient)
	forward(j.factor, j.step)
	backward(j.factor, j.step)
	j.gain = 0
	for k, v := range j.step {
		j.gain += float64(v * j.gradient[k])
		j.step[k] = -v
	}
	for i := range e.blocks {
		b, step := &e.blocks[i], &j.steps[i]
		for k, v := range b.ownSolved {
			j.gain += float64(v * v)
			step[k] = -v
		}
		for m, v := range j.step {
			for k, y := range b.solved[poseSize*m : poseSize*m+poseSize] {
				step[k] -= float64(y * v)
			}
		}
		backward(b.factor[:], step[:])
	}
	return true
}

// regular factors the reduced equations. It reports false if they are singular.
func (j *solver) regular() bool { return factor(j.factor, j.reduced, j.shared, 0, leastPivot) }

// leastPivot is the least pivot of a shared unknown, as a share of its element of the diagonal: others
// explain the unknown but for rounding if it is less.
const leastPivot = 1e-15

// move sets e to where the steps lead from another estimate. It reports false if there are no such
// cameras.
func (j *solver) move(e, from *estimate) bool {
	e.cameras, e.between, e.bend = from.cameras, from.between, from.bend
	step := j.step
	for k := range j.sensors {
		s := &j.sensors[k]
		if s.relative {
			e.between = moved(&from.between, (*[poseSize]float64)(step))
		}
	}
	if len(j.sensors) > 1 {
		step = step[poseSize:]
	}
	for k := range j.sensors {
		s := &j.sensors[k]
		s.move(&e.cameras[k], step)
		step = step[len(s.fields):]
		if e.cameras[k].Check() != nil {
			return false
		}
	}
	for k, v := range step { // what is left is the bend
		e.bend[k] += v
	}
	for i := range e.poses {
		e.poses[i] = moved(&from.poses[i], &j.steps[i])
	}
	return true
}

// moved returns p turned and shifted by a step.
func moved(p *pose.Pose, step *[poseSize]float64) pose.Pose {
	q := pose.Pose{R: rotation.Cayley([3]float64(step[:3]))}.Mul(*p)
	q.R = rotation.Orthonormal((*[9]float64)(&q.R))
	q.T = p.T.Add(pose.Vector(step[3:]))
	return q
}

// minimize moves j.now to a minimum of the cost by the method of Levenberg and Marquardt, and returns
// the number of steps. It reports false if there would have been more steps, or if a sensor does not see
// a point in the beginning.
func (j *solver) minimize(iterations int) (steps int, converged bool) {
	if !j.evaluate(j.now) {
		j.now.cost = math.Inf(1)
		return 0, false
	}
	damping := 1e-3
	for small := 0; steps < iterations; {
		steps++
		before := j.now.cost
		if !j.descend(&damping) {
			return steps, true
		}
		if gain := before - j.now.cost; gain < float64(1e-13*before) {
			small++
		} else {
			small = 0
		}
		if small == 2 || j.now.cost < float64(1e-20*float64(j.points)) {
			return steps, true
		}
		damping /= 30
		if damping < 1e-9 {
			damping = 0
		}
	}
	return steps, false
}

// descend makes a step that reduces the cost, with at least the given damping. It reports false if there
// is none.
func (j *solver) descend(damping *float64) bool {
	for *damping < 1e10 {
		if j.solve(j.now, *damping) {
			if j.move(j.next, j.now) && j.evaluate(j.next) && j.next.cost < j.now.cost {
				j.now, j.next = j.next, j.now
				return true
			}
			if j.gain < float64(rounding*j.now.cost) {
				return false
			}
		}
		*damping = max(*damping, 1e-9)
		if *damping > 1e-6 {
			*damping *= 10
		} else {
			*damping *= 1000
		}
	}
	return false
}

// rounding is by how much, in relation, a cost may differ because of rounding.
const rounding = 1e-14

// rms returns the root of the mean cost of a point, in pixels.
func (j *solver) rms(e *estimate) float64 { return math.Sqrt(e.cost / float64(j.points)) }

// variance returns that of a coordinate that the cost of e shows.
func (j *solver) variance(e *estimate) float64 {
	return e.cost / float64(max(1, 2*j.points-j.shared-poseSize*j.boards))
}

// world returns a point of a board as it is bent.
func (j *solver) world(e *estimate, x pose.Vector) pose.Vector {
	if j.extent != (extent{}) {
		a, b := j.extent.bulges(&x)
		x[2] = float64(e.bend[0]*a) + float64(e.bend[1]*b)
	}
	return x
}

// errors returns the distances from where sensor k sees the points of board i to their projections, and
// the number of points beyond the end of its camera.
func (j *solver) errors(e *estimate, k, i int) (errors []geometry.Point, beyond int) {
	view, c, at := &j.sensors[k].views[i], &e.cameras[k], e.poses[i]
	if j.sensors[k].relative {
		at = e.between.Mul(at)
	}
	seen := make([][3]float64, len(view.World))
	for n, x := range view.World {
		seen[n] = at.Apply(j.world(e, x))
	}
	errors, beyond = appendProjections(nil, c, seen)
	for n, p := range errors {
		errors[n] = geometry.Point{X: view.Image[n].X - p.X, Y: view.Image[n].Y - p.Y}
	}
	return errors, beyond
}

// appendProjections appends the projections of points to dst, also of those beyond the end of a camera,
// and returns their number. The coordinates of those that are not in front of it are NaN.
func appendProjections(dst []geometry.Point, c *camera.Camera, points [][3]float64) ([]geometry.Point, int) {
	n, beyond := len(dst), 0
	dst = c.AppendProjections(dst, points)
	for i, p := range dst[n:] {
		if p.X != p.X {
			beyond++
			if d, ok := c.Derivatives(points[i]); ok {
				dst[n+i] = d.Pixel
			}
		}
	}
	return dst, beyond
}
