package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

const (
	// columns is the largest number of columns of a template, and narrowColumns that of a narrow one.
	columns       = 32
	narrowColumns = 16
	// A row of derivatives along x, and one along y, which fill whole lines of the cache.
	derivativeBytes = 2 * columns
	// A row of differences.
	differenceBytes = 2 * columns
	// derivativeScale is what derivatives are multiplied by. They fit in words, and the weighted
	// sums, of 14 bits more than they are to have, are in the upper halves of their numbers.
	derivativeScale = 4
	// derivativeBias is added to scaled derivatives without VPDPWSSD, so that their weighted
	// sums are rounded: the weights add up to 1<<14.
	derivativeBias = 1 << 15 >> 14
	// twoRows is where the derivatives of vectors with two rows begin: those along x of all
	// rows, and then those along y.
	twoRows = 34 * 2 * derivativeBytes
	// twoRowsDirection is the size of those along x.
	twoRowsDirection = 34 * columns / 2
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
	paired bool        // the vectors of the chunk have eight columns of two rows
	odd    Register
	late   lateColumns
}

// A variant of a function is for an instruction set.
type variant struct {
	ISA           // of the vectors
	suffix string // of its name
	dots   bool   // it may use VPDPWSSD
	// narrow is whether it is for windows of fewer than narrowColumns.
	narrow bool
	// pairs is whether the second chunk has vectors with two rows if the window has 16 to 23
	// columns.
	pairs bool
}

var variants = []variant{
	{AVX2, "AVX2", false, false, true},
	{AVX2, "NarrowAVX2", false, true, false},
	{AVX512, "AVX512", true, false, false},
	// As many instructions as for more columns take half as long on some processors.
	{AVX2, "NarrowAVX512", true, true, false},
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
			if f.pairs {
				CMPQ(w, U8((f.chunk+1)*f.Bytes/2-8))
				JGE(LabelRef(end + "AllColumns"))
				f.paired, f.prefix = true, f.prefix+"TwoRows"
				do()
				JMP(LabelRef(end))
				f.paired, f.prefix = false, f.prefix[:1]
				Label(end + "AllColumns")
			}
		}
		do()
	}
	Label(end)
}

// vectors returns a register with the number of vectors of a chunk's rows, of which there are as
// many as the field says and more.
func (f *function) vectors(field string, more int) Register {
	n := Load(f.field(field), GP64())
	if f.paired {
		more++
	}
	if more > 0 {
		ADDQ(U8(more), n)
	}
	if f.paired {
		SHRQ(U8(1), n)
	}
	return n
}

// rows returns how many rows a vector of the chunk has.
func (f *function) rows() int {
	if f.paired {
		return 2
	}
	return 1
}

// part returns the part of a table or a mask, with the size of a vector for each chunk, that
// belongs to the current chunk: with two rows its first eight columns, twice.
func (f *function) part(m Mem) Register {
	m = m.Offset(f.chunk * f.Bytes)
	if !f.paired {
		return f.Load(m)
	}
	v := f.Vec()
	VBROADCASTI128(m, v)
	return v
}

// mask returns the part of a mask, which has the size of a vector for each chunk, that belongs
// to the current one.
func (f *function) mask(name string) Mem {
	return Address(f.field("masks").Field(name).Index(0)).Offset(f.chunk * f.Bytes)
}

// weights are those of the pixels of a window, for each part of a pair: of the pixels of a row
// and of the row below.
type weights [2][2]Register

// weights returns the weights of a window, which are 0 for columns beyond it. inOrder is whether
// the first parts of pairs have the even columns, instead of the first four of eight.
func (f *function) weights(window string, inOrder bool) weights {
	at := Address(f.field(window).Field("weights").Index(0))
	low, high := f.part(Address(f.field("masks").Field("columns").Index(0))), f.Vec()
	if inOrder {
		VPSHUFB(f.table(columnsInOrder), low, low)
	}
	VPSRAD(U8(16), low, high)
	VPSLLD(U8(16), low, low)
	VPSRAD(U8(16), low, low)
	var masked weights
	for i := range masked {
		v := f.Vec()
		VPBROADCASTD(at.Offset(4*i), v)
		masked[0][i], masked[1][i] = f.Do(op.And, v, low), f.Do(op.And, v, high)
	}
	return masked
}

// table returns a vector that repeats the 16 bytes of a table.
func (f *function) table(bytes func() Mem) Op {
	v := f.Vec()
	if f.ISA == AVX512 {
		VBROADCASTI32X4(bytes(), v)
	} else {
		VBROADCASTI128(bytes(), v)
	}
	return v
}

// pairOrder has for each word where it is in the order of products, and columnsInOrder the
// opposite.
var (
	pairOrder      = ByteTable("pairOrder", 16, func(i int) uint8 { return uint8(2*(i/4+i/2%2*4) + i%2) })
	columnsInOrder = ByteTable("columnsInOrder", 16, func(i int) uint8 { return uint8(2*(i/2%4*2+i/8) + i%2) })
)

// A pair is vectors of pixels with their neighbors to the right: of the columns 0 to 3 of each
// eight, and of the columns 4 to 7.
type pair [2]Register

// load returns the pairs of pixels at m. The second row of a vector with two is the given number
// of bytes further.
func (f *function) load(m Mem, next Register) pair {
	if f.ISA == AVX512 {
		a, b := f.LoadWords(m, nil), f.LoadWords(m.Offset(1), nil)
		low := f.Vec()
		VPUNPCKLWD(b, a, low)
		VPUNPCKHWD(b, a, b)
		return pair{low, b}
	}
	v := f.lanes(m, next, 1)
	low := YMM()
	VPSHUFB(pixelPairs().Offset(f.tableOf(0)), v, low)
	VPSHUFB(pixelPairs().Offset(f.tableOf(1)), v, v)
	return pair{low, v}
}

// lanes returns 16 pixels at m and then those that the second half of a vector needs: of the next
// row if it has two, and otherwise those that begin further to the right.
func (f *function) lanes(m Mem, next Register, further int) Register {
	second := m.Offset(further)
	if f.paired {
		second = m.Idx(next, 1)
	}
	v := YMM()
	VBROADCASTI128(m, v)
	VINSERTI128(U8(1), second, v, v)
	return v
}

// tableOf returns where table i is, of those that are there for vectors with one row and then
// again for vectors with two.
func (f *function) tableOf(i int) int {
	return 2*32*(f.rows()-1) + 32*i
}

// pixelPairs has where the pairs of pixels are, as words, in what lanes returns.
var pixelPairs = ByteTable("pixelPairs", 4*32, func(i int) uint8 {
	if i%2 == 1 {
		return zeroByte
	}
	at := i/4%4 + i/2%2 + i/32%2*4
	if i < 64 && i/16%2 == 1 {
		at += 8 - 1
	}
	return uint8(at)
})

// zeroByte is where VPSHUFB finds a 0.
const zeroByte = 0x80

// weigh returns the weighted sums of the pixels of two rows, without the last 9 bits, as words.
// upper is overwritten.
func (f *function) weigh(upper, lower pair, weights weights, rounding Op) Register {
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
	const shift = 9
	VPSRLD(U8(shift), sums[0], sums[0])
	VPSLLD(U8(16-shift), sums[1], sums[1])
	f.mix(sums)
	return sums[0]
}

// mix puts the upper words of the second vector into the first one.
func (f *function) mix(sums [2]Register) {
	if f.ISA == AVX512 {
		VMOVDQU16(sums[1], f.odd, sums[0])
	} else {
		VPBLENDW(U8(0xaa), sums[1], sums[0], sums[0])
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

// loopToLast is loop, with what is done before the last time.
func (f *function) loopToLast(name string, n Register, last, body func()) {
	Align()
	Label(f.label(name))
	DECQ(n)
	JNE(LabelRef(f.label(name + "More")))
	last()
	Label(f.label(name + "More"))
	body()
	TESTQ(n, n)
	JNE(LabelRef(f.label(name)))
}

// over emits a loop over the vectors of the window's rows. In the last one of vectors with two
// rows, the second row may not be in the window. Its weights are 0 then, and what else there is to do
// is emitted by odd.
func (f *function) over(name string, weights weights, last, odd, body func()) {
	n := f.vectors("h", 0)
	if !f.paired {
		f.loop(name, n, body)
		return
	}
	f.loopToLast(name, n, func() {
		last()
		BTQ(U8(0), Address(f.field("h")))
		JCC(LabelRef(f.label(name + "More")))
		odd()
		for _, list := range weights {
			for _, v := range list {
				VMOVDQA(v.(VecVirtual).AsX(), v.(VecVirtual).AsX())
			}
		}
	}, body)
}

// fold adds the sums of a chunk to those of the elements and of the tail, which the first chunk
// sets.
func (f *function) fold(sums ...Register) {
	switch {
	case f.paired:
		f.foldHalves(sums, "tail")
		return
	case f.pairs && f.chunk == 0:
		w := Load(f.field("w"), GP64())
		CMPQ(w, U8(f.Bytes/2))
		JLT(LabelRef(f.label("few")))
		f.foldHalves(sums, "element")
		zero := f.Zero()
		for i := range sums {
			VMOVDQU(zero.(VecVirtual).AsX(), f.sumsOf("tail", i))
		}
		JMP(LabelRef(f.label("folded")))
		Label(f.label("few"))
	case f.Bytes < 2*columns && !f.narrow:
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
		elements, tails := f.sumsOf("element", i), f.sumsOf("tail", i)
		if f.ISA == AVX512 {
			x := XMM()
			VEXTRACTI128(U8(1), sum.(VecVirtual).AsY(), x)
			VPADDD(sum.(VecVirtual).AsX(), x, x)
			VMOVDQU(x, elements)
			VEXTRACTI32X4(U8(blocks), sum, tails)
		} else {
			VMOVDQU(sum.(VecVirtual).AsX(), elements)
			VEXTRACTI128(U8(blocks), sum, tails)
		}
	}
	JMP(LabelRef(f.label("folded")))
	Label(f.label("masked"))
	f.foldMasked(sums)
	Label(f.label("folded"))
}

// sumsOf returns where a sum is of each of the four elements, or of the tail in four parts.
func (f *function) sumsOf(list string, i int) Mem {
	return Address(f.sum(list + "s").Index(4 * i))
}

// foldHalves sets the sums of the elements or of the tail to those of both halves of vectors.
func (f *function) foldHalves(sums []Register, list string) {
	for i, sum := range sums {
		x := XMM()
		VEXTRACTI128(U8(1), sum, x)
		VPADDD(sum.(VecVirtual).AsX(), x, x)
		VMOVDQU(x, f.sumsOf(list, i))
	}
}

// foldMasked is fold for all windows.
func (f *function) foldMasked(sums []Register) {
	for i, sum := range sums {
		for _, list := range []string{"element", "tail"} {
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

// template emits the function that makes the template, and from integer sums of the products of its
// derivatives the tensor.
func template(kind variant) {
	f := newFunction(kind, "template")
	f.chunks("derived", func() {
		Comment("The derivatives of the pixels of the chunk.")
		if f.dots {
			f.derive()
		} else {
			f.deriveBytes()
		}
	})
	f.chunks("done", func() {
		Comment("The gray values, and the derivatives along x and along y.")
		f.grays("template", 1, func(values Register) func(v Register) {
			return func(v Register) {
				f.Store(v, f.value(values, 0))
				ADDQ(I32(f.rows()*f.rowBytes()), values)
			}
		})
		f.interpolate("X", 0)
		f.interpolate("Y", 1)
	})
	f.tensorOfSums()
	f.End()
}

// sums4 returns sum i of each of the four elements, or of the tail in four parts.
func (f *function) sums4(list string, i int) VecVirtual {
	v := XMM()
	VMOVDQU(f.sumsOf(list, i), v)
	return v
}

// tails returns the three sums of the tail, the last one twice.
func (f *function) tails() VecVirtual {
	last, tails := f.sums4("tail", 2), XMM()
	VPHADDD(f.sums4("tail", 1), f.sums4("tail", 0), tails)
	VPHADDD(last, last, last)
	VPHADDD(last, tails, tails)
	return tails
}

// pairwise returns the sums of both halves of x and those of y, as one vector.
func pairwise(x, y VecVirtual) VecVirtual {
	low, high := XMM(), XMM()
	VMOVLHPS(y, x, low)
	VMOVHLPS(x, y, high)
	VADDPS(high, low, low)
	return low
}

// tensorOfSums sets the tensor, if all sums are exact as floats, whether they are not, and the bounds.
func (f *function) tensorOfSums() {
	Comment("The sums of the elements and of the tail.")
	tails := f.tails() // xx, xy, and yy twice
	elements := [3]VecVirtual{f.sums4("element", 0), f.sums4("element", 1), f.sums4("element", 2)}
	Comment("The products of x and y are not larger than those of both squared.")
	largest, tail, limit := XMM(), XMM(), XMM()
	VPMAXUD(elements[2], elements[0], largest)
	VPSHUFD(U8(0b10_10_10_10), tails, tail)
	VPMAXUD(tails, tail, tail)
	VPSHUFD(U8(0), tail, tail)
	bounds := YMM()
	VINSERTI128(U8(1), tail, largest.AsY(), bounds)
	VPMAXUD(tail, largest, largest)
	VPBROADCASTD(exactTensor(), limit)
	VPMINUD(largest, limit, limit)
	VPCMPEQD(largest, limit, limit)
	mask := GP32()
	VMOVMSKPS(limit, mask)
	XORL(U8(0xf), mask)
	Store(mask, f.sum("inexact"))

	Comment("The bounds are floats of numbers without a sign.")
	low, unit := YMM(), YMM()
	VPXOR(low, low, low)
	VPBLENDW(U8(0b01_01_01_01), bounds, low, low)
	VPSRLD(U8(16), bounds, bounds)
	VCVTDQ2PS(bounds, bounds)
	VCVTDQ2PS(low, low)
	VBROADCASTSS(wordUnit(), unit)
	VMULPS(unit, bounds, bounds)
	VADDPS(low, bounds, bounds)
	VMOVUPS(bounds, Address(f.sum("bounds").Index(0)))

	for _, v := range elements {
		VCVTDQ2PS(v, v)
	}
	VCVTDQ2PS(tails, tails)
	xy, yy := pairwise(elements[0], elements[1]), pairwise(elements[2], elements[2])
	VHADDPS(yy, xy, xy)
	VADDPS(tails, xy, xy)
	to := Address(f.field("tensor").Index(0))
	VMOVQ(xy, to)
	VEXTRACTPS(U8(2), xy, to.Offset(8))
}

// exactTensor returns the largest integer up to which all are floats, and wordUnit 1<<16 as a
// float.
var (
	exactTensor = ByteTable("exactTensor", 4, func(i int) uint8 { return uint8(uint32(1<<24) >> (8 * i)) })
	wordUnit    = ByteTable("wordUnit", 4, func(i int) uint8 { return uint8(uint32(0x47800000) >> (8 * i)) })
)

// deriveBytes is derive by sums of products of bytes. It adds derivativeBias.
func (f *function) deriveBytes() {
	template := f.field("template")
	pix, next := Load(template.Field("pix").Base(), GP64()), Load(f.field("template").Field("stride"), GP64())
	at := Mem{Base: pix, Disp: f.chunk * f.Bytes / 2}
	to := f.slopesAt()
	step := GP64()
	if f.paired {
		LEAQ(Mem{Base: next, Index: next, Scale: 1}, step)
	} else {
		MOVQ(next, step)
	}
	inside, bias := f.part(Address(f.field("masks").Field("inside").Index(0))), f.Long(derivativeBias*(1+1<<16))
	// row returns the differences of the neighbors in a row with two weights, and the smoothed row.
	row := func() (narrow, wide, smooth Register) {
		v := f.lanes(at, next, 2)
		ADDQ(step, pix)
		neighbors, apart := YMM(), YMM()
		VPSHUFB(bytePairs().Offset(f.tableOf(0)), v, neighbors)
		VPSHUFB(bytePairs().Offset(f.tableOf(1)), v, apart)
		multiply := func(by int, x Register) Register {
			v := YMM()
			VPMADDUBSW(byteWeights().Offset(32*by), x, v)
			return v
		}
		narrow, wide = multiply(0, apart), multiply(1, apart)
		smooth = f.Do(op.AddWord, multiply(2, neighbors), multiply(3, apart))
		return narrow, wide, smooth
	}
	store := func(x, y Register) {
		for i, v := range []Register{x, y} {
			f.DoTo(op.And, v, inside, v)
			f.DoTo(op.AddWord, v, bias, v)
			to.store(v, i)
		}
		to.move()
	}
	n := f.vectors("h", 1)
	n0, w0, s0 := row()
	if f.paired {
		f.loopToLast("derive", n, func() {
			Comment("If there is no second row below, the first one will do.")
			BTQ(U8(0), Address(f.field("h")))
			JCS(LabelRef(f.label("deriveMore")))
			XORQ(next, next)
		}, func() {
			n1, w1, s1 := row()
			VPERM2I128(U8(0x21), w1, w0, w0)
			f.DoTo(op.AddWord, n0, n1, n0)
			f.DoTo(op.AddWord, n0, w0, n0)
			f.DoTo(op.SubWord, s1, s0, s0)
			store(n0, s0)
			f.Move(n1, n0)
			f.Move(w1, w0)
			f.Move(s1, s0)
		})
	} else {
		n1, w1, s1 := row()
		f.DoTo(op.AddWord, n0, w1, n0)
		f.loop("derive", n, func() {
			n2, w2, s2 := row()
			f.DoTo(op.AddWord, n0, n2, n0)
			f.DoTo(op.SubWord, s2, s0, s0)
			store(n0, s0)
			f.DoTo(op.AddWord, n1, w2, n0)
			f.Move(n2, n1)
			f.Move(s1, s0)
			f.Move(s2, s1)
		})
	}
	Comment("The rows above the image and below it.")
	rows := Load(f.field("top"), GP64())
	clear := func(name string) {
		TESTQ(rows, rows)
		JEQ(LabelRef(f.label(name + "Done")))
		f.loop(name, rows, func() { to.clear(bias) })
		Label(f.label(name + "Done"))
	}
	to = f.slopesAt()
	clear("above")
	to = f.slopesAt()
	bottom := Load(f.field("bottom"), GP64())
	to.skip(bottom)
	Load(f.field("h"), rows)
	INCQ(rows)
	SUBQ(bottom, rows)
	clear("below")
}

// slopesPlace is where derivatives are stored.
type slopesPlace struct {
	f *function
	// row is a row, and rows are those of a vector with two.
	row, rows Register
}

// slopesAt returns where the derivatives of the first row are stored.
func (f *function) slopesAt() slopesPlace {
	p := slopesPlace{f: f, row: Load(f.field("derivatives").Base(), GP64())}
	if f.paired {
		p.rows = GP64()
		LEAQ(Mem{Base: p.row, Disp: twoRows}, p.rows)
	}
	ADDQ(I32(f.chunk*f.Bytes), p.row)
	return p
}

// store stores the derivatives of a vector in a direction. Those of two rows are also stored where
// columns before them find the first one.
func (p slopesPlace) store(v Register, direction int) {
	at := Mem{Base: p.row, Disp: direction * derivativeBytes}
	if !p.f.paired {
		p.f.Store(v, at)
		return
	}
	p.f.Store(v, Mem{Base: p.rows, Disp: direction * twoRowsDirection})
	VMOVQ(v.(VecVirtual).AsX(), at)
	VEXTRACTI128(U8(1), v, at.Offset(2*derivativeBytes))
}

// move goes to the next rows.
func (p slopesPlace) move() {
	ADDQ(I32(2*derivativeBytes*p.f.rows()), p.row)
	if p.f.paired {
		ADDQ(U8(32), p.rows)
	}
}

// clear stores the same derivatives in a row, and goes to the next one.
func (p slopesPlace) clear(v Register) {
	for direction := range 2 {
		p.f.Store(v, Mem{Base: p.row, Disp: direction * derivativeBytes})
		if p.f.paired {
			VMOVDQU(v.(VecVirtual).AsX(), Mem{Base: p.rows, Disp: direction * twoRowsDirection})
		}
	}
	ADDQ(I32(2*derivativeBytes), p.row)
	if p.f.paired {
		ADDQ(U8(16), p.rows)
	}
}

// skip goes n rows further.
func (p slopesPlace) skip(n Register) {
	at := GP64()
	if p.f.paired {
		MOVQ(n, at)
		SHLQ(U8(4), at)
		ADDQ(at, p.rows)
	}
	IMUL3Q(I32(2*derivativeBytes), n, at)
	ADDQ(at, p.row)
}

// bytePairs has where the pairs of neighbors and those of pixels with one between them are in what
// lanes returns.
var bytePairs = ByteTable("bytePairs", 4*32, func(i int) uint8 {
	at := i%16/2 + i%2*(1+i/32%2)
	if i < 64 && i/16%2 == 1 {
		at += 8 - 2
	}
	return uint8(at)
})

// byteWeights has the weights of pairs: for the differences of neighbors, of those and again in the
// middle row, and for two and one pixels of smoothed rows.
var byteWeights = ByteTable("byteWeights", 4*32, func(i int) uint8 {
	return uint8([4][2]int8{{-3, 3}, {-10, 10}, {3, 10}, {0, 3}}[i/32][i%2] * derivativeScale)
})

// derive emits the derivatives of the rows of the window.
func (f *function) derive() {
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
	mask := K()
	VPMOVW2M(f.Load(f.mask("inside")), mask)
	return func(x, y Register, subtract bool) Register {
		masked := VPADDW_Z
		if subtract {
			masked = VPSUBW_Z
		}
		v := f.Vec()
		masked(y, x, mask, v)
		return v
	}
}

// interpolate emits the interpolation of derivatives between four neighbors. That of the
// derivatives along y also adds up products.
func (f *function) interpolate(name string, direction int) {
	source := Load(f.field("derivatives").Base(), GP64())
	step, lower := 2*derivativeBytes, 2*derivativeBytes
	if f.paired {
		step, lower = 32, 16
		ADDQ(I32(twoRows+direction*twoRowsDirection), source)
	} else {
		ADDQ(I32(direction*derivativeBytes+f.chunk*f.Bytes), source)
	}
	values := Load(f.field("values").Base(), GP64())
	weights := f.weights("template", true)
	order := f.table(pairOrder).(Register)
	var rounding Register
	if f.dots {
		rounding = f.Long(1 << 15)
	}
	var sums [3]Register
	if direction == 1 {
		for i := range sums {
			sums[i] = f.Zero()
		}
	}
	nothing := func() {}
	f.over("template"+name, weights, nothing, nothing, func() {
		var parts [2]Register
		for i := range parts {
			m := Mem{Base: source, Disp: 2 * i}
			parts[i] = f.Vec()
			if f.dots {
				f.Move(rounding, parts[i])
				VPDPWSSD(m, weights[i][0], parts[i])
				VPDPWSSD(m.Offset(lower), weights[i][1], parts[i])
				continue
			}
			v := f.Vec()
			VPMADDWD(m, weights[i][0], parts[i])
			VPMADDWD(m.Offset(lower), weights[i][1], v)
			f.DoTo(op.AddLong, parts[i], v, parts[i])
		}
		ADDQ(I32(step), source)
		VPSRLD(U8(16), parts[0], parts[0])
		f.mix(parts)
		v := parts[0]
		VPSHUFB(order, v, v)
		f.Store(v, f.value(values, 1+direction))
		if direction == 1 {
			x := f.Load(f.value(values, 1))
			f.dot(sums[0], x, x)
			f.dot(sums[1], x, v)
			f.dot(sums[2], v, v)
		}
		ADDQ(I32(f.rows()*f.rowBytes()), values)
	})
	if direction == 1 {
		f.fold(sums[:]...)
	}
}

// grays emits a loop over the rows of a window, which begins that many rows and columns after its
// first pixel. begin gets where the template is, and returns what gets the gray values of a row, or
// of two.
func (f *function) grays(name string, from int, begin func(values Register) func(v Register)) {
	pix, next := Load(f.field(name).Field("pix").Base(), GP64()), Load(f.field(name).Field("stride"), GP64())
	values := Load(f.field("values").Base(), GP64())
	if from > 0 {
		ADDQ(next, pix)
	}
	at := Mem{Base: pix, Disp: from + f.chunk*f.Bytes/2}
	step := GP64()
	if f.paired {
		LEAQ(Mem{Base: next, Index: next, Scale: 1}, step)
	} else {
		MOVQ(next, step)
	}
	weights := f.weights(name, false)
	rounding := f.Long(1 << 8)
	do := begin(values)
	upper := f.load(at, next)
	f.over(name+"Row", weights, func() {
		Comment("There is only one row below the last two.")
		XORQ(next, next)
	}, func() {
		Comment("There is only one row more than the last one.")
		SHRQ(U8(1), step)
	}, func() {
		ADDQ(step, pix)
		lower := f.load(at, next)
		if f.paired {
			second := pair{YMM(), YMM()}
			for i := range second {
				VPERM2I128(U8(0x21), lower[i], upper[i], second[i])
			}
			do(f.weigh(upper, second, weights, rounding))
		} else {
			do(f.weigh(upper, lower, weights, rounding))
		}
		for i := range upper {
			f.Move(lower[i], upper[i])
		}
	})
}

// differences emits a loop over the rows of a window. do gets the differences from the
// template, and where that has its row.
func (f *function) differences(do func(d Register, values Register)) {
	Comment("The differences of the chunk.")
	f.grays("window", 0, func(values Register) func(v Register) {
		return func(v Register) {
			f.DoTo(op.SubWord, v, f.value(values, 0), v)
			do(v, values)
			ADDQ(I32(f.rows()*f.rowBytes()), values)
		}
	})
}

// valueBytes returns the size of a part of a row of the template: the gray values, the derivatives
// along x, or those along y.
func (f *function) valueBytes() int {
	if f.narrow {
		return 2 * narrowColumns
	}
	return 2 * columns
}

// rowBytes returns the size of a row of the template.
func (f *function) rowBytes() int { return 3 * f.valueBytes() }

// value returns a part of a row of the template.
func (f *function) value(values Register, i int) Mem {
	return Mem{Base: values, Disp: i*f.valueBytes() + f.chunk*f.Bytes}
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
			ADDQ(I32(f.rows()*differenceBytes), to)
			f.dot(x, d, f.value(values, 1))
			f.dot(y, d, f.value(values, 2))
			f.dot(squares, d, d)
		})
		VPSRLD(U8(4), squares, squares)
		f.fold(x, y, squares)
	})
	Comment("The sums of the elements and of the tail, as floats.")
	tails := f.tails()
	VCVTDQ2PS(tails, tails) // of x, y, and the squares twice
	var elements [3]VecVirtual
	for i := range elements {
		elements[i] = f.sums4("element", i)
		VCVTDQ2PS(elements[i], elements[i])
	}
	low := pairwise(elements[0], elements[1])
	VHADDPS(low, low, low)
	VADDPS(tails, low, low)
	VMOVQ(low, Address(f.field("products").Index(0)))

	Comment("Whether they might be rounded.")
	limit := XMM()
	VBROADCASTSS(exactLimit(), limit)
	VMULPS(Address(f.sum("bounds").Index(0)), elements[2], elements[2])
	VPERMILPS(U8(0b11_11_11_11), tails, tails)
	VMULPS(Address(f.sum("bounds").Index(4)), tails, tails)
	VMAXPS(tails, elements[2], elements[2])
	const greater = 14
	VCMPPS(U8(greater), limit, elements[2], elements[2])
	mask := GP32()
	VMOVMSKPS(elements[2], mask)
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
	Comment("The sum of the elements and of the tail.")
	VMOVDQU(f.sumsOf("element", 0), v)
	VPADDD(f.sumsOf("tail", 0), v, v)
	VPHADDD(v, v, v)
	VPHADDD(v, v, v)
	VCVTDQ2PS(v, v)
	VMOVSS(v, Address(f.field("difference")))
	f.End()
}
