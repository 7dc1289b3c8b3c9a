// Package match finds the nearest of binary descriptors, such as those of ORB, by
// Hamming distance: the number of bits that differ.
//
// A [Matcher] compares every descriptor of one image, the query, with every one of
// another, the train set. It finds the nearest one, the k nearest ones, or all
// within a radius, always the true ones: there is no index that could miss some.
//
//	m, err := match.New(match.Options{CrossCheck: true, MaxDistance: 64})
//	matches := m.Match(query, train)
//
// Of train descriptors at equal distances the one with the lowest index counts as
// nearer, as in OpenCV's BFMatcher. Results are the same on every processor and
// for any number of workers. [Matcher.Append] and the methods that append to a slice
// reuse the caller's memory.
//
// # Tests for good matches
//
// The nearest descriptor may still be a wrong one. Three tests drop matches:
//
//   - Options.CrossCheck keeps a match only when each of the two descriptors is the
//     nearest of the other. Of query descriptors at equal distances, too, the lowest
//     index counts as nearer. Both directions are found at once.
//   - Options.Ratio keeps a match only when its distance is less than so many times
//     that of the second nearest (D. Lowe, "Distinctive image features from
//     scale-invariant keypoints", IJCV 60, 2004). 0.7 to 0.8 is usual.
//   - Options.MaxDistance keeps a match only when its distance is not larger.
//
// Options may ask for several of them: each match then passes all.
//
// # Hamming2
//
// Bits 0 and 1 of a byte are a cell of two bits, and so on. Options.Hamming2 counts
// the cells that differ, 0 to 128, in place of the bits: the distance for ORB
// descriptors whose tests compare three or four points (WTA_K of 3 and 4 in OpenCV),
// since each of these is a number of two bits.
//
// # Costs and limits
//
// Each method compares all pairs, so that the time is in proportion to the product of
// both sizes, whatever the descriptors are. Sets that do not fit into a cache are worked
// in blocks that do, and cost no more for each pair. One core of a Zen 4 processor took,
// in ns for each pair of 1000 by 1000 descriptors, by the best instruction set that it
// was allowed:
//
//	                            AVX-512   AVX2   POPCNT   none
//	Match                          0.26   0.70      1.4    3.2
//	Match with CrossCheck          0.28   0.73      1.4    3.8
//	Match with Ratio               0.29   0.72      1.7    3.2
//	Match with both                0.31   0.76      1.9    3.8
//	Match with Hamming2            0.23   0.49      1.3    2.7
//
// AVX-512 means a processor that has VPOPCNTDQ, too. KNearest costs as much as Match
// with Ratio for k of 1 and 2; for larger k it and Within cost about 1 to 2 ns a pair
// more, the more so the more they find.
//
// A set has at most 2^31-1 descriptors, the indices of a [Match]; with more, methods
// panic.
package match

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
)

// A Descriptor is 256 bits that describe a keypoint.
type Descriptor [32]byte

// A Descriptor32 is a descriptor of 32 bits.
type Descriptor32 uint32

// A Match is a pair of descriptors.
type Match struct {
	// Query and Train are the indices of the descriptors.
	Query, Train int32
	// Distance is the number of bits, or with Options.Hamming2 of cells, that
	// differ.
	Distance int32
}

// maxDistance is the largest distance of two descriptors.
const maxDistance = 8 * len(Descriptor{})

// Options say which matches a Matcher finds and how. The zero value finds the
// nearest train descriptor of each query descriptor.
type Options struct {
	// CrossCheck keeps only the matches of two descriptors that are each other's
	// nearest. It is for Match, Append and Match32.
	CrossCheck bool
	// Ratio, from 0 to 1, keeps only the matches whose distance is less than Ratio
	// times that of the second nearest train descriptor. Where there is no second
	// one, there is no match. 0 means that there is no such test. It is for Match,
	// Append and Match32.
	Ratio float64
	// MaxDistance is the largest distance of a match, for every method. 0 means no
	// limit; Within with a radius of 0 finds equal descriptors.
	MaxDistance int
	// Hamming2 counts cells of two bits that differ, not bits.
	Hamming2 bool
	// Workers is the number of goroutines that share the query descriptors, the
	// caller's among them. 0 means 1, and a negative number means
	// runtime.GOMAXPROCS(0). Small sets get fewer, one for each million of
	// pairs with AVX-512 and some 100,000 without any instruction set, since to start
	// them takes longer than what they would save.
	Workers int
}

// A Matcher finds matches as its Options say. It is safe for concurrent use. The
// zero Matcher has the zero Options.
type Matcher struct {
	opts Options // that New has checked, or the zero value
}

// New returns a Matcher. It fails when an option is out of range.
func New(opts Options) (*Matcher, error) {
	switch {
	case !(opts.Ratio >= 0 && opts.Ratio <= 1): // NaN is neither
		return nil, fmt.Errorf("match: Ratio %v is not in the range 0 to 1", opts.Ratio)
	case opts.MaxDistance < 0:
		return nil, fmt.Errorf("match: MaxDistance %d is negative", opts.MaxDistance)
	}
	return &Matcher{opts}, nil
}

// Match returns, in the order of the query descriptors, the nearest train
// descriptor of each, unless the match fails a test that the Options ask for.
func (m *Matcher) Match(query, train []Descriptor) []Match {
	return m.Append(nil, query, train)
}

// Append is Match, appending the matches to dst. With one worker it does not
// allocate in the steady state when dst has room for the matches, once the first
// calls have made the memory that it works in: 8 bytes for each query descriptor,
// twice that with Ratio, and 8 bytes for each train descriptor with CrossCheck.
func (m *Matcher) Append(dst []Match, query, train []Descriptor) []Match {
	if len(query) == 0 || len(train) == 0 {
		return dst
	}
	j := newJob()
	j.set(&m.opts, query, train)
	dst = j.appendNearest(dst, &m.opts)
	j.release()
	return dst
}

// Match32 is Append for short descriptors, which it makes long ones of in memory that
// is used again. With Options.Hamming2 it costs as much as they do, and otherwise about
// a third of that.
func (m *Matcher) Match32(dst []Match, query, train []Descriptor32) []Match {
	if len(query) == 0 || len(train) == 0 {
		return dst
	}
	j := newJob()
	j.wide = widen(widen(j.wide[:0], query), train)
	j.set(&m.opts, j.wide[:len(query)], j.wide[len(query):])
	if j.metric == hamming {
		j.metric = hamming32
	}
	dst = j.appendNearest(dst, &m.opts)
	j.release()
	return dst
}

// widen appends descriptors that have the same distances to dst.
func widen(dst []Descriptor, descs []Descriptor32) []Descriptor {
	n := len(dst)
	dst = slices.Grow(dst, len(descs))[:n+len(descs)]
	clear(dst[n:])
	for i, d := range descs {
		binary.LittleEndian.PutUint32(dst[n+i][:], uint32(d))
	}
	return dst
}

// KNearest appends to dst, for each query descriptor in turn, its k nearest train
// descriptors by distance and then index: all of them where there are fewer than k,
// and none when k is not positive. Of the tests of the Options only MaxDistance
// applies. It allocates as Append does, and works in memory for all matches and for
// those of 64 query descriptors besides.
func (m *Matcher) KNearest(dst []Match, query, train []Descriptor, k int) []Match {
	k = min(k, len(train))
	if len(query) == 0 || k <= 0 {
		return dst
	}
	j := newJob()
	j.set(&m.opts, query, train)
	if k <= 2 {
		dst = j.appendBoth(dst, m.opts.maxDistance(), k)
	} else {
		dst = j.appendLists(dst, m.opts.maxDistance(), k)
	}
	j.release()
	return dst
}

// Within appends to dst, for each query descriptor in turn, all train descriptors
// whose distance is not larger than radius, by distance and then index. Of the tests
// of the Options only MaxDistance applies. It allocates as Append does, and works in
// memory for twice as many matches as it finds.
func (m *Matcher) Within(dst []Match, query, train []Descriptor, radius int) []Match {
	if len(query) == 0 || len(train) == 0 || radius < 0 {
		return dst
	}
	j := newJob()
	j.set(&m.opts, query, train)
	dst = j.appendLists(dst, min(radius, m.opts.maxDistance()), math.MaxInt)
	j.release()
	return dst
}

// maxDistance returns the largest distance that a match may have.
func (o *Options) maxDistance() int {
	if o.MaxDistance == 0 {
		return maxDistance
	}
	return min(o.MaxDistance, maxDistance)
}

// workers returns how many goroutines there may be.
func (o *Options) workers() int {
	if o.Workers < 0 {
		return runtime.GOMAXPROCS(0)
	}
	return max(o.Workers, 1)
}
