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

	products *Products
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

// Products are the sums, over the pairs, of a weight times two factors: each factor times itself and
// those that follow, but for the last one, which is multiplied by those before only.
type Products struct {
	Sums    Component // an array of the lanes of each sum
	Factors int
	Unit    bool // there is one more factor before the last one, 1
}

// A collector is a machine that keeps the weights and factors of some vectors in a buffer before it adds
// their products, so that each sum is loaded and stored once for all of them.
type collector interface {
	// collect makes buffer, an array of doubles in the argument, that of collected.
	collect(buffer Component, p *Products)
	// collected keeps the weight and the factors, for the pairs in the mask. It is called at most once
	// for a vector.
	collected(values []Op)
}

// Slots is the number of groups whose vectors a buffer has room for.
const Slots = 8

// Collect is called before Groups if AddProducts is called there. buffer is an array of the argument
// with room for Slots groups, and for 7 doubles more.
func (f *Kernel) Collect(buffer Component, p Products) {
	f.products = &p
	if c, ok := f.Machine.(collector); ok {
		c.collect(buffer, &p)
	}
}

// AddProducts adds the products of the pairs in the mask to the sums.
func (f *Kernel) AddProducts(weight Op, factors []Op) {
	if c, ok := f.Machine.(collector); ok {
		c.collected(append([]Op{weight}, factors...))
		return
	}
	weight = f.Only(weight)
	own := make([]Op, len(factors))
	for i, v := range factors {
		own[i] = f.Only(v)
	}
	n := 0
	for i, row := range f.products.rows() {
		weighted := weight
		if i < len(own)-1 {
			weighted = f.Mul(weight, own[i])
		}
		for _, factor := range row {
			product := weighted
			if factor >= 0 {
				product = f.Mul(weighted, own[factor])
			}
			f.Accumulate(f.products.Sums.Index(n), product)
			n++
		}
	}
}

// rows returns the numbers of the factors by which each factor but the last one is multiplied. That
// of the unit, and of a row for it, is -1.
func (p *Products) rows() (rows [][]int) {
	last := p.Factors - 1
	for i := range last {
		var row []int
		for k := i; k < last; k++ {
			row = append(row, k)
		}
		if p.Unit {
			row = append(row, -1)
		}
		rows = append(rows, append(row, last))
	}
	if p.Unit {
		rows = append(rows, []int{-1, last})
	}
	return rows
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
