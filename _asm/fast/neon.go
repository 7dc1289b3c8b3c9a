package main

import (
	"fmt"
	"math/bits"

	"github.com/fastcorners/fast/_asm/internal/neon"
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
	f.I("ADD %v, %v", i, p)
	f.FreeR(i)
	return p
}

// bits turns v, whose bytes have all bits or none, into a mask of 16 bits. The bits behind
// them are arbitrary.
func (f *neonFunction) bits(v, byteBits neon.V) {
	f.DoTo(neon.And, v, byteBits, v)
	for range 3 {
		f.DoTo(neon.AddPairs, v, v, v)
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
	f.I("ADD %v<<1, %v, %v", stride, stride, stride3)

	// Rows without a gap between them are treated as one.
	f.I("LSL $4, %v, %v", width, n)
	f.I("CMP %v, %v", stride, n)
	f.I("CSEL EQ, %v, %v, %v", left, width, width)

	f.Label("row")
	f.I("CMP %v, %v", left, width)
	f.I("CSEL GT, %v, %v, %v // the last row may lack blocks", left, width, width)
	f.I("MOVD %v, %v", width, n)
	above, below, west, east, centre := f.R(), f.R(), f.R(), f.R(), f.R()
	f.I("SUB %v, %v, %v", stride3, pix, above)
	f.I("ADD %v, %v, %v", stride3, pix, below)
	f.I("SUB $%d, %v, %v", radius, pix, west)
	f.I("ADD $%d, %v, %v", radius, pix, east)
	f.I("MOVD %v, %v", pix, centre)
	rows := [5]neon.R{above, below, west, east, centre}
	f.Each(n, "", 4, func(count int) {
		if count == 1 {
			var block [5]neon.V
			for i, p := range rows {
				block[i] = f.V()
				f.I("FMOVQ.P 16(%v), F%d", p, block[i])
			}
			mask := f.screenBlock(block, threshold, arc12)
			f.bits(mask, byteBits)
			f.I("FMOVD.P F%d, 8(%v)", mask, grid)
			f.FreeV(mask)
			return
		}
		var masks [4]neon.V
		for i := 0; i < len(masks); i += 2 {
			var blocks [2][5]neon.V
			for k, p := range rows {
				blocks[0][k], blocks[1][k] = f.V(), f.V()
				f.I("FLDPQ.P 32(%v), (F%d, F%d)", p, blocks[0][k], blocks[1][k])
			}
			for k, block := range blocks {
				masks[i+k] = f.screenBlock(block, threshold, arc12)
				f.DoTo(neon.And, masks[i+k], byteBits, masks[i+k])
			}
			f.DoTo(neon.AddPairs, masks[i], masks[i+1], masks[i])
		}
		f.DoTo(neon.AddPairs, masks[0], masks[2], masks[0])
		f.DoTo(neon.AddPairs, masks[0], masks[0], masks[0])
		f.I("VTBL %v.B16, [%v.B16], %v.B16", last, masks[0], masks[1])
		f.I("VTBL %v.B16, [%v.B16], %v.B16", first, masks[0], masks[0])
		f.I("FSTPQ.P (F%d, F%d), 32(%v)", masks[0], masks[1], grid)
		f.FreeV(masks[:]...)
	})
	f.I("ADD %v, %v", stride, pix)
	f.I("SUBS %v, %v, %v", width, left, left)
	f.I("BNE row")
	f.I("RET")
}

// screenBlock returns a vector with all bits set in the bytes of pixels that cannot be
// corners. block has the pixels above, below, to the left and to the right of a block, and
// its own; their registers become free.
func (f *neonFunction) screenBlock(block [5]neon.V, threshold neon.V, arc12 bool) neon.V {
	above, below, west, east, centre := block[0], block[1], block[2], block[3], block[4]
	most, mostBeside := f.Do(neon.Max, above, below), f.Do(neon.Max, west, east)
	least, leastBeside := above, west
	f.DoTo(neon.Min, above, below, least)
	f.DoTo(neon.Min, west, east, leastBeside)
	f.DoTo(neon.Min, most, mostBeside, most)
	f.DoTo(neon.Max, least, leastBeside, least)
	if arc12 {
		f.DoTo(neon.Min, most, least, mostBeside)
		f.DoTo(neon.Max, most, least, least)
		most, mostBeside = mostBeside, most
	}
	f.DoTo(neon.SubSat, most, centre, most)
	f.DoTo(neon.SubSat, centre, least, least)
	f.DoTo(neon.Max, most, least, most)
	f.DoTo(neon.NotLower, threshold, most, most)
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
	l.I("PCALIGN $32")
	l.Label(label)
	l.I("MOVWU.P 4(%v), %v", l.origins, l.origin)
	l.I("LSR $16, %v, %v", l.origin, l.row)
}

// address makes p the address of the pixel, or of the score, at the origin.
func (l neonList) address(base, stride, p neon.R) {
	l.I("ADD %v.UXTH, %v, %v", l.origin, base, p)
	l.I("MADD %v, %v, %v, %v", stride, p, l.row, p)
}

// end ends the loop.
func (l neonList) end(label string) {
	l.I("SUBS $1, %v, %v", l.count, l.count)
	l.I("BNE %s", label)
}

// keep clears the bits of the next mask for which the bytes of v have no bits, and returns
// the mask in v.
func (l neonList) keep(v, byteBits neon.V) neon.V {
	mask := l.V()
	l.I("FMOVD (%v), F%d", l.masks, mask)
	l.bits(v, byteBits)
	l.I("VAND %v.B8, %v.B8, %v.B8", mask, v, v)
	l.I("FMOVD.P F%d, 8(%v)", v, l.masks)
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
	f.I("ADD %v<<1, %v, %v", stride, stride, stride3)
	var rows [2*radius + 1]neon.R
	for i := range rows {
		rows[i] = f.R()
	}

	list.begin("block")
	list.address(pix, stride, rows[radius])
	for i, distance := range []string{stride.String(), stride.String() + "<<1", stride3.String()} {
		f.I("SUB %s, %v, %v", distance, rows[radius], rows[radius-1-i])
		f.I("ADD %s, %v, %v", distance, rows[radius], rows[radius+1+i])
	}
	best := compute(arcTest(n, true), func(v *value) neon.V {
		p := ring[v.pixel]
		return f.Load(rows[radius+p.y], p.x)
	}, f.operation)
	corners := list.keep(f.Do(neon.Higher, best, threshold), byteBits)
	f.I("CBZ %v, next", scores)
	// Each byte gets the eight bits that include its own, and then only its own.
	f.I("VTBL %v.B16, [%v.B16], %v.B16", byteOrder, corners, corners)
	f.DoTo(neon.Test, corners, byteBits, corners)
	f.DoTo(neon.And, best, corners, best)
	list.address(scores, scoreStride, rows[radius])
	f.I("FMOVQ F%d, (%v)", best, rows[radius])
	f.Label("next")
	list.end("block")
	f.I("RET")
}

// operation emits an operation of a network.
func (f *neonFunction) operation(op operation, x, y operand[neon.V]) neon.V {
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
	switch op {
	case notAbove:
		f.DoTo(neon.NotLower, y.place, x.place, dst)
	default:
		binary := map[operation]neon.Binary{minimum: neon.Min, maximum: neon.Max, subtract: neon.SubSat, flip: neon.Xor}[op]
		f.DoTo(binary, x.place, y.place, dst)
	}
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
	list.address(scores, stride, here)
	f.I("SUB %v, %v, %v", stride, here, above)
	f.I("ADD %v, %v, %v", stride, here, below)
	most := func(v neon.V, row neon.R, x int) {
		other := f.Load(row, x)
		f.DoTo(neon.Max, v, other, v)
		f.FreeV(other)
	}
	earlier, later := f.Load(above, -1), f.Load(here, 1)
	for x := range 3 {
		most(later, below, x-1)
	}
	f.DoTo(neon.SubSat, later, tie, later)
	most(earlier, above, 0)
	most(earlier, above, 1)
	most(earlier, here, -1)
	f.DoTo(neon.Max, earlier, later, earlier)
	list.keep(f.Do(neon.Higher, f.Load(here, 0), earlier), byteBits)
	list.end("block")
	f.I("RET")
}

// wipe emits the function that sets the scores of blocks to zero.
func (f *neonFunction) wipe() {
	f.Begin("wipe")
	list := f.list()
	scores, stride, p, zero := f.Field("scores"), f.Field("scoreStride"), f.R(), f.V()
	f.I("VMOVI $0, %v.B16", zero)
	list.begin("block")
	list.address(scores, stride, p)
	f.I("FMOVQ F%d, (%v)", zero, p)
	list.end("block")
	f.I("RET")
}

// compact emits the function that lists the masks that are not zero. Every mask is stored
// at the end of the list, which then grows unless the mask is zero, without a branch.
func (f *neonFunction) compact() {
	f.Begin("compact")
	from, n := f.Field("from"), f.Len("from")
	fromOrigins, allowed := f.Field("fromOrigins"), f.Field("allowed")
	masks, origins, k := f.Field("masks"), f.Field("origins"), f.R()
	f.I("MOVD $0, %v", k)
	mask, limit, origin := [2]neon.R{f.R(), f.R()}, [2]neon.R{f.R(), f.R()}, [2]neon.R{f.R(), f.R()}
	// loop emits the loop over the masks. Its labels begin with prefix.
	loop := func(prefix string, limited bool) {
		f.Each(n, prefix, 4, func(count int) {
			for i := 0; i < count; i += 2 {
				both := min(count, 2)
				if both == 2 {
					f.I("LDP.P 16(%v), (%v, %v)", from, mask[0], mask[1])
					f.I("LDPW.P 8(%v), (%v, %v)", fromOrigins, origin[0], origin[1])
				} else {
					f.I("MOVD.P 8(%v), %v", from, mask[0])
					f.I("MOVWU.P 4(%v), %v", fromOrigins, origin[0])
				}
				switch {
				case limited && both == 2:
					f.I("LDP.P 16(%v), (%v, %v)", allowed, limit[0], limit[1])
				case limited:
					f.I("MOVD.P 8(%v), %v", allowed, limit[0])
				}
				for i := range both {
					if limited {
						f.I("BICS %v, %v, %v", mask[i], limit[i], mask[i])
					} else {
						f.I("CMP $0, %v", mask[i])
					}
					f.I("MOVD %v, (%v)(%v<<3)", mask[i], masks, k)
					f.I("MOVW %v, (%v)(%v<<2)", origin[i], origins, k)
					f.I("CINC NE, %v, %v", k, k)
				}
			}
		})
	}
	f.I("CBZ %v, all", allowed)
	loop("limited", true)
	f.I("JMP end")
	f.Label("all")
	loop("all", false)
	f.Label("end")
	f.I("MOVD %v, %s", k, f.Place("count"))
	f.I("RET")
}

// pack emits the function that lists the positions in masks. A table has the numbers of
// the bits that are set in each byte. Eight are always stored, and the next byte overwrites
// those beyond the bits.
func (f *neonFunction) pack() {
	f.Begin("pack")
	list := f.list()
	packed, start := f.Field("packed"), f.R()
	f.I("MOVD %v, %v", packed, start)
	packedScores, scores, stride := f.Field("packedScores"), f.Field("scores"), f.Field("scoreStride")
	table := f.R()
	f.I("MOVD $bitNumbers<>(SB), %v", table)
	eight, one := f.V(), f.V()
	f.I("VMOVI $8, %v.B16", eight)
	f.I("VMOVI $1, %v.B16", one)
	// For the two bytes of a mask.
	half, count := [2]neon.R{f.R(), f.R()}, [2]neon.R{f.R(), f.R()}
	p := f.R()

	// loop emits the loop over the masks. Its labels begin with prefix.
	loop := func(prefix string, scored bool) {
		label := prefix + "Mask"
		list.begin(label)
		base, counts := f.V(), f.V()
		f.I("VDUP %v, %v.S4", list.origin, base)
		f.I("FMOVD (%v), F%d", list.masks, counts)
		f.I("VCNT %v.B8, %v.B8", counts, counts)
		f.I("MOVD.P 8(%v), %v", list.masks, half[0])
		f.I("LSR $8, %v, %v", half[0], half[1])
		f.I("AND $255, %v, %v", half[0], half[0])
		block := f.V()
		if scored {
			list.address(scores, stride, p)
			f.I("FMOVQ (%v), F%d", p, block)
			f.DoTo(neon.Sub, block, one, block)
		}
		for i := range half {
			f.I("VMOV %v.B[%d], %v", counts, i, count[i])
			numbers, wide, low := f.V(), f.V(), f.V()
			f.I("FMOVD (%v)(%v<<3), F%d", table, half[i], numbers)
			if i == 1 {
				f.DoTo(neon.Add, numbers, eight, numbers)
			}
			f.I("VUXTL %v.B8, %v.H8", numbers, wide)
			f.I("VUADDW %v.H4, %v.S4, %v.S4", wide, base, low)
			f.I("VUADDW2 %v.H8, %v.S4, %v.S4", wide, base, wide)
			f.I("FSTPQ (F%d, F%d), (%v)", low, wide, packed)
			f.I("ADD %v<<2, %v", count[i], packed)
			if scored {
				f.I("VTBL %v.B8, [%v.B16], %v.B8", numbers, block, numbers)
				f.I("FMOVD F%d, (%v)", numbers, packedScores)
				f.I("ADD %v, %v", count[i], packedScores)
			}
			f.FreeV(numbers, wide, low)
		}
		f.FreeV(base, counts, block)
		list.end(label)
		f.I("SUB %v, %v", start, packed)
		f.I("LSR $2, %v", packed)
		f.I("MOVD %v, %s", packed, f.Place("corners"))
		f.I("RET")
	}
	f.I("CBNZ %v, scoredMask", packedScores)
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
	f.I("VMOVI $0, %v.B16", score)
	g := f.R()
	for i, v := range []neon.V{left, top} {
		f.I("MOVWU %s, %v", f.Place([]string{"x", "y"}[i]), g)
		f.I("VDUP %v, %v.S4", g, v)
	}
	f.I("MOVD $0xffff, %v", g)
	f.I("VDUP %v, %v.S4", g, columns)
	packed, scores, n := f.Field("packed"), f.Field("packedScores"), f.Field("corners")
	f.I("SUBS $4, %v, %v", n, n)
	f.I("BLT done")

	f.Label("corners")
	f.I("FMOVQ.P 16(%v), F%d", packed, y)
	f.DoTo(neon.And, y, columns, x)
	f.I("VUSHR $16, %v.S4, %v.S4", y, y)
	f.DoTo(neon.AddLong, x, left, x)
	f.DoTo(neon.AddLong, y, top, y)
	f.I("CBZ %v, store", scores)
	f.I("FMOVS.P 4(%v), F%d", scores, score)
	f.I("VUXTL %v.B8, %v.H8", score, score)
	f.I("VUXTL %v.H4, %v.S4", score, score)
	f.Label("store")
	f.I("VST3.P [%v.S4, %v.S4, %v.S4], 48(%v)", x, y, score, corners)
	f.I("SUBS $4, %v, %v", n, n)
	f.I("BGE corners")
	f.Label("done")
	f.I("RET")
}
