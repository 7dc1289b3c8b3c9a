// Package pairs has what the kernels that find inliers among pairs of points share: a loop over
// groups of pairs, arithmetic on vectors of doubles, masks, and sums of each lane.
package pairs

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
)

// Lanes is the number of pairs of a group.
const Lanes = 8

// A Predicate is one of VCMPPD, false if an operand is NaN.
type Predicate uint8

const (
	Less    Predicate = 0x11
	AtMost  Predicate = 0x12
	Greater Predicate = 0x1e
)

// A Kernel is one of the kernels. Its argument r points to a struct with the coordinates of
// the pairs, slices of a multiple of Lanes, with the first pair begin, with end, and with
// masks, which has a byte for each group.
type Kernel struct {
	Machine
	R Component
}

// A Machine emits what is done with the pairs, a vector of them at a time.
type Machine interface {
	// Groups emits the loop over the groups, and the end of the function. body emits what is
	// done with a vector of pairs, the coordinates of which are in the given fields, and keeps
	// up to kept vectors.
	Groups(fields [4]string, kept int, body func(p [4]Op))
	Comment(lines ...string)

	Do(o op.Binary, x, y Op) Op
	// Number returns a vector of a number, which has a name in the assembly.
	Number(name string, v float64) Op
	// Field returns a vector of a field.
	Field(c Component) Op
	// Zero returns an operand of Restrict.
	Zero() Op

	// Restrict removes the pairs from the mask for which a comparison of x and y is false.
	Restrict(p Predicate, x, y Op)
	// Either leaves the pairs in the mask that first or second leaves there.
	Either(first, second func())
	// Leave leaves the vector if no pair is in the mask.
	Leave()
	// Found is Leave, and adds the mask to that of the group.
	Found()

	// Keep returns v as an operand of Do, which may be on the stack where there are too few
	// registers. Kept returns that in a register.
	Keep(v Op) Op
	Kept(v Op) Op
	// Only returns an operand for Accumulate, or for products that become one.
	Only(v Op) Op
	// Accumulate adds v, for the pairs in the mask, to the lanes in memory.
	Accumulate(array Component, v Op)
}

func (f *Kernel) Add(x, y Op) Op { return f.Do(op.AddDouble, x, y) }
func (f *Kernel) Sub(x, y Op) Op { return f.Do(op.SubDouble, x, y) }
func (f *Kernel) Mul(x, y Op) Op { return f.Do(op.MulDouble, x, y) }
func (f *Kernel) Div(x, y Op) Op { return f.Do(op.DivDouble, x, y) }

// Squares returns x*x + y*y.
func (f *Kernel) Squares(x, y Op) Op { return f.Add(f.Mul(x, x), f.Mul(y, y)) }

// Row returns the product of a row of a matrix, elements of an array, and x, y, 1.
func (f *Kernel) Row(matrix Component, row [3]int, x, y Op) Op {
	return f.Add(f.Linear(matrix, row[0], row[1], x, y), f.Field(matrix.Index(row[2])))
}

// Linear returns the sum of the products of elements i and j of an array with x and y.
func (f *Kernel) Linear(array Component, i, j int, x, y Op) Op {
	return f.Add(f.Mul(f.Field(array.Index(i)), x), f.Mul(f.Field(array.Index(j)), y))
}
