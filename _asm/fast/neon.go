package main

import (
	"fmt"
	"math/bits"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// A neonFunction is a function for NEON, whose blocks are vectors of 16 pixels.
type neonFunction struct{ neon.Function }

// generateNEON emits the stages for NEON.
func generateNEON(a *neon.Assembler) {
	a.Table("byteBits", bytes(16, func(i int) int { return 1 << (i % 8) }))
	a.Table("byteOrder", bytes(16, func(i int) int { return i / 8 }))
	// The first and the last two of four masks of two bytes, each followed by zeros.
	for half, name := range []string{"firstMasks", "lastMasks"} {
		a.Table(name, bytes(16, func(i int) int {
			if i%8 < 2 {
				return half*4 + i/8*2 + i%8
			}
			return 0xff
		}))
	}
	// The numbers of the bits that are set in each byte.
	a.Table("bitNumbers", bytes(256*8, func(i int) int {
		rest := i / 8
		for range i % 8 {
			rest &= rest - 1
		}
		return bits.TrailingZeros8(uint8(rest)) & 7
	}))

	f := &neonFunction{neon.Function{Assembler: a}}
	f.screen(false)
	f.screen(true)
	for n := 9; n <= 12; n++ {
		f.exact(n)
	}
	f.peaks()
	f.wipe()
	f.compact()
	f.pack()
	f.widen()
	f.luma()
}

// bytes returns a table of n bytes.
func bytes(n int, value func(i int) int) []byte {
	table := make([]byte, n)
	for i := range table {
		table[i] = byte(value(i))
	}
	return table
}

// pixelAt returns the address of a pixel whose index is in a field.
func (f *neonFunction) pixelAt(index string) neon.R {
	p, i := f.Field("pix"), f.Field(index)
	f.ADD(i, p)
	f.FreeR(i)
	return p
}

// bits turns v, whose bytes have all bits or none, into a mask of 16 bits. The bits behind
// them are arbitrary.
func (f *neonFunction) bits(v, byteBits neon.V) {
	f.DoTo(op.And, v, byteBits, v)
	for range 3 {
		f.DoTo(op.AddPairs, v, v, v)
	}
}

// screen emits the first stage, as isa.screen does.
func (f *neonFunction) screen(arc12 bool) {
	name := "screen"
	if arc12 {
		name += "12"
	}
	f.Begin(name)
	threshold := f.Broadcast("threshold")
	byteBits, first, last := f.LoadTable("byteBits"), f.LoadTable("firstMasks"), f.LoadTable("lastMasks")
	grid, left := f.Field("grid"), f.Len("grid")
	stride, width := f.Field("stride"), f.Field("blocks")
	pix, stride3, n := f.pixelAt("first"), f.R(), f.R()
	f.ADD(stride.LSL(1), stride, stride3)

	f.Comment("Rows without a gap between them are treated as one.")
	f.LSL(neon.Imm(4), width, n)
	f.CMP(stride, n)
	f.CSEL(neon.EQ, left, width, width)

	f.Comment("The blocks of a row, or of all rows.")
	f.Label("row")
	f.CMP(left, width)
	f.CSEL(neon.GT, left, width, width) // the last row may lack blocks
	f.MOVD(width, n)
	above, below, west, east, center := f.R(), f.R(), f.R(), f.R(), f.R()
	f.SUB(stride3, pix, above)
	f.ADD(stride3, pix, below)
	f.SUB(neon.Imm(radius), pix, west)
	f.ADD(neon.Imm(radius), pix, east)
	f.MOVD(pix, center)
	rows := [5]neon.R{above, below, west, east, center}
	f.Each(n, "", 4, func(count int) {
		if count == 1 {
			var block [5]neon.V
			for i, p := range rows {
				block[i] = f.V()
				f.FMOVQ(p.Post(16), block[i])
			}
			mask := f.screenBlock(block, threshold, arc12)
			f.bits(mask, byteBits)
			f.FMOVD(mask, grid.Post(8))
			f.FreeV(mask)
			return
		}
		var masks [4]neon.V
		for i := 0; i < len(masks); i += 2 {
			var blocks [2][5]neon.V
			for k, p := range rows {
				blocks[0][k], blocks[1][k] = f.V(), f.V()
				f.FLDPQ(p.Post(32), blocks[0][k], blocks[1][k])
			}
			for k, block := range blocks {
				masks[i+k] = f.screenBlock(block, threshold, arc12)
				f.DoTo(op.And, masks[i+k], byteBits, masks[i+k])
			}
			f.DoTo(op.AddPairs, masks[i], masks[i+1], masks[i])
		}
		f.DoTo(op.AddPairs, masks[0], masks[2], masks[0])
		f.DoTo(op.AddPairs, masks[0], masks[0], masks[0])
		f.VTBL(neon.B16, last, []neon.V{masks[0]}, masks[1])
		f.VTBL(neon.B16, first, []neon.V{masks[0]}, masks[0])
		f.FSTPQ(masks[0], masks[1], grid.Post(32))
		f.FreeV(masks[:]...)
	})
	f.ADD(stride, pix)
	f.SUBS(width, left, left)
	f.BNE("row")
	f.RET()
}

// screenBlock returns a vector with all bits set in the bytes of pixels that cannot be
// corners. block has the pixels above, below, to the left and to the right of a block, and
// its own; their registers become free.
func (f *neonFunction) screenBlock(block [5]neon.V, threshold neon.V, arc12 bool) neon.V {
	above, below, west, east, center := block[0], block[1], block[2], block[3], block[4]
	most, mostBeside := f.Do(op.Max, above, below), f.Do(op.Max, west, east)
	least, leastBeside := above, west
	f.DoTo(op.Min, above, below, least)
	f.DoTo(op.Min, west, east, leastBeside)
	f.DoTo(op.Min, most, mostBeside, most)
	f.DoTo(op.Max, least, leastBeside, least)
	if arc12 {
		f.DoTo(op.Min, most, least, mostBeside)
		f.DoTo(op.Max, most, least, least)
		most, mostBeside = mostBeside, most
	}
	f.DoTo(op.SubSat, most, center, most)
	f.DoTo(op.SubSat, center, least, least)
	f.DoTo(op.Max, most, least, most)
	f.DoTo(op.NotLower, threshold, most, most)
	f.FreeV(mostBeside)
	f.FreeV(block[:]...)
	return most
}

// A neonList goes through the list: its registers point to the next mask and its origin.
type neonList struct {
	*neonFunction
	masks, origins, count neon.R
	origin, row           neon.R // the next origin, and its row
}

func (f *neonFunction) list() neonList {
	return neonList{f, f.Field("masks"), f.Field("origins"), f.Field("count"), f.R(), f.R()}
}

// begin begins the loop.
func (l neonList) begin(label string) {
	l.Loop(label)
	l.MOVWU(l.origins.Post(4), l.origin)
	l.LSR(neon.Imm(16), l.origin, l.row)
}

// address makes p the address of the pixel, or of the score, at the origin.
func (l neonList) address(base, stride, p neon.R) {
	l.ADD(l.origin.UXTH(), base, p)
	l.MADD(stride, p, l.row, p)
}

// end ends the loop.
func (l neonList) end(label string) {
	l.Repeat(label, l.count, 1)
}

// keep clears the bits of the next mask for which the bytes of v have no bits, and returns
// the mask in v.
func (l neonList) keep(v, byteBits neon.V) neon.V {
	mask := l.V()
	l.FMOVD(l.masks.At(0), mask)
	l.bits(v, byteBits)
	l.VAND(neon.B8, mask, v, v)
	l.FMOVD(v, l.masks.Post(8))
	l.FreeV(mask)
	return v
}

// exact emits the second stage, as isa.exact does.
func (f *neonFunction) exact(n int) {
	f.Begin(fmt.Sprintf("exact%d", n))
	threshold := f.Broadcast("threshold")
	byteBits, byteOrder := f.LoadTable("byteBits"), f.LoadTable("byteOrder")
	list := f.list()
	pix, stride := f.pixelAt("base"), f.Field("stride")
	scores, scoreStride := f.Field("scores"), f.Field("scoreStride")
	stride3 := f.R()
	f.ADD(stride.LSL(1), stride, stride3)
	var rows [2*radius + 1]neon.R
	for i := range rows {
		rows[i] = f.R()
	}

	list.begin("block")
	f.Comment("The rows of the ring.")
	list.address(pix, stride, rows[radius])
	for i, distance := range []neon.Number{stride, stride.LSL(1), stride3} {
		f.SUB(distance, rows[radius], rows[radius-1-i])
		f.ADD(distance, rows[radius], rows[radius+1+i])
	}
	best := compute(arcTest(n, true), func(v *value) neon.V {
		p := ring[v.pixel]
		return f.Load(rows[radius+p.y], p.x)
	}, f.operation)
	corners := list.keep(f.Do(op.Higher, best, threshold), byteBits)
	f.CBZ(scores, "next")
	f.Comment("Each byte gets the eight bits that include its own, and then only its own.")
	f.VTBL(neon.B16, byteOrder, []neon.V{corners}, corners)
	f.DoTo(op.Test, corners, byteBits, corners)
	f.DoTo(op.And, best, corners, best)
	list.address(scores, scoreStride, rows[radius])
	f.FMOVQ(best, rows[radius].At(0))
	f.Label("next")
	list.end("block")
	f.RET()
}

// operation emits an operation of a network.
func (f *neonFunction) operation(o op.Binary, x, y operand[neon.V]) neon.V {
	var dst neon.V
	switch {
	case x.last:
		dst = x.place
		if y.last {
			f.FreeV(y.place)
		}
	case y.last:
		dst = y.place
	default:
		dst = f.V()
	}
	f.DoTo(o, x.place, y.place, dst)
	return dst
}

// peaks emits non-maximum suppression, as isa.peaks does.
func (f *neonFunction) peaks() {
	f.Begin("peaks")
	byteBits, tie := f.LoadTable("byteBits"), f.Broadcast("tie")
	list := f.list()
	scores, stride := f.Field("scores"), f.Field("scoreStride")
	above, here, below := f.R(), f.R(), f.R()

	list.begin("block")
	f.Comment("The largest score before each pixel, and the largest one after it.")
	list.address(scores, stride, here)
	f.SUB(stride, here, above)
	f.ADD(stride, here, below)
	most := func(v neon.V, row neon.R, x int) {
		other := f.Load(row, x)
		f.DoTo(op.Max, v, other, v)
		f.FreeV(other)
	}
	earlier, later := f.Load(above, -1), f.Load(here, 1)
	for x := range 3 {
		most(later, below, x-1)
	}
	f.DoTo(op.SubSat, later, tie, later)
	most(earlier, above, 0)
	most(earlier, above, 1)
	most(earlier, here, -1)
	f.DoTo(op.Max, earlier, later, earlier)
	list.keep(f.Do(op.Higher, f.Load(here, 0), earlier), byteBits)
	list.end("block")
	f.RET()
}

// wipe emits the function that sets the scores of blocks to zero.
func (f *neonFunction) wipe() {
	f.Begin("wipe")
	list := f.list()
	scores, stride, p, zero := f.Field("scores"), f.Field("scoreStride"), f.R(), f.Zero()
	list.begin("block")
	f.Comment("The block's scores.")
	list.address(scores, stride, p)
	f.FMOVQ(zero, p.At(0))
	list.end("block")
	f.RET()
}

// compact emits the function that lists the masks that are not zero. Every mask is stored
// at the end of the list, which then grows unless the mask is zero, without a branch.
func (f *neonFunction) compact() {
	f.Begin("compact")
	from, n := f.Field("from"), f.Len("from")
	fromOrigins, allowed := f.Field("fromOrigins"), f.Field("allowed")
	masks, origins, k := f.Field("masks"), f.Field("origins"), f.R()
	f.MOVD(neon.Imm(0), k)
	mask, limit, origin := [2]neon.R{f.R(), f.R()}, [2]neon.R{f.R(), f.R()}, [2]neon.R{f.R(), f.R()}
	// loop emits the loop over the masks. Its labels begin with prefix.
	loop := func(prefix string, limited bool) {
		f.Each(n, prefix, 4, func(count int) {
			for i := 0; i < count; i += 2 {
				both := min(count, 2)
				if both == 2 {
					f.LDP(from.Post(16), mask[0], mask[1])
					f.LDPW(fromOrigins.Post(8), origin[0], origin[1])
				} else {
					f.MOVD(from.Post(8), mask[0])
					f.MOVWU(fromOrigins.Post(4), origin[0])
				}
				switch {
				case limited && both == 2:
					f.LDP(allowed.Post(16), limit[0], limit[1])
				case limited:
					f.MOVD(allowed.Post(8), limit[0])
				}
				for i := range both {
					if limited {
						f.BICS(mask[i], limit[i], mask[i])
					} else {
						f.CMP(neon.Imm(0), mask[i])
					}
					f.MOVD(mask[i], masks.Index(k, 3))
					f.MOVW(origin[i], origins.Index(k, 2))
					f.CINC(neon.NE, k, k)
				}
			}
		})
	}
	f.Comment("Each mask is stored, and kept unless it is zero.")
	f.CBZ(allowed, "all")
	loop("limited", true)
	f.JMP("end")
	f.Label("all")
	loop("all", false)
	f.Label("end")
	f.MOVD(k, f.Place("count"))
	f.RET()
}

// pack emits the function that lists the positions in masks. A table has the numbers of
// the bits that are set in each byte. Eight are always stored, and the next byte overwrites
// those beyond the bits.
func (f *neonFunction) pack() {
	f.Begin("pack")
	list := f.list()
	packed, start := f.Field("packed"), f.R()
	f.MOVD(packed, start)
	packedScores, scores, stride := f.Field("packedScores"), f.Field("scores"), f.Field("scoreStride")
	table := f.R()
	f.MOVD(neon.Address("bitNumbers"), table)
	eight, one := f.Fill(8), f.Fill(1)
	// For the two bytes of a mask.
	half, count := [2]neon.R{f.R(), f.R()}, [2]neon.R{f.R(), f.R()}
	p := f.R()

	// loop emits the loop over the masks. Its labels begin with prefix.
	loop := func(prefix string, scored bool) {
		label := prefix + "Mask"
		list.begin(label)
		f.Comment("The positions in both bytes of the mask.")
		base, counts := f.V(), f.V()
		f.VDUP(neon.S4, list.origin, base)
		f.FMOVD(list.masks.At(0), counts)
		f.VCNT(neon.B8, counts, counts)
		f.MOVD(list.masks.Post(8), half[0])
		f.LSR(neon.Imm(8), half[0], half[1])
		f.AND(neon.Imm(255), half[0], half[0])
		block := f.V()
		if scored {
			list.address(scores, stride, p)
			f.FMOVQ(p.At(0), block)
			f.DoTo(op.Sub, block, one, block)
		}
		for i := range half {
			f.VMOVElement(counts.Element(neon.B16, i), count[i])
			numbers, wide, low := f.V(), f.V(), f.V()
			f.FMOVD(table.Index(half[i], 3), numbers)
			if i == 1 {
				f.DoTo(op.Add, numbers, eight, numbers)
			}
			f.VUXTL(neon.B8, numbers, wide)
			f.VUADDW(neon.H4, wide, base, low)
			f.VUADDW2(neon.H8, wide, base, wide)
			f.FSTPQ(low, wide, packed.At(0))
			f.ADD(count[i].LSL(2), packed)
			if scored {
				f.VTBL(neon.B8, numbers, []neon.V{block}, numbers)
				f.FMOVD(numbers, packedScores.At(0))
				f.ADD(count[i], packedScores)
			}
			f.FreeV(numbers, wide, low)
		}
		f.FreeV(base, counts, block)
		list.end(label)
		f.SUB(start, packed)
		f.LSR(neon.Imm(2), packed)
		f.MOVD(packed, f.Place("corners"))
		f.RET()
	}
	f.CBNZ(packedScores, "scoredMask")
	loop("plain", false)
	loop("scored", true)
}

// widen emits the function that turns packed positions into Corners, in steps of four.
func (f *neonFunction) widen() {
	corners := f.Begin("widen")[0]
	requireCorner(f.Points("dst"))
	// VST3 interleaves three neighboring registers.
	x, y, score := f.V(), f.V(), f.V()
	left, top, columns := f.V(), f.V(), f.V()
	f.VMOVI(0, score)
	g := f.R()
	for i, v := range []neon.V{left, top} {
		f.MOVWU(f.Place([]string{"x", "y"}[i]), g)
		f.VDUP(neon.S4, g, v)
	}
	f.MOVD(neon.Bits(0xffff), g)
	f.VDUP(neon.S4, g, columns)
	packed, scores, n := f.Field("packed"), f.Field("packedScores"), f.Field("corners")
	f.SUBS(neon.Imm(4), n, n)
	f.BLT("done")

	f.Comment("The positions of four corners.")
	f.Label("corners")
	f.FMOVQ(packed.Post(16), y)
	f.DoTo(op.And, y, columns, x)
	f.VUSHR(neon.S4, 16, y, y)
	f.DoTo(op.AddLong, x, left, x)
	f.DoTo(op.AddLong, y, top, y)
	f.Comment("Their scores.")
	f.CBZ(scores, "store")
	f.FMOVS(scores.Post(4), score)
	f.VUXTL(neon.B8, score, score)
	f.VUXTL(neon.H4, score, score)
	f.Label("store")
	f.VST3(neon.S4, corners.Post(48), x, y, score)
	f.SUBS(neon.Imm(4), n, n)
	f.BGE("corners")
	f.Label("done")
	f.RET()
}
