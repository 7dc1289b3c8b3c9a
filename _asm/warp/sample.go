package main

import (
	"math"
	"math/bits"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// A sampler emits a kernel that makes a row of pixels, a group at a time: as many as a vector
// has numbers of 32 bits.
type sampler struct {
	isa         ISA
	r           Component
	linear      bool
	size, group int // the bytes of a pixel, and the pixels that are made at a time

	pix, x, y, to, stride, i Register
	shift                    Register // the number of bits, in a vector
	skip                     Register // for how many groups no window is tried

	// Numbers in every place, with AVX2 on the stack.
	x0, y0, left, top, step Op
	right, bottom           Op // the largest column and row that are inside

	rooms []Mem // places on the stack that are not used yet
	saved Mem   // the offsets of pixels of four bytes

	held map[string]Register // tables in registers, by their names
}

// sampleNames are the names of functions that make pixels of some bytes.
var sampleNames = map[int]string{1: "Gray", 2: "Gray16", 4: "Color"}

// sample emits the function that makes pixels of some bytes, by linear interpolation or of the
// nearest ones.
func sample(isa ISA, kind string, size int) {
	s := &sampler{isa: isa, linear: kind == "linear", size: size, group: isa.Bytes / 4}
	s.r = Func(kind + sampleNames[size] + isa.Name)
	s.emit()
}

// broadcast returns a register with a field of 32 bits in every place.
func (s *sampler) broadcast(field string) VecVirtual {
	v := s.isa.Vec()
	VPBROADCASTD(Address(s.r.Field(field)), v)
	return v
}

// emit emits the function.
func (s *sampler) emit() {
	r := s.r
	s.pix, s.x, s.y, s.to = Load(r.Field("pix").Base(), GP64()), Load(r.Field("x").Base(), GP64()), Load(r.Field("y").Base(), GP64()), Load(r.Field("to").Base(), GP64())
	s.stride = Load(r.Field("stride"), GP64())
	s.shift = XMM()
	VMOVQ(Address(r.Field("shift")), s.shift)
	switch {
	case s.linear && s.size < 4: // see room
	case s.isa == AVX2:
		s.rooms = s.isa.Stack(8)
	case s.linear:
		s.rooms = s.isa.Stack(1)
	}
	if s.linear && s.size == 4 {
		s.saved = s.room()
	}
	s.x0, s.y0 = s.keep(s.broadcast("x0")), s.keep(s.broadcast("y0"))
	s.left, s.top = s.keep(s.broadcast("left")), s.keep(s.broadcast("top"))
	x, v := XMM(), s.isa.Vec()
	VMOVQ(s.stride, x)
	VPBROADCASTD(x, v)
	s.step = s.keep(v)
	right, bottom := s.broadcast("right"), s.broadcast("bottom")
	if s.linear {
		one := s.isa.Long(1)
		VPSUBD(one, right, right)
		VPSUBD(one, bottom, bottom)
	}
	s.right, s.bottom = s.keep(right), s.keep(bottom)
	last := Load(r.Field("n"), GP64())
	SUBQ(U8(s.group), last)
	s.i = Counter()
	windows := s.linear && s.isa == AVX512
	if windows {
		s.skip = GP32()
		XORL(s.skip, s.skip)
	}
	if windows && s.size == 2 {
		s.hold(byteSpread, swapped, longFraction, floatColumns, floatRows, floatShare, longWord, swap)
	}
	var narrow *lanes
	if s.linear && s.size < 4 && s.isa == AVX2 {
		narrow = newLanes(s)
		narrow.prepare(last)
	}

	Align()
	Label("loop")
	if windows {
		TESTL(s.skip, s.skip)
		JNE(LabelRef("skip"))
		switch s.size {
		case 1:
			s.window(last)
		case 2:
			s.window16()
		case 4:
			s.colorWindow()
		}
	}
	if narrow != nil {
		narrow.emit()
	}
	Comment("The places of a group of pixels.")
	column, row, px, py, inside := s.places(s.i)
	s.testAll(inside)
	if s.linear && s.size == 1 && s.isa == AVX512 {
		s.block(column, row, px, py)
	}
	if s.linear && s.size == 4 && s.isa == AVX2 {
		s.makeColors(column, row, px, py, last)
	} else {
		s.make(column, row, px, py, inside, false)
	}
	Label("next")
	CMPQ(s.i, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(s.group), s.i)
	CMPQ(s.i, last)
	CMOVQGT(last, s.i)
	JMP(LabelRef("loop"))

	Comment("Some of the pixels are not inside.")
	Label("mixed")
	if narrow != nil {
		narrow.pause(lanePauseOutside)
	}
	s.mixed(column, row, px, py, inside)
	JMP(LabelRef("next"))
	if windows {
		Label("high")
		MOVL(U32(windowSkip), s.skip)
		JMP(LabelRef("gathers"))
		Label("skip")
		DECL(s.skip)
		JMP(LabelRef("gathers"))
	}
	Label("done")
	s.isa.End()
}

// keep returns v, or with AVX2, which has too few registers, a place on the stack with it.
func (s *sampler) keep(v Register) Op {
	if s.isa == AVX512 {
		return v
	}
	m := s.room()
	s.isa.Store(v, m)
	return m
}

// room returns a place on the stack for a vector.
func (s *sampler) room() Mem {
	if s.linear && s.size < 4 {
		return AllocLocal(s.isa.Bytes) // no register is left for the address of aligned places
	}
	m := s.rooms[0]
	s.rooms = s.rooms[1:]
	return m
}

// hold loads tables to registers, which table returns from then on.
func (s *sampler) hold(tables ...func() Mem) {
	s.held = map[string]Register{}
	for _, t := range tables {
		m := t()
		s.held[m.Symbol.Name] = s.isa.Load(m)
	}
}

// table returns a table, or the register that holds it.
func (s *sampler) table(t func() Mem) Op {
	m := t()
	if v, ok := s.held[m.Symbol.Name]; ok {
		return v
	}
	return m
}

// at returns where the number of pixel i is in an array of numbers of 32 bits.
func (s *sampler) at(base Register) Mem { return Mem{Base: base, Index: s.i, Scale: 4} }

// places returns the columns and rows of the group from i on, relative to the source, the places
// in 1/32 pixel, and which pixels are inside: all bits of their numbers, or with AVX-512 a mask.
func (s *sampler) places(i Register) (column, row, px, py, inside Register) {
	px, py = s.isa.Load(Mem{Base: s.x, Index: i, Scale: 4}), s.isa.Load(Mem{Base: s.y, Index: i, Scale: 4})
	VPADDD(s.x0, px, px)
	VPADDD(s.y0, py, py)
	VPSRAD(s.shift, px, px)
	VPSRAD(s.shift, py, py)
	column, row = px, py
	if s.linear {
		column, row = s.isa.Vec(), s.isa.Vec()
		VPSRAD(U8(5), px, column)
		VPSRAD(U8(5), py, row)
	}
	VPSUBD(s.left, column, column)
	VPSUBD(s.top, row, row)
	if s.isa == AVX512 {
		k := K()
		VPCMPUD(U8(CmpAtMost), s.right, column, k)
		VPCMPUD(U8(CmpAtMost), s.bottom, row, k, k)
		return column, row, px, py, k
	}
	a, b := s.isa.Do(op.MinLong, column, s.right), s.isa.Do(op.MinLong, row, s.bottom)
	VPCMPEQD(a, column, a)
	VPCMPEQD(b, row, b)
	VPAND(a, b, a)
	return column, row, px, py, a
}

// testAll jumps to mixed unless all pixels are inside.
func (s *sampler) testAll(inside Register) {
	if s.isa == AVX512 {
		KORTESTW(inside, inside)
		JCC(LabelRef("mixed"))
		return
	}
	m := GP32()
	VMOVMSKPS(inside, m)
	CMPL(m, U32(0xff))
	JNE(LabelRef("mixed"))
}

// prefetch asks for the pixels four rows below some. Where an image is turned by a few degrees,
// each row of the destination comes from many rows, which the processor does not foresee.
func (s *sampler) prefetch(at Register) {
	PREFETCHT0(Mem{Base: at, Index: s.stride, Scale: 4})
}

// prefetchFirst is prefetch for the first one of offsets.
func (s *sampler) prefetchFirst(offsets Register) {
	first, at := GP64(), GP64()
	VMOVD(asX(offsets), first.As32())
	LEAQ(Mem{Base: s.pix, Index: first, Scale: 1}, at)
	s.prefetch(at)
}

// index returns the register for offsets that pixels are gathered from. With AVX2 it is one of
// its own: qemu 7.2, which tests these kernels, takes register 4 for none.
func (s *sampler) index() Register {
	if s.isa == AVX2 {
		return reg.Y15
	}
	return s.isa.Vec()
}

// gather returns the numbers of 32 bits at offsets of the pixels that are inside, and zeros.
func (s *sampler) gather(base, offsets, inside Register) Register {
	v := s.isa.Zero()
	from := Mem{Base: base, Index: offsets, Scale: 1}
	if s.isa == AVX512 {
		mask := K()
		KMOVW(inside, mask)
		VPGATHERDD(from, mask, v)
	} else {
		mask := s.isa.Vec()
		VMOVDQU(inside, mask)
		VPGATHERDD(mask, from, v)
	}
	return v
}

// make makes a group of pixels and stores them. Unless some is false, all are inside.
func (s *sampler) make(column, row, px, py, inside Register, some bool) {
	offsets := s.index()
	s.offsets(column, row, offsets)
	var v Register
	switch {
	case !s.linear && s.size == 4:
		s.prefetchFirst(offsets)
		v = s.gather(s.pix, offsets, inside)
	case !s.linear:
		s.prefetchFirst(offsets)
		Comment("The last bytes of the source are read with the ones before.")
		end, shift := s.endOffset(), s.isa.Vec()
		VPSUBD(end, offsets, shift)
		VPMINSD(end, offsets, offsets)
		VPMAXSD(s.isa.Zero(), shift, shift)
		VPSLLD(U8(3), shift, shift)
		v = s.gather(s.pix, offsets, inside)
		VPSRLVD(shift, v, v)
		VPAND_(s.isa, s.isa.Long(1<<(8*s.size)-1), v, v)
	case s.size == 4:
		if s.isa == AVX512 {
			VMOVDQU32_Z(offsets, inside, offsets)
		} else {
			VPAND(inside, offsets, offsets)
		}
		s.isa.Store(offsets, s.saved)
		v = s.mixColor(px, py)
	default:
		s.prefetchFirst(offsets)
		lower, before, mix := GP64(), 2, s.mixGray
		if s.size == 2 {
			before, mix = 0, s.mixGray16
		}
		LEAQ(Mem{Base: s.pix, Disp: -before, Index: s.stride, Scale: 1}, lower)
		v = mix(s.gather(s.pix, offsets, inside), s.gather(lower, offsets, inside), px, py)
	}
	if some {
		s.storeSome(v, column, row, inside)
	} else {
		s.store(v)
	}
}

// offsets sets dst to the offsets of pixels in the source.
func (s *sampler) offsets(column, row, dst Register) {
	VPMULLD(s.step, row, dst)
	if s.size > 1 {
		bytes := s.isa.Vec()
		VPSLLD(U8(bits.TrailingZeros(uint(s.size))), column, bytes)
		column = bytes
	}
	VPADDD(column, dst, dst)
}

// VPAND_ is VPAND, or VPANDD with AVX-512.
func VPAND_(isa ISA, x, y, dst Op) {
	if isa == AVX512 {
		VPANDD(x, y, dst)
	} else {
		VPAND(x, y, dst)
	}
}

// endOffset returns, in every place, the offset of the last four bytes of the source.
func (s *sampler) endOffset() Register {
	g, x, v := Load(s.r.Field("pix").Len(), GP64()), XMM(), s.isa.Vec()
	SUBQ(U8(4), g)
	VMOVQ(g, x)
	VPBROADCASTD(x, v)
	return v
}

// The bytes that each number of 32 bits is multiplied by: 32-f and f for both rows, and the
// words 32-f and f. They are (f & 31 ^ flip) + 33 in the places of 32-f.
var (
	byteSpread = ByteTable("byteSpread", 64, func(i int) uint8 { return uint8(i / 4 * 4 % 16) })
	wordSpread = ByteTable("wordSpread", 64, func(i int) uint8 { return [4]uint8{uint8(i / 4 * 4 % 16), 0x80, uint8(i / 4 * 4 % 16), 0x80}[i%4] })
	fraction   = ByteTable("fraction", 64, func(i int) uint8 { return 31 })
	byteFlip   = ByteTable("byteFlip", 64, func(i int) uint8 { return [2]uint8{0xff, 0}[i%2] })
	byteAdd    = ByteTable("byteAdd", 64, func(i int) uint8 { return [2]uint8{33, 0}[i%2] })
	wordFlip   = ByteTable("wordFlip", 64, func(i int) uint8 { return [4]uint8{0xff, 0xff, 0, 0}[i%4] })
	wordAdd    = ByteTable("wordAdd", 64, func(i int) uint8 { return [4]uint8{33, 0, 0, 0}[i%4] })
	half       = ByteTable("half", 64, func(i int) uint8 { return [4]uint8{0, 2, 0, 0}[i%4] }) // 512
)

// weights returns the weights of the columns, as bytes, and those of the rows, as words, of
// each place.
func (s *sampler) weights(px, py Register) (wx, wy Register) {
	wy = s.isa.Vec()
	VPSHUFB(wordSpread(), py, wy)
	s.isa.DoTo(op.And, wy, fraction(), wy)
	s.isa.DoTo(op.Xor, wy, wordFlip(), wy)
	s.isa.DoTo(op.AddWord, wy, wordAdd(), wy)
	return s.columnWeights(px), wy
}

// columnWeights returns the weights of the columns of each place, as bytes, twice.
func (s *sampler) columnWeights(px Register) Register {
	wx := s.isa.Vec()
	VPSHUFB(byteSpread(), px, wx)
	s.isa.DoTo(op.And, wx, fraction(), wx)
	s.isa.DoTo(op.Xor, wx, byteFlip(), wx)
	VPADDB(byteAdd(), wx, wx)
	return wx
}

// mixRows sets lower, sums of two columns, to pixels, as words. share is 1024 times the fraction
// of the row: of the sums u and v of two rows and a fraction f, ((32-f)u + fv + 512) >> 10 is
// (u + (f(v-u) >> 5) + 16) >> 5, since 32u has no bits that the first shift drops. VPMULHW gives
// the one shift, of 1024f times 2(v-u), and VPMULHRSW the other one. half has words of 1024.
func mixRows(upper, lower, share, half Op) {
	VPSUBW(upper, lower, lower)
	VPADDW(lower, lower, lower)
	VPMULHW(share, lower, lower)
	VPADDW(upper, lower, lower)
	VPMULHRSW(half, lower, lower)
}

// mixGray returns the pixels, as numbers of 32 bits, of their neighbors: those of the upper row
// are in the lower words of upper, those of the lower row in the upper words of lower.
func (s *sampler) mixGray(upper, lower, px, py Register) Register {
	if s.isa == AVX512 {
		g, k := GP32(), K()
		MOVL(U32(0xaaaaaaaa), g)
		KMOVD(g, k)
		VMOVDQU16(lower, k, upper)
	} else {
		VPBLENDW(U8(0xaa), lower, upper, upper)
	}
	return s.blendGray(upper, px, py)
}

// blendGray returns the pixels, as numbers of 32 bits, of their four neighbors.
func (s *sampler) blendGray(v, px, py Register) Register {
	wx, wy := s.weights(px, py)
	VPMADDUBSW(wx, v, v)
	VPMADDWD(wy, v, v)
	s.isa.DoTo(op.AddLong, v, half(), v)
	VPSRLD(U8(10), v, v)
	return v
}

// In memory the upper byte of a pixel of 16 bits comes first.
var (
	swap    = ByteTable("swap", 64, func(i int) uint8 { return uint8(i%16 ^ 1) })
	swapped = ByteTable("swapped", 64, func(i int) uint8 { return uint8(i%4 ^ 1) })
)

// floats is words for numbers of type float32.
func floats(name string, n float32) func() Mem { return longs(name, int(math.Float32bits(n))) }

var (
	floatColumns = floats("floatColumns", 32)
	floatRows    = floats("floatRows", 1./32)
	floatShare   = floats("floatShare", 1./1024)
	longFraction = longs("longFraction", 31)
	longWord     = longs("longWord", 0xffff)
)

// mixGray16 returns the pixels, as numbers of 32 bits, of the pairs of their neighbors in the upper
// row and in the lower one.
func (s *sampler) mixGray16(upper, lower, px, py Register) Register {
	VPSHUFB(s.table(swap), upper, upper)
	VPSHUFB(s.table(swap), lower, lower)
	return s.mixPairs(upper, lower, px, py)
}

// mixPairs is mixGray16 for neighbors that are numbers. The weights of columns are whole numbers
// and those of rows 1/1024 of such, so that their products are exact.
func (s *sampler) mixPairs(upper, lower, px, py Register) Register {
	isa := s.isa
	weights := func(p Register, whole Op, scale ...Op) [2]Register {
		second := isa.Vec()
		isa.DoTo(op.And, p, s.table(longFraction), second)
		VCVTDQ2PS(second, second)
		for _, k := range scale {
			VMULPS(k, second, second)
		}
		return [2]Register{isa.Do(op.SubFloat, isa.Register(whole), second), second}
	}
	columns, rows := weights(px, s.table(floatColumns)), weights(py, s.table(floatRows), s.table(floatShare))
	var sum Register
	for i, pixels := range []Register{upper, lower} {
		for k := range columns {
			v, w := isa.Vec(), isa.Do(op.MulFloat, columns[k], rows[i])
			if k == 0 {
				isa.DoTo(op.And, pixels, s.table(longWord), v)
			} else {
				VPSRLD(U8(16), pixels, v)
			}
			VCVTDQ2PS(v, v)
			VMULPS(w, v, v)
			if sum == nil {
				sum = v
			} else {
				VADDPS(v, sum, sum)
			}
		}
	}
	VCVTPS2DQ(sum, sum)
	VPSHUFB(s.table(swap), sum, sum)
	return sum
}

// store stores a group of pixels, which are numbers of 32 bits.
func (s *sampler) store(v Register) {
	switch {
	case s.size == 4:
		s.isa.Store(v, s.pixels())
	case s.size == 1 && s.isa == AVX2:
		VMOVQ(s.narrow(v), s.pixels())
	case s.size == 2 && s.isa == AVX512:
		VMOVDQU16(s.narrow(v), s.pixels())
	default:
		VMOVDQU(s.narrow(v), s.pixels())
	}
}

// pixels returns where the pixels of the group are stored.
func (s *sampler) pixels() Mem { return Mem{Base: s.to, Index: s.i, Scale: uint8(s.size)} }

// narrow returns the lower bytes of numbers of 32 bits, which are pixels of less than four bytes or
// with AVX2 -1.
func (s *sampler) narrow(v Register) Register {
	x := XMM()
	switch {
	case s.isa == AVX512 && s.size == 2:
		y := YMM()
		VPMOVDW(v, y)
		return y
	case s.isa == AVX512:
		VPMOVDB(v, x)
		return x
	}
	VEXTRACTI128(U8(1), v, x)
	if s.size == 2 {
		VPACKUSDW(x, v.(VecVirtual).AsX(), x)
		return x
	}
	VPACKSSDW(x, v.(VecVirtual).AsX(), x)
	VPACKUSWB(x, x, x)
	return x
}

// storeSome stores the pixels that are inside, and Value where a pixel uses no other. It
// appends the others to outer.
func (s *sampler) storeSome(v, column, row, inside Register) {
	isa := s.isa
	if isa == AVX2 {
		column, row, _, _, inside = s.places(s.i) // again, since there are too few registers
	}
	value := s.value()
	if isa == AVX512 {
		set := K()
		KMOVW(inside, set)
		s.ifConstant("variable", func() {
			outside := s.wholly(column, row)
			KORW(inside, outside, set)
		})
		VPBLENDMD(v, value, inside, v)
		m := GP32()
		KMOVW(set, m)
		s.appendUnset(m)
		switch s.size {
		case 1:
			VMOVDQU8(s.narrow(v), set, s.pixels())
		case 2:
			VMOVDQU16(s.narrow(v), set, s.pixels())
		case 4:
			VMOVDQU32(v, set, s.pixels())
		}
		return
	}
	set := isa.Vec()
	VMOVDQU(inside, set)
	s.ifConstant("variable", func() {
		VPOR(s.wholly(column, row), set, set)
	})
	VPBLENDVB(inside, v, value, v)
	m := GP32()
	VMOVMSKPS(set, m)
	s.appendUnset(m)
	if s.size == 4 {
		old := isa.Load(s.pixels())
		VPBLENDVB(set, v, old, v)
		isa.Store(v, s.pixels())
		return
	}
	old, x, mask := XMM(), s.narrow(v), XMM()
	VEXTRACTI128(U8(1), set, mask)
	VPACKSSDW(mask, set.AsX(), mask)
	move := VMOVDQU
	if s.size == 1 {
		VPACKSSWB(mask, mask, mask)
		move = VMOVQ
	}
	move(s.pixels(), old)
	VPBLENDVB(mask, x, old, x)
	move(x, s.pixels())
}

// value returns what lies outside, as pixels or numbers of 32 bits.
func (s *sampler) value() Register {
	value := s.isa.Vec()
	if s.size > 1 {
		VPBROADCASTD(Address(s.r.Field("value").Index(0)), value)
		return value
	}
	g, x := GP32(), XMM()
	Load(s.r.Field("value").Index(0), g)
	VMOVD(g, x)
	VPBROADCASTD(x, value)
	return value
}

// ifConstant emits what is done only if what is outside is a constant. It ends at label.
func (s *sampler) ifConstant(label string, do func()) {
	g := Load(s.r.Field("constant"), GP64())
	TESTQ(g, g)
	JEQ(LabelRef(label))
	do()
	Label(label)
}

// appendUnset appends the pixels of the group whose bits in set are 0 to outer.
func (s *sampler) appendUnset(set Register) {
	XORL(U32(1<<s.group-1), set)
	JEQ(LabelRef("complete"))
	outer, n, i := Load(s.r.Field("outer").Base(), GP64()), Load(s.r.Field("outers"), GP64()), GP32()
	Label("unset")
	TZCNTL(set, i)
	ADDL(s.i.(GPVirtual).As32(), i)
	MOVL(i, Mem{Base: outer, Index: n, Scale: 4})
	INCQ(n)
	BLSRL(set, set)
	JNE(LabelRef("unset"))
	Store(n, s.r.Field("outers"))
	Label("complete")
}

// wholly returns which pixels use none of the source.
func (s *sampler) wholly(column, row Register) Register {
	isa := s.isa
	a, b := isa.Vec(), isa.Vec()
	if s.linear {
		Comment("Column -1 and the last one use some.")
		one := isa.Long(1)
		VPADDD(one, column, a)
		VPADDD(one, row, b)
	}
	c, d := Register(a), Register(b)
	if !s.linear {
		c, d = column, row
	}
	right, bottom := s.right, s.bottom
	if s.linear {
		two := isa.Long(2)
		right, bottom = isa.Do(op.AddLong, two, s.right), isa.Do(op.AddLong, two, s.bottom)
	}
	if isa == AVX512 {
		k, l := K(), K()
		VPCMPUD(U8(CmpGreater), right, c, k)
		VPCMPUD(U8(CmpGreater), bottom, d, l)
		KORW(k, l, k)
		return k
	}
	e, f := isa.Do(op.MinLong, c, right), isa.Do(op.MinLong, d, bottom)
	VPCMPEQD(e, c, e)
	VPCMPEQD(f, d, f)
	VPAND(e, f, e)
	all := isa.Vec()
	VPCMPEQD(all, all, all)
	VPXOR(all, e, e)
	return e
}

// mixed emits what is done for groups that have pixels that are not inside.
func (s *sampler) mixed(column, row, px, py, inside Register) {
	s.ifConstant("some", func() {
		outside := s.wholly(column, row)
		if s.isa == AVX512 {
			KORTESTW(outside, outside)
			JCC(LabelRef("some"))
		} else {
			m := GP32()
			VMOVMSKPS(outside, m)
			CMPL(m, U32(0xff))
			JNE(LabelRef("some"))
		}
		s.store(s.value())
		JMP(LabelRef("next"))
	})
	s.make(column, row, px, py, inside, true)
}

// asX returns the lower part of a vector.
func asX(v Register) Register {
	switch v := v.(type) {
	case VecVirtual:
		return v.AsX()
	case reg.VecPhysical:
		return v.AsX()
	}
	panic("not a vector")
}
