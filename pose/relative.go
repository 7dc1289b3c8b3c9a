package pose

import "github.com/fastcorners/fast/camera"

const (
	// relativeSize is the number of pairs of a sample.
	relativeSize = 5
	// never is a sum of front that stays negative.
	never = -3 * relativeSize
)

// A relative is the problem of the essential matrix, for rays.
type relative struct {
	twoViews
	essentials  []matrix
	elimination eliminateRun
}

// set takes the rays of the pairs.
func (r *relative) set(p *pairs, cameraA, cameraB *camera.Camera, threshold float64) {
	a, b := threshold/focal(cameraA), threshold/focal(cameraB)
	r.twoViews.set(p.n, float64(a*a), float64(b*b))
	for k, i := range p.sorter.Order {
		a, b := p.raysA[i], p.raysB[i]
		r.place(k, a.X, a.Y, b.X, b.Y)
	}
}

func (r *relative) solve(dst []model, sample []int) []model {
	var a, b [7]Vector
	w := &r.run
	for i, k := range sample {
		a[i], b[i] = Vector{w.x[k], w.y[k], 1}, Vector{w.u[k], w.v[k], 1}
	}
	r.essentials = fivePoints(r.essentials[:0], &a, &b, &r.elimination)
	for i := range r.essentials {
		r1, r2, t, ok := poses(&r.essentials[i])
		if !ok {
			continue
		}
		best := &r1
		most, opposite := r.inFront(&r1, &t, sample)
		if n, o := r.inFront(&r2, &t, sample); n > most {
			best, most, opposite = &r2, n, o
		}
		if most >= 0 {
			if opposite {
				t = t.Scale(-1)
			}
			dst = append(dst, modelOf(Pose{orthonormal(best.matrix()), t}))
		}
	}
	return dst
}

// inFront returns the sum of front of the pairs of a sample, or -1 if one is 0: for t or, if that
// has more, for the opposite translation.
func (r *relative) inFront(rot *Rotation, t *Vector, sample []int) (most int, opposite bool) {
	far := 4 * (r.thresholdA + r.thresholdB)
	along, against := 0, 0
	for _, k := range sample {
		f, g := front(rot, t, r.run.x[k], r.run.y[k], r.run.u[k], r.run.v[k], far)
		if along += f; f == 0 {
			along = never
		}
		if against += g; g == 0 {
			against = never
		}
		if max(along, against) < 0 {
			return -1, false
		}
	}
	return max(along, against), against > along
}

func (r *relative) score(begin, end int, masks []byte) (count int, support float64) {
	return r.call(r.kernels.scoreEssential, begin, end, masks)
}

func (r *relative) sum(q *equations, n int, w weights, masks []byte) (count int, support, squares float64) {
	r.run.across[0], r.run.across[1] = across(r.run.model.pose.T)
	return r.callSum(r.kernels.sumEssential, q, essentialUnknowns, n, w, masks)
}

func (r *relative) step(q *equations, damping, factor float64) (model, float64, bool) {
	d, change, ok := q.step(5, 5, damping, factor)
	if !ok {
		return model{}, 0, false
	}
	p := &r.run.model.pose
	b1, b2 := across(p.T)
	t := p.T.Add(b1.Scale(d[3])).Add(b2.Scale(d[4])).unit()
	return modelOf(Pose{p.R.after(Vector{d[0], d[1], d[2]}), t}), change, true
}
