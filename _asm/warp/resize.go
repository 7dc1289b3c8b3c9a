package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// resize emits the functions that resize images.
func resize(isa ISA) {
	halve(isa, "Gray")
	halve(isa, "Color")
	boxes(isa)
	area(isa)
	lines(isa, 1)
	if isa == AVX2 {
		lines(isa, 2)
		lines(isa, 8)
		farther(isa, "Gray")
		farther(isa, "Color")
		nearestPairs(isa)
		for _, size := range []int{1, 2, 4} {
			nearestEach(isa, size)
		}
	} else {
		nearestWide(isa, "Bytes", 1)
	}
	down(isa)
	nearestWide(isa, "Longs", 4)
}

var (
	byteOnes = ByteTable("byteOnes", 64, func(int) uint8 { return 1 })
	byteLong = longs("byteLong", 255)
	wordTwo  = words("wordTwo", 2)

	quadOrder = ByteTable("quadOrder", 64, func(i int) uint8 {
		if i%8 > 0 {
			return 0
		}
		return []uint8{0, 2, 4, 6, 1, 3, 5, 7}[i/8]
	})

	// pixelLongs has, one after the other, how the channels of each of four pixels become numbers of 32 bits.
	pixelLongs = ByteTable("pixelLongs", 128, func(i int) uint8 {
		if i%4 > 0 {
			return 0x80
		}
		return uint8(i/32*4 + i%16/4)
	})
)

// packer returns a function that makes bytes of two vectors of words, in order. With AVX2, the lanes of
// mixed ones follow one another in twos, so that packing brings them into order.
func packer(isa ISA, mixed bool) func(low, high Register) Register {
	var order Register
	if isa == AVX512 {
		order = isa.Load(quadOrder())
	}
	return func(low, high Register) Register {
		v := isa.Vec()
		VPACKUSWB(high, low, v)
		if isa == AVX512 {
			VPERMQ(v, order, v)
		} else if !mixed {
			VPERMQ(U8(0xd8), v, v)
		}
		return v
	}
}

// blocks emits a loop over the blocks of a row of n values. The last one ends with the row and may
// overlap the one before. What body emits is for the values from x on.
func blocks(label string, n Register, block int, body func(x Register)) {
	last, x := GP64(), Counter()
	LEAQ(Mem{Base: n, Disp: -block}, last)
	Align()
	Label(label)
	body(x)
	CMPQ(x, last)
	JEQ(LabelRef(label + "Done"))
	ADDQ(U8(block), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef(label))
	Label(label + "Done")
}

// halve emits the function that averages 2 by 2 pixels.
func halve(isa ISA, channels string) {
	r := Func("half" + channels + isa.Name)
	dst, src, n, rows := Load(r.Field("dst").Base(), GP64()), Load(r.Field("src").Base(), GP64()), Load(r.Field("n"), GP64()), Load(r.Field("rows"), GP64())
	dstStride, srcStride := Load(r.Field("dstStride"), GP64()), Load(r.Field("srcStride"), GP64())
	lower := GP64()
	one, two, pack := isa.Load(byteOnes()), isa.Load(wordTwo()), packer(isa, false)
	var order Register
	if channels == "Color" {
		order = isa.Load(pairs())
	}
	Label("row")
	LEAQ(Mem{Base: src, Index: srcStride, Scale: 1}, lower)
	blocks("pixels", n, isa.Bytes, func(x Register) {
		var words [2]Register
		for i := range words {
			var sums [2]Register
			for k, row := range []Register{src, lower} {
				v := isa.Load(Mem{Base: row, Index: x, Scale: 2, Disp: i * isa.Bytes})
				if order != nil {
					VPSHUFB(order, v, v)
				}
				VPMADDUBSW(one, v, v)
				sums[k] = v
			}
			words[i] = isa.Do(op.AddWord, sums[0], sums[1])
			VPADDW(two, words[i], words[i])
			VPSRLW(U8(2), words[i], words[i])
		}
		isa.Store(pack(words[0], words[1]), Mem{Base: dst, Index: x, Scale: 1})
	})
	ADDQ(dstStride, dst)
	LEAQ(Mem{Base: src, Index: srcStride, Scale: 2}, src)
	DECQ(rows)
	JNE(LabelRef("row"))
	isa.End()
}

// A windower emits loads of the windows of vectors, one of each lane: 16 bytes of 32 or, with AVX-512,
// all 64.
type windower struct {
	isa            ISA
	bases, shuffle Register
}

func newWindower(isa ISA, r Component) windower {
	return windower{isa, Load(r.Field("bases").Base(), GP64()), Load(r.Field("shuffle").Base(), GP64())}
}

// lanes returns the number of lanes of a vector.
func (w windower) lanes() int {
	if w.isa == AVX512 {
		return 1
	}
	return 2
}

// at returns where the windows of vector i are in a row.
func (w windower) at(row Register, i int) []Mem {
	var list []Mem
	for lane := range w.lanes() {
		g := GP64()
		MOVL(Mem{Base: w.bases, Disp: 4 * (i*w.lanes() + lane)}, g.As32())
		list = append(list, Mem{Base: row, Index: g, Scale: 1})
	}
	return list
}

// index returns the numbers of the bytes of vector i.
func (w windower) index(i int) Op {
	m := Mem{Base: w.shuffle, Disp: i * w.isa.Bytes}
	if w.isa == AVX512 {
		return w.isa.Load(m)
	}
	return m
}

// load returns the bytes of windows with these numbers.
func (w windower) load(at []Mem, index Op) VecVirtual {
	if w.isa == AVX512 {
		v := w.isa.Vec()
		VPERMB(at[0], index, v)
		return v
	}
	v := w.isa.LoadHalves(at[0], at[1])
	VPSHUFB(index, v, v)
	return v
}

// next moves on by n vectors.
func (w windower) next(n int) {
	ADDQ(I32(4*w.lanes()*n), w.bases)
	ADDQ(I32(w.isa.Bytes*n), w.shuffle)
}

// areaVectors is the number of vectors of 32 bits of a block.
const areaVectors = 4

// boxes emits the function that averages boxes of whole pixels.
func boxes(isa ISA) {
	r := Func("boxes" + isa.Name)
	from, to, n := Load(r.Field("from").Base(), GP64()), Load(r.Field("to").Base(), GP64()), Load(r.Field("to").Len(), GP64())
	stride := Load(r.Field("stride"), GP64())
	w, scale := newWindower(isa, r), isa.BroadcastFloat(Address(r.Field("scale")))
	bytes, words := isa.Load(byteOnes()), isa.Load(wordOne())
	blocks("pixels", n, isa.Bytes, func(x Register) {
		out := newByteStore(isa, to, x)
		for i := range areaVectors {
			index := isa.Register(w.index(i))
			used := K()
			if isa == AVX512 {
				VPMOVB2M(index, used)
				KNOTQ(used, used)
			}
			row, rows, sum := GP64(), GP64(), isa.Zero()
			at := w.at(row, i)
			MOVQ(from, row)
			Load(r.Field("rows"), rows)
			label := fmt.Sprint("rows", i)
			Label(label)
			var v Register
			if isa == AVX512 {
				v = isa.Vec()
				VPERMB_Z(at[0], index, used, v)
			} else {
				v = w.load(at, index)
			}
			VPMADDUBSW(bytes, v, v)
			VPADDW(v, sum, sum)
			ADDQ(stride, row)
			DECQ(rows)
			JNE(LabelRef(label))
			VPMADDWD(words, sum, sum)
			VCVTDQ2PS(sum, sum)
			VMULPS(scale, sum, sum)
			out.add(sum)
		}
		w.next(areaVectors)
	})
	isa.End()
}

// A byteStore emits what rounds and stores the floats of the vectors of a block as bytes.
type byteStore struct {
	isa   ISA
	to, x Register
	n     int
	words []Register // pairs of vectors
	first Register   // one that has no second one yet
}

func newByteStore(isa ISA, to, x Register) *byteStore { return &byteStore{isa: isa, to: to, x: x} }

// add adds a vector, which it overwrites. With AVX2 the lanes of a block follow one another in twos, so
// that packing brings all into order.
func (b *byteStore) add(v Register) {
	VCVTPS2DQ(v, v)
	at := Mem{Base: b.to, Index: b.x, Scale: 1}
	if b.isa == AVX512 {
		VPMOVUSDB(v, at.Offset(16*b.n))
		b.n++
		return
	}
	if b.first == nil {
		b.first = v
		return
	}
	VPACKSSDW(v, b.first, b.first)
	b.words, b.first = append(b.words, b.first), nil
	if len(b.words) == 2 {
		VPACKUSWB(b.words[1], b.words[0], b.words[0])
		b.isa.Store(b.words[0], at)
	}
}

// An adder emits what adds sums along a row to those of the rows before.
type adder struct {
	isa                 ISA
	sums, to            Register
	weight, next, scale Register
}

func newAdder(isa ISA, r Component) adder {
	float := func(name string) Register { return isa.BroadcastFloat(Address(r.Field(name))) }
	return adder{isa, Load(r.Field("sums").Base(), GP64()), Load(r.Field("to").Base(), GP64()), float("weight"), float("next"), float("scale")}
}

// block emits what adds the vectors of a block, which along returns, and if the row is the last one
// stores the values from x on.
func (a *adder) block(last bool, x Register, along func(i int) Register) {
	out := newByteStore(a.isa, a.to, x)
	for i := range areaVectors {
		v, at := along(i), Mem{Base: a.sums, Disp: i * a.isa.Bytes}
		sum := a.isa.Do(op.MulFloat, v, a.weight)
		VADDPS(at, sum, sum)
		if !last {
			a.isa.Store(sum, at)
			continue
		}
		VMULPS(a.next, v, v)
		a.isa.Store(v, at)
		VMULPS(a.scale, sum, sum)
		out.add(sum)
	}
	ADDQ(I32(areaVectors*a.isa.Bytes), a.sums)
}

// area emits the function that adds areas of up to three or four pixels in a row.
func area(isa ISA) {
	r := Func("area" + isa.Name)
	from, a, w := Load(r.Field("from").Base(), GP64()), newAdder(isa, r), newWindower(isa, r)
	spread, n, taps := Load(r.Field("spread").Base(), GP64()), Load(r.Field("to").Len(), GP64()), Load(r.Field("taps"), GP64())
	mask := isa.Load(byteLong())
	variants := func(taps int) {
		label := fmt.Sprint("taps", taps)
		loop := func(name string, n Register, last bool) {
			blocks(label+name, n, isa.Bytes, func(x Register) {
				a.block(last, x, func(i int) Register {
					v := w.load(w.at(from, i), w.index(i))
					return products(isa, v, mask, Mem{Base: spread, Disp: taps * i * isa.Bytes}, nil, taps)
				})
				w.next(areaVectors)
				ADDQ(I32(taps*areaVectors*isa.Bytes), spread)
			})
			isa.End()
		}
		TESTQ(n, n)
		JNE(LabelRef(label + "Last"))
		Load(r.Field("sums").Len(), n)
		loop("Blocks", n, false)
		Label(label + "Last")
		loop("LastBlocks", n, true)
	}
	CMPQ(taps, U8(3))
	JNE(LabelRef("four"))
	variants(3)
	Label("four")
	variants(4)
}

// products returns a sum of products, to which it adds them unless it is nil: of the bytes of the numbers
// of 32 bits in v, the lowest one first, and of vectors of weights.
func products(isa ISA, v Register, mask Op, weights Mem, sum Register, taps int) Register {
	for k := range taps {
		p := isa.Vec()
		switch k {
		case 0:
			isa.DoTo(op.And, v, mask, p)
		case 3:
			VPSRLD(U8(24), v, p)
		default:
			VPSRLD(U8(8*k), v, p)
			isa.DoTo(op.And, p, mask, p)
		}
		VCVTDQ2PS(p, p)
		VMULPS(weights.Offset(k*isa.Bytes), p, p)
		if sum == nil {
			sum = p
		} else {
			VADDPS(p, sum, sum)
		}
	}
	return sum
}

// farther emits the function that adds areas of any number of pixels in a row: first the sums along the
// row, in rounds of four pixels, and then as area does.
func farther(isa ISA, channels string) {
	r := Func("farther" + channels + isa.Name)
	from, bases, rounds := Load(r.Field("from").Base(), GP64()), Load(r.Field("bases").Base(), GP64()), Load(r.Field("rounds").Base(), GP64())
	spread, along := Load(r.Field("spread").Base(), GP64()), Load(r.Field("along").Base(), GP64())
	vectors := Load(r.Field("rounds").Len(), GP64())
	Label("vector")
	at, left, sum := GP64(), GP64(), isa.Zero()
	MOVQ(from, at)
	MOVL(Mem{Base: rounds}, left.As32())
	// window returns the 16 bytes at which that number of the vector begins.
	window := func(i int) Mem {
		g := GP64()
		MOVL(Mem{Base: bases, Disp: 4 * i}, g.As32())
		return Mem{Base: at, Index: g, Scale: 1}
	}
	// take emits a round, after which all may be done.
	take := func(weights int, emit func()) {
		emit()
		ADDQ(I32(weights*isa.Bytes), spread)
		DECQ(left)
		JEQ(LabelRef("summed"))
	}
	values := 8 // windows
	Label("window")
	if channels == "Gray" {
		var v [4]Register
		for i := range v {
			v[i] = isa.LoadHalves(window(i), window(i+4))
		}
		Comment("The first four bytes of each window, the next ones, and so on.")
		for _, v := range transpose(isa, v) {
			take(4, func() { products(isa, v, byteLong(), Mem{Base: spread}, sum, 4) })
		}
	} else {
		values = 2
		take(1, func() {
			v, weights := isa.LoadHalves(window(0), window(1)), isa.Load(Mem{Base: spread})
			for k := range 4 {
				p, w := isa.Vec(), isa.Vec()
				VPSHUFB(pixelLongs().Offset(32*k), v, p)
				VCVTDQ2PS(p, p)
				VPERMILPS(U8(0x55*k), weights, w)
				VMULPS(w, p, p)
				VADDPS(p, sum, sum)
			}
		})
	}
	ADDQ(U8(16), at)
	JMP(LabelRef("window"))
	Label("summed")
	isa.Store(sum, Mem{Base: along})
	ADDQ(U8(isa.Bytes), along)
	ADDQ(U8(4*values), bases)
	ADDQ(U8(4), rounds)
	DECQ(vectors)
	JNE(LabelRef("vector"))

	Comment("The sums down the columns.")
	a, n := newAdder(isa, r), Load(r.Field("to").Len(), GP64())
	Load(r.Field("along").Base(), along)
	loop := func(label string, last bool) {
		blocks(label, n, isa.Bytes, func(x Register) {
			a.block(last, x, func(i int) Register { return isa.Load(Mem{Base: along, Disp: i * isa.Bytes}) })
			ADDQ(I32(areaVectors*isa.Bytes), along)
		})
		isa.End()
	}
	TESTQ(n, n)
	JNE(LabelRef("last"))
	Load(r.Field("sums").Len(), n)
	loop("blocks", false)
	Label("last")
	loop("lastBlocks", true)
}

// transpose returns, for lanes of four vectors, the first numbers of 32 bits of them, the second ones,
// and so on.
func transpose(isa ISA, v [4]Register) [4]Register {
	var low, high, t [4]Register
	for i := range 2 {
		low[i], high[i] = isa.Vec(), isa.Vec()
		VPUNPCKLDQ(v[2*i+1], v[2*i], low[i])
		VPUNPCKHDQ(v[2*i+1], v[2*i], high[i])
	}
	for i, half := range [][4]Register{low, high} {
		t[2*i], t[2*i+1] = isa.Vec(), isa.Vec()
		VPUNPCKLQDQ(half[1], half[0], t[2*i])
		VPUNPCKHQDQ(half[1], half[0], t[2*i+1])
	}
	return t
}

// A liner emits what interpolates along a row, each lane from a number of windows.
type liner struct {
	windower
	parts     int
	high, low Register
}

// vector returns vector i of a line of a row.
func (l *liner) vector(row Register, i int) Register {
	isa := l.isa
	var pixels Register
	for part := range l.parts {
		k := i*l.parts + part
		v := l.load(l.at(row, k), l.index(k))
		if pixels == nil {
			pixels = v
		} else {
			isa.DoTo(op.Or, pixels, v, pixels)
		}
	}
	low := isa.Vec()
	VPMADDUBSW(Mem{Base: l.low, Disp: i * isa.Bytes}, pixels, low)
	VPMADDUBSW(Mem{Base: l.high, Disp: i * isa.Bytes}, pixels, pixels)
	VPSRLW(U8(4), low, low)
	VPADDW(low, pixels, pixels)
	return pixels
}

// next moves on by n vectors.
func (l *liner) next(n int) {
	l.windower.next(n * l.parts)
	ADDQ(I32(n*l.isa.Bytes), l.high)
	ADDQ(I32(n*l.isa.Bytes), l.low)
}

// A blender emits what interpolates down columns.
type blender struct {
	isa               ISA
	above, below, two Register
}

func newBlender(isa ISA, r Component) blender {
	words := func(name string) Register {
		v := isa.Vec()
		VPBROADCASTW(Address(r.Field(name)), v)
		return v
	}
	return blender{isa, words("above"), words("below"), isa.Load(wordTwo())}
}

// blend returns what lies between the vectors of two lines, which it overwrites.
func (b *blender) blend(upper, lower Register) Register {
	VPMULHW(b.above, upper, upper)
	VPMULHW(b.below, lower, lower)
	VPADDW(lower, upper, upper)
	VPADDW(b.two, upper, upper)
	VPSRLW(U8(2), upper, upper)
	return upper
}

// lines emits the functions that make a line of a row, and a row of two rows.
func lines(isa ISA, parts int) {
	suffix := isa.Name
	if parts > 1 {
		suffix = fmt.Sprint(parts, isa.Name)
	}
	newLiner := func(r Component) liner {
		return liner{newWindower(isa, r), parts, Load(r.Field("high").Base(), GP64()), Load(r.Field("low").Base(), GP64())}
	}

	r := Func("across" + suffix)
	l, row, line := newLiner(r), Load(r.Field("upper").Base(), GP64()), Load(r.Field("upperLine").Base(), GP64())
	n, x := Load(r.Field("upperLine").Len(), GP64()), Counter()
	Loop("line", x, n, isa.Bytes, func() {
		for i := range 2 {
			isa.Store(l.vector(row, i), Mem{Base: line, Index: x, Scale: 2, Disp: i * isa.Bytes})
		}
		l.next(2)
	})
	isa.End()

	r = Func("both" + suffix)
	l, b, pack := newLiner(r), newBlender(isa, r), packer(isa, true)
	upper, lower := Load(r.Field("upper").Base(), GP64()), Load(r.Field("lower").Base(), GP64())
	to, n := Load(r.Field("to").Base(), GP64()), Load(r.Field("to").Len(), GP64())
	blocks("pixels", n, isa.Bytes, func(x Register) {
		var words [2]Register
		for i := range words {
			words[i] = b.blend(l.vector(upper, i), l.vector(lower, i))
		}
		isa.Store(pack(words[0], words[1]), Mem{Base: to, Index: x, Scale: 1})
		l.next(2)
	})
	isa.End()
}

// down emits the function that makes a row of two lines.
func down(isa ISA) {
	r := Func("down" + isa.Name)
	upper, lower := Load(r.Field("upperLine").Base(), GP64()), Load(r.Field("lowerLine").Base(), GP64())
	to, n := Load(r.Field("to").Base(), GP64()), Load(r.Field("to").Len(), GP64())
	b, pack := newBlender(isa, r), packer(isa, true)
	blocks("pixels", n, isa.Bytes, func(x Register) {
		var words [2]Register
		for i := range words {
			words[i] = b.blend(isa.Load(Mem{Base: upper, Disp: i * isa.Bytes}), isa.Load(Mem{Base: lower, Disp: i * isa.Bytes}))
		}
		isa.Store(pack(words[0], words[1]), Mem{Base: to, Index: x, Scale: 1})
		ADDQ(I32(2*isa.Bytes), upper)
		ADDQ(I32(2*isa.Bytes), lower)
	})
	isa.End()
}

// nearestPairs emits the function that takes bytes of rows, 16 at a time from two windows of 16.
func nearestPairs(isa ISA) {
	r := Func("nearestBytes" + isa.Name)
	from, to, n := Load(r.Field("from").Base(), GP64()), Load(r.Field("to").Base(), GP64()), Load(r.Field("to").Len(), GP64())
	bases, shuffle := Load(r.Field("bases").Base(), GP64()), Load(r.Field("shuffle").Base(), GP64())
	blocks("pixels", n, 16, func(x Register) {
		var halves [2]VecVirtual
		index := XMM()
		VMOVDQU(Mem{Base: shuffle}, index)
		for i := range halves {
			g := GP64()
			MOVL(Mem{Base: bases, Disp: 4 * i}, g.As32())
			halves[i] = XMM()
			VMOVDQU(Mem{Base: from, Index: g, Scale: 1}, halves[i])
			VPSHUFB(index, halves[i], halves[i])
		}
		VPBLENDD(U8(0b1100), halves[1], halves[0], halves[0])
		VMOVDQU(halves[0], Mem{Base: to, Index: x, Scale: 1})
		ADDQ(U8(8), bases)
		ADDQ(U8(16), shuffle)
	})
	isa.End()
}

// nearestWide emits the function that takes values of some bytes of rows, half a vector of them at a time
// from a window of a vector.
func nearestWide(isa ISA, values string, size int) {
	r := Func("nearest" + values + isa.Name)
	from, to, n := Load(r.Field("from").Base(), GP64()), Load(r.Field("to").Base(), GP64()), Load(r.Field("to").Len(), GP64())
	bases, shuffle := Load(r.Field("bases").Base(), GP64()), Load(r.Field("shuffle").Base(), GP64())
	half := func(v VecVirtual) Register {
		if isa == AVX512 {
			return v.AsY()
		}
		return v.AsX()
	}
	blocks("pixels", n, isa.Bytes/2, func(x Register) {
		v, g := isa.Vec(), GP64()
		VMOVDQU(Mem{Base: shuffle}, half(v))
		MOVL(Mem{Base: bases}, g.As32())
		window := Mem{Base: from, Index: g, Scale: 1}
		if size == 1 {
			VPERMB(window, v, v)
		} else {
			VPERMD(window, v, v)
		}
		VMOVDQU(half(v), Mem{Base: to, Index: x, Scale: 1})
		ADDQ(U8(4), bases)
		ADDQ(U8(isa.Bytes/2), shuffle)
	})
	isa.End()
}

// nearestEach emits the function that takes pixels of rows one by one, from anywhere.
func nearestEach(isa ISA, size int) {
	r := Func("nearestEach" + sampleNames[size] + isa.Name)
	from, to, columns, n := Load(r.Field("from").Base(), GP64()), Load(r.Field("to").Base(), GP64()), Load(r.Field("columns").Base(), GP64()), Load(r.Field("columns").Len(), GP64())
	blocks("pixels", n, 4, func(x Register) {
		for i := range 4 {
			at, pixel := GP64(), GP32()
			MOVL(Mem{Base: columns, Index: x, Scale: 4, Disp: 4 * i}, at.As32())
			source, place := Mem{Base: from, Index: at, Scale: 1}, Mem{Base: to, Index: x, Scale: uint8(size), Disp: i * size}
			switch size {
			case 1:
				MOVBLZX(source, pixel)
				MOVB(pixel.As8(), place)
			case 2:
				MOVWLZX(source, pixel)
				MOVW(pixel.As16(), place)
			default:
				MOVL(source, pixel)
				MOVL(pixel, place)
			}
		}
	})
	RET()
}
