// Command encodings generates simd_arm64.s of package internal/test/encodings: functions that
// execute the instructions that the generator encodes. It runs in the directory of the
// module _asm.
//
// The Go declarations of the functions and of their argument are written by hand, in
// simd_arm64.go.
package main

import (
	"fmt"
	"strings"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
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
		for _, o := range []op.Binary{
			op.SubSat, op.Higher, op.NotLower, op.MaxWord, op.GreaterWord, op.ShiftLong, op.HigherLong,
			op.AddFloat, op.SubFloat, op.MulFloat, op.DivFloat, op.MinFloat, op.MaxFloat, op.GreaterFloat, op.NotLessFloat,
			op.AddDouble, op.SubDouble, op.MulDouble, op.DivDouble, op.MaxDouble, op.MinDouble,
			op.GreaterDouble, op.NotLessDouble,
		} {
			function(a, neon.Lookup(o), func(result, x, y neon.V) { a.DoTo(o, x, y, result) })
		}
		for _, u := range []neon.Unary{
			neon.PairsOfBytes, neon.PairsOfWords, neon.SignedWords, neon.LastSignedWords,
			neon.AbsWord, neon.AddPairsOfWords, neon.AddPairsOfBytes,
			neon.Without9, neon.LastWithout9, neon.Without10, neon.LastWithout10,
			neon.Without14, neon.LastWithout14, neon.Without2, neon.LastWithout2, neon.Without8, neon.LastWithout8,
			neon.ToDoubles, neon.LastToDoubles, neon.ToFloats, neon.ToLastFloats, neon.ZeroDouble, neon.SqrtDouble, neon.RoundDouble,
			neon.SignedQuads, neon.LastSignedQuads,
			neon.Sqrt, neon.FloorFloat, neon.ToFloat, neon.UnsignedToFloat, neon.Round, neon.Truncate,
		} {
			function(a, neon.Instruction(u), func(result, x, _ neon.V) { a.ChangeTo(u, x, result) })
		}
		for _, p := range []neon.Product{
			neon.AddProducts, neon.AddLastProducts, neon.SubProducts, neon.SubLastProducts, neon.AddLongProducts,
			neon.AddWordProducts, neon.Products, neon.LastProducts, neon.DoubleUpperWords,
			neon.ByteProducts, neon.LastByteProducts, neon.AddByteProducts, neon.AddLastByteProducts,
			neon.ByteSums, neon.LastByteSums, neon.ByteDifferences, neon.LastByteDifferences, neon.AbsDifferences,
			neon.LongDifferences, neon.LastLongDifferences, neon.MaxFloats, neon.MinFloats, neon.AddFloatPairs,
			neon.DotProducts[0], neon.DotProducts[1], neon.DotProducts[2], neon.DotProducts[3],
		} {
			function(a, neon.Instruction(p), func(result, x, y neon.V) { a.Multiply(p, x, y, result) })
		}
		for _, s := range []neon.Scaling{neon.AddScaled, neon.AddLastScaled} {
			// Of each place another word.
			for first := range 2 {
				i := neon.Instruction(s)
				i.Name += fmt.Sprint("Word", first)
				word := first
				function(a, i, func(result, x, y neon.V) {
					low := y % 16
					if low != y {
						a.VMOV(y, low)
					}
					a.Scale(s, x, low, word, result)
					word++
				})
			}
		}
	})
}

// function emits the function that executes an instruction with all of these registers.
func function(a *neon.Assembler, i neon.Instruction, do func(result, x, y neon.V)) {
	a.Func(strings.NewReplacer(" $", "", ",", "").Replace(strings.ToLower(i.Name + string(i.From))))
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
