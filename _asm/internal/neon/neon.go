// Package neon writes assembly for arm64, which avo does not support. The instructions are
// methods with typed operands, and those that Go's assembler lacks are written as words.
// Registers are taken and given back by hand.
package neon

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/types"
	"log"
	"path/filepath"
	"slices"

	"github.com/fastcorners/fast/_asm/internal/layout"
	"github.com/fastcorners/fast/_asm/internal/output"
)

// Bytes is the size of a vector.
const Bytes = 16

const word = 8 // bytes

// An Assembler collects the assembly of a Go package.
type Assembler struct {
	functions, tables bytes.Buffer
	pkg               *types.Package
	// The free registers of the current function.
	general []R
	vectors []V
}

// Write writes simd_arm64.s, the assembly of the Go package in that directory. emit
// emits the functions, which the package declares. If something fails, Write ends the
// program and leaves the file as it was.
func Write(dir string, emit func(a *Assembler)) {
	a := &Assembler{pkg: layout.Load(dir, "arm64")}
	emit(a)
	head := output.Header(output.Command(dir)) + header
	output.Write(filepath.Join(dir, "simd_arm64.s"), slices.Concat([]byte(head), a.tables.Bytes(), a.functions.Bytes()))
}

const header = `
//go:build !purego

#include "go_asm.h"
#include "textflag.h"
`

// Func begins a function whose arguments are pointers, with all registers free, and returns
// its signature.
func (a *Assembler) Func(name string) *types.Signature {
	signature := layout.Signature(a.pkg, name)
	fmt.Fprintf(&a.functions, "\n// func %s%s\n", name, prototype(signature))
	fmt.Fprintf(&a.functions, "TEXT ·%s(SB), NOSPLIT, $0-%d\n", name, word*signature.Params().Len())
	a.general, a.vectors = nil, nil
	for r := R(0); r <= 26; r++ {
		if r != 18 { // reserved for the platform, and those above 26 for Go
			a.general = append(a.general, r)
		}
	}
	for v := V(0); v < 32; v++ {
		a.vectors = append(a.vectors, v)
	}
	return signature
}

// prototype returns a signature as Go writes it after the name of a function.
func prototype(signature *types.Signature) string {
	var text bytes.Buffer
	types.WriteSignature(&text, signature, func(*types.Package) string { return "" })
	return text.String()
}

// LoadArgument returns a register with argument i of the function, which has the given name.
func (a *Assembler) LoadArgument(i int, name string) R {
	r := a.R()
	a.emit("MOVD", fmt.Sprintf("%s+%d(FP)", name, word*i), r)
	return r
}

// A Function is a function for NEON that works on a struct.
type Function struct {
	*Assembler
	signature *types.Signature
	Argument  *types.TypeName // the type of the struct
	Run       R               // points to it
}

// Begin begins a function whose last argument points to the struct, and returns registers
// with the other arguments.
func (f *Function) Begin(name string) []R {
	f.signature = f.Func(name + "NEON")
	var arguments []R
	for p := range f.signature.Params().Variables() {
		arguments = append(arguments, f.LoadArgument(len(arguments), p.Name()))
		f.Argument = f.Points(p.Name()).(*types.Named).Obj()
	}
	last := len(arguments) - 1
	f.Run = arguments[last]
	return arguments[:last]
}

// Points returns the type that an argument points to.
func (f *Function) Points(name string) types.Type { return layout.Pointed(f.signature, name) }

// Place returns the place of a field of the struct.
func (f *Function) Place(name string) Mem {
	return f.Run.Field(f.Argument.Name() + "_" + name)
}

// Field returns a register with a field of the struct, of eight bytes.
func (f *Function) Field(name string) R {
	return f.load(f.Place(name))
}

// load returns a register with the eight bytes at a place.
func (f *Function) load(m Mem) R {
	r := f.R()
	f.MOVD(m, r)
	return r
}

// Len returns a register with the length of a slice.
func (f *Function) Len(name string) R { return f.load(f.Place(name).Offset(word)) }

// Index returns a register with the first eight bytes of an element of an array.
func (f *Function) Index(name string, i int) R {
	return f.load(f.ElementPlace(name, i))
}

// ElementPlace returns the place of an element of an array.
func (f *Function) ElementPlace(name string, i int) Mem {
	return f.Place(name).Offset(i * layout.Size(f.Element(name)))
}

// Broadcast returns a register with a field, of one byte or four, in every place.
func (f *Function) Broadcast(name string) V {
	load, lanes := f.MOVWU, S4
	if layout.Size(layout.Field(f.Argument.Type(), name)) == 1 {
		load, lanes = f.MOVBU, B16
	}
	r, v := f.R(), f.V()
	load(f.Place(name), r)
	f.VDUP(lanes, r, v)
	f.FreeR(r)
	return v
}

// Element returns the type of the elements of a field, as [layout.Element] defines it.
func (f *Function) Element(name string) types.Type { return layout.Element(f.Argument.Type(), name) }

// Label emits a label.
func (a *Assembler) Label(name string) {
	fmt.Fprintf(&a.functions, "\n%s:\n", name)
}

// R takes a free general register.
func (a *Assembler) R() R { return take(&a.general) }

// V takes a free vector register.
func (a *Assembler) V() V { return take(&a.vectors) }

// take takes the free register with the lowest number.
func take[T R | V](free *[]T) T {
	if len(*free) == 0 {
		log.Fatalf("no %T is free", T(0))
	}
	r := (*free)[0]
	*free = (*free)[1:]
	return r
}

// Scope calls emit, and gives back the registers that it has taken.
func (a *Assembler) Scope(emit func()) {
	general, vectors := slices.Clone(a.general), slices.Clone(a.vectors)
	emit()
	a.general, a.vectors = general, vectors
}

// FreeR gives general registers back.
func (a *Assembler) FreeR(registers ...R) { free(&a.general, registers) }

// FreeV gives vector registers back.
func (a *Assembler) FreeV(registers ...V) { free(&a.vectors, registers) }

func free[T R | V](list *[]T, registers []T) {
	for _, r := range registers {
		if slices.Contains(*list, r) {
			log.Fatalf("%v is free already", r)
		}
	}
	*list = append(*list, registers...)
	slices.Sort(*list)
}

// A Binary is an operation on two vectors.
type Binary struct {
	Name  string // of the instruction, as Go's assembler writes it or would
	Lanes Lanes
	// Word is the encoding with register 0 for all operands, or 0 if the assembler
	// knows the instruction.
	Word uint32
}

// A Unary is an operation on one vector, whose result may have other lanes.
type Unary struct {
	Name     string
	From, To Lanes
	Word     uint32 // as in Binary
}

// A Product is an operation on the products of the numbers of two vectors, or another one
// whose results have more bits than the operands.
type Product struct {
	Name     string
	From, To Lanes
	Word     uint32 // as in Binary
}

// The operations that Go's assembler lacks. The tests of package internal/test/encodings check
// the words.
var (
	SubSat   = Binary{"VUQSUB", B16, 0x6e202c00} // x-y of unsigned bytes, at least 0
	Higher   = Binary{"VCMHI", B16, 0x6e203400}  // all bits where x > y, of unsigned bytes
	NotLower = Binary{"VCMHS", B16, 0x6e203c00}  // all bits where x >= y, of unsigned bytes

	// Of numbers of 32 bits: shifted by the lowest byte of the other number, to the right if
	// that is negative, and all bits where an unsigned number is higher.
	ShiftLong  = Binary{"VSSHL", S4, 0x4ea04400}
	HigherLong = Binary{"VCMHI", S4, 0x6ea03400}

	// Sums of two neighbors, with twice the bits.
	PairsOfBytes = Unary{"VUADDLP", B16, H8, 0x6e202800}
	PairsOfWords = Unary{"VUADDLP", H8, S4, 0x6e602800}

	// The first or the last eight signed bytes as words.
	SignedWords     = Unary{"VSXTL", B8, H8, 0x0f08a400}
	LastSignedWords = Unary{"VSXTL2", B16, H8, 0x4f08a400}

	// Without sign, of signed numbers of 16 bits.
	AbsWord = Unary{"VABS", H8, H8, 0x4e60b800}
	// Sums of two neighbors, of unsigned numbers of 16 bits, which are added to numbers of 32.
	AddPairsOfWords = Unary{"VUADALP", H8, S4, 0x6e606800}

	// Numbers of 32 bits without 9, 10 or 14 of them, and of 16 bits without 8, rounded to the
	// nearest, up from the middle. Only the lower halves of the results are left. They go to
	// the first places, or to the last ones, and then the first ones keep what they have.
	Without9      = Unary{"VRSHRN $9,", S4, H4, 0x0f178c00}
	LastWithout9  = Unary{"VRSHRN2 $9,", S4, H8, 0x4f178c00}
	Without10     = Unary{"VRSHRN $10,", S4, H4, 0x0f168c00}
	LastWithout10 = Unary{"VRSHRN2 $10,", S4, H8, 0x4f168c00}
	Without14     = Unary{"VRSHRN $14,", S4, H4, 0x0f128c00}
	LastWithout14 = Unary{"VRSHRN2 $14,", S4, H8, 0x4f128c00}
	Without8      = Unary{"VRSHRN $8,", H8, B8, 0x0f088c00}
	LastWithout8  = Unary{"VRSHRN2 $8,", H8, B16, 0x4f088c00}

	// Of floats of 32 bits.
	AddFloat = Binary{"VFADD", S4, 0x4e20d400}
	SubFloat = Binary{"VFSUB", S4, 0x4ea0d400}
	MulFloat = Binary{"VFMUL", S4, 0x6e20dc00}
	DivFloat = Binary{"VFDIV", S4, 0x6e20fc00}
	Sqrt     = Unary{"VFSQRT", S4, S4, 0x6ea1f800}
	// All bits where x > y.
	GreaterFloat = Binary{"VFCMGT", S4, 0x6ea0e400}

	// Of doubles.
	AddDouble = Binary{"VFADD", D2, 0x4e60d400}
	MulDouble = Binary{"VFMUL", D2, 0x6e60dc00}
	DivDouble = Binary{"VFDIV", D2, 0x6e60fc00}
	// The other number if one is not a number.
	MaxDouble = Binary{"VFMAXNM", D2, 0x4e60c400}
	MinDouble = Binary{"VFMINNM", D2, 0x4ee0c400}
	// All bits where a number is 0.
	ZeroDouble = Unary{"VFCMEQ $0,", D2, D2, 0x4ee0d800}
	// As integers of 64 bits, ties to even.
	RoundDouble = Unary{"VFCVTNS", D2, D2, 0x4e61a800}

	// The first or the last two floats as doubles, and doubles as the first floats, with
	// zeros behind them, or as the last ones.
	ToDoubles     = Unary{"VFCVTL", S2, D2, 0x0e617800}
	LastToDoubles = Unary{"VFCVTL2", S4, D2, 0x4e617800}
	ToFloats      = Unary{"VFCVTN", D2, S2, 0x0e616800}
	ToLastFloats  = Unary{"VFCVTN2", D2, S4, 0x4e616800}

	// Numbers of 32 bits as floats.
	ToFloat         = Unary{"VSCVTF", S4, S4, 0x4e21d800}
	UnsignedToFloat = Unary{"VUCVTF", S4, S4, 0x6e21d800}
	Round           = Unary{"VFCVTNS", S4, S4, 0x4e21a800} // and back, ties to even

	// Products of the first or the last four signed words, which are added to numbers of 32
	// bits or subtracted from them.
	AddProducts     = Product{"VSMLAL", H4, S4, 0x0e608000}
	AddLastProducts = Product{"VSMLAL2", H8, S4, 0x4e608000}
	SubProducts     = Product{"VSMLSL", H4, S4, 0x0e60a000}
	SubLastProducts = Product{"VSMLSL2", H8, S4, 0x4e60a000}
	AddLongProducts = Product{"VMLA", S4, S4, 0x4ea09400} // of numbers of 32 bits
	AddWordProducts = Product{"VMLA", H8, H8, 0x4e609400} // of numbers of 16 bits

	// Products of the first or the last four signed words.
	Products     = Product{"VSMULL", H4, S4, 0x0e60c000}
	LastProducts = Product{"VSMULL2", H8, S4, 0x4e60c000}

	// Products of the first or the last eight unsigned bytes.
	ByteProducts     = Product{"VUMULL", B8, H8, 0x2e20c000}
	LastByteProducts = Product{"VUMULL2", B16, H8, 0x6e20c000}
	// The same added to words.
	AddByteProducts     = Product{"VUMLAL", B8, H8, 0x2e208000}
	AddLastByteProducts = Product{"VUMLAL2", B16, H8, 0x6e208000}

	// Sums and differences of the first or the last eight unsigned bytes.
	ByteSums        = Product{"VUADDL", B8, H8, 0x2e200000}
	LastByteSums    = Product{"VUADDL2", B16, H8, 0x6e200000}
	ByteDifferences = Product{"VUSUBL", B8, H8, 0x2e202000}
)

// The operations that it knows.
var (
	Min      = Binary{Name: "VUMIN", Lanes: B16} // of unsigned bytes
	Max      = Binary{Name: "VUMAX", Lanes: B16} // of unsigned bytes
	Add      = Binary{Name: "VADD", Lanes: B16}
	Sub      = Binary{Name: "VSUB", Lanes: B16}
	AddWord  = Binary{Name: "VADD", Lanes: H8}
	SubWord  = Binary{Name: "VSUB", Lanes: H8}
	And      = Binary{Name: "VAND", Lanes: B16}
	Or       = Binary{Name: "VORR", Lanes: B16}
	Xor      = Binary{Name: "VEOR", Lanes: B16}
	Test     = Binary{Name: "VCMTST", Lanes: B16} // all bits where x&y is not 0
	AddPairs = Binary{Name: "VADDP", Lanes: B16}  // sums of two neighbors, those of x and then those of y

	// Of unsigned numbers of 32 bits.
	AddLong = Binary{Name: "VADD", Lanes: S4}
	SubLong = Binary{Name: "VSUB", Lanes: S4}
	MinLong = Binary{Name: "VUMIN", Lanes: S4}
	MaxLong = Binary{Name: "VUMAX", Lanes: S4}

	Count = Unary{Name: "VCNT", From: B16, To: B16} // bits set in each byte
)

// DoTo emits dst = x op y.
func (a *Assembler) DoTo(op Binary, x, y, dst V) {
	text := fmt.Sprintf("%s %v.%s, %v.%s, %v.%s", op.Name, y, op.Lanes, x, op.Lanes, dst, op.Lanes)
	a.instruction(text, op.Word, uint32(y)<<16|uint32(x)<<5|uint32(dst))
}

// ChangeTo emits dst = op x.
func (a *Assembler) ChangeTo(op Unary, x, dst V) {
	text := fmt.Sprintf("%s %v.%s, %v.%s", op.Name, x, op.From, dst, op.To)
	a.instruction(text, op.Word, uint32(x)<<5|uint32(dst))
}

// Multiply emits op for the factors x and y and the result dst.
func (a *Assembler) Multiply(op Product, x, y, dst V) {
	text := fmt.Sprintf("%s %v.%s, %v.%s, %v.%s", op.Name, y, op.From, x, op.From, dst, op.To)
	a.instruction(text, op.Word, uint32(y)<<16|uint32(x)<<5|uint32(dst))
}

// instruction emits an instruction, as its word unless that is 0.
func (a *Assembler) instruction(text string, word, registers uint32) {
	if word == 0 {
		a.emit(text)
		return
	}
	a.emit(fmt.Sprintf("WORD $%#08x // %s", word|registers, text))
}

// Do returns a new register with x op y.
func (a *Assembler) Do(op Binary, x, y V) V {
	v := a.V()
	a.DoTo(op, x, y, v)
	return v
}

// Load returns a new register with the 16 bytes at base+disp.
func (a *Assembler) Load(base R, disp int) V {
	v := a.V()
	a.FMOVQ(base.At(disp), v)
	return v
}

// Zero returns a new register with zeros.
func (a *Assembler) Zero() V { return a.Fill(0) }

// Fill returns a new register with the same byte in every place.
func (a *Assembler) Fill(n uint8) V {
	v := a.V()
	a.VMOVI(n, v)
	return v
}

// Spread returns a new register with the same number in every place.
func (a *Assembler) Spread(l Lanes, n uint64) V {
	r, v := a.R(), a.V()
	a.MOVD(Bits(n), r)
	a.VDUP(l, r, v)
	a.FreeR(r)
	return v
}

// LoadTable returns a new register with a table of 16 bytes.
func (a *Assembler) LoadTable(name string) V {
	r := a.R()
	a.MOVD(Address(name), r)
	v := a.Load(r, 0)
	a.FreeR(r)
	return v
}

// Table defines a table of bytes, a multiple of 8.
func (a *Assembler) Table(name string, table []byte) {
	fmt.Fprintln(&a.tables)
	for i := 0; i < len(table); i += 8 {
		fmt.Fprintf(&a.tables, "DATA %s<>+%d(SB)/8, $%#016x\n", name, i, binary.LittleEndian.Uint64(table[i:]))
	}
	fmt.Fprintf(&a.tables, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", name, len(table))
}

// Each emits a loop over n things, n > 0, that does atOnce of them at a time and the rest
// one by one. Its labels begin with prefix.
func (a *Assembler) Each(n R, prefix string, atOnce int, do func(count int)) {
	a.SUBS(Imm(atOnce), n, n)
	a.BLT(prefix + "Few")
	a.Label(prefix + "Many")
	do(atOnce)
	a.SUBS(Imm(atOnce), n, n)
	a.BGE(prefix + "Many")
	a.Label(prefix + "Few")
	a.ADDS(Imm(atOnce), n, n)
	a.BEQ(prefix + "Done")
	a.Label(prefix + "One")
	do(1)
	a.Repeat(prefix+"One", n, 1)
	a.Label(prefix + "Done")
}
