// Package wasm writes modules of WebAssembly with vectors of 128 bits. Their functions work
// in the memory of a Go program, on the structs that its functions take.
//
// Expressions are values of Go, which functions such as [Do] make of others. Nothing is
// emitted until a method of a [Function] stores them or branches on them.
package wasm

import (
	"encoding/binary"
	"fmt"
	"go/types"
	"math"

	"github.com/fastcorners/fast/_asm/internal/layout"
)

// A Type is that of a value.
type Type byte

// The types, by their codes.
const (
	I32  Type = 0x7f
	I64  Type = 0x7e
	F32  Type = 0x7d
	F64  Type = 0x7c
	V128 Type = 0x7b
	none Type = 0x40
)

// A Value is an expression.
type Value struct {
	Type Type
	code []byte
}

// Int returns a constant of 32 bits.
func Int(n int) Value {
	return Value{I32, appendSigned([]byte{0x41}, int64(int32(n)))}
}

// Int64 returns a constant of 64 bits.
func Int64(n int64) Value {
	return Value{I64, appendSigned([]byte{0x42}, n)}
}

// Float32 returns a constant.
func Float32(v float32) Value {
	return Value{F32, binary.LittleEndian.AppendUint32([]byte{0x43}, math.Float32bits(v))}
}

// Float64 returns a constant.
func Float64(v float64) Value {
	return Value{F64, binary.LittleEndian.AppendUint64([]byte{0x44}, math.Float64bits(v))}
}

// Bytes returns a vector that f makes the bytes of.
func Bytes(f func(i int) uint8) Value {
	v := Value{V128, vector(0x0c)}
	for i := range 16 {
		v.code = append(v.code, f(i))
	}
	return v
}

// Do returns what an instruction without immediate values makes of its arguments. Its
// name is that of the specification.
func Do(name string, args ...Value) Value {
	return instruction(name, nil, args...)
}

// Lane is Do for an instruction that takes the number of a lane.
func Lane(name string, lane int, args ...Value) Value {
	return instruction(name, []byte{byte(lane)}, args...)
}

// Shuffle returns 16 of the 32 bytes of two vectors, those whose numbers f returns.
func Shuffle(a, b Value, f func(i int) int) Value {
	var lanes []byte
	for i := range 16 {
		lanes = append(lanes, byte(f(i)))
	}
	return instruction("i8x16.shuffle", lanes, a, b)
}

// Load is Do for an instruction that loads what is offset bytes behind an address.
func Load(name string, address Value, offset int) Value {
	return instruction(name, place(offset), address)
}

// LoadLane returns v with what is at an address in the given lane of 8, 16 or 32 bits.
func LoadLane(bits int, address, v Value, lane int) Value {
	return instruction(fmt.Sprintf("v128.load%d_lane", bits), append(place(0), byte(lane)), address, v)
}

// place returns the immediate values of an access to memory, which need not be aligned.
func place(offset int) []byte {
	return appendUnsigned([]byte{0}, offset)
}

// Plus returns v+n, for a v of 32 bits.
func (v Value) Plus(n int) Value {
	return Do("i32.add", v, Int(n))
}

// Times returns v*n, for a v of 32 bits.
func (v Value) Times(n int) Value {
	return Do("i32.mul", v, Int(n))
}

// instruction returns what an instruction makes of its arguments.
func instruction(name string, immediate []byte, args ...Value) Value {
	op, ok := ops[name]
	if !ok {
		panic("wasm: unknown instruction " + name)
	}
	if len(args) != len(op.args) {
		panic(fmt.Sprintf("wasm: %s has %d arguments, not %d", name, len(op.args), len(args)))
	}
	v := Value{Type: op.result}
	for i, arg := range args {
		if arg.Type != op.args[i] {
			panic(fmt.Sprintf("wasm: argument %d of %s has another type", i, name))
		}
		v.code = append(v.code, arg.code...)
	}
	v.code = append(v.code, op.code...)
	v.code = append(v.code, immediate...)
	return v
}

// A Module is functions, those that are exported and those that they call.
type Module struct {
	types     [][]byte
	functions []*Function
}

// A Function is one of a module. Its methods emit instructions.
type Function struct {
	module   *Module
	name     string // that it is exported by, if it is
	index    int
	kind     int // the number of its type
	result   Type
	params   int
	locals   []Type // the parameters are the first ones
	code     []byte
	argument types.Type
	record   Value
}

// Function begins a function that is not exported.
func (m *Module) Function(result Type, params ...Type) *Function {
	kind := append([]byte{0x60, byte(len(params))}, codes(params)...)
	if result == none {
		kind = append(kind, 0)
	} else {
		kind = append(kind, 1, byte(result))
	}
	f := &Function{module: m, index: len(m.functions), kind: len(m.types), result: result, params: len(params), locals: params}
	m.types = append(m.types, kind)
	m.functions = append(m.functions, f)
	return f
}

// Kernel begins a function that is exported and gets a pointer to a struct.
func (m *Module) Kernel(name string, argument types.Type) *Function {
	f := m.Function(none, I32)
	f.name, f.argument, f.record = name, argument, f.Local(0)
	return f
}

// Local returns the local variable of that number; the parameters come first.
func (f *Function) Local(i int) Value {
	return Value{f.locals[i], appendUnsigned([]byte{0x20}, i)}
}

// Let returns a new local variable with that value.
func (f *Function) Let(v Value) Value {
	f.locals = append(f.locals, v.Type)
	local := f.Local(len(f.locals) - 1)
	f.Set(local, v)
	return local
}

// Set stores a value in a local variable.
func (f *Function) Set(local, v Value) {
	if local.code[0] != 0x20 || local.Type != v.Type {
		panic("wasm: not a local variable of that type")
	}
	f.emit(v)
	f.code = append(append(f.code, 0x21), local.code[1:]...)
}

// Advance adds n to a local variable of 32 bits.
func (f *Function) Advance(local Value, n int) {
	f.Set(local, local.Plus(n))
}

// Store stores a value offset bytes behind an address, by the instruction of that name.
func (f *Function) Store(name string, address Value, offset int, v Value) {
	f.emit(instruction(name, place(offset), address, v))
}

// Return ends a function with a result.
func (f *Function) Return(v Value) {
	f.emit(v)
}

// Call returns the result of a function.
func (f *Function) Call(args ...Value) Value {
	v := Value{Type: f.result}
	for _, arg := range args {
		v.code = append(v.code, arg.code...)
	}
	v.code = appendUnsigned(append(v.code, 0x10), f.index)
	return v
}

// If emits what then emits, for the case that a number is not 0.
func (f *Function) If(condition Value, then func()) {
	f.emit(condition)
	f.block(0x04, then)
}

// While emits a loop that goes on as long as a number is not 0.
func (f *Function) While(condition Value, body func()) {
	f.If(condition, func() {
		f.block(0x03, func() {
			body()
			f.emit(condition)
			f.code = append(f.code, 0x0d, 0)
		})
	})
}

// Block emits what body then emits, which LeaveUnless ends.
func (f *Function) Block(body func()) {
	f.block(0x02, body)
}

// LeaveUnless ends the innermost block, loop or branch, which must be a Block, if a number is 0.
func (f *Function) LeaveUnless(condition Value) {
	f.emit(Do("i32.eqz", condition))
	f.code = append(f.code, 0x0d, 0)
}

func (f *Function) block(code byte, body func()) {
	f.code = append(f.code, code, byte(none))
	body()
	f.code = append(f.code, 0x0b)
}

func (f *Function) emit(v Value) {
	f.code = append(f.code, v.code...)
}

// Field returns the field of the argument, loaded by the instruction of that name. The
// first word of a slice is its pointer.
func (f *Function) Field(load, name string) Value {
	return f.Part(load, name, 0)
}

// Part is Field for what is offset bytes behind the beginning of the field.
func (f *Function) Part(load, name string, offset int) Value {
	return f.Let(Load(load, f.record, layout.Offset(f.argument, name)+offset))
}

// SetPart stores a value offset bytes behind the beginning of a field, by the instruction of
// that name.
func (f *Function) SetPart(store, name string, offset int, v Value) {
	f.Store(store, f.record, layout.Offset(f.argument, name)+offset, v)
}

// Int returns the low 32 bits of a field, which also are those of the pointer of a slice.
func (f *Function) Int(name string) Value {
	return f.Field("i32.load", name)
}

// Len returns the length of a slice.
func (f *Function) Len(name string) Value {
	return f.Let(Load("i32.load", f.record, layout.Offset(f.argument, name)+8))
}

// SetInt sets a field, an int64 or an int, to a number of 32 bits.
func (f *Function) SetInt(name string, v Value) {
	f.Store("i64.store", f.record, layout.Offset(f.argument, name), Do("i64.extend_i32_s", v))
}

// Element returns the type of the elements of a field.
func (f *Function) Element(field string) types.Type {
	return layout.Element(f.argument, field)
}

// Encode returns the module in binary.
func (m *Module) Encode() []byte {
	var kinds, functions, exports, bodies [][]byte
	for _, f := range m.functions {
		functions = append(functions, appendUnsigned(nil, f.kind))
		if f.name != "" {
			export := append(appendName(nil, f.name), 0)
			exports = append(exports, appendUnsigned(export, f.index))
		}
		body := append(append(f.encodeLocals(), f.code...), 0x0b)
		bodies = append(bodies, append(appendUnsigned(nil, len(body)), body...))
	}
	kinds = m.types
	memory := append(appendName(appendName(nil, "go"), "mem"), 2, 0, 0)
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, section := range []struct {
		id    byte
		items [][]byte
	}{{1, kinds}, {2, [][]byte{memory}}, {3, functions}, {7, exports}, {10, bodies}} {
		content := appendUnsigned(nil, len(section.items))
		for _, item := range section.items {
			content = append(content, item...)
		}
		out = append(appendUnsigned(append(out, section.id), len(content)), content...)
	}
	return out
}

// encodeLocals returns the types of the local variables that are not parameters, those of
// neighbors with one type together.
func (f *Function) encodeLocals() []byte {
	var runs []byte
	n, locals := 0, f.locals[f.params:]
	for len(locals) > 0 {
		same := 1
		for same < len(locals) && locals[same] == locals[0] {
			same++
		}
		runs = append(appendUnsigned(runs, same), byte(locals[0]))
		locals = locals[same:]
		n++
	}
	return append(appendUnsigned(nil, n), runs...)
}

func codes(list []Type) (b []byte) {
	for _, t := range list {
		b = append(b, byte(t))
	}
	return b
}

func appendName(b []byte, name string) []byte {
	return append(appendUnsigned(b, len(name)), name...)
}

// appendUnsigned appends n in LEB128.
func appendUnsigned(b []byte, n int) []byte {
	return binary.AppendUvarint(b, uint64(n))
}

// appendSigned appends n in signed LEB128.
func appendSigned(b []byte, n int64) []byte {
	for n < -64 || n > 63 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n)&0x7f)
}
