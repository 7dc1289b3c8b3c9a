package neon

import (
	"fmt"
	"log"
	"strings"
)

// An R is a general register, and a V a vector register.
type (
	R int
	V int
)

func (r R) String() string { return fmt.Sprintf("R%d", int(r)) }
func (v V) String() string { return fmt.Sprintf("V%d", int(v)) }

// Lanes is the arrangement of the numbers in a vector, such as H8 for eight numbers of 16
// bits. With B8, H4 and S2 only half of the register is used.
type Lanes string

const (
	B8  Lanes = "B8"
	B16 Lanes = "B16"
	H4  Lanes = "H4"
	H8  Lanes = "H8"
	S2  Lanes = "S2"
	S4  Lanes = "S4"
	D2  Lanes = "D2"
)

// of returns a vector as an operand.
func (l Lanes) of(v V) string { return fmt.Sprintf("%v.%s", v, l) }

// list returns neighboring vectors as an operand.
func (l Lanes) list(vectors []V) string {
	var list []string
	for i, v := range vectors {
		if v != (vectors[0]+V(i))%32 {
			log.Fatalf("%v are not neighbors", vectors)
		}
		list = append(list, l.of(v))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// widened is the arrangement of numbers with twice the bits, made of one half of a vector.
var widened = map[Lanes]Lanes{B8: H8, B16: H8, H4: S4, H8: S4, S2: D2, S4: D2}

// A Source is what can be copied to a general register: an [R], an [Imm], [Bits], a [Const],
// an [Address] or a [Mem].
type Source interface{ source() }

// A Number is what arithmetic on general registers can use: an [R], also shifted or extended,
// an [Imm], [Bits] or a [Const].
type Number interface{ number() }

// A Place is an [R] or a [Mem].
type Place interface{ place() }

// A Scalar is a [V], of which the first number is meant, or a [Mem].
type Scalar interface{ scalar() }

// A Target is a [Scalar] or an [R].
type Target interface{ target() }

type (
	// An Imm is a constant.
	Imm int
	// Bits are a constant, in hexadecimal.
	Bits uint64
	// A Const is a constant of go_asm.h.
	Const string
	// An Address is that of a table.
	Address string
	// A modified is a register that is shifted or extended.
	modified string
)

func (i Imm) String() string     { return fmt.Sprintf("$%d", int(i)) }
func (b Bits) String() string    { return fmt.Sprintf("$%#x", uint64(b)) }
func (c Const) String() string   { return "$" + string(c) }
func (a Address) String() string { return fmt.Sprintf("$%s<>(SB)", string(a)) }

// LSL, LSR and ASR are the register shifted by n bits: to the left, to the right, and to the
// right with its sign.
func (r R) LSL(n int) Number { return modified(fmt.Sprintf("%v<<%d", r, n)) }
func (r R) LSR(n int) Number { return modified(fmt.Sprintf("%v>>%d", r, n)) }
func (r R) ASR(n int) Number { return modified(fmt.Sprintf("%v->%d", r, n)) }

// UXTH, UXTW and SXTW are the lowest 16 or 32 bits of the register, without and with a sign.
func (r R) UXTH() Number { return modified(r.String() + ".UXTH") }
func (r R) UXTW() Number { return modified(r.String() + ".UXTW") }
func (r R) SXTW() Number { return modified(r.String() + ".SXTW") }

// A Mem is a place in memory.
type Mem struct {
	base   R
	symbol string // of go_asm.h: an offset that is added to disp
	disp   int
	index  string // what is added to base, as the assembler writes it
	post   bool   // base is advanced, and only afterward
}

// At returns the place some bytes beyond the one that r points to.
func (r R) At(disp int) Mem { return Mem{base: r, disp: disp} }

// Post returns the place that r points to. An instruction that uses it adds n to r.
func (r R) Post(n int) Mem { return Mem{base: r, disp: n, post: true} }

// PostBy is Post for the number in a register.
func (r R) PostBy(n R) Mem { return Mem{base: r, index: n.String(), post: true} }

// Index returns the place some elements of 1<<shift bytes beyond the one that r points to.
func (r R) Index(i R, shift int) Mem {
	index := i.String()
	if shift > 0 {
		index += fmt.Sprintf("<<%d", shift)
	}
	return Mem{base: r, index: index}
}

// Field returns the place of a field of a struct that r points to: the name is that of the
// offset in go_asm.h, such as run_count.
func (r R) Field(name string) Mem { return Mem{base: r, symbol: name} }

// Offset returns the place some bytes further.
func (m Mem) Offset(bytes int) Mem {
	m.disp += bytes
	return m
}

func (m Mem) String() string {
	text := m.symbol
	if m.disp != 0 {
		if text != "" {
			text += "+"
		}
		text += fmt.Sprint(m.disp)
	}
	text += fmt.Sprintf("(%v)", m.base)
	if m.index != "" {
		text += fmt.Sprintf("(%s)", m.index)
	}
	return text
}

// An Element is a number in a vector.
type Element struct {
	v     V
	lanes Lanes
	i     int
}

// Element returns number i of a vector.
func (v V) Element(l Lanes, i int) Element { return Element{v, l, i} }

func (e Element) String() string { return fmt.Sprintf("%v.%c[%d]", e.v, e.lanes[0], e.i) }

func (R) source()       {}
func (Imm) source()     {}
func (Bits) source()    {}
func (Const) source()   {}
func (Address) source() {}
func (Mem) source()     {}

func (R) number()        {}
func (Imm) number()      {}
func (Bits) number()     {}
func (Const) number()    {}
func (modified) number() {}

func (R) place()   {}
func (Mem) place() {}

func (V) scalar()   {}
func (Mem) scalar() {}

func (R) target()   {}
func (V) target()   {}
func (Mem) target() {}
