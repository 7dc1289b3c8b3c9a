// Command pose generates simd_amd64.s and simd_arm64.s, the assembly of package pose. It runs in
// the directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/generate"
	"github.com/fastcorners/fast/_asm/internal/neon"
	. "github.com/fastcorners/fast/_asm/internal/pairs"
	. "github.com/fastcorners/fast/_asm/internal/vec"
)

func main() {
	generate.Write("../pose", func() {
		for _, isa := range []ISA{AVX2, AVX512} {
			emit(func(name string) *Kernel { return NewKernel(isa, name) })
			sevenPoints(isa)
			project(isa)
		}
		eliminations()
	}, func(a *neon.Assembler) {
		emit(func(name string) *Kernel { return NewNEON(a, name) })
	})
}

// emit emits the functions for an instruction set. begin begins the one of that name.
func emit(begin func(name string) *Kernel) {
	for _, sums := range []bool{false, true} {
		for _, motion := range []bool{true, false} {
			kernel(begin, sums, motion)
		}
	}
}

// A function is one of the kernels.
type function struct {
	*Kernel
	sums   bool
	motion bool // the matrix is essential, and pairs must be in front of both cameras

	// Of the pairs that the function is at. Operands may be on the stack.
	x, y, u, v     Op
	lx, ly, kx, ky Op
	c, d           Op
	p              [3]Op // the rotated point of A
}

// kernel emits the function that finds inliers and, if it is wanted, adds to the sums.
func kernel(begin func(name string) *Kernel, sums, motion bool) {
	name := "score"
	if sums {
		name = "sum"
	}
	kind := "Fundamental"
	if motion {
		kind = "Essential"
	}
	f := &function{Kernel: begin(name + kind), sums: sums, motion: motion}
	kept := 0
	if sums {
		kept = 16
		factors := 6
		if !motion {
			factors = 9
		}
		f.Collect(f.R.Field("collected"), Products{Sums: f.R.Field("sums"), Factors: factors, Unit: !motion})
	}
	f.Groups([]string{"x", "y", "u", "v"}, kept, f.pairs)
}

// keep is Keep where there are sums, which need the registers.
func (f *function) keep(v Op) Op {
	if !f.sums {
		return v
	}
	return f.Keep(v)
}

// matrix and rotation return those of the model.
func (f *function) matrix() Component   { return f.R.Field("model").Field("matrix") }
func (f *function) rotation() Component { return f.R.Field("model").Field("pose").Field("R") }

// pairs emits what is done with a vector of pairs.
func (f *function) pairs(p []Op) {
	f.x, f.y, f.u, f.v = p[0], p[1], p[2], p[3]
	f.Comment("Sampson's error.")
	f.fit()
	f.Leave()
	if f.motion {
		f.Comment("In front of both cameras, or too far away to tell.")
		f.see()
	}
	f.Found()
	f.Comment("The gains.")
	d := f.Kept(f.d)
	c := f.Kept(f.c)
	one := f.Number("one", 1)
	gain := f.Sub(one, f.Div(f.Mul(c, c), d))
	gain = f.Only(gain)
	f.Accumulate(f.R.Field("support"), gain)
	if f.sums {
		f.addSums(gain, f.Div(one, d), c)
	}
}

// fit restricts the mask to the pairs that fit the epipolar geometry.
func (f *function) fit() {
	e := f.matrix()
	lx, ly := f.Row(e, [3]int{0, 1, 2}, f.x, f.y), f.Row(e, [3]int{3, 4, 5}, f.x, f.y)
	c := f.Add(f.Mul(f.u, lx), f.Mul(f.v, ly))
	c = f.Add(c, f.Row(e, [3]int{6, 7, 8}, f.x, f.y))
	kx, ky := f.Row(e, [3]int{0, 3, 6}, f.u, f.v), f.Row(e, [3]int{1, 4, 7}, f.u, f.v)
	d := f.Mul(f.Field(f.R.Field("limitB")), f.Squares(lx, ly))
	d = f.Add(d, f.Mul(f.Field(f.R.Field("limitA")), f.Squares(kx, ky)))
	if f.sums {
		f.lx, f.ly, f.kx, f.ky = f.Keep(lx), f.Keep(ly), f.Keep(kx), f.Keep(ky)
	}
	f.c, f.d = f.keep(c), f.keep(d)
	f.Restrict(AtMost, f.Mul(c, c), d)
	f.Restrict(Greater, d, f.Zero())
}

// see restricts the mask to the pairs that are in front of both cameras, or too far away.
func (f *function) see() {
	rotation, t := f.rotation(), f.R.Field("model").Field("pose").Field("T")
	var p [3]Op
	for i := range p {
		p[i] = f.Row(rotation, [3]int{3 * i, 3*i + 1, 3*i + 2}, f.x, f.y)
		f.p[i] = f.keep(p[i])
	}
	one := f.Number("one", 1)
	beta := f.Add(f.Add(f.Mul(f.u, p[0]), f.Mul(f.v, p[1])), p[2])
	a := f.Add(f.Linear(t, 0, 1, p[0], p[1]), f.Mul(f.Field(t.Index(2)), p[2]))
	b := f.Row(t, [3]int{0, 1, 2}, f.u, f.v)
	alpha, gamma := f.Add(f.Squares(f.u, f.v), one), f.Add(f.Squares(f.x, f.y), one)
	f.Either(func() {
		f.Restrict(Less, f.Mul(alpha, a), f.Mul(beta, b))
		f.Restrict(Less, f.Mul(beta, a), f.Mul(gamma, b))
	}, func() {
		f.Restrict(Greater, beta, f.Zero())
		both := f.Mul(alpha, gamma)
		f.Restrict(AtMost, f.Sub(both, f.Mul(beta, beta)), f.Mul(f.Field(f.R.Field("far")), both))
	})
}

// addSums adds to the squares and to the sums of the equations.
func (f *function) addSums(gain, inverse, c Op) {
	square := f.Mul(gain, gain)
	f.Accumulate(f.R.Field("squares"), square)
	f.Comment("The weights divided by d, and c/d in squared thresholds.")
	weight := f.Mul(f.Add(f.Mul(square, f.Field(f.R.Field("weights").Field("factor"))), f.Field(f.R.Field("weights").Field("constant"))), inverse)
	w := f.Keep(weight)
	ratio := f.Mul(c, inverse)
	fa, fb := f.Mul(ratio, f.Field(f.R.Field("limitA"))), f.Mul(ratio, f.Field(f.R.Field("limitB")))
	f.Comment("The derivatives.")
	var derivatives []Op
	if f.motion {
		derivatives = append(f.turns(fa, fb), f.shifts(fa, fb)...)
	} else {
		derivatives = f.elements(fa, fb)
	}
	f.Comment("What the sums are made of.")
	f.AddProducts(f.Kept(w), append(derivatives, f.c))
}

// turns returns the derivatives by the turn.
func (f *function) turns(fa, fb Op) []Op {
	e := f.matrix()
	lx, ly, kx, ky := f.Kept(f.lx), f.Kept(f.ly), f.Kept(f.kx), f.Kept(f.ky)
	kz := f.Row(e, [3]int{2, 5, 8}, f.u, f.v)
	var n [3]Op
	for i, k := range []Op{kx, ky, kz} {
		n[i] = f.Sub(k, f.Mul(fb, f.Linear(e, i, 3+i, lx, ly)))
	}
	faz := f.Mul(fa, kz)
	first := f.Sub(f.Sub(f.Mul(f.y, n[2]), n[1]), f.Mul(faz, ky))
	second := f.Add(f.Sub(n[0], f.Mul(f.x, n[2])), f.Mul(faz, kx))
	third := f.Sub(f.Mul(f.x, n[1]), f.Mul(f.y, n[0]))
	return []Op{f.Keep(first), f.Keep(second), f.Keep(third)}
}

// shifts returns the derivatives by the shifts across the translation.
func (f *function) shifts(fa, fb Op) []Op {
	hx, hy := f.Sub(f.u, f.Mul(fb, f.lx)), f.Sub(f.v, f.Mul(fb, f.ly))
	kx, ky := f.Kept(f.kx), f.Kept(f.ky)
	var m [3]Op
	for i := range m {
		m[i] = f.Mul(fa, f.Linear(f.rotation(), 3*i, 3*i+1, kx, ky))
	}
	var p [3]Op
	for i, q := range f.p {
		p[i] = f.Kept(q)
	}
	s := [3]Op{
		f.Sub(f.Sub(p[1], f.Mul(p[2], hy)), f.Sub(m[1], f.Mul(m[2], f.v))),
		f.Sub(f.Sub(f.Mul(p[2], hx), p[0]), f.Sub(f.Mul(m[2], f.u), m[0])),
		f.Sub(f.Sub(f.Mul(p[0], hy), f.Mul(p[1], hx)), f.Sub(f.Mul(m[0], f.v), f.Mul(m[1], f.u))),
	}
	var derivatives []Op
	for i := range 2 {
		across := f.R.Field("across").Index(i)
		d := f.Add(f.Linear(across, 0, 1, s[0], s[1]), f.Mul(f.Field(across.Index(2)), s[2]))
		derivatives = append(derivatives, f.Keep(d))
	}
	return derivatives
}

// elements returns the derivatives by the elements of the matrix but the last one.
func (f *function) elements(fa, fb Op) []Op {
	kx, ky := f.Mul(fa, f.kx), f.Mul(fa, f.ky)
	var derivatives []Op
	keep := func(list ...Op) {
		for _, v := range list {
			derivatives = append(derivatives, f.Keep(v))
		}
	}
	for _, side := range []struct {
		b Op
		l Op
	}{{f.u, f.lx}, {f.v, f.ly}} {
		h := f.Sub(side.b, f.Mul(fb, side.l))
		keep(f.Sub(f.Mul(f.x, h), f.Mul(side.b, kx)), f.Sub(f.Mul(f.y, h), f.Mul(side.b, ky)), h)
	}
	keep(f.Sub(f.x, kx), f.Sub(f.y, ky))
	return derivatives
}
