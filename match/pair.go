package match

import "math"

// A Match is a pair of descriptors.
type Match struct {
	// Query and Train are the indices of the descriptors in their sets.
	Query, Train int32
	// Distance is the distance that a Matcher of their type measures.
	Distance int32
}

// Pair returns the indices and the distance, for [geometry.Pairs]. Estimators use only the order of
// the distances, so it does not matter that those of vectors are squared.
//
// [geometry.Pairs]: https://pkg.go.dev/github.com/fastcorners/fast/geometry#Pairs
func (m Match) Pair() (query, train int, distance float64) {
	return int(m.Query), int(m.Train), float64(m.Distance)
}

// A pair is a distance and, in the lower 32 bits, the index of the other descriptor.
// Like keys, pairs are ordered by distance and then by index.
type pair uint64

const noPair pair = math.MaxInt64 // greater than all pairs

// pairOf returns the pair of a key, of which the given number of bits are an index that counts from
// base.
func pairOf(key uint32, indexBits, base int) pair {
	if key == noKey {
		return noPair
	}
	return pair(key>>indexBits)<<32 | pair(uint32(base)+key&(1<<indexBits-1))
}

func (p pair) index() int    { return int(uint32(p)) }
func (p pair) distance() int { return int(p >> 32) }

// match returns the match of a query descriptor with the train descriptor of p.
func (p pair) match(query int) Match {
	return Match{Query: int32(query), Train: int32(p), Distance: int32(p >> 32)}
}

// distinct reports whether p is so much nearer than second as a ratio of distances asks for, or alone if
// there is no second.
func (p pair) distinct(second pair, ratio float64, alone bool) bool {
	if second == noPair {
		return alone
	}
	return float64(p.distance()) < ratio*float64(second.distance())
}
