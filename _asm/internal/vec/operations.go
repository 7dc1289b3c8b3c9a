package vec

import (
	"log"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// A binary has the instructions for an operation on two vectors: with two operands,
// dst = dst op src, and with three, dst = x op y. All but those that subtract, divide and
// shift are commutative.
type binary struct {
	two   func(src, dst Op) // nil if SSE2 lacks it
	three func(...Op)
}

var binaries = map[op.Binary]binary{
	op.Min:       {PMINUB, VPMINUB},
	op.Max:       {PMAXUB, VPMAXUB},
	op.AddSat:    {PADDUSB, VPADDUSB},
	op.SubSat:    {PSUBUSB, VPSUBUSB},
	op.Sub:       {PSUBB, VPSUBB},
	op.And:       {PAND, sized(VPAND, VPANDQ)},
	op.Or:        {POR, sized(VPOR, VPORQ)},
	op.Xor:       {PXOR, sized(VPXOR, VPXORQ)},
	op.AddWord:   {PADDW, VPADDW},
	op.SubWord:   {PSUBW, VPSUBW},
	op.MaxWord:   {PMAXSW, VPMAXSW},
	op.MulPairs:  {PMADDWL, VPMADDWD},
	op.AddLong:   {PADDL, VPADDD},
	op.SubLong:   {PSUBL, VPSUBD},
	op.MinLong:   {nil, VPMINUD},
	op.MaxLong:   {nil, VPMAXUD},
	op.AddQuad:   {PADDQ, VPADDQ},
	op.SubQuad:   {PSUBQ, VPSUBQ},
	op.MulQuad:   {nil, VPMULDQ},
	op.ShiftQuad: {PSRLQ, VPSRLQ},
	op.AddFloat:  {ADDPS, VADDPS},
	op.SubFloat:  {SUBPS, VSUBPS},
	op.MulFloat:  {MULPS, VMULPS},
	op.DivFloat:  {DIVPS, VDIVPS},
	op.MinFloat:  {MINPS, VMINPS},
	op.MaxFloat:  {MAXPS, VMAXPS},
	op.AddDouble: {ADDPD, VADDPD},
	op.SubDouble: {SUBPD, VSUBPD},
	op.MulDouble: {MULPD, VMULPD},
	op.DivDouble: {DIVPD, VDIVPD},
	op.MinDouble: {MINPD, VMINPD},
	op.MaxDouble: {MAXPD, VMAXPD},
}

// sized returns an operation whose name depends on the size of the vectors.
func sized(narrow func(_, _, _ Op), wide func(...Op)) func(...Op) {
	return func(ops ...Op) {
		if operand.IsZMM(ops[len(ops)-1]) {
			wide(ops...)
		} else {
			narrow(ops[0], ops[1], ops[2])
		}
	}
}

// Do returns a new register with x op y. Only y may lie in memory, aligned with SSE2.
func (s ISA) Do(o op.Binary, x, y Op) VecVirtual {
	v := s.Vec()
	s.DoTo(o, x, y, v)
	return v
}

// DoTo is Do with the result in dst, which may be x but not y.
func (s ISA) DoTo(o op.Binary, x, y Op, dst Register) {
	b := binaries[o]
	switch {
	case s != SSE2 && b.three != nil:
		b.three(y, x, dst)
		return
	case s != SSE2 || b.two == nil:
		log.Fatalf("%s has no instruction for operation %d", s.Name, o)
	}
	if x != dst {
		MOVOU(x, dst)
	}
	b.two(y, dst)
}

// Reuse returns x op y, with SSE2 in x, since its operations overwrite one of their
// operands.
func (s ISA) Reuse(o op.Binary, x Register, y Op) Register {
	if s != SSE2 {
		return s.Do(o, x, y)
	}
	s.DoTo(o, x, y, x)
	return x
}
