package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/fastcorners/fast/_asm/internal/neon"
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

// repeat returns a register with the same number, in places of the given kind.
func (f *neonFunction) repeat(n uint64, places string) neon.V {
	r, v := f.R(), f.V()
	f.I("MOVD $%#x, %v", n, r)
	f.I("VDUP %v, %v.%s", r, v, places)
	f.FreeR(r)
	return v
}

// repeatField returns a register with a field of eight bytes in both places.
func (f *neonFunction) repeatField(name string) neon.V {
	r, v := f.Field(name), f.V()
	f.I("VDUP %v, %v.D2", r, v)
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
	f.I("NEG %v, %v", r, r)
	f.I("VDUP %v, %v.S4", r, shift)
	if s.linear {
		shiftAll = f.V()
		f.I("SUB $5, %v", r)
		f.I("VDUP %v, %v.S4", r, shiftAll)
		s.mask, s.words, s.bytes = f.repeat(31, "H8"), f.repeat(32, "H8"), f.repeat(32, "B16")
		if color {
			for i := range s.pairs {
				s.pairs[i] = f.LoadTable(pairTable(i))
			}
		}
	} else {
		one := f.repeat(1, "S4")
		f.DoTo(neon.AddLong, s.right, one, s.right)
		f.DoTo(neon.AddLong, s.bottom, one, s.bottom)
		f.FreeV(one)
	}
	f.FreeR(r)
	f.I("SUB $%d, %v", neonGroup, left)

	f.I("PCALIGN $32")
	f.Label("group")
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
			f.I("FLDPQ.P %d(%v), (F%d, F%d)", 2*neon.Bytes, axis.from, places[0], places[1])
			for i, v := range places {
				f.DoTo(neon.AddLong, v, axis.origin, v)
				if s.linear {
					f.DoTo(neon.ShiftLong, v, shiftAll, coordinates[i])
				}
				f.DoTo(neon.ShiftLong, v, shift, v)
				from := coordinates[i]
				if !s.linear {
					from = v
				}
				f.DoTo(neon.SubLong, from, axis.begin, coordinates[i])
			}
		}
		// Are all inside?
		f.Scope(func() {
			column, row, r := f.Do(neon.MaxLong, columns[0], columns[1]), f.Do(neon.MaxLong, rows[0], rows[1]), f.R()
			f.DoTo(neon.HigherLong, s.right, column, column)
			f.DoTo(neon.HigherLong, s.bottom, row, row)
			f.DoTo(neon.And, column, row, column)
			s.bits(column, r)
			f.I("CMN $1, %v", r)
			f.I("BNE mixed")
		})
		f.Scope(func() { s.make(columns, rows, px, py) })
		f.Label("next")
		f.I("CBZ %v, done", left)
		f.I("SUBS $%d, %v, %v", neonGroup, left, left)
		f.I("BGE group")
		for _, p := range []neon.R{x, y} {
			f.I("ADD %v<<2, %v, %v", left, p, p)
		}
		if color {
			f.I("ADD %v<<2, %v, %v", left, s.to, s.to)
		} else {
			f.I("ADD %v, %v", left, s.to)
		}
		f.I("MOVD $0, %v", left)
		f.I("JMP group")

		f.Label("mixed")
		s.mixed(columns, rows, left)
		f.I("JMP next")
	})
	f.Label("done")
	f.I("RET")
}

// bits sets r to the lower halves of the numbers of 32 bits in v, which is overwritten.
func (s *neonSampler) bits(v neon.V, r neon.R) {
	s.I("VUZP1 %v.H8, %v.H8, %v.H8", v, v, v)
	s.I("FMOVD F%d, %v", v, r)
}

// make makes the pixels of a group that is inside.
func (s *neonSampler) make(columns, rows, px, py [2]neon.V) {
	var offsets [neonGroup / 2]neon.R // two in each
	for i := range columns {
		if s.channels == 4 {
			s.I("VSHL $2, %v.S4, %v.S4", columns[i], columns[i])
		}
		s.Multiply(neon.AddLongProducts, rows[i], s.step, columns[i])
		offsets[2*i], offsets[2*i+1] = s.R(), s.R()
		s.I("FMOVD F%d, %v", columns[i], offsets[2*i])
		s.I("VMOV %v.D[1], %v", columns[i], offsets[2*i+1])
	}
	p := s.R()
	// at makes p the address of pixel i.
	at := func(i int) {
		if i%2 == 0 {
			s.I("ADD %v.UXTW, %v, %v", offsets[i/2], s.pix, p)
		} else {
			s.I("ADD %v>>32, %v, %v", offsets[i/2], s.pix, p)
		}
	}
	// load loads a pixel, or two of one channel, into place i of v. If the next row is needed,
	// p moves on to it. The first place is loaded into all of them, so that no load waits for
	// what v was. Each of the others waits for the one before it, so that v has no more than
	// four.
	load := func(v neon.V, places string, i int, next bool) {
		post, by := "", ""
		if next {
			post, by = ".P", fmt.Sprintf("(%v)", s.stride)
		}
		if i == 0 {
			s.I("VLD1R%s (%v)%s, [%v.%s]", post, p, by, v, places)
		} else {
			s.I("VLD1%s (%v)%s, %v.%c[%d]", post, p, by, v, places[0], i)
		}
	}
	switch {
	case !s.linear && s.channels == 1:
		v := [2]neon.V{s.V(), s.V()}
		for i := range neonGroup {
			at(i)
			load(v[i/4], "B16", i%4, false)
		}
		s.I("VZIP1 %v.S4, %v.S4, %v.S4", v[1], v[0], v[0])
		s.I("FMOVD.P F%d, %d(%v)", v[0], neonGroup, s.to)
		return
	case !s.linear:
		v := [2]neon.V{s.V(), s.V()}
		for i := range neonGroup {
			at(i)
			load(v[i/4], "S4", i%4, false)
		}
		s.I("FSTPQ.P (F%d, F%d), %d(%v)", v[0], v[1], 4*neonGroup, s.to)
		return
	}
	s.FreeV(columns[:]...)
	s.FreeV(rows[:]...)
	// The fractions of the places, in words.
	fractions := func(places [2]neon.V) neon.V {
		s.I("VUZP1 %v.H8, %v.H8, %v.H8", places[1], places[0], places[0])
		s.DoTo(neon.And, places[0], s.mask, places[0])
		s.FreeV(places[1])
		return places[0]
	}
	fx, fy := fractions(px), fractions(py)
	if s.channels == 4 {
		s.blendColor(fx, fy, func(upper, lower neon.V, i, place int) {
			at(i)
			load(upper, "D2", place, true)
			load(lower, "D2", place, false)
		})
	} else {
		upper, lower := [2]neon.V{s.V(), s.V()}, [2]neon.V{s.V(), s.V()}
		for i := range neonGroup {
			at(i)
			load(upper[i/4], "H8", i%4, true)
			load(lower[i/4], "H8", i%4, false)
		}
		for _, v := range [][2]neon.V{upper, lower} {
			s.I("VZIP1 %v.D2, %v.D2, %v.D2", v[1], v[0], v[0])
		}
		s.blendGray(fx, fy, upper[0], lower[0])
	}
}

// blendGray stores a group of one channel. upper and lower are two neighbors for each pixel.
func (s *neonSampler) blendGray(fx, fy, upper, lower neon.V) {
	s.I("VUZP1 %v.B16, %v.B16, %v.B16 // twice", fx, fx, fx)
	gx, gy := s.Do(neon.Sub, s.bytes, fx), s.Do(neon.SubWord, s.words, fy)
	first, second := s.V(), s.V()
	s.I("VUZP1 %v.B16, %v.B16, %v.B16", lower, upper, first)
	s.I("VUZP2 %v.B16, %v.B16, %v.B16", lower, upper, second)
	s.Multiply(neon.ByteProducts, first, gx, upper)
	s.Multiply(neon.LastByteProducts, first, gx, lower)
	s.Multiply(neon.AddByteProducts, second, fx, upper)
	s.Multiply(neon.AddLastByteProducts, second, fx, lower)
	s.blend(upper, lower, gy, fy, first, second)
	s.I("VUZP1 %v.B16, %v.B16, %v.B16", first, first, first)
	s.I("FMOVD.P F%d, %d(%v)", first, neonGroup, s.to)
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
		s.I("VUZP1 %v.B16, %v.B16, %v.B16", v, v, v)
	}
	var out [2]neon.V
	for i, pair := range s.pairs {
		made := s.V()
		s.Scope(func() {
			upper, lower, a, b := s.V(), s.V(), s.V(), s.V()
			load(upper, lower, 2*i, 0)
			load(upper, lower, 2*i+1, 1)
			s.I("VTBL %v.B16, [%v.B16], %v.B16", pair, fy, b)
			s.DoTo(neon.Sub, s.bytes, b, a)
			// The left and the right neighbor of the first pixel, and of the second one.
			s.Multiply(neon.ByteProducts, upper, a, made)
			s.Multiply(neon.LastByteProducts, upper, a, upper)
			s.Multiply(neon.AddByteProducts, lower, b, made)
			s.Multiply(neon.AddLastByteProducts, lower, b, upper)
			s.I("VTBL %v.B16, [%v.B16], %v.B16", pair, fx, b)
			s.DoTo(neon.And, b, s.mask, b) // in words
			s.DoTo(neon.SubWord, s.words, b, a)
			s.I("VTRN1 %v.D2, %v.D2, %v.D2", upper, made, lower)
			s.I("VTRN2 %v.D2, %v.D2, %v.D2", upper, made, upper)
			s.blend(lower, upper, a, b, made, s.V())
		})
		if i%2 == 0 {
			out[i/2] = made
			continue
		}
		s.I("VUZP1 %v.B16, %v.B16, %v.B16", made, out[i/2], out[i/2])
		s.FreeV(made)
	}
	s.I("FSTPQ.P (F%d, F%d), %d(%v)", out[0], out[1], 4*neonGroup, s.to)
}

// mixed is for a group that has pixels which are not inside. If all are what lies outside, it
// stores that, and otherwise it appends its pixels to outer. left is the number of pixels before
// the last group.
func (s *neonSampler) mixed(columns, rows [2]neon.V, left neon.R) {
	r := s.Field("constant")
	s.I("CBZ %v, append", r)
	var all neon.V
	for i := range columns {
		c, row := columns[i], rows[i]
		right, bottom := s.right, s.bottom
		if s.linear {
			// Columns from -1 to right use pixels.
			one := s.repeat(1, "S4")
			right, bottom = s.V(), s.V()
			for _, v := range [][3]neon.V{{c, one, c}, {row, one, row}, {s.right, one, right}, {s.bottom, one, bottom}} {
				s.DoTo(neon.AddLong, v[0], v[1], v[2])
			}
			s.DoTo(neon.AddLong, right, one, right)
			s.DoTo(neon.AddLong, bottom, one, bottom)
			s.FreeV(one)
		}
		s.DoTo(neon.HigherLong, right, c, c)
		s.DoTo(neon.HigherLong, bottom, row, row)
		s.DoTo(neon.And, c, row, c)
		if i > 0 {
			s.DoTo(neon.Or, all, c, c)
		}
		all = c
		if s.linear {
			s.FreeV(right, bottom)
		}
	}
	s.bits(all, r)
	s.I("CBNZ %v, append", r)
	value := s.V()
	s.I("MOVWU %s, %v", s.Place("value"), r)
	if s.channels == 4 {
		s.I("VDUP %v, %v.S4", r, value)
		s.I("FSTPQ.P (F%d, F%d), %d(%v)", value, value, 4*neonGroup, s.to)
	} else {
		s.I("VDUP %v, %v.B16", r, value)
		s.I("FMOVD.P F%d, %d(%v)", value, neonGroup, s.to)
	}
	s.I("JMP next")

	s.Label("append")
	outer, n := s.Field("outer"), s.Field("outers")
	s.I("MOVD %s, %v", s.Place("n"), r)
	s.I("SUB $%d, %v", neonGroup, r)
	s.I("SUB %v, %v", left, r)
	s.I("ADD %v<<2, %v, %v", n, outer, outer)
	for range neonGroup {
		s.I("MOVW.P %v, 4(%v)", r, outer)
		s.I("ADD $1, %v", r)
	}
	s.I("ADD $%d, %v", neonGroup, n)
	s.I("MOVD %v, %s", n, s.Place("outers"))
	s.I("ADD $%d, %v", neonGroup*s.channels, s.to)
}

// project emits the function that makes places of a homography.
func (f *neonFunction) project() {
	const atOnce = 4
	f.Begin("project")
	x, y, left := f.Field("x"), f.Field("y"), f.Field("n")
	f.I("CBZ %v, done", left)
	x0, y0, w0 := f.repeatField("x0"), f.repeatField("y0"), f.repeatField("w0")
	dx, dy, dw, k := f.repeatField("dx"), f.repeatField("dy"), f.repeatField("dw"), f.repeatField("k")
	repeat := func(v float64) neon.V { return f.repeat(math.Float64bits(v), "D2") }
	least, most, four := repeat(math.MinInt32), repeat(math.MaxInt32), repeat(atOnce)
	zero := f.V()
	f.I("VMOVI $0, %v.B16", zero)
	table := f.R()
	f.I("MOVD $columns<>(SB), %v", table)
	columns := [2]neon.V{f.Load(table, 0), f.Load(table, neon.Bytes)}
	f.FreeR(table)
	f.I("PCALIGN $32")
	f.Label("places")
	f.Scope(func() {
		var places [2][2]neon.V // by axis
		for half, column := range columns {
			// No operations are fused, so each is rounded.
			line := func(origin, step neon.V) neon.V {
				v := f.Do(neon.MulDouble, column, step)
				f.DoTo(neon.AddDouble, v, origin, v)
				return v
			}
			w := line(w0, dw)
			scale := f.Do(neon.DivDouble, k, w)
			f.ChangeTo(neon.ZeroDouble, w, w)
			f.I("VBIT %v.B16, %v.B16, %v.B16", w, zero, scale)
			for axis, v := range []neon.V{line(x0, dx), line(y0, dy)} {
				f.DoTo(neon.MulDouble, v, scale, v)
				f.DoTo(neon.MaxDouble, v, least, v) // the least one if not a number
				f.DoTo(neon.MinDouble, v, most, v)
				f.ChangeTo(neon.RoundDouble, v, v)
				places[axis][half] = v
			}
			f.FreeV(w, scale)
			f.DoTo(neon.AddDouble, column, four, column)
		}
		for axis, p := range []neon.R{x, y} {
			v := places[axis]
			f.I("VUZP1 %v.S4, %v.S4, %v.S4", v[1], v[0], v[0])
			f.I("FMOVQ.P F%d, %d(%v)", v[0], neon.Bytes, p)
		}
	})
	f.I("SUBS $%d, %v, %v", atOnce, left, left)
	f.I("BNE places")
	f.Label("done")
	f.I("RET")
}

// scale emits the function that makes places of a Map. The last vector ends with the numbers.
func (f *neonFunction) scale() {
	const atOnce = 4
	f.Begin("scale")
	from, to, left, k := f.Field("from"), f.Field("to"), f.Field("n"), f.Broadcast("k")
	// What does not fit becomes the least number.
	least, limit := f.repeat(1<<31, "S4"), f.repeat(uint64(math.Float32bits(1<<31)), "S4")
	f.within(left, atOnce, []stream{{from, 2}, {to, 2}}, func() {
		v := f.V()
		f.I("FMOVQ.P %d(%v), F%d", neon.Bytes, from, v)
		f.DoTo(neon.MulFloat, v, k, v)
		fits := f.Do(neon.GreaterFloat, limit, v)
		f.ChangeTo(neon.Round, v, v)
		f.I("VBIF %v.B16, %v.B16, %v.B16", fits, least, v)
		f.I("FMOVQ.P F%d, %d(%v)", v, neon.Bytes, to)
	})
	f.I("RET")
}

// A stream is where a loop reads or writes.
type stream struct {
	at   neon.R
	size int // of an element, as a power of two
}

// within emits a loop that goes over left elements, some at once. The last ones may overlap the
// ones before. body moves the streams on.
func (f *neonFunction) within(left neon.R, atOnce int, streams []stream, body func()) {
	f.I("SUB $%d, %v", atOnce, left)
	f.I("PCALIGN $32")
	f.Label("places")
	f.Scope(body)
	f.I("CBZ %v, done", left)
	f.I("SUBS $%d, %v, %v", atOnce, left, left)
	f.I("BGE places")
	for _, s := range streams {
		f.I("ADD %v<<%d, %v, %v", left, s.size, s.at, s.at)
	}
	f.I("MOVD $0, %v", left)
	f.I("JMP places")
	f.Label("done")
}

// unpack emits the function that makes places of a FixedMap.
func (f *neonFunction) unpack() {
	const atOnce = 4
	f.Begin("unpack")
	xy, fraction, x, y, left := f.Field("xy"), f.Field("fraction"), f.Field("x"), f.Field("y"), f.Field("n")
	bits, place, half := f.repeat(31, "S4"), f.repeat(1<<32+5-16, "S4"), f.repeat(1<<32-16, "S4")
	f.within(left, atOnce, []stream{{xy, 2}, {fraction, 1}, {x, 2}, {y, 2}}, func() {
		row, column, low, high := f.V(), f.V(), f.V(), f.V()
		f.I("FMOVQ.P %d(%v), F%d", neon.Bytes, xy, row)
		f.I("FMOVD.P %d(%v), F%d", neon.Bytes/2, fraction, low)
		f.I("VUXTL %v.H4, %v.S4", low, low)
		f.I("VUSHR $5, %v.S4, %v.S4", low, high)
		f.I("VSHL $16, %v.S4, %v.S4", row, column)
		f.DoTo(neon.ShiftLong, column, place, column)
		f.DoTo(neon.ShiftLong, row, half, row)
		f.I("VSHL $5, %v.S4, %v.S4", row, row)
		f.DoTo(neon.And, low, bits, low)
		f.DoTo(neon.And, high, bits, high)
		f.DoTo(neon.Or, column, low, column)
		f.DoTo(neon.Or, row, high, row)
		f.I("FMOVQ.P F%d, %d(%v)", column, neon.Bytes, x)
		f.I("FMOVQ.P F%d, %d(%v)", row, neon.Bytes, y)
	})
	f.I("RET")
}
