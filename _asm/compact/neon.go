package main

import (
	"github.com/fastcorners/fast/_asm/internal/moment"
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// A neonFunction is a function for NEON.
type neonFunction struct{ neon.Function }

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	bits := make([]byte, neon.Bytes)
	for i := range bits {
		bits[i] = 1 << (i % 8)
	}
	a.Table("byteBits", bits)
	f := &neonFunction{neon.Function{Assembler: a}}
	f.readPatch()
	f.comparePatch()
}

// readPatch emits readPatchNEON.
func (f *neonFunction) readPatch() {
	f.Begin("readPatch")
	pix, stride := f.Field("pix"), f.Field("stride")
	weights, dst := f.Field("weights"), f.Field("patch")
	sums := moment.New(&f.Function)
	pixels := f.V()
	f.Comment("The rows of the patch, and their weighted sums.")
	for row := range patchRows {
		f.FMOVQ(pix.At(0), pixels)
		f.ADD(stride, pix)
		f.FMOVQ(pixels, dst.At(neon.Bytes*row))
		sums.Add(&f.Function, pixels, weights, 2*neon.Bytes*row, neon.Bytes)
	}
	sums.Return(&f.Function)
}

// comparePatch emits comparePatchNEON. The table of the first four rows gives 0 for places
// beyond it. Those of the next rows leave the values of places that are not theirs as they
// are.
func (f *neonFunction) comparePatch() {
	f.Begin("comparePatch")
	p, at := f.Field("patch"), f.Field("places")
	var rows [patchRows]neon.V // neighboring registers
	for row := range rows {
		rows[row] = f.Load(p, neon.Bytes*row)
	}
	byteBits, table := f.LoadTable("byteBits"), f.V()
	f.VMOVI(4*neon.Bytes, table)
	var values [2][2]neon.V
	for i := range 4 {
		place, value := f.Load(at, neon.Bytes*i), f.V()
		for first := 0; first < patchRows; first += 4 {
			list := rows[first:min(first+4, patchRows)]
			if first == 0 {
				f.VTBL(neon.B16, place, list, value)
			} else {
				f.DoTo(op.Sub, place, table, place)
				f.VTBX(neon.B16, place, list, value)
			}
		}
		values[i/2][i%2] = value
	}
	f.Comment("A bit for each pair whose first value is the greater one.")
	greater := values[0]
	for i, v := range greater {
		f.DoTo(op.Higher, v, values[1][i], v)
		f.DoTo(op.And, v, byteBits, v)
	}
	f.DoTo(op.AddPairs, greater[0], greater[1], greater[0])
	f.DoTo(op.AddPairs, greater[0], greater[0], greater[0])
	f.DoTo(op.AddPairs, greater[0], greater[0], greater[0])
	f.FMOVS(greater[0], f.Place("bits"))
	f.RET()
}
