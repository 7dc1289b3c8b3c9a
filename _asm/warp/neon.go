package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// neonGroup is the number of pixels that the functions for NEON make at a time.
const neonGroup = 8

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	f := &neonFunction{neon.Function{Assembler: a}}
	for pair := range neonGroup / 2 {
		table := make([]byte, neon.Bytes)
		for i := range table {
			table[i] = byte(2*pair + i/8)
		}
		f.Table(pairTable(pair), table)
	}
	var columns []byte
	for _, column := range []float64{0, 1, 2, 3} {
		columns = binary.LittleEndian.AppendUint64(columns, math.Float64bits(column))
	}
	f.Table("columns", columns)
	f.Table("left16", neighbor16(0))
	f.Table("right16", neighbor16(2))
	f.Table("swap16", []byte{1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14})
	for _, size := range []int{1, 2, 4} {
		f.sample("linear", size)
		f.sample("nearest", size)
	}
	f.project()
	f.scale()
	f.unpack()
	f.resize()
}

// neighbor16 returns a table that takes one of two pixels of 16 bits, of which the upper byte comes
// first in memory, as numbers of 32 bits: the one that begins at a byte.
func neighbor16(first byte) []byte {
	var table []byte
	for i := first; i < neon.Bytes; i += 4 {
		table = append(table, i+1, i, 0xff, 0xff)
	}
	return table
}

// pairTable returns the name of a table for eight times the first byte of a pair and then eight
// times the second one.
func pairTable(pair int) string { return fmt.Sprint("pair", pair) }

// A neonFunction is a function for NEON.
type neonFunction struct{ neon.Function }

// repeatField returns a register with a field of eight bytes in both places.
func (f *neonFunction) repeatField(name string) neon.V {
	r, v := f.Field(name), f.V()
	f.VDUP(neon.D2, r, v)
	f.FreeR(r)
	return v
}

// A neonSampler emits a function that makes a row of pixels, the last of which are made twice
// if they do not fill a group.
type neonSampler struct {
	*neonFunction
	linear bool
	size   int // the bytes of a pixel

	pix, stride, to neon.R
	right, bottom   neon.V // the number of columns and rows that are inside
	step            neon.V // the stride
	// Numbers of the weights of linear: 31 and 32 in words, and 32 in bytes.
	mask, words, bytes neon.V
	pairs              [neonGroup / 2]neon.V

	deep deepConstants
}

// deepConstants are what linear needs for pixels of 16 bits.
type deepConstants struct {
	left, right, swap    neon.V // tables
	mask                 neon.V // 31 in numbers of 32 bits
	columns, rows, share neon.V // floats: 32, 1/32 and 1/1024
}

// sample emits the function that makes pixels of some bytes, by linear interpolation or of the
// nearest ones.
func (f *neonFunction) sample(kind string, size int) {
	s := &neonSampler{neonFunction: f, linear: kind == "linear", size: size}
	f.Begin(kind + sampleNames[size])
	s.pix, s.stride, s.to = f.Field("pix"), f.Field("stride"), f.Field("to")
	x, y, left := f.Field("x"), f.Field("y"), f.Field("n")
	x0, y0, first, top := f.Broadcast("x0"), f.Broadcast("y0"), f.Broadcast("left"), f.Broadcast("top")
	s.right, s.bottom, s.step = f.Broadcast("right"), f.Broadcast("bottom"), f.Broadcast("stride")
	shift, shiftAll := f.V(), neon.V(-1)
	r := f.Field("shift")
	f.NEG(r, r)
	f.VDUP(neon.S4, r, shift)
	if s.linear {
		shiftAll = f.V()
		f.SUB(neon.Imm(5), r)
		f.VDUP(neon.S4, r, shiftAll)
		s.constants()
	} else {
		one := f.Spread(neon.S4, 1)
		f.DoTo(op.AddLong, s.right, one, s.right)
		f.DoTo(op.AddLong, s.bottom, one, s.bottom)
		f.FreeV(one)
	}
	f.FreeR(r)
	f.SUB(neon.Imm(neonGroup), left)

	f.Comment("The places of a group of pixels.")
	f.Loop("group")
	f.Scope(func() {
		var px, py, columns, rows [2]neon.V
		for _, axis := range []struct {
			from               neon.R
			origin, begin      neon.V
			places, coordinate *[2]neon.V
		}{{x, x0, first, &px, &columns}, {y, y0, top, &py, &rows}} {
			places, coordinates := axis.places, axis.coordinate
			for i := range places {
				places[i], coordinates[i] = f.V(), f.V()
			}
			f.FLDPQ(axis.from.Post(2*neon.Bytes), places[0], places[1])
			for i, v := range places {
				f.DoTo(op.AddLong, v, axis.origin, v)
				if s.linear {
					f.DoTo(op.ShiftLong, v, shiftAll, coordinates[i])
				}
				f.DoTo(op.ShiftLong, v, shift, v)
				from := coordinates[i]
				if !s.linear {
					from = v
				}
				f.DoTo(op.SubLong, from, axis.begin, coordinates[i])
			}
		}
		f.Comment("Are all inside?")
		f.Scope(func() {
			column, row, r := f.Do(op.MaxLong, columns[0], columns[1]), f.Do(op.MaxLong, rows[0], rows[1]), f.R()
			f.DoTo(op.HigherLong, s.right, column, column)
			f.DoTo(op.HigherLong, s.bottom, row, row)
			f.DoTo(op.And, column, row, column)
			s.bits(column, r)
			f.CMN(neon.Imm(1), r)
			f.BNE("mixed")
		})
		f.Scope(func() { s.make(columns, rows, px, py) })
		f.Label("next")
		f.CBZ(left, "done")
		f.SUBS(neon.Imm(neonGroup), left, left)
		f.BGE("group")
		for _, p := range []neon.R{x, y} {
			f.ADD(left.LSL(2), p, p)
		}
		f.ADD(left.LSL(s.shift()), s.to, s.to)
		f.MOVD(neon.Imm(0), left)
		f.JMP("group")

		f.Comment("Some are not inside.")
		f.Label("mixed")
		s.mixed(columns, rows, left)
		f.JMP("next")
	})
	f.Label("done")
	f.RET()
}

// constants sets what linear needs.
func (s *neonSampler) constants() {
	if s.size == 2 {
		float := func(v float32) neon.V { return s.Spread(neon.S4, uint64(math.Float32bits(v))) }
		s.deep = deepConstants{
			s.LoadTable("left16"), s.LoadTable("right16"), s.LoadTable("swap16"),
			s.Spread(neon.S4, 31), float(32), float(1. / 32), float(1. / 1024),
		}
		return
	}
	s.mask, s.words, s.bytes = s.Spread(neon.H8, 31), s.Spread(neon.H8, 32), s.Spread(neon.B16, 32)
	if s.size == 4 {
		for i := range s.pairs {
			s.pairs[i] = s.LoadTable(pairTable(i))
		}
	}
}

// shift returns the size of a pixel as a power of two.
func (s *neonSampler) shift() int { return bits.TrailingZeros(uint(s.size)) }

// bits sets r to the lower halves of the numbers of 32 bits in v, which is overwritten.
func (s *neonSampler) bits(v neon.V, r neon.R) {
	s.VUZP1(neon.H8, v, v, v)
	s.FMOVD(v, r)
}

// make makes the pixels of a group that is inside.
func (s *neonSampler) make(columns, rows, px, py [2]neon.V) {
	var offsets [neonGroup / 2]neon.R // two in each
	for i := range columns {
		if s.size > 1 {
			s.VSHL(neon.S4, s.shift(), columns[i], columns[i])
		}
		s.Multiply(neon.AddLongProducts, rows[i], s.step, columns[i])
		offsets[2*i], offsets[2*i+1] = s.R(), s.R()
		s.FMOVD(columns[i], offsets[2*i])
		s.VMOVElement(columns[i].Element(neon.D2, 1), offsets[2*i+1])
	}
	p := s.R()
	// at makes p the address of pixel i.
	at := func(i int) {
		if i%2 == 0 {
			s.ADD(offsets[i/2].UXTW(), s.pix, p)
		} else {
			s.ADD(offsets[i/2].LSR(32), s.pix, p)
		}
	}
	// load loads a pixel, or two neighbors, into place i of v. If the next row is needed,
	// p moves on to it. The first place is loaded into all of them, so that no load waits for
	// what v was. Each of the others waits for the one before it, so that v has no more than
	// four.
	load := func(v neon.V, places neon.Lanes, i int, next bool) {
		from := p.At(0)
		if next {
			from = p.PostBy(s.stride)
		}
		if i == 0 {
			s.VLD1R(places, from, v)
		} else {
			s.VLD1(from, v.Element(places, i))
		}
	}
	switch {
	case !s.linear && s.size < 4:
		one, four := neon.B16, neon.S4
		if s.size == 2 {
			one, four = neon.H8, neon.D2
		}
		v := [2]neon.V{s.V(), s.V()}
		for i := range neonGroup {
			at(i)
			load(v[i/4], one, i%4, false)
		}
		s.VZIP1(four, v[1], v[0], v[0])
		s.storeNarrow(v[0])
		return
	case !s.linear:
		v := [2]neon.V{s.V(), s.V()}
		for i := range neonGroup {
			at(i)
			load(v[i/4], neon.S4, i%4, false)
		}
		s.FSTPQ(v[0], v[1], s.to.Post(4*neonGroup))
		return
	}
	s.FreeV(columns[:]...)
	s.FreeV(rows[:]...)
	// neighbors returns the two neighbors of each pixel in the upper and in the lower row.
	neighbors := func(places neon.Lanes) (upper, lower [2]neon.V) {
		upper, lower = [2]neon.V{s.V(), s.V()}, [2]neon.V{s.V(), s.V()}
		for i := range neonGroup {
			at(i)
			load(upper[i/4], places, i%4, true)
			load(lower[i/4], places, i%4, false)
		}
		return upper, lower
	}
	if s.size == 2 {
		upper, lower := neighbors(neon.S4)
		s.blend16(px, py, upper, lower)
		return
	}
	// The fractions of the places, in words.
	fractions := func(places [2]neon.V) neon.V {
		s.VUZP1(neon.H8, places[1], places[0], places[0])
		s.DoTo(op.And, places[0], s.mask, places[0])
		s.FreeV(places[1])
		return places[0]
	}
	fx, fy := fractions(px), fractions(py)
	if s.size == 4 {
		s.blendColor(fx, fy, func(upper, lower neon.V, i, place int) {
			at(i)
			load(upper, neon.D2, place, true)
			load(lower, neon.D2, place, false)
		})
		return
	}
	upper, lower := neighbors(neon.H8)
	for _, v := range [][2]neon.V{upper, lower} {
		s.VZIP1(neon.D2, v[1], v[0], v[0])
	}
	s.blendGray(fx, fy, upper[0], lower[0])
}

// storeNarrow stores a group of pixels of one byte or two.
func (s *neonSampler) storeNarrow(v neon.V) {
	if s.size == 2 {
		s.FMOVQ(v, s.to.Post(neon.Bytes))
	} else {
		s.FMOVD(v, s.to.Post(neonGroup))
	}
}

// blend16 stores a group of 16 bits, in float32 as the portable function does, without fused
// operations. upper and lower are two neighbors for each pixel, and px and py the places of four
// pixels each, which are overwritten.
func (s *neonSampler) blend16(px, py, upper, lower [2]neon.V) {
	c := &s.deep
	var left, top, sum [2]neon.V
	for i := range px {
		for _, p := range []neon.V{px[i], py[i]} {
			s.DoTo(op.And, p, c.mask, p)
			s.ChangeTo(neon.ToFloat, p, p)
		}
		s.DoTo(op.MulFloat, py[i], c.share, py[i])
		left[i], top[i] = s.Do(op.SubFloat, c.columns, px[i]), s.Do(op.SubFloat, c.rows, py[i])
	}
	for n, term := range []struct {
		from        [2]neon.V
		table       neon.V
		column, row [2]neon.V
	}{{upper, c.left, left, top}, {upper, c.right, px, top}, {lower, c.left, left, py}, {lower, c.right, px, py}} {
		for i := range sum {
			v, w := s.V(), s.Do(op.MulFloat, term.column[i], term.row[i])
			s.VTBL(neon.B16, term.table, []neon.V{term.from[i]}, v)
			s.ChangeTo(neon.ToFloat, v, v)
			s.DoTo(op.MulFloat, v, w, v)
			s.FreeV(w)
			if n == 0 {
				sum[i] = v
				continue
			}
			s.DoTo(op.AddFloat, sum[i], v, sum[i])
			s.FreeV(v)
		}
	}
	for _, v := range sum {
		s.ChangeTo(neon.Round, v, v)
	}
	s.VUZP1(neon.H8, sum[1], sum[0], sum[0])
	s.VTBL(neon.B16, c.swap, []neon.V{sum[0]}, sum[0])
	s.storeNarrow(sum[0])
}

// blendGray stores a group of one channel. upper and lower are two neighbors for each pixel.
func (s *neonSampler) blendGray(fx, fy, upper, lower neon.V) {
	s.VUZP1(neon.B16, fx, fx, fx) // twice
	gx, gy := s.Do(op.Sub, s.bytes, fx), s.Do(op.SubWord, s.words, fy)
	first, second := s.V(), s.V()
	s.VUZP1(neon.B16, lower, upper, first)
	s.VUZP2(neon.B16, lower, upper, second)
	s.Multiply(neon.ByteProducts, first, gx, upper)
	s.Multiply(neon.LastByteProducts, first, gx, lower)
	s.Multiply(neon.AddByteProducts, second, fx, upper)
	s.Multiply(neon.AddLastByteProducts, second, fx, lower)
	s.blend(upper, lower, gy, fy, first, second)
	s.VUZP1(neon.B16, first, first, first)
	s.storeNarrow(first)
}

// blend sets to to x*a + y*b without their last 10 bits, rounded. all is overwritten.
func (s *neonSampler) blend(x, y, a, b, to, all neon.V) {
	s.Multiply(neon.LastProducts, x, a, all)
	s.Multiply(neon.Products, x, a, to)
	s.Multiply(neon.AddLastProducts, y, b, all)
	s.Multiply(neon.AddProducts, y, b, to)
	s.ChangeTo(neon.Without10, to, to)
	s.ChangeTo(neon.LastWithout10, all, to)
}

// blendColor stores a group of four channels. load loads the neighbors of pixel i.
func (s *neonSampler) blendColor(fx, fy neon.V, load func(upper, lower neon.V, i, place int)) {
	for _, v := range []neon.V{fx, fy} {
		s.VUZP1(neon.B16, v, v, v)
	}
	var out [2]neon.V
	for i, pair := range s.pairs {
		made := s.V()
		s.Scope(func() {
			upper, lower, a, b := s.V(), s.V(), s.V(), s.V()
			load(upper, lower, 2*i, 0)
			load(upper, lower, 2*i+1, 1)
			s.VTBL(neon.B16, pair, []neon.V{fy}, b)
			s.DoTo(op.Sub, s.bytes, b, a)
			// The left and the right neighbor of the first pixel, and of the second one.
			s.Multiply(neon.ByteProducts, upper, a, made)
			s.Multiply(neon.LastByteProducts, upper, a, upper)
			s.Multiply(neon.AddByteProducts, lower, b, made)
			s.Multiply(neon.AddLastByteProducts, lower, b, upper)
			s.VTBL(neon.B16, pair, []neon.V{fx}, b)
			s.DoTo(op.And, b, s.mask, b) // in words
			s.DoTo(op.SubWord, s.words, b, a)
			s.VTRN1(neon.D2, upper, made, lower)
			s.VTRN2(neon.D2, upper, made, upper)
			s.blend(lower, upper, a, b, made, s.V())
		})
		if i%2 == 0 {
			out[i/2] = made
			continue
		}
		s.VUZP1(neon.B16, made, out[i/2], out[i/2])
		s.FreeV(made)
	}
	s.FSTPQ(out[0], out[1], s.to.Post(4*neonGroup))
}

// mixed is for a group that has pixels which are not inside. If all are what lies outside, it
// stores that, and otherwise it appends its pixels to outer. left is the number of pixels before
// the last group.
func (s *neonSampler) mixed(columns, rows [2]neon.V, left neon.R) {
	r := s.Field("constant")
	s.CBZ(r, "append")
	var all neon.V
	for i := range columns {
		c, row := columns[i], rows[i]
		right, bottom := s.right, s.bottom
		if s.linear {
			s.Comment("Columns from -1 to right use pixels.")
			one := s.Spread(neon.S4, 1)
			right, bottom = s.V(), s.V()
			for _, v := range [][3]neon.V{{c, one, c}, {row, one, row}, {s.right, one, right}, {s.bottom, one, bottom}} {
				s.DoTo(op.AddLong, v[0], v[1], v[2])
			}
			s.DoTo(op.AddLong, right, one, right)
			s.DoTo(op.AddLong, bottom, one, bottom)
			s.FreeV(one)
		}
		s.DoTo(op.HigherLong, right, c, c)
		s.DoTo(op.HigherLong, bottom, row, row)
		s.DoTo(op.And, c, row, c)
		if i > 0 {
			s.DoTo(op.Or, all, c, c)
		}
		all = c
		if s.linear {
			s.FreeV(right, bottom)
		}
	}
	s.bits(all, r)
	s.CBNZ(r, "append")
	value := s.V()
	s.MOVWU(s.Place("value"), r)
	s.VDUP(map[int]neon.Lanes{1: neon.B16, 2: neon.H8, 4: neon.S4}[s.size], r, value)
	if s.size == 4 {
		s.FSTPQ(value, value, s.to.Post(4*neonGroup))
	} else {
		s.storeNarrow(value)
	}
	s.JMP("next")

	s.Comment("The numbers of the pixels, which are left to others.")
	s.Label("append")
	outer, n := s.Field("outer"), s.Field("outers")
	s.MOVD(s.Place("n"), r)
	s.SUB(neon.Imm(neonGroup), r)
	s.SUB(left, r)
	s.ADD(n.LSL(2), outer, outer)
	for range neonGroup {
		s.MOVW(r, outer.Post(4))
		s.ADD(neon.Imm(1), r)
	}
	s.ADD(neon.Imm(neonGroup), n)
	s.MOVD(n, s.Place("outers"))
	s.ADD(neon.Imm(neonGroup*s.size), s.to)
}

// project emits the function that makes places of a homography.
func (f *neonFunction) project() {
	const atOnce = 4
	f.Begin("project")
	x, y, left := f.Field("x"), f.Field("y"), f.Field("n")
	f.CBZ(left, "done")
	x0, y0, w0 := f.repeatField("x0"), f.repeatField("y0"), f.repeatField("w0")
	dx, dy, dw, k := f.repeatField("dx"), f.repeatField("dy"), f.repeatField("dw"), f.repeatField("k")
	repeat := func(v float64) neon.V { return f.Spread(neon.D2, math.Float64bits(v)) }
	least, most, four := repeat(math.MinInt32), repeat(math.MaxInt32), repeat(atOnce)
	zero := f.Zero()
	table := f.R()
	f.MOVD(neon.Address("columns"), table)
	columns := [2]neon.V{f.Load(table, 0), f.Load(table, neon.Bytes)}
	f.FreeR(table)
	f.Comment("The places of four pixels.")
	f.Loop("places")
	f.Scope(func() {
		var places [2][2]neon.V // by axis
		for half, column := range columns {
			// No operations are fused, so each is rounded.
			line := func(origin, step neon.V) neon.V {
				v := f.Do(op.MulDouble, column, step)
				f.DoTo(op.AddDouble, v, origin, v)
				return v
			}
			w := line(w0, dw)
			scale := f.Do(op.DivDouble, k, w)
			f.ChangeTo(neon.ZeroDouble, w, w)
			f.VBIT(w, zero, scale)
			for axis, v := range []neon.V{line(x0, dx), line(y0, dy)} {
				f.DoTo(op.MulDouble, v, scale, v)
				f.DoTo(op.MaxDouble, v, least, v) // the least one if not a number
				f.DoTo(op.MinDouble, v, most, v)
				f.ChangeTo(neon.RoundDouble, v, v)
				places[axis][half] = v
			}
			f.FreeV(w, scale)
			f.DoTo(op.AddDouble, column, four, column)
		}
		for axis, p := range []neon.R{x, y} {
			v := places[axis]
			f.VUZP1(neon.S4, v[1], v[0], v[0])
			f.FMOVQ(v[0], p.Post(neon.Bytes))
		}
	})
	f.Repeat("places", left, atOnce)
	f.Label("done")
	f.RET()
}

// scale emits the function that makes places of a Map. The last vector ends with the numbers.
func (f *neonFunction) scale() {
	const atOnce = 4
	f.Begin("scale")
	from, to, left, k := f.Field("from"), f.Field("to"), f.Field("n"), f.Broadcast("k")
	// What does not fit becomes the least number.
	least, limit := f.Spread(neon.S4, 1<<31), f.Spread(neon.S4, uint64(math.Float32bits(1<<31)))
	f.within(left, atOnce, []stream{{from, 2}, {to, 2}}, func() {
		v := f.V()
		f.FMOVQ(from.Post(neon.Bytes), v)
		f.DoTo(op.MulFloat, v, k, v)
		fits := f.Do(op.GreaterFloat, limit, v)
		f.ChangeTo(neon.Round, v, v)
		f.VBIF(fits, least, v)
		f.FMOVQ(v, to.Post(neon.Bytes))
	})
	f.RET()
}

// A stream is where a loop reads or writes.
type stream struct {
	at   neon.R
	size int // of an element, as a power of two
}

// within emits a loop that goes over left elements, some at once. The last ones may overlap the
// ones before. body moves the streams on.
func (f *neonFunction) within(left neon.R, atOnce int, streams []stream, body func()) {
	f.SUB(neon.Imm(atOnce), left)
	f.Comment("The places of a vector of pixels.")
	f.Loop("places")
	f.Scope(body)
	f.CBZ(left, "done")
	f.SUBS(neon.Imm(atOnce), left, left)
	f.BGE("places")
	for _, s := range streams {
		f.ADD(left.LSL(s.size), s.at, s.at)
	}
	f.MOVD(neon.Imm(0), left)
	f.JMP("places")
	f.Label("done")
}

// unpack emits the function that makes places of a FixedMap.
func (f *neonFunction) unpack() {
	const atOnce = 4
	f.Begin("unpack")
	xy, fraction, x, y, left := f.Field("xy"), f.Field("fraction"), f.Field("x"), f.Field("y"), f.Field("n")
	bits, place, half := f.Spread(neon.S4, 31), f.Spread(neon.S4, 1<<32+5-16), f.Spread(neon.S4, 1<<32-16)
	f.within(left, atOnce, []stream{{xy, 2}, {fraction, 1}, {x, 2}, {y, 2}}, func() {
		row, column, low, high := f.V(), f.V(), f.V(), f.V()
		f.FMOVQ(xy.Post(neon.Bytes), row)
		f.FMOVD(fraction.Post(neon.Bytes/2), low)
		f.VUXTL(neon.H4, low, low)
		f.VUSHR(neon.S4, 5, low, high)
		f.VSHL(neon.S4, 16, row, column)
		f.DoTo(op.ShiftLong, column, place, column)
		f.DoTo(op.ShiftLong, row, half, row)
		f.VSHL(neon.S4, 5, row, row)
		f.DoTo(op.And, low, bits, low)
		f.DoTo(op.And, high, bits, high)
		f.DoTo(op.Or, column, low, column)
		f.DoTo(op.Or, row, high, row)
		f.FMOVQ(column, x.Post(neon.Bytes))
		f.FMOVQ(row, y.Post(neon.Bytes))
	})
	f.RET()
}
