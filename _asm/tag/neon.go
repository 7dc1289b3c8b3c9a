package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/pairs"
)

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	f := &neon.Function{Assembler: a}
	extremesNEON(f)
	bitsNEON(f)
	round(pairs.NewFloatNEON(a, "round"))
}

// extremesNEON emits what extremes does, four vectors at a time.
func extremesNEON(f *neon.Function) {
	f.Begin("extremes")
	var rows [tile]neon.R
	for i := range rows {
		rows[i] = f.Index("rows", i)
	}
	low, high, n := f.Field("low"), f.Field("high"), f.Len("low")
	f.CBZ(n, "done")
	f.Loop("pixels")
	f.Scope(func() {
		var pixels [tile]neon.V
		for i, row := range rows {
			pixels[i] = f.V()
			f.FMOVQ(row.Post(neon.Bytes), pixels[i])
		}
		for _, e := range []struct {
			o  op.Binary
			to neon.R
		}{{op.Min, low}, {op.Max, high}} {
			f.Comment("Of a column, and then of the other columns of each tile.")
			v := f.Do(e.o, f.Do(e.o, pixels[0], pixels[1]), f.Do(e.o, pixels[2], pixels[3]))
			turned := f.V()
			f.VREV32(neon.B16, v, turned) // 3 2 1 0
			f.DoTo(e.o, v, turned, v)
			f.VREV32(neon.H8, v, turned) // 2 3 0 1
			f.DoTo(e.o, v, turned, v)
			f.FMOVQ(v, e.to.Post(neon.Bytes))
		}
	})
	f.Repeat("pixels", n, neon.Bytes)
	f.Label("done")
	f.RET()
}

// wordVectors is the number of vectors of the pixels of a word of bits.
const wordVectors = word / neon.Bytes

// bitsNEON emits what bits does.
func bitsNEON(f *neon.Function) {
	f.Begin("bits")
	f.Table("bitOfByte", bitOfByte())
	var rows, dark, light [tile]neon.R
	for k := range rows {
		rows[k], dark[k], light[k] = f.Index("rows", k), f.Index("dark", k), f.Index("light", k)
	}
	var low, high [3]neon.R
	for i := range low {
		low[i], high[i] = f.Index("low", i), f.Index("high", i)
	}
	n := f.R()
	f.MOVD(f.ElementPlace("rows", 0).Offset(8), n)
	contrast, bit := f.Broadcast("contrast"), f.LoadTable("bitOfByte")
	f.CBZ(n, "done")
	f.Loop("pixels")
	f.Scope(func() {
		var valid, mean [wordVectors]neon.V
		for i := range valid {
			valid[i], mean[i] = f.V(), f.V()
			f.Scope(func() {
				l := extremesAroundNEON(f, op.Min, low, i*neon.Bytes)
				h := extremesAroundNEON(f, op.Max, high, i*neon.Bytes)
				f.Comment("Where the contrast suffices, and the mean, rounded down.")
				f.DoTo(op.NotLower, f.Do(op.Sub, h, l), contrast, valid[i])
				half := f.Do(op.Xor, l, h)
				f.VUSHR(neon.B16, 1, half, half)
				f.DoTo(op.Add, f.Do(op.And, l, h), half, mean[i])
			})
		}
		for _, row := range append(low[:], high[:]...) {
			f.ADD(neon.Imm(word), row)
		}
		for k, row := range rows {
			f.Scope(func() {
				f.Comment("The bits of a row.")
				var d, l [wordVectors]neon.V
				for i := range d {
					pixels := f.V()
					f.FMOVQ(row.Post(neon.Bytes), pixels)
					d[i] = f.Do(op.NotLower, mean[i], pixels)
					f.DoTo(op.And, d[i], valid[i], d[i])
					l[i] = f.Do(op.Xor, d[i], valid[i])
					f.FreeV(pixels)
				}
				storeBitsNEON(f, d, bit, dark[k])
				storeBitsNEON(f, l, bit, light[k])
			})
		}
	})
	f.Repeat("pixels", n, word)
	f.Label("done")
	f.RET()
}

// bitOfByte returns a table in which byte i has the bit i%8.
func bitOfByte() []byte {
	table := make([]byte, neon.Bytes)
	for i := range table {
		table[i] = 1 << (i % 8)
	}
	return table
}

// extremesAroundNEON is extremesAround for the pixels that are disp behind the pointers.
func extremesAroundNEON(f *neon.Function, o op.Binary, rows [3]neon.R, disp int) neon.V {
	v := f.Load(rows[0], margin+disp)
	for i, row := range rows {
		for _, apart := range []int{-tile, 0, tile} {
			if i > 0 || apart != 0 {
				next := f.Load(row, margin+disp+apart)
				f.DoTo(o, v, next, v)
				f.FreeV(next)
			}
		}
	}
	return v
}

// storeBitsNEON stores the bits of bytes that are all ones or zeros, and changes these.
func storeBitsNEON(f *neon.Function, v [wordVectors]neon.V, bit neon.V, to neon.R) {
	for _, x := range v {
		f.DoTo(op.And, x, bit, x)
	}
	f.DoTo(op.AddPairs, v[0], v[1], v[0])
	f.DoTo(op.AddPairs, v[2], v[3], v[2])
	f.DoTo(op.AddPairs, v[0], v[2], v[0])
	f.DoTo(op.AddPairs, v[0], v[0], v[0])
	f.FMOVD(v[0], to.Post(8))
}
