// Package vec writes vector code for several instruction sets: one generator body emits
// functions that differ only in the width of their vectors.
package vec

import (
	"math"
	"sync"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
)

// An ISA is an instruction set. Its methods emit the instructions whose form depends on
// it, so that one generator serves all.
type ISA struct {
	Name  string
	Bytes int // of a vector
}

var (
	SSE2   = ISA{"SSE2", 16}
	AVX2   = ISA{"AVX2", 32}
	AVX512 = ISA{"AVX512", 64}
)

// Vec returns a new vector register.
func (s ISA) Vec() VecVirtual {
	switch s {
	case SSE2:
		return XMM()
	case AVX2:
		return YMM()
	}
	return ZMM()
}

// Load returns a register with the vector at m, of any alignment.
func (s ISA) Load(m Op) VecVirtual {
	v := s.Vec()
	s.Move(m, v)
	return v
}

// Register returns v, which is loaded if it lies in memory.
func (s ISA) Register(v Op) Register {
	if InMemory(v) {
		return s.Load(v)
	}
	return v.(Register)
}

// Broadcast returns a register all of whose bytes equal a field of one byte.
func (s ISA) Broadcast(field Component) VecVirtual {
	g := GP32()
	Load(field, g)
	v := s.Vec()
	switch s {
	case SSE2:
		IMUL3L(U32(0x01010101), g, g)
		MOVD(g, v)
		PSHUFD(U8(0), v, v)
	case AVX2:
		x := XMM()
		VMOVD(g, x)
		VPBROADCASTB(x, v)
	default:
		VPBROADCASTB(g, v)
	}
	return v
}

// Long returns a register with a number of 32 bits in every place. It is not available with
// SSE2.
func (s ISA) Long(n uint32) VecVirtual {
	g, x, v := GP32(), XMM(), s.Vec()
	MOVL(U32(n), g)
	VMOVD(g, x)
	VPBROADCASTD(x, v)
	return v
}

// End returns from the function.
func (s ISA) End() {
	if s != SSE2 {
		VZEROUPPER()
	}
	RET()
}

// Stack returns n places on the stack for vectors, aligned to their size: the frame of a function
// is aligned to 8 bytes only, and a vector there may lie in two cache lines.
func (s ISA) Stack(n int) []Mem {
	base := GP64()
	LEAQ(AllocLocal((n+1)*s.Bytes), base)
	ADDQ(U8(s.Bytes-1), base)
	ANDQ(I8(-s.Bytes), base)
	places := make([]Mem, n)
	for i := range places {
		places[i] = Mem{Base: base, Disp: i * s.Bytes}
	}
	return places
}

// Align aligns the next instruction, the first of a loop, to a cache line.
func Align() {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{U8(64)}})
}

// Counter returns a general register that holds 0.
func Counter() GPVirtual {
	g := GP64()
	XORQ(g, g)
	return g
}

// Loop emits a loop in which x, a Counter, increases to n by step. body emits what is done
// with the elements from x on.
func Loop(label string, x, n Register, step int, body func()) {
	Align()
	Label(label)
	body()
	ADDQ(U8(step), x)
	CMPQ(x, n)
	JLT(LabelRef(label))
}

// LoopWithin is Loop for vectors that must not reach beyond n: the last one ends there, and
// may overlap the one before. last holds n - step.
func LoopWithin(label string, x, last Register, step int, body func()) {
	Align()
	Label(label)
	body()
	CMPQ(x, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(step), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef(label))
	Label("done")
}

// Predicates of VPCMPUB.
const (
	CmpLess    = 1
	CmpAtMost  = 2
	CmpNotLess = 5
	CmpGreater = 6
)

// MoveMask sets mask to the top bits of the bytes of v, with SSE2 or AVX2.
func (s ISA) MoveMask(v Register, mask Register) {
	if s == AVX2 {
		VPMOVMSKB(v, mask)
	} else {
		PMOVMSKB(v, mask)
	}
}

// Exceed returns a bit mask of the bytes with v > limit.
func (s ISA) Exceed(v, limit Op) GPVirtual {
	mask := GP64()
	switch s {
	case SSE2, AVX2:
		s.MoveMask(s.AtMost(v, limit, s.Zero()), mask.As32())
		if s == AVX2 {
			NOTL(mask.As32())
		} else {
			XORL(U32(0xffff), mask.As32())
		}
	default:
		k := K()
		VPCMPUB(U8(CmpGreater), limit, v, k)
		KMOVQ(k, mask)
	}
	return mask
}

// AtMost returns a register with all bits of the bytes set for which x <= y, with SSE2 or
// AVX2. zero holds zeros.
func (s ISA) AtMost(x, y Op, zero Register) Register {
	v := s.Do(op.SubSat, x, y)
	if s == AVX2 {
		VPCMPEQB(zero, v, v)
	} else {
		PCMPEQB(zero, v)
	}
	return v
}

// Zero returns a register of zeros.
func (s ISA) Zero() Register {
	v := s.Vec()
	switch s {
	case SSE2:
		PXOR(v, v)
	case AVX2:
		VPXOR(v, v, v)
	default:
		VPXORQ(v, v, v)
	}
	return v
}

// Store stores v at m, of any alignment.
func (s ISA) Store(v Register, m Mem) { s.Move(v, m) }

// Only returns v with zeros in the bytes that are not in mask, which is a mask register
// with AVX-512 and otherwise a general register.
func (s ISA) Only(v, mask Register) Register {
	if s == AVX512 {
		w := ZMM()
		VMOVDQU8_Z(v, mask, w)
		return w
	}
	Comment("Each byte gets the eight bits that include its own, and then only its own.")
	w, x := s.Vec(), XMM()
	bits := s.Load(byteBits())
	if s == AVX2 {
		VMOVD(mask.(GPVirtual).As32(), x)
		VPBROADCASTD(x, w)
		VPSHUFB(byteOrder(), w, w)
		VPAND(bits, w, w)
		VPCMPEQB(bits, w, w)
		VPAND(v, w, w)
		return w
	}
	MOVD(mask.(GPVirtual).As32(), w)
	PUNPCKLBW(w, w)
	PUNPCKLWL(w, w)
	PSHUFD(U8(0b01_01_00_00), w, w)
	PAND(bits, w)
	PCMPEQB(bits, w)
	PAND(v, w)
	return w
}

// Without returns v with zeros in the bytes of which mask has all bits, and not none. With SSE2
// it overwrites mask. It is not available with AVX-512.
func (s ISA) Without(v, mask Register) Register {
	if s == SSE2 {
		PANDN(v, mask)
		return mask
	}
	w := s.Vec()
	VPANDN(v, mask, w)
	return w
}

// byteBits returns a table in which byte i has the bit i%8.
var byteBits = ByteTable("byteBits", 32, func(i int) uint8 { return 1 << (i % 8) })

// byteOrder returns a table with which VPSHUFB moves byte i/8 of four to place i.
var byteOrder = ByteTable("byteOrder", 32, func(i int) uint8 { return uint8(i / 8) })

// Iota64 returns a table of the bytes 0 to 63.
var Iota64 = ByteTable("Iota64", 64, func(i int) uint8 { return uint8(i) })

// ByteTable returns a function that returns a table of n bytes, and defines the table on
// its first call.
func ByteTable(name string, n int, value func(i int) uint8) func() Mem {
	return sync.OnceValue(func() Mem {
		m := GLOBL(name, RODATA|NOPTR)
		for i := 0; i < n; i += 8 {
			if n-i < 8 {
				for ; i < n; i++ {
					DATA(i, U8(value(i)))
				}
				break
			}
			word := uint64(0)
			for k := range 8 {
				word |= uint64(value(i+k)) << (8 * k)
			}
			DATA(i, U64(word))
		}
		return m
	})
}

// Operand returns v as an operand of an operation: with SSE2 in a register, since its
// operands in memory must be aligned.
func (s ISA) Operand(v Op) Op {
	if s == SSE2 {
		return s.Register(v)
	}
	return v
}

// fill returns a new register that an instruction sets from m. SSE2 lacks the instruction;
// there others emits what sets the register.
func (s ISA) fill(m Mem, instruction func(...Op), others func(v Register)) VecVirtual {
	v := s.Vec()
	if s == SSE2 {
		others(v)
	} else {
		instruction(m, v)
	}
	return v
}

// LoadWords returns the bytes at m as words. zero holds zeros.
func (s ISA) LoadWords(m Mem, zero Register) VecVirtual {
	return s.fill(m, VPMOVZXBW, func(v Register) {
		MOVQ(m, v)
		PUNPCKLBW(zero, v)
	})
}

// AddProducts adds the sums of two neighboring products of signed words to the numbers of
// 32 bits in sum. With SSE2 it changes x.
func (s ISA) AddProducts(sum, x Register, y Op) {
	if s == AVX512 {
		VPDPWSSD(y, x, sum)
		return
	}
	s.DoTo(op.AddLong, sum, s.Reuse(op.MulPairs, x, y), sum)
}

// SumProducts returns the numbers of 32 bits at sum plus the sums of two neighboring products of
// signed words. With SSE2 it changes x.
func (s ISA) SumProducts(sum Mem, x Register, y Op) Register {
	if s == AVX512 {
		v := s.Load(sum)
		s.AddProducts(v, x, y)
		return v
	}
	v := s.Reuse(op.MulPairs, x, y)
	s.DoTo(op.AddLong, v, s.Operand(sum), v)
	return v
}

// Copy returns v in a register that the next operation may overwrite as SSE2's do: with
// SSE2 in a new one.
func (s ISA) Copy(v Op) Register {
	if s == SSE2 {
		w := s.Vec()
		s.Move(v, w)
		return w
	}
	return s.Register(v)
}

// Words returns the register that EvenWords and Alternate need.
func (s ISA) Words() Register {
	if s == AVX512 {
		g, k := GP32(), K()
		MOVL(U32(0x55555555), g)
		KMOVD(g, k)
		return k
	}
	v := s.Vec()
	switch s {
	case SSE2:
		PCMPEQL(v, v)
		PSRLL(U8(16), v)
	default:
		VPCMPEQD(v, v, v)
		VPSRLD(U8(16), v, v)
	}
	return v
}

// EvenWords returns a new register with every other word of v, beginning with the first,
// and 0 in between.
func (s ISA) EvenWords(v Op, words Register) Register {
	if s == AVX512 {
		w := s.Vec()
		VMOVDQU16_Z(v, words, w)
		return w
	}
	return s.Reuse(op.And, s.Copy(v), words)
}

// ShiftIn returns a register with the last n numbers of before, 1 to 4, followed by the
// first ones of v. The numbers have 32 bits.
func (s ISA) ShiftIn(v Register, before Op, n int) VecVirtual {
	return s.Shifter(v, before)(n)
}

// Shifter returns ShiftIn for several n. Its results must not be changed.
func (s ISA) Shifter(v Register, before Op) func(n int) VecVirtual {
	var four VecVirtual // with AVX2, v shifted by 4
	return func(n int) VecVirtual {
		w := s.Vec()
		switch {
		case s == AVX512:
			VALIGND(U8(16-n), before, v, w)
		case s == AVX2:
			if four == nil {
				four = s.Vec()
				VPERM2I128(U8(0x03), before, v, four)
			}
			if n == 4 {
				return four
			}
			VPALIGNR(U8(16-4*n), four, v, w)
		case n == 1:
			last := s.Vec()
			MOVSS(before.(Mem).Offset(12), last)
			PSHUFD(U8(0x90), v, w)
			MOVSS(last, w)
		case n < 4:
			s.Move(before, w)
			PSRLO(U8(16-4*n), w)
			rest := s.Vec()
			s.Move(v, rest)
			PSLLO(U8(4*n), rest)
			POR(rest, w)
		default:
			s.Move(before, w)
		}
		return w
	}
}

// ShiftHalves returns a register whose halves have the last n bytes of those of before, fewer than
// 16, followed by the first ones of those of v. It is available with AVX2 only, as are LoadHalves
// and StoreHalves.
func (s ISA) ShiftHalves(v Register, before Op, n int) VecVirtual {
	w := s.Vec()
	VPALIGNR(U8(16-n), before, v, w)
	return w
}

// LoadHalves returns a register with the halves at low and high.
func (s ISA) LoadHalves(low, high Mem) VecVirtual {
	v := s.Vec()
	VBROADCASTI128(low, v) // like a load of a half, but sets all of v
	VINSERTI128(U8(1), high, v, v)
	return v
}

// StoreHalves stores the halves of v at low and high.
func (s ISA) StoreHalves(v VecVirtual, low, high Mem) {
	VMOVDQU(v.AsX(), low)
	VEXTRACTI128(U8(1), v, high)
}

// Alternate returns every other word of x, beginning with the first, with the words of y
// in between. words is the result of Words.
func (s ISA) Alternate(x, y Mem, words Register) Register {
	v := s.Load(y)
	switch s {
	case SSE2:
		// v, with the bits flipped in which these words differ from those of x.
		w := s.Load(x)
		PXOR(v, w)
		PAND(words, w)
		PXOR(w, v)
	case AVX2:
		VPBLENDW(U8(0x55), x, v, v)
	default:
		VMOVDQU16(x, words, v)
	}
	return v
}

// Negater returns a function that returns a register with every other word negated,
// beginning with the second.
func (s ISA) Negater() func(v Register) Register {
	switch s {
	case SSE2:
		high := s.Vec() // all bits of those words
		PCMPEQL(high, high)
		PSLLL(U8(16), high)
		return func(v Register) Register {
			w := s.Do(op.Xor, v, high)
			PSUBW(high, w)
			return w
		}
	case AVX2:
		signs := s.Load(wordSigns())
		return func(v Register) Register {
			w := s.Vec()
			VPSIGNW(signs, v, w)
			return w
		}
	}
	g, high, zero := GP32(), K(), s.Zero()
	MOVL(U32(0xaaaaaaaa), g)
	KMOVD(g, high)
	return func(v Register) Register {
		w := s.Vec()
		s.Move(v, w)
		VPSUBW(v, zero, high, w)
		return w
	}
}

// wordSigns returns a table of words that alternate between 1 and -1.
var wordSigns = ByteTable("wordSigns", 32, func(i int) uint8 { return [4]uint8{1, 0, 0xff, 0xff}[i%4] })

// ToFloat converts signed numbers of 32 bits.
func (s ISA) ToFloat(v, dst Register) {
	if s == SSE2 {
		CVTPL2PS(v, dst)
	} else {
		VCVTDQ2PS(v, dst)
	}
}

// UnsignedToFloat converts vectors of unsigned numbers of 32 bits, which it may change. It is fast
// if all of them are less than 1<<31. What the function that it returns emits, behind the end of
// the function, is for others. Its labels begin with label.
func (s ISA) UnsignedToFloat(label string, v, dst []Register) (others func()) {
	if s == AVX512 {
		for i := range v {
			VCVTUDQ2PS(v[i], dst[i])
		}
		return func() {}
	}
	all, large := s.Do(op.Or, v[0], v[1]), GP32()
	for _, v := range v[2:] {
		s.DoTo(op.Or, all, v, all)
	}
	if s == SSE2 {
		MOVMSKPS(all, large)
	} else {
		VMOVMSKPS(all, large)
	}
	TESTL(large, large)
	JNE(LabelRef(label + "Large"))
	for i := range v {
		s.ToFloat(v[i], dst[i])
	}
	Label(label + "Converted")
	return func() {
		Comment("Numbers that need all 32 bits.")
		Label(label + "Large")
		for i := range v {
			s.largeToFloat(v[i], dst[i])
		}
		JMP(LabelRef(label + "Converted"))
	}
}

// largeToFloat converts unsigned numbers of 32 bits, which it changes, with SSE2 or AVX2.
func (s ISA) largeToFloat(v, dst Register) {
	// Both halves are exact, so only their sum is rounded.
	low := s.Vec()
	s.Move(v, low)
	if s == SSE2 {
		PSRLL(U8(16), v)
		PSLLL(U8(16), low)
		PSRLL(U8(16), low)
	} else {
		VPSRLD(U8(16), v, v)
		VPBLENDW(U8(0xaa), s.Zero(), low, low)
	}
	s.ToFloat(v, v)
	s.ToFloat(low, low)
	s.DoTo(op.MulFloat, v, s.Operand(halves()), v)
	s.DoTo(op.AddFloat, v, low, dst)
}

// halves returns a table of floats that are 65536.
var halves = ByteTable("halves", 32, func(i int) uint8 { return uint8(math.Float32bits(65536) >> (8 * (i % 4))) })

// Sqrt replaces floats with their square roots.
func (s ISA) Sqrt(v Register) {
	if s == SSE2 {
		SQRTPS(v, v)
	} else {
		VSQRTPS(v, v)
	}
}

// The indices, of 32 bits, with which VPERMI2PS interleaves.
var (
	interleaveLow  = interleaveTable("interleaveLow", 0)
	interleaveHigh = interleaveTable("interleaveHigh", 8)
)

// interleaveTable returns the indices of the floats from first on of two registers.
func interleaveTable(name string, first int) func() Mem {
	return ByteTable(name, 64, func(i int) uint8 {
		if i%4 > 0 {
			return 0
		}
		return uint8(first + i/8 + i/4%2*16)
	})
}

// Interleaver returns a function that interleaves the floats of two registers, and returns
// the first and the second half of the result.
func (s ISA) Interleaver() func(even, odd Register) (low, high Register) {
	if s == AVX512 {
		order := [2]VecVirtual{s.Load(interleaveLow()), s.Load(interleaveHigh())}
		return func(even, odd Register) (low, high Register) {
			low, high = s.Vec(), s.Vec()
			VMOVDQU64(order[0], low)
			VPERMI2PS(odd, even, low)
			VMOVDQU64(order[1], high)
			VPERMI2PS(odd, even, high)
			return low, high
		}
	}
	return func(even, odd Register) (low, high Register) {
		low, high = s.Vec(), s.Vec()
		if s == SSE2 {
			MOVOU(even, low)
			UNPCKLPS(odd, low)
			MOVOU(even, high)
			UNPCKHPS(odd, high)
			return low, high
		}
		l, h := s.Vec(), s.Vec()
		VUNPCKLPS(odd, even, l)
		VUNPCKHPS(odd, even, h)
		VPERM2F128(U8(0x20), h, l, low)
		VPERM2F128(U8(0x31), h, l, high)
		return low, high
	}
}

// NotLessFloat returns a bit mask of the floats with v >= limit. It changes limit.
func (s ISA) NotLessFloat(v, limit Register) GPVirtual {
	const atMost = 2
	mask := GP64()
	switch s {
	case SSE2:
		CMPPS(v, limit, U8(atMost))
		MOVMSKPS(limit, mask.As32())
	case AVX2:
		VCMPPS(U8(atMost), v, limit, limit)
		VMOVMSKPS(limit, mask.As32())
	default:
		k := K()
		VCMPPS(U8(atMost), v, limit, k)
		KMOVW(k, mask.As32())
	}
	return mask
}

// Move copies a vector to or from a register, or between registers.
func (s ISA) Move(v, dst Op) {
	switch s {
	case SSE2:
		MOVOU(v, dst)
	case AVX2:
		VMOVDQU(v, dst)
	default:
		VMOVDQU8(v, dst)
	}
}

// LoadLongWords returns the signed words at m as numbers of 32 bits.
func (s ISA) LoadLongWords(m Mem) VecVirtual {
	return s.fill(m, VPMOVSXWD, func(v Register) {
		MOVQ(m, v)
		PUNPCKLWL(v, v)
		PSRAL(U8(16), v)
	})
}

// LoadLongs returns the bytes at m as numbers of 32 bits. zero holds zeros.
func (s ISA) LoadLongs(m Mem, zero Register) VecVirtual {
	return s.fill(m, VPMOVZXBD, func(v Register) {
		MOVSS(m, v)
		PUNPCKLBW(zero, v)
		PUNPCKLWL(zero, v)
	})
}

// BroadcastFloat returns a register with the float, or other 32 bits, at m in every place.
func (s ISA) BroadcastFloat(m Mem) VecVirtual {
	return s.fill(m, VBROADCASTSS, func(v Register) {
		MOVSS(m, v)
		SHUFPS(U8(0), v, v)
	})
}

// LoadQuads returns the floats at m, which are integers of 32 bits, as integers of 64 bits,
// or with SSE2 as doubles.
func (s ISA) LoadQuads(m Mem) VecVirtual {
	v := s.Vec()
	switch s {
	case SSE2:
		return s.LoadDoubles(m)
	case AVX2:
		VCVTPS2DQ(m, v.AsX())
		VPMOVSXDQ(v.AsX(), v)
	default:
		VCVTPS2QQ(m, v)
	}
	return v
}

// StoreQuads stores integers of 64 bits, or doubles with SSE2, as floats. Their magnitudes
// have fewer than 51 bits. It changes v. magic is the result of Magic.
func (s ISA) StoreQuads(v, magic Register, m Mem) {
	switch s {
	case AVX512:
		half := v.(VecVirtual).AsY()
		VCVTQQ2PS(v, half)
		VMOVDQU(half, m)
		return
	case AVX2:
		Comment("They become doubles as the lower bits of a larger one.")
		s.DoTo(op.AddQuad, v, magic, v)
		s.DoTo(op.SubDouble, v, magic, v)
	}
	s.StoreFloats(v, m)
}

// Magic returns the register that StoreQuads needs.
func (s ISA) Magic() Register {
	if s != AVX2 {
		return nil
	}
	g, x, v := GP64(), XMM(), s.Vec()
	MOVQ(U64(math.Float64bits(3<<51)), g)
	VMOVQ(g, x)
	VPBROADCASTQ(x, v)
	return v
}

// LoadDoubles returns the floats at m as doubles.
func (s ISA) LoadDoubles(m Mem) VecVirtual {
	return s.fill(m, VCVTPS2PD, func(v Register) {
		MOVQ(m, v)
		CVTPS2PD(v, v)
	})
}

// StoreFloats stores doubles as floats. It changes v.
func (s ISA) StoreFloats(v Register, m Mem) {
	switch s {
	case SSE2:
		CVTPD2PS(v, v)
		MOVQ(v, m)
	case AVX2:
		VCVTPD2PSY(v, v.(VecVirtual).AsX())
		VMOVDQU(v.(VecVirtual).AsX(), m)
	default:
		VCVTPD2PS(v, v.(VecVirtual).AsY())
		VMOVDQU(v.(VecVirtual).AsY(), m)
	}
}

// Pointer returns pointer i of an array of pointers that is a field.
func Pointer(r Component, field string, i int) Register {
	return Load(r.Field(field).Index(i), GP64())
}

// Bases returns the base pointers of n slices, the elements of an array that is a field.
func Bases(r Component, field string, n int) []Register {
	list := make([]Register, n)
	for i := range list {
		list[i] = Load(r.Field(field).Index(i).Base(), GP64())
	}
	return list
}

// Address returns where a field is.
func Address(field Component) Mem {
	basic, err := field.Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}
