package vec

import (
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The operands of avo's instructions. A generator that imports this package and avo/build
// with a dot has all words that it writes instructions with. Only those that name registers of
// the processor need avo/reg, too.
type (
	Op       = operand.Op
	Mem      = operand.Mem
	LabelRef = operand.LabelRef
	Constant = operand.Constant
	I8       = operand.I8
	I32      = operand.I32
	I64      = operand.I64
	U8       = operand.U8
	U32      = operand.U32
	U64      = operand.U64
	F32      = operand.F32
	F64      = operand.F64

	Register   = reg.Register
	GPVirtual  = reg.GPVirtual
	VecVirtual = reg.VecVirtual

	// A Component is an argument of the function, or a part of one.
	Component = gotypes.Component
)

// InMemory reports whether v lies in memory.
func InMemory(v Op) bool {
	_, ok := v.(Mem)
	return ok
}
