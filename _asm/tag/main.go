// Command tag generates simd_amd64.s and simd_arm64.s, the assembly of package tag. It runs in the
// directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/generate"
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/pairs"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	generate.Write("../tag", func() {
		for _, isa := range []ISA{AVX2, AVX512} {
			extremes(isa)
			bits(isa)
			round(NewFloatKernel(isa, "round"))
			sample(isa)
		}
	}, generateNEON)
}

const (
	// tile is the side of a tile.
	tile = 4
	// margin is the number of bytes before the extremes of a row.
	margin = 8
	// word is the number of pixels of a word of bits.
	word = 64
)

// firstOfTiles returns a table that gives each byte of four the first one of them.
var firstOfTiles = ByteTable("firstOfTiles", 64, func(i int) uint8 { return uint8(i % 16 &^ 3) })

// extremes emits the function that computes the extremes of a row of tiles.
func extremes(isa ISA) {
	r := Func("extremes" + isa.Name)
	rows := Bases(r, "rows", tile)
	low, high := Load(r.Field("low").Base(), GP64()), Load(r.Field("high").Base(), GP64())
	n := Load(r.Field("low").Len(), GP64())
	first := isa.Load(firstOfTiles())
	x := Counter()
	CMPQ(x, n)
	JGE(LabelRef("done"))
	Loop("pixels", x, n, isa.Bytes, func() {
		for _, e := range []struct {
			o  op.Binary
			to Register
		}{{op.Min, low}, {op.Max, high}} {
			// Of a column, and then of two and four columns from each one on.
			v := isa.Load(Mem{Base: rows[0], Index: x, Scale: 1})
			for _, row := range rows[1:] {
				isa.DoTo(e.o, v, Mem{Base: row, Index: x, Scale: 1}, v)
			}
			for _, columns := range []uint8{1, 2} {
				next := isa.Vec()
				VPSRLD(U8(8*columns), v, next)
				isa.DoTo(e.o, v, next, v)
			}
			VPSHUFB(first, v, v)
			isa.Store(v, Mem{Base: e.to, Index: x, Scale: 1})
		}
	})
	Label("done")
	isa.End()
}

// bits emits the function that computes the bits of a row of tiles.
func bits(isa ISA) {
	r := Func("bits" + isa.Name)
	rows := Bases(r, "rows", tile)
	n := Load(r.Field("rows").Index(0).Len(), GP64())
	contrast := isa.Broadcast(r.Field("contrast"))
	one := isa.Load(ones())
	x := Counter()
	CMPQ(x, n)
	JGE(LabelRef("done"))
	Loop("pixels", x, n, isa.Bytes, func() {
		low, high := extremesAround(isa, op.Min, r.Field("low"), x), extremesAround(isa, op.Max, r.Field("high"), x)
		Comment("Where the contrast suffices, and the mean, rounded down.")
		valid := isa.Exceed(contrast, isa.Do(op.Sub, high, low))
		NOTQ(valid)
		odd := isa.Do(op.And, isa.Do(op.Xor, low, high), one)
		mean := isa.Vec()
		VPAVGB(high, low, mean)
		isa.DoTo(op.Sub, mean, odd, mean)
		at := GP64()
		MOVQ(x, at)
		SHRQ(U8(3), at)
		for k, row := range rows {
			light := isa.Exceed(isa.Load(Mem{Base: row, Index: x, Scale: 1}), mean)
			ANDQ(valid, light)
			storeBits(isa, light, Load(r.Field("light").Index(k).Base(), GP64()), at)
			XORQ(valid, light)
			storeBits(isa, light, Load(r.Field("dark").Index(k).Base(), GP64()), at)
		}
	})
	Label("done")
	isa.End()
}

// extremesAround returns the extremes of three by three tiles around the pixels from x on, of which
// field has those of three rows of tiles.
func extremesAround(isa ISA, o op.Binary, field Component, x Register) Register {
	var v Register
	for i := range 3 {
		row := Load(field.Index(i).Base(), GP64())
		for _, apart := range []int{-tile, 0, tile} {
			m := Mem{Base: row, Index: x, Scale: 1, Disp: margin + apart}
			if v == nil {
				v = isa.Load(m)
			} else {
				isa.DoTo(o, v, m, v)
			}
		}
	}
	return v
}

// storeBits stores the bits of a vector of pixels, at the byte of a row of words.
func storeBits(isa ISA, bits GPVirtual, row, at Register) {
	m := Mem{Base: row, Index: at, Scale: 1}
	if isa.Bytes == word {
		MOVQ(bits, m)
	} else {
		MOVL(bits.As32(), m)
	}
}

// ones returns a table of ones.
var ones = ByteTable("ones", word, func(int) uint8 { return 1 })
