// Package selection has the steps that functions take which choose among points: the strengths of
// points as keys, sorting by them in linear time, and sets of the points to keep.
//
// A point is known by its index. Of points with equal keys the first is the stronger one.
package selection

import (
	"math"
	"math/bits"
	"sync"

	"github.com/fastcorners/fast/internal/apart"
	"github.com/fastcorners/fast/internal/raster"
)

// A Node is a point with its key in the upper 32 bits and its index, inverted, in the lower ones,
// so that of two nodes the larger one has the stronger point. In a quadtree, it is the strongest
// point of a node, or 0 if there is none.
type Node uint64

// NewNode returns the Node of a point.
func NewNode(key uint32, point int) Node { return Node(key)<<32 | Node(^uint32(point)) }

func (n Node) key() uint32 { return uint32(n >> 32) }
func (n Node) point() int  { return int(^uint32(n)) }

// A Selector is the memory that a selection works in, and the points to keep. It is reused.
type Selector struct {
	keyBits        int // the length of keys
	places, sorted []Place
	nodes          []Node
	next           [1 << 11]uint32 // places by a digit
	kept           set
	pixels         apart.Pixels
	grid           apart.Grid
}

var selectors = sync.Pool{New: func() any { return new(Selector) }}

// New returns a Selector for n points, of which it keeps none yet. Keys have 8 bits if scores of
// 8 bits are the strengths, and otherwise 32.
func New(n int, scores bool) *Selector {
	s := selectors.Get().(*Selector)
	s.keyBits = 32
	if scores {
		s.keyBits = 8
	}
	s.kept = s.kept.reset(n)
	return s
}

// Release ends the use of s.
func (s *Selector) Release() {
	selectors.Put(s)
}

// Key returns the key of a strength or, where the keys are scores, the least one that is no less.
func (s *Selector) Key(strength float32) uint32 {
	switch key := math.Float32bits(strength); {
	case strength != strength:
		return 0
	case s.keyBits == 8:
		return uint32(math.Ceil(float64(max(0, min(strength, math.MaxUint8+1)))))
	case strength < 0:
		return ^key
	default:
		return key | 1<<31
	}
}

// Nodes returns memory for n nodes.
func (s *Selector) Nodes(n int) []Node {
	s.nodes = raster.Resize(s.nodes, n)
	return s.nodes
}

// Keep keeps the points of the n highest of the nodes, and changes these.
func (s *Selector) Keep(nodes []Node, n int) {
	for shift := 32 + s.keyBits - 8; shift >= 0; shift -= 8 {
		var h Histogram // of the next byte
		for _, node := range nodes {
			h[uint8(node>>shift)]++
		}
		digit, equal := h.Cut(n)
		if h[digit] == len(nodes) {
			continue
		}
		rest := 0
		for _, node := range nodes {
			d := uint8(node >> shift)
			s.kept.addIf(node.point(), d > digit)
			nodes[rest] = node
			if d == digit {
				rest++
			}
		}
		nodes, n = nodes[:rest], equal
	}
	for _, node := range nodes[:min(n, len(nodes))] {
		s.kept.add(node.point())
	}
}

// A Histogram counts bytes.
type Histogram [math.MaxUint8 + 1]int

// Cut returns the least of the n highest bytes, and how many that equal it are among them.
func (h *Histogram) Cut(n int) (limit uint8, equal int) {
	limit = math.MaxUint8
	for ; limit > 0 && h[limit] < n; limit-- {
		n -= h[limit]
	}
	return limit, n
}

// A set is a set of indices, of which each has a bit.
type set []uint64

// reset returns the empty set of indices below n, in the memory of s.
func (s set) reset(n int) set {
	s = raster.Resize(s, (n+63)/64)
	clear(s)
	return s
}

// add adds i.
func (s set) add(i int) {
	s[i/64] |= 1 << (i % 64)
}

// addIf adds i if the condition holds, without a branch.
func (s set) addIf(i int, condition bool) {
	bit := uint64(0)
	if condition {
		bit = 1
	}
	s[i/64] |= bit << (i % 64)
}

// has reports whether i is in s.
func (s set) has(i int) bool {
	return s[i/64]>>(i%64)&1 != 0
}

// Finish moves the points that s keeps to the front of the slice and returns that part of it. It
// looks at each point or, if it keeps few, only at these. It releases s.
func Finish[P any](s *Selector, points []P) []P {
	defer s.Release()
	n := 0
	for _, word := range s.kept {
		n += bits.OnesCount64(word)
	}
	if n > len(points)/4 {
		kept := s.kept
		return points[:Filter(points, func(i int, _ P) bool { return kept[i/64]>>(i%64)&1 != 0 })]
	}
	n = 0
	for k, word := range s.kept {
		for ; word != 0; word &= word - 1 {
			points[n] = points[64*k+bits.TrailingZeros64(word)]
			n++
		}
	}
	return points[:n]
}

// Filter moves the points that keep says yes to, asked in order, to the front of the slice and
// returns how many there are. Unlike slices.DeleteFunc it is inlined together with keep, and has
// no branch that cannot be predicted.
func Filter[P any](points []P, keep func(i int, p P) bool) int {
	n := 0
	for i, p := range points {
		points[n] = p
		if keep(i, p) {
			n++
		}
	}
	return n
}
