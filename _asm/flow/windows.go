package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

const (
	// columns is the largest number of columns of a template.
	columns = 32
	// A row of a template has its gray values, and the derivatives along x and y.
	rowBytes = 3 * 2 * columns
	// A row of derivatives along x, and one along y, which fill whole lines of the cache.
	derivativeBytes = 2 * columns
	// A row of differences.
	differenceBytes = 2 * columns
	// derivativeScale is what derivatives are multiplied by. They fit in words, and the weighted
	// sums, of 14 bits more than they are to have, are in the upper halves of their numbers.
	derivativeScale = 4
)

// A function works on the windowRun that r points to, in chunks of columns that fill a vector.
// Words are stored in the order of their products: those of columns c and c+4 of eight next to
// each other.
type function struct {
	variant
	r      Component
	runs   []Component // those that sums are made for, of which r is one
	prefix string      // of labels
	chunk  int         // the number of the current one
	odd    Register
}

// A variant of a function is for an instruction set.
type variant struct {
	ISA           // of the vectors
	suffix string // of its name
	dots   bool   // it may use VPDPWSSD
	narrow bool   // it is for windows that have fewer columns than a vector
}

var variants = []variant{
	{AVX2, "AVX2", false, false},
	{AVX512, "AVX512", true, false},
	// As many instructions as for more columns take half as long on some processors.
	{AVX2, "NarrowAVX512", true, true},
}

func newFunction(kind variant, name string) *function {
	f := &function{variant: kind, r: Func(name + kind.suffix)}
	f.runs = []Component{f.r}
	if f.ISA == AVX512 {
		g := GP32()
		MOVL(U32(0xaaaaaaaa), g)
		f.odd = K()
		KMOVD(g, f.odd)
	}
	return f
}

// field returns a field of the windowRun.
func (f *function) field(name string) Component { return f.r.Field(name) }

// sum returns one of the integer sums.
func (f *function) sum(name string) Component { return f.field("sums").Field(name) }

// label returns the name of a label, which is that of the current part.
func (f *function) label(name string) string { return f.prefix + name }

// chunks emits what is done with each chunk of columns, and a label for the end. A window of
// few columns has one chunk.
func (f *function) chunks(end string, do func()) {
	for f.chunk = 0; f.chunk < 2*columns/f.Bytes && (f.chunk == 0 || !f.narrow); f.chunk++ {
		f.prefix = string(rune('a' + f.chunk))
		if f.chunk > 0 {
			w := Load(f.field("w"), GP64())
			CMPQ(w, U8(f.chunk*f.Bytes/2))
			JLT(LabelRef(end))
		}
		do()
	}
	Label(end)
}

// mask returns the part of a mask, which has the size of a vector for each chunk, that belongs
// to the current one.
func (f *function) mask(name string) Mem {
	return Address(f.field("masks").Field(name).Index(0)).Offset(f.chunk * f.Bytes)
}

// weights are those of the pixels of a window, for each part of a pair: of the pixels of a row
// and of the row below.
type weights [2][2]Register

// weights returns the weights of a window, which are 0 for columns beyond it if masked.
func (f *function) weights(window string) weights {
	at := Address(f.field(window).Field("weights").Index(0))
	var list [2]Register
	for i := range list {
		list[i] = f.Vec()
		VPBROADCASTD(at.Offset(4*i), list[i])
	}
	if !f.masked() {
		return weights{list, list}
	}
	low, high := f.Load(f.mask("columns")), f.Vec()
	VPSRAD(U8(16), low, high)
	VPSLLD(U8(16), low, low)
	VPSRAD(U8(16), low, low)
	var masked weights
	for i, v := range list {
		masked[0][i], masked[1][i] = f.Do(op.And, v, low), f.Do(op.And, v, high)
	}
	return masked
}

// masked reports whether weights are 0 for columns beyond the window. Otherwise there are not
// enough registers for them.
func (f *function) masked() bool { return f.dots }

// only makes v, which has been weighed, 0 for columns beyond the window.
func (f *function) only(v Register) {
	if !f.masked() {
		f.DoTo(op.And, v, f.mask("columns"), v)
	}
}

// A pair is vectors of pixels, or derivatives, with their neighbors to the right: of the
// columns 0 to 3 of each eight, and of the columns 4 to 7.
type pair [2]Register

// load returns the pairs at m: bytes or words.
func (f *function) load(m Mem, bytes bool) pair {
	var a, b Register
	if bytes {
		a, b = f.LoadWords(m, nil), f.LoadWords(m.Offset(1), nil)
	} else {
		a, b = f.Load(m), f.Load(m.Offset(2))
	}
	low := f.Vec()
	VPUNPCKLWD(b, a, low)
	VPUNPCKHWD(b, a, b)
	return pair{low, b}
}

// weigh returns the weighted sums of two rows, shifted by a number of bits, as words. upper
// is overwritten.
func (f *function) weigh(upper, lower pair, weights weights, rounding Op, shift int) Register {
	var sums [2]Register
	for i := range sums {
		if f.dots {
			sums[i] = f.Vec()
			f.Move(rounding, sums[i])
			VPDPWSSD(weights[i][0], upper[i], sums[i])
			VPDPWSSD(weights[i][1], lower[i], sums[i])
			continue
		}
		sums[i] = upper[i]
		f.DoTo(op.MulPairs, upper[i], weights[i][0], sums[i])
		v := f.Do(op.MulPairs, lower[i], weights[i][1])
		f.DoTo(op.AddLong, v, rounding, v)
		f.DoTo(op.AddLong, sums[i], v, sums[i])
	}
	VPSRLD(U8(shift), sums[0], sums[0])
	if shift < 16 {
		VPSLLD(U8(16-shift), sums[1], sums[1])
	}
	if f.ISA == AVX512 {
		VMOVDQU16(sums[1], f.odd, sums[0])
	} else {
		VPBLENDW(U8(0xaa), sums[1], sums[0], sums[0])
	}
	return sums[0]
}

// follow makes upper what lower is.
func (f *function) follow(upper, lower pair) {
	for i := range upper {
		f.Move(lower[i], upper[i])
	}
}

// dot adds the products of words to sum.
func (f *function) dot(sum, x Register, y Op) {
	if f.dots {
		VPDPWSSD(y, x, sum)
		return
	}
	v := f.Vec()
	VPMADDWD(y, x, v)
	VPADDD(v, sum, sum)
}

// loop emits a loop over rows.
func (f *function) loop(name string, n Register, body func()) {
	Align()
	Label(f.label(name))
	body()
	DECQ(n)
	JNE(LabelRef(f.label(name)))
}

// fold adds the sums of a chunk to those of the lanes and of the tail, which the first chunk
// sets.
func (f *function) fold(sums ...Register) {
	if f.Bytes < 2*columns && !f.narrow {
		f.foldMasked(sums)
		return
	}
	Comment(
		"Of most windows that fill the vector, the tail is in its third quarter, or in its second",
		"half.",
	)
	blocks := f.Bytes / 32
	w := Load(f.field("w"), GP64())
	SUBQ(U8(8*blocks), w)
	CMPQ(w, U8(8))
	JCC(LabelRef(f.label("masked")))
	for i, sum := range sums {
		lanes, tails := f.sumsOf("lane", i), f.sumsOf("tail", i)
		if f.ISA == AVX512 {
			x := XMM()
			VEXTRACTI128(U8(1), sum.(VecVirtual).AsY(), x)
			VPADDD(sum.(VecVirtual).AsX(), x, x)
			VMOVDQU(x, lanes)
			VEXTRACTI32X4(U8(blocks), sum, tails)
		} else {
			VMOVDQU(sum.(VecVirtual).AsX(), lanes)
			VEXTRACTI128(U8(blocks), sum, tails)
		}
	}
	JMP(LabelRef(f.label("folded")))
	Label(f.label("masked"))
	f.foldMasked(sums)
	Label(f.label("folded"))
}

// sumsOf returns where a sum is of each of the four lanes, or of the tail in four parts.
func (f *function) sumsOf(list string, i int) Mem {
	return Address(f.sum(list + "s").Index(4 * i))
}

// foldMasked is fold for all windows.
func (f *function) foldMasked(sums []Register) {
	for i, sum := range sums {
		for _, list := range []string{"lane", "tail"} {
			v := f.Do(op.And, sum, f.mask(list+"Mask"))
			if f.ISA == AVX512 {
				w := YMM()
				VEXTRACTI64X4(U8(1), v, w)
				VPADDD(v.AsY(), w, w)
				v = w
			}
			x := XMM()
			VEXTRACTI128(U8(1), v.AsY(), x)
			VPADDD(v.AsX(), x, x)
			at := f.sumsOf(list, i)
			if f.chunk > 0 {
				VPADDD(at, x, x)
			}
			VMOVDQU(x, at)
		}
	}
}

// template emits the function that makes the template, and the integer sums of
// the products of its derivatives.
func template(kind variant) {
	f := newFunction(kind, "template")
	f.chunks("derived", f.derive)
	f.chunks("done", func() {
		f.interpolate("Gray", 1, 9)
		f.interpolate("X", 0, 16)
		f.interpolate("Y", derivativeBytes, 16)
	})
	f.End()
}

// derive emits the derivatives of the rows of the window.
func (f *function) derive() {
	Comment("The derivatives of the pixels of the chunk.")
	template := f.field("template")
	pix, stride := Load(template.Field("pix").Base(), GP64()), Load(f.field("template").Field("stride"), GP64())
	to := Load(f.field("derivatives").Base(), GP64())
	ADDQ(I32(f.chunk*f.Bytes), to)
	top, n := Load(f.field("top"), GP64()), Load(f.field("bottom"), GP64())
	left := Load(f.field("h"), GP64())
	INCQ(left)
	SUBQ(n, left) // the rows below the image
	SUBQ(top, n)
	at := GP64()
	MOVQ(top, at)
	IMULQ(stride, at)
	ADDQ(at, pix)
	zero := func(name string, n Register) {
		TESTQ(n, n)
		JEQ(LabelRef(f.label(name + "Done")))
		z := f.Zero()
		f.loop(name, n, func() {
			f.Store(z, Mem{Base: to})
			f.Store(z, Mem{Base: to, Disp: derivativeBytes})
			ADDQ(I32(2*derivativeBytes), to)
		})
		Label(f.label(name + "Done"))
	}
	Comment("The rows above the image.")
	zero("above", top)

	three, ten := f.Long(3*derivativeScale*(1+1<<16)), f.Long(10*derivativeScale*(1+1<<16))
	// row returns the differences of the neighbors in a row, and the smoothed row.
	row := func() (difference, smooth Register) {
		var p [3]Register
		for i := range p {
			p[i] = f.LoadWords(Mem{Base: pix, Disp: f.chunk*f.Bytes/2 + i}, nil)
		}
		ADDQ(stride, pix)
		smooth = f.Do(op.AddWord, p[0], p[2])
		VPMULLW(three, smooth, smooth)
		VPMULLW(ten, p[1], p[1])
		f.DoTo(op.AddWord, smooth, p[1], smooth)
		f.DoTo(op.SubWord, p[2], p[0], p[2])
		return p[2], smooth
	}
	Comment("The rows in the image.")
	inside := f.insider()
	d0, s0 := row()
	d1, s1 := row()
	f.loop("derive", n, func() {
		d2, s2 := row()
		f.DoTo(op.AddWord, d0, d2, d0)
		VPMULLW(three, d0, d0)
		v := f.Vec()
		VPMULLW(ten, d1, v)
		f.Store(inside(v, d0, false), Mem{Base: to})
		f.Store(inside(s2, s0, true), Mem{Base: to, Disp: derivativeBytes})
		ADDQ(I32(2*derivativeBytes), to)
		f.Move(d1, d0)
		f.Move(d2, d1)
		f.Move(s1, s0)
		f.Move(s2, s1)
	})
	Comment("The rows below it.")
	zero("below", left)
}

// insider returns a function that adds words, or subtracts them, and makes the results 0 for
// columns that are not in the image.
func (f *function) insider() func(x, y Register, subtract bool) Register {
	var mask Register
	if f.dots {
		mask = K()
		VPMOVW2M(f.Load(f.mask("inside")), mask)
	}
	return func(x, y Register, subtract bool) Register {
		combine, masked := op.AddWord, VPADDW_Z
		if subtract {
			combine, masked = op.SubWord, VPSUBW_Z
		}
		if !f.dots {
			return f.Do(op.And, f.Do(combine, x, y), f.mask("inside"))
		}
		v := f.Vec()
		masked(y, x, mask, v)
		return v
	}
}

// interpolate emits the interpolation between four neighbors: of the gray values, or of
// derivatives, which begin at a number of bytes in their rows. That of the derivatives along
// y also adds up products.
func (f *function) interpolate(name string, from, shift int) {
	gray := name == "Gray"
	var source, step Register
	if gray {
		source, step = Load(f.field("template").Field("pix").Base(), GP64()), Load(f.field("template").Field("stride"), GP64())
		ADDQ(step, source)
		ADDQ(I32(from+f.chunk*f.Bytes/2), source)
	} else {
		source, step = Load(f.field("derivatives").Base(), GP64()), GP64()
		MOVQ(I32(2*derivativeBytes), step)
		ADDQ(I32(from+f.chunk*f.Bytes), source)
	}
	values, n := Load(f.field("values").Base(), GP64()), Load(f.field("h"), GP64())
	place := func(i int) Mem { return Mem{Base: values, Disp: i*2*columns + f.chunk*f.Bytes} }
	weights := f.weights("template")
	rounding := f.Long(1 << (shift - 1))
	var sums [3]Register
	if name == "Y" {
		for i := range sums {
			sums[i] = f.Zero()
		}
	}
	upper := f.load(Mem{Base: source}, gray)
	f.loop("template"+name, n, func() {
		ADDQ(step, source)
		lower := f.load(Mem{Base: source}, gray)
		v := f.weigh(upper, lower, weights, rounding, shift)
		if gray {
			f.Store(v, place(0))
		} else {
			f.only(v)
		}
		switch name {
		case "X":
			f.Store(v, place(1))
		case "Y":
			f.Store(v, place(2))
			x := f.Load(place(1))
			f.dot(sums[0], x, x)
			f.dot(sums[1], x, v)
			f.dot(sums[2], v, v)
		}
		ADDQ(I32(rowBytes), values)
		f.follow(upper, lower)
	})
	if name == "Y" {
		f.fold(sums[:]...)
	}
}

// differences emits a loop over the rows of a window. do gets the differences from the
// template, and where that has its row.
func (f *function) differences(do func(d Register, values Register)) {
	Comment("The differences of the chunk.")
	pix, stride := Load(f.field("window").Field("pix").Base(), GP64()), Load(f.field("window").Field("stride"), GP64())
	values, n := Load(f.field("values").Base(), GP64()), Load(f.field("h"), GP64())
	weights := f.weights("window")
	rounding := f.Long(1 << 8)
	at := Mem{Base: pix, Disp: f.chunk * f.Bytes / 2}
	upper := f.load(at, true)
	f.loop("row", n, func() {
		ADDQ(stride, pix)
		lower := f.load(at, true)
		d := f.weigh(upper, lower, weights, rounding, 9)
		f.DoTo(op.SubWord, d, f.value(values, 0), d)
		f.only(d)
		do(d, values)
		ADDQ(I32(rowBytes), values)
		f.follow(upper, lower)
	})
}

// value returns a part of a row of the template.
func (f *function) value(values Register, i int) Mem {
	return Mem{Base: values, Disp: i*2*columns + f.chunk*f.Bytes}
}

// exact emits the function that adds up the products of differences and derivatives in
// integers, and tells whether floats would be exact, too. It stores the differences for step.
func exact(kind variant) {
	f := newFunction(kind, "exact")
	f.chunks("done", func() {
		Comment("Squares are divided by 16 and rounded up.")
		x, y, squares := f.Zero(), f.Zero(), f.Long(15)
		to := Load(f.field("deltas").Base(), GP64())
		f.differences(func(d, values Register) {
			f.Store(d, Mem{Base: to, Disp: f.chunk * f.Bytes})
			ADDQ(I32(differenceBytes), to)
			f.dot(x, d, f.value(values, 1))
			f.dot(y, d, f.value(values, 2))
			f.dot(squares, d, d)
		})
		VPSRLD(U8(4), squares, squares)
		f.fold(x, y, squares)
	})
	Comment("The sums of the lanes and of the tail, as floats.")
	tails := XMM()
	load := func(list string, i int) VecVirtual {
		v := XMM()
		VMOVDQU(f.sumsOf(list, i), v)
		return v
	}
	squares := load("tail", 2)
	VPHADDD(load("tail", 1), load("tail", 0), tails)
	VPHADDD(squares, squares, squares)
	VPHADDD(squares, tails, tails)
	VCVTDQ2PS(tails, tails) // of x, y, and the squares twice
	var lanes [3]Register
	for i := range lanes {
		lanes[i] = load("lane", i)
		VCVTDQ2PS(lanes[i], lanes[i])
	}
	low, high := XMM(), XMM()
	VMOVLHPS(lanes[1], lanes[0], low)
	VMOVHLPS(lanes[0], lanes[1], high)
	VADDPS(high, low, low)
	VHADDPS(low, low, low)
	VADDPS(tails, low, low)
	VMOVQ(low, Address(f.field("products").Index(0)))

	Comment("Whether they might be rounded.")
	limit := XMM()
	VBROADCASTSS(exactLimit(), limit)
	VMULPS(Address(f.sum("bounds").Index(0)), lanes[2], lanes[2])
	VPERMILPS(U8(0b11_11_11_11), tails, tails)
	VMULPS(Address(f.sum("bounds").Index(4)), tails, tails)
	VMAXPS(tails, lanes[2], lanes[2])
	const greater = 14
	VCMPPS(U8(greater), limit, lanes[2], lanes[2])
	mask := GP32()
	VMOVMSKPS(lanes[2], mask)
	Store(mask, f.sum("inexact"))
	f.End()
}

// exactLimit returns a float that the product of the sums of squares, of which one is divided
// by 16, does not exceed if no sum of their products exceeds 1<<24. It is a little less than
// 1<<44, since the product is rounded.
var exactLimit = ByteTable("exactLimit", 4, func(i int) uint8 { return uint8(uint32(0x557fff00) >> (8 * i)) })

// difference emits the function that adds up absolute differences.
func difference(kind variant) {
	f := newFunction(kind, "difference")
	f.chunks("done", func() {
		sum, ones := f.Zero(), f.Long(1|1<<16)
		f.differences(func(d, _ Register) {
			VPABSW(d, d)
			f.dot(sum, d, ones)
		})
		f.fold(sum)
	})
	v := XMM()
	Comment("The sum of the lanes and of the tail.")
	VMOVDQU(f.sumsOf("lane", 0), v)
	VPADDD(f.sumsOf("tail", 0), v, v)
	VPHADDD(v, v, v)
	VPHADDD(v, v, v)
	VCVTDQ2PS(v, v)
	VMOVSS(v, Address(f.field("difference")))
	f.End()
}
