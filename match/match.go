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
//		matcher, err := match.New[match.Descriptor](match.Options{CrossCheck: true, MaxDistance: 64})
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
// radius. The search is exhaustive: there is no index that could miss any. If the approximate
// position of a point in the other image is known, [Matcher.Near] compares its descriptor only with
// descriptors from there.
//
// Among train descriptors at the same distance, the one with the lowest index is considered the
// nearest, as in OpenCV's BFMatcher. Results are the same on every processor and for any number of
// workers.
//
// # Types of descriptors
//
//   - [Descriptor]: 256 bits, such as those of package orb.
//   - [Vector]: 128 numbers, such as those of package sift.
//   - byte or uint64: 1 to 128 bytes each, one after the other in a slice of bytes or of words, such
//     as those of BRISK and FREAK (64) or AKAZE (61), and binary embeddings.
//   - [Descriptor32]: 32 bits.
//
// # Options by use
//
//   - For two images, CrossCheck, and MaxDistance 40 to 64 for the descriptors of package orb.
//   - For images that only partly show the same things, and for vectors, Ratio 0.8.
//   - To recognize places in a map or close loops in a path, KNearest or Within.
//   - For frames of a video, or points with predicted positions, Near.
//
// Even the nearest descriptor may be a wrong match: CrossCheck, Ratio and MaxDistance drop most of
// those. If several of them are set, a match must pass all tests.
//
// # OpenCV
//
// BFMatcher's match is [Matcher.Match], knnMatch is [Matcher.KNearest] and radiusMatch is
// [Matcher.Within]. crossCheck is Options.CrossCheck, NORM_HAMMING2 is Options.Hamming2, and NORM_L2
// is a Matcher of vectors, whose distances are squared. Options.Ratio, Options.MaxDistance and
// [Matcher.Near] have no counterpart.
//
// # Speed
//
// All methods except Near compare all pairs, so their time is proportional to the product of the
// sizes of the two sets, and hardly depends on the descriptors. The time of Near is proportional to
// the number of candidates. See the [measurements].
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/peers.md
package match

import "github.com/fastcorners/fast/internal/option"

// A Matcher finds matches of descriptors of type D according to its Options. Create one with New. It
// is safe for concurrent use.
//
// D determines what a set is, and how distances are measured:
//
//   - Descriptor and Descriptor32: the distance is the number of bits that differ, or with
//     Options.Hamming2 the number of two-bit cells.
//   - byte and uint64: a set is a slice that holds descriptors of Options.Length bytes one after the
//     other, as in the rows of OpenCV's matrices. The distance is the number of bits that differ,
//     whose order makes no difference. Methods panic if a set is not a whole number of descriptors.
//     A length that is not a multiple of 8 bytes takes as long as the next multiple.
//   - Vector: the distance is the squared Euclidean distance, which is the sum of the squared
//     differences of the elements, an exact integer from 0 to 8,323,200. Squaring does not change
//     which vectors are nearest. With AVX2, vectors most of whose elements are large, such as random
//     ones, take twice as long as SIFT descriptors.
//
// A set has at most 2^31-1 descriptors, since the indices of a Match have 32 bits. Methods panic if
// a set has more.
type Matcher[D Descriptor | Descriptor32 | Vector | byte | uint64] struct {
	made   option.Made
	opts   Options // with no default left to be replaced, so that Workers is not 0
	metric metric
}

// New returns a Matcher of descriptors of type D:
//
//	m, err := match.New[match.Vector](match.Options{Ratio: 0.8})
//
// It fails if an option is out of range, or if it does not apply to descriptors of type D.
func New[D Descriptor | Descriptor32 | Vector | byte | uint64](opts Options) (*Matcher[D], error) {
	k := kindOf[D]()
	opts.setDefaults(&k)
	if err := opts.check(&k); err != nil {
		return nil, err
	}
	m := &Matcher[D]{true, opts, k.metric}
	if opts.Hamming2 {
		m.metric = hamming2
	}
	return m, nil
}

// check panics unless m was made by New.
func (m *Matcher[D]) check() {
	m.made.Require("match", "Matcher", "New")
}

// Options returns the options of m, with defaults filled in and negative numbers replaced by what
// they stand for.
func (m *Matcher[D]) Options() Options {
	m.check()
	return m.opts
}

// newJob returns a job that compares the sets.
func (m *Matcher[D]) newJob(query, train []D) *job {
	m.check()
	j := jobPool.Get().(*job)
	setSets(&j.comparison, query, train, m.opts.Length)
	j.start(&m.opts, m.metric)
	return j
}

// Match returns the matches of the query descriptors, in their order, with their nearest
// train descriptors, except those that fail a test of the Options. There are none if a set
// is empty.
func (m *Matcher[D]) Match(query, train []D) []Match {
	return m.Append(nil, query, train)
}

// Append is like Match but appends the matches to dst. With one worker it does not allocate in the
// steady state if dst has room for the matches, after the first calls have allocated its working
// memory: 8 bytes for each query descriptor, twice that with Options.Ratio, and 8 bytes for each
// train descriptor with Options.CrossCheck. There are 4 more bytes for each query descriptor that
// is a Vector, and 32 for each descriptor that is a Descriptor32.
func (m *Matcher[D]) Append(dst []Match, query, train []D) []Match {
	return m.newJob(query, train).match(dst)
}

// KNearest returns, for each query descriptor in turn, its matches with the k nearest train
// descriptors, ordered by distance and then by the index of the train descriptor. It returns all
// train descriptors if there are at most k, and none if k is not positive. Of the tests in Options,
// only MaxDistance applies. With a k of 1 or 2 it takes as long as Match, and with a larger one
// longer.
func (m *Matcher[D]) KNearest(query, train []D, k int) []Match {
	return m.AppendKNearest(nil, query, train, k)
}

// AppendKNearest is like KNearest but appends the matches to dst. It allocates as Append does, and
// also uses memory for all matches and for the matches of 64 query descriptors.
func (m *Matcher[D]) AppendKNearest(dst []Match, query, train []D, k int) []Match {
	return m.newJob(query, train).kNearest(dst, k)
}

// Within returns, for each query descriptor in turn, its matches with all train descriptors whose
// distance is at most radius, ordered by distance and then by the index of the train descriptor.
// There are none if radius is negative. Of the tests in Options, only MaxDistance applies.
func (m *Matcher[D]) Within(query, train []D, radius int) []Match {
	return m.AppendWithin(nil, query, train, radius)
}

// AppendWithin is like Within but appends the matches to dst. It allocates as Append does, and also
// uses memory for twice the number of matches that it finds.
func (m *Matcher[D]) AppendWithin(dst []Match, query, train []D, radius int) []Match {
	return m.newJob(query, train).within(dst, radius)
}

// Near is like Match but compares each query descriptor only with its candidates: the train
// descriptors whose points in grid lie in the circle with the query descriptor's index. The tests
// in Options consider candidates only. With CrossCheck, the query descriptor must be the nearest
// among those that have the train descriptor as a candidate. With Ratio, a match with the only
// candidate passes, since no other one is similar.
//
// Point i of grid belongs to train descriptor i. Near panics if the number of circles differs from
// that of query descriptors, or the number of points from that of train descriptors.
func (m *Matcher[D]) Near(query, train []D, circles []Circle, grid *Grid) []Match {
	return m.AppendNear(nil, query, train, circles, grid)
}

// AppendNear is like Near but appends the matches to dst. It allocates as Append does.
func (m *Matcher[D]) AppendNear(dst []Match, query, train []D, circles []Circle, grid *Grid) []Match {
	return m.newJob(query, train).near(dst, circles, grid)
}
