package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	floatSize  = 4
	doubleSize = 8
)

// refineLanes is the number of points that are refined at once.
const refineLanes = 8

// refineSample emits the function that interpolates the windows of several points, one in each
// lane of floats.
//
// For each row, the pixels of all lanes are first put in the order of the samples: 8 columns at
// a time, the last of which end with the row.
func refineSample(isa vec.ISA) {
	const columns, pixel = 8, refineLanes * floatSize
	r := vec.Func("refineSample" + isa.Name)
	stride, side := Load(r.Field("stride"), GP64()), Load(r.Field("side"), GP64())
	pix := Load(r.Field("pix").Base(), GP64())
	below, out := Load(r.Field("rows").Base(), GP64()), Load(r.Field("out").Base(), GP64())
	field := func(name string, i int) Mem { return vec.Address(r.Field(name).Index(i)) }
	weight := func(i int) Mem { return vec.Address(r.Field("weights").Index(i).Index(0)) }
	weights := [2]Register{isa.Load(weight(0)), isa.Load(weight(1))}
	ratio, least, most := isa.Load(field("ratio32", 0)), isa.Load(field("least", 0)), isa.Load(field("most", 0))
	row, last, rows, end := vec.Counter(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: side, Disp: 1}, rows)
	LEAQ(Mem{Base: side, Disp: 1 - columns}, last)
	MOVQ(side, end)
	SHLQ(U8(5), end)
	above := GP64() // the pixels of the row before
	LEAQ(Mem{Base: below, Index: end, Scale: 1, Disp: pixel}, above)

	x := GP64()
	Label("rows")
	XORQ(x, x)
	vec.Align()
	Label("pixels")
	at, start, to := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: row, Index: x, Scale: 1}, at)
	ADDQ(pix, at)
	var pairs [refineLanes / 2]VecVirtual // of lanes
	for i := range pairs {
		var two [2]VecVirtual
		for k := range two {
			two[k] = XMM()
			Load(r.Field("start").Index(2*i+k), start)
			VMOVQ(Mem{Base: at, Index: start, Scale: 1}, two[k])
		}
		VPUNPCKLBW(two[1], two[0], two[0])
		pairs[i] = two[0]
	}
	var fours [2]VecVirtual // the upper half of a vector has the lanes after those of its lower half
	for i := range fours {
		fours[i] = isa.Vec()
		VINSERTI128(U8(1), pairs[2+i], pairs[i].AsY(), fours[i])
	}
	low, high := isa.Vec(), isa.Vec()
	VPUNPCKLWD(fours[1], fours[0], low)
	VPUNPCKHWD(fours[1], fours[0], high)
	MOVQ(x, to)
	SHLQ(U8(5), to)
	ADDQ(below, to)
	for i := range columns {
		v := isa.Vec()
		VPSHUFB(spread().Offset(i%4*isa.Bytes), [2]VecVirtual{low, high}[i/4], v)
		VCVTDQ2PS(v, v)
		isa.Store(v, Mem{Base: to, Disp: i * pixel})
	}
	CMPQ(x, last)
	JEQ(LabelRef("samples"))
	ADDQ(U8(columns), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("pixels"))

	Label("samples")
	TESTQ(row, row)
	JEQ(LabelRef("next"))
	// weigh sets dst to the weighted sum of the pixels in a column.
	weigh := func(weight0, weight1 Op, column int, dst Register) {
		v := isa.Do(op.MulFloat, isa.Register(weight0), Mem{Base: above, Index: x, Scale: 1, Disp: column * pixel})
		w := isa.Do(op.MulFloat, isa.Register(weight1), Mem{Base: below, Index: x, Scale: 1, Disp: column * pixel})
		isa.DoTo(op.AddFloat, v, w, dst)
	}
	left, left2, right := isa.Vec(), isa.Vec(), isa.Vec()
	begin := func() {
		XORQ(x, x)
		weigh(weight(2), weight(3), 0, left)
		isa.DoTo(op.MulFloat, left, field("first", 0), left)
	}
	store := func(column int) {
		isa.DoTo(op.AddFloat, left, right, left)
		isa.Store(left, Mem{Base: out, Index: x, Scale: 1, Disp: column * pixel})
	}
	doubt := isa.Zero()
	begin()
	isa.Move(left, left2)
	weigh(weights[0], weights[1], 1, right)
	// sample stores a sample, and computes the next pixel's share of the next one for the
	// least and for the most ratio. Units that multiply are the bound, so others compare.
	sample := func(column int) {
		isa.DoTo(op.SubFloat, left2, left, left2)
		isa.DoTo(op.AddFloat, doubt, left2, doubt)
		store(column)
		isa.DoTo(op.MulFloat, right, least, left)
		isa.DoTo(op.MulFloat, right, most, left2)
		VFMADD231PS(ratio, right, left)
		VFMADD231PS(ratio, right, left2)
	}
	SUBQ(U8(pixel), end)
	vec.Align()
	Label("columns")
	sample(0)
	weigh(weights[0], weights[1], 2, right)
	ADDQ(U8(pixel), x)
	CMPQ(x, end)
	JLT(LabelRef("columns"))
	sample(0)
	ADDQ(U8(pixel), end)
	VPTEST(doubt, doubt)
	JEQ(LabelRef("sampled"))
	// Some of these are not known precisely enough.
	begin()
	Label("precise")
	weigh(weights[0], weights[1], 1, right)
	store(0)
	var halves [2]VecVirtual
	for i := range halves {
		h := right.AsX()
		if i > 0 {
			v := XMM()
			VEXTRACTF128(U8(1), right, v)
			h = v
		}
		halves[i] = isa.Vec()
		VCVTPS2PD(h, halves[i])
		isa.DoTo(op.MulDouble, halves[i], field("ratio", 4*i), halves[i])
		VCVTPD2PSY(halves[i], halves[i].AsX())
	}
	VINSERTF128(U8(1), halves[1].AsX(), halves[0], left)
	ADDQ(U8(pixel), x)
	CMPQ(x, end)
	JLT(LabelRef("precise"))
	Label("sampled")
	ADDQ(end, out)
	Label("next")
	XCHGQ(above, below)
	ADDQ(stride, row)
	DECQ(rows)
	JNE(LabelRef("rows"))
	isa.End()
}

// spread returns four tables, with which VPSHUFB moves the bytes of one of four columns in each
// half of a vector to its numbers of 32 bits.
var spread = vec.ByteTable("spread", 4*32, func(i int) uint8 {
	if i%4 > 0 {
		return 0x80
	}
	return uint8(i/32*4 + i/4%4)
})

// refineMoments emits the function that adds up the moments of the gradients in the windows of
// several points, one in each lane. Every lane adds its terms in the order of the pixels.
func refineMoments(isa vec.ISA) {
	const pixel = refineLanes * floatSize // of gradients and of samples
	floats := vec.AVX2                    // whose vectors are that long
	r := vec.Func("refineMoments" + isa.Name)
	load := func(field string) Register { return Load(r.Field(field).Base(), GP64()) }
	center, gradientsX, weights, offsets := load("samples"), load("gradients"), load("weights"), load("offsets")
	n := Load(r.Field("offsets").Len(), GP64())
	row, up := GP64(), GP64() // the size of a row of samples, and its negative
	LEAQ(Mem{Base: n, Disp: 2}, row)
	IMUL3Q(U8(pixel), row, row)
	MOVQ(row, up)
	NEGQ(up)
	LEAQ(Mem{Base: center, Index: row, Scale: 1, Disp: pixel}, center)
	end, last, gradientsY := GP64(), GP64(), GP64() // of a row of doubles, and before its last two
	MOVQ(n, end)
	SHLQ(U8(3), end)
	LEAQ(Mem{Base: end, Disp: -2 * doubleSize}, last)
	LEAQ(Mem{Base: gradientsX, Index: end, Scale: pixel / doubleSize}, gradientsY)
	groups := refineLanes * doubleSize / isa.Bytes
	sums := make([][5]Mem, groups)
	zero := isa.Zero()
	for group := range sums {
		for i := range sums[group] {
			sums[group][i] = vec.Address(r.Field("sums").Index(i).Index(0)).Offset(group * isa.Bytes)
			isa.Store(zero, sums[group][i])
		}
	}
	broadcast := func(m Mem) Register {
		v := isa.Vec()
		VBROADCASTSD(m, v)
		return v
	}
	product := func(a, b Op) VecVirtual { return isa.Do(op.MulDouble, a, b) }
	// scaler returns a function that multiplies with a number.
	scaler := func(m Mem) func(v Register) VecVirtual {
		if isa == vec.AVX512 {
			return func(v Register) VecVirtual {
				w := isa.Vec()
				VMULPD_BCST(m, v, w)
				return w
			}
		}
		factor := broadcast(m)
		return func(v Register) VecVirtual { return product(v, factor) }
	}
	y, x := vec.Counter(), GP64()

	Label("rows")
	XORQ(x, x)
	vec.Loop("gradients", x, end, doubleSize, func() {
		for _, difference := range [][3]Mem{
			{{Base: center, Disp: pixel}, {Base: center, Disp: -pixel}, {Base: gradientsX, Index: x, Scale: pixel / doubleSize}},
			{{Base: center, Index: row, Scale: 1}, {Base: center, Index: up, Scale: 1}, {Base: gradientsY, Index: x, Scale: pixel / doubleSize}},
		} {
			floats.Store(floats.Do(op.SubFloat, floats.Load(difference[0]), difference[1]), difference[2])
		}
		ADDQ(U8(pixel), center)
	})
	offsetY := broadcast(Mem{Base: offsets, Index: y, Scale: doubleSize})
	// addRow adds the moments of a row. exact says that products with offsetY are, so that they
	// need no rounding of their own.
	addRow := func(group int, exact bool) {
		var sum [5]VecVirtual
		for i := range sum {
			sum[i] = isa.Load(sums[group][i])
		}
		// The schedulers of a processor have too little room for all that is to be done for a
		// pixel, so the next pixels are on their way while it is added.
		gx, gy, xx, xy, yy := isa.Vec(), isa.Vec(), isa.Vec(), isa.Vec(), isa.Vec()
		// gradient sets gx and gy of a pixel after that at x.
		gradient := func(after int) {
			disp := after*pixel + group*isa.Bytes/2
			VCVTPS2PD(Mem{Base: gradientsX, Index: x, Scale: pixel / doubleSize, Disp: disp}, gx)
			VCVTPS2PD(Mem{Base: gradientsY, Index: x, Scale: pixel / doubleSize, Disp: disp}, gy)
		}
		// multiply sets xx, xy and yy from gx and gy. Products of floats are exact.
		multiply := func(after int) {
			weigh := scaler(Mem{Base: weights, Index: x, Scale: 1, Disp: after * doubleSize})
			weighted := weigh(gx)
			isa.DoTo(op.MulDouble, weighted, gx, xx)
			isa.DoTo(op.MulDouble, weighted, gy, xy)
			isa.DoTo(op.MulDouble, weigh(gy), gy, yy)
		}
		// add adds the moments of a pixel.
		add := func(after int) {
			timesX := scaler(Mem{Base: offsets, Index: x, Scale: 1, Disp: after * doubleSize})
			for i, v := range []Register{xx, xy, yy} {
				isa.DoTo(op.AddDouble, sum[i], v, sum[i])
			}
			for i, pair := range [][2]Register{{xx, xy}, {xy, yy}} {
				v := timesX(pair[0])
				if exact {
					VFMADD231PD(offsetY, pair[1], v)
				} else {
					isa.DoTo(op.AddDouble, v, product(pair[1], offsetY), v)
				}
				isa.DoTo(op.AddDouble, sum[3+i], v, sum[3+i])
			}
		}
		XORQ(x, x)
		gradient(0)
		multiply(0)
		gradient(1)
		vec.Loop(fmt.Sprintf("columns%d%t", group, exact), x, last, doubleSize, func() {
			add(0)
			multiply(1)
			gradient(2)
		})
		add(0)
		multiply(1)
		add(1)
		for i := range sum {
			isa.Store(sum[i], sums[group][i])
		}
	}
	// They are if it is 0 or a power of 2, and then its square is, too.
	square, less := GP64(), GP64()
	MOVQ(n, square)
	SHRQ(U8(1), square)
	SUBQ(y, square)
	IMULQ(square, square)
	LEAQ(Mem{Base: square, Disp: -1}, less)
	TESTQ(square, less)
	JNE(LabelRef("inexact"))
	for group := range sums {
		addRow(group, true)
	}
	JMP(LabelRef("added"))
	Label("inexact")
	for group := range sums {
		addRow(group, false)
	}
	Label("added")
	ADDQ(end, weights)
	ADDQ(U8(2*pixel), center)
	INCQ(y)
	CMPQ(y, n)
	JLT(LabelRef("rows"))
	isa.End()
}
