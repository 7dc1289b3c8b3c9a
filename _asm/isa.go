package main

import (
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
	xor     = binary{PXOR, nil}
)

// do returns a new register with x op y. Only y may lie in memory; with SSE2
// it is aligned then.
func (s isa) do(op binary, x, y Op) VecVirtual {
	v := s.vec()
	s.doTo(op, x, y, v)
	return v
}

// doTo is do with the result in dst, which may be x but not y.
func (s isa) doTo(op binary, x, y Op, dst Register) {
	switch {
	case s == avx512 && op.three == nil:
		VPXORQ(y, x, dst)
		return
	case s == avx2 && op.three == nil:
		VPXOR(y, x, dst)
		return
	case s != sse2:
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

// exceed returns a bit mask of the pixels with v > threshold; v is lost.
func (s isa) exceed(v, threshold Register) GPVirtual {
	mask := GP64()
	switch s {
	case sse2:
		zero := XMM()
		PXOR(zero, zero)
		PSUBUSB(threshold, v)
		PCMPEQB(zero, v)
		PMOVMSKB(v, mask.As32())
		XORL(U32(0xffff), mask.As32())
	case avx2:
		zero := YMM()
		VPXOR(zero, zero, zero)
		VPSUBUSB(threshold, v, v)
		VPCMPEQB(zero, v, v)
		VPMOVMSKB(v, mask.As32())
		NOTL(mask.As32())
	default:
		k := K()
		VPCMPUB(U8(cmpGreater), threshold, v, k)
		KMOVQ(k, mask)
	}
	return mask
}
