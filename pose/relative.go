package pose

import (
	"math"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/internal/consensus"
	"github.com/fastcorners/fast/internal/raster"
)

const (
	// relativeSize is the number of pairs of a sample.
	relativeSize = 5
	// never is a sum of front that stays negative.
	never = -3 * relativeSize
)

// A twoViews has pairs of places in two images, in the frames in which an epipolar geometry is
// looked for, and its errors.
type twoViews struct {
	run
	kernels *kernels

	thresholdA, thresholdB float64 // squared
}

// set makes room for n pairs and sets the squared thresholds. NaN fill up the last group.
func (w *twoViews) set(n int, a, b float64) {
	w.kernels = table.Best()
	filled := (n + lanes - 1) / lanes * lanes
	for _, s := range [4]*[]float64{&w.x, &w.y, &w.u, &w.v} {
		*s = raster.Resize(*s, filled)
		for i := n; i < filled; i++ {
			(*s)[i] = math.NaN()
		}
	}
	w.thresholdA, w.thresholdB = a, b
}

func (w *twoViews) begin(m model, squared float64) {
	w.model = m
	w.limitA, w.limitB = float64(w.thresholdA*squared), float64(w.thresholdB*squared)
	w.far = 4 * (w.limitA + w.limitB)
}

// call calls a kernel for pairs from begin, a multiple of consensus.Block, to end, and returns
// the number of inliers and the sum of their gains.
func (w *twoViews) call(kernel func(*run), begin, end int, masks []byte) (count int, support float64) {
	r := &w.run
	r.begin, r.end, r.masks = begin, (end+lanes-1)/lanes*lanes, masks
	r.support = [lanes]float64{}
	clear(masks[r.end/lanes : consensus.MaskSize(end)])
	kernel(r)
	return consensus.Count(masks[begin/lanes : consensus.MaskSize(end)]), total(&r.support)
}

// callSum calls a kernel that adds to the sums for the first n pairs, and sets the equations.
func (w *twoViews) callSum(kernel func(*run), q *equations, unknowns, n int, flat, steep float64, masks []byte) (count int, support, squares float64) {
	r := &w.run
	r.flat, r.steep = flat, steep
	r.squares = [lanes]float64{}
	clear(r.sums[:unknowns*(unknowns+3)/2])
	count, support = w.call(kernel, 0, n, masks)
	r.equations(q, unknowns)
	return count, support, total(&r.squares)
}

func (w *twoViews) dimensions() float64 { return 1 }

func (w *twoViews) determines(masks []byte, n int) bool {
	return spread(w.x, w.y, masks, n, w.thresholdA) && spread(w.u, w.v, masks, n, w.thresholdB)
}

// A relative is the problem of the essential matrix, for rays.
type relative struct {
	twoViews
	essentials []matrix
	cubics     cubics
}

func (r *relative) solve(dst []model, sample []int) []model {
	var a, b [7]Vector
	for i, k := range sample {
		a[i], b[i] = Vector{r.x[k], r.y[k], 1}, Vector{r.u[k], r.v[k], 1}
	}
	r.essentials = fivePoints(r.essentials[:0], &a, &b, &r.cubics)
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
	ahead, behind := 0, 0
	for _, k := range sample {
		f, g := front(rot, t, r.x[k], r.y[k], r.u[k], r.v[k], far)
		if ahead += f; f == 0 {
			ahead = never
		}
		if behind += g; g == 0 {
			behind = never
		}
		if max(ahead, behind) < 0 {
			return -1, false
		}
	}
	return max(ahead, behind), behind > ahead
}

func (r *relative) score(begin, end int, masks []byte) (count int, support float64) {
	return r.call(r.kernels.scoreEssential, begin, end, masks)
}

func (r *relative) sum(q *equations, n int, flat, steep float64, masks []byte) (count int, support, squares float64) {
	r.across[0], r.across[1] = across(r.model.pose.T)
	return r.callSum(r.kernels.sumEssential, q, essentialUnknowns, n, flat, steep, masks)
}

func (r *relative) step(q *equations, damping, factor float64) (model, float64, bool) {
	m := &r.model
	d, change, ok := q.step(5, 5, damping, factor)
	if !ok {
		return model{}, 0, false
	}
	b1, b2 := across(m.pose.T)
	rot := m.pose.R.after(Vector{d[0], d[1], d[2]})
	t := m.pose.T.Add(b1.Scale(d[3])).Add(b2.Scale(d[4])).unit()
	return modelOf(Pose{rot, t}), change, true
}

// findRelative is Relative without the checks.
func (j *job) findRelative(opts *Options, cameraA, cameraB *camera.Camera, g given) (Motion, error) {
	j.begin(opts, relativeSize, g)
	j.raysA, j.raysB = cameraA.AppendRays(j.raysA[:0], g.a), cameraB.AppendRays(j.raysB[:0], g.b)
	for i, p := range g.a {
		q := g.b[i]
		if consensus.Usable(p.X, p.Y) && consensus.Usable(q.X, q.Y) && sees(j.raysA[i]) && sees(j.raysB[i]) {
			j.add(consensus.NewHash(p.X).With(p.Y).With(q.X).With(q.Y), i)
		}
	}
	if !j.sort() {
		return Motion{}, ErrPairs
	}
	r := &j.relative
	j.problem = r
	a, b := j.opts.InlierThreshold/focal(cameraA), j.opts.InlierThreshold/focal(cameraB)
	r.set(j.n, float64(a*a), float64(b*b))
	for k, i := range j.sorter.Order {
		a, b := j.raysA[i], j.raysB[i]
		r.x[k], r.y[k], r.u[k], r.v[k] = a.X, a.Y, b.X, b.Y
	}
	best, err := j.search()
	if err != nil {
		return Motion{}, err
	}
	best = j.polish(best)
	if err := j.judgeViews(&r.twoViews, best); err != nil {
		return Motion{}, err
	}
	return j.classify(best), nil
}
