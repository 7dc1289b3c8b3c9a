// Command orb generates simd_amd64.s, the assembly of package orb. It runs in the
// directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	vec.Write("../orb", "github.com/fastcorners/fast/orb", func() {
		smooth()
		line()
		blend()
		sample()
		compare()
		moments()
	})
}

// taps is how many pixels of a row, and rows, a smoothed pixel is made of.
const taps = 7

// smooth emits the function that smooths so many rows of 8 pixels.
//
// The sums of seven rows are in registers that take turns, so that the loop does
// seven rows at once.
func smooth() {
	r := vec.Func("smoothAVX2")
	src := Load(r.Field("src"), GP64())
	stride := Load(r.Field("stride"), GP64())
	dst := Load(r.Field("dst"), GP64())
	dstStride := Load(r.Field("dstStride"), GP64())
	rows := Load(r.Field("rows"), GP64())
	kernel := Load(r.Field("kernel"), GP64())
	// The weights from the middle on.
	var weights [taps/2 + 1]Register
	for i := range weights {
		weights[i] = YMM()
		VBROADCASTSS(Mem{Base: kernel, Disp: 4 * (taps/2 + i)}, weights[i])
	}
	weight := func(i int) Register { return weights[max(i-taps/2, taps/2-i)] }

	var lines [taps]Register
	for i := range lines {
		lines[i] = YMM()
	}
	line := func(i int) Register { return lines[(i+taps)%taps] }
	// next makes the sum of the next row.
	next := func(sum Register) {
		pixels := YMM()
		for i := range taps {
			VPMOVZXBD(Mem{Base: src, Disp: i}, pixels)
			VCVTDQ2PS(pixels, pixels)
			if i == 0 {
				VMULPS(weight(0), pixels, sum)
			} else {
				VFMADD231PS(weight(i), pixels, sum)
			}
		}
		ADDQ(stride, src)
	}
	for i := range taps - 1 {
		next(line(i))
	}
	vec.Align()
	Label("rows")
	for i := range taps {
		next(line(i + taps - 1))
		sum, pair := YMM(), YMM()
		VMULPS(weight(taps/2), line(i+taps/2), sum)
		for d := 1; d <= taps/2; d++ {
			VADDPS(line(i+taps/2+d), line(i+taps/2-d), pair)
			VFMADD231PS(weight(taps/2+d), pair, sum)
		}
		VCVTPS2DQ(sum, sum)
		high := XMM()
		VEXTRACTI128(U8(1), sum, high)
		VPACKUSDW(high, sum.AsX(), high)
		VPACKUSWB(high, high, high)
		VMOVQ(high, Mem{Base: dst})
		ADDQ(dstStride, dst)
		DECQ(rows)
		JEQ(LabelRef("done"))
	}
	JMP(LabelRef("rows"))
	Label("done")
	VZEROUPPER()
	RET()
}

// line emits the function that interpolates 16 pixels of a row at a time.
//
// Pixels are taken less 128, as signed bytes: then the sum of two products, with
// weights of 256 in all, fits 16 signed bits.
func line() {
	r := vec.Func("lineAVX2")
	src := Load(r.Field("src"), GP64())
	dst := Load(r.Field("dst"), GP64())
	groups := Load(r.Field("groups").Base(), GP64())
	n := Load(r.Field("groups").Len(), GP64())
	sign := YMM()
	broadcast(0x80, sign)
	vec.Align()
	Label("group")
	first, second := GP64(), GP64()
	MOVLQSX(Mem{Base: groups}, first)
	MOVLQSX(Mem{Base: groups, Disp: 4}, second)
	pixels, weights := YMM(), YMM()
	VMOVDQU(Mem{Base: src, Index: first, Scale: 1}, pixels.AsX())
	VINSERTI128(U8(1), Mem{Base: src, Index: second, Scale: 1}, pixels, pixels)
	VPSHUFB(Mem{Base: groups, Disp: 8}, pixels, pixels)
	VPXOR(sign, pixels, pixels)
	VMOVDQU(Mem{Base: groups, Disp: 8 + 32}, weights)
	VPMADDUBSW(pixels, weights, pixels)
	VMOVDQU(pixels, Mem{Base: dst})
	ADDQ(U8(8+32+32), groups)
	ADDQ(U8(32), dst)
	DECQ(n)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// blend emits the function that blends two interpolated rows, 16 pixels at a time.
func blend() {
	r := vec.Func("blendAVX2")
	upper := Load(r.Field("upper"), GP64())
	lower := Load(r.Field("lower"), GP64())
	dst := Load(r.Field("dst"), GP64())
	n := Load(r.Field("pixels"), GP64())
	weights, bias := YMM(), YMM()
	g := GP32()
	Load(r.Field("weights"), g)
	VMOVD(g, weights.AsX())
	VPBROADCASTD(weights.AsX(), weights)
	Load(r.Field("bias"), g)
	VMOVD(g, bias.AsX())
	VPBROADCASTD(bias.AsX(), bias)
	x := GP64()
	XORQ(x, x)
	SUBQ(U8(16), n) // the last 16 pixels begin there

	vec.Align()
	Label("pixels")
	u, l, low := YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: upper, Index: x, Scale: 2}, u)
	VMOVDQU(Mem{Base: lower, Index: x, Scale: 2}, l)
	VPUNPCKLWD(l, u, low)
	VPUNPCKHWD(l, u, u)
	for _, v := range []Register{low, u} {
		VPMADDWD(weights, v, v)
		VPADDD(bias, v, v)
		VPSRLD(U8(16), v, v)
	}
	VPACKUSDW(u, low, low)
	VEXTRACTI128(U8(1), low, u.AsX())
	VPACKUSWB(u.AsX(), low.AsX(), low.AsX())
	VMOVDQU(low.AsX(), Mem{Base: dst, Index: x, Scale: 1})
	CMPQ(x, n)
	JEQ(LabelRef("done"))
	ADDQ(U8(16), x)
	CMPQ(x, n)
	CMOVQGT(n, x) // the last ones overlap those before
	JMP(LabelRef("pixels"))
	Label("done")
	VZEROUPPER()
	RET()
}

// broadcast sets all bytes of v.
func broadcast(value uint32, v VecVirtual) {
	g := GP32()
	MOVL(U32(value), g)
	VMOVD(g, v.AsX())
	VPBROADCASTB(v.AsX(), v)
}

// sample emits the function that reads the pixels of a pattern, turned.
func sample() {
	r := vec.Func("sampleAVX2")
	pix := Load(r.Field("pix"), GP64())
	xs := Load(r.Field("xs"), GP64())
	ys := Load(r.Field("ys"), GP64())
	values := Load(r.Field("values"), GP64())
	n := Load(r.Field("n"), GP64())
	offsets := AllocLocal(32)
	broadcast := func(field string) Register {
		v, g := YMM(), GP32()
		c, err := r.Field(field).Resolve()
		if err != nil {
			panic(err)
		}
		MOVL(c.Addr, g)
		VMOVD(g, v.AsX())
		VPBROADCASTD(v.AsX(), v)
		return v
	}
	cos, sin, stride := broadcast("cos"), broadcast("sin"), broadcast("stride")
	vec.Align()
	Label("eight")
	// No operation is fused: each is rounded.
	x, y, column, row, product := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(Mem{Base: xs}, x)
	VMOVUPS(Mem{Base: ys}, y)
	VMULPS(cos, x, column)
	VMULPS(sin, y, product)
	VSUBPS(product, column, column)
	VMULPS(sin, x, row)
	VMULPS(cos, y, product)
	VADDPS(product, row, row)
	VCVTPS2DQ(column, column)
	VCVTPS2DQ(row, row)
	VPMULLD(stride, row, row)
	VPADDD(column, row, row)
	VMOVDQU(row, offsets)
	for i := range 8 {
		offset, value := GP64(), GP32()
		MOVLQSX(offsets.Offset(4*i), offset)
		MOVBLZX(Mem{Base: pix, Index: offset, Scale: 1}, value)
		MOVB(value.As8(), Mem{Base: values, Disp: i})
	}
	ADDQ(U8(32), xs)
	ADDQ(U8(32), ys)
	ADDQ(U8(8), values)
	SUBQ(U8(8), n)
	JNE(LabelRef("eight"))
	VZEROUPPER()
	RET()
}

// compare emits the function that makes bits of 256 pairs of values.
func compare() {
	r := vec.Func("compareAVX2")
	values := Load(r.Field("values"), GP64())
	desc := Load(r.Field("desc"), GP64())
	sign := YMM()
	broadcast(0x80, sign) // signed comparisons of unsigned bytes
	for i := 0; i < 256; i += 32 {
		first, second, bits := YMM(), YMM(), GP32()
		VPXOR(Mem{Base: values, Disp: i}, sign, first)
		VPXOR(Mem{Base: values, Disp: 256 + i}, sign, second)
		VPCMPGTB(first, second, second)
		VPMOVMSKB(second, bits)
		MOVL(bits, Mem{Base: desc, Disp: i / 8})
	}
	VZEROUPPER()
	RET()
}

// moments emits the function that sums the pixels of rows of 32 with two sets of
// weights.
func moments() {
	r := vec.Func("momentsAVX2")
	pix := Load(r.Field("pix"), GP64())
	stride := Load(r.Field("stride"), GP64())
	weights := Load(r.Field("weights").Base(), GP64())
	rows := Load(r.Field("weights").Len(), GP64())
	ones := YMM()
	VPCMPEQW(ones, ones, ones)
	VPABSW(ones, ones)
	sums := [2]VecVirtual{YMM(), YMM()}
	for _, sum := range sums {
		VPXOR(sum, sum, sum)
	}
	vec.Align()
	Label("row")
	pixels := YMM()
	VMOVDQU(Mem{Base: pix}, pixels)
	for i, sum := range sums {
		v := YMM()
		VPMADDUBSW(Mem{Base: weights, Disp: 32 * i}, pixels, v)
		VPMADDWD(ones, v, v)
		VPADDD(v, sum, sum)
	}
	ADDQ(stride, pix)
	ADDQ(U8(64), weights)
	DECQ(rows)
	JNE(LabelRef("row"))
	for i, field := range []string{"m10", "m01"} {
		half, g := XMM(), GP32()
		VEXTRACTI128(U8(1), sums[i], half)
		VPADDD(sums[i].AsX(), half, half)
		VPHADDD(half, half, half)
		VPHADDD(half, half, half)
		VMOVD(half, g)
		Store(g, r.Field(field))
	}
	VZEROUPPER()
	RET()
}
