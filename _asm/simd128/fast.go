package main

import (
	. "github.com/fastcorners/fast/_asm/internal/wasm"
)

const (
	radius = 3  // of the ring
	block  = 64 // pixels of a block, in vectors of 16
	bytes  = 16 // pixels of a vector
)

// rows and columns are those of the ring pixels, from 3 above and 3 to the left of the center
// on. Ring pixel n of the literature is number n-1.
var (
	rows    = [16]int{0, 0, 1, 2, 3, 4, 5, 6, 6, 6, 5, 4, 3, 2, 1, 0}
	columns = [16]int{3, 4, 5, 6, 6, 6, 5, 4, 3, 2, 1, 0, 0, 0, 1, 2}
)

// A neighborhood is pointers to the seven rows around some pixels, 3 to their left.
type neighborhood [2*radius + 1]Value

// newNeighborhood returns that of the pixels at an address.
func newNeighborhood(f *Function, at, stride Value) (n neighborhood) {
	n[0] = f.Let(Do("i32.sub", at, stride.Times(radius)).Plus(-radius))
	for i := range n[1:] {
		n[i+1] = f.Let(sum(n[i], stride))
	}
	return n
}

// advance goes on by a number of pixels.
func (n neighborhood) advance(f *Function, pixels int) {
	for _, row := range n {
		f.Advance(row, pixels)
	}
}

// center returns the 16 pixels themselves.
func (n neighborhood) center() Value {
	return Load("v128.load", n[radius], radius)
}

// ring returns one ring pixel of each.
func (n neighborhood) ring(i int) Value {
	return Load("v128.load", n[rows[i]], columns[i])
}

// screen emits the first stage, for arcs of up to 11 ring pixels or for those of 12. It finds
// the pixels that cannot be corners, judging by the four ring pixels straight above, below,
// left and right. Any arc of 9 to 11 contains at least one of any two opposite ring pixels,
// and an arc of 12 contains three of the four.
func (b builder) screen(name string, arc12 bool) {
	f := b.kernel(name, "sieveRun")
	grid, offsets := f.Int("grid"), f.Int("offsets")
	end := f.Let(sum(grid, f.Len("grid").Times(8)))
	pix := f.Let(sum(f.Int("pix"), f.Int("first")))
	stride := f.Int("stride")
	below := f.Let(stride.Times(2 * radius)) // from ring pixel 1 to ring pixel 9
	threshold := f.Let(Do("i8x16.splat", f.Field("i32.load8_u", "threshold")))
	f.While(Do("i32.ne", grid, end), func() {
		here := f.Let(sum(pix, Load("i32.load", offsets, 0)).Plus(-radius))
		above := f.Let(Do("i32.sub", here, stride.Times(radius)))
		below := f.Let(sum(above, below))
		var masks [block / bytes]Value
		for i := range masks {
			pixels := func(row Value, x int) Value { return f.Let(Load("v128.load", row, i*bytes+radius+x)) }
			up, down, west, east := pixels(above, 0), pixels(below, 0), pixels(here, -radius), pixels(here, radius)
			center := pixels(here, 0)
			most := f.Let(Do("i8x16.min_u", Do("i8x16.max_u", up, down), Do("i8x16.max_u", west, east)))
			least := f.Let(Do("i8x16.max_u", Do("i8x16.min_u", up, down), Do("i8x16.min_u", west, east)))
			if arc12 {
				most, least = f.Let(Do("i8x16.min_u", most, least)), f.Let(Do("i8x16.max_u", most, least))
			}
			notBright := Do("i8x16.le_u", most, Do("i8x16.add_sat_u", center, threshold))
			notDark := Do("i8x16.ge_u", least, Do("i8x16.sub_sat_u", center, threshold))
			masks[i] = f.Let(Do("i8x16.bitmask", Do("v128.and", notBright, notDark)))
		}
		for i := 0; i < len(masks); i += 2 {
			f.Store("i32.store", grid, 2*i, Do("i32.or", masks[i], Do("i32.shl", masks[i+1], Int(bytes))))
		}
		f.Advance(offsets, 4)
		f.Advance(grid, 8)
	})
}

// compact emits the stage that lists the masks that are not zero.
func (b builder) compact() {
	f := b.kernel("compact", "sieveRun")
	from, places, allowed := f.Int("from"), f.Int("fromOrigins"), f.Int("allowed")
	end := f.Let(sum(from, f.Len("from").Times(8)))
	masks, origins, count := f.Int("masks"), f.Int("origins"), f.Let(Int(0))
	list := func(mask Value) {
		mask = f.Let(mask)
		f.Store("i64.store", sum(masks, count.Times(8)), 0, mask)
		f.Store("i32.store", sum(origins, count.Times(4)), 0, Load("i32.load", places, 0))
		f.Set(count, sum(count, Do("i64.ne", mask, Int64(0))))
		f.Advance(from, 8)
		f.Advance(places, 4)
	}
	f.If(allowed, func() {
		f.While(Do("i32.ne", from, end), func() {
			list(Do("i64.and", Load("i64.load", allowed, 0), Do("i64.xor", Load("i64.load", from, 0), Int64(-1))))
			f.Advance(allowed, 8)
		})
	})
	f.While(Do("i32.ne", from, end), func() { list(Load("i64.load", from, 0)) })
	f.SetInt("count", count)
}

// A list is a loop over the listed masks of a run.
type list struct {
	*Function
	masks, origins, end Value
	mask                Value // the current one
	row, column         Value
}

// eachMask emits a loop over the listed masks.
func eachMask(f *Function, do func(l *list)) {
	l := &list{Function: f, masks: f.Int("masks"), origins: f.Int("origins")}
	l.end = f.Let(sum(l.masks, f.Int("count").Times(8)))
	f.While(Do("i32.ne", l.masks, l.end), func() {
		origin := f.Let(Load("i32.load", l.origins, 0))
		l.row = f.Let(Do("i32.shr_u", origin, Int(16)))
		l.column = f.Let(Do("i32.and", origin, Int(0xffff)))
		l.mask = f.Let(Load("i64.load", l.masks, 0))
		do(l)
		f.Advance(l.masks, 8)
		f.Advance(l.origins, 4)
	})
}

// eachVector emits a loop over the vectors of a block, of which do changes those of the
// mask's 16 lowest bits that are set. After each, next goes on to the next pixels.
func (l *list) eachVector(do func(bits Value), next func()) {
	shift, kept := l.Let(Int64(0)), l.Let(Int64(0))
	l.While(Do("i64.ne", shift, Int64(block)), func() {
		bits := l.Let(Do("i32.and", Do("i32.wrap_i64", Do("i64.shr_u", l.mask, shift)), Int(0xffff)))
		do(bits)
		l.Set(kept, Do("i64.or", kept, Do("i64.shl", Do("i64.extend_i32_u", bits), shift)))
		l.Set(shift, Do("i64.add", shift, Int64(bytes)))
		next()
	})
	l.Function.Store("i64.store", l.masks, 0, kept)
}

// exact emits the stage that takes the pixels from the listed masks that are not corners of
// an arc length, and stores scores. A corner is a pixel whose best arc differs by more than
// the threshold.
func (b builder) exact(arc int) {
	f := b.kernel([]string{"exact9", "exact10", "exact11", "exact12"}[arc-9], "sieveRun")
	pix := f.Let(sum(f.Int("pix"), f.Int("base")))
	stride, scores, scoreStride := f.Int("stride"), f.Int("scores"), f.Int("scoreStride")
	threshold := f.Let(Do("i8x16.splat", f.Field("i32.load8_u", "threshold")))
	eachMask(f, func(l *list) {
		n := newNeighborhood(f, sum(pix, Do("i32.mul", l.row, stride), l.column), stride)
		out := f.Let(sum(scores, Do("i32.mul", l.row, scoreStride), l.column))
		l.eachVector(func(bits Value) {
			best := f.Let(zero)
			f.If(bits, func() {
				center := f.Let(n.center())
				brighter := bestArc(f, arc, func(i int) Value { return Do("i8x16.sub_sat_u", n.ring(i), center) })
				darker := bestArc(f, arc, func(i int) Value { return Do("i8x16.sub_sat_u", center, n.ring(i)) })
				f.Set(best, Do("i8x16.max_u", brighter, darker))
				corners := Do("v128.and", Do("i8x16.gt_u", best, threshold), lanes(bits))
				f.Set(best, Do("v128.and", best, corners))
				f.Set(bits, Do("i8x16.bitmask", Do("i8x16.gt_u", best, zero)))
			})
			f.If(scores, func() { f.Store("v128.store", out, 0, best) })
		}, func() {
			n.advance(f, bytes)
			f.Advance(out, bytes)
		})
	})
}

// lanes returns a vector of bytes that are 255 where a bit is set.
func lanes(bits Value) Value {
	spread := Do("i8x16.swizzle", Do("i16x8.splat", bits), Bytes(func(i int) uint8 { return uint8(i / 8) }))
	each := Bytes(func(i int) uint8 { return 1 << (i % 8) })
	return Do("i8x16.eq", Do("v128.and", spread, each), each)
}

// bestArc emits code that finds the largest of the minima over the arcs of a length, 9 to
// 12, and returns it. Two arcs that begin side by side share all but one pixel each.
func bestArc(f *Function, arc int, difference func(i int) Value) Value {
	minimum := func(a, b Value) Value { return f.Let(Do("i8x16.min_u", a, b)) }
	var d, m2, m4 [16]Value
	for i := range d {
		d[i] = f.Let(difference(i))
	}
	for i := 1; i < 16; i += 2 {
		m2[i] = minimum(d[i], d[(i+1)%16])
	}
	for i := 1; i < 16; i += 2 {
		m4[i] = minimum(m2[i], m2[(i+2)%16])
	}
	best := f.Let(zero)
	for i := 0; i < 16; i += 2 {
		shared := minimum(m4[i+1], m4[(i+5)%16]) // of 8 pixels
		switch arc {
		case 10:
			shared = minimum(shared, d[(i+9)%16])
		case 11:
			shared = minimum(shared, m2[(i+9)%16])
		case 12:
			shared = minimum(minimum(shared, m2[(i+9)%16]), d[(i+11)%16])
		}
		either := Do("i8x16.max_u", d[i], d[(i+arc)%16])
		f.Set(best, Do("i8x16.max_u", best, Do("i8x16.min_u", shared, either)))
	}
	return best
}

// peaks emits the stage that takes the pixels from the listed masks whose scores do not
// exceed those around them.
func (b builder) peaks() {
	f := b.kernel("peaks", "sieveRun")
	scores, stride := f.Int("scores"), f.Int("scoreStride")
	tie := f.Let(Do("i8x16.splat", f.Field("i32.load8_u", "tie")))
	eachMask(f, func(l *list) {
		here := f.Let(sum(scores, Do("i32.mul", l.row, stride), l.column).Plus(-1))
		l.eachVector(func(bits Value) {
			f.If(bits, func() {
				above, below := f.Let(Do("i32.sub", here, stride)), f.Let(sum(here, stride))
				score := func(row Value, i int) Value { return Load("v128.load", row, i) }
				earlier := reduce("i8x16.max_u", score(above, 0), score(above, 1), score(above, 2), score(here, 0))
				later := reduce("i8x16.max_u", score(here, 2), score(below, 0), score(below, 1), score(below, 2))
				most := Do("i8x16.max_u", earlier, Do("i8x16.sub_sat_u", later, tie))
				peaks := Do("i8x16.bitmask", Do("i8x16.gt_u", score(here, 1), most))
				f.Set(bits, Do("i32.and", bits, peaks))
			})
		}, func() { f.Advance(here, bytes) })
	})
}

// wipe emits the stage that sets the scores of the listed blocks to 0.
func (b builder) wipe() {
	f := b.kernel("wipe", "sieveRun")
	scores, stride := f.Int("scores"), f.Int("scoreStride")
	eachMask(f, func(l *list) {
		out := f.Let(sum(scores, Do("i32.mul", l.row, stride), l.column))
		for i := 0; i < block; i += bytes {
			f.Store("v128.store", out, i, zero)
		}
	})
}

// pack emits the stage that lists the positions of the pixels of the listed masks and their
// scores.
func (b builder) pack() {
	f := b.kernel("pack", "sieveRun")
	scores, stride := f.Int("scores"), f.Int("scoreStride")
	packed, packedScores := f.Int("packed"), f.Int("packedScores")
	count := f.Let(Int(0))
	eachMask(f, func(l *list) {
		origin := f.Let(Load("i32.load", l.origins, 0))
		from := f.Let(sum(scores, Do("i32.mul", l.row, stride), l.column))
		f.While(Do("i64.ne", l.mask, Int64(0)), func() {
			x := f.Let(Do("i32.wrap_i64", Do("i64.ctz", l.mask)))
			f.Store("i32.store", sum(packed, count.Times(4)), 0, sum(origin, x))
			f.If(packedScores, func() {
				f.Store("i32.store8", sum(packedScores, count), 0, Load("i32.load8_u", sum(from, x), 0).Plus(-1))
			})
			f.Advance(count, 1)
			f.Set(l.mask, Do("i64.and", l.mask, Do("i64.sub", l.mask, Int64(1))))
		})
	})
	f.SetInt("corners", count)
}
