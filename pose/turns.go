package pose

import "math"

const (
	// turnRounds is the number of refits of a rotation, at most.
	turnRounds = 10
	// planeTries is how many planes are tried with planeTests inliers, at most.
	planeTries, planeTests = 20, 64
)

// refineTurn refines the rotation that alone explains most inliers, by Gauss and Newton's method with
// weights, and returns it with the number of inliers that it explains.
func (r *relative) refineTurn(rot Rotation, inliers []byte) (Rotation, int) {
	for range turnRounds {
		q, _ := r.turnEquations(&rot, inliers, 4)
		d, ok := q.solve(3, 0)
		if !ok {
			break
		}
		rot = rot.then(Vector{d[0], d[1], d[2]})
		if max(math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2])) <= converged {
			break
		}
	}
	_, count := r.turnEquations(&rot, inliers, 1)
	return rot, count
}

// turnEquations returns the equations for a better rotation, and the number of inliers that it
// explains.
func (r *relative) turnEquations(rot *Rotation, inliers []byte, squared float64) (equations, int) {
	var q equations
	g, limit := Pose{R: *rot}, float64((r.thresholdB+r.thresholdA)*squared)
	count := 0
	for i := range members(inliers) {
		a, m := r.turnError(&g, i, limit)
		if !(m <= 1) {
			continue
		}
		count++
		w := float64((1 - m) * (1 - m))
		x0, x1, x2, y0, y1, y2 := turnSlopes(a.px, a.py, a.px, a.py, 1, 1, 1)
		jx, jy := [3]float64{x0, x1, x2}, [3]float64{y0, y1, y2}
		for s := range 3 {
			for t := s; t < 3; t++ {
				q.a[s][t] += float64(w * (float64(jx[s]*jx[t]) + float64(jy[s]*jy[t])))
			}
			q.b[s] += float64(w * (float64(jx[s]*a.dx) + float64(jy[s]*a.dy)))
		}
	}
	return q, count
}

// turnError returns where a rotation takes the ray of pair i, from which that of B is a distance away,
// and the square of this distance as a share of a limit: infinity if that is behind the camera.
func (r *relative) turnError(g *Pose, i int, limit float64) (a appearance, share float64) {
	w := &r.run
	b := sighting{w.u[i], w.v[i], 1, 1}
	a, ok := b.appearance(g, &Vector{w.x[i], w.y[i], 1})
	if !ok {
		return a, math.Inf(1)
	}
	return a, (float64(a.dx*a.dx) + float64(a.dy*a.dy)) / limit
}

// keepTurned removes from inliers those that a rotation does not explain.
func (r *relative) keepTurned(rot *Rotation, inliers []byte, squared float64) {
	g, limit := Pose{R: *rot}, float64((r.thresholdB+r.thresholdA)*squared)
	for i := range members(inliers) {
		if _, share := r.turnError(&g, i, limit); !(share <= 1) {
			inliers[i/8] &^= 1 << (i % 8)
		}
	}
}

// turnOfTwo returns the rotation that two inliers show, if there is one that explains more than half
// of some of them, and rot does not. Where there is no translation, a rotation that is far from the
// right one may explain nearly as many pairs with one.
func (r *relative) turnOfTwo(rot *Rotation, inliers []int) (Rotation, bool) {
	some := inliers[:min(len(inliers), planeTests)]
	if r.turnsHalf(rot, some) {
		return Rotation{}, false
	}
	for k := 0; k+1 < len(some) && k < 2*planeTries; k += 2 { // the order is random
		p, u := r.rays(some[k])
		q, v := r.rays(some[k+1])
		from, to := frameOf(p, q), frameOf(u, v)
		to = to.inverse()
		if m := to.mul(&from); r.turnsHalf(&m, some) {
			return m, true
		}
	}
	return Rotation{}, false
}

// turnsHalf reports whether a rotation explains more than half of some pairs.
func (r *relative) turnsHalf(rot *Rotation, some []int) bool {
	g, limit := Pose{R: *rot}, 4*(r.thresholdA+r.thresholdB)
	far := 0
	for i := 0; i < len(some) && 2*far < len(some); i++ {
		if _, share := r.turnError(&g, some[i], limit); !(share <= 1) {
			far++
		}
	}
	return 2*far < len(some)
}

// frameOf returns the rotation that takes p to the direction of x, and q to that of y or near to it.
func frameOf(p, q Vector) Rotation {
	x := p.unit()
	z := p.Cross(q).unit()
	y := z.Cross(x)
	return Rotation{x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]}
}
