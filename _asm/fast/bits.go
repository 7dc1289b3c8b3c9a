package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// comparisons perform the arc test with AVX-512 by bits: the top bit of a byte tells how a
// ring pixel compares with the center, and the other bits are arbitrary. The threshold is
// at most 254.
//
// The average of x and k, rounded up, has its top bit set if x+k+1 >= 256, that is if
// x >= 255-k. On processors with one port for averages, minima and maxima and two for
// logic, an arc of bits takes half the time of an arc of differences.
type comparisons struct {
	threshold, more Register // more is the threshold + 1
	top, all        Register // 0x80 and 0xff
}

func newComparisons(threshold Component) comparisons {
	g := GP32()
	broadcast := func() Register {
		v := ZMM()
		VPBROADCASTB(g, v)
		return v
	}
	var c comparisons
	Load(threshold, g)
	c.threshold = broadcast()
	INCL(g)
	c.more = broadcast()
	MOVL(U32(0x80), g)
	c.top = broadcast()
	MOVL(U32(0xff), g)
	c.all = broadcast()
	return c
}

// Truth tables of VPTERNLOG: bit 4*a+2*b+c is the result for the operands a, which is
// overwritten, b and c.
const (
	and         = 0x80 // a & b & c
	or          = 0xfe // a | b | c
	orPair      = 0xf8 // a | b&c
	majority    = 0xe8 // two of three
	equal       = 0x81 // a == b && b == c
	eitherEqual = 0xbd // a == c || b == c
	oddOnes     = 0x96 // a ^ b ^ c
)

// logic replaces a with a function of the three operands, and returns it.
func logic(table uint8, a, b, c Register) Register {
	VPTERNLOGQ(U8(table), c, b, a)
	return a
}

// join returns the conjunction or disjunction of eight values, which it overwrites.
func join(table uint8, v [8]Register) Register {
	a := logic(table, v[0], v[1], v[2])
	b := logic(table, v[3], v[4], v[5])
	c := logic(table, v[6], v[7], a)
	return logic(table, b, c, c)
}

// negative returns 255 minus the pixels.
func (c comparisons) negative(pixels Op) Register {
	v := ZMM()
	VPXORQ(pixels, c.all, v)
	return v
}

// ringPixels are the ring pixels of a block, counted from 0, and the center, in memory.
type ringPixels struct {
	at   func(i int) Mem
	kept [17]Register
}

// keep loads ring pixel i into a register, which get returns from now on.
func (p *ringPixels) keep(i int) Register {
	p.kept[i] = AVX512.Load(p.at(i))
	return p.kept[i]
}

// get returns an operand with ring pixel i.
func (p *ringPixels) get(i int) Op {
	if r := p.kept[i]; r != nil {
		return r
	}
	return p.at(i)
}

// polarity returns a value whose top bits are set where there is a bright arc of n ring
// pixels, and clear where there is a dark one: the majority vote of some ring pixels on
// whether they are not darker than the center. The pixels outside an arc are too few to
// outvote it. For arcs of 9 and 10 some of the votes are majorities themselves.
//
// center is 255 minus the center.
func (comparisons) polarity(n int, ring *ringPixels, center Register) Register {
	vote := func(i int) Register {
		v := ZMM()
		VPAVGB(ring.keep(i), center, v)
		return v
	}
	of := func(a, b, c Register) Register { return logic(majority, a, b, c) }
	switch n {
	case 9:
		return of(of(vote(0), vote(6), vote(11)), of(vote(2), vote(8), vote(13)), of(vote(4), vote(9), vote(15)))
	case 10:
		return of(of(vote(2), vote(6), vote(12)), vote(0), vote(8))
	case 11:
		return of(vote(0), vote(5), vote(10))
	}
	return of(vote(0), vote(4), vote(8))
}

// corners returns a value whose top bits are set where there is an arc of n ring
// pixels.
func (c comparisons) corners(n int, ring *ringPixels) Register {
	center := c.negative(ring.at(center))
	side := c.polarity(n, ring, center)
	Comment(
		"Nothing is brighter than 255. Where the limit would be brighter, only dark arcs are",
		"possible.",
	)
	possible, bright := K(), K()
	VPCMPUB(U8(CmpNotLess), c.more, center, possible)
	VPTESTMB(c.top, side, possible, bright)
	VPMOVM2B(bright, side)
	Comment(
		"The bit of a comparison tells whether a ring pixel is bright or, on the dark side,",
		"whether it is not dark.",
	)
	limit := ZMM()
	VPADDUSB(c.threshold, center, limit)
	VPSUBUSB(c.more, center, bright, limit)
	compare := func(i int) Register {
		v := ZMM()
		VPAVGB(ring.get(i), limit, v)
		return v
	}
	if n == 9 {
		return c.arc9(side, compare)
	}

	// on(i) tells whether the ring pixels i and i+1 are both on the center's side.
	var ons [16]Register
	on := func(i int) Register { return ons[i&15] }
	first := compare(0)
	next := first
	for i := range ons {
		this := next
		if i == 0 {
			this = ZMM()
			VMOVDQA64(first, this)
		}
		if next = first; i < 15 {
			next = compare(i + 1)
		}
		ons[i] = logic(equal, this, next, side)
	}
	var terms [8]Register
	for i := range terms {
		terms[i] = ZMM()
		switch n {
		case 10:
			terms[i] = logic(orPair, on(2*i), on(2*i+7), on(2*i+9))
		case 11:
			VPANDQ(on(i), on(i+2), terms[i])
			logic(orPair, terms[i], on(i+8), on(i+10))
		case 12:
			VPANDQ(on(2*i), on(2*i+2), terms[i])
			both := ZMM()
			VPANDQ(on(2*i+7), on(2*i+9), both)
			logic(orPair, terms[i], both, on(2*i+11))
		}
	}
	return join(and, terms)
}

// differences is arcTest with the polarity found by comparisons.
func (c comparisons) differences(n int, ring *ringPixels) Register {
	s := isa{AVX512}
	side := c.polarity(n, ring, c.negative(ring.keep(center)))
	Comment(
		"A pixel and its ring are negated if it has no bright arc, so that only bright arcs are",
		"left to look for.",
	)
	dark := K()
	VPTESTNMB(c.top, side, dark)
	VPMOVM2B(dark, side)
	flip := func(v Op) Register { return s.Do(op.Xor, side, v) }
	return s.compute(brightTest(n), func(i int) Op { return flip(ring.get(i)) })
}

// arc9 is the last part of corners for arcs of 9. The two arcs that begin at an
// even pixel k and at the one after it have 8 pixels in common and one more at
// either end.
func (c comparisons) arc9(side Register, compare func(i int) Register) Register {
	var bits, four, arcs [16]Register
	for i := range bits {
		bits[i] = compare(i)
	}
	for k := 0; k < 16; k += 2 {
		arcs[k] = ZMM()
		VMOVDQA64(bits[k], arcs[k])
		logic(eitherEqual, arcs[k], bits[(k+9)&15], side)
	}
	for j := 1; j < 16; j += 2 {
		logic(equal, bits[j], bits[(j+1)&15], side)
	}
	for j := 1; j < 16; j += 2 {
		four[j] = ZMM()
		VPANDQ(bits[j], bits[(j+2)&15], four[j])
	}
	var all [8]Register
	for i := range all {
		k := 2 * i
		all[i] = logic(and, arcs[k], four[k+1], four[(k+5)&15])
	}
	return join(or, all)
}

// screenTable emits screen for AVX-512 for processors that have one port for permutes and
// one for minima and maxima. The pixels to the left and right of a block are loaded. The
// four ring pixels are compared without differences, and the smaller of two is found by
// logic. One loop goes through all blocks of a run, by the table of their places: a branch
// at the end of each row would often be mispredicted.
func screenTable(arc12 bool) {
	s := isa{AVX512}
	f := s.newScreen("screenTable", arc12)
	offsets := Load(f.run.Field("offsets").Base(), GP64())
	ADDQ(f.pix, f.above)
	ADDQ(f.pix, f.below)
	pair := func(x, y Register) (most, least Register) {
		most = s.Do(op.Max, x, y)
		return most, logic(oddOnes, x, y, most) // what is left of all three
	}
	Comment("Each block, by its offset.")
	eachOrOne(f.n, "", 2, func(count int) {
		for i := range count {
			p := GP64()
			MOVLQSX(Mem{Base: offsets, Disp: 4 * i}, p)
			at := func(row Register, x int) Mem { return Mem{Base: row, Index: p, Scale: 1, Disp: x} }
			PREFETCHT0(at(f.below, prefetchBytes))
			most, least := pair(s.Load(at(f.above, 0)), s.Load(at(f.below, 0)))
			mostBeside, leastBeside := pair(s.Load(at(f.pix, -radius)), s.Load(at(f.pix, radius)))
			most, least = s.Do(op.Min, most, mostBeside), s.Do(op.Max, least, leastBeside)
			if arc12 {
				most, least = s.Do(op.Min, most, least), s.Do(op.Max, most, least)
			}
			center, k := s.Load(at(f.pix, 0)), K()
			VPCMPUB(U8(CmpAtMost), s.Do(op.AddSat, center, f.threshold), most, k)
			VPCMPUB(U8(CmpNotLess), s.Do(op.SubSat, center, f.threshold), least, k, k)
			KMOVQ(k, Mem{Base: f.grid, Disp: 8 * i})
		}
		ADDQ(U8(4*count), offsets)
		ADDQ(U8(8*count), f.grid)
	})
	s.End()
}
