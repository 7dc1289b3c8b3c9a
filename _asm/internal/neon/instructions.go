package neon

import (
	"fmt"
	"log"
	"strings"
)

// The methods with names in capitals emit the instructions of those names. Their operands are
// in the order of Go's assembler, the result last. Where the result may be left out, it
// replaces the last operand.

// emit emits an instruction.
func (a *Assembler) emit(name string, operands ...any) {
	var list []string
	for _, o := range operands {
		if m, ok := o.(Mem); ok && m.post {
			name += ".P"
		}
		list = append(list, fmt.Sprint(o))
	}
	fmt.Fprintf(&a.functions, "\t%s\n", strings.TrimSpace(name+" "+strings.Join(list, ", ")))
}

// arithmetic emits an instruction with two operands whose result may be left out.
func (a *Assembler) arithmetic(name string, x Number, y R, to []R) {
	switch len(to) {
	case 0:
		a.emit(name, x, y)
	case 1:
		a.emit(name, x, y, to[0])
	default:
		log.Fatalf("%s has %d results", name, len(to))
	}
}

func (a *Assembler) ADD(x Number, y R, to ...R)  { a.arithmetic("ADD", x, y, to) }
func (a *Assembler) ADDS(x Number, y R, to ...R) { a.arithmetic("ADDS", x, y, to) }
func (a *Assembler) SUB(x Number, y R, to ...R)  { a.arithmetic("SUB", x, y, to) }
func (a *Assembler) SUBS(x Number, y R, to ...R) { a.arithmetic("SUBS", x, y, to) }
func (a *Assembler) AND(x Number, y R, to ...R)  { a.arithmetic("AND", x, y, to) }
func (a *Assembler) ORR(x Number, y R, to ...R)  { a.arithmetic("ORR", x, y, to) }
func (a *Assembler) BICS(x Number, y R, to ...R) { a.arithmetic("BICS", x, y, to) }
func (a *Assembler) LSL(x Number, y R, to ...R)  { a.arithmetic("LSL", x, y, to) }
func (a *Assembler) LSR(x Number, y R, to ...R)  { a.arithmetic("LSR", x, y, to) }
func (a *Assembler) ADC(x, y, to R)              { a.emit("ADC", x, y, to) }
func (a *Assembler) MUL(x, y, to R)              { a.emit("MUL", x, y, to) }
func (a *Assembler) MADD(x, sum, y, to R)        { a.emit("MADD", x, sum, y, to) }
func (a *Assembler) NEG(x, to R)                 { a.emit("NEG", x, to) }
func (a *Assembler) RBIT(x, to R)                { a.emit("RBIT", x, to) }
func (a *Assembler) CLZ(x, to R)                 { a.emit("CLZ", x, to) }
func (a *Assembler) MVN(x, to R)                 { a.emit("MVN", x, to) }

// Comparisons are of the second operand with the first one.

func (a *Assembler) CMP(x Number, y R) { a.emit("CMP", x, y) }
func (a *Assembler) CMN(x Number, y R) { a.emit("CMN", x, y) }
func (a *Assembler) TST(x Number, y R) { a.emit("TST", x, y) }

// A Condition is what a comparison has found.
type Condition string

const (
	EQ Condition = "EQ"
	NE Condition = "NE"
	LT Condition = "LT"
	GT Condition = "GT"
	LO Condition = "LO" // lower, without sign
)

func (a *Assembler) CSEL(c Condition, x, y, to R) { a.emit("CSEL", c, x, y, to) }
func (a *Assembler) CINC(c Condition, x, to R)    { a.emit("CINC", c, x, to) }
func (a *Assembler) CSETM(c Condition, to R)      { a.emit("CSETM", c, to) }

func (a *Assembler) JMP(label string)       { a.emit("JMP", label) }
func (a *Assembler) BEQ(label string)       { a.emit("BEQ", label) }
func (a *Assembler) BNE(label string)       { a.emit("BNE", label) }
func (a *Assembler) BLT(label string)       { a.emit("BLT", label) }
func (a *Assembler) BGE(label string)       { a.emit("BGE", label) }
func (a *Assembler) BGT(label string)       { a.emit("BGT", label) }
func (a *Assembler) BLE(label string)       { a.emit("BLE", label) }
func (a *Assembler) CBZ(r R, label string)  { a.emit("CBZ", r, label) }
func (a *Assembler) CBNZ(r R, label string) { a.emit("CBNZ", r, label) }
func (a *Assembler) RET()                   { a.emit("RET") }

// Copies of 8 bytes, and of 4, 2 and 1 with their sign or, if U is the last letter, without.

func (a *Assembler) MOVD(from Source, to Place) { a.emit("MOVD", from, to) }
func (a *Assembler) MOVW(from, to Place)        { a.emit("MOVW", from, to) }
func (a *Assembler) MOVWU(from, to Place)       { a.emit("MOVWU", from, to) }
func (a *Assembler) MOVH(from, to Place)        { a.emit("MOVH", from, to) }
func (a *Assembler) MOVHU(from, to Place)       { a.emit("MOVHU", from, to) }
func (a *Assembler) MOVB(from, to Place)        { a.emit("MOVB", from, to) }
func (a *Assembler) MOVBU(from, to Place)       { a.emit("MOVBU", from, to) }

// A pair is of two registers.
type pair[T R | V] struct{ first, second T }

func (p pair[T]) String() string { return fmt.Sprintf("(%v, %v)", operand(p.first), operand(p.second)) }

func (a *Assembler) LDP(from Mem, to, next R)  { a.emit("LDP", from, pair[R]{to, next}) }
func (a *Assembler) LDPW(from Mem, to, next R) { a.emit("LDPW", from, pair[R]{to, next}) }

// operand returns an operand of an instruction on scalars, for which the assembler has other
// names of vector registers.
func operand(o any) any {
	if v, ok := o.(V); ok {
		return fmt.Sprintf("F%d", int(v))
	}
	return o
}

// Copies of 16, 8 and 4 bytes. Bytes of a register that are left become 0.

func (a *Assembler) FMOVQ(from, to Scalar)           { a.emit("FMOVQ", operand(from), operand(to)) }
func (a *Assembler) FMOVD(from Scalar, to Target)    { a.emit("FMOVD", operand(from), operand(to)) }
func (a *Assembler) FMOVS(from Scalar, to Target)    { a.emit("FMOVS", operand(from), operand(to)) }
func (a *Assembler) FLDPQ(from Mem, to, next V)      { a.emit("FLDPQ", from, pair[V]{to, next}) }
func (a *Assembler) FSTPQ(from, next V, to Mem)      { a.emit("FSTPQ", pair[V]{from, next}, to) }
func (a *Assembler) VLD1(from Mem, to Element)       { a.emit("VLD1", from, to) }
func (a *Assembler) VLD1R(l Lanes, from Mem, to V)   { a.emit("VLD1R", from, l.list([]V{to})) }
func (a *Assembler) VLD2(l Lanes, from Mem, to ...V) { a.emit("VLD2", from, l.list(to)) }
func (a *Assembler) VST1(l Lanes, to Mem, from ...V) { a.emit("VST1", l.list(from), to) }
func (a *Assembler) VST3(l Lanes, to Mem, from ...V) { a.emit("VST3", l.list(from), to) }
func (a *Assembler) VST4(l Lanes, to Mem, from ...V) { a.emit("VST4", l.list(from), to) }

// scalars emits an instruction on the first floats of registers, whose others become 0.
func (a *Assembler) scalars(name string, registers ...V) {
	var operands []any
	for _, v := range registers {
		operands = append(operands, operand(v))
	}
	a.emit(name, operands...)
}

// Arithmetic on single floats. The second operand comes first, as in y-x and y/x. Of a number
// and what is not one, FMAXNMS and FMINNMS take the number.

func (a *Assembler) FADDS(x, y, to V)   { a.scalars("FADDS", x, y, to) }
func (a *Assembler) FSUBS(x, y, to V)   { a.scalars("FSUBS", x, y, to) }
func (a *Assembler) FMULS(x, y, to V)   { a.scalars("FMULS", x, y, to) }
func (a *Assembler) FDIVS(x, y, to V)   { a.scalars("FDIVS", x, y, to) }
func (a *Assembler) FMAXS(x, y, to V)   { a.scalars("FMAXS", x, y, to) }
func (a *Assembler) FMINS(x, y, to V)   { a.scalars("FMINS", x, y, to) }
func (a *Assembler) FMAXNMS(x, y, to V) { a.scalars("FMAXNMS", x, y, to) }
func (a *Assembler) FMINNMS(x, y, to V) { a.scalars("FMINNMS", x, y, to) }
func (a *Assembler) FNEGS(x, to V)      { a.scalars("FNEGS", x, to) }
func (a *Assembler) FSQRTS(x, to V)     { a.scalars("FSQRTS", x, to) }
func (a *Assembler) FRINTMS(x, to V)    { a.scalars("FRINTMS", x, to) } // down
func (a *Assembler) FRINTPS(x, to V)    { a.scalars("FRINTPS", x, to) } // up

// FMADDS, FMSUBS and FNMSUBS compute sum+x*y, sum-x*y and x*y-sum with a single rounding.

func (a *Assembler) FMADDS(x, sum, y, to V)  { a.scalars("FMADDS", x, sum, y, to) }
func (a *Assembler) FMSUBS(x, sum, y, to V)  { a.scalars("FMSUBS", x, sum, y, to) }
func (a *Assembler) FNMSUBS(x, sum, y, to V) { a.scalars("FNMSUBS", x, sum, y, to) }

// FCMPZeroS compares a float with 0.
func (a *Assembler) FCMPZeroS(x V) { a.emit("FCMPS", "$(0.0)", operand(x)) }

// SCVTFS makes a float of an integer of 64 bits, and FCVTZSS the other way, toward 0.

func (a *Assembler) SCVTFS(x R, to V)  { a.emit("SCVTFS", x, operand(to)) }
func (a *Assembler) FCVTZSS(x V, to R) { a.emit("FCVTZSS", operand(x), to) }

// same emits an instruction on vectors of the same arrangement.
func (a *Assembler) same(name string, l Lanes, vectors ...V) {
	var operands []any
	for _, v := range vectors {
		operands = append(operands, l.of(v))
	}
	a.emit(name, operands...)
}

func (a *Assembler) VDUP(l Lanes, from R, to V)              { a.emit("VDUP", from, l.of(to)) }
func (a *Assembler) VDUPElement(l Lanes, from Element, to V) { a.emit("VDUP", from, l.of(to)) }
func (a *Assembler) VMOVI(n uint8, to V)                     { a.emit("VMOVI", Imm(n), B16.of(to)) }
func (a *Assembler) VMOV(from, to V)                         { a.same("VMOV", B16, from, to) }
func (a *Assembler) VMOVElement(from Element, to R)          { a.emit("VMOV", from, to) }
func (a *Assembler) VEXT(bytes int, x, y, to V) {
	a.emit("VEXT", Imm(bytes), B16.of(x), B16.of(y), B16.of(to))
}

func (a *Assembler) VSHL(l Lanes, bits int, x, to V) { a.emit("VSHL", Imm(bits), l.of(x), l.of(to)) }

func (a *Assembler) VUSHR(l Lanes, bits int, x, to V) { a.emit("VUSHR", Imm(bits), l.of(x), l.of(to)) }
func (a *Assembler) VUZP1(l Lanes, x, y, to V)        { a.same("VUZP1", l, x, y, to) }
func (a *Assembler) VUZP2(l Lanes, x, y, to V)        { a.same("VUZP2", l, x, y, to) }
func (a *Assembler) VREV32(l Lanes, x, to V)          { a.same("VREV32", l, x, to) } // the numbers of 32 bits turned around
func (a *Assembler) VZIP1(l Lanes, x, y, to V)        { a.same("VZIP1", l, x, y, to) }
func (a *Assembler) VZIP2(l Lanes, x, y, to V)        { a.same("VZIP2", l, x, y, to) }
func (a *Assembler) VTRN1(l Lanes, x, y, to V)        { a.same("VTRN1", l, x, y, to) }
func (a *Assembler) VTRN2(l Lanes, x, y, to V)        { a.same("VTRN2", l, x, y, to) }
func (a *Assembler) VADDP(l Lanes, x, y, to V)        { a.same("VADDP", l, x, y, to) }
func (a *Assembler) VAND(l Lanes, x, y, to V)         { a.same("VAND", l, x, y, to) }
func (a *Assembler) VBIT(x, y, to V)                  { a.same("VBIT", B16, x, y, to) }
func (a *Assembler) VBIF(x, y, to V)                  { a.same("VBIF", B16, x, y, to) }
func (a *Assembler) VFMLA(l Lanes, x, y, to V)        { a.same("VFMLA", l, x, y, to) }
func (a *Assembler) VCNT(l Lanes, x, to V)            { a.same("VCNT", l, x, to) }
func (a *Assembler) VADDV(l Lanes, x, to V)           { a.emit("VADDV", l.of(x), to) }

// The results of the instructions that follow have twice the bits. They are made of the first
// half of a vector or, if the name ends with 2, of the last half of one; VUADDW adds a vector
// y of the result's arrangement.

func (a *Assembler) VUXTL(l Lanes, x, to V)  { a.emit("VUXTL", l.of(x), widened[l].of(to)) }
func (a *Assembler) VUXTL2(l Lanes, x, to V) { a.emit("VUXTL2", l.of(x), widened[l].of(to)) }
func (a *Assembler) VUSHLL(l Lanes, bits int, x, to V) {
	a.emit("VUSHLL", Imm(bits), l.of(x), widened[l].of(to))
}

func (a *Assembler) VUADDW(l Lanes, x, y, to V) {
	a.emit("VUADDW", l.of(x), widened[l].of(y), widened[l].of(to))
}

func (a *Assembler) VUADDW2(l Lanes, x, y, to V) {
	a.emit("VUADDW2", l.of(x), widened[l].of(y), widened[l].of(to))
}

// VTBL looks up bytes in neighboring registers, and gives 0 for places beyond the table, where
// VTBX leaves the result as it is.

func (a *Assembler) VTBL(l Lanes, places V, table []V, to V) {
	a.emit("VTBL", l.of(places), B16.list(table), l.of(to))
}

func (a *Assembler) VTBX(l Lanes, places V, table []V, to V) {
	a.emit("VTBX", l.of(places), B16.list(table), l.of(to))
}

// Loop emits the label of a loop, which it aligns.
func (a *Assembler) Loop(label string) {
	a.emit("PCALIGN", Imm(32))
	a.Label(label)
}

// Repeat emits the end of a loop over n things that does some of them at a time.
func (a *Assembler) Repeat(label string, n R, atOnce int) {
	a.SUBS(Imm(atOnce), n, n)
	a.BNE(label)
}

// Comment emits lines of a comment on the instructions that follow.
func (a *Assembler) Comment(lines ...string) {
	fmt.Fprintf(&a.functions, "\n\t// %s\n", strings.Join(lines, "\n\t// "))
}
