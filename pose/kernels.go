package pose

import (
	"math/bits"

	"github.com/fastcorners/fast/internal/cpu"
)

// Products are converted to float64 so that they are not fused with sums, which would make
// results that are not the same on every platform.

// kernels are the functions that an instruction set has. The portable ones define what they
// do, to the bit.
type kernels struct {
	scoreEssential, scoreFundamental func(*scoreRun)
	sumEssential, sumFundamental     func(*scoreRun)

	eliminate func(*eliminateRun)
	reduce    func(*reduceRun)
	project   func(*projectRun)
	// sevenPoints solves groupSize samples of seven pairs. It is nil if it is faster to solve one
	// after the other.
	sevenPoints func(*sevenPointsRun)
}

// table has the kernels for each instruction set.
var table = cpu.NewTable("pose", kernels{
	scoreEssential: scoreEssential, scoreFundamental: scoreFundamental,
	sumEssential: sumEssential, sumFundamental: sumFundamental,
	eliminate: eliminate, reduce: reduce, project: project,
}, assembly...)

const (
	// groupSize is the number of pairs that kernels process together. Sums are sums of groupSize
	// sums, to which each pair of a group contributes in turn.
	groupSize = 8
	// essentialUnknowns and fundamentalUnknowns are the numbers of unknowns of the equations.
	essentialUnknowns, fundamentalUnknowns = 5, 9
	// sums is the number of sums for the equations of a fundamental matrix.
	sums = fundamentalUnknowns * (fundamentalUnknowns + 3) / 2
	// collected is the room for 8 groups with up to 10 numbers of each pair, and for 7 more, as these
	// begin with a cache line.
	collected = 8*10*groupSize + 7
)

// A model is what a sample determines: an essential or fundamental matrix, or a pose, or both.
type model struct {
	matrix matrix
	pose   Pose
}

// modelOf returns the model of a motion.
func modelOf(motion Pose) model { return model{motion.essential(), motion} }

// weights are those of the inliers in least squares: constant plus factor times the square of the gain.
type weights struct{ constant, factor float64 }

var (
	equal  = weights{constant: 1}
	byGain = weights{factor: 1}
)

// A scoreRun is the argument of the kernels that score models and add to sums. It lives on the heap.
type scoreRun struct {
	x, y, u, v []float64 // the coordinates of pairs in A and in B, a multiple of groupSize
	begin, end int       // multiples of groupSize

	// model has the matrix and, unless it is a fundamental one, the motion. across are two unit
	// vectors across its translation. The limits are the squared thresholds in both images, and
	// far is the limit for points so far away that nothing tells whether they are in front.
	model               model
	across              [2]Vector
	limitA, limitB, far float64

	masks   []byte // a bit for each pair
	support [groupSize]float64

	// squares has the sums of the squared gains. sums has those of the equations: the upper triangle
	// of their matrix by rows, each with its element of the negative right side at the end.
	weights weights
	squares [groupSize]float64
	sums    [sums][groupSize]float64

	//lint:ignore U1000 kernels collect here what they add to the sums
	collected [collected]float64
}

// A group has the errors of groupSize pairs. With the matrix E or F, a = (x, y, 1) and b = (u, v, 1), l
// is the line E a in B, k the line E'b in A, c is b'E a, and d the square of the length of its
// derivatives, in squared thresholds. A pair fits if c*c <= d (P. Sampson, "Fitting conic
// sections to very scattered data", 1982), and its gain is 1 - c*c/d.
type group struct {
	x, y, u, v           *[groupSize]float64
	lx, ly, kx, ky, c, d [groupSize]float64
	mask                 uint8 // of the inliers
}

// fit sets the group to the pairs from i on. The mask is that of those that fit.
func (g *group) fit(r *scoreRun, i int) {
	e, limitA, limitB := &r.model.matrix, r.limitA, r.limitB
	g.x, g.y = (*[groupSize]float64)(r.x[i:]), (*[groupSize]float64)(r.y[i:])
	g.u, g.v = (*[groupSize]float64)(r.u[i:]), (*[groupSize]float64)(r.v[i:])
	g.mask = 0
	for k := range groupSize {
		x, y, u, v := g.x[k], g.y[k], g.u[k], g.v[k]
		lx, ly := float64(e[0]*x)+float64(e[1]*y)+e[2], float64(e[3]*x)+float64(e[4]*y)+e[5]
		kx, ky := float64(e[0]*u)+float64(e[3]*v)+e[6], float64(e[1]*u)+float64(e[4]*v)+e[7]
		c := float64(u*lx) + float64(v*ly) + (float64(e[6]*x) + float64(e[7]*y) + e[8])
		d := float64(limitB*(float64(lx*lx)+float64(ly*ly))) + float64(limitA*(float64(kx*kx)+float64(ky*ky)))
		g.lx[k], g.ly[k], g.kx[k], g.ky[k], g.c[k], g.d[k] = lx, ly, kx, ky, c, d
		if float64(c*c) <= d && d > 0 {
			g.mask |= 1 << k
		}
	}
}

// see removes from the mask the pairs that are not in front of both cameras.
func (g *group) see(r *scoreRun) {
	for mask := g.mask; mask != 0; mask &= mask - 1 {
		k := bits.TrailingZeros8(mask)
		if along, _ := front(&r.model.pose.R, &r.model.pose.T, g.x[k], g.y[k], g.u[k], g.v[k], r.far); along == 0 {
			g.mask &^= 1 << k
		}
	}
}

// front returns 2 for a pair that fits the epipolar geometry and is in front of both cameras, 1
// if it is so far away that nothing tells, and else 0: for the translation t, and for the opposite
// one.
func front(m *Rotation, t *Vector, x, y, u, v, far float64) (along, against int) {
	px, py, pz := float64(m[0]*x)+float64(m[1]*y)+m[2], float64(m[3]*x)+float64(m[4]*y)+m[5], float64(m[6]*x)+float64(m[7]*y)+m[8]
	alpha := float64(u*u) + float64(v*v) + 1
	beta := float64(u*px) + float64(v*py) + pz
	gamma := float64(x*x) + float64(y*y) + 1
	a := float64(t[0]*px) + float64(t[1]*py) + float64(t[2]*pz)
	b := float64(t[0]*u) + float64(t[1]*v) + t[2]
	if ag := float64(alpha * gamma); beta > 0 && ag-float64(beta*beta) <= float64(far*ag) {
		along, against = 1, 1
	}
	if c, d, e, f := float64(alpha*a), float64(beta*b), float64(beta*a), float64(gamma*b); c < d && e < f {
		along = 2
	} else if c > d && e > f {
		against = 2
	}
	return along, against
}

// count stores the mask of the pairs from i on, and adds their gains to the support.
func (g *group) count(r *scoreRun, i int) {
	r.masks[i/groupSize] = g.mask
	for mask := g.mask; mask != 0; mask &= mask - 1 {
		k := bits.TrailingZeros8(mask)
		r.support[k] += 1 - float64(g.c[k]*g.c[k])/g.d[k]
	}
}

// weigh is count for one pair, and adds to squares. It returns the weight divided by d, and c/d.
func (g *group) weigh(r *scoreRun, k int) (weight, f float64) {
	c, d := g.c[k], g.d[k]
	gain := 1 - float64(c*c)/d
	square := float64(gain * gain)
	r.support[k] += gain
	r.squares[k] += square
	inverse := 1 / d
	return float64((float64(square*r.weights.factor) + r.weights.constant) * inverse), float64(c * inverse)
}

// scoreEssential finds the inliers of a motion among the pairs from begin to end, which are in front of
// both cameras, sets their masks and adds their gains to the support.
func scoreEssential(r *scoreRun) {
	var g group
	for i := r.begin; i < r.end; i += groupSize {
		g.fit(r, i)
		g.see(r)
		g.count(r, i)
	}
}

// scoreFundamental does what scoreEssential does for a fundamental matrix, whose inliers may be
// anywhere.
func scoreFundamental(r *scoreRun) {
	var g group
	for i := r.begin; i < r.end; i += groupSize {
		g.fit(r, i)
		g.count(r, i)
	}
}

// The residual is c/sqrt(d). Its derivative is (dc - c/(2d) dd) / sqrt(d), dc and dd being those
// of c and d. The equations have the weight divided by d instead of both square roots.

// sumEssential does what scoreEssential does, and adds to the squares and to the sums, from which a
// better motion follows. The unknowns are a turn w, the change of R being R times the cross product
// with w, and two shifts across the translation.
func sumEssential(r *scoreRun) {
	e, rot, limitA, limitB := &r.model.matrix, &r.model.pose.R, r.limitA, r.limitB
	var g group
	for i := r.begin; i < r.end; i += groupSize {
		g.fit(r, i)
		g.see(r)
		r.masks[i/groupSize] = g.mask
		for mask := g.mask; mask != 0; mask &= mask - 1 {
			k := bits.TrailingZeros8(mask)
			weight, f := g.weigh(r, k)
			fa, fb := float64(f*limitA), float64(f*limitB)
			x, y, u, v := g.x[k], g.y[k], g.u[k], g.v[k]
			lx, ly, kx, ky := g.lx[k], g.ly[k], g.kx[k], g.ky[k]
			kz := float64(e[2]*u) + float64(e[5]*v) + e[8]
			// Turns: the change of c is w (a x k), that of l is E (w x a), and that of k is k x w.
			n0 := kx - float64(fb*(float64(e[0]*lx)+float64(e[3]*ly)))
			n1 := ky - float64(fb*(float64(e[1]*lx)+float64(e[4]*ly)))
			n2 := kz - float64(fb*(float64(e[2]*lx)+float64(e[5]*ly)))
			faz := float64(fa * kz)
			// Shifts s: the change of c is s (R a x b), that of l is s x R a, and that of k is
			// R' (b x s).
			p := rot.apply(Vector{x, y, 1})
			hx, hy := u-float64(fb*lx), v-float64(fb*ly)
			m0 := float64(fa * (float64(rot[0]*kx) + float64(rot[1]*ky)))
			m1 := float64(fa * (float64(rot[3]*kx) + float64(rot[4]*ky)))
			m2 := float64(fa * (float64(rot[6]*kx) + float64(rot[7]*ky)))
			s := Vector{
				(p[1] - float64(p[2]*hy)) - (m1 - float64(m2*v)),
				(float64(p[2]*hx) - p[0]) - (float64(m2*u) - m0),
				(float64(p[0]*hy) - float64(p[1]*hx)) - (float64(m0*v) - float64(m1*u)),
			}
			r.add(k, weight, g.c[k], []float64{
				float64(y*n2) - n1 - float64(faz*ky),
				n0 - float64(x*n2) + float64(faz*kx),
				float64(x*n1) - float64(y*n0),
				r.across[0].Dot(s),
				r.across[1].Dot(s),
			})
		}
	}
}

// sumFundamental does what scoreFundamental does, and adds to the squares and to the sums, from which
// a better matrix follows. The unknowns are the elements of the matrix.
func sumFundamental(r *scoreRun) {
	limitA, limitB := r.limitA, r.limitB
	var g group
	for i := r.begin; i < r.end; i += groupSize {
		g.fit(r, i)
		r.masks[i/groupSize] = g.mask
		for mask := g.mask; mask != 0; mask &= mask - 1 {
			k := bits.TrailingZeros8(mask)
			weight, f := g.weigh(r, k)
			fa, fb := float64(f*limitA), float64(f*limitB)
			x, y, u, v := g.x[k], g.y[k], g.u[k], g.v[k]
			hx, hy := u-float64(fb*g.lx[k]), v-float64(fb*g.ly[k])
			kx, ky := float64(fa*g.kx[k]), float64(fa*g.ky[k])
			r.add(k, weight, g.c[k], []float64{
				float64(x*hx) - float64(u*kx), float64(y*hx) - float64(u*ky), hx,
				float64(x*hy) - float64(v*kx), float64(y*hy) - float64(v*ky), hy,
				x - kx, y - ky, 1,
			})
		}
	}
}

// add adds pair k of a group, with the residual c and its derivatives, to the sums.
func (r *scoreRun) add(k int, weight, c float64, derivatives []float64) {
	s := 0
	for i, d := range derivatives {
		w := float64(weight * d)
		for _, e := range derivatives[i:] {
			r.sums[s][k] += float64(w * e)
			s++
		}
		r.sums[s][k] += float64(w * c)
		s++
	}
}

// equations sets those of n unknowns, as the sums have them.
func (r *scoreRun) equations(q *equations, n int) {
	k := 0
	for i := range n {
		for j := i; j < n; j++ {
			q.a[i][j] = total(&r.sums[k])
			k++
		}
		q.b[i] = -total(&r.sums[k])
		k++
	}
}

// total returns the sum of the sums of a group.
func total(s *[groupSize]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}
