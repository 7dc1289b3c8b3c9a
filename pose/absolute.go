package pose

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/internal/consensus"
	"github.com/fastcorners/fast/internal/raster"
)

const (
	// absoluteSize is the number of points of a sample.
	absoluteSize = 3
	// leastSpread is the least standard deviation of points across a line in the image, in thresholds.
	leastSpread = 0.25
)

// An absolute is the problem of the pose of a camera that sees known points.
type absolute struct {
	points []Vector  // of the world, minus center, times scale, so that they are about 1 in size
	u, v   []float64 // the rays
	fx, fy float64   // the focal lengths in thresholds
	center Vector
	scale  float64
	poses  []Pose

	pose    Pose    // of setModel
	squared float64 // the largest squared error of an inlier
}

// set takes the points and the rays of the pairs. It reports false if all points are one.
func (p *absolute) set(given *pairs, c *camera.Camera, threshold float64) bool {
	order := given.sorter.Order
	low, high := given.world[order[0]], given.world[order[0]]
	for _, i := range order {
		for k, c := range given.world[i] {
			low[k], high[k] = min(low[k], c), max(high[k], c)
		}
	}
	side := high.Sub(low)
	size := max(side[0], side[1], side[2])
	if size == 0 {
		return false
	}
	_, exponent := math.Frexp(size)
	p.center, p.scale = low.Add(high).Scale(0.5), math.Ldexp(1, -exponent)
	p.fx, p.fy = c.Fx/threshold, c.Fy/threshold
	n := given.n
	p.points, p.u, p.v = raster.Resize(p.points, n), raster.Resize(p.u, n), raster.Resize(p.v, n)
	for k, i := range order {
		p.points[k] = given.world[i].Sub(p.center).Scale(p.scale)
		p.u[k], p.v[k] = given.raysB[i].X, given.raysB[i].Y
	}
	return true
}

// inWorld returns what a pose is for the points that were given.
func (p *absolute) inWorld(pose Pose) Pose {
	pose.T = pose.T.Scale(1 / p.scale).Sub(pose.R.apply(p.center))
	return pose
}

func (p *absolute) setModel(m model, squared float64) { p.pose, p.squared = m.pose, squared }

func (p *absolute) dimensions() float64 { return 2 }

func (p *absolute) spreadOut(inliers []byte) bool {
	return widthExceeds(p.u, p.v, inliers, float64(leastSpread*leastSpread*(1/float64(p.fx*p.fx)+1/float64(p.fy*p.fy))/2))
}

// extent returns the center of the inliers, the axes in which they extend, most first, and their
// standard deviations along these.
func (p *absolute) extent(inliers []byte) (center Vector, axes [3]Vector, sizes Vector) {
	n := 0.0
	for i := range members(inliers) {
		center = center.Add(p.points[i])
		n++
	}
	center = center.Scale(1 / n)
	var m moments
	for i := range members(inliers) {
		d := p.points[i].Sub(center)
		m.add(&d)
	}
	axes, sizes = m.extent(n)
	return center, axes, sizes
}

// errorOf returns the root of the mean squared error of the inliers, in thresholds: infinity if one of
// them is not in front of the camera.
func (p *absolute) errorOf(g *Pose, inliers []byte) float64 {
	n, sum := 0, 0.0
	for i := range members(inliers) {
		s := sighting{p.u[i], p.v[i], p.fx, p.fy}
		a, ok := s.appearance(g, &p.points[i])
		if !ok {
			return math.Inf(1)
		}
		sum += float64(a.dx*a.dx) + float64(a.dy*a.dy)
		n++
	}
	return math.Sqrt(sum / float64(n))
}

func (p *absolute) solve(dst []model, sample []int) []model {
	var d, x [7]Vector
	for i, k := range sample {
		u, v := p.u[k], p.v[k]
		s := 1 / math.Sqrt(float64(u*u)+float64(v*v)+1)
		d[i], x[i] = Vector{float64(u * s), float64(v * s), s}, p.points[k]
	}
	p.poses = threePoints(p.poses[:0], &d, &x)
	for _, q := range p.poses {
		dst = append(dst, model{pose: q})
	}
	return dst
}

func (p *absolute) score(begin, end int, masks []byte) (count int, support float64) {
	r, t := &p.pose.R, &p.pose.T
	for first := begin; first < end; first += consensus.Block {
		last := min(first+consensus.Block, end)
		us, vs, points := p.u[first:last], p.v[first:last], p.points[first:last]
		vs, points = vs[:len(us)], points[:len(us)]
		mask := uint64(0)
		for i, u := range us {
			x := &points[i]
			z := float64(r[6]*x[0]) + float64(r[7]*x[1]) + float64(r[8]*x[2]) + t[2]
			ex := float64((float64(r[0]*x[0]) + float64(r[1]*x[1]) + float64(r[2]*x[2]) + t[0] - float64(u*z)) * p.fx)
			ey := float64((float64(r[3]*x[0]) + float64(r[4]*x[1]) + float64(r[5]*x[2]) + t[1] - float64(vs[i]*z)) * p.fy)
			d := float64(ex*ex) + float64(ey*ey)
			if w := float64(z * z * p.squared); z > 0 && d <= w {
				mask |= 1 << i
				support += 1 - d/w
			}
		}
		count += bits.OnesCount64(mask)
		binary.LittleEndian.PutUint64(masks[first/8:], mask)
	}
	return count, support
}

func (p *absolute) sum(q *equations, n int, w weights, masks []byte) (count int, support, squares float64) {
	*q = equations{}
	r, t := &p.pose.R, &p.pose.T
	clear(masks[:consensus.MaskSize(n)])
	for i := range n {
		x := &p.points[i]
		rx := Vector{float64(r[0]*x[0]) + float64(r[1]*x[1]) + float64(r[2]*x[2]), float64(r[3]*x[0]) + float64(r[4]*x[1]) + float64(r[5]*x[2]), float64(r[6]*x[0]) + float64(r[7]*x[1]) + float64(r[8]*x[2])}
		z := rx[2] + t[2]
		if !(z > 0) {
			continue
		}
		inverse := 1 / z
		px, py := float64((rx[0]+t[0])*inverse), float64((rx[1]+t[1])*inverse)
		dx, dy := float64((p.u[i]-px)*p.fx), float64((p.v[i]-py)*p.fy)
		d := (float64(dx*dx) + float64(dy*dy)) / p.squared
		if !(d <= 1) {
			continue
		}
		masks[i/8] |= 1 << (i % 8)
		count++
		gain := 1 - d
		support += gain
		squares += float64(gain * gain)
		weight := w.constant + float64(w.factor*gain*gain)
		// Turns about the origin of the world, and then shifts.
		fx, fy := float64(p.fx*inverse), float64(p.fy*inverse)
		x0, x1, x2, y0, y1, y2 := turnSlopes(px, py, rx[0], rx[1], rx[2], fx, fy)
		jx := [6]float64{x0, x1, x2, fx, 0, float64(-px * fx)}
		jy := [6]float64{y0, y1, y2, 0, fy, float64(-py * fy)}
		for s := range 6 {
			wx, wy := float64(weight*jx[s]), float64(weight*jy[s])
			for k := s; k < 6; k++ {
				q.a[s][k] += float64(wx*jx[k]) + float64(wy*jy[k])
			}
			q.b[s] += float64(wx*dx) + float64(wy*dy)
		}
	}
	return count, support, squares
}

func (p *absolute) step(q *equations, damping, factor float64) (model, float64, bool) {
	d, change, ok := q.step(6, 3, damping, factor)
	if !ok {
		return model{}, 0, false
	}
	shift := Vector{d[3], d[4], d[5]}
	moved := p.pose.T.Add(shift)
	change = max(change, shift.Norm()/max(moved.Norm(), 1e-300))
	return model{pose: Pose{p.pose.R.then(Vector{d[0], d[1], d[2]}), moved}}, change, true
}
