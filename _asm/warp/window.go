package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

const (
	windowPixels  = 32 // that are made at once of a window
	windowColumns = 63 // of the window that can be the left one of two
	windowRows    = 8  // that can be the upper one of two
	window16Rows  = 4  // the same of pixels of 16 bits, of which gathers are faster
	windowSkip    = 8  // groups for which no window is tried after one of too many rows
)

var (
	wordBytes = ByteTable("wordBytes", 64, func(i int) uint8 { return uint8(i / 2 * 2 % 16) })
	neighbor  = ByteTable("neighbor", 64, func(i int) uint8 { return uint8(i % 2) })
)

// window emits what makes 32 pixels of one channel that come from a window of 64 columns and few
// rows: each row is loaded once, and a permutation takes the pixels of it. If there are not as
// many pixels left, or they come from elsewhere, nothing is done. The window is where the first
// pixel and the last one come from; that the others do is checked.
func (s *sampler) window(last Register) {
	isa := s.isa
	end := GP64()
	LEAQ(Mem{Base: s.i, Disp: windowPixels - s.group}, end)
	CMPQ(end, last)
	JGT(LabelRef("gathers"))

	column, row, rows := s.corner(windowPixels, windowRows)

	x, y := s.words(s.x, s.x0, "left", column), s.words(s.y, s.y0, "top", row)

	Comment("All must be in the window and left of the last column.")
	limit, columns := s.limit(column, windowColumns)
	k := K()
	s.within(x, limit, k)
	bound := GP32()
	LEAL(Mem{Base: rows, Disp: 1}, bound)
	s.within(y, bound, k, k)
	KORTESTD(k, k)
	JCC(LabelRef("gathers"))

	Comment("Which bytes of a row a pixel needs, and their weights.")
	index, wx := isa.Vec(), s.wordWeights(x)
	VPSRLW(U8(5), x, index)
	VPSHUFB(wordBytes(), index, index)
	VPADDB(neighbor(), index, index)
	part := s.wordShares(y)
	VPSRLW(U8(5), y, y)

	loaded, all, g := K(), GP64(), GP64()
	MOVQ(I64(-1), all)
	BZHIQ(columns, all, all)
	KMOVQ(all, loaded)
	at := GP64()
	MOVL(row, at.As32())
	IMULQ(s.stride, at)
	MOVL(column, g.As32())
	ADDQ(g, at)
	ADDQ(s.pix, at)
	s.prefetch(at)
	mix := func(m Mem) VecVirtual {
		v := isa.Vec()
		VMOVDQU8_Z(m, loaded, v)
		VPERMB(v, index, v)
		VPMADDUBSW(wx, v, v)
		return v
	}
	Comment("The first two rows.")
	upper := mix(Mem{Base: at})
	lower := mix(Mem{Base: at, Index: s.stride, Scale: 1})
	TESTL(rows, rows)
	JEQ(LabelRef("single"))
	Comment("The other rows.")
	before, number, one := isa.Vec(), isa.Vec(), isa.Load(wordOne())
	VMOVDQA64(lower, before)
	VMOVDQA64(one, number)
	Label("rows")
	ADDQ(s.stride, at)
	next := mix(Mem{Base: at, Index: s.stride, Scale: 1})
	these := K()
	VPCMPEQW(number, y, these)
	VMOVDQU16(before, these, upper)
	VMOVDQU16(next, these, lower)
	VMOVDQA64(next, before)
	VPADDW(one, number, number)
	DECL(rows)
	JNE(LabelRef("rows"))
	Label("single")

	Comment("The weighted sums of both rows.")
	mixRows(upper, lower, part, round())
	narrow := YMM()
	VPMOVWB(lower, narrow)
	VMOVDQU32(narrow, Mem{Base: s.to, Index: s.i, Scale: 1})
	ADDQ(U8(windowPixels-s.group), s.i)
	JMP(LabelRef("next"))
	Label("gathers")
}

// words returns the places of pixels along an axis in the window, in words: far ones saturate.
func (s *sampler) words(base Register, first Op, left string, from Register) Register {
	halves := [2]Register{s.isa.Zero(), s.isa.Vec()}
	origin := s.origin(from, left)
	for i := range halves {
		p := s.isa.Do(op.AddLong, first, s.at(base).Offset(s.isa.Bytes*i))
		VPSRAD(s.shift, p, p)
		VPSUBD(origin, p, p)
		VPMOVUSDW(p, halves[i].(VecVirtual).AsY())
	}
	w := s.isa.Vec()
	VINSERTI64X4(U8(1), halves[1].(VecVirtual).AsY(), halves[0], w)
	return w
}

// within sets k for the places, in words, that are less than a limit, of those in a mask if there
// is one.
func (s *sampler) within(v, limit Register, k Register, mask ...Op) {
	g, w := GP32(), s.isa.Vec()
	MOVL(limit, g)
	SHLL(U8(5), g)
	DECL(g)
	VPBROADCASTW(g, w)
	VPCMPUW(append(append([]Op{U8(CmpAtMost), w, v}, mask...), k)...)
}

// corner returns the first column and row of the window that the first one and the last one of a
// number of pixels come from, relative to the source, and by how many rows they differ. It jumps
// to gathers unless both are inside, and come from at most that many rows.
func (s *sampler) corner(pixels, most int) (column, row, rows Register) {
	// The first column and row and the last one, relative to the source. They are inside.
	ends := func(base Register, from, left, limit string) (low, high Register) {
		a, b, shift := GP32(), GP32(), GP32()
		MOVL(Address(s.r.Field("shift")), shift)
		for i, g := range []GPVirtual{a, b} {
			MOVL(s.at(base).Offset(4*(pixels-1)*i), g)
			ADDL(Address(s.r.Field(from)), g)
			SARXL(shift, g, g)
			SARL(U8(5), g)
			SUBL(Address(s.r.Field(left)), g)
			CMPL(g, Address(s.r.Field(limit)))
			JCC(LabelRef("gathers"))
		}
		lowest := GP32()
		MOVL(a, lowest)
		CMPL(b, a)
		CMOVLLT(b, lowest)
		CMOVLLT(a, b)
		return lowest, b
	}
	column, _ = ends(s.x, "x0", "left", "right")
	row, rows = ends(s.y, "y0", "top", "bottom")
	SUBL(row, rows)
	CMPL(rows, U8(most-1))
	JHI(LabelRef("high"))
	return column, row, rows
}

// groupColumns is the number of columns of the window of a group of pixels of two or four bytes
// that can be the left one of two.
const groupColumns = 31

var longOnes = ByteTable("longOnes", 64, func(i int) uint8 { return [4]uint8{1, 0, 0, 0}[i%4] })

// origin returns the place of a column or row of the source, left or top of it added, in each
// element, in 1/32 pixel.
func (s *sampler) origin(from Register, left string) VecVirtual {
	shift := GP32()
	MOVL(from, shift)
	ADDL(Address(s.r.Field(left)), shift)
	SHLL(U8(5), shift)
	origin := s.isa.Vec()
	VPBROADCASTD(shift, origin)
	return origin
}

// limit returns how many columns of a window that begins at a column can be the left one of a
// pixel, and how many columns the window has.
func (s *sampler) limit(column Register, most uint32) (limit, columns GPVirtual) {
	limit, bound, columns := GP32(), GP32(), GP64()
	MOVL(Address(s.r.Field("right")), limit)
	SUBL(column, limit)
	MOVL(U32(most), bound)
	CMPL(limit, bound)
	CMOVLGT(bound, limit)
	LEAL(Mem{Base: limit, Disp: 1}, columns.As32())
	return limit, columns
}

// A colorMixer makes pixels of four channels of two neighbors in a row of a window.
type colorMixer struct {
	isa           ISA
	first, second Register // masks of the columns of the window in each of two vectors
	left, right   Register // the columns of the neighbors
	// weights are those of the neighbors, for the first two pixels of each four and for the last
	// two.
	weights [2]Register
}

// newColorMixer returns one for a window of some columns, of which x are the left ones of
// pixels. It has no weights yet.
func (s *sampler) newColorMixer(columns GPVirtual, x Register) *colorMixer {
	m := &colorMixer{isa: s.isa, first: K(), second: K(), left: x}
	all := GP64()
	MOVQ(I64(-1), all)
	BZHIQ(columns, all, all)
	KMOVD(all.As32(), m.first)
	KSHIFTRD(U8(16), m.first, m.second)
	return m
}

// unpackTwice sets to to numbers of 32 bits twice: to the first two of each four, and to the
// last two.
func unpackTwice(v Register, to [2]Register) {
	VPUNPCKLDQ(v, v, to[0])
	VPUNPCKHDQ(v, v, to[1])
}

// mix returns the pixels made of the row at a place: the first two of each four, and the last two.
func (m *colorMixer) mix(row Mem) []Register {
	var pixels []Register
	a, b := m.isa.Vec(), m.isa.Vec()
	VMOVDQU32_Z(row, m.first, a)
	VMOVDQU32_Z(row.Offset(64), m.second, b)
	left, right := m.isa.Vec(), m.isa.Vec()
	VMOVDQA64(m.left, left)
	VMOVDQA64(m.right, right)
	VPERMI2D(b, a, left)
	VPERMI2D(b, a, right)
	for i, unpack := range []func(...Op){VPUNPCKLBW, VPUNPCKHBW} {
		v := m.isa.Vec()
		unpack(right, left, v)
		VPMADDUBSW(m.weights[i], v, v)
		pixels = append(pixels, v)
	}
	return pixels
}

// A groupWindow is the window that a group of pixels comes from.
type groupWindow struct {
	columns GPVirtual // the number of its columns
	at      Register  // its first pixel
	rows    Register  // by how many rows the upper neighbors differ
	px, py  Register  // the places of the pixels, in 1/32 pixel
	x, y    Register  // the columns and rows of their upper left neighbors
}

// groupWindow returns the window of a group of pixels of two or four bytes. It jumps to gathers if
// they come from more columns or more than most rows, or if some are not inside.
func (s *sampler) groupWindow(most int) groupWindow {
	column, row, rows := s.corner(s.group, most)
	w := groupWindow{rows: rows}
	w.px, w.x = s.place(s.x, s.x0, "left", column)
	w.py, w.y = s.place(s.y, s.y0, "top", row)
	VPSRLD(U8(5), w.x, w.x)
	VPSRLD(U8(5), w.y, w.y)

	Comment("All must be in the window and left of the last column.")
	limit, columns := s.limit(column, groupColumns)
	w.columns = columns
	bound, k := s.isa.Vec(), K()
	VPBROADCASTD(limit, bound)
	VPCMPUD(U8(CmpLess), bound, w.x, k)
	VPBROADCASTD(rows, bound)
	VPCMPUD(U8(CmpAtMost), bound, w.y, k, k)
	KORTESTW(k, k)
	JCC(LabelRef("gathers"))

	at, g := GP64(), GP64()
	MOVL(row, at.As32())
	IMULQ(s.stride, at)
	MOVL(column, g.As32())
	LEAQ(Mem{Base: at, Index: g, Scale: uint8(s.size)}, at)
	ADDQ(s.pix, at)
	w.at = at
	return w
}

// colorWindow is window for a group of pixels of four channels, which come from a window of 32
// columns.
func (s *sampler) colorWindow() {
	w := s.groupWindow(windowRows)
	Comment("The first two rows.")
	m := s.newColorMixer(w.columns, w.x)
	m.right = s.isa.Do(op.AddLong, w.x, longOnes())
	weights, shares := s.columnWeights(w.px), s.shares(w.py)
	var these, parts [2]Register
	for i := range these {
		m.weights[i], these[i], parts[i] = s.isa.Vec(), s.isa.Vec(), s.isa.Vec()
	}
	unpackTwice(shares, parts)
	unpackTwice(weights, m.weights)
	unpackTwice(w.y, these)
	s.prefetch(w.at)
	upper := m.mix(Mem{Base: w.at})
	lower := m.mix(Mem{Base: w.at, Index: s.stride, Scale: 1})
	TESTL(w.rows, w.rows)
	JEQ(LabelRef("single"))
	number, one := s.isa.Vec(), s.isa.Load(longOnes())
	VMOVDQA64(one, number)
	before := []Register{s.isa.Vec(), s.isa.Vec()}
	for i := range before {
		VMOVDQA64(lower[i], before[i])
	}
	s.otherRows(m.mix, w.at, w.rows, number, one, these[:], before, upper, lower)
	Label("single")

	Comment("The weighted sums of both rows.")
	for i := range lower {
		mixRows(upper[i], lower[i], parts[i], round())
	}
	v := s.isa.Vec()
	VPACKUSWB(lower[1], lower[0], v)
	s.store(v)
	JMP(LabelRef("next"))
	Label("gathers")
}

// window16 is window for a group of pixels of 16 bits, which come from a window of 32 columns.
// Three rows are taken always, so that no branch depends on where an image that is turned a little
// changes rows.
func (s *sampler) window16() {
	isa := s.isa
	w := s.groupWindow(window16Rows)
	Comment("The first two rows, and the third one if there is one.")
	index := s.pairIndex(w.x)
	all, loaded := GP64(), K()
	MOVQ(I64(-1), all)
	BZHIQ(w.columns, all, all)
	KMOVD(all.As32(), loaded)
	mix := func(m Mem) []Register {
		v := isa.Vec()
		VMOVDQU16_Z(m, loaded, v)
		VPERMB(v, index, v)
		return []Register{v}
	}
	next := Counter()
	TESTL(w.rows, w.rows)
	CMOVQNE(s.stride, next)
	s.prefetch(w.at)
	upper := mix(Mem{Base: w.at})
	ADDQ(s.stride, w.at)
	lower := mix(Mem{Base: w.at})
	third := mix(Mem{Base: w.at, Index: next, Scale: 1})
	below := K()
	VPTESTMD(w.y, w.y, below)
	VMOVDQA32(lower[0], below, upper[0])
	VMOVDQA32(third[0], below, lower[0])
	DECL(w.rows)
	JLE(LabelRef("low"))
	number, one := isa.Vec(), isa.Load(longOnes())
	VPADDD(one, one, number)
	s.otherRows(mix, w.at, w.rows, number, one, []Register{w.y}, third, upper, lower)
	Label("low")
	s.store(s.mixPairs(upper[0], lower[0], w.px, w.py))
	JMP(LabelRef("next"))
	Label("gathers")
}

// pairIndex returns which bytes of a row make the two neighbors of pixels of 16 bits, as numbers,
// of which the left ones are in some columns.
func (s *sampler) pairIndex(column Register) Register {
	index := s.isa.Vec()
	VPSHUFB(s.table(byteSpread), column, index)
	VPADDB(index, index, index)
	VPADDB(s.table(swapped), index, index)
	return index
}

// place returns the places of pixels along an axis, in 1/32 pixel, and the same within the
// window.
func (s *sampler) place(base Register, first Op, left string, from Register) (p, within Register) {
	origin := s.origin(from, left)
	p, within = s.isa.Load(s.at(base)), s.isa.Vec()
	VPADDD(first, p, p)
	VPSRAD(s.shift, p, p)
	VPSUBD(origin, p, within)
	return p, within
}

// otherRows replaces pixels by those of the rows that follow, rows of them, where they are the
// upper row of the pixel: these are the numbers of the upper rows, and number is that of the row
// before. mix makes pixels of a row, and at is the row of upper.
func (s *sampler) otherRows(mix func(Mem) []Register, at, rows, number, one Register, these, before, upper, lower []Register) {
	Comment("The other rows.")
	Label("rows")
	ADDQ(s.stride, at)
	for i, v := range mix(Mem{Base: at, Index: s.stride, Scale: 1}) {
		k := K()
		VPCMPEQD(number, these[i], k)
		VMOVDQA32(before[i], k, upper[i])
		VMOVDQA32(v, k, lower[i])
		VMOVDQA64(v, before[i])
	}
	VPADDD(one, number, number)
	DECL(rows)
	JNE(LabelRef("rows"))
}
