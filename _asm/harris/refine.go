package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

const (
	floatSize  = 4
	doubleSize = 8
)

// refineElements is the number of points that are refined at once.
const refineElements = 8

const (
	sampleColumns = 8 // of pixels that are put in order at once
	pixelBytes    = refineElements * floatSize
)

// A refineSampler is what refineSample is made of.
type refineSampler struct {
	ISA
	r Component
	// row is the offset of the row of pixels, and x one in it. rows is the number of rows that
	// are left, and last the last x at which pixels are put in order.
	row, x, rows, last Register
	above, below       Register // the pixels of the row before and of this one, in order
	out                Register
	end                Register // the size of a row of samples
	weights            [2]Register
	// ratio is that of the weights of neighboring columns, rounded to a float, and least and most
	// are bounds of what it lacks.
	ratio, least, most Register
	// left is the share of the pixels to the left in a sample, and left2 the same for the most
	// ratio. right is the share of those to the right.
	left, left2, right VecVirtual
	doubt              Register // not 0 in elements whose left2 has differed
}

// field returns the place of an element of a field.
func (s *refineSampler) field(name string, i int) Mem { return Address(s.r.Field(name).Index(i)) }

// weight returns the place of a weight of all elements.
func (s *refineSampler) weight(i int) Mem {
	return Address(s.r.Field("weights").Index(i).Index(0))
}

// refineSample emits the function that interpolates the windows of several points, one in each
// element of floats.
//
// For each row, the pixels of all elements are first put in the order of the samples: 8 columns at
// a time, the last of which end with the row.
func refineSample(isa ISA) {
	s := &refineSampler{ISA: isa, r: Func("refineSample" + isa.Name)}
	stride, side := Load(s.r.Field("stride"), GP64()), Load(s.r.Field("side"), GP64())
	pix := Load(s.r.Field("pix").Base(), GP64())
	s.below, s.out = Load(s.r.Field("rows").Base(), GP64()), Load(s.r.Field("out").Base(), GP64())
	s.weights = [2]Register{isa.Load(s.weight(0)), isa.Load(s.weight(1))}
	s.ratio, s.least, s.most = isa.Load(s.field("ratio32", 0)), isa.Load(s.field("least", 0)), isa.Load(s.field("most", 0))
	s.row, s.last, s.rows, s.end = Counter(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: side, Disp: 1}, s.rows)
	LEAQ(Mem{Base: side, Disp: 1 - sampleColumns}, s.last)
	MOVQ(side, s.end)
	SHLQ(U8(5), s.end)
	s.above = GP64()
	LEAQ(Mem{Base: s.below, Index: s.end, Scale: 1, Disp: pixelBytes}, s.above)

	s.x = GP64()
	Label("rows")
	s.order(pix)
	Label("samples")
	TESTQ(s.row, s.row)
	JEQ(LabelRef("next"))
	s.samples()
	s.precise()
	Label("sampled")
	ADDQ(s.end, s.out)
	Comment("The next row.")
	Label("next")
	XCHGQ(s.above, s.below)
	ADDQ(stride, s.row)
	DECQ(s.rows)
	JNE(LabelRef("rows"))
	isa.End()
}

// order puts the pixels of a row in the order of the samples, as floats.
func (s *refineSampler) order(pix Register) {
	Comment("The pixels of the row, those of the same column next to each other.")
	XORQ(s.x, s.x)
	Align()
	Label("pixels")
	at, start, to := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: s.row, Index: s.x, Scale: 1}, at)
	ADDQ(pix, at)
	var pairs [refineElements / 2]VecVirtual // of elements
	for i := range pairs {
		var two [2]VecVirtual
		for k := range two {
			two[k] = XMM()
			Load(s.r.Field("start").Index(2*i+k), start)
			VMOVQ(Mem{Base: at, Index: start, Scale: 1}, two[k])
		}
		VPUNPCKLBW(two[1], two[0], two[0])
		pairs[i] = two[0]
	}
	var fours [2]VecVirtual // the upper half of a vector has the elements after those of its lower half
	for i := range fours {
		fours[i] = s.Vec()
		VINSERTI128(U8(1), pairs[2+i], pairs[i].AsY(), fours[i])
	}
	low, high := s.Vec(), s.Vec()
	VPUNPCKLWD(fours[1], fours[0], low)
	VPUNPCKHWD(fours[1], fours[0], high)
	MOVQ(s.x, to)
	SHLQ(U8(5), to)
	ADDQ(s.below, to)
	for i := range sampleColumns {
		v := s.Vec()
		VPSHUFB(spread().Offset(i%4*s.Bytes), [2]VecVirtual{low, high}[i/4], v)
		VCVTDQ2PS(v, v)
		s.Store(v, Mem{Base: to, Disp: i * pixelBytes})
	}
	CMPQ(s.x, s.last)
	JEQ(LabelRef("samples"))
	ADDQ(U8(sampleColumns), s.x)
	CMPQ(s.x, s.last)
	CMOVQGT(s.last, s.x)
	JMP(LabelRef("pixels"))
}

// weigh sets dst to the weighted sum of the pixels in a column.
func (s *refineSampler) weigh(weight0, weight1 Op, column int, dst Register) {
	v := s.Do(op.MulFloat, s.Register(weight0), Mem{Base: s.above, Index: s.x, Scale: 1, Disp: column * pixelBytes})
	w := s.Do(op.MulFloat, s.Register(weight1), Mem{Base: s.below, Index: s.x, Scale: 1, Disp: column * pixelBytes})
	s.DoTo(op.AddFloat, v, w, dst)
}

// begin begins a row of samples.
func (s *refineSampler) begin() {
	XORQ(s.x, s.x)
	s.weigh(s.weight(2), s.weight(3), 0, s.left)
	s.DoTo(op.MulFloat, s.left, s.field("first", 0), s.left)
}

// store stores a sample.
func (s *refineSampler) store() {
	s.DoTo(op.AddFloat, s.left, s.right, s.left)
	s.Store(s.left, Mem{Base: s.out, Index: s.x, Scale: 1})
}

// sample stores a sample, and computes the next pixel's share of the next one for the
// least and for the most ratio. Units that multiply are the bound, so others compare.
func (s *refineSampler) sample() {
	s.DoTo(op.SubFloat, s.left2, s.left, s.left2)
	s.DoTo(op.AddFloat, s.doubt, s.left2, s.doubt)
	s.store()
	s.DoTo(op.MulFloat, s.right, s.least, s.left)
	s.DoTo(op.MulFloat, s.right, s.most, s.left2)
	VFMADD231PS(s.ratio, s.right, s.left)
	VFMADD231PS(s.ratio, s.right, s.left2)
}

// samples emits a row of samples with bounds of the ratio. It jumps to sampled if both bounds
// give the same samples.
func (s *refineSampler) samples() {
	s.left, s.left2, s.right = s.Vec(), s.Vec(), s.Vec()
	Comment("The samples between the rows before and this one, with both bounds of the ratio.")
	s.doubt = s.Zero()
	s.begin()
	s.Move(s.left, s.left2)
	s.weigh(s.weights[0], s.weights[1], 1, s.right)
	SUBQ(U8(pixelBytes), s.end)
	Align()
	Label("columns")
	s.sample()
	s.weigh(s.weights[0], s.weights[1], 2, s.right)
	ADDQ(U8(pixelBytes), s.x)
	CMPQ(s.x, s.end)
	JLT(LabelRef("columns"))
	s.sample()
	ADDQ(U8(pixelBytes), s.end)
	VPTEST(s.doubt, s.doubt)
	JEQ(LabelRef("sampled"))
}

// precise emits a row of samples with the ratio as a double.
func (s *refineSampler) precise() {
	Comment("Some of these are not known precisely enough: the ratio as a double.")
	s.begin()
	Label("precise")
	s.weigh(s.weights[0], s.weights[1], 1, s.right)
	s.store()
	var halves [2]VecVirtual
	for i := range halves {
		h := s.right.AsX()
		if i > 0 {
			v := XMM()
			VEXTRACTF128(U8(1), s.right, v)
			h = v
		}
		halves[i] = s.Vec()
		VCVTPS2PD(h, halves[i])
		s.DoTo(op.MulDouble, halves[i], s.field("ratio", 4*i), halves[i])
		VCVTPD2PSY(halves[i], halves[i].AsX())
	}
	VINSERTF128(U8(1), halves[1].AsX(), halves[0], s.left)
	ADDQ(U8(pixelBytes), s.x)
	CMPQ(s.x, s.end)
	JLT(LabelRef("precise"))
}

// spread returns four tables, with which VPSHUFB moves the bytes of one of four columns in each
// half of a vector to its numbers of 32 bits.
var spread = ByteTable("spread", 4*32, func(i int) uint8 {
	if i%4 > 0 {
		return 0x80
	}
	return uint8(i/32*4 + i/4%4)
})

// A refineAdder is what refineMoments is made of.
type refineAdder struct {
	ISA
	center                 Register // the sample that a gradient is of
	gradientsX, gradientsY Register
	weights                Register // those of the row
	x                      Register // the offset of a pixel in rows of doubles
	row, up                Register // the size of a row of samples, and its negative
	end, last              Register // the size of a row of doubles, and that without the last two
	offsetY                Register
	offsets                Register
	// sums are those of the elements that fill a vector of doubles.
	sums [][5]Mem
	// The gradient of a pixel, and its weighted products.
	gx, gy, xx, xy, yy VecVirtual
}

// refineMoments emits the function that adds up the moments of the gradients in the windows of
// several points, one in each element. Every element adds its terms in the order of the pixels.
func refineMoments(isa ISA) {
	r := Func("refineMoments" + isa.Name)
	load := func(field string) Register { return Load(r.Field(field).Base(), GP64()) }
	a := &refineAdder{ISA: isa}
	a.center, a.gradientsX, a.weights, a.offsets = load("samples"), load("gradients"), load("weights"), load("offsets")
	n := Load(r.Field("offsets").Len(), GP64())
	a.row, a.up = GP64(), GP64()
	LEAQ(Mem{Base: n, Disp: 2}, a.row)
	IMUL3Q(U8(pixelBytes), a.row, a.row)
	MOVQ(a.row, a.up)
	NEGQ(a.up)
	LEAQ(Mem{Base: a.center, Index: a.row, Scale: 1, Disp: pixelBytes}, a.center)
	a.end, a.last, a.gradientsY = GP64(), GP64(), GP64()
	MOVQ(n, a.end)
	SHLQ(U8(3), a.end)
	LEAQ(Mem{Base: a.end, Disp: -2 * doubleSize}, a.last)
	LEAQ(Mem{Base: a.gradientsX, Index: a.end, Scale: pixelBytes / doubleSize}, a.gradientsY)
	a.sums = make([][5]Mem, refineElements*doubleSize/isa.Bytes)
	zero := isa.Zero()
	for group := range a.sums {
		for i := range a.sums[group] {
			a.sums[group][i] = Address(r.Field("sums").Index(i).Index(0)).Offset(group * isa.Bytes)
			isa.Store(zero, a.sums[group][i])
		}
	}
	y := Counter()
	a.x = GP64()

	Label("rows")
	a.gradients()
	a.offsetY = a.broadcast(Mem{Base: a.offsets, Index: y, Scale: doubleSize})
	Comment("The products with offsetY are exact if it is 0 or a power of 2, and then its square is, too.")
	square, less := GP64(), GP64()
	MOVQ(n, square)
	SHRQ(U8(1), square)
	SUBQ(y, square)
	IMULQ(square, square)
	LEAQ(Mem{Base: square, Disp: -1}, less)
	TESTQ(square, less)
	JNE(LabelRef("inexact"))
	for group := range a.sums {
		a.addRow(group, true)
	}
	JMP(LabelRef("added"))
	Label("inexact")
	for group := range a.sums {
		a.addRow(group, false)
	}
	Label("added")
	ADDQ(a.end, a.weights)
	ADDQ(U8(2*pixelBytes), a.center)
	INCQ(y)
	CMPQ(y, n)
	JLT(LabelRef("rows"))
	isa.End()
}

// gradients emits the gradients of a row.
func (a *refineAdder) gradients() {
	Comment("The gradients of the row.")
	floats := AVX2 // whose vectors are as long as the elements
	XORQ(a.x, a.x)
	Loop("gradients", a.x, a.end, doubleSize, func() {
		for _, difference := range [][3]Mem{
			{{Base: a.center, Disp: pixelBytes}, {Base: a.center, Disp: -pixelBytes}, a.gradient(a.gradientsX, 0)},
			{{Base: a.center, Index: a.row, Scale: 1}, {Base: a.center, Index: a.up, Scale: 1}, a.gradient(a.gradientsY, 0)},
		} {
			floats.Store(floats.Do(op.SubFloat, floats.Load(difference[0]), difference[1]), difference[2])
		}
		ADDQ(U8(pixelBytes), a.center)
	})
}

// gradient returns the place some bytes beyond the gradients at x.
func (a *refineAdder) gradient(gradients Register, disp int) Mem {
	return Mem{Base: gradients, Index: a.x, Scale: pixelBytes / doubleSize, Disp: disp}
}

func (a *refineAdder) broadcast(m Mem) Register {
	v := a.Vec()
	VBROADCASTSD(m, v)
	return v
}

func (a *refineAdder) product(x, y Op) VecVirtual { return a.Do(op.MulDouble, x, y) }

// scaler returns a function that multiplies with a number.
func (a *refineAdder) scaler(m Mem) func(v Register) VecVirtual {
	if a.ISA == AVX512 {
		return func(v Register) VecVirtual {
			w := a.Vec()
			VMULPD_BCST(m, v, w)
			return w
		}
	}
	factor := a.broadcast(m)
	return func(v Register) VecVirtual { return a.product(v, factor) }
}

// addRow adds the moments of a row to the sums of a group. exact says that products with offsetY
// are, so that they need no rounding of their own.
//
// The schedulers of a processor have too little room for all that is to be done for a pixel, so
// the next pixels are on their way while it is added.
func (a *refineAdder) addRow(group int, exact bool) {
	Comment("The moments of the row.")
	var sum [5]VecVirtual
	for i := range sum {
		sum[i] = a.Load(a.sums[group][i])
	}
	a.gx, a.gy, a.xx, a.xy, a.yy = a.Vec(), a.Vec(), a.Vec(), a.Vec(), a.Vec()
	XORQ(a.x, a.x)
	a.convert(group, 0)
	a.multiply(0)
	a.convert(group, 1)
	Loop(fmt.Sprintf("columns%d%t", group, exact), a.x, a.last, doubleSize, func() {
		a.add(sum, 0, exact)
		a.multiply(1)
		a.convert(group, 2)
	})
	a.add(sum, 0, exact)
	a.multiply(1)
	a.add(sum, 1, exact)
	for i := range sum {
		a.Store(sum[i], a.sums[group][i])
	}
}

// convert sets gx and gy to the gradient of the pixel some places after that at x.
func (a *refineAdder) convert(group, after int) {
	disp := after*pixelBytes + group*a.Bytes/2
	VCVTPS2PD(a.gradient(a.gradientsX, disp), a.gx)
	VCVTPS2PD(a.gradient(a.gradientsY, disp), a.gy)
}

// multiply sets xx, xy and yy from gx and gy. Products of floats are exact.
func (a *refineAdder) multiply(after int) {
	weigh := a.scaler(Mem{Base: a.weights, Index: a.x, Scale: 1, Disp: after * doubleSize})
	weighted := weigh(a.gx)
	a.DoTo(op.MulDouble, weighted, a.gx, a.xx)
	a.DoTo(op.MulDouble, weighted, a.gy, a.xy)
	a.DoTo(op.MulDouble, weigh(a.gy), a.gy, a.yy)
}

// add adds the moments of a pixel to sum.
func (a *refineAdder) add(sum [5]VecVirtual, after int, exact bool) {
	timesX := a.scaler(Mem{Base: a.offsets, Index: a.x, Scale: 1, Disp: after * doubleSize})
	for i, v := range []Register{a.xx, a.xy, a.yy} {
		a.DoTo(op.AddDouble, sum[i], v, sum[i])
	}
	for i, pair := range [][2]Register{{a.xx, a.xy}, {a.xy, a.yy}} {
		v := timesX(pair[0])
		if exact {
			VFMADD231PD(a.offsetY, pair[1], v)
		} else {
			a.DoTo(op.AddDouble, v, a.product(pair[1], a.offsetY), v)
		}
		a.DoTo(op.AddDouble, sum[3+i], v, sum[3+i])
	}
}
