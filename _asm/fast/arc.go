package main

import (
	"slices"

	"github.com/fastcorners/fast/_asm/internal/op"
)

// center is the number of the pixel in the middle of the ring. Ring pixels have the
// numbers 0 to 15.
const center = 16

// A network is a way to compute the arc test, independent of the instruction set: values,
// unsigned bytes for each pixel, in the order in which they are computed.
type network []*value

// A value is an operation on two earlier values, or a ring pixel, and then x and y are nil.
type value struct {
	do     op.Binary
	x, y   *value
	pixel  int
	number int // of values before it
	uses   int // as an operand of other values
}

// add appends a value.
func (w *network) add(v *value) *value {
	v.number = len(*w)
	*w = append(*w, v)
	return v
}

// load appends a ring pixel, which may have been loaded before.
func (w *network) load(pixel int) *value {
	return w.add(&value{pixel: pixel})
}

// do appends an operation.
func (w *network) do(o op.Binary, x, y *value) *value {
	x.uses++
	y.uses++
	return w.add(&value{do: o, x: x, y: y})
}

// eager changes the order so that each value is computed as soon as its operands are, and ring
// pixels in the order in which they were added. This takes fewer registers.
func (w network) eager() {
	ready := make(map[*value]int) // the number of the last ring pixel that is needed
	for _, v := range w {
		if v.x == nil {
			ready[v] = v.number
		} else {
			ready[v] = max(ready[v.x], ready[v.y])
		}
	}
	slices.SortStableFunc(w, func(a, b *value) int { return ready[a] - ready[b] })
	for i, v := range w {
		v.number = i
	}
}

// An operand of an operation lies in a place, a register or memory.
type operand[P any] struct {
	place P
	last  bool // whether this is its last use
}

// compute emits a network and returns the place of its last value. load and do emit loads
// and operations, and return the places of their results.
func compute[P any](w network, load func(v *value) P, do func(o op.Binary, x, y operand[P]) P) P {
	places, used := make([]P, len(w)), make([]int, len(w))
	get := func(v *value) operand[P] {
		used[v.number]++
		return operand[P]{places[v.number], used[v.number] == v.uses}
	}
	for i, v := range w {
		if v.x == nil {
			places[i] = load(v)
		} else {
			places[i] = do(v.do, get(v.x), get(v.y))
		}
	}
	return places[len(w)-1]
}

// arcTest returns the network that computes, for each pixel of a vector, by how much
// its best arc of n ring pixels, 9 to 12, differs from it, or 0 where it has none:
// the pixel is a corner when that exceeds the threshold, and its score is one less.
//
// A pixel and its ring are negated if it has no bright arc, so that only bright arcs are
// left to look for. Ring pixels are loaded twice, or only once, which takes more registers.
func arcTest(n int, once bool) network {
	var w network
	ring := w.load
	if once {
		ring = remember(ring)
	}
	polarity := w.polarity(n, ring)
	negative := w.do(op.NotLower, ring(center), polarity)
	flipped := remember(func(i int) *value { return w.do(op.Xor, negative, ring(i)) })
	best := arcs{&w, flipped, op.Min, op.Max}.best(n)
	w.do(op.SubSat, best, flipped(center))
	if n == 9 {
		w.eager()
	}
	return w
}

// remember returns a function that calls ask only once for each pixel.
func remember(ask func(pixel int) *value) func(pixel int) *value {
	var values [center + 1]*value
	return func(i int) *value {
		if values[i] == nil {
			values[i] = ask(i)
		}
		return values[i]
	}
}

// arcTestTwice is arcTest with another network, which looks for bright arcs and for dark
// ones.
func arcTestTwice(n int) network {
	var w network
	ring := remember(w.load)
	brightest := arcs{&w, ring, op.Min, op.Max}.best(n)
	darkest := arcs{&w, ring, op.Max, op.Min}.best(n)
	bright := w.do(op.SubSat, brightest, ring(center))
	w.do(op.Max, bright, w.do(op.SubSat, ring(center), darkest))
	return w
}

// brightTest is arcTest for pixels that have been negated already.
func brightTest(n int) network {
	var w network
	w.do(op.SubSat, arcs{&w, remember(w.load), op.Min, op.Max}.best(n), w.load(center))
	return w
}

// polarity returns a value that is brighter than the center where there is a
// bright arc of n ring pixels, and not brighter where there is a dark one.
//
// It is the minimum over some groups, of each of which an arc contains the first ring pixel
// or all others. So a bright arc makes the larger one of the first pixel and the minimum of
// the others bright, in every group. A dark arc contains the first pixel and one of the
// others of at least one group. Most pixels are in two groups one after the other.
func (w *network) polarity(n int, ring func(i int) *value) *value {
	var groups [][]int
	switch n {
	case 9:
		groups = [][]int{{1, 8, 10}, {3, 10, 12}, {5, 12, 14}, {7, 14, 0}, {8, 0}}
	case 10:
		groups = [][]int{{0, 6, 10}, {4, 10, 14}, {6, 14}}
	default:
		groups = [][]int{{0, 5, 10}, {5, 10}} // the median
	}
	ring = remember(ring)
	var all *value
	for _, group := range groups {
		one := ring(group[1])
		if len(group) == 3 {
			one = w.do(op.Min, one, ring(group[2]))
		}
		one = w.do(op.Max, one, ring(group[0]))
		if all == nil {
			all = one
		} else {
			all = w.do(op.Min, all, one)
		}
	}
	return all
}

// arcs finds the best bright arcs or, with minimum and maximum swapped, the
// best dark ones: the largest of the minima over all arcs.
type arcs struct {
	*network
	ring     func(i int) *value
	min, max op.Binary
}

// best does arcs of n ring pixels, 10 to 12. It asks for each ring pixel once.
//
// n contiguous ring pixels are bright if and only if at least one is bright of any two at
// a circular distance of 16-n or more: the 16-n pixels outside such an arc are too few to
// contain both, and three gaps of at most 15-n pixels cannot close a ring of 16. So the
// largest of the minima over the arcs is a minimum of maxima. Grouped by the first of the
// two pixels, it is
//
//	min over i < n of max(r[i], min(r[i+16-n], ..., r[min(i+n, 15)])).
//
// The windows of neighboring i share the minima of the pixels up to n, of those
// after n, and of those up to 15.
func (a arcs) best(n int) *value {
	if n == 9 {
		return a.best9()
	}
	var r, upTo15, upToN [16]*value
	terms := tree{network: a.network, join: a.min}

	for j := 15; j > n; j-- {
		r[j] = a.ring(j)
		upTo15[j] = r[j]
		if j < 15 {
			upTo15[j] = a.do(a.min, upTo15[j+1], r[j])
		}
	}
	upToN[n] = a.ring(n)
	for i := n - 1; i >= 16-n; i-- {
		// The window of i ends at pixel 15.
		r := a.ring(i)
		upToN[i] = a.do(a.min, upToN[i+1], r)
		if begin := i + 16 - n; begin > n {
			r = a.do(a.max, r, upTo15[begin])
		} else {
			r = a.do(a.max, r, a.do(a.min, upTo15[n+1], upToN[begin]))
		}
		terms.add(r)
	}
	var afterN *value // the minimum of the pixels from n+1 to i+n
	for i := 0; i < 16-n; i++ {
		window := upToN[i+16-n]
		switch {
		case i == 1:
			afterN = r[n+1]
		case i+n == 15:
			afterN = upTo15[n+1]
		case i > 1:
			afterN = a.do(a.min, afterN, r[i+n])
		}
		switch {
		case window == nil:
			window = afterN
		case i > 0:
			window = a.do(a.min, window, afterN)
		}
		terms.add(a.do(a.max, a.ring(i), window))
	}
	return terms.root()
}

// best9 does arcs of 9 ring pixels, which are too short for the argument of best.
//
// The two arcs that begin at an even pixel k and at the one after it have 8 pixels in
// common, four pairs that begin at odd ones, and one more at either end: the larger one of k
// and k+9. Those arcs and the two that begin at k+2 and k+3 have three of the pairs in common,
// and eight arcs in succession have one.
//
// The pairs and the ends k, k+9, taken in turns, as 1 2, 2 11, 11 12, 12 5, and so on, go once
// around all ring pixels, each of which is in two successive ones.
func (a arcs) best9() *value {
	var pairs, ends [16]*value // by their first pixels
	first := a.ring(1)
	last := first
	for j := 1; pairs[j] == nil; {
		k := (j + 1) & 15
		next := a.ring(k)
		pairs[j] = a.do(a.min, last, next)
		if j = (k + 9) & 15; j == 1 {
			last = first
		} else {
			last = a.ring(j)
		}
		ends[k] = a.do(a.max, next, last)
	}
	pair := func(j int) *value { return pairs[j&15] }
	// four does the arcs that begin at k to k+3, but for the pairs that all have in common.
	four := func(k int) *value {
		k &= 15
		return a.do(a.max, a.do(a.min, pair(k+1), ends[k]), a.do(a.min, pair(k+9), ends[(k+2)&15]))
	}
	eight := func(k int) *value {
		before := a.do(a.min, a.do(a.min, pair(k+3), pair(k+5)), four(k))
		after := a.do(a.min, a.do(a.min, pair(k+9), pair(k+11)), four(k+4))
		return a.do(a.min, pair(k+7), a.do(a.max, before, after))
	}
	return a.do(a.max, eight(0), eight(8))
}

// A tree joins values in the order in which they are added, those of equal depth first, so
// that no chain of operations gets long.
type tree struct {
	*network
	join  op.Binary
	parts [5]*value // of 1, 2, 4, ... values
}

func (t *tree) add(v *value) {
	i := 0
	for ; t.parts[i] != nil; i++ {
		v = t.do(t.join, v, t.parts[i])
		t.parts[i] = nil
	}
	t.parts[i] = v
}

func (t *tree) root() *value {
	var v *value
	for _, part := range t.parts {
		switch {
		case part == nil:
		case v == nil:
			v = part
		default:
			v = t.do(t.join, v, part)
		}
	}
	return v
}
