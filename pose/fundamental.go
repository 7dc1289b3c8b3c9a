package pose

import (
	"math"

	"github.com/fastcorners/fast/internal/consensus"
)

const (
	// fundamentalSize is the number of pairs of a sample.
	fundamentalSize = 7
	// planeSamples is the number of samples of pairs off a plane.
	planeSamples = 300
)

// A fundamental is the problem of the fundamental matrix.
type fundamental struct {
	twoViews
	matrices    []matrix
	constraints constraints
	sevens      *sevens
	projection  projection
	off         []int // the pairs that are not on the plane that most inliers are on
	plane       matrix
	hasPlane    bool // samples are two pairs off the plane
}

func (f *fundamental) solve(dst []model, sample []int) []model {
	if f.hasPlane {
		// Plane and parallax: the epipole is where the lines meet on which the pairs move
		// across the plane's motion.
		var l [2]Vector
		for i, k := range sample {
			p := f.plane.apply(Vector{f.x[k], f.y[k], 1})
			l[i] = p.Cross(Vector{f.u[k], f.v[k], 1})
		}
		e := l[0].Cross(l[1])
		s := e.Norm()
		if !(s > 1e-12*l[0].Norm()*l[1].Norm()) {
			return dst
		}
		m := skew(e.Scale(1 / s))
		m = m.mul(&f.plane)
		return append(dst, model{m: m.unit()})
	}
	var a, b [7]Vector
	for i, k := range sample {
		a[i], b[i] = Vector{f.x[k], f.y[k], 1}, Vector{f.u[k], f.v[k], 1}
	}
	f.matrices = sevenPoints(f.matrices[:0], &a, &b, &f.constraints)
	for i := range f.matrices {
		if m := &f.matrices[i]; oriented(m, &a, &b) {
			dst = append(dst, model{m: *m})
		}
	}
	return dst
}

// solvesLanes reports whether solveLanes can take the place of solve.
func (f *fundamental) solvesLanes() bool { return f.kernels.sevenPoints != nil && !f.hasPlane }

// solveLanes solves several samples, up to lanes. The models are those of sevens.
func (f *fundamental) solveLanes(samples [][7]int) {
	if f.sevens == nil {
		f.sevens = new(sevens)
	}
	s := f.sevens
	for l := range samples {
		for i, k := range samples[l] {
			s.x[i][l], s.y[i][l], s.u[i][l], s.v[i][l] = f.x[k], f.y[k], f.u[k], f.v[k]
		}
	}
	f.kernels.sevenPoints(s)
}

// oriented reports whether the epipolar lines of seven pairs are oriented alike (O. Chum, T. Werner
// and J. Matas, ICPR 2004): with the left epipole e, e x b and F a are positive multiples of each
// other, or all are negative ones.
func oriented(m *matrix, a, b *[7]Vector) bool {
	e := epipole(m)
	x, y, z := e[0], e[1], e[2]
	// b'g a is the product of F a with b x e: g is skew(e) times F.
	g0, g1, g2 := float64(y*m[6])-float64(z*m[3]), float64(y*m[7])-float64(z*m[4]), float64(y*m[8])-float64(z*m[5])
	g3, g4, g5 := float64(z*m[0])-float64(x*m[6]), float64(z*m[1])-float64(x*m[7]), float64(z*m[2])-float64(x*m[8])
	g6, g7, g8 := float64(x*m[3])-float64(y*m[0]), float64(x*m[4])-float64(y*m[1]), float64(x*m[5])-float64(y*m[2])
	var below, above uint64 // with the sign bits of all numbers, and of their opposites
	for i := range 7 {
		x, y, u, v := a[i][0], a[i][1], b[i][0], b[i][1]
		s := float64(u*(float64(g0*x)+float64(g1*y)+g2)) + float64(v*(float64(g3*x)+float64(g4*y)+g5)) +
			(float64(g6*x) + float64(g7*y) + g8)
		below |= math.Float64bits(s)
		above |= math.Float64bits(0 - s)
	}
	return below>>63 == 0 || above>>63 == 0
}

// epipole returns the left null vector.
func epipole(m *matrix) Vector {
	c := m.cofactors() // whose columns are multiples of it
	best := float64(c[0]*c[0]) + float64(c[3]*c[3]) + float64(c[6]*c[6])
	e := Vector{c[0], c[3], c[6]}
	if s := float64(c[1]*c[1]) + float64(c[4]*c[4]) + float64(c[7]*c[7]); s > best {
		best, e = s, Vector{c[1], c[4], c[7]}
	}
	if s := float64(c[2]*c[2]) + float64(c[5]*c[5]) + float64(c[8]*c[8]); s > best {
		e = Vector{c[2], c[5], c[8]}
	}
	return e
}

func (f *fundamental) score(begin, end int, masks []byte) (count int, support float64) {
	return f.call(f.kernels.scoreFundamental, begin, end, masks)
}

func (f *fundamental) sum(q *equations, n int, flat, steep float64, masks []byte) (count int, support, squares float64) {
	return f.callSum(f.kernels.sumFundamental, q, fundamentalUnknowns, n, flat, steep, masks)
}

// step solves for the change that keeps the norm and the determinant, in an orthonormal basis
// of these changes.
func (f *fundamental) step(q *equations, damping, factor float64) (model, float64, bool) {
	p := &f.projection
	p.vectors = [2][9]float64{f.model.m, f.model.m.cofactors()}
	if !reflections(p.vectors[:], p.beta[:], 1e-40) {
		return model{}, 0, false
	}
	p.full, p.right = q.a, q.b
	for i := range p.full {
		for j := range i {
			p.full[i][j] = q.a[j][i]
		}
	}
	p.basis = units
	f.kernels.project(p)
	d, change, ok := p.small.step(directions, directions, damping, factor)
	if !ok {
		return model{}, 0, false
	}
	next := f.model.m
	for i := range next {
		for s, e := range p.basis[i][:directions] {
			next[i] += float64(d[s] * e)
		}
	}
	next, ok = singular(&next)
	return model{m: next}, change, ok
}

// directions is the number of directions in which a fundamental matrix can change.
const directions = 7

// A projection is the equations of the elements of a fundamental matrix, and what they are in an
// orthonormal basis of the changes that keep its norm and determinant.
type projection struct {
	vectors [2][9]float64 // of the reflections that make the basis, and 2 by their squared lengths
	beta    [2]float64
	full    [9][9]float64 // the matrix, which is symmetric
	right   [9]float64

	basis [9][lanes]float64 // element by element: units, and then those of directions vectors
	small equations
	row   [9]float64 // of the matrix in the basis, to be multiplied by the basis
}

// units are the unit vectors that become the basis, after two that become combinations of what is kept.
var units = [9][lanes]float64{2: {0: 1}, 3: {1: 1}, 4: {2: 1}, 5: {3: 1}, 6: {4: 1}, 7: {5: 1}, 8: {6: 1}}

// project is described in kernels.
func project(p *projection) {
	var basis [directions]matrix
	for s := range basis {
		b := (*[9]float64)(&basis[s])
		for i := range b {
			b[i] = p.basis[i][s]
		}
		for j := len(p.vectors) - 1; j >= 0; j-- {
			reflect(b, &p.vectors[j], p.beta[j], j)
		}
		for i, e := range b {
			p.basis[i][s] = e
		}
	}
	for s := range basis {
		b := &basis[s]
		for i := range p.row {
			p.row[i] = b.product((*matrix)(&p.full[i]))
		}
		for t := s; t < directions; t++ {
			p.small.a[s][t] = (*matrix)(&p.row).product(&basis[t])
		}
		p.small.b[s] = b.product((*matrix)(&p.right))
	}
}

// singular returns a matrix near m with determinant 0 and norm 1, by Newton's method along the
// cofactors.
func singular(m *matrix) (matrix, bool) {
	f := m.unit()
	for range 8 {
		c := f.cofactors()
		det := float64(f[0]*c[0]) + float64(f[1]*c[1]) + float64(f[2]*c[2])
		s := c.squares()
		if !(s > 1e-40) {
			return f, false
		}
		if math.Abs(det) <= 1e-17 {
			break
		}
		k := det / s
		for i := range 9 {
			f[i] -= float64(k * c[i])
		}
		f = f.unit()
	}
	return f, true
}

// findFundamental is Fundamental without the checks.
func (j *job) findFundamental(opts *Options, g given) (Epipolar, error) {
	j.begin(opts, fundamentalSize, g)
	for i, p := range g.a {
		if q := g.b[i]; consensus.Usable(p.X, p.Y) && consensus.Usable(q.X, q.Y) {
			j.add(consensus.NewHash(p.X).With(p.Y).With(q.X).With(q.Y), i)
		}
	}
	if !j.sort() {
		return Epipolar{}, ErrPairs
	}
	frameA, frameB := j.a.box.Frame(), j.b.box.Frame()
	a, b := float64(j.opts.InlierThreshold*frameA.Scale), float64(j.opts.InlierThreshold*frameB.Scale)
	f := &j.fundamental
	j.problem = f
	f.set(j.n, float64(a*a), float64(b*b))
	for k := range j.n {
		f.x[k], f.y[k] = frameA.To(j.a.x[k], j.a.y[k])
		f.u[k], f.v[k] = frameB.To(j.b.x[k], j.b.y[k])
	}
	best, err := j.search()
	if err != nil {
		return Epipolar{}, err
	}
	best, off, others := j.parallax(best)
	if err := j.judgeViews(&f.twoViews, best); err != nil {
		return Epipolar{}, err
	}
	if off < j.beyond(others, nearByChance) {
		return Epipolar{}, ErrDegenerate
	}
	into, outOf := matrix(frameA.Into()), matrix(frameB.Into())
	outOf = outOf.transposed()
	m := best.m.mul(&into)
	m = outOf.mul(&m)
	return Epipolar{Fundamental(m.unit()), best.count, off, j.sampler.Drawn}, nil
}

// parallax polishes best, and looks for a plane that at least half of its inliers are on. If there
// is one, samples of two pairs off it are tried, which take the place of those of seven inliers if
// nearly all of these are on the plane (O. Chum, T. Werner and J. Matas, "Two-view geometry estimation unaffected by a
// dominant plane", CVPR 2005). It returns the best candidate, the inliers of which j.masks has, the
// number of its inliers that are not on the plane, and that of all pairs that are not.
func (j *job) parallax(best candidate) (c candidate, off, others int) {
	f := &j.fundamental
	c = j.beginPolish(best)
	h, ok := j.planeOf(c)
	if !ok {
		c = j.polishFurther(c)
		return c, c.count, j.n
	}
	f.offPlane(&h, j.n, j.blur(c))
	if len(f.off) >= 2 {
		f.plane, f.hasPlane = h, true
		c = j.rescore(c, min(j.n, scored), 1)
		j.redraw()
		for range planeSamples {
			j.try(j.draw(f.off, 2, 0), &c)
		}
		f.hasPlane = false
		j.weigh(j.refit(c, j.n), converged)
		c = j.mostValuable()
		if 5*f.countOff(j.masks) >= c.count {
			c = j.polishFurther(c)
		}
	}
	return c, f.countOff(j.masks), len(f.off)
}

// planeOf returns the homography of the plane that at least half of the inliers of c, which j.masks
// has, are on.
func (j *job) planeOf(c candidate) (h matrix, ok bool) {
	f := &j.fundamental
	e := epipole(&c.m).unit()
	r := skew(e.Scale(-1))
	r = r.mul(&c.m)
	if !j.nearPlane(&f.twoViews, &r, e) {
		return h, false
	}
	h, onPlane, ok := j.planes.find(&f.twoViews, j.masks, j.n, j.planes.many)
	return h, ok && 2*onPlane >= c.count
}

// offPlane sets off to the pairs that a homography does not explain: in squared thresholds, their
// squared errors are more than is said.
func (f *fundamental) offPlane(h *matrix, n int, squared float64) {
	inverse := h.cofactors()
	inverse = inverse.transposed()
	f.off = f.off[:0]
	for i := range n {
		if !f.onPlane(h, &inverse, i, squared) {
			f.off = append(f.off, i)
		}
	}
}

// countOff returns how many pairs of masks are off the plane.
func (f *fundamental) countOff(masks []byte) int {
	count := 0
	for _, i := range f.off {
		count += int(masks[i/8] >> (i % 8) & 1)
	}
	return count
}
