package main

import "github.com/fastcorners/fast/_asm/internal/op"

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
// left to look for. Ring pixels are loaded and negated for each use, or only once, which
// takes more registers.
func arcTest(n int, once bool) network {
	var w network
	ring := w.load
	if once {
		ring = remember(ring)
	}
	polarity := w.polarity(n, ring)
	negative := w.do(op.NotLower, ring(center), polarity)
	flipped := func(i int) *value { return w.do(op.Xor, negative, ring(i)) }
	if once {
		flipped = remember(flipped)
	}
	best := arcs{&w, flipped, op.Min, op.Max}.best(n)
	w.do(op.SubSat, best, flipped(center))
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
	w.do(op.SubSat, arcs{&w, w.load, op.Min, op.Max}.best(n), w.load(center))
	return w
}

// polarity returns a value that is brighter than the center where there is a
// bright arc of n ring pixels, and not brighter where there is a dark one.
//
// Take two groups of ring pixels opposite each other, far enough apart that the pixels
// outside an arc cannot belong to both. Then the arc contains all of one group. Here the
// groups are 15 and 1 against 7 and 9 and, a quarter turn on, 3 and 5 against 11 and 13;
// for arcs of 9 they are 0 and 1 against 8 and 9, and the same in steps of an eighth turn.
// In every pair of groups a bright arc makes all of one group bright, while a dark arc
// leaves out too few pixels for that.
func (w *network) polarity(n int, ring func(i int) *value) *value {
	first, gap, turn := 15, 2, 4
	if n == 9 {
		first, gap, turn = 0, 1, 2
	}
	var all *value
	for i := first; i < first+8; i += turn {
		group := func(i int) *value {
			return w.do(op.Min, ring(i&15), ring((i+gap)&15))
		}
		one := w.do(op.Max, group(i), group(i+8))
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

// best9 does arcs of 9 ring pixels, which are too short for the argument of
// best. The two arcs that begin at an even pixel k and at the one after it have
// 8 pixels in common and one more at either end.
func (a arcs) best9() *value {
	var m2, m4 [16]*value // minima over 2 and 4 pixels from the odd pixel j on
	for j := 1; j < 16; j += 2 {
		m2[j] = a.do(a.min, a.ring(j), a.ring((j+1)&15))
	}
	for j := 1; j < 16; j += 2 {
		m4[j] = a.do(a.min, m2[j], m2[(j+2)&15])
	}
	best := tree{network: a.network, join: a.max}
	for k := 0; k < 16; k += 2 {
		v := a.do(a.max, a.ring(k), a.ring((k+9)&15))
		v = a.do(a.min, v, m4[k+1])
		v = a.do(a.min, v, m4[(k+5)&15])
		best.add(v)
	}
	return best.root()
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
