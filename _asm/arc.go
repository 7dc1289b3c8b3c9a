package main

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// arcTest returns, for each pixel of a vector, by how much its best arc of n
// ring pixels, 9 to 12, differs from it: the pixel is a corner when that
// exceeds the threshold, and its score is one less. ring gives the operand that
// holds ring pixel i, counted from 0; it is asked for just before use. centre
// gives the pixels themselves.
//
// The best bright arc is the largest of the minima over all arcs, and the best
// dark arc the smallest of the maxima.
func (s isa) arcTest(n int, ring func(i int) Op, centre func() Register) Register {
	bright := polarity{minimum, maximum}
	dark := polarity{maximum, minimum}
	var best value
	if s.sideBySide(n) {
		best = arcs{s, ring, []polarity{bright, dark}}.best(n)
	} else {
		best = append(arcs{s, ring, []polarity{bright}}.best(n), arcs{s, ring, []polarity{dark}}.best(n)...)
	}
	most, least := best[0].(Register), best[1].(Register)
	c := centre()
	s.doTo(subSat, most, c, most)
	below := s.do(subSat, c, least)
	s.doTo(maximum, most, below, most)
	return most
}

// sideBySide tells whether there are registers enough to evaluate the bright
// and the dark arcs of n ring pixels together.
func (s isa) sideBySide(n int) bool {
	return n == 10 || n == 11 || n == 12 && s == avx512
}

// A polarity gives the meaning of minimum and maximum: as they are for bright
// arcs, and swapped for dark ones.
type polarity struct{ min, max binary }

// arcs evaluates the arcs of one polarity, or of both side by side.
type arcs struct {
	isa
	ring       func(i int) Op
	polarities []polarity
}

// A value holds one operand for each polarity.
type value []Op

// pixel returns ring pixel i.
func (a arcs) pixel(i int) value {
	r := a.ring(i)
	v := make(value, len(a.polarities))
	for i := range v {
		v[i] = r
	}
	return v
}

// min and max return the minimum or maximum in new registers, or just the other
// value where one is nil.
func (a arcs) min(x, y value) value {
	return a.fold(x, y, func(p polarity) binary { return p.min })
}

func (a arcs) max(x, y value) value {
	return a.fold(x, y, func(p polarity) binary { return p.max })
}

func (a arcs) fold(x, y value, op func(polarity) binary) value {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	v := make(value, len(a.polarities))
	for i, p := range a.polarities {
		x, y := x[i], y[i]
		if IsM(x) {
			x, y = y, x
		}
		if IsM(x) {
			x = a.load(x)
		}
		v[i] = a.do(op(p), x, y)
	}
	return v
}

// best returns the best arcs of n ring pixels, 9 to 12.
//
// For n of 10 or more, n contiguous ring pixels are bright exactly when of every two at a circular
// distance of 16-n or more one at least is: what such an arc leaves out, 16-n
// pixels, is too short to hold both, and three gaps of at most 15-n pixels
// cannot close a ring of 16. So the largest of the minima over the arcs is a
// minimum of maxima. Grouped by the first of the two pixels it is
//
//	min over i < n of max(r[i], min(r[i+16-n], ..., r[min(i+n, 15)])).
func (a arcs) best(n int) value {
	if n == 9 {
		return a.best9()
	}
	// The window of i, from i+16-n to min(i+n, 15), is put together from
	// minima that neighbouring windows share: those that end at pixel n, those
	// that begin after it, and those that end at pixel 15.
	toN := map[int]value{n: a.pixel(n)}
	for j := n - 1; j >= 16-n; j-- {
		toN[j] = a.min(toN[j+1], a.pixel(j))
	}
	var best, fromN, to15 value
	term := func(i int, window value) {
		best = a.min(best, a.max(window, a.pixel(i)))
	}
	for i := 0; i+n <= 15; i++ {
		if i > 0 {
			fromN = a.min(fromN, a.pixel(i+n))
		}
		term(i, a.min(toN[i+16-n], fromN))
	}
	for i := n - 1; i+n > 15; i-- {
		if j := i + 16 - n; j > n+1 {
			to15 = a.min(to15, a.pixel(j))
			term(i, to15)
		} else {
			term(i, a.min(fromN, toN[j]))
		}
	}
	return best
}

// best9 returns the best arcs of 9 ring pixels, which are too short for the
// argument above. The two arcs that begin at an even pixel k and at the one
// after it have 8 pixels in common and one more at either end.
func (a arcs) best9() value {
	var m2, m4 [16]value // minima over 2 and 4 pixels from the odd pixel j on
	for j := 1; j < 16; j += 2 {
		m2[j] = a.min(a.pixel(j), a.pixel((j+1)&15))
	}
	for j := 1; j < 16; j += 2 {
		m4[j] = a.min(m2[j], m2[(j+2)&15])
	}
	var best value
	for k := 0; k < 16; k += 2 {
		ends := a.max(a.pixel(k), a.pixel((k+9)&15))
		common := a.min(m4[k+1], m4[(k+5)&15])
		best = a.max(best, a.min(common, ends))
	}
	return best
}
