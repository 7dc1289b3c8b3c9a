package pose

import (
	"math"

	"github.com/fastcorners/fast/internal/consensus"
)

// fundamentalSize is the number of pairs of a sample.
const fundamentalSize = 7

// A fundamental is the problem of the fundamental matrix.
type fundamental struct {
	twoViews
	frameA, frameB consensus.Frame

	matrices   []matrix
	reduction  reduceRun
	seven      *sevenPointsRun
	projection projectRun

	plane    matrix
	hasPlane bool // samples are two pairs off the plane
}

// set takes the coordinates of the pairs.
func (f *fundamental) set(p *pairs, threshold float64) {
	f.frameA, f.frameB, f.hasPlane = p.a.box.Frame(), p.b.box.Frame(), false
	a, b := float64(threshold*f.frameA.Scale), float64(threshold*f.frameB.Scale)
	f.twoViews.set(p.n, float64(a*a), float64(b*b))
	for k := range p.n {
		x, y := f.frameA.To(p.a.x[k], p.a.y[k])
		u, v := f.frameB.To(p.b.x[k], p.b.y[k])
		f.place(k, x, y, u, v)
	}
}

// inPixels returns what a matrix is for points in pixels.
func (f *fundamental) inPixels(m *matrix) Fundamental {
	into, outOf := matrix(f.frameA.Into()), matrix(f.frameB.Into())
	outOf = outOf.transposed()
	g := m.mul(&into)
	g = outOf.mul(&g)
	return Fundamental(g.unit())
}

func (f *fundamental) solve(dst []model, sample []int) []model {
	if f.hasPlane {
		// Plane and parallax: the epipole is where the lines meet on which the pairs move
		// across the plane's motion.
		var l [2]Vector
		for i, k := range sample {
			a, b := f.rays(k)
			l[i] = f.plane.apply(a).Cross(b)
		}
		e := l[0].Cross(l[1])
		s := e.Norm()
		if !(s > 1e-12*l[0].Norm()*l[1].Norm()) {
			return dst
		}
		m := skew(e.Scale(1 / s))
		m = m.mul(&f.plane)
		return append(dst, model{matrix: m.unit()})
	}
	var a, b [7]Vector
	r := &f.run
	for i, k := range sample {
		a[i], b[i] = Vector{r.x[k], r.y[k], 1}, Vector{r.u[k], r.v[k], 1}
	}
	f.matrices = sevenPoints(f.matrices[:0], &a, &b, &f.reduction)
	for i := range f.matrices {
		if m := &f.matrices[i]; oriented(m, &a, &b) {
			dst = append(dst, model{matrix: *m})
		}
	}
	return dst
}

// solvesGroups reports whether solveGroup can take the place of solve.
func (f *fundamental) solvesGroups() bool { return f.kernels.sevenPoints != nil && !f.hasPlane }

// solveGroup solves several samples, up to groupSize.
func (f *fundamental) solveGroup(samples [][7]int) {
	if f.seven == nil {
		f.seven = new(sevenPointsRun)
	}
	s, r := f.seven, &f.run
	for n := range samples {
		for i, k := range samples[n] {
			s.x[i][n], s.y[i][n], s.u[i][n], s.v[i][n] = r.x[k], r.y[k], r.u[k], r.v[k]
		}
	}
	f.kernels.sevenPoints(s)
}

// solved appends the models of sample n of the group that was solved.
func (f *fundamental) solved(dst []model, n int) []model { return f.seven.models(dst, n) }

// oriented reports whether the epipolar lines of seven pairs are oriented alike (O. Chum, T. Werner
// and J. Matas, ICPR 2004): with the left epipole e, e x b and F a are positive multiples of each
// other, or all are negative ones.
func oriented(m *matrix, a, b *[7]Vector) bool {
	e := m.epipole()
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

func (f *fundamental) score(begin, end int, masks []byte) (count int, support float64) {
	return f.call(f.kernels.scoreFundamental, begin, end, masks)
}

func (f *fundamental) sum(q *equations, n int, w weights, masks []byte) (count int, support, squares float64) {
	return f.callSum(f.kernels.sumFundamental, q, fundamentalUnknowns, n, w, masks)
}

// step solves for the change that keeps the norm and the determinant, in an orthonormal basis
// of these changes.
func (f *fundamental) step(q *equations, damping, factor float64) (model, float64, bool) {
	p, m := &f.projection, f.run.model.matrix
	p.vectors = [2][9]float64{m, m.cofactors()}
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
	next := m
	for i := range next {
		for s, e := range p.basis[i][:directions] {
			next[i] += float64(d[s] * e)
		}
	}
	next, ok = singular(&next)
	return model{matrix: next}, change, ok
}

// directions is the number of directions in which a fundamental matrix can change.
const directions = 7

// A projectRun is the argument of the kernel that takes the equations of the elements of a fundamental
// matrix to an orthonormal basis of the changes that keep its norm and determinant. It lives on the
// heap.
type projectRun struct {
	vectors [2][9]float64 // of the reflections that make the basis, and 2 by their squared lengths
	beta    [2]float64
	full    [9][9]float64 // the matrix, which is symmetric
	right   [9]float64

	basis [9][groupSize]float64 // element by element: units, and then those of directions vectors
	small equations
	row   [9]float64 // of the matrix in the basis, to be multiplied by the basis
}

// units are the unit vectors that become the basis, after two that become combinations of what is kept.
var units = [9][groupSize]float64{2: {0: 1}, 3: {1: 1}, 4: {2: 1}, 5: {3: 1}, 6: {4: 1}, 7: {5: 1}, 8: {6: 1}}

// project sets the basis that reflections of the unit vectors make, and the upper triangle and the
// right side of the equations in that basis.
func project(p *projectRun) {
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
