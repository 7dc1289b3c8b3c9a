package main

import (
	"encoding/binary"
	"fmt"
	"math"

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
	for _, color := range []bool{false, true} {
		f.sample("linear", color)
		f.sample("nearest", color)
	}
	f.project()
	f.scale()
	f.unpack()
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
	linear   bool
	channels int

	pix, stride, to neon.R
	right, bottom   neon.V // the number of columns and rows that are inside
	step            neon.V // the stride
	// Numbers of the weights of linear: 31 and 32 in words, and 32 in bytes.
	mask, words, bytes neon.V
	pairs              [neonGroup / 2]neon.V
}

// sample emits the function that makes pixels, by linear interpolation or of the nearest ones.
func (f *neonFunction) sample(kind string, color bool) {
	s := &neonSampler{neonFunction: f, linear: kind == "linear", channels: 1}
	name := "Gray"
	if color {
		name, s.channels = "Color", 4
	}
	f.Begin(kind + name)
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
		s.mask, s.words, s.bytes = f.Spread(neon.H8, 31), f.Spread(neon.H8, 32), f.Spread(neon.B16, 32)
		if color {
			for i := range s.pairs {
				s.pairs[i] = f.LoadTable(pairTable(i))
			}
		}
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
		if color {
			f.ADD(left.LSL(2), s.to, s.to)
		} else {
			f.ADD(left, s.to)
		}
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

// bits sets r to the lower halves of the numbers of 32 bits in v, which is overwritten.
func (s *neonSampler) bits(v neon.V, r neon.R) {
	s.VUZP1(neon.H8, v, v, v)
	s.FMOVD(v, r)
}

// make makes the pixels of a group that is inside.
func (s *neonSampler) make(columns, rows, px, py [2]neon.V) {
	var offsets [neonGroup / 2]neon.R // two in each
	for i := range columns {
		if s.channels == 4 {
			s.VSHL(neon.S4, 2, columns[i], columns[i])
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
	// load loads a pixel, or two of one channel, into place i of v. If the next row is needed,
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
	case !s.linear && s.channels == 1:
		v := [2]neon.V{s.V(), s.V()}
		for i := range neonGroup {
			at(i)
			load(v[i/4], neon.B16, i%4, false)
		}
		s.VZIP1(neon.S4, v[1], v[0], v[0])
		s.FMOVD(v[0], s.to.Post(neonGroup))
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
	// The fractions of the places, in words.
	fractions := func(places [2]neon.V) neon.V {
		s.VUZP1(neon.H8, places[1], places[0], places[0])
		s.DoTo(op.And, places[0], s.mask, places[0])
		s.FreeV(places[1])
		return places[0]
	}
	fx, fy := fractions(px), fractions(py)
	if s.channels == 4 {
		s.blendColor(fx, fy, func(upper, lower neon.V, i, place int) {
			at(i)
			load(upper, neon.D2, place, true)
			load(lower, neon.D2, place, false)
		})
	} else {
		upper, lower := [2]neon.V{s.V(), s.V()}, [2]neon.V{s.V(), s.V()}
		for i := range neonGroup {
			at(i)
			load(upper[i/4], neon.H8, i%4, true)
			load(lower[i/4], neon.H8, i%4, false)
		}
		for _, v := range [][2]neon.V{upper, lower} {
			s.VZIP1(neon.D2, v[1], v[0], v[0])
		}
		s.blendGray(fx, fy, upper[0], lower[0])
	}
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
	s.FMOVD(first, s.to.Post(neonGroup))
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
	if s.channels == 4 {
		s.VDUP(neon.S4, r, value)
		s.FSTPQ(value, value, s.to.Post(4*neonGroup))
	} else {
		s.VDUP(neon.B16, r, value)
		s.FMOVD(value, s.to.Post(neonGroup))
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
	s.ADD(neon.Imm(neonGroup*s.channels), s.to)
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
