package main

import (
	"sync"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// An isa is an instruction set with vectors of so many bytes. Its methods emit
// the instructions whose form depends on it, so that one generator serves all.
type isa struct {
	name  string
	bytes int
}

var (
	sse2   = isa{"SSE2", 16}
	avx2   = isa{"AVX2", 32}
	avx512 = isa{"AVX512", 64}
)

// vec returns a new vector register.
func (s isa) vec() VecVirtual {
	switch s {
	case sse2:
		return XMM()
	case avx2:
		return YMM()
	}
	return ZMM()
}

// load returns a register with the vector at m, of any alignment.
func (s isa) load(m Op) VecVirtual {
	v := s.vec()
	switch s {
	case sse2:
		MOVOU(m, v)
	case avx2:
		VMOVDQU(m, v)
	default:
		VMOVDQU8(m, v)
	}
	return v
}

// register returns the operand itself, or a register with it.
func (s isa) register(v Op) Register {
	if IsM(v) {
		return s.load(v)
	}
	return v.(Register)
}

// broadcast returns a register with all bytes equal to the parameter.
func (s isa) broadcast(param string) VecVirtual {
	g := GP32()
	Load(Param(param), g)
	v := s.vec()
	switch s {
	case sse2:
		IMUL3L(U32(0x01010101), g, g)
		MOVD(g, v)
		PSHUFD(U8(0), v, v)
	case avx2:
		x := XMM()
		VMOVD(g, x)
		VPBROADCASTB(x, v)
	default:
		VPBROADCASTB(g, v)
	}
	return v
}

// A binary is an operation on two vectors: with two operands, dst = dst op src,
// and with three, dst = x op y. All but sub are commutative.
type binary struct {
	two   func(src, dst Op)
	three func(...Op)
}

var (
	minimum = binary{PMINUB, VPMINUB}   // of unsigned bytes
	maximum = binary{PMAXUB, VPMAXUB}   // of unsigned bytes
	addSat  = binary{PADDUSB, VPADDUSB} // of unsigned bytes, at most 255
	subSat  = binary{PSUBUSB, VPSUBUSB} // of unsigned bytes, at least 0
	xor     = binary{PXOR, vpxor}
)

// vpxor is the one operation whose name depends on the size of the vectors.
func vpxor(ops ...Op) {
	if IsZMM(ops[len(ops)-1]) {
		VPXORQ(ops...)
	} else {
		VPXOR(ops[0], ops[1], ops[2])
	}
}

// do returns a new register with x op y. Only y may lie in memory; with SSE2
// it is aligned then.
func (s isa) do(op binary, x, y Op) VecVirtual {
	v := s.vec()
	s.doTo(op, x, y, v)
	return v
}

// doTo is do with the result in dst, which may be x but not y.
func (s isa) doTo(op binary, x, y Op, dst Register) {
	if s != sse2 {
		op.three(y, x, dst)
		return
	}
	if x != dst {
		MOVOU(x, dst)
	}
	op.two(y, dst)
}

// reuse returns x op y. With SSE2, whose operations overwrite one of their
// operands, that is in x.
func (s isa) reuse(op binary, x Register, y Op) Register {
	if s != sse2 {
		return s.do(op, x, y)
	}
	s.doTo(op, x, y, x)
	return x
}

// end returns from the function.
func (s isa) end() {
	if s != sse2 {
		VZEROUPPER()
	}
	RET()
}

// align starts the next instruction, the first of a loop, on a cache line.
func align() {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(64)}})
}

// Predicates of VPCMPUB.
const (
	cmpLess    = 1
	cmpGreater = 6
)

// exceed returns a bit mask of the pixels with v > limit.
func (s isa) exceed(v, limit Op) GPVirtual {
	mask := GP64()
	switch s {
	case sse2:
		PMOVMSKB(s.atMost(v, limit), mask.As32())
		XORL(U32(0xffff), mask.As32())
	case avx2:
		VPMOVMSKB(s.atMost(v, limit), mask.As32())
		NOTL(mask.As32())
	default:
		k := K()
		VPCMPUB(U8(cmpGreater), limit, v, k)
		KMOVQ(k, mask)
	}
	return mask
}

// atMost returns a register with all bits of a byte set where x <= y.
func (s isa) atMost(x, y Op) Register {
	v := s.do(subSat, x, y)
	switch s {
	case sse2:
		PCMPEQB(s.zero(), v)
	case avx2:
		VPCMPEQB(s.zero(), v, v)
	default:
		k := K()
		VPTESTNMB(v, v, k)
		VPMOVM2B(k, v)
	}
	return v
}

// zero returns a register of zeros.
func (s isa) zero() Register {
	v := s.vec()
	switch s {
	case sse2:
		PXOR(v, v)
	case avx2:
		VPXOR(v, v, v)
	default:
		VPXORQ(v, v, v)
	}
	return v
}

// store stores v at m, of any alignment.
func (s isa) store(v Register, m Mem) {
	switch s {
	case sse2:
		MOVOU(v, m)
	case avx2:
		VMOVDQU(v, m)
	default:
		VMOVDQU8(v, m)
	}
}

// only returns v with zeros for the pixels that are not in mask, a mask
// register with AVX-512 and otherwise bits.
func (s isa) only(v, mask Register) Register {
	if s == avx512 {
		w := ZMM()
		VMOVDQU8_Z(v, mask, w)
		return w
	}
	// Each byte takes the eight bits that it is one of, and then its bit.
	w, x := s.vec(), XMM()
	bits := s.load(byteBits())
	if s == avx2 {
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

// byteBits returns a table in which byte i has the bit i%8.
var byteBits = byteTable("byteBits", 32, func(i int) uint8 { return 1 << (i % 8) })

// byteOrder returns a table for VPSHUFB that takes byte i/8 of four to place i.
var byteOrder = byteTable("byteOrder", 32, func(i int) uint8 { return uint8(i / 8) })

// iota64 returns a table of the bytes 0 to 63.
var iota64 = byteTable("iota64", 64, func(i int) uint8 { return uint8(i) })

// byteTable returns a function that returns a table of n bytes, which it defines
// when it is first called.
func byteTable(name string, n int, value func(i int) uint8) func() Mem {
	return sync.OnceValue(func() Mem {
		m := GLOBL(name, RODATA|NOPTR)
		for i := range n {
			DATA(i, U8(value(i)))
		}
		return m
	})
}
