package main

import (
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// centre stands for the pixel in the middle of the ring where ring pixels have
// the numbers 0 to 15.
const centre = 16

// arcTest returns, for each pixel of a vector, by how much its best arc of n
// ring pixels, 9 to 12, differs from it, or 0 where it has none: the pixel is a
// corner when that exceeds the threshold, and its score is one less.
//
// ring gives the operand that holds ring pixel i, counted from 0, and for
// centre the pixels themselves. It may be asked twice; arcTest overwrites the
// registers that it gives.
func (s isa) arcTest(n int, ring func(i int) Op) Register {
	if s.ISA == vec.AVX512 {
		// The registers hold the ring, and the other way is slower: what it
		// saves is less than the wait for its answer.
		most := arcs{s, ring, vec.Min, vec.Max}.best(n)
		least := arcs{s, ring, vec.Max, vec.Min}.best(n)
		centre := s.Register(ring(centre))
		s.DoTo(vec.SubSat, most, centre, most)
		s.DoTo(vec.Max, most, s.Do(vec.SubSat, centre, least), most)
		return most
	}
	// A pixel without a bright arc is turned into its negative, and then bright
	// arcs are all that is left to look for.
	negative := s.AtMost(s.polarity(n, ring), ring(centre), s.Zero())
	flip := func(v Op) Register {
		if s.ISA == vec.AVX2 && IsM(v) {
			return s.Do(vec.Xor, negative, v)
		}
		r := s.Register(v)
		s.DoTo(vec.Xor, r, negative, r)
		return r
	}
	best := arcs{s, func(i int) Op { return flip(ring(i)) }, vec.Min, vec.Max}.best(n)
	s.DoTo(vec.SubSat, best, flip(ring(centre)), best)
	return best
}

// polarity returns a value that is brighter than the centre where there is a
// bright arc of n ring pixels, and not brighter where there is a dark one.
//
// Take two groups of ring pixels that lie opposite each other, so far apart that
// the pixels left out of an arc cannot touch both. Then an arc holds one of them
// whole. Here the groups are 15 and 1 against 7 and 9 and, turned by a quarter, 3
// and 5 against 11 and 13; for arcs of 9, 0 and 1 against 8 and 9, turned by
// eighths. For every pair of groups a bright arc makes one of the two bright,
// while a dark arc leaves out too few pixels for that.
func (s isa) polarity(n int, ring func(i int) Op) Register {
	first, gap, turn := 15, 2, 4
	if n == 9 {
		first, gap, turn = 0, 1, 2
	}
	var all Register
	for i := first; i < first+8; i += turn {
		group := func(i int) Register {
			return s.Reuse(vec.Min, s.Register(ring(i&15)), ring((i+gap)&15))
		}
		one := s.Reuse(vec.Max, group(i), group(i+8))
		if all == nil {
			all = one
		} else {
			all = s.Reuse(vec.Min, all, one)
		}
	}
	return all
}

// arcs finds the best bright arcs or, with minimum and maximum swapped, the
// best dark ones: the largest of the minima over all arcs.
type arcs struct {
	isa
	ring     func(i int) Op
	min, max vec.Binary
}

// best does arcs of n ring pixels, 10 to 12. It asks for each ring pixel once
// and overwrites the registers that hold them.
//
// n contiguous ring pixels are bright exactly when of every two at a circular
// distance of 16-n or more one at least is: what such an arc leaves out, 16-n
// pixels, is too short to hold both, and three gaps of at most 15-n pixels
// cannot close a ring of 16. So the largest of the minima over the arcs is a
// minimum of maxima. Grouped by the first of the two pixels it is
//
//	min over i < n of max(r[i], min(r[i+16-n], ..., r[min(i+n, 15)])).
//
// The windows of neighbouring i share the minima of the pixels up to n, of those
// after n, and of those up to 15.
func (a arcs) best(n int) Register {
	if n == 9 {
		return a.best9()
	}
	var r, upTo15, upToN [16]Register
	terms := tree{join: func(x, y Register) { a.DoTo(a.min, x, y, x) }}

	for j := 15; j > n; j-- {
		r[j] = a.Register(a.ring(j))
		upTo15[j] = r[j]
		if j < 15 {
			upTo15[j] = a.Do(a.min, upTo15[j+1], r[j])
		}
	}
	upToN[n] = a.Register(a.ring(n))
	for i := n - 1; i >= 16-n; i-- {
		// The window of i ends at pixel 15.
		r := a.Register(a.ring(i))
		upToN[i] = a.Do(a.min, upToN[i+1], r)
		if begin := i + 16 - n; begin > n {
			r = a.Reuse(a.max, r, upTo15[begin])
		} else {
			r = a.Reuse(a.max, r, a.Do(a.min, upTo15[n+1], upToN[begin]))
		}
		terms.add(r)
	}
	var afterN Register // the minimum of the pixels from n+1 to i+n
	for i := 0; i < 16-n; i++ {
		window := upToN[i+16-n]
		switch {
		case i == 1:
			afterN = r[n+1]
		case i+n == 15:
			afterN = upTo15[n+1]
		case i > 1:
			afterN = a.Reuse(a.min, afterN, r[i+n])
		}
		switch {
		case window == nil:
			window = afterN
		case i > 0:
			window = a.Reuse(a.min, window, afterN)
		}
		terms.add(a.Reuse(a.max, a.Register(a.ring(i)), window))
	}
	return terms.root()
}

// best9 does arcs of 9 ring pixels, which are too short for the argument of
// best. The two arcs that begin at an even pixel k and at the one after it have
// 8 pixels in common and one more at either end.
func (a arcs) best9() Register {
	var m2, m4 [16]Register // minima over 2 and 4 pixels from the odd pixel j on
	for j := 1; j < 16; j += 2 {
		m2[j] = a.Do(a.min, a.Register(a.ring(j)), a.ring((j+1)&15))
	}
	for j := 1; j < 16; j += 2 {
		m4[j] = a.Do(a.min, m2[j], m2[(j+2)&15])
	}
	best := tree{join: func(x, y Register) { a.DoTo(a.max, x, y, x) }}
	for k := 0; k < 16; k += 2 {
		v := a.Do(a.max, a.Register(a.ring(k)), a.ring((k+9)&15))
		a.DoTo(a.min, v, m4[k+1], v)
		a.DoTo(a.min, v, m4[(k+5)&15], v)
		best.add(v)
	}
	return best.root()
}

// A tree joins values as they come, those of equal depth first, so that none
// waits for long.
type tree struct {
	join  func(x, y Register) // into x
	parts [5]Register         // of 1, 2, 4, ... values
}

func (t *tree) add(v Register) {
	i := 0
	for ; t.parts[i] != nil; i++ {
		t.join(v, t.parts[i])
		t.parts[i] = nil
	}
	t.parts[i] = v
}

func (t *tree) root() Register {
	var v Register
	for _, part := range t.parts {
		switch {
		case part == nil:
		case v == nil:
			v = part
		default:
			t.join(v, part)
		}
	}
	return v
}
