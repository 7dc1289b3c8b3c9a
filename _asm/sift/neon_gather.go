package main

import (
	"encoding/binary"
	"math"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// A neonGatherer emits a kernel that gathers samples.
type neonGatherer struct {
	neon.Function
	lists        []neon.R // end where the next sample goes
	count        neon.R   // of the samples that there were at first
	row, at      neon.R   // the pixel of the keypoint's column in that row is at at
	stride       neon.R   // in bytes
	x            neon.R   // the column
	iota, vector neon.V   // floats from 0 to 3, and 4
}

// neonIota defines the table of the floats from 0 to 3.
func neonIota(a *neon.Assembler) {
	var floats []byte
	for i := range 4 {
		floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(float32(i)))
	}
	a.Table("floatIota", floats)
}

// newNEONGatherer begins the function of that name.
func newNEONGatherer(a *neon.Assembler, name string, lists ...string) *neonGatherer {
	g := &neonGatherer{Function: neon.Function{Assembler: a}}
	g.Begin(name)
	g.row, g.at, g.stride, g.count = g.Field("row"), g.Field("center"), g.Field("stride"), g.Field("count")
	offset := g.R()
	g.MUL(g.row, g.stride, offset)
	g.ADD(offset, g.at)
	pix := g.Field("pix")
	g.ADD(g.at.LSL(2), pix, g.at)
	g.FreeR(offset, pix)
	g.LSL(neon.Imm(2), g.stride)
	for _, list := range lists {
		r := g.Field(list)
		g.ADD(g.count.LSL(2), r)
		g.lists = append(g.lists, r)
	}
	g.iota, g.vector = g.LoadTable("floatIota"), g.float(4)
	g.x = g.R()
	return g
}

// float returns a new register with the same float in every place.
func (g *neonGatherer) float(v float32) neon.V { return g.Spread(neon.S4, uint64(math.Float32bits(v))) }

// eachRow emits the loop over the rows that are gathered. body emits what is done with a row, and
// advances the lists and count.
func (g *neonGatherer) eachRow(body func()) {
	end := g.Field("end")
	g.Label("row")
	g.CMP(end, g.row)
	g.BGE("done")
	g.CMP(neon.Imm(batchSize), g.count)
	g.BGE("done")
	g.Scope(body)
	g.Label("next")
	g.ADD(g.stride, g.at)
	g.ADD(neon.Imm(1), g.row)
	g.JMP("row")
	g.Label("done")
	g.MOVD(g.row, g.Place("row"))
	g.MOVD(g.count, g.Place("count"))
	g.RET()
}

// pixel returns a new register that points to the pixel of column x in the row.
func (g *neonGatherer) pixel() neon.R {
	r := g.R()
	g.ADD(g.x.LSL(2), g.at, r)
	return r
}

// gradient returns new registers with the differences of the pixels around those from pixel on,
// which it advances.
func (g *neonGatherer) gradient(pixel neon.R) (dx, dy neon.V) {
	other, v := g.R(), g.V()
	dx, dy = g.V(), g.V()
	g.FMOVQ(pixel.At(4), dx)
	g.FMOVQ(pixel.At(-4), v)
	g.DoTo(op.SubFloat, dx, v, dx)
	g.SUB(g.stride, pixel, other)
	g.FMOVQ(other.At(0), dy)
	g.ADD(g.stride, pixel, other)
	g.FMOVQ(other.At(0), v)
	g.DoTo(op.SubFloat, dy, v, dy)
	g.ADD(neon.Imm(neon.Bytes), pixel)
	g.FreeR(other)
	g.FreeV(v)
	return dx, dy
}

// spread returns a new register with an integer as floats in every place.
func (g *neonGatherer) spread(r neon.R) neon.V {
	v := g.V()
	g.SCVTFS(r, v)
	g.VDUPElement(neon.S4, v.Element(neon.S4, 0), v)
	return v
}

// neonSurroundings emits the function that gathers the samples of a square. Squared distances are
// exact.
func neonSurroundings(a *neon.Assembler) {
	g := newNEONGatherer(a, "surroundings", "dx", "dy", "columns")
	left, right := g.Field("left"), g.Field("right")
	g.eachRow(func() {
		square := g.spread(g.row)
		g.DoTo(op.MulFloat, square, square, square)
		g.MOVD(left, g.x)
		column, pixel := g.spread(g.x), g.pixel()
		g.DoTo(op.AddFloat, column, g.iota, column)
		g.Label("pixels")
		dx, dy := g.gradient(pixel)
		distance := g.Do(op.MulFloat, column, column)
		g.DoTo(op.AddFloat, distance, square, distance)
		for i, v := range []neon.V{dx, dy, distance} {
			g.FMOVQ(v, g.lists[i].Post(neon.Bytes))
		}
		g.DoTo(op.AddFloat, column, g.vector, column)
		g.ADD(neon.Imm(neon.Bytes/4), g.x)
		g.ADD(neon.Imm(neon.Bytes/4), g.count)
		g.CMP(right, g.x)
		g.BLE("pixels")
		g.Comment("The last vector reached beyond the row.")
		beyond := g.R()
		g.SUB(right, g.x, beyond)
		g.SUB(neon.Imm(1), beyond)
		g.SUB(beyond, g.count)
		for _, list := range g.lists {
			g.SUB(beyond.LSL(2), list)
		}
	})
}

// neonPatch emits the function that gathers the samples of a turned square. The ends of the part of
// a row that lies in it are computed with a margin of a hundredth of a cell, and then each pixel
// is tested.
func neonPatch(a *neon.Assembler) {
	const margin = 2.51
	g := newNEONGatherer(a, "patch", "dx", "dy", "columns", "rows")
	var rotations []byte // of VTBL: those of 16 from 4*i on move float i to the front
	for i := range 2 * neon.Bytes {
		rotations = append(rotations, byte(i%neon.Bytes))
	}
	a.Table("rotations", rotations)
	table := g.R()
	g.MOVD(neon.Address("rotations"), table)
	cos, sin := g.Broadcast("cos"), g.Broadcast("sin")
	two, half, low, high := g.float(2), g.float(.5), g.float(-1), g.float(4)
	sides := [2]neon.V{g.float(-margin), g.float(margin)}
	sign := g.Spread(neon.S4, 1<<31)
	inverses := [2]neon.V{g.Broadcast("inverseCos"), g.Broadcast("inverseSin")}
	ends := [2]neon.R{g.Field("left"), g.Field("right")}
	end := g.R()
	g.eachRow(func() {
		g.Comment("Where the line of the row crosses the sides of the square.")
		y := g.spread(g.row)
		bySin, byCos := g.Do(op.MulFloat, y, sin), g.Do(op.MulFloat, y, cos)
		limits := [2]neon.V{g.V(), g.V()} // the least and the greatest column
		for i, r := range ends {
			g.SCVTFS(r, limits[i])
		}
		for i, inverse := range inverses {
			g.Scope(func() {
				ends := [2]neon.V{g.V(), g.V()}
				for j, v := range ends {
					if i == 0 {
						g.FADDS(bySin, sides[j], v)
					} else {
						g.FSUBS(byCos, sides[j], v)
					}
					g.FMULS(inverse, v, v)
				}
				least, greatest := g.V(), g.V()
				g.FMINS(ends[0], ends[1], least)
				g.FMAXS(ends[0], ends[1], greatest)
				g.FMAXNMS(least, limits[0], limits[0])
				g.FMINNMS(greatest, limits[1], limits[1])
			})
		}
		g.FRINTPS(limits[0], limits[0])
		g.FRINTMS(limits[1], limits[1])
		g.FCVTZSS(limits[0], g.x)
		g.FCVTZSS(limits[1], end)
		g.CMP(end, g.x)
		g.BGT("next")
		g.DoTo(op.Xor, bySin, sign, bySin)
		column, last, pixel := g.spread(g.x), g.spread(end), g.pixel()
		g.DoTo(op.AddFloat, column, g.iota, column)

		g.Label("pixels")
		c, r := g.V(), g.V()
		g.VMOV(bySin, c)
		g.VFMLA(neon.S4, column, cos, c)
		g.VMOV(byCos, r)
		g.VFMLA(neon.S4, column, sin, r)
		in := g.Do(op.NotLessFloat, last, column)
		g.Scope(func() {
			least, greatest := g.V(), g.V()
			for i, v := range []neon.V{c, r} {
				cell := g.Do(op.AddFloat, v, two)
				g.DoTo(op.SubFloat, cell, half, cell)
				if i == 0 {
					g.VMOV(cell, least)
					g.VMOV(cell, greatest)
				} else {
					g.Multiply(neon.MinFloats, cell, least, least)
					g.Multiply(neon.MaxFloats, cell, greatest, greatest)
				}
			}
			g.DoTo(op.GreaterFloat, least, low, least)
			g.DoTo(op.GreaterFloat, high, greatest, greatest)
			g.DoTo(op.And, in, least, in)
			g.DoTo(op.And, in, greatest, in)
		})
		dx, dy := g.gradient(pixel)
		g.keep(in, table, dx, dy, c, r)
		g.DoTo(op.AddFloat, column, g.vector, column)
		g.ADD(neon.Imm(neon.Bytes/4), g.x)
		g.CMP(end, g.x)
		g.BLE("pixels")
	})
}

// keep stores those of the vectors whose pixels are in the patch, which are neighbors, and counts
// them.
func (g *neonGatherer) keep(in neon.V, table neon.R, vectors ...neon.V) {
	g.Comment("The bits of four pixels, 16 of each, tell the first one and their number.")
	bits, first, n := g.R(), g.R(), g.R()
	g.VUZP1(neon.H8, in, in, in)
	g.FMOVD(in, bits)
	g.RBIT(bits, first)
	g.CLZ(first, first)
	g.LSR(neon.Imm(4), first)
	order := g.V()
	g.ADD(first.LSL(2), table, first)
	g.FMOVQ(first.At(0), order)
	g.VCNT(neon.B8, in, in)
	g.VADDV(neon.B8, in, in)
	g.FMOVD(in, n)
	g.LSR(neon.Imm(4), n)
	for i, v := range vectors {
		g.VTBL(neon.B16, order, []neon.V{v}, v)
		g.FMOVQ(v, g.lists[i].At(0))
		g.ADD(n.LSL(2), g.lists[i])
	}
	g.ADD(n, g.count)
}
