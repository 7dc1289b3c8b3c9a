package main

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// arcTest returns, for each pixel of the centre vector, by how much its best
// arc of n ring pixels, 9 to 12, differs from it: the pixel is a corner when
// that exceeds the threshold, and its score is one less. ring gives the
// operand that holds ring pixel i, counted from 0; it is asked just before the
// value is needed.
//
// The best bright arc is the largest of the minima over all arcs. For n of 10
// or more it is found as a minimum of maxima: n contiguous ring pixels are
// bright exactly when of every two at a circular distance of 16-n or more one
// at least is, because what is left out of such an arc, 16-n pixels, is too
// short to hold both, while three gaps of at most 15-n pixels cannot close a
// ring of 16. Grouped by the first of the two pixels,
//
//	min over i < n of max(r[i], min(r[i+16-n], ..., r[min(i+n, 15)])).
//
// The best dark arc is the same with minima and maxima swapped.
func (s isa) arcTest(n int, ring func(i int) Op, centre Register) Register {
	bright := polarity{s, ring, minimum, maximum}
	dark := polarity{s, ring, maximum, minimum}
	a := bright.arc(n)
	s.doTo(subSat, a, centre, a)
	b := s.do(subSat, centre, dark.arc(n))
	s.doTo(maximum, a, b, a)
	return a
}

// A polarity is the bright or, with minimum and maximum swapped, the dark half
// of the arc test.
type polarity struct {
	isa
	ring     func(i int) Op
	min, max binary
}

func (p polarity) arc(n int) VecVirtual {
	if n == 9 {
		return p.arc9()
	}
	// The window of i, from i+16-n to min(i+n, 15), is put together from
	// minima that neighbouring windows share: those that end at pixel n, those
	// that begin after it, and those that end at pixel 15.
	toN := map[int]Op{n: p.ring(n)}
	for j := n - 1; j >= 16-n; j-- {
		toN[j] = p.fold(p.min, toN[j+1], p.ring(j))
	}
	var best VecVirtual
	var fromN, to15 Op
	term := func(i int, window Op) {
		t := p.fold(p.max, window, p.ring(i))
		if best == nil {
			best = t
			return
		}
		p.doTo(p.min, best, t, best)
	}
	for i := 0; i+n <= 15; i++ {
		if i > 0 {
			fromN = p.join(p.min, fromN, p.ring(i+n))
		}
		term(i, p.join(p.min, toN[i+16-n], fromN))
	}
	// What is left are the windows that end at pixel 15.
	for i := n - 1; i+n > 15; i-- {
		switch j := i + 16 - n; {
		case j > n+1:
			to15 = p.join(p.min, to15, p.ring(j))
			term(i, to15)
		default:
			term(i, p.join(p.min, fromN, toN[j]))
		}
	}
	return best
}

// arc9 serves arcs of 9, too short for the argument above. Two arcs that begin
// at an even pixel k and at the one after it have 8 pixels in common and one
// more at either end.
func (p polarity) arc9() VecVirtual {
	var m2, m4 [16]VecVirtual // minima over 2 and 4 pixels from the odd pixel j on
	for j := 1; j < 16; j += 2 {
		m2[j] = p.fold(p.min, p.ring(j), p.ring((j+1)&15))
	}
	for j := 1; j < 16; j += 2 {
		m4[j] = p.do(p.min, m2[j], m2[(j+2)&15])
	}
	var best VecVirtual
	for k := 0; k < 16; k += 2 {
		t := p.fold(p.max, p.ring(k), p.ring((k+9)&15))
		p.doTo(p.min, t, m4[k+1], t)
		p.doTo(p.min, t, m4[(k+5)&15], t)
		if best == nil {
			best = t
		} else {
			p.doTo(p.max, best, t, best)
		}
	}
	return best
}

// fold returns x op y in a new register. Both may lie in memory.
func (p polarity) fold(op binary, x, y Op) VecVirtual {
	if IsM(x) {
		x, y = y, x
	}
	if IsM(x) {
		x = p.load(x)
	}
	return p.do(op, x, y)
}

// join is fold, or just the other operand where one is nil.
func (p polarity) join(op binary, x, y Op) Op {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return p.fold(op, x, y)
}
