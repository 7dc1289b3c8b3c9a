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
	"strings"

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

// Stack gives the current function a frame, and returns a register that points to n vectors
// there, aligned to their size.
func (a *Assembler) Stack(n int) R {
	const none = ", NOSPLIT, $0-"
	size := (n + 1) * Bytes
	text := a.functions.String()
	at := strings.LastIndex(text, none)
	a.functions.Reset()
	fmt.Fprintf(&a.functions, "%s, NOSPLIT, $%d-%s", text[:at], size, text[at+len(none):])
	r := a.R()
	a.emit("MOVD", fmt.Sprintf("$vectors-%d(SP)", size), r)
	a.ADD(Imm(Bytes-1), r)
	a.AND(Imm(-Bytes), r)
	return r
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
// with the other arguments. The name lacks that of the instruction set.
func (f *Function) Begin(name string) []R { return f.BeginFor(name, "NEON") }

// BeginFor is Begin for an instruction set that has more than NEON.
func (f *Function) BeginFor(name, set string) []R {
	f.signature = f.Func(name + set)
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

// Place returns the place of a field of the struct, which [layout.Path] finds.
func (f *Function) Place(name string) Mem {
	var symbols []string
	t := f.Argument.Type()
	for _, n := range layout.Path(t, name) {
		symbols = append(symbols, t.(*types.Named).Obj().Name()+"_"+n)
		t = layout.Field(t, n)
	}
	return f.Run.Field(strings.Join(symbols, "+"))
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
