package pairs

import (
	"go/types"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	"github.com/fastcorners/fast/_asm/internal/wasm"
	"github.com/mmcloughlin/avo/gotypes"
)

// A simd128 is a machine for WebAssembly. A group is four vectors, which a loop goes through.
type simd128 struct {
	*wasm.Function
	lanes wasm.Value // the argument, as far behind its beginning as the vector in a group
	shift wasm.Value // the number of pairs of the group before
	bits  wasm.Value // of the group
	mask  wasm.Value // of the pairs, a vector
}

// A vector makes a value an operand.
type vector struct{ wasm.Value }

// Asm returns the name that only operands of assembly need.
func (vector) Asm() string { return "vector" }

// NewWasm begins the function of that name in a module, whose argument is a struct.
func NewWasm(m *wasm.Module, name string, argument types.Type) *Kernel {
	f := &simd128{Function: m.Kernel(name, argument)}
	return &Kernel{Machine: f, R: gotypes.NewComponent(argument, Mem{}), numbers: doubles}
}

func (f *simd128) Groups(fields []string, _ int, body func(p []Op)) {
	i, end := f.Int("begin"), f.Int("end")
	first := f.Let(i.Times(8))
	var points []wasm.Value
	for _, field := range fields {
		points = append(points, f.Let(wasm.Do("i32.add", f.Int(field), first)))
	}
	masks := f.Int("masks")
	f.While(wasm.Do("i32.lt_s", i, end), func() {
		f.bits, f.shift, f.lanes = f.Let(wasm.Int(0)), f.Let(wasm.Int(0)), f.Let(f.Local(0))
		f.While(wasm.Do("i32.lt_s", f.shift, wasm.Int(Lanes)), func() {
			f.Block(func() {
				f.mask = wasm.Value{}
				var p []Op
				for _, base := range points {
					p = append(p, f.let(wasm.Load("v128.load", base, 0)))
				}
				body(p)
			})
			for _, p := range points {
				f.Advance(p, 16)
			}
			f.Advance(f.lanes, 16)
			f.Advance(f.shift, 2)
		})
		f.Store("i32.store8", wasm.Do("i32.add", masks, wasm.Do("i32.shr_u", i, wasm.Int(3))), 0, f.bits)
		f.Advance(i, Lanes)
	})
}

// let returns a new local variable as an operand.
func (f *simd128) let(v wasm.Value) Op { return vector{f.Let(v)} }

func (f *simd128) Comment(...string) {}

func (f *simd128) Do(o op.Binary, x, y Op) Op {
	a, b := x.(vector).Value, y.(vector).Value
	switch o {
	case op.AddDouble:
		return f.let(wasm.Do("f64x2.add", a, b))
	case op.SubDouble:
		return f.let(wasm.Do("f64x2.sub", a, b))
	case op.MulDouble:
		return f.let(wasm.Do("f64x2.mul", a, b))
	case op.DivDouble:
		return f.let(wasm.Do("f64x2.div", a, b))
	case op.MaxDouble:
		return f.let(wasm.Do("f64x2.pmax", b, a))
	}
	panic("pairs: not an operation on doubles")
}

func (f *simd128) Number(_ string, v float64) Op {
	return f.let(wasm.Do("f64x2.splat", wasm.Float64(v)))
}

func (f *simd128) Field(c Component) Op {
	return f.let(wasm.Load("v128.load64_splat", f.Local(0), Address(c).Disp))
}

func (f *simd128) Zero() Op { return f.Number("zero", 0) }

func (f *simd128) Restrict(p Predicate, x, y Op) {
	name := map[Predicate]string{Less: "f64x2.lt", AtMost: "f64x2.le", Greater: "f64x2.gt"}[p]
	m := wasm.Do(name, x.(vector).Value, y.(vector).Value)
	if f.mask.Type != 0 {
		m = wasm.Do("v128.and", f.mask, m)
	}
	f.mask = f.Let(m)
}

func (f *simd128) Either(first, second func()) {
	before := f.mask
	first()
	one := f.mask
	f.mask = before
	second()
	f.mask = f.Let(wasm.Do("v128.or", one, f.mask))
}

func (f *simd128) Leave() { f.LeaveUnless(wasm.Do("i64x2.bitmask", f.mask)) }

func (f *simd128) Found() {
	f.Leave()
	found := wasm.Do("i32.shl", wasm.Do("i64x2.bitmask", f.mask), f.shift)
	f.Set(f.bits, wasm.Do("i32.or", f.bits, found))
}

func (f *simd128) Keep(v Op) Op { return v }
func (f *simd128) Kept(v Op) Op { return v }
func (f *simd128) Only(v Op) Op { return f.let(wasm.Do("v128.and", v.(vector).Value, f.mask)) }

func (f *simd128) Accumulate(array Component, v Op) {
	offset := Address(array.Index(0)).Disp
	before := wasm.Load("v128.load", f.lanes, offset)
	f.Store("v128.store", f.lanes, offset, wasm.Do("f64x2.add", v.(vector).Value, before))
}
