// Package pairs has what the kernels that find inliers among pairs of points, and those that sum over
// pixels, share: a loop over groups of them, arithmetic on vectors of doubles or floats, masks, and sums
// of each lane.
package pairs

import (
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
)

// Lanes is the number of pairs of a group of doubles. One of floats has twice as many.
const Lanes = 8

// groupBytes is the number of bytes of a coordinate of a group.
const groupBytes = 64

// numbers are the type of the numbers in vectors.
type numbers struct {
	bytes              int
	add, sub, mul, div op.Binary
}

var (
	doubles = &numbers{8, op.AddDouble, op.SubDouble, op.MulDouble, op.DivDouble}
	floats  = &numbers{4, op.AddFloat, op.SubFloat, op.MulFloat, op.DivFloat}
)

// lanes returns the number of pairs of a group.
func (n *numbers) lanes() int { return groupBytes / n.bytes }

// A Predicate is one of VCMPPD, false if an operand is NaN.
type Predicate uint8

const (
	Less    Predicate = 0x11
	AtMost  Predicate = 0x12
	Greater Predicate = 0x1e
)

// A Kernel is one of the kernels. Its argument r points to a struct with the coordinates of
// the pairs, slices of a multiple of Lanes, with the first pair begin, with end, and, if the
// kernel tells which pairs it has found, with masks, which has a byte for each group.
type Kernel struct {
	Machine
	R Component

	numbers  *numbers
	products *Products
}

// hasMasks reports whether an argument has masks.
func hasMasks(r Component) bool {
	_, err := r.Field("masks").Base().Resolve()
	return err == nil
}

// A Machine emits what is done with the pairs, a vector of them at a time.
type Machine interface {
	// Groups emits the loop over the groups, and the end of the function. body emits what is
	// done with a vector of pairs, the coordinates of which are in the given fields, and keeps
	// up to kept vectors.
	Groups(fields []string, kept int, body func(p []Op))
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

// Roots is a machine for amd64 or arm64.
type Roots interface {
	Machine
	Sqrt(v Op) Op
}

// Floats is a machine for floats. All that it keeps is in the buffer of Collect, behind what is
// collected, since there would be too little room on the stack.
type Floats interface {
	Roots
	// Floor returns v rounded down.
	Floor(v Op) Op
	// Mask returns a mask, and Masked v where the mask has all bits, and 0 elsewhere.
	Mask(p Predicate, x, y Op) Op
	Masked(mask, v Op) Op
	// Gather returns the numbers of 32 bits of a table, an array, at whole numbers, for the pairs in the
	// mask, and Bit 1 where bit i of such numbers is set, and 0 elsewhere.
	Gather(table Component, at Op) Op
	Bit(numbers Op, i int) Op
	// Put stores v in a slice, at the pairs.
	Put(field string, v Op)
}

// integerOne returns the name of the integer 1 of 32 bits, and the float with the same bits.
func integerOne() (name string, v float64) { return "integerOne", float64(math.Float32frombits(1)) }

// Products are the sums, over the pairs, of a weight times two factors: each factor times itself and
// those that follow, but for the last one, which is multiplied by those before only.
type Products struct {
	Sums    Component // an array of the lanes of each sum
	Factors int
	Unit    bool // there is one more factor before the last one, 1
	Finite  bool // factors are numbers for all pairs, so that only weights need the mask
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
// with room for Slots groups, and for 7 doubles more. One of floats has room for a group of each vector
// that is kept, and for 15 floats more.
func (f *Kernel) Collect(buffer Component, p Products) {
	f.products = &p
	if c, ok := f.Machine.(collector); ok {
		c.collect(buffer, &p)
	}
	if k, ok := f.Machine.(interface{ keepIn(buffer Component) }); ok {
		k.keepIn(buffer)
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
		if own[i] = v; !f.products.Finite {
			own[i] = f.Only(v)
		}
	}
	n := 0
	for _, row := range f.products.rows() {
		weighted := weight
		if row.own >= 0 {
			weighted = f.Mul(weight, own[row.own])
		}
		for _, factor := range row.others {
			product := weighted
			if factor >= 0 {
				product = f.Mul(weighted, own[factor])
			}
			f.Accumulate(f.products.Sums.Index(n), product)
			n++
		}
	}
}

// A row is the products of the weight with a factor and others. Their numbers are -1 for the unit.
type row struct {
	own    int
	others []int
}

// rows returns the products by each factor but the last one.
func (p *Products) rows() (rows []row) {
	last := p.Factors - 1
	for i := range last {
		r := row{own: i}
		for k := i; k < last; k++ {
			r.others = append(r.others, k)
		}
		if p.Unit {
			r.others = append(r.others, -1)
		}
		r.others = append(r.others, last)
		rows = append(rows, r)
	}
	if p.Unit {
		rows = append(rows, row{-1, []int{-1, last}})
	}
	return rows
}

func (f *Kernel) Add(x, y Op) Op { return f.Do(f.numbers.add, x, y) }
func (f *Kernel) Sub(x, y Op) Op { return f.Do(f.numbers.sub, x, y) }
func (f *Kernel) Mul(x, y Op) Op { return f.Do(f.numbers.mul, x, y) }
func (f *Kernel) Div(x, y Op) Op { return f.Do(f.numbers.div, x, y) }

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
