// Command fft generates simd_amd64.s, the assembly of package internal/fft. It runs in the
// directory of the module _asm.
package main

import (
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	WriteAMD64("../internal/fft", func() {
		for _, isa := range []ISA{AVX2, AVX512} {
			for _, size := range []int{1, 2} {
				first(isa, size)
			}
			for _, back := range []bool{false, true} {
				step4(isa, back, true)
				step2(isa, back)
				step4(isa, back, false)
			}
			middle(isa, true)
			middle(isa, false)
			for _, size := range []int{4, 8} {
				last(isa, size)
			}
		}
	})
}

// A function is one of the kernels.
type function struct {
	ISA
	r Component
}

// begin begins the function of that name.
func begin(isa ISA, name string) *function { return &function{isa, Func(name + isa.Name)} }

// number returns a register with a field that is an int.
func (f *function) number(field string) Register { return Load(f.r.Field(field), GP64()) }

// product returns a register with x times y.
func product(x, y Register) Register {
	v := GP64()
	MOVQ(x, v)
	IMULQ(y, v)
	return v
}

// A walk is where the cells of butterflies lie: the places of their parts, which are equally far
// apart.
type walk struct {
	at, apart, thrice Register
}

// newWalk returns the walk from base on with parts so many bytes apart.
func newWalk(base, apart Register) *walk {
	w := &walk{base, apart, GP64()}
	LEAQ(Mem{Base: apart, Index: apart, Scale: 2}, w.thrice)
	return w
}

// part returns the place of part i.
func (w *walk) part(i int) Mem {
	switch i {
	case 1, 2:
		return Mem{Base: w.at, Index: w.apart, Scale: uint8(i)}
	case 3:
		return Mem{Base: w.at, Index: w.thrice, Scale: 1}
	}
	return Mem{Base: w.at}
}

// A complex has the real and the imaginary parts of a vector of numbers.
type complex [2]Register

// load returns the cell at m.
func (f *function) load(m Mem) complex {
	return complex{f.Load(m), f.Load(m.Offset(f.Bytes))}
}

// store stores the cell at m.
func (f *function) store(v complex, m Mem) {
	f.Store(v[0], m)
	f.Store(v[1], m.Offset(f.Bytes))
}

// sum and difference return x + y and x - y.
func (f *function) sum(x, y complex) complex {
	return complex{f.Do(op.AddDouble, x[0], y[0]), f.Do(op.AddDouble, x[1], y[1])}
}

func (f *function) difference(x, y complex) complex {
	return complex{f.Do(op.SubDouble, x[0], y[0]), f.Do(op.SubDouble, x[1], y[1])}
}

// crossed returns x - iy and x + iy.
func (f *function) crossed(x, y complex) (minus, plus complex) {
	minus = complex{f.Do(op.AddDouble, x[0], y[1]), f.Do(op.SubDouble, x[1], y[0])}
	plus = complex{f.Do(op.SubDouble, x[0], y[1]), f.Do(op.AddDouble, x[1], y[0])}
	return minus, plus
}

// times returns x times y, or times its conjugate.
func (f *function) times(x, y complex, conjugate bool) complex {
	re, im := f.Do(op.MulDouble, x[1], y[1]), f.Do(op.MulDouble, x[0], y[1])
	if conjugate {
		VFMADD231PD(y[0], x[0], re)
		VFMSUB231PD(y[0], x[1], im)
	} else {
		VFMSUB231PD(y[0], x[0], re)
		VFMADD231PD(y[0], x[1], im)
	}
	return complex{re, im}
}

// factor returns the complex number i of those at factors, in all lanes.
func (f *function) factor(factors Register, i int) (y complex) {
	for k := range y {
		v := f.Vec()
		VBROADCASTSD(Mem{Base: factors, Disp: 16*i + 8*k}, v)
		y[k] = v
	}
	return y
}

// A quad has the numbers of a butterfly of 4.
type quad [4]complex

// butterfly returns the transform of 4 numbers, or the transform back.
func (f *function) butterfly(x quad, back bool) quad {
	a, b := f.sum(x[0], x[2]), f.difference(x[0], x[2])
	c, d := f.sum(x[1], x[3]), f.difference(x[1], x[3])
	minus, plus := f.crossed(b, d)
	if back {
		minus, plus = plus, minus
	}
	return quad{f.sum(a, c), minus, f.difference(a, c), plus}
}

// each emits the loops over all cells of butterflies with that many parts. body emits what is done
// with those at two walks, with factors, and with what comes after each of the positions.
func (f *function) each(parts int, body func(src, dst *walk, factors Register)) {
	span := f.number("span")
	var walks [2]*walk
	var gaps [2]Register // from the end of the cells of a position to the next one
	for i, name := range [2]string{"src", "dst"} {
		step := f.number(name + "Step")
		SHLQ(U8(3), step)
		base := Load(f.r.Field(name).Base(), GP64())
		walks[i] = newWalk(base, product(span, step))
		cells := f.number("cells")
		IMUL3Q(U32(2*f.Bytes), cells, cells)
		SUBQ(cells, step)
		gaps[i] = step
	}
	factors, k, c := GP64(), GP64(), GP64()
	blocks := AllocLocal(8)
	gap := [2]Mem{AllocLocal(8), AllocLocal(8)}
	b := f.number("blocks")
	MOVQ(b, blocks)
	for i := range gap {
		MOVQ(gaps[i], gap[i])
	}
	Label("block")
	Load(f.r.Field("factors").Base(), factors)
	Load(f.r.Field("span"), k)
	Label("position")
	Load(f.r.Field("cells"), c)
	Align()
	Label("cell")
	body(walks[0], walks[1], factors)
	for _, w := range walks {
		ADDQ(U32(2*f.Bytes), w.at)
	}
	DECQ(c)
	JNE(LabelRef("cell"))
	for i, w := range walks {
		ADDQ(gap[i], w.at)
	}
	ADDQ(U8(16*(parts-1)), factors)
	DECQ(k)
	JNE(LabelRef("position"))
	for _, w := range walks {
		if parts == 4 {
			ADDQ(w.thrice, w.at)
		} else {
			ADDQ(w.apart, w.at)
		}
	}
	DECQ(blocks)
	JNE(LabelRef("block"))
	f.End()
}

// step4 emits a step by 4, with factors or without.
func step4(isa ISA, back, factors bool) {
	name := [2]string{"forward4", "back4"}
	if !factors {
		name = [2]string{"plain4", "backPlain4"}
	}
	f := begin(isa, name[index(back)])
	f.each(4, func(src, dst *walk, list Register) {
		var x quad
		for i := range x {
			x[i] = f.load(src.part(i))
			if i > 0 && back && factors {
				x[i] = f.times(x[i], f.factor(list, i-1), true)
			}
		}
		x = f.butterfly(x, back)
		for i := range x {
			if i > 0 && !back && factors {
				x[i] = f.times(x[i], f.factor(list, i-1), false)
			}
			f.store(x[i], dst.part(i))
		}
	})
}

// index returns 1 for true.
func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// step2 emits a step by 2.
func step2(isa ISA, back bool) {
	f := begin(isa, [2]string{"forward2", "back2"}[index(back)])
	f.each(2, func(src, dst *walk, factors Register) {
		x, y, factor := f.load(src.part(0)), f.load(src.part(1)), f.factor(factors, 0)
		if back {
			y = f.times(y, factor, true)
		}
		x, y = f.sum(x, y), f.difference(x, y)
		if !back {
			y = f.times(y, factor, false)
		}
		f.store(x, dst.part(0))
		f.store(y, dst.part(1))
	})
}

// first emits the first step, from pixels of that size in bytes.
func first(isa ISA, size int) {
	name := "Bytes"
	if size == 2 {
		name = "Words"
	}
	f := begin(isa, "first"+name)
	span := f.number("span")
	field := map[int]string{1: "bytes", 2: "words"}[size]
	var tiles [2]*walk
	var strides [2]Mem
	for i := range tiles {
		stride := Load(f.r.Field("pixelStride").Index(i), GP64())
		if size == 2 {
			ADDQ(stride, stride)
		}
		strides[i] = AllocLocal(8)
		MOVQ(stride, strides[i])
		IMULQ(span, stride)
		tiles[i] = newWalk(Load(f.r.Field(field).Index(i).Base(), GP64()), stride)
	}
	apart := f.number("dstStep")
	SHLQ(U8(3), apart)
	IMULQ(span, apart)
	dst := newWalk(Load(f.r.Field("dst").Base(), GP64()), apart)
	factors := Load(f.r.Field("factors").Base(), GP64())
	k := span
	Align()
	Label("position")
	var x quad
	for i := range x {
		for tile, w := range tiles {
			half := f.half()
			if size == 1 {
				VPMOVZXBD(w.part(i), half)
			} else {
				VPMOVSXWD(w.part(i), half)
			}
			v := f.Vec()
			VCVTDQ2PD(half, v)
			x[i][tile] = v
		}
	}
	x = f.butterfly(x, false)
	for i := range x {
		if i > 0 {
			x[i] = f.times(x[i], f.factor(factors, i-1), false)
		}
		f.store(x[i], dst.part(i))
	}
	for i, w := range tiles {
		ADDQ(strides[i], w.at)
	}
	ADDQ(U32(2*f.Bytes), dst.at)
	ADDQ(U8(48), factors)
	DECQ(k)
	JNE(LabelRef("position"))
	f.End()
}

// half returns a new register for half as many bytes as a vector has.
func (f *function) half() VecVirtual {
	if f.ISA == AVX2 {
		return XMM()
	}
	return YMM()
}

// last emits the last step back, which stores numbers of that size in bytes.
func last(isa ISA, size int) {
	name, field := "lastInts", "ints"
	if size == 8 {
		name, field = "lastLongs", "longs"
	}
	f := begin(isa, name)
	apart := f.number("srcStep")
	SHLQ(U8(3), apart)
	IMULQ(Address(f.r.Field("span")), apart)
	src := newWalk(Load(f.r.Field("src").Base(), GP64()), apart)
	factors := Load(f.r.Field("factors").Base(), GP64())
	var at [2]Register
	var strides, aparts [2]Mem
	for i := range at {
		stride := Load(f.r.Field("resultStride").Index(i), GP64())
		IMUL3Q(U8(size), stride, stride)
		strides[i], aparts[i] = AllocLocal(8), AllocLocal(8)
		MOVQ(stride, strides[i])
		IMULQ(Address(f.r.Field("span")), stride)
		MOVQ(stride, aparts[i])
		at[i] = Load(f.r.Field(field).Index(i).Base(), GP64())
	}
	var magic Register
	if size == 8 {
		magic = f.Magic()
	}
	k := Counter()
	Align()
	Label("position")
	var x quad
	for i := range x {
		x[i] = f.load(src.part(i))
		if i > 0 {
			x[i] = f.times(x[i], f.factor(factors, i-1), true)
		}
	}
	x = f.butterfly(x, true)
	for tile := range at {
		done := [2]string{"done0", "done1"}[tile]
		Comment("The rows that are wanted.")
		left, p := GP64(), GP64()
		Load(f.r.Field("counts").Index(tile), left)
		MOVQ(at[tile], p)
		SUBQ(k, left)
		JLE(LabelRef(done))
		for i := range x {
			f.storeRounded(x[i][tile].(VecVirtual), magic, size, Mem{Base: p})
			if i < 3 {
				ADDQ(aparts[tile], p)
				SUBQ(Address(f.r.Field("span")), left)
				JLE(LabelRef(done))
			}
		}
		Label(done)
		ADDQ(strides[tile], at[tile])
	}
	ADDQ(U32(2*f.Bytes), src.at)
	ADDQ(U8(48), factors)
	INCQ(k)
	CMPQ(k, Address(f.r.Field("span")))
	JLT(LabelRef("position"))
	f.End()
}

// storeRounded stores the integers that are nearest to the numbers in v, which it changes.
func (f *function) storeRounded(v VecVirtual, magic Register, size int, m Mem) {
	switch {
	case size == 4 && f.ISA == AVX2:
		VCVTPD2DQY(v, v.AsX())
		VMOVDQU(v.AsX(), m)
		return
	case size == 4:
		VCVTPD2DQ(v, v.AsY())
		VMOVDQU(v.AsY(), m)
		return
	case f.ISA == AVX2:
		Comment("They become integers as the lower bits of a larger number.")
		f.DoTo(op.AddDouble, v, magic, v)
		f.DoTo(op.SubQuad, v, magic, v)
	default:
		VCVTPD2QQ(v, v)
	}
	f.Store(v, m)
}

// middle emits the last step forward and what follows.
func middle(isa ISA, template bool) {
	name := "middleProduct"
	if template {
		name = "middleTemplate"
	}
	f := begin(isa, name)
	turns, spectrum := Load(f.r.Field("turns").Base(), GP64()), Load(f.r.Field("spectrum").Base(), GP64())
	walks := []*walk{}
	var gaps []Mem
	for _, name := range []string{"src", "dst"}[:2-index(template)] {
		step := f.number(name + "Step")
		SHLQ(U8(3), step)
		gap := f.number("cells")
		IMUL3Q(U32(2*f.Bytes), gap, gap)
		NEGQ(gap)
		LEAQ(Mem{Base: gap, Index: step, Scale: 4}, gap)
		place := AllocLocal(8)
		MOVQ(gap, place)
		gaps = append(gaps, place)
		walks = append(walks, newWalk(Load(f.r.Field(name).Base(), GP64()), step))
	}
	b, c := f.number("blocks"), GP64()
	Label("block")
	Load(f.r.Field("cells"), c)
	Align()
	Label("cell")
	var x quad
	for i := range x {
		x[i] = f.load(walks[0].part(i))
	}
	x = f.butterfly(x, false)
	all := func(do func(v complex, place int) complex) {
		for i := range x {
			x[i] = do(x[i], 2*i*f.Bytes)
		}
	}
	all(func(v complex, place int) complex { return f.times(v, f.load(Mem{Base: turns, Disp: place}), false) })
	for n := f.lanes(); n > 1; n /= 2 {
		all(func(v complex, _ int) complex { return f.turn(f.halves(v, n), n, false) })
	}
	if template {
		all(func(v complex, place int) complex { f.storeScaled(v, Mem{Base: spectrum, Disp: place}); return v })
	} else {
		all(func(v complex, place int) complex { return f.times(v, f.load(Mem{Base: spectrum, Disp: place}), false) })
		for n := 2; n <= f.lanes(); n *= 2 {
			all(func(v complex, _ int) complex { return f.halves(f.turn(v, n, true), n) })
		}
		all(func(v complex, place int) complex { return f.times(v, f.load(Mem{Base: turns, Disp: place}), true) })
	}
	if !template {
		x = f.butterfly(x, true)
		for i := range x {
			f.store(x[i], walks[1].part(i))
		}
	}
	for _, w := range walks {
		ADDQ(U32(2*f.Bytes), w.at)
	}
	ADDQ(U32(8*f.Bytes), spectrum)
	DECQ(c)
	JNE(LabelRef("cell"))
	for i, w := range walks {
		ADDQ(gaps[i], w.at)
	}
	ADDQ(U32(8*f.Bytes), turns)
	DECQ(b)
	JNE(LabelRef("block"))
	f.End()
}

// storeScaled stores the conjugate of v times the scale.
func (f *function) storeScaled(v complex, m Mem) {
	scale := f.Vec()
	VBROADCASTSD(Address(f.r.Field("scale")), scale)
	im := f.Do(op.SubDouble, f.Zero(), v[1])
	f.store(complex{f.Do(op.MulDouble, v[0], scale), f.Do(op.MulDouble, im, scale)}, m)
}

// lanes returns the number of lanes.
func (f *function) lanes() int { return f.Bytes / 8 }

// halves returns the sums of both halves of each n lanes, followed by their differences.
func (f *function) halves(v complex, n int) complex {
	signs := laneTable("halves", f.lanes(), n, func(l int) float64 { return float64(1 - 2*(2*l/n)) })
	for i := range v {
		other := f.Vec()
		switch {
		case n == 8:
			VSHUFF64X2(U8(0x4e), v[i], v[i], other)
		case n == 2 && f.ISA == AVX2:
			VPERMILPD(U8(0x5), v[i], other)
		case n == 2:
			VPERMILPD(U8(0x55), v[i], other)
		case f.ISA == AVX2:
			VPERM2F128(U8(0x01), v[i], v[i], other)
		default:
			VPERMPD(U8(0x4e), v[i], other)
		}
		VFMADD231PD(signs, v[i], other)
		v[i] = other
	}
	return v
}

// turn returns v with the second half of each n lanes multiplied by the powers of a root, or of its
// conjugate.
func (f *function) turn(v complex, n int, back bool) complex {
	switch {
	case n == 2:
		return v
	case f.ISA == AVX2:
		re, im := f.Vec(), f.Vec()
		VBLENDPD(U8(0x8), v[1], v[0], re)
		VBLENDPD(U8(0x8), v[0], v[1], im)
		minus := laneTable("minus", 4, 4, func(l int) float64 { return []float64{0, math.Copysign(0, -1)}[l/3] })
		if back {
			VXORPD(minus, re, re)
		} else {
			VXORPD(minus, im, im)
		}
		return complex{re, im}
	}
	root := func(part string, value func(angle float64) float64) Register {
		return f.Load(laneTable(part, f.lanes(), n, func(l int) float64 {
			if 2*l < n {
				return value(0)
			}
			return value(-2 * math.Pi * float64(l-n/2) / float64(n))
		}))
	}
	return f.times(v, complex{root("cos", cos), root("sin", sin)}, back)
}

// cos and sin are exact where they are 0 or 1.
func cos(angle float64) float64 { return exact(math.Cos(angle)) }
func sin(angle float64) float64 { return exact(math.Sin(angle)) }

// exact returns v, or 0 if it is very small.
func exact(v float64) float64 {
	if math.Abs(v) < 1e-9 {
		return 0
	}
	return v
}

var tables = map[string]Mem{}

// laneTable returns a table with a number for each lane, which depends on its place among n.
func laneTable(name string, lanes, n int, value func(l int) float64) Mem {
	name += string(rune('0'+lanes)) + string(rune('0'+n))
	m, ok := tables[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for l := range lanes {
			DATA(8*l, F64(value(l%n)))
		}
		tables[name] = m
	}
	return m
}
