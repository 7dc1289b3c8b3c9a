// Package transforms emits the kernels of package geometry, for any machine of package pairs.
package transforms

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/pairs"
	. "github.com/fastcorners/fast/_asm/internal/vec"
)

// A function is one of the kernels.
type function struct {
	*Kernel
	sums       bool
	projective bool
}

// Emit emits the kernels, which begin with what begin returns: those that find inliers, and those
// that add to the sums, too.
func Emit(begin func(name string) *Kernel) {
	for _, sums := range []bool{false, true} {
		for _, projective := range []bool{false, true} {
			name, kept := "score", 0
			if sums {
				name, kept = "sum", 8
			}
			kind := "Affine"
			if projective {
				kind = "Projective"
			}
			f := &function{begin(name + kind), sums, projective}
			f.Groups([]string{"ax", "ay", "bx", "by"}, kept, f.pairs)
		}
	}
}

// row returns the product of a row of the matrix, which begins at element i, and x, y, 1.
func (f *function) row(matrix string, i int, x, y Op) Op {
	return f.Row(f.R.Field(matrix), [3]int{i, i + 1, i + 2}, x, y)
}

// linear returns that product without the last element.
func (f *function) linear(matrix string, i int, x, y Op) Op {
	return f.Linear(f.R.Field(matrix), i, i+1, x, y)
}

// keep returns a function that returns v for the pairs in the mask.
func (f *function) keep(v Op) func() Op {
	kept := f.Keep(v)
	return func() Op { return f.Only(kept) }
}

// kept are the values that the sums are made of. Those that are not needed are nil.
type kept struct{ x, y, inverse, mx, my, dx, dy func() Op }

// one returns 1, and far what is far away, in squared thresholds.
func (f *function) one() Op { return f.Number("one", 1) }
func (f *function) far() Op { return f.Number("far", 16) }

// limitA and limitB return squared thresholds in A and in B.
func (f *function) limitA() Op { return f.Field(f.R.Field("limitA")) }
func (f *function) limitB() Op { return f.Field(f.R.Field("limitB")) }

// pairs emits what is done with a vector of pairs, x, y in A and u, v in B.
func (f *function) pairs(p []Op) {
	if f.projective && f.sums {
		for k := range p {
			p[k] = f.Sub(p[k], f.Field(f.R.Field("shift").Index(k)))
		}
	}
	var kept kept
	if f.sums {
		kept.x, kept.y = f.keep(p[0]), f.keep(p[1])
	}
	// The squared distance in B is b/perB, and that in A is a/perA, in squared thresholds.
	dx, dy, perB := f.forward(p, &kept)
	if f.sums {
		kept.dx, kept.dy = f.keep(dx), f.keep(dy)
	}
	if perB == nil {
		perB = f.limitB()
	}
	f.Comment("Pairs that are far apart in B are not inliers.")
	b := f.Squares(dx, dy)
	f.Restrict(AtMost, b, f.Mul(perB, f.far()))
	f.Leave()

	f.Comment("The distance in A.")
	a, perA := f.backward(p, dx, dy)
	f.Restrict(AtMost, a, f.Mul(perA, f.far()))
	f.Comment("The mean of both distances.")
	divisor := f.Add(f.Mul(a, perB), f.Mul(b, perA))
	divisor = f.Do(op.MaxDouble, f.Number("tiny", 1e-300), divisor) // NaN stays
	product := f.Mul(a, b)
	m := f.Div(f.Add(product, product), divisor)
	one := f.one()
	f.Restrict(AtMost, m, one)
	f.Found()

	gain := f.Sub(one, m)
	gain = f.Only(gain)
	f.Accumulate(f.R.Field("support"), gain)
	if f.sums {
		f.addSums(gain, kept)
	}
}

// forward returns the differences of the transformed points of A from those of B, and what their
// squares are divided by unless that is limitB.
func (f *function) forward(p []Op, kept *kept) (dx, dy, perB Op) {
	x, y, u, v := p[0], p[1], p[2], p[3]
	if !f.projective {
		if !f.sums {
			return f.Sub(f.row("forward", 0, x, y), u), f.Sub(f.row("forward", 3, x, y), v), nil
		}
		return f.Sub(u, f.row("forward", 0, x, y)), f.Sub(v, f.row("forward", 3, x, y)), nil
	}
	w := f.row("forward", 6, x, y)
	f.Restrict(Greater, w, f.Zero())
	if !f.sums {
		dx = f.Sub(f.row("forward", 0, x, y), f.Mul(u, w))
		dy = f.Sub(f.row("forward", 3, x, y), f.Mul(v, w))
		return dx, dy, f.Mul(f.Mul(w, w), f.limitB())
	}
	inverse := f.Div(f.one(), w)
	kept.inverse = f.keep(inverse)
	mx := f.Mul(f.row("forward", 0, x, y), inverse)
	my := f.Mul(f.row("forward", 3, x, y), inverse)
	kept.mx, kept.my = f.keep(mx), f.keep(my)
	return f.Sub(u, mx), f.Sub(v, my), nil
}

// backward returns the squared distances in A, and what they are divided by.
func (f *function) backward(p []Op, dx, dy Op) (a, perA Op) {
	if !f.projective {
		return f.Squares(f.linear("backward", 0, dx, dy), f.linear("backward", 3, dx, dy)), f.limitA()
	}
	x, y, u, v := p[0], p[1], p[2], p[3]
	z := f.row("backward", 6, u, v)
	f.Restrict(Greater, z, f.Zero())
	ex := f.Sub(f.row("backward", 0, u, v), f.Mul(x, z))
	ey := f.Sub(f.row("backward", 3, u, v), f.Mul(y, z))
	return f.Squares(ex, ey), f.Mul(f.Mul(z, z), f.limitA())
}

// addSums adds to the sums of the equations that the transform follows from.
func (f *function) addSums(gain Op, kept kept) {
	f.Comment("The sums, weighted.")
	weight := f.Add(f.Mul(f.Mul(gain, gain), f.Field(f.R.Field("steep"))), f.Field(f.R.Field("flat")))
	weight = f.Only(weight)
	n := 0
	put := func(list ...Op) {
		for _, v := range list {
			f.Accumulate(f.R.Field("sums").Index(n), v)
			n++
		}
	}
	if f.projective {
		f.projectiveSums(weight, kept, put)
	} else {
		f.affineSums(weight, kept, put)
	}
}

// affineSums puts the sums of an affine transform.
func (f *function) affineSums(weight Op, kept kept, put func(...Op)) {
	x, y := kept.x(), kept.y()
	wx, wy := f.Mul(weight, x), f.Mul(weight, y)
	put(weight, wx, wy)
	for _, factors := range [][2]Op{{wx, x}, {wx, y}, {wy, y}} {
		put(f.Mul(factors[0], factors[1]))
	}
	for _, d := range []Op{kept.dx(), kept.dy()} {
		for _, w := range []Op{weight, wx, wy} {
			put(f.Mul(w, d))
		}
	}
}

// projectiveSums puts the sums of a homography.
func (f *function) projectiveSums(weight Op, kept kept, put func(...Op)) {
	qw := kept.inverse()
	qx, qy := f.Mul(kept.x(), qw), f.Mul(kept.y(), qw)
	wx, wy, ww := f.Mul(weight, qx), f.Mul(weight, qy), f.Mul(weight, qw)
	put(f.Mul(ww, qw))
	products := []Op{f.Mul(wx, qw), f.Mul(wy, qw), f.Mul(wx, qx), f.Mul(wx, qy), f.Mul(wy, qy)}
	put(products...)
	mx, my, dx, dy := kept.mx(), kept.my(), kept.dx(), kept.dy()
	for _, d := range []Op{dx, dy} {
		for _, w := range []Op{ww, wx, wy} {
			put(f.Mul(w, d))
		}
	}
	for _, m := range []Op{mx, my} {
		for _, p := range products {
			put(f.Mul(m, p))
		}
	}
	square := f.Squares(mx, my)
	for _, p := range products[2:] {
		put(f.Mul(square, p))
	}
	e := f.Add(f.Mul(mx, dx), f.Mul(my, dy))
	for _, w := range []Op{wx, wy} {
		put(f.Mul(w, e))
	}
}
