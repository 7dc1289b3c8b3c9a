package hashes

import (
	"image"

	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

// A PairMatcher calls emit with the matches of each set with each of those after it, in this
// order.
type PairMatcher func(opts match.Options, sets [][]match.Descriptor, emit func([]match.Match)) error

// Pairs returns a group that devices for matching have, too: more than 10 million matches of
// descriptors of parts of the photos.
func Pairs(photos []*image.Gray, matcher PairMatcher) (Group, error) {
	extractor := must(orb.New(orb.Options{}))
	var sets [][]match.Descriptor
	for _, photo := range photos {
		for i := range 16 { // parts that overlap
			part := photo.Rect
			part.Min.X += i * part.Dx() / 64
			part.Min.Y += i * part.Dy() / 80
			_, set := extractor.Extract(photo.SubImage(part).(*image.Gray), nil)
			sets = append(sets, set)
		}
	}
	s := newSum()
	for _, opts := range []match.Options{{}, {CrossCheck: true}, {Ratio: 0.9}, {CrossCheck: true, Ratio: 0.9, MaxDistance: 64}} {
		err := matcher(opts, sets, func(found []match.Match) {
			s.integers(-1) // one list ends, another begins
			each(s, found, addMatch)
		})
		if err != nil {
			return Group{}, err
		}
	}
	return Group{"match: pairs of sets", s.results, s.hex()}, nil
}

// Processor is the PairMatcher that uses package match.
func Processor(opts match.Options, sets [][]match.Descriptor, emit func([]match.Match)) error {
	m, err := match.New[match.Descriptor](opts)
	if err != nil {
		return err
	}
	var found []match.Match
	for i, query := range sets {
		for _, train := range sets[i+1:] {
			found = m.Append(found[:0], query, train)
			emit(found)
		}
	}
	return nil
}
