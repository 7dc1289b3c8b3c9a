// Package match finds the nearest neighbors of descriptors: binary descriptors, such as ORB's, by
// Hamming distance, which is the number of bits that differ, and vectors, such as SIFT's, by
// Euclidean distance. This program prints the keypoints that match in two photos:
//
//	package main
//
//	import (
//		"fmt"
//		"image"
//		_ "image/jpeg"
//		_ "image/png"
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast"
//		"github.com/fastcorners/fast/match"
//		"github.com/fastcorners/fast/orb"
//	)
//
//	func main() {
//		extractor, err := orb.New(orb.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		var points [2][]orb.Keypoint
//		var descriptors [2][]match.Descriptor
//		for i := range 2 {
//			file, err := os.Open(os.Args[1+i])
//			if err != nil {
//				log.Fatal(err)
//			}
//			img, _, err := image.Decode(file)
//			if err != nil {
//				log.Fatal(err)
//			}
//			points[i], descriptors[i] = extractor.Extract(fast.Gray(img), nil)
//		}
//		matcher, err := match.New(match.Options{CrossCheck: true, MaxDistance: 64})
//		if err != nil {
//			log.Fatal(err)
//		}
//		for _, m := range matcher.Match(descriptors[0], descriptors[1]) {
//			fmt.Println(points[0][m.Query].Pt(), points[1][m.Train].Pt(), m.Distance)
//		}
//	}
//
// A [Matcher] compares every descriptor of one image, the query set, with every descriptor of
// another image, the train set. It finds the nearest one, the k nearest ones, or all within a
// radius. The search is exhaustive: there is no index that could miss any.
//
// If the approximate position of a point in the other image is known, [Matcher.Near] compares its
// descriptor only with descriptors from there.
//
// Among train descriptors at the same distance, the one with the lowest index is considered the
// nearest, as in OpenCV's BFMatcher. Results are the same on every processor and for any number of
// workers. [Matcher.Append] and the other methods that append to a slice reuse the caller's memory.
//
// # Options by use
//
//   - For two images, CrossCheck, and MaxDistance 40 to 64 for the descriptors of package orb.
//   - For images that only partly show the same things, Ratio 0.8.
//   - To recognize places in a map or close loops in a path, KNearest or Within.
//   - For frames of a video, or points with predicted positions, Near.
//
// # Tests for good matches
//
// Even the nearest descriptor may be a wrong match. Three tests drop such matches:
//
//   - [Options.CrossCheck] keeps a match only if each of its two descriptors is the nearest one to
//     the other. Among query descriptors at the same distance, too, the one with the lowest index
//     is considered the nearest. Both directions are searched at once.
//   - Options.Ratio keeps a match only if its distance is less than Ratio times the distance to the
//     second nearest train descriptor (D. Lowe, "Distinctive image features from scale-invariant
//     keypoints", IJCV 60, 2004). Values of 0.7 to 0.8 are typical.
//   - [Options.MaxDistance] keeps a match only if its distance does not exceed it.
//
// If several of these options are set, a match must pass all tests.
//
// # Hamming2
//
// Each byte of a descriptor holds four two-bit cells; bits 0 and 1 are the first. With
// Options.Hamming2, the distance is the number of cells that differ, 0 to 128, instead of the
// number of bits. It is meant for ORB descriptors whose tests compare three or four points (WTA_K
// of 3 or 4 in OpenCV), since the result of such a test is a two-bit number.
//
// # Other lengths
//
// A [Flat] does the same for descriptors of 1 to 128 bytes, such as those of BRISK, FREAK and
// AKAZE, and for binary embeddings. They are stored in slices of bytes or of 64-bit words.
//
// # Vectors
//
// An [L2] does the same for SIFT descriptors, which are vectors of 128 bytes. Distances are
// squared, so that they are integers.
//
// # Costs and limits
//
// All methods except Near compare all pairs, so their time is proportional to the product of the
// sizes of the two sets, and does not depend on the descriptors. Sets that do not fit into a cache
// are processed in blocks that do, so the time for each pair stays the same. For 1000 by 1000
// descriptors, one core of an Emerald Rapids processor takes, for each pair, 0.32 ns with AVX-512
// (including VPOPCNTDQ), 0.71 ns with AVX2, 1.5 ns with POPCNT, and 4.7 ns without assembly. Match
// takes 1.1 times as long with CrossCheck or Ratio with AVX-512, and 1.5 and 1.3 times with AVX2.
//
// KNearest with a k of 1 or 2 takes as long as Match with Ratio. KNearest with a larger k, and
// Within, take about 1 to 2 ns more for each pair on that core: the more they find, the longer they
// take.
//
// For 2500 by 2500 vectors, one core of an Emerald Rapids processor takes, for each pair, 1.5 ns with
// AVX2, 0.45 ns with AVX-512 (including VNNI), and 98 ns without either. CrossCheck and Ratio add up
// to 10 percent.
//
// The time that Near takes is proportional to the number of query descriptors and the number of
// their candidates.
//
// A set has at most 2^31-1 descriptors, since the indices of a [Match] have 32 bits. Methods panic
// if a set has more.
//
// # OpenCV
//
// BFMatcher's match is [Matcher.Match], knnMatch is [Matcher.KNearest] and radiusMatch is
// [Matcher.Within]. crossCheck is Options.CrossCheck, NORM_HAMMING2 is Options.Hamming2, and a
// BFMatcher with NORM_L2 is an [L2], except that its distances are not squared. Options.Ratio,
// Options.MaxDistance and [Matcher.Near] have no counterpart.
//
// # Speed
//
// To find the nearest of 1000 by 1000 descriptors on one core of a Zen 4 server, this package is
// 2.8 times as fast as FAISS with AVX2, and 8.1 times as fast with AVX-512; see the [measurements].
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/peers.md
package match

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// A Descriptor is 256 bits that describe a keypoint.
type Descriptor [32]byte

// A Descriptor32 is 32 bits that describe a keypoint.
type Descriptor32 uint32

// A Vector is 128 numbers that describe a keypoint, such as a SIFT descriptor.
type Vector [128]uint8

// A Match is a pair of descriptors.
type Match struct {
	// Query and Train are the indices of the descriptors in their sets.
	Query, Train int32
	// Distance is the number of bits that differ, or of cells with Options.Hamming2. For an L2, it
	// is the squared distance.
	Distance int32
}

// Pair returns the indices and the distance, for [geometry.Pairs]. Estimators use only the order of
// the distances, so it does not matter that an L2 returns squares.
//
// [geometry.Pairs]: https://pkg.go.dev/github.com/fastcorners/fast/geometry#Pairs
func (m Match) Pair() (query, train int, distance float64) {
	return int(m.Query), int(m.Train), float64(m.Distance)
}

// maxDistance is the largest distance of two descriptors.
const maxDistance = 8 * len(Descriptor{})

// Options specify which matches a Matcher finds and how. The zero value finds the nearest train
// descriptor of each query descriptor.
type Options struct {
	// CrossCheck keeps only matches of two descriptors that are each other's nearest
	// ones. KNearest and Within do not apply it.
	CrossCheck bool
	// Ratio keeps only matches whose distance is less than Ratio times that of the
	// second nearest train descriptor. It is 0 to 1; 0, the default, means no such
	// test. If there is only one train descriptor, no match of Match passes, while a
	// match of Near does. KNearest and Within do not apply it.
	Ratio float64
	// MaxDistance is the largest distance of a match, in bits, or in cells with
	// Hamming2. All methods apply it. 0, the default, means no limit, and a negative
	// number means 0: then only equal descriptors match.
	MaxDistance int
	// Hamming2 makes the distance the number of two-bit cells that differ, not the number of bits.
	Hamming2 bool
	// Workers is the number of goroutines that share the query descriptors, including the caller's.
	// 0 means 1, and a negative number means runtime.GOMAXPROCS(0). Small sets get fewer, because
	// starting a goroutine would take longer than it saves: one for each million pairs with
	// AVX-512, and one for each 100,000 pairs or so in portable Go. They wait for work as
	// fast.Options.Workers describes.
	Workers int
}

// A Matcher finds matches according to its Options. Create one with New. It is safe for concurrent
// use.
type Matcher struct {
	opts Options // with no default left to be replaced, so that Workers is not 0
}

// New returns a Matcher. It fails if Options.Ratio is out of range.
func New(opts Options) (*Matcher, error) {
	opts.setDefaults(maxDistance)
	if err := opts.check("Options"); err != nil {
		return nil, err
	}
	return &Matcher{opts}, nil
}

// setDefaults puts numbers in place of the defaults and of the negative numbers that stand
// for others, for descriptors whose largest distance is given.
func (o *Options) setDefaults(maxDistance int) {
	o.MaxDistance = min(max(cmp.Or(o.MaxDistance, maxDistance), 0), maxDistance)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the field that is out of range, as one of the given type.
func (o *Options) check(typ string) error {
	if !(o.Ratio >= 0 && o.Ratio <= 1) { // NaN is neither
		return option.Fields{Package: "match", Type: typ}.OutOfRange("Ratio", o.Ratio, "0 to 1")
	}
	return nil
}

// check panics unless m was made by New.
func (m *Matcher) check() {
	option.RequireMade(m.opts.Workers != 0, "match", "Matcher", "New")
}

// Options returns the options of m, with defaults filled in and negative numbers replaced by what
// they stand for.
func (m *Matcher) Options() Options {
	m.check()
	return m.opts
}

// newJob returns a job that compares the sets.
func (m *Matcher) newJob(query, train []Descriptor) *job {
	m.check()
	j := newJob()
	j.query, j.train = newSet(query), newSet(train)
	j.start(&m.opts, m.metric())
	return j
}

// metric returns how distances are measured.
func (m *Matcher) metric() metric {
	if m.opts.Hamming2 {
		return hamming2
	}
	return hamming
}

// Match returns the matches of the query descriptors, in their order, with their nearest
// train descriptors, except those that fail a test of the Options. There are none if a set
// is empty.
func (m *Matcher) Match(query, train []Descriptor) []Match {
	return m.Append(nil, query, train)
}

// Append is like Match but appends the matches to dst. With one worker it does not allocate in the
// steady state if dst has room for the matches, after the first calls have allocated its working
// memory: 8 bytes for each query descriptor, twice that with Options.Ratio, and 8 bytes for each
// train descriptor with Options.CrossCheck.
func (m *Matcher) Append(dst []Match, query, train []Descriptor) []Match {
	return m.newJob(query, train).match(dst)
}

// Match32 is Match for short descriptors. It takes less time, except with Options.Hamming2.
func (m *Matcher) Match32(query, train []Descriptor32) []Match {
	return m.AppendMatch32(nil, query, train)
}

// AppendMatch32 is like Match32 but appends the matches to dst. It allocates as Append does, and
// uses 32 more bytes for each descriptor.
func (m *Matcher) AppendMatch32(dst []Match, query, train []Descriptor32) []Match {
	m.check()
	j := newJob()
	j.long = appendLong(appendLong(j.long[:0], query), train)
	j.query, j.train = newSet(j.long[:len(query)]), newSet(j.long[len(query):])
	metric := m.metric()
	if metric == hamming {
		metric = hamming32
	}
	j.start(&m.opts, metric)
	return j.match(dst)
}

// appendLong appends descriptors to dst that have the same distances as the short ones.
func appendLong(dst []Descriptor, short []Descriptor32) []Descriptor {
	n := len(dst)
	dst = slices.Grow(dst, len(short))[:n+len(short)]
	clear(dst[n:])
	for i, d := range short {
		binary.LittleEndian.PutUint32(dst[n+i][:], uint32(d))
	}
	return dst
}

// KNearest returns, for each query descriptor in turn, its matches with the k nearest train
// descriptors, ordered by distance and then by the index of the train descriptor. It returns all
// train descriptors if there are at most k, and none if k is not positive. Of the tests in Options,
// only MaxDistance applies.
func (m *Matcher) KNearest(query, train []Descriptor, k int) []Match {
	return m.AppendKNearest(nil, query, train, k)
}

// AppendKNearest is like KNearest but appends the matches to dst. It allocates as Append does, and
// also uses memory for all matches and for the matches of 64 query descriptors.
func (m *Matcher) AppendKNearest(dst []Match, query, train []Descriptor, k int) []Match {
	return m.newJob(query, train).kNearest(dst, k)
}

// Within returns, for each query descriptor in turn, its matches with all train descriptors whose
// distance is at most radius, ordered by distance and then by the index of the train descriptor.
// There are none if radius is negative. Of the tests in Options, only MaxDistance applies.
func (m *Matcher) Within(query, train []Descriptor, radius int) []Match {
	return m.AppendWithin(nil, query, train, radius)
}

// AppendWithin is like Within but appends the matches to dst. It allocates as Append does, and also
// uses memory for twice the number of matches that it finds.
func (m *Matcher) AppendWithin(dst []Match, query, train []Descriptor, radius int) []Match {
	return m.newJob(query, train).within(dst, radius)
}

// Near is like Match but compares each query descriptor only with its candidates: the train
// descriptors whose points in grid lie in the circle with the query descriptor's index. The tests
// in Options consider candidates only. With CrossCheck, the query descriptor must be the nearest
// among those that have the train descriptor as a candidate. With Ratio, a match with the only
// candidate passes, since no other one is similar.
//
// Point i of grid belongs to train[i]. Near panics if the number of circles differs from that of
// query descriptors, or the number of points from that of train descriptors.
func (m *Matcher) Near(query, train []Descriptor, circles []Circle, grid *Grid) []Match {
	return m.AppendNear(nil, query, train, circles, grid)
}

// AppendNear is like Near but appends the matches to dst. It allocates as Append does.
func (m *Matcher) AppendNear(dst []Match, query, train []Descriptor, circles []Circle, grid *Grid) []Match {
	return m.newJob(query, train).near(dst, circles, grid)
}
