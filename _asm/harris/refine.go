package main

import (
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	floatSize  = 4
	doubleSize = 8
)

// half returns the lower half of a register of doubles, for as many floats.
func half(isa vec.ISA, v VecVirtual) Register {
	if isa == vec.AVX512 {
		return v.AsY()
	}
	return v.AsX()
}

// refineSample emits the function that interpolates the windows of several points, one in each
// lane.
//
// For each row, the pixels of all lanes are first put in the order of the samples: 8 columns at
// a time, the last of which end with the row. The samples of the first row of pixels have no
// upper pixels; they are replaced by those of the second.
func refineSample(isa vec.ISA) {
	const columns = 8
	lanes := isa.Bytes / doubleSize
	r := vec.Func("refineSample" + isa.Name)
	stride, side := Load(r.Field("stride"), GP64()), Load(r.Field("side"), GP64())
	pixels, upper := Load(r.Field("pixels").Base(), GP64()), Load(r.Field("upper").Base(), GP64())
	out := Load(r.Field("out").Base(), GP64())
	load := func(m Mem) Register {
		v := half(isa, isa.Vec())
		VMOVUPS(m, v)
		return v
	}
	var weights [4]Register
	for i := range weights {
		weights[i] = load(vec.Address(r.Field("weights").Index(i).Index(0)))
	}
	first := load(vec.Address(r.Field("first").Index(0)))
	ratio := isa.Load(vec.Address(r.Field("ratio").Index(0)))
	rows, row, x, last := GP64(), vec.Counter(), GP64(), GP64()
	LEAQ(Mem{Base: side, Disp: 1}, rows)
	LEAQ(Mem{Base: side, Disp: 1 - columns}, last)
	next, line := GP64(), GP64()
	MOVQ(out, next)

	Label("rows")
	XORQ(x, x)
	vec.Align()
	Label("pixels")
	at, src := GP64(), GP64()
	LEAQ(Mem{Base: row, Index: x, Scale: 1}, at)
	list := make([]VecVirtual, lanes)
	for i := range list {
		list[i] = XMM()
		Load(r.Field("src").Index(i).Base(), src)
		VMOVQ(Mem{Base: src, Index: at, Scale: 1}, list[i])
	}
	// Each step interleaves the columns of twice as many lanes.
	steps := [][2]func(...Op){
		{VPUNPCKLBW}, {VPUNPCKLWD, VPUNPCKHWD}, {VPUNPCKLDQ, VPUNPCKHDQ},
	}
	groups := make([][]VecVirtual, lanes) // the registers with the columns of some lanes
	for i, v := range list {
		groups[i] = []VecVirtual{v}
	}
	for _, step := range steps {
		if len(groups) == 1 {
			break
		}
		var merged [][]VecVirtual
		for i := 0; i < len(groups); i += 2 {
			var group []VecVirtual
			for k, v := range groups[i] {
				for _, interleave := range step {
					if interleave != nil {
						w := XMM()
						interleave(groups[i+1][k], v, w)
						group = append(group, w)
					}
				}
			}
			merged = append(merged, group)
		}
		groups = merged
	}
	for i, v := range groups[0] {
		VMOVDQU(v, Mem{Base: pixels, Index: x, Scale: uint8(lanes), Disp: 16 * i})
	}
	CMPQ(x, last)
	JEQ(LabelRef("samples"))
	ADDQ(U8(columns), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("pixels"))

	Label("samples")
	// column returns the pixels at x in this row and in the one before.
	column := func() (above, below Register) {
		above = load(Mem{Base: upper, Index: x, Scale: floatSize})
		below = half(isa, isa.Vec())
		VPMOVZXBD(Mem{Base: pixels, Index: x, Scale: 1}, below)
		VCVTDQ2PS(below, below)
		VMOVUPS(below, Mem{Base: upper, Index: x, Scale: floatSize})
		return above, below
	}
	weigh := func(above, below, weight0, weight1, dst Register) {
		VMULPS(weight0, above, above)
		VMULPS(weight1, below, below)
		VADDPS(below, above, dst)
	}
	left := isa.Vec()
	XORQ(x, x)
	above, below := column()
	weigh(above, below, weights[2], weights[3], half(isa, left))
	VMULPS(first, half(isa, left), half(isa, left))
	end := GP64()
	MOVQ(side, end)
	IMUL3Q(U8(lanes), end, end)
	MOVQ(next, line)
	vec.Align()
	Label("columns")
	ADDQ(U8(lanes), x)
	above, below = column()
	right := isa.Vec()
	weigh(above, below, weights[0], weights[1], half(isa, right))
	VADDPS(half(isa, right), half(isa, left), half(isa, left))
	VMOVUPS(half(isa, left), Mem{Base: next})
	ADDQ(U8(lanes*floatSize), next)
	VCVTPS2PD(half(isa, right), left)
	VMULPD(ratio, left, left)
	if isa == vec.AVX512 {
		VCVTPD2PS(left, left.AsY())
	} else {
		VCVTPD2PSY(left, left.AsX())
	}
	CMPQ(x, end)
	JLT(LabelRef("columns"))
	TESTQ(row, row)
	CMOVQEQ(line, next)
	ADDQ(stride, row)
	DECQ(rows)
	JNE(LabelRef("rows"))
	isa.End()
}

// refineMoments emits the function that adds up the moments of the gradients in the windows of
// several points, one in each lane. Every lane adds its terms in the order of the pixels.
func refineMoments(isa vec.ISA) {
	lanes := isa.Bytes / doubleSize
	r := vec.Func("refineMoments" + isa.Name)
	center := Load(r.Field("samples").Base(), GP64())
	weights, offsets := Load(r.Field("weights").Base(), GP64()), Load(r.Field("offsets").Base(), GP64())
	n := Load(r.Field("offsets").Len(), GP64())
	row := GP64() // the size of a row of samples
	LEAQ(Mem{Base: n, Disp: 2}, row)
	IMUL3Q(U8(lanes*floatSize), row, row)
	LEAQ(Mem{Base: center, Index: row, Scale: 1, Disp: lanes * floatSize}, center)
	var sums [5]Register
	for i := range sums {
		sums[i] = isa.Zero()
	}
	// difference returns the difference of two samples in doubles.
	difference := func(a, b Mem) Register {
		v := isa.Vec()
		VMOVUPS(a, half(isa, v))
		VSUBPS(b, half(isa, v), half(isa, v))
		VCVTPS2PD(half(isa, v), v)
		return v
	}
	broadcast := func(m Mem) Register {
		v := isa.Vec()
		VBROADCASTSD(m, v)
		return v
	}
	y := vec.Counter()
	x := GP64()
	Label("rows")
	offsetY := broadcast(Mem{Base: offsets, Index: y, Scale: doubleSize})
	XORQ(x, x)
	vec.Loop("columns", x, n, 1, func() {
		up := GP64()
		MOVQ(center, up)
		SUBQ(row, up)
		gx := difference(Mem{Base: center, Disp: lanes * floatSize}, Mem{Base: center, Disp: -lanes * floatSize})
		gy := difference(Mem{Base: center, Index: row, Scale: 1}, Mem{Base: up})
		weight := broadcast(Mem{Base: weights})
		offsetX := broadcast(Mem{Base: offsets, Index: x, Scale: doubleSize})
		product := func(a, b Register) Register {
			return isa.Do(vec.MulDouble, a, b)
		}
		xx, xy, yy := product(gx, gx), product(gx, gy), product(gy, gy)
		for i, v := range []Register{xx, xy, yy} {
			isa.DoTo(vec.MulDouble, v, weight, v)
			isa.DoTo(vec.AddDouble, sums[i], v, sums[i])
		}
		for i, pair := range [][2]Register{{xx, xy}, {xy, yy}} {
			v := product(pair[0], offsetX)
			isa.DoTo(vec.AddDouble, v, product(pair[1], offsetY), v)
			isa.DoTo(vec.AddDouble, sums[3+i], v, sums[3+i])
		}
		ADDQ(U8(lanes*floatSize), center)
		ADDQ(U8(doubleSize), weights)
	})
	ADDQ(U8(2*lanes*floatSize), center)
	INCQ(y)
	CMPQ(y, n)
	JLT(LabelRef("rows"))
	for i, sum := range sums {
		isa.Store(sum, vec.Address(r.Field("sums").Index(i).Index(0)))
	}
	isa.End()
}
