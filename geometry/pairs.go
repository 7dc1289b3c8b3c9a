package geometry

import "slices"

// A Positioned is a point of another package, such as an orb.Keypoint or a lococo.Corner.
type Positioned interface {
	// Position returns the coordinates, in pixels.
	Position() (x, y float32)
}

// A Paired tells which points of two lists belong together, as a match.Match does.
type Paired interface {
	// Pair returns the indices of the points, and how far apart their descriptors are.
	Pair() (query, train int, distance float64)
}

// Pairs returns the points and the distances of matches, for [Estimator.Estimate]:
//
//	a, b, distances := geometry.Pairs(keypointsA, keypointsB, matcher.Match(descsA, descsB))
//
// Pair i is that of matches[i].
func Pairs[Q, T Positioned, M Paired](query []Q, train []T, matches []M) (a, b []Point, distances []float64) {
	return AppendPairs(nil, nil, nil, query, train, matches)
}

// AppendPairs is Pairs, appending to a, b and distances. It does not allocate if these have
// room.
func AppendPairs[Q, T Positioned, M Paired](a, b []Point, distances []float64, query []Q, train []T, matches []M) ([]Point, []Point, []float64) {
	a, b, distances = slices.Grow(a, len(matches)), slices.Grow(b, len(matches)), slices.Grow(distances, len(matches))
	for i := range matches {
		q, t, distance := matches[i].Pair()
		a, b, distances = append(a, position(query[q])), append(b, position(train[t])), append(distances, distance)
	}
	return a, b, distances
}

// position returns where p is.
func position[P Positioned](p P) Point {
	x, y := p.Position()
	return Point{float64(x), float64(y)}
}
