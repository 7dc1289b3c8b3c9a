package main

import (
	"fmt"
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/pairs"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// roots is the number of roots of a cubic polynomial.
const roots = 3

// A seven is a function that solves seven points of Lanes samples.
type seven struct{ inLanes }

// sevenPoints emits the function for an instruction set.
func sevenPoints(isa ISA) {
	s := &seven{newInLanes(isa, "sevenPoints", func(r Component) Component { return r.Field("found").Index(0) })}
	for root := range roots {
		MOVB(U8(0), Address(s.argument.Field("found").Index(root)))
	}
	s.inTurn("triangle", func() {
		s.constrain()
		for k := range pairs {
			s.triangle(k)
		}
	})
	s.atOnce(s.substitute)
	s.inTurn("order", func() {
		for vector := range 2 {
			s.restore(vector)
		}
	})
	s.atOnce(s.orthonormal)
	s.inTurn("determinant", s.determinant)
	s.atOnce(s.solve)
	s.inTurn("matrices", s.matrices)
	s.End()
}

// given returns the numbers of an array that is given.
func (s *seven) given(field string, i int) numbers { return s.at(s.argument.Field(field).Index(i)) }

// kept returns the numbers of an array of the memory.
func (s *seven) kept(field string, indices ...int) numbers {
	c := s.argument.Field("memory").Field(field)
	for _, i := range indices {
		c = c.Index(i)
	}
	return s.at(c)
}

// inverseRoot returns 1 divided by the square root of x.
func (s *seven) inverseRoot(x numbers) numbers { return s.div(s.number(1), s.sqrt(x)) }

// dot returns the sum of the products of x and y.
func (s *seven) dot(x, y []numbers) numbers {
	sum := s.mul(x[0], y[0])
	for i := 1; i < len(x); i++ {
		sum = s.add(sum, s.mul(x[i], y[i]))
	}
	return sum
}

// minor returns a d - b c.
func (s *seven) minor(a, b, c, d numbers) numbers { return s.sub(s.mul(a, d), s.mul(b, c)) }

// rowSize returns the number of bytes of a row of constraints.
func (s *seven) rowSize() int { return pairs * lanesSize }

// constrain emits what sets the constraints.
func (s *seven) constrain() {
	Comment("The constraints.")
	for i := range pairs {
		x, y, u, v := s.load(s.given("x", i)), s.load(s.given("y", i)), s.load(s.given("u", i)), s.load(s.given("v", i))
		for r, n := range []numbers{s.mul(u, x), s.mul(u, y), u, s.mul(v, x), s.mul(v, y), v, x, y, s.load(s.number(1))} {
			s.store(n, s.kept("rows", r, i))
		}
	}
}

// largest returns the largest of what key returns for numbers from first to last, as integers.
func (s *seven) largest(first, last int, key func(i int) numbers) numbers {
	if first == last {
		return key(first)
	}
	middle := (first + last) / 2
	x, y := s.largest(first, middle, key), s.largest(middle+1, last, key)
	if s.ISA == AVX2 {
		return s.choose(s.exceeds(x, y), x, y)
	}
	return s.all(func(part int) Op {
		v := s.Vec()
		VPMAXSQ(y[part], x[part], v)
		return v
	})
}

// below emits a loop over the rows of constraints below row k.
func (s *seven) below(label string, k int, loop func(row Register)) {
	row, end := GP64(), GP64()
	first := s.kept("rows", k+1, 0)[0].(Mem)
	LEAQ(first, row)
	LEAQ(first.Offset((elements-k-1)*s.rowSize()), end)
	Align()
	Label(fmt.Sprintf("%s%d", label, k))
	loop(row)
	ADDQ(I32(s.rowSize()), row)
	CMPQ(row, end)
	JLT(LabelRef(fmt.Sprintf("%s%d", label, k)))
}

// column returns an element of a row.
func (s *seven) column(row Register, c int) numbers {
	return numbers{Mem{Base: row, Disp: c * lanesSize}}
}

// triangle emits a step of the elimination.
func (s *seven) triangle(k int) {
	Comment(fmt.Sprintf("Of column %d, the row with the largest element.", k))
	largest := s.largest(k, elements-1, func(i int) numbers {
		// The lower bits are the number of the row. Integers have signs, so the top bit is the opposite.
		x := s.shift(s.load(s.kept("rows", i, k)), 1)
		return s.xor(s.and(x, s.bits(1<<64-16)), s.bits(1<<63|uint64(i)))
	})
	pivot := s.and(largest, s.bits(15))
	s.store(pivot, s.kept("pivots", k))
	Comment("It changes places.")
	var row [pairs]numbers
	for c := range pairs {
		row[c] = s.load(s.kept("rows", k, c))
	}
	number := s.load(s.bits(uint64(k + 1)))
	s.below("swap", k, func(other Register) {
		m := s.same(pivot, number)
		s.increment(number)
		for c := range pairs {
			x := s.load(s.column(other, c))
			d := s.differing(m, x, s.kept("rows", k, c))
			s.update(row[c], d)
			s.store(s.xor(x, d), s.column(other, c))
		}
	})
	small := s.compare(notGreater, s.and(row[k], s.noSign()), s.number(1e-10))
	row[k] = s.choose(small, s.nan(), row[k])
	for c := range pairs {
		s.store(row[c], s.kept("rows", k, c))
	}
	if k == pairs-1 {
		return
	}
	Comment("Those below become less by its multiple, divided by that element.")
	inverse := s.div(s.number(1), row[k])
	for c := k + 1; c < pairs; c++ {
		row[c] = s.mul(row[c], inverse)
	}
	s.below("subtract", k, func(other Register) {
		f := s.load(s.column(other, k))
		for c := k + 1; c < pairs; c++ {
			s.store(s.sub(s.column(other, c), s.mul(f, row[c])), s.column(other, c))
		}
	})
}

// substitute emits what sets the combinations of rows that vanish.
func (s *seven) substitute() {
	Comment("Combinations of the rows that vanish.")
	var newest [2]numbers
	for k := pairs - 1; k >= 0; k-- {
		sums := [2]numbers{s.load(s.kept("rows", pairs, k)), s.load(s.kept("rows", pairs+1, k))}
		for i := k + 1; i < pairs; i++ {
			x := s.load(s.kept("rows", i, k))
			for vector, sum := range sums {
				y := newest[vector]
				if i > k+1 {
					y = s.kept("null", vector, i)
				}
				sums[vector] = s.add(sum, s.mul(x, y))
			}
		}
		for vector, sum := range sums {
			newest[vector] = s.div(s.xor(sum, s.sign()), s.kept("rows", k, k))
			s.store(newest[vector], s.kept("null", vector, k))
		}
	}
}

// restore emits what puts the elements of a vector in the order that the rows had.
func (s *seven) restore(vector int) {
	Comment("The order that the rows had.")
	var y [elements]numbers
	for i := range pairs {
		y[i] = s.load(s.kept("null", vector, i))
	}
	for i := range 2 {
		y[pairs+i] = s.load(s.number(0))
	}
	y[pairs+vector] = s.load(s.number(1))
	for k := pairs - 1; k >= 0; k-- {
		pivot, first := s.load(s.kept("pivots", k)), y[k]
		for i := k + 1; i < elements; i++ {
			d := s.differing(s.same(pivot, s.bits(uint64(i))), first, y[i])
			y[k], y[i] = s.xor(y[k], d), s.xor(y[i], d)
		}
	}
	for i, x := range y {
		s.store(x, s.kept("null", vector, i))
	}
}

// list returns the elements of a matrix.
func (s *seven) list(field string, indices ...int) (list [elements]numbers) {
	for i := range list {
		list[i] = s.kept(field, append(indices[:len(indices):len(indices)], i)...)
	}
	return list
}

// orthonormal emits what makes the vectors orthonormal.
func (s *seven) orthonormal() {
	Comment("They become orthonormal.")
	u, v := s.list("null", 0), s.list("null", 1)
	s.scale(u, s.squares(u))
	d := s.load(s.number(0))
	for i, e := range u {
		d = s.add(d, s.mul(s.load(e), v[i]))
	}
	for i, e := range u {
		s.store(s.sub(v[i], s.mul(d, e)), v[i])
	}
	s.scale(v, s.squares(v))
}

// squares returns the sum of squares of m.
func (s *seven) squares(m [elements]numbers) numbers {
	sum := s.load(s.number(0))
	for _, e := range m {
		e = s.load(e)
		sum = s.add(sum, s.mul(e, e))
	}
	return sum
}

// scale divides m, in memory, by the root of a number.
func (s *seven) scale(m [elements]numbers, squared numbers) {
	inverse := s.inverseRoot(squared)
	for _, e := range m {
		s.store(s.mul(inverse, e), e)
	}
}

// cofactors emits what sets the cofactors of m, all in memory.
func (s *seven) cofactors(m, cofactors [elements]numbers) {
	for i, c := range cofactors {
		// Rows and columns after those of the element, in turn.
		r0, r1 := (i/3+1)%3*3, (i/3+2)%3*3
		c0, c1 := (i+1)%3, (i+2)%3
		s.store(s.minor(m[r0+c0], m[r0+c1], m[r1+c0], m[r1+c1]), c)
	}
}

// determinant emits what sets the coefficients of the determinant of z u + v, divided by that of z^3.
// The vectors change places if it is less than that of 1.
func (s *seven) determinant() {
	Comment("The determinant.")
	u, v := s.list("null", 0), s.list("null", 1)
	cu, cv := s.list("cofactors", 0), s.list("cofactors", 1)
	s.cofactors(u, cu)
	s.cofactors(v, cv)
	p0, p3 := s.dot(v[:3], cv[:3]), s.dot(u[:3], cu[:3])
	p1, p2 := s.load(s.number(0)), s.load(s.number(0))
	for i := range u {
		p1 = s.add(p1, s.mul(cv[i], u[i]))
		p2 = s.add(p2, s.mul(cu[i], v[i]))
	}
	less := s.compare(Less, s.and(p3, s.noSign()), s.and(p0, s.noSign()))
	p0, p3 = s.swap(less, p0, p3)
	p1, p2 = s.swap(less, p1, p2)
	for i := range u {
		x, y := s.swap(less, s.load(u[i]), s.load(v[i]))
		s.store(x, u[i])
		s.store(y, v[i])
	}
	p3 = s.choose(s.compare(equal, p3, s.number(0)), s.nan(), p3)
	for i, p := range []numbers{p0, p1, p2} {
		s.store(s.div(p, p3), s.kept("cubic", i))
	}
}

// solve emits what sets the roots of the cubic polynomial. Those that are not real are NaN.
func (s *seven) solve() {
	d, c, b := s.kept("cubic", 0), s.kept("cubic", 1), s.kept("cubic", 2)
	s.outer(b, c, d)
	Comment("The other roots.")
	r := s.kept("roots", 0)
	e := s.add(b, r)
	f := s.add(c, s.mul(r, e))
	radicand := s.sub(s.mul(e, e), s.mul(s.number(4), f))
	imaginary := s.compare(notAtLeast, radicand, s.number(0))
	root := s.or(s.and(s.sqrt(radicand), s.noSign()), s.and(e, s.sign()))
	y := s.mul(s.number(-0.5), s.add(e, root))
	none := s.compare(equal, y, s.number(0))
	z := s.choose(none, s.number(0), s.div(f, y))
	y = s.choose(none, s.number(0), y)
	for i, x := range []numbers{y, z} {
		x = s.choose(imaginary, s.nan(), x)
		s.store(x, s.kept("roots", 1+i))
	}
	for i := range 2 {
		x := s.load(s.kept("roots", 1+i))
		value := s.add(s.mul(s.add(s.mul(s.add(x, b), x), c), x), d)
		slope := s.add(s.mul(s.add(s.mul(s.number(3), x), s.mul(s.number(2), b)), x), c)
		step := s.div(value, slope)
		near := s.compare(AtMost, s.and(step, s.noSign()), s.number(1e-3))
		s.store(s.choose(near, s.sub(x, step), x), s.kept("roots", 1+i))
	}
}

// outer emits what sets the outermost root.
func (s *seven) outer(b, c, d numbers) {
	Comment("In x + b/3, that is t^3 + p t + q.")
	third := s.div(b, s.number(3))
	p := s.sub(c, s.mul(third, b))
	q := s.add(s.mul(s.sub(s.mul(s.mul(s.number(2), third), third), c), third), d)
	flip := s.only(s.compare(Greater, q, s.number(0)), s.sign())
	q = s.xor(q, flip)
	s.store(flip, s.kept("flip"))
	s.store(p, s.kept("depressed", 0))
	s.store(q, s.kept("depressed", 1))
	p, q = s.kept("depressed", 0), s.kept("depressed", 1)

	Comment("The third part of the exponent of q, and 1.")
	const least, bias = 900, 1022
	n := s.shift(s.shift(s.load(q), 1), 1-doubleSize*8+10)
	n = s.do(op.SubQuad, n, s.bits(bias-least))
	n = s.all(func(part int) Op {
		v := s.Vec()
		VPMAXSD(s.number(0)[part], n[part], v)
		return v
	})
	// Less than 0 is rounded up. The product with 1/3 is as large as 2^11 needs.
	up := s.only(s.exceeds(s.bits(least), n), s.load(s.bits(2)))
	n = s.do(op.AddQuad, n, up)
	n = s.all(func(part int) Op {
		v := s.Vec()
		VPMULUDQ(s.bits(43691)[part], n[part], v)
		return v
	})
	t := s.shift(s.do(op.AddQuad, s.shift(n, -17), s.bits(1+1023-least/3)), 52)
	root := s.mul(s.number(2), s.sqrt(s.div(s.xor(p, s.sign()), s.number(3))))
	t = s.choose(s.compare(Less, p, s.number(0)), s.do(op.MaxDouble, t, root), t)

	Comment("The start of Newton's method.")
	Align()
	Label("start")
	value := s.add(s.add(s.mul(s.mul(t, t), t), s.mul(t, p)), q)
	inside := s.compare(Less, value, s.number(0))
	s.leave(inside, "newton")
	s.set(t, s.choose(inside, s.add(t, t), t))
	JMP(LabelRef("start"))
	Label("newton")
	rounds := GP32()
	MOVL(U32(100), rounds)
	active := s.compare(equal, s.load(s.number(0)), s.number(0))
	Align()
	Label("round")
	value = s.add(s.mul(s.add(s.mul(t, t), p), t), q)
	slope := s.add(s.mul(s.mul(s.number(3), t), t), p)
	next := s.sub(t, s.div(value, slope))
	step := s.sub(t, next)
	falls := s.both(s.both(active, s.compare(Greater, slope, s.number(0))), s.compare(Greater, step, s.number(0)))
	s.set(t, s.choose(falls, next, t))
	far := s.compare(notAtMost, step, s.mul(s.number(1e-9), t))
	s.setMask(active, s.both(falls, far))
	s.leave(active, "found")
	DECL(rounds)
	JNE(LabelRef("round"))
	Label("found")
	s.store(s.sub(s.xor(t, s.kept("flip")), s.div(b, s.number(3))), s.kept("roots", 0))
}

// matrices emits what sets the fundamental matrices of the roots, and which of them the pairs are
// oriented for.
func (s *seven) matrices() {
	root, output, found, end := GP64(), GP64(), GP64(), GP64()
	LEAQ(s.kept("roots", 0)[0], root)
	LEAQ(s.at(s.argument.Field("f").Index(0).Index(0))[0], output)
	LEAQ(Address(s.argument.Field("found").Index(0)), found)
	LEAQ(s.kept("roots", 0)[0].(Mem).Offset(roots*lanesSize), end)
	Align()
	Label("root")
	Comment("The matrix.")
	z := numbers{s.Load(Mem{Base: root})}
	u, v := s.list("null", 0), s.list("null", 1)
	var f [elements]numbers
	sum := s.load(s.number(0))
	for i := range f {
		e := s.add(s.mul(z, u[i]), v[i])
		sum = s.add(sum, s.mul(e, e))
		f[i] = s.column(output, i)
		s.store(e, f[i])
	}
	s.scale(f, sum)
	usable := s.both(s.compare(Greater, sum, s.number(0)), s.compare(AtMost, sum, s.number(math.MaxFloat64)))
	good := s.maskBits(usable[0])
	Comment("The epipole.")
	c := s.list("cofactors", 0)
	s.cofactors(f, c)
	var e [3]numbers
	var best numbers
	for k := range 3 {
		column := []numbers{s.load(c[k]), s.load(c[3+k]), s.load(c[6+k])}
		squares := s.dot(column, column)
		if k == 0 {
			best, e = squares, [3]numbers(column)
			continue
		}
		longer := s.compare(Greater, squares, best)
		best = s.choose(longer, squares, best)
		for i := range e {
			e[i] = s.choose(longer, column[i], e[i])
		}
	}
	Comment("The orientation.")
	g := s.list("cofactors", 1)
	for i := range g {
		r, k := i/3, i%3
		// Row r of the cross product with e times f.
		p, q := (r+1)%3, (r+2)%3
		s.store(s.minor(e[p], e[q], f[3*p+k], f[3*q+k]), g[i])
	}
	below, above := s.load(s.number(0)), s.load(s.number(0))
	zero := s.load(s.number(0))
	for i := range pairs {
		x, y := s.load(s.given("x", i)), s.load(s.given("y", i))
		var row [3]numbers
		for r := range row {
			row[r] = s.add(s.add(s.mul(x, g[3*r]), s.mul(y, g[3*r+1])), g[3*r+2])
		}
		sum := s.add(s.add(s.mul(row[0], s.given("u", i)), s.mul(row[1], s.given("v", i))), row[2])
		below, above = s.or(below, sum), s.or(above, s.sub(zero, sum))
	}
	wrong := s.signs(s.and(below, above)[0])
	NOTL(wrong)
	ANDL(wrong, good)
	if s.ISA == AVX2 {
		last := GP32() // those of the part before
		MOVBLZX(Mem{Base: found}, last)
		SHLL(U8(s.Bytes/doubleSize), last)
		ORL(last, good)
	}
	MOVB(good.(GPVirtual).As8(), Mem{Base: found})
	INCQ(found)
	ADDQ(I32(elements*lanesSize), output)
	ADDQ(U8(lanesSize), root)
	CMPQ(root, end)
	JLT(LabelRef("root"))
}
