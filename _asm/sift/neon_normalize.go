package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// components is the number of those of a descriptor.
const components = 128

// neonCut emits the function that makes the vector of a descriptor.
func neonCut(a *neon.Assembler) {
	f := &neon.Function{Assembler: a}
	f.Begin("cut")
	histogram, vector, at, n := f.Field("histogram"), f.Field("vector"), f.R(), f.R()
	sums := [2]neon.V{f.Zero(), f.Zero()} // of four directions each
	f.MOVD(vector, at)
	f.ADD(neon.Imm(firstRow), histogram)
	f.MOVD(neon.Imm(4), n)
	f.Comment("A row of cells.")
	f.Loop("row")
	f.Scope(func() {
		var v [8]neon.V
		for o := range v {
			v[o] = f.Load(histogram, nextDirection*o)
		}
		f.DoTo(op.AddFloat, v[0], f.Load(histogram, nextDirection*8), v[0])
		halves := [2][4]neon.V{}
		for i := range halves {
			halves[i] = transposed(f, [4]neon.V(v[4*i:]))
		}
		for cell := range 4 {
			for i, sum := range sums {
				f.VFMLA(neon.S4, halves[i][cell], halves[i][cell], sum)
			}
			f.FSTPQ(halves[0][cell], halves[1][cell], at.At(2*neon.Bytes*cell))
		}
	})
	f.ADD(neon.Imm(nextRow), histogram)
	f.ADD(neon.Imm(4*2*neon.Bytes), at)
	f.Repeat("row", n, 1)
	f.Comment("The greatest component.")
	sum := sums[0]
	f.Multiply(neon.AddFloatPairs, sums[0], sums[1], sum)
	f.Multiply(neon.AddFloatPairs, sum, sum, sum)
	f.Multiply(neon.AddFloatPairs, sum, sum, sum)
	most := f.Spread(neon.S4, 0x3e4ccccd) // 0.2
	f.FSQRTS(sum, sum)
	f.FMULS(sum, most, sum)
	f.VDUPElement(neon.S4, sum.Element(neon.S4, 0), most)

	f.MOVD(neon.Imm(components/4), n)
	f.Loop("cut")
	v := f.Load(vector, 0)
	f.Multiply(neon.MinFloats, v, most, v)
	f.FMOVQ(v, vector.Post(neon.Bytes))
	f.Repeat("cut", n, 1)
	f.RET()
}

// neonNormalize emits the function that makes eight descriptors. Each one's squares are summed in the
// order of the components, in a lane of its own.
func neonNormalize(a *neon.Assembler) {
	f := &neon.Function{Assembler: a}
	f.Begin("normalize")
	vectors, descriptors, at, n := f.R(), f.R(), f.R(), f.R()
	f.ADD(neon.Const("normalizeRun_vectors"), f.Run, vectors)
	f.ADD(neon.Const("normalizeRun_descriptors"), f.Run, descriptors)
	scales := [2]neon.V{f.Zero(), f.Zero()} // first the squares of the lengths
	f.MOVD(vectors, at)
	f.MOVD(neon.Imm(components/4), n)
	f.Loop("length")
	for half, sum := range scales {
		f.Scope(func() {
			var rows [4]neon.V
			for i := range rows {
				rows[i] = f.Load(at, 4*components*(4*half+i))
			}
			for _, component := range transposed(f, rows) {
				f.VFMLA(neon.S4, component, component, sum)
			}
		})
	}
	f.ADD(neon.Imm(neon.Bytes), at)
	f.Repeat("length", n, 1)
	least, length := f.Spread(neon.S4, 0x34000000), f.Spread(neon.S4, 0x44000000) // 2^-23, 512
	for _, scale := range scales {
		f.ChangeTo(neon.Sqrt, scale, scale)
		f.Multiply(neon.MaxFloats, least, scale, scale)
		f.DoTo(op.DivFloat, length, scale, scale)
	}
	most, scale, left := f.Spread(neon.S4, 255), f.V(), f.R()
	f.MOVD(neon.Imm(8), left)
	f.Loop("descriptor")
	f.VDUPElement(neon.S4, scales[0].Element(neon.S4, 0), scale)
	f.VEXT(4, scales[1], scales[0], scales[0])
	f.VEXT(4, scales[1], scales[1], scales[1])
	f.MOVD(neon.Imm(8), n)
	f.Comment("Sixteen bytes.")
	f.Loop("bytes")
	var bytes [4]neon.V
	for i := range bytes {
		bytes[i] = f.V()
		f.FMOVQ(vectors.Post(neon.Bytes), bytes[i])
		f.DoTo(op.MulFloat, bytes[i], scale, bytes[i])
		f.ChangeTo(neon.Round, bytes[i], bytes[i])
		f.DoTo(op.MinLong, bytes[i], most, bytes[i])
	}
	f.VUZP1(neon.H8, bytes[1], bytes[0], bytes[0])
	f.VUZP1(neon.H8, bytes[3], bytes[2], bytes[2])
	f.VUZP1(neon.B16, bytes[2], bytes[0], bytes[0])
	f.FMOVQ(bytes[0], descriptors.Post(neon.Bytes))
	f.Repeat("bytes", n, 1)
	f.Repeat("descriptor", left, 1)
	f.RET()
}

// transposed returns new registers with the columns of a matrix of 4 by 4 floats.
func transposed(f *neon.Function, rows [4]neon.V) (columns [4]neon.V) {
	var pairs [4]neon.V // columns 0 and 1 of rows 0 and 1, then of rows 2 and 3, and columns 2 and 3
	for i := range columns {
		pairs[i], columns[i] = f.V(), f.V()
	}
	for i := range 2 {
		f.VZIP1(neon.S4, rows[2*i+1], rows[2*i], pairs[i])
		f.VZIP2(neon.S4, rows[2*i+1], rows[2*i], pairs[2+i])
	}
	for i := range 2 {
		f.VZIP1(neon.D2, pairs[2*i+1], pairs[2*i], columns[2*i])
		f.VZIP2(neon.D2, pairs[2*i+1], pairs[2*i], columns[2*i+1])
	}
	f.FreeV(pairs[:]...)
	return columns
}
