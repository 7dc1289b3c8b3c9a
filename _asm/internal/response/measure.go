package response

import "fmt"

// A Machine emits the arithmetic of an instruction set on vectors of floats. The vectors lie
// in places of type P, registers or constants in memory. No operation is fused: the result of
// each is rounded.
type Machine[P any] interface {
	// Do returns a new register with x op y.
	Do(op Operation, x, y P) P
	// DoTo emits dst = x op y. The register dst may be x but not y.
	DoTo(op Operation, x, y, dst P)
	// Sqrt replaces x by its square root.
	Sqrt(x P)
	// Constant returns constant i of the measure.
	Constant(i int) P

	// Unless emits a jump that is taken unless the measure has the given number.
	Unless(number int, label string)
	Jump(label string)
	Label(name string)
}

// An Operation is an operation on two floats.
type Operation int

const (
	Add Operation = iota
	Sub
	Mul
	Div
)

// A Measure emits the responses of structure tensors. The elements a and b are the sums of
// the squared gradients, and c is the sum of their products. A Measure may overwrite them.
type Measure[P any] func(a, b, c P) P

// Choose emits a branch for each of the measures, with the code that emit emits for it. The
// measures have the numbers of the formulas in package tensor.
func Choose[P any](m Machine[P], emit func(Measure[P])) {
	f := formulas[P]{m}
	measures := []Measure[P]{f.eigenvalue, f.difference, f.quotient}
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

// formulas are the measures for a machine.
type formulas[P any] struct{ Machine[P] }

// eigenvalue is the smaller eigenvalue.
func (f formulas[P]) eigenvalue(a, b, c P) P {
	trace := f.Do(Add, a, b)
	f.DoTo(Sub, a, b, a)
	f.DoTo(Add, c, c, c)
	f.DoTo(Mul, a, a, a)
	f.DoTo(Mul, c, c, c)
	f.DoTo(Add, a, c, a)
	f.Sqrt(a)
	f.DoTo(Sub, trace, a, trace)
	f.DoTo(Mul, trace, f.Constant(0), trace)
	return trace
}

// difference is the determinant less the squared trace.
func (f formulas[P]) difference(a, b, c P) P {
	trace := f.Do(Add, a, b)
	det := f.determinant(a, b, c)
	f.DoTo(Mul, trace, trace, trace)
	f.DoTo(Mul, trace, f.Constant(0), trace)
	f.DoTo(Sub, det, trace, det)
	f.DoTo(Mul, det, f.Constant(1), det)
	return det
}

// quotient is the determinant over the trace.
func (f formulas[P]) quotient(a, b, c P) P {
	trace := f.Do(Add, a, b)
	det := f.determinant(a, b, c)
	f.DoTo(Mul, det, f.Constant(0), det)
	f.DoTo(Add, trace, f.Constant(1), trace)
	f.DoTo(Div, det, trace, det)
	return det
}

// determinant returns a*b - c*c, in a. It overwrites c, too.
func (f formulas[P]) determinant(a, b, c P) P {
	f.DoTo(Mul, a, b, a)
	f.DoTo(Mul, c, c, c)
	f.DoTo(Sub, a, c, a)
	return a
}
