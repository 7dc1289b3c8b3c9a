package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// The pixels before windows are tried again where they were not found, and where pixels were not
// inside.
const lanePause, lanePauseOutside = 256, 32

// A lanes emits what makes pixels of one channel, some for each lane of 16 bytes of a vector, that
// come from a window of 16 bytes of few rows: each row is loaded once, and VPSHUFB takes the pixels
// of it. Each lane has a window of its own.
type lanes struct {
	*sampler
	each    int      // the pixels of a lane
	pixels  int      // that are made at once
	columns int      // of the window that can be the left one of two
	rows    int      // that can be the upper one of two
	last    Register // the last number of a pixel that windows can begin with, or -1
	from    Mem      // the first one that they are tried for
	whole   Mem      // the number of bits below those of columns and rows
	// Numbers in every place: x0 and y0 less the source's first column and row, and the last
	// column and row, relative to those, that a window can begin with.
	x0, y0, right, bottom Op
}

// newLanes returns what emits for s: eight pixels of 8 bits or four of 16 bits in a lane.
func newLanes(s *sampler) *lanes {
	l := &lanes{sampler: s, each: 8, columns: 15, rows: 8}
	if s.size == 2 {
		l.each, l.columns, l.rows = 4, 7, 2
	}
	l.pixels = l.each * s.isa.Bytes / 16
	return l
}

var (
	// The largest places in a window, and in its first row and its first two rows.
	laneWidest = words("laneWidest", 32*15-1)
	laneLowest = words("laneLowest", 32*8-1)
	laneOneRow = words("laneOneRow", 31)
	laneTwoRow = words("laneTwoRow", 63)

	// The same of pixels of 16 bits, whose places are numbers of 32 bits.
	laneWidest16 = longs("laneWidest16", 32*7-1)
	laneLowest16 = longs("laneLowest16", 32*2-1)
	laneOneRow16 = longs("laneOneRow16", 31)

	laneColumn = ByteTable("laneColumn", 64, func(i int) uint8 { return uint8(i%16 | 1) })
	laneRight  = words("laneRight", 1<<8)
)

// prepare emits what is done once for a row.
func (l *lanes) prepare(last Register) {
	isa, r := l.isa, l.r
	l.last = GP64()
	MOVQ(last, l.last)
	SUBQ(U8(l.pixels-l.group), l.last)

	Comment("Windows must be within the source. What is added to places must not overflow.")
	none, g := GP64(), GP32()
	MOVQ(I32(-1), none)
	atLeast := func(field string, n int) {
		CMPL(Address(r.Field(field)), U8(n))
		CMOVQLT(none, l.last)
	}
	atLeast("right", l.columns)
	atLeast("bottom", l.rows)
	count := GP32()
	MOVL(Address(r.Field("shift")), count)
	ADDL(U8(5), count)
	l.whole = AllocLocal(16)
	x := XMM()
	VMOVD(count, x)
	VMOVDQU(x, l.whole)
	origin := func(first, of string) Op {
		const most = 1 << 20
		MOVL(Address(r.Field(of)), g)
		ADDL(U32(most), g)
		CMPL(g, U32(2*most))
		CMOVQHI(none, l.last)
		v, w := l.broadcast(first), l.broadcast(of)
		VPSLLD(l.whole, w, w)
		VPSUBD(w, v, v)
		if l.size == 2 {
			return l.keep(v) // no register is left
		}
		return v
	}
	l.x0, l.y0 = origin("x0", "left"), origin("y0", "top")
	bound := func(field string, n uint32) Op {
		v := l.broadcast(field)
		VPSUBD(isa.Long(n), v, v)
		return l.keep(v)
	}
	l.right, l.bottom = bound("right", uint32(l.columns)), bound("bottom", uint32(l.rows))
	l.from = AllocLocal(8)
	MOVQ(I32(0), l.from)
}

// emit emits what makes the pixels from i on. If there are not as many left, or they come from
// elsewhere, nothing is done. While pixels are made, the windows of the next ones are found:
// each takes so long that it would not overlap with the one before otherwise.
func (l *lanes) emit() {
	CMPQ(l.i, l.from)
	JLT(LabelRef("gathers"))
	CMPQ(l.i, l.last)
	JGT(LabelRef("gathers"))
	these, after := l.newWindows(), l.newWindows()
	l.find(l.i, these)
	VPTEST(these.far, these.far)
	JNE(LabelRef("elsewhere"))
	Label("windows")
	next := GP64()
	LEAQ(Mem{Base: l.i, Disp: l.pixels}, next)
	CMPQ(next, l.last)
	CMOVQGT(l.last, next)
	l.find(next, after)
	l.mix(these)
	CMPQ(l.i, l.last)
	JEQ(LabelRef("done"))
	MOVQ(next, l.i)
	l.isa.Move(after.px, these.px)
	l.isa.Move(after.py, these.py)
	for i, at := range after.at {
		MOVQ(at, these.at[i])
	}
	VPTEST(after.far, after.far)
	JEQ(LabelRef("windows"))
	Label("elsewhere")
	l.pause(lanePause)
	Label("gathers")
}

// pause emits that windows are not tried for the next pixels.
func (l *lanes) pause(pixels int) {
	next := GP64()
	LEAQ(Mem{Base: l.i, Disp: pixels}, next)
	MOVQ(next, l.from)
}

// A windows is where pixels come from: their places relative to the windows of their lanes, in
// 1/32 pixel, and the windows' first bytes. If any bit of far is set, they come from elsewhere.
type windows struct {
	px, py, far Register
	at          []Register
}

// newWindows returns windows in new registers.
func (l *lanes) newWindows() *windows {
	w := &windows{px: l.isa.Vec(), py: l.isa.Vec(), far: l.isa.Vec()}
	for range l.isa.Bytes / 16 {
		w.at = append(w.at, GP64())
	}
	return w
}

// find finds the windows of the pixels from i on.
func (l *lanes) find(i Register, w *windows) {
	isa := l.isa
	origin := func(base Register, first, most Op, p Register) VecVirtual {
		sums := l.sums(base, i, first)
		o := l.first(sums)
		VPMINUD(most, o, o)
		l.relative(sums, o, p)
		return o
	}
	column := origin(l.x, l.x0, l.right, w.px)
	row := origin(l.y, l.y0, l.bottom, w.py)
	if l.size == 2 {
		VPADDD(column, column, column)
	}
	VPMULLD(l.step, row, row)
	VPADDD(column, row, row)
	x := XMM()
	VMOVD(row.AsX(), w.at[0].(GPVirtual).As32())
	VEXTRACTI128(U8(1), row, x)
	VMOVD(x, w.at[1].(GPVirtual).As32())
	for _, at := range w.at {
		ADDQ(l.pix, at)
	}
	l.prefetch(w.at[0])
	tall := isa.Vec()
	beyond := func(p, dst Register, words, longs func() Mem) {
		if l.size == 2 {
			VPMAXUD(longs(), p, dst)
			VPXOR(longs(), dst, dst)
		} else {
			VPSUBUSW(words(), p, dst)
		}
	}
	beyond(w.px, w.far, laneWidest, laneWidest16)
	beyond(w.py, tall, laneLowest, laneLowest16)
	VPOR(tall, w.far, w.far)
}

// mix16 makes and stores the pixels of windows, of 16 bits.
func (l *lanes) mix16(w *windows) {
	isa := l.isa
	Comment("The numbers that a pixel needs of a row.")
	column := isa.Vec()
	VPSRLD(U8(5), w.px, column)
	index := l.pairIndex(column)
	row := func(n int) VecVirtual {
		v := isa.Vec()
		l.load(w.at, n, v)
		VPSHUFB(index, v, v)
		return v
	}
	upper, lower, third, below := row(0), row(1), row(2), isa.Vec()
	VPCMPGTD(laneOneRow16(), w.py, below)
	VPBLENDVB(below, lower, upper, upper)
	VPBLENDVB(below, third, lower, lower)
	l.store(l.mixPairs(upper, lower, w.px, w.py))
}

// mix makes and stores the pixels of windows.
func (l *lanes) mix(w *windows) {
	if l.size == 2 {
		l.mix16(w)
		return
	}
	isa := l.isa
	Comment("Which bytes of a row a pixel needs, and their weights.")
	index := isa.Vec()
	VPSLLW(U8(3), w.px, index)
	VPSHUFB(laneColumn(), index, index)
	VPADDB(laneRight(), index, index)
	wx := l.wordWeights(w.px)
	row := func(n int) VecVirtual {
		v := isa.Vec()
		l.load(w.at, n, v)
		VPSHUFB(index, v, v)
		VPMADDUBSW(wx, v, v)
		return v
	}
	upper, lower, third, below, tall := row(0), row(1), row(2), isa.Vec(), isa.Vec()
	VPSUBUSW(laneTwoRow(), w.py, tall)
	VPCMPGTW(laneOneRow(), w.py, below)
	VPBLENDVB(below, lower, upper, upper)
	VPBLENDVB(below, third, lower, lower)
	VPTEST(tall, tall)
	JEQ(LabelRef("low"))

	rows, number := l.others(w.py), isa.Load(wordOne())
	y := isa.Vec()
	VPSRLW(U8(5), w.py, y)
	Label("rows")
	for _, at := range w.at {
		ADDQ(l.stride, at)
	}
	VPADDW(wordOne(), number, number)
	next := row(2)
	VPCMPEQW(number, y, below)
	VPBLENDVB(below, third, upper, upper)
	VPBLENDVB(below, next, lower, lower)
	isa.Move(next, third)
	DECL(rows)
	JNE(LabelRef("rows"))
	Label("low")

	mixRows(upper, lower, l.wordShares(w.py), round())
	x := XMM()
	VEXTRACTI128(U8(1), lower, x)
	VPACKUSWB(x, lower.AsX(), x)
	VMOVDQU(x, Mem{Base: l.to, Index: l.i, Scale: 1})
}

// sums returns the places of the pixels, relative to the source, before they are shifted: the
// first four of each lane, and the last four if there are eight.
func (l *lanes) sums(base, i Register, first Op) []Register {
	v := make([]Register, l.each/4)
	for k := range v {
		v[k] = l.isa.Vec()
		m := Mem{Base: base, Index: i, Scale: 4, Disp: 16 * k}
		if len(v) == 1 {
			VMOVDQU(m, v[k])
		} else {
			VBROADCASTI128(m, v[k])
			VINSERTI128(U8(1), m.Offset(4*l.each), v[k], v[k])
		}
		VPADDD(first, v[k], v[k])
	}
	return v
}

// first returns the column or row of the first pixel of each lane or of the last one, the lesser
// one.
func (l *lanes) first(sums []Register) VecVirtual {
	a, b := l.isa.Vec(), l.isa.Vec()
	VPSHUFD(U8(0), sums[0], a)
	VPSHUFD(U8(0xff), sums[len(sums)-1], b)
	VPMINSD(a, b, a)
	VPSRAD(l.whole, a, a)
	return a
}

// relative sets dst to the places relative to a column or row of each lane: those of eight pixels
// as words, of which far ones saturate.
func (l *lanes) relative(sums []Register, origin, dst Register) {
	isa := l.isa
	o := isa.Vec()
	VPSLLD(l.whole, origin, o)
	if len(sums) == 1 {
		VPSUBD(o, sums[0], dst)
		VPSRAD(l.shift, dst, dst)
		return
	}
	var parts [2]Register
	for i, v := range sums {
		parts[i] = isa.Do(op.SubLong, v, o)
		VPSRAD(l.shift, parts[i], parts[i])
	}
	VPACKSSDW(parts[1], parts[0], dst)
}

// load loads a row of the windows, 0 to 2.
func (l *lanes) load(at []Register, row int, v Register) {
	for lane, base := range at {
		m := Mem{Base: base}
		if row > 0 {
			m.Index, m.Scale = l.stride, uint8(row)
		}
		if lane == 0 {
			VBROADCASTI128(m, v)
		} else {
			VINSERTI128(U8(lane), m, v, v)
		}
	}
}

// others returns the number of rows from the third one to the last one that a pixel's upper
// neighbors are in.
func (l *lanes) others(py Register) GPVirtual {
	most, x, g := XMM(), XMM(), GP32()
	VEXTRACTI128(U8(1), py, most)
	VPMAXUW(asX(py), most, most)
	VPCMPEQD(x, x, x)
	VPXOR(x, most, most)
	VPHMINPOSUW(most, most)
	VMOVD(most, g)
	NOTL(g)
	SHRL(U8(5), g)
	ANDL(U8(l.rows-1), g)
	DECL(g)
	return g
}
