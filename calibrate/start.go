package calibrate

import (
	"cmp"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/rotation"
	"github.com/fastcorners/fast/internal/worker"
	"github.com/fastcorners/fast/pose"
)

// A start is a camera from which the search begins.
type start struct {
	camera camera.Camera
	poses  []pose.Pose
	errors []float64 // the root mean square errors of the views, in pixels
	score  float64   // their median
}

// starts returns the cameras from which to begin, the best one first, with the poses of boards that the
// first sensor of a solver sees in images of the given size.
func (j *solver) starts(opts *Options, size image.Point) []start {
	if (opts.Start != camera.Camera{}) {
		return j.place(opts.Start)
	}
	var cameras []camera.Camera
	side := float64(max(size.X, size.Y))
	for f := float64(side * .15); f < side*12; f = float64(f * 1.2) {
		cameras = append(cameras, camera.Camera{Model: opts.Model, Fx: f, Fy: f, Cx: float64(size.X-1) / 2, Cy: float64(size.Y-1) / 2})
	}
	starts := j.place(cameras...)
	slices.SortStableFunc(starts, func(a, b start) int { return cmp.Compare(a.score, b.score) })
	// Neighbors of better ones lead to the same minimum.
	var apart []start
	for _, s := range starts {
		near := func(better start) bool {
			q := s.camera.Fx / better.camera.Fx
			return q > .65 && q < 1.55
		}
		if !slices.ContainsFunc(apart, near) {
			apart = append(apart, s)
		}
	}
	return apart
}

// place returns a start for each of the cameras for which there are poses of all boards.
func (j *solver) place(cameras ...camera.Camera) []start {
	starts := make([]start, len(cameras))
	for i, c := range cameras {
		starts[i] = start{camera: c, poses: make([]pose.Pose, j.boards), errors: make([]float64, j.boards)}
	}
	worker.Each(placing{j.sensors[0].views, starts}, &j.lanes, j.workers, j.boards, placing.board)
	starts = slices.DeleteFunc(starts, func(s start) bool { return slices.ContainsFunc(s.errors, func(e float64) bool { return !(e >= 0) }) })
	for i := range starts {
		s := &starts[i]
		slices.Sort(s.errors)
		s.score = s.errors[len(s.errors)/2]
	}
	return starts
}

// A placing is the work of the lanes of a solver that find the poses of boards for starts.
type placing struct {
	views  []View
	starts []start
}

// board finds the poses of board i. Its error is NaN if there is none.
func (p placing) board(l *solverLane, i int) {
	l.placer.begin(&p.views[i])
	for k := range p.starts {
		s := &p.starts[k]
		s.poses[i], s.errors[i] = l.placer.place(&s.camera)
	}
}

// A placer finds the pose of a flat board that a camera sees.
type placer struct {
	world    []pose.Vector // some of the points
	image    []geometry.Point
	x, y     float64 // their mean
	spread   float64
	products [][6]float64 // of x, y and 1: of world, from the mean, in units of the spread
	bearings [][3]float64 // of image
	seen     [][3]float64
	pixels   []geometry.Point
}

// begin takes up to 79 points of a view.
func (p *placer) begin(v *View) {
	stride := max(1, len(v.World)/40)
	p.world, p.image, p.products = p.world[:0], p.image[:0], p.products[:0]
	for k := 0; k < len(v.World); k += stride {
		p.world, p.image = append(p.world, v.World[k]), append(p.image, v.Image[k])
	}
	n := float64(len(p.world))
	p.x, p.y = 0, 0
	for i := range p.world {
		p.x += p.world[i][0]
		p.y += p.world[i][1]
	}
	p.x /= n
	p.y /= n
	sum := 0.0
	for i := range p.world {
		x, y := p.world[i][0]-p.x, p.world[i][1]-p.y
		sum += float64(x*x) + float64(y*y)
	}
	p.spread = math.Sqrt(sum / n)
	for i := range p.world {
		x, y := (p.world[i][0]-p.x)/p.spread, (p.world[i][1]-p.y)/p.spread
		p.products = append(p.products, [6]float64{float64(x * x), float64(x * y), x, float64(y * y), y, 1})
	}
}

// place returns the pose for a camera, and the root mean square error in pixels, or NaN if there is no
// pose. The method is the direct linear transform of bearings, which is the same for all models.
func (p *placer) place(c *camera.Camera) (pose.Pose, float64) {
	none := math.NaN()
	p.bearings = c.AppendBearings(p.bearings[:0], p.image)
	h, ok := p.homography()
	if !ok {
		return pose.Pose{}, none
	}
	h1, h2, h3 := pose.Vector{h[0], h[3], h[6]}, pose.Vector{h[1], h[4], h[7]}, pose.Vector{h[2], h[5], h[8]}
	n1, n2 := h1.Norm(), h2.Norm()
	// The orthogonal pair nearest to the two directions.
	h1, h2 = h1.Scale(1/n1), h2.Scale(1/n2)
	u, w := h1.Add(h2), h1.Sub(h2)
	nu, nw := u.Norm(), w.Norm()
	if !(nu > 1e-9 && nw > 1e-9) { // which NaN is not, of a direction 0
		return pose.Pose{}, none
	}
	u, w = u.Scale(1/nu), w.Scale(1/nw)
	r1, r2 := u.Add(w).Scale(math.Sqrt2/2), u.Sub(w).Scale(math.Sqrt2/2)
	r3 := r1.Cross(r2)
	q := pose.Pose{
		R: rotation.Orthonormal(&[9]float64{r1[0], r2[0], r3[0], r1[1], r2[1], r3[1], r1[2], r2[2], r3[2]}),
		T: h3.Scale(2 * p.spread / (n1 + n2)).Sub(r1.Scale(p.x)).Sub(r2.Scale(p.y)),
	}
	p.seen = raster.Resize(p.seen, len(p.world))
	for i := range p.seen {
		x, y := p.world[i][0], p.world[i][1] // z is 0
		p.seen[i][0] = float64(q.R[0]*x) + float64(q.R[1]*y) + q.T[0]
		p.seen[i][1] = float64(q.R[3]*x) + float64(q.R[4]*y) + q.T[1]
		p.seen[i][2] = float64(q.R[6]*x) + float64(q.R[7]*y) + q.T[2]
	}
	p.pixels, _ = appendProjections(p.pixels[:0], c, p.seen)
	sum := 0.0
	for i, at := range p.pixels {
		dx, dy := at.X-p.image[i].X, at.Y-p.image[i].Y
		sum += float64(dx*dx) + float64(dy*dy)
	}
	return q, math.Sqrt(sum / float64(len(p.pixels)))
}

// homography returns the matrix that maps points of the board, from their mean in units of the
// spread, to their bearings, by rows, with the board in front.
func (p *placer) homography() (h [9]float64, ok bool) {
	// A bearing b is parallel to what H makes of a point q: (I - bb')Hq is 0, and its square
	// is that of the elements of H by the products of I - bb' and qq'.
	var sums [6][6]float64
	var sides [9]float64 // the sums of products of b and q
	for i, b := range p.bearings {
		if b[0] != b[0] {
			continue
		}
		q := &p.products[i]
		x, y := q[2], q[4]
		u, v, w := b[0], b[1], b[2]
		sides[0] += float64(u * x)
		sides[1] += float64(u * y)
		sides[2] += u
		sides[3] += float64(v * x)
		sides[4] += float64(v * y)
		sides[5] += v
		sides[6] += float64(w * x)
		sides[7] += float64(w * y)
		sides[8] += w
		addScaled(&sums[0], 1-float64(u*u), q)
		addScaled(&sums[1], -float64(u*v), q)
		addScaled(&sums[2], -float64(u*w), q)
		addScaled(&sums[3], 1-float64(v*v), q)
		addScaled(&sums[4], -float64(v*w), q)
		addScaled(&sums[5], 1-float64(w*w), q)
	}
	places := [3][3]int{{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}
	var equations, l [81]float64
	total := 0.0
	for i := range 9 {
		for k := range i + 1 {
			equations[9*i+k] = sums[places[i/3][k/3]][places[i%3][k%3]]
		}
		total += equations[10*i]
	}
	for i := range 9 {
		equations[10*i] += float64(total * 1e-14)
	}
	if !factor(l[:], equations[:], 9, 0, 0) {
		return h, false
	}
	// Inverse iteration leads to the eigenvector of the least eigenvalue.
	for i := range h {
		h[i] = 1 / float64(3+i)
	}
	for range 5 {
		forward(l[:], h[:])
		backward(l[:], h[:])
		sum := 0.0
		for _, v := range h {
			sum += float64(v * v)
		}
		scale := 1 / math.Sqrt(sum)
		for i := range h {
			h[i] = float64(h[i] * scale)
		}
	}
	front := 0.0
	for i, v := range h {
		front += float64(v * sides[i])
	}
	if front < 0 {
		for i := range h {
			h[i] = -h[i]
		}
	}
	return h, front-front == 0
}

// addScaled adds s times v to sum.
func addScaled(sum *[6]float64, s float64, v *[6]float64) {
	sum[0] += float64(s * v[0])
	sum[1] += float64(s * v[1])
	sum[2] += float64(s * v[2])
	sum[3] += float64(s * v[3])
	sum[4] += float64(s * v[4])
	sum[5] += float64(s * v[5])
}
