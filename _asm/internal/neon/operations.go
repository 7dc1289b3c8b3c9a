package neon

import (
	"fmt"
	"log"
	"strings"

	"github.com/fastcorners/fast/_asm/internal/op"
)

// An Instruction carries out an operation on vectors.
type Instruction struct {
	Name     string // as Go's assembler writes it or would
	From, To Lanes  // of the operands and of the result
	// Word is the encoding with register 0 for all operands, or 0 if the assembler knows the
	// instruction. The tests of package internal/test/encodings check it.
	Word uint32
}

// A Unary is an operation on one vector.
type Unary Instruction

// A Product is an operation on the products of the numbers of two vectors, or another one
// whose results have more bits than the operands.
type Product Instruction

// binaries has the instructions for operations on two vectors.
var binaries = map[op.Binary]Instruction{
	op.Min:           {"VUMIN", B16, B16, 0},
	op.Max:           {"VUMAX", B16, B16, 0},
	op.SubSat:        {"VUQSUB", B16, B16, 0x6e202c00},
	op.Higher:        {"VCMHI", B16, B16, 0x6e203400},
	op.NotLower:      {"VCMHS", B16, B16, 0x6e203c00},
	op.Add:           {"VADD", B16, B16, 0},
	op.Sub:           {"VSUB", B16, B16, 0},
	op.Test:          {"VCMTST", B16, B16, 0},
	op.AddPairs:      {"VADDP", B16, B16, 0},
	op.And:           {"VAND", B16, B16, 0},
	op.Or:            {"VORR", B16, B16, 0},
	op.Xor:           {"VEOR", B16, B16, 0},
	op.AddWord:       {"VADD", H8, H8, 0},
	op.SubWord:       {"VSUB", H8, H8, 0},
	op.MaxWord:       {"VSMAX", H8, H8, 0x4e606400},
	op.GreaterWord:   {"VCMGT", H8, H8, 0x4e603400},
	op.AddLong:       {"VADD", S4, S4, 0},
	op.SubLong:       {"VSUB", S4, S4, 0},
	op.MinLong:       {"VUMIN", S4, S4, 0},
	op.MaxLong:       {"VUMAX", S4, S4, 0},
	op.HigherLong:    {"VCMHI", S4, S4, 0x6ea03400},
	op.ShiftLong:     {"VSSHL", S4, S4, 0x4ea04400},
	op.AddQuad:       {"VADD", D2, D2, 0},
	op.SubQuad:       {"VSUB", D2, D2, 0},
	op.AddFloat:      {"VFADD", S4, S4, 0x4e20d400},
	op.SubFloat:      {"VFSUB", S4, S4, 0x4ea0d400},
	op.MulFloat:      {"VFMUL", S4, S4, 0x6e20dc00},
	op.DivFloat:      {"VFDIV", S4, S4, 0x6e20fc00},
	op.MinFloat:      {"VFMINNM", S4, S4, 0x4ea0c400},
	op.MaxFloat:      {"VFMAXNM", S4, S4, 0x4e20c400},
	op.GreaterFloat:  {"VFCMGT", S4, S4, 0x6ea0e400},
	op.NotLessFloat:  {"VFCMGE", S4, S4, 0x6e20e400},
	op.AddDouble:     {"VFADD", D2, D2, 0x4e60d400},
	op.SubDouble:     {"VFSUB", D2, D2, 0x4ee0d400},
	op.MulDouble:     {"VFMUL", D2, D2, 0x6e60dc00},
	op.DivDouble:     {"VFDIV", D2, D2, 0x6e60fc00},
	op.MinDouble:     {"VFMINNM", D2, D2, 0x4ee0c400},
	op.MaxDouble:     {"VFMAXNM", D2, D2, 0x4e60c400},
	op.GreaterDouble: {"VFCMGT", D2, D2, 0x6ee0e400},
	op.NotLessDouble: {"VFCMGE", D2, D2, 0x6e60e400},
}

// Operations that package op does not have.
var (
	Count = Unary{"VCNT", B16, B16, 0} // bits set in each byte

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

	// The same of unsigned bytes, which are added to numbers of 16 bits.
	AddPairsOfBytes = Unary{"VUADALP", B16, H8, 0x6e206800}

	// Numbers of 32 bits without 9, 10 or 14 of them, and of 16 bits without 2 or 8, rounded to the
	// nearest, up from the middle. Only the lower halves of the results are left. They go to
	// the first places, or to the last ones, and then the first ones keep what they have.
	Without9      = Unary{"VRSHRN $9,", S4, H4, 0x0f178c00}
	LastWithout9  = Unary{"VRSHRN2 $9,", S4, H8, 0x4f178c00}
	Without10     = Unary{"VRSHRN $10,", S4, H4, 0x0f168c00}
	LastWithout10 = Unary{"VRSHRN2 $10,", S4, H8, 0x4f168c00}
	Without14     = Unary{"VRSHRN $14,", S4, H4, 0x0f128c00}
	LastWithout14 = Unary{"VRSHRN2 $14,", S4, H8, 0x4f128c00}
	Without2      = Unary{"VRSHRN $2,", H8, B8, 0x0f0e8c00}
	LastWithout2  = Unary{"VRSHRN2 $2,", H8, B16, 0x4f0e8c00}
	Without8      = Unary{"VRSHRN $8,", H8, B8, 0x0f088c00}
	LastWithout8  = Unary{"VRSHRN2 $8,", H8, B16, 0x4f088c00}

	// Of floats of 32 bits.
	Sqrt       = Unary{"VFSQRT", S4, S4, 0x6ea1f800}
	FloorFloat = Unary{"VFRINTM", S4, S4, 0x4e219800} // rounded down

	// The first or the last two signed numbers of 32 bits, as numbers of 64 bits.
	SignedQuads     = Unary{"VSXTL", S2, D2, 0x0f20a400}
	LastSignedQuads = Unary{"VSXTL2", S4, D2, 0x4f20a400}

	// Of doubles: all bits where one is 0.
	ZeroDouble = Unary{"VFCMEQ $0,", D2, D2, 0x4ee0d800}
	SqrtDouble = Unary{"VFSQRT", D2, D2, 0x6ee1f800}
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
	Truncate        = Unary{"VFCVTZS", S4, S4, 0x4ea1b800} // and back, without what is behind the point

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

	// Upper halves of twice the products of signed words. Of the two least ones it is the largest word.
	DoubleUpperWords = Product{"VSQDMULH", H8, H8, 0x4e60b400}

	// Products of the first or the last eight unsigned bytes.
	ByteProducts     = Product{"VUMULL", B8, H8, 0x2e20c000}
	LastByteProducts = Product{"VUMULL2", B16, H8, 0x6e20c000}
	// The same added to words.
	AddByteProducts     = Product{"VUMLAL", B8, H8, 0x2e208000}
	AddLastByteProducts = Product{"VUMLAL2", B16, H8, 0x6e208000}

	// Sums of the products of four unsigned bytes and those of one place of the other operand,
	// which are added to numbers of 32 bits. Processors have them that have ASIMDDP.
	DotProducts = [4]Product{
		{"VUDOT $0,", B16, S4, 0x6f80e000},
		{"VUDOT $1,", B16, S4, 0x6fa0e000},
		{"VUDOT $2,", B16, S4, 0x6f80e800},
		{"VUDOT $3,", B16, S4, 0x6fa0e800},
	}

	// Of floats. They are not a number if one of the operands is none.
	MaxFloats = Product{"VFMAX", S4, S4, 0x4e20f400}
	MinFloats = Product{"VFMIN", S4, S4, 0x4ea0f400}
	// The sums of two neighbors, those of the first operand and then those of the second one.
	AddFloatPairs = Product{"VFADDP", S4, S4, 0x6e20d400}

	// Differences of unsigned bytes, without sign.
	AbsDifferences = Product{"VUABD", B16, B16, 0x6e207400}

	// Sums and differences of the first or the last eight unsigned bytes.
	ByteSums            = Product{"VUADDL", B8, H8, 0x2e200000}
	LastByteSums        = Product{"VUADDL2", B16, H8, 0x6e200000}
	ByteDifferences     = Product{"VUSUBL", B8, H8, 0x2e202000}
	LastByteDifferences = Product{"VUSUBL2", B16, H8, 0x6e202000}

	// Differences of the first or the last two unsigned numbers of 32 bits.
	LongDifferences     = Product{"VUSUBL", S2, D2, 0x2ea02000}
	LastLongDifferences = Product{"VUSUBL2", S4, D2, 0x6ea02000}
)

// A Scaling is an operation on the products of the numbers of a vector with a number of another
// one.
type Scaling Instruction

// Products of the first or the last four signed words with a signed word, which are added to numbers
// of 32 bits.
var (
	AddScaled     = Scaling{"VSMLAL", H4, S4, 0x0f402000}
	AddLastScaled = Scaling{"VSMLAL2", H8, S4, 0x4f402000}
)

// Lookup returns the instruction for an operation.
func Lookup(o op.Binary) Instruction {
	i, ok := binaries[o]
	if !ok {
		log.Fatalf("NEON has no instruction for operation %d", o)
	}
	return i
}

// Do returns a new register with x op y.
func (a *Assembler) Do(o op.Binary, x, y V) V {
	v := a.V()
	a.DoTo(o, x, y, v)
	return v
}

// DoTo emits dst = x op y.
func (a *Assembler) DoTo(o op.Binary, x, y, dst V) { a.Multiply(Product(Lookup(o)), x, y, dst) }

// Multiply emits p for the factors x and y and the result dst.
func (a *Assembler) Multiply(p Product, x, y, dst V) {
	a.encode(p.Word, uint32(y)<<16|uint32(x)<<5|uint32(dst), p.Name, p.From.of(y), p.From.of(x), p.To.of(dst))
}

// Scale emits s for the factors x, numbers, and word i of y, and for the result dst. y is one of the
// first 16 registers.
func (a *Assembler) Scale(s Scaling, x, y V, i int, dst V) {
	if y >= 16 {
		log.Fatalf("%v has no words that vectors are multiplied with", y)
	}
	// The bits of the number of the word, from the upper one, have places of their own.
	word := s.Word | uint32(i>>2&1)<<11 | uint32(i>>1&1)<<21 | uint32(i&1)<<20
	a.encode(word, uint32(y)<<16|uint32(x)<<5|uint32(dst), s.Name, y.Element(H8, i).String(), s.From.of(x), s.To.of(dst))
}

// ChangeTo emits u for the operand x and the result dst.
func (a *Assembler) ChangeTo(u Unary, x, dst V) {
	a.encode(u.Word, uint32(x)<<5|uint32(dst), u.Name, u.From.of(x), u.To.of(dst))
}

// encode emits an instruction, as its word with the registers unless that is 0.
func (a *Assembler) encode(word, registers uint32, name string, operands ...string) {
	text := name + " " + strings.Join(operands, ", ")
	if word != 0 {
		text = fmt.Sprintf("WORD $%#08x // %s", word|registers, text)
	}
	a.emit(text)
}
