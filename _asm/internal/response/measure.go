package response

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
)

// An Arithmetic emits the operations of an instruction set on vectors of floats. The vectors lie
// in places of type P, registers or constants in memory. No operation is fused: the result of
// each is rounded.
type Arithmetic[P any] interface {
	// Do returns a new register with x op y.
	Do(o op.Binary, x, y P) P
	// DoTo emits dst = x op y. The register dst may be x but not y.
	DoTo(o op.Binary, x, y, dst P)
	// Sqrt replaces x by its square root.
	Sqrt(x P)
	// Constant returns constant i of the measure.
	Constant(i int) P
}

// A Machine also emits branches.
type Machine[P any] interface {
	Arithmetic[P]
	// Unless emits a jump that is taken unless the measure has the given number.
	Unless(number int, label string)
	Jump(label string)
	Label(name string)
}

// A Measure emits the responses of structure tensors. The elements a and b are the sums of
// the squared gradients, and c is the sum of their products. A Measure may overwrite them.
type Measure[P any] func(a, b, c P) P

// Measures returns the measures, by their numbers, which are those of the formulas in package
// tensor.
func Measures[P any](a Arithmetic[P]) []Measure[P] {
	f := formulas[P]{a}
	return []Measure[P]{f.eigenvalue, f.difference, f.quotient}
}

// Choose emits a branch for each of the measures, with the code that emit emits for it.
func Choose[P any](m Machine[P], emit func(Measure[P])) {
	measures := Measures[P](m)
	for number, measure := range measures {
		next := fmt.Sprintf("measure%d", number+1)
		last := number == len(measures)-1
		if !last {
			m.Unless(number, next)
		}
		emit(measure)
		if !last {
			m.Jump("responded")
			m.Label(next)
		}
	}
	m.Label("responded")
}

// formulas are the measures for an instruction set.
type formulas[P any] struct{ Arithmetic[P] }

// eigenvalue is the smaller eigenvalue.
func (f formulas[P]) eigenvalue(a, b, c P) P {
	trace := f.Do(op.AddFloat, a, b)
	f.DoTo(op.SubFloat, a, b, a)
	f.DoTo(op.AddFloat, c, c, c)
	f.DoTo(op.MulFloat, a, a, a)
	f.DoTo(op.MulFloat, c, c, c)
	f.DoTo(op.AddFloat, a, c, a)
	f.Sqrt(a)
	f.DoTo(op.SubFloat, trace, a, trace)
	f.DoTo(op.MulFloat, trace, f.Constant(0), trace)
	return trace
}

// difference is the determinant less the squared trace.
func (f formulas[P]) difference(a, b, c P) P {
	trace, det := f.traceAndDeterminant(a, b, c)
	f.DoTo(op.MulFloat, trace, trace, trace)
	f.DoTo(op.MulFloat, trace, f.Constant(0), trace)
	f.DoTo(op.SubFloat, det, trace, det)
	f.DoTo(op.MulFloat, det, f.Constant(1), det)
	return det
}

// quotient is the determinant over the trace.
func (f formulas[P]) quotient(a, b, c P) P {
	trace, det := f.traceAndDeterminant(a, b, c)
	f.DoTo(op.MulFloat, det, f.Constant(0), det)
	f.DoTo(op.AddFloat, trace, f.Constant(1), trace)
	f.DoTo(op.DivFloat, det, trace, det)
	return det
}

// traceAndDeterminant returns a + b and, in a, a*b - c*c. It overwrites c, too.
func (f formulas[P]) traceAndDeterminant(a, b, c P) (trace, det P) {
	trace = f.Do(op.AddFloat, a, b)
	f.DoTo(op.MulFloat, a, b, a)
	f.DoTo(op.MulFloat, c, c, c)
	f.DoTo(op.SubFloat, a, c, a)
	return trace, a
}
