package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// neonDouble emits the function that makes a row of the doubled image, 8 pixels of the image at a
// time.
func neonDouble(a *neon.Assembler) {
	const pixels = 8
	f := &neon.Function{Assembler: a}
	f.Begin("double")
	near, far, dst, n := f.Field("near"), f.Field("far"), f.Field("dst"), f.Len("dst")
	three, scale := f.Fill(3), f.Spread(neon.S4, 0x3d800000) // 1/16
	f.Comment("Eight pixels of the image make 16.")
	f.Loop("pixels")
	var quarters [3]neon.V // three parts of a pixel of the nearest row and one of the other
	for i := range quarters {
		from, v := f.V(), f.V()
		f.FMOVD(near.At(i), from)
		f.Multiply(neon.ByteProducts, from, three, v)
		f.FMOVD(far.At(i), from)
		f.VUADDW(neon.B8, from, v, v)
		f.FreeV(from)
		quarters[i] = v
	}
	left, center, right := quarters[0], quarters[1], quarters[2]
	triple := f.Do(op.AddWord, center, center)
	f.DoTo(op.AddWord, triple, center, triple)
	f.DoTo(op.AddWord, triple, left, left)
	f.DoTo(op.AddWord, triple, right, right)
	f.VZIP1(neon.H8, right, left, center)
	f.VZIP2(neon.H8, right, left, triple)
	for _, v := range []neon.V{center, triple} {
		f.VUXTL(neon.H4, v, left)
		f.VUXTL2(neon.H8, v, right)
		for _, half := range []neon.V{left, right} {
			f.ChangeTo(neon.UnsignedToFloat, half, half)
			f.DoTo(op.MulFloat, half, scale, half)
			f.FMOVQ(half, dst.Post(neon.Bytes))
		}
	}
	f.ADD(neon.Imm(pixels), near)
	f.ADD(neon.Imm(pixels), far)
	f.Repeat("pixels", n, 2*pixels)
	f.RET()
}

// neonHalve emits the function that takes every second pixel.
func neonHalve(a *neon.Assembler) {
	f := &neon.Function{Assembler: a}
	f.Begin("halve")
	src, dst, n := f.Field("src"), f.Field("dst"), f.Len("dst")
	even, odd := f.V(), f.V()
	f.Comment("The pixels of a vector.")
	f.Loop("pixels")
	f.VLD2(neon.S4, src.Post(2*neon.Bytes), even, odd)
	f.FMOVQ(even, dst.Post(neon.Bytes))
	f.Repeat("pixels", n, neon.Bytes/4)
	f.RET()
}

// neonRows emits the function that filters a row, 16 pixels at a time.
func neonRows(a *neon.Assembler) {
	const vectors = 4
	f := &neon.Function{Assembler: a}
	f.Begin("rows")
	src, dst, n := f.Field("src"), f.Field("dst"), f.Len("dst")
	weights, taps := f.Field("weights"), f.Len("weights")
	pixels, copied := f.Field("pixels"), f.Len("pixels")
	from, next, left, half := f.R(), f.R(), f.R(), f.R()
	f.LSR(neon.Imm(1), taps, half)
	weight, v := f.V(), f.V()
	var sums [vectors]neon.V
	f.Comment("Sixteen pixels.")
	f.Loop("pixels")
	f.MOVD(src, from)
	f.MOVD(weights, next)
	f.SUB(neon.Imm(1), taps, left)
	f.VLD1R(neon.S4, next.Post(4), weight)
	for i := range sums {
		sums[i] = f.V()
		f.FMOVQ(from.At(neon.Bytes*i), v)
		f.DoTo(op.MulFloat, v, weight, sums[i])
	}
	f.Comment("The taps but the first.")
	f.Loop("taps")
	f.ADD(neon.Imm(4), from)
	f.VLD1R(neon.S4, next.Post(4), weight)
	for i, sum := range sums {
		f.FMOVQ(from.At(neon.Bytes*i), v)
		f.VFMLA(neon.S4, weight, v, sum)
	}
	f.Repeat("taps", left, 1)
	for _, sum := range sums {
		f.FMOVQ(sum, dst.Post(neon.Bytes))
	}
	f.CBZ(copied, "copied")
	f.ADD(half.LSL(2), src, from)
	for i := range sums {
		f.FMOVQ(from.At(neon.Bytes*i), v)
		f.FMOVQ(v, pixels.Post(neon.Bytes))
	}
	f.Label("copied")
	f.ADD(neon.Imm(vectors*neon.Bytes), src)
	f.Repeat("pixels", n, vectors*neon.Bytes/4)
	f.RET()
}

// neonColumns emits the function that filters the columns of a batch of rows. The windows of
// rows above and below turn, as those of columns do.
func neonColumns(a *neon.Assembler) {
	const batch = 8
	f := &neon.Function{Assembler: a}
	f.Begin("columns")
	ring, places := f.Field("ring"), f.Field("places")
	weights, radius := f.Field("weights"), f.Len("weights")
	n := f.R()
	f.MOVD(f.ElementPlace("dst", 0).Offset(8), n)
	f.SUB(neon.Imm(1), radius)
	f.ADD(radius.LSL(3), places)
	x, up, down, next, left, place := f.R(), f.R(), f.R(), f.R(), f.R(), f.R()
	f.MOVD(neon.Imm(0), x)
	load := func(from neon.Mem, v neon.V) {
		f.MOVD(from, place)
		f.ADD(place.LSL(2), ring, place)
		f.FMOVQ(place.At(0), v)
	}
	weight, pair := f.V(), f.V()
	var sums, below, above [batch]neon.V
	for i := range batch {
		sums[i], below[i], above[i] = f.V(), f.V(), f.V()
	}
	f.Comment("The columns of a vector.")
	f.Loop("columns")
	f.MOVD(weights, next)
	f.MOVD(radius, left)
	f.MOVD(places, up)
	f.ADD(neon.Imm(8*(batch-1)), places, down)
	f.VLD1R(neon.S4, next.Post(4), weight)
	for i := range batch {
		load(places.At(8*i), below[i])
		f.VMOV(below[i], above[i])
		f.DoTo(op.MulFloat, below[i], weight, sums[i])
	}
	f.Loop("steps")
	for step := 1; step <= batch; step++ {
		load(down.At(8*step), below[step-1])
		load(up.At(-8*step), above[batch-step])
		f.VLD1R(neon.S4, next.Post(4), weight)
		for i, sum := range sums {
			f.DoTo(op.AddFloat, below[(step+i)%batch], above[(batch-step+i)%batch], pair)
			f.VFMLA(neon.S4, weight, pair, sum)
		}
		f.SUB(neon.Imm(1), left)
		f.CBZ(left, "sums")
	}
	f.ADD(neon.Imm(8*batch), down)
	f.SUB(neon.Imm(8*batch), up)
	f.JMP("steps")
	f.Label("sums")
	for i, sum := range sums {
		f.MOVD(f.ElementPlace("dst", i), place)
		f.ADD(x, place)
		f.FMOVQ(sum, place.At(0))
	}
	f.ADD(neon.Imm(neon.Bytes), ring)
	f.ADD(neon.Imm(neon.Bytes), x)
	f.Repeat("columns", n, neon.Bytes/4)
	f.RET()
}
