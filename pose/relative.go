package pose

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/consensus"
	"github.com/fastcorners/fast/internal/raster"
)

// relativeSize is the number of pairs of a sample.
const relativeSize = 5

// A twoViews has pairs of places in two images, in the frames in which an epipolar geometry is
// looked for, and its errors.
type twoViews struct {
	x, y, u, v []float64 // of A and of B

	thresholdA, thresholdB float64 // squared

	model          model   // that of score and sum
	limitA, limitB float64 // the squares of its errors
}

// set makes room for n pairs and sets the squared thresholds.
func (w *twoViews) set(n int, a, b float64) {
	w.x, w.y = raster.Resize(w.x, n), raster.Resize(w.y, n)
	w.u, w.v = raster.Resize(w.u, n), raster.Resize(w.v, n)
	w.thresholdA, w.thresholdB = a, b
}

func (w *twoViews) begin(m model, squared float64) {
	w.model = m
	w.limitA, w.limitB = float64(w.thresholdA*squared), float64(w.thresholdB*squared)
}

func (w *twoViews) dimensions() float64 { return 1 }

func (w *twoViews) determines(masks []byte, n int) bool {
	return spread(w.x, w.y, masks, n, w.thresholdA) && spread(w.u, w.v, masks, n, w.thresholdB)
}

// A relative is the problem of the essential matrix, for rays.
type relative struct {
	twoViews
	essentials []matrix
}

// front returns 2 for a pair that fits the epipolar geometry and is in front of both cameras, 1
// if it is so far away that nothing tells, within twice the threshold, and else 0.
func front(p *rigid, x, y, u, v, limit float64) int {
	m, t := &p.r, &p.t
	px, py, pz := float64(m[0]*x)+float64(m[1]*y)+m[2], float64(m[3]*x)+float64(m[4]*y)+m[5], float64(m[6]*x)+float64(m[7]*y)+m[8]
	alpha := float64(u*u) + float64(v*v) + 1
	beta := float64(u*px) + float64(v*py) + pz
	gamma := float64(x*x) + float64(y*y) + 1
	a := float64(t[0]*px) + float64(t[1]*py) + float64(t[2]*pz)
	b := float64(t[0]*u) + float64(t[1]*v) + t[2]
	if alpha*a < beta*b && beta*a < gamma*b {
		return 2
	}
	ag := float64(alpha * gamma)
	if beta > 0 && ag-float64(beta*beta) <= 4*limit*ag {
		return 1
	}
	return 0
}

func (r *relative) solve(dst []model, sample []int) []model {
	var a, b [7]Vector
	for i, k := range sample {
		a[i], b[i] = Vector{r.x[k], r.y[k], 1}, Vector{r.u[k], r.v[k], 1}
	}
	r.essentials = fivePoints(r.essentials[:0], &a, &b)
	for i := range r.essentials {
		e := &r.essentials[i]
		r1, r2, t, ok := poses(e)
		if !ok {
			continue
		}
		best, bestFront := -1, -1
		candidates := [4]rigid{{r1, t}, {r1, t.times(-1)}, {r2, t}, {r2, t.times(-1)}}
	next:
		for j := range candidates {
			strict := 0
			for _, k := range sample {
				f := front(&candidates[j], r.x[k], r.y[k], r.u[k], r.v[k], r.thresholdA+r.thresholdB)
				if f == 0 {
					continue next
				}
				strict += f
			}
			if strict > bestFront {
				best, bestFront = j, strict
			}
		}
		if best >= 0 {
			p := rigid{orthonormal(&candidates[best].r), candidates[best].t}
			dst = append(dst, model{essential(&p.r, p.t), p})
		}
	}
	return dst
}

func (r *relative) score(begin, end int, masks []byte) (count int, support float64) {
	e, g := &r.model.m, &r.model.g
	limitA, limitB := r.limitA, r.limitB
	for first := begin; first < end; first += consensus.Block {
		last := min(first+consensus.Block, end)
		xs, ys, us, vs := r.x[first:last], r.y[first:last], r.u[first:last], r.v[first:last]
		ys, us, vs = ys[:len(xs)], us[:len(xs)], vs[:len(xs)]
		mask := uint64(0)
		for i, x := range xs {
			y, u, v := ys[i], us[i], vs[i]
			lx, ly := float64(e[0]*x)+float64(e[1]*y)+e[2], float64(e[3]*x)+float64(e[4]*y)+e[5]
			mx, my := float64(e[0]*u)+float64(e[3]*v)+e[6], float64(e[1]*u)+float64(e[4]*v)+e[7]
			c := float64(u*lx) + float64(v*ly) + (float64(e[6]*x) + float64(e[7]*y) + e[8])
			cc := float64(c * c)
			d := float64(limitB*(float64(lx*lx)+float64(ly*ly))) + float64(limitA*(float64(mx*mx)+float64(my*my)))
			if cc <= d && front(g, x, y, u, v, limitA+limitB) > 0 {
				mask |= 1 << i
				if d > 0 {
					support += 1 - cc/d
				}
			}
		}
		count += bits.OnesCount64(mask)
		binary.LittleEndian.PutUint64(masks[first/8:], mask)
	}
	return count, support
}

func (r *relative) sum(q *equations, n int, flat, steep float64, masks []byte) (count int, support, squares float64) {
	*q = equations{}
	e, rot := &r.model.m, &r.model.g.r
	b1, b2 := across(r.model.g.t)
	limitA, limitB := r.limitA, r.limitB
	clear(masks[:consensus.MaskSize(n)])
	for i := range n {
		x, y, u, v := r.x[i], r.y[i], r.u[i], r.v[i]
		l := Vector{float64(e[0]*x) + float64(e[1]*y) + e[2], float64(e[3]*x) + float64(e[4]*y) + e[5], float64(e[6]*x) + float64(e[7]*y) + e[8]}
		k := Vector{float64(e[0]*u) + float64(e[3]*v) + e[6], float64(e[1]*u) + float64(e[4]*v) + e[7], float64(e[2]*u) + float64(e[5]*v) + e[8]}
		c := float64(u*l[0]) + float64(v*l[1]) + l[2]
		cc := float64(c * c)
		d := float64(limitB*(float64(l[0]*l[0])+float64(l[1]*l[1]))) + float64(limitA*(float64(k[0]*k[0])+float64(k[1]*k[1])))
		if !(cc <= d && d > 0 && front(&r.model.g, x, y, u, v, limitA+limitB) > 0) {
			continue
		}
		masks[i/8] |= 1 << (i % 8)
		count++
		gain := 1 - cc/d
		support += gain
		squares += float64(gain * gain)
		w := flat + float64(steep*gain*gain)
		// The residual is c/sqrt(d): its derivative is (dc - c/(2d) dd) / sqrt(d).
		inverse := 1 / math.Sqrt(d)
		f := c / d
		fb, fa := float64(f*limitB), float64(f*limitA)
		var j [relativeSize]float64
		// Turns: the change of l is E (e x a), with a = (x, y, 1), and that of k is k x e.
		j[0] = (float64(y*k[2]) - k[1]) - float64(fb*(float64(l[0]*(float64(e[2]*y)-e[1]))+float64(l[1]*(float64(e[5]*y)-e[4])))) - float64(fa*(k[1]*k[2]))
		j[1] = (k[0] - float64(x*k[2])) - float64(fb*(float64(l[0]*(e[0]-float64(e[2]*x)))+float64(l[1]*(e[3]-float64(e[5]*x))))) + float64(fa*(k[0]*k[2]))
		j[2] = (float64(x*k[1]) - float64(y*k[0])) - float64(fb*(float64(l[0]*(float64(e[1]*x)-float64(e[0]*y)))+float64(l[1]*(float64(e[4]*x)-float64(e[3]*y)))))
		// j[2]: the change of k is (k1, -k0, 0), across k: none of its length.
		p := Vector{float64(rot[0]*x) + float64(rot[1]*y) + rot[2], float64(rot[3]*x) + float64(rot[4]*y) + rot[5], float64(rot[6]*x) + float64(rot[7]*y) + rot[8]}
		g := Vector{p[1] - float64(p[2]*v), float64(p[2]*u) - p[0], float64(p[0]*v) - float64(p[1]*u)} // p x (u, v, 1)
		for s, b := range [2]Vector{b1, b2} {
			lx, ly := float64(b[1]*p[2])-float64(b[2]*p[1]), float64(b[2]*p[0])-float64(b[0]*p[2]) // b x p
			h := Vector{float64(v*b[2]) - b[1], b[0] - float64(u*b[2]), float64(u*b[1]) - float64(v*b[0])}
			kx, ky := float64(rot[0]*h[0])+float64(rot[3]*h[1])+float64(rot[6]*h[2]), float64(rot[1]*h[0])+float64(rot[4]*h[1])+float64(rot[7]*h[2])
			j[3+s] = float64(b[0]*g[0]) + float64(b[1]*g[1]) + float64(b[2]*g[2]) - float64(fb*(float64(l[0]*lx)+float64(l[1]*ly))) - float64(fa*(float64(k[0]*kx)+float64(k[1]*ky)))
		}
		residual := float64(c * inverse)
		for s := range j {
			j[s] = float64(j[s] * inverse)
		}
		for s := range j {
			ws := float64(w * j[s])
			for t := s; t < 5; t++ {
				q.a[s][t] += float64(ws * j[t])
			}
			q.b[s] -= float64(ws * residual)
		}
	}
	return count, support, squares
}

func (r *relative) step(q *equations, damping, factor float64) (model, float64, bool) {
	m := &r.model
	d, ok := q.solve(5, damping)
	if !ok {
		return model{}, 0, false
	}
	change := 0.0
	for i := range 5 {
		d[i] = float64(d[i] * factor)
		change = max(change, math.Abs(d[i]))
	}
	if !(change < 1e6) {
		return model{}, 0, false
	}
	b1, b2 := across(m.g.t)
	rot := turned(&m.g.r, Vector{d[0], d[1], d[2]})
	t := m.g.t.plus(b1.times(d[3])).plus(b2.times(d[4])).unit()
	return model{essential(&rot, t), rigid{rot, t}}, change, true
}

// findRelative is Relative without the checks.
func (j *job) findRelative(opts *Options, cameraA, cameraB *Camera, g given) (Motion, error) {
	j.begin(opts, relativeSize, g)
	for i, p := range g.a {
		q := g.b[i]
		if !consensus.Usable(p.X, p.Y) || !consensus.Usable(q.X, q.Y) {
			continue
		}
		_, _, okA := cameraA.ray(p)
		_, _, okB := cameraB.ray(q)
		if okA && okB {
			j.add(consensus.NewHash(p.X).With(p.Y).With(q.X).With(q.Y), i)
		}
	}
	if !j.sort() {
		return Motion{}, ErrPairs
	}
	r := &j.relative
	j.problem = r
	a, b := j.opts.InlierThreshold/cameraA.focal(), j.opts.InlierThreshold/cameraB.focal()
	r.set(j.n, float64(a*a), float64(b*b))
	for k, i := range j.sorter.Order {
		r.x[k], r.y[k], _ = cameraA.ray(g.a[i])
		r.u[k], r.v[k], _ = cameraB.ray(g.b[i])
	}
	best, err := j.search()
	if err != nil {
		return Motion{}, err
	}
	best = j.polish(best)
	if err := j.judge(best); err != nil {
		return Motion{}, err
	}
	return j.classify(best), nil
}
