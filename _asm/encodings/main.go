// Command encodings generates simd_arm64.s of package internal/test/encodings: functions that
// execute the instructions that the generator encodes. It runs in the directory of the
// module _asm.
//
// The Go declarations of the functions and of their argument are written by hand, in
// simd_arm64.go.
package main

import (
	"strings"

	"github.com/fastcorners/fast/_asm/internal/neon"
)

// places holds the registers that each instruction is tested with, for the result and the
// two operands. Each bit of a register's number is the only one set in some row; none is set in
// another, and nearly all are.
var places = []struct{ result, x, y neon.V }{
	{1, 2, 4},
	{2, 4, 8},
	{4, 8, 16},
	{8, 16, 1},
	{16, 1, 2},
	{31, 0, 30},
	{0, 31, 29},
}

func main() {
	neon.Write("../internal/test/encodings", func(a *neon.Assembler) {
		for _, op := range []neon.Binary{
			neon.SubSat, neon.Higher, neon.NotLower, neon.ShiftLong, neon.HigherLong,
			neon.AddFloat, neon.SubFloat, neon.MulFloat, neon.DivFloat, neon.GreaterFloat,
			neon.AddDouble, neon.MulDouble, neon.DivDouble, neon.MaxDouble, neon.MinDouble,
		} {
			function(a, op.Name, op.Lanes, func(result, x, y neon.V) { a.DoTo(op, x, y, result) })
		}
		for _, op := range []neon.Unary{
			neon.PairsOfBytes, neon.PairsOfWords, neon.SignedWords, neon.LastSignedWords,
			neon.AbsWord, neon.AddPairsOfWords,
			neon.Without9, neon.LastWithout9, neon.Without10, neon.LastWithout10,
			neon.Without14, neon.LastWithout14, neon.Without8, neon.LastWithout8,
			neon.ToDoubles, neon.LastToDoubles, neon.ToFloats, neon.ToLastFloats, neon.ZeroDouble, neon.RoundDouble,
			neon.Sqrt, neon.ToFloat, neon.UnsignedToFloat, neon.Round,
		} {
			function(a, op.Name, op.From, func(result, x, _ neon.V) { a.ChangeTo(op, x, result) })
		}
		for _, op := range []neon.Product{
			neon.AddProducts, neon.AddLastProducts, neon.SubProducts, neon.SubLastProducts, neon.AddLongProducts,
			neon.AddWordProducts, neon.Products, neon.LastProducts,
			neon.ByteProducts, neon.LastByteProducts, neon.AddByteProducts, neon.AddLastByteProducts,
			neon.ByteSums, neon.LastByteSums, neon.ByteDifferences,
		} {
			function(a, op.Name, op.From, func(result, x, y neon.V) { a.Multiply(op, x, y, result) })
		}
	})
}

// function emits the function that executes an instruction with all of these registers.
func function(a *neon.Assembler, name string, lanes neon.Lanes, do func(result, x, y neon.V)) {
	a.Func(strings.NewReplacer(" $", "", ",", "").Replace(strings.ToLower(name + string(lanes))))
	r := a.LoadArgument(0, "r")
	for i, p := range places {
		at := i * neon.Bytes
		a.FMOVQ(r.Field("operands_result").Offset(at), p.result)
		a.FLDPQ(r.Field("operands_xy").Offset(2*at), p.x, p.y)
		do(p.result, p.x, p.y)
		a.FMOVQ(p.result, r.Field("operands_result").Offset(at))
	}
	a.RET()
}
