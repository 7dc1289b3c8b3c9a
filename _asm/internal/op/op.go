// Package op names the operations on two vectors that the generators emit. Packages vec and
// neon have their instructions, so that one generator can serve several architectures.
package op

// A Binary is an operation on the numbers of two vectors x and y. Those that set all bits
// set them where something is true, and none where it is not.
type Binary int

const (
	// Of unsigned bytes.
	Min Binary = iota
	Max
	AddSat   // at most 255
	SubSat   // x-y, at least 0
	Higher   // all bits where x > y
	NotLower // all bits where x >= y

	// Of bytes of either kind.
	Add
	Sub
	Test     // all bits where x&y is not 0
	AddPairs // the sums of two neighbors, those of x and then those of y

	And
	Or
	Xor

	// Of numbers of 16 bits.
	AddWord
	SubWord
	MaxWord     // of signed numbers
	GreaterWord // all bits where x > y, of signed numbers
	MulPairs    // the sums of two products of signed numbers, of 32 bits

	// Of numbers of 32 bits.
	AddLong
	SubLong
	MinLong    // without sign
	MaxLong    // without sign
	HigherLong // all bits where x > y, without sign
	ShiftLong  // x shifted by the lowest byte of y, to the right if that is negative

	// Of numbers of 64 bits.
	AddQuad
	SubQuad
	MulQuad   // of the lower halves, with their signs
	ShiftQuad // x shifted to the right by y, a number of bits

	// Of floats of 32 bits.
	AddFloat
	SubFloat
	MulFloat
	DivFloat
	MinFloat     // y if x is not a number
	MaxFloat     // y if x is not a number
	GreaterFloat // all bits where x > y
	NotLessFloat // all bits where x >= y

	// Of doubles.
	AddDouble
	SubDouble
	MulDouble
	DivDouble
	MinDouble     // y if x is not a number
	MaxDouble     // y if x is not a number
	GreaterDouble // all bits where x > y
	NotLessDouble // all bits where x >= y
)
