package geometry

import (
	"fmt"
	"math"
	"slices"

	"github.com/fastcorners/fast/point"
)

// A Paired identifies points of two lists that belong together, such as a match.Match.
type Paired interface {
	// Pair returns the indices of the points, and the distance between their descriptors.
	Pair() (query, train int, distance float64)
}

// Pairs returns the points and the distances of matches, for [Estimator.Estimate]:
//
//	a, b, distances := geometry.Pairs(keypointsA, keypointsB, matcher.Match(descsA, descsB))
//
// Pair i belongs to matches[i].
func Pairs[Q, T point.Positioned, M Paired](query []Q, train []T, matches []M) (a, b []Point, distances []float64) {
	return AppendPairs(nil, nil, nil, query, train, matches)
}

// AppendPairs is like Pairs but appends to a, b and distances. It does not allocate if these have
// room.
func AppendPairs[Q, T point.Positioned, M Paired](a, b []Point, distances []float64, query []Q, train []T, matches []M) ([]Point, []Point, []float64) {
	a, b, distances = slices.Grow(a, len(matches)), slices.Grow(b, len(matches)), slices.Grow(distances, len(matches))
	for i := range matches {
		q, t, distance := matches[i].Pair()
		a, b, distances = append(a, position(query[q])), append(b, position(train[t])), append(distances, distance)
	}
	return a, b, distances
}

// A Tracked is the new position of a point that was followed, such as a flow.Track.
type Tracked interface {
	point.Positioned
	// Found reports whether the point was found.
	Found() bool
}

// Tracks returns the points and where they moved, for [Estimator.Estimate]:
//
//	a, b := geometry.Tracks(points, tracker.Track(before, after, points, nil))
//
// Pair i belongs to points[i] and tracks[i]. If the point was not found, the pair is NaN in b and
// therefore ignored. For other estimators, use [FoundTracks]. Tracks panics if the lengths differ.
func Tracks[P point.Positioned, T Tracked](points []P, tracks []T) (a, b []Point) {
	return AppendTracks(nil, nil, points, tracks)
}

// AppendTracks is like Tracks but appends to a and b. It does not allocate if these have room.
func AppendTracks[P point.Positioned, T Tracked](a, b []Point, points []P, tracks []T) ([]Point, []Point) {
	checkTracks(points, tracks)
	a, b = slices.Grow(a, len(points)), slices.Grow(b, len(points))
	for i := range points {
		to := Point{math.NaN(), math.NaN()}
		if tracks[i].Found() {
			to = position(tracks[i])
		}
		a, b = append(a, position(points[i])), append(b, to)
	}
	return a, b
}

// FoundTracks returns the points that were found and where they moved, for estimators that do not
// skip NaN, such as [LeastSquares] or the caller's own. Pair i belongs to points[indices[i]] and
// tracks[indices[i]]. FoundTracks panics if the lengths of points and tracks differ.
func FoundTracks[P point.Positioned, T Tracked](points []P, tracks []T) (a, b []Point, indices []int) {
	return AppendFoundTracks(nil, nil, nil, points, tracks)
}

// AppendFoundTracks is like FoundTracks but appends to a, b and indices. It does not allocate if
// these have room for all points.
func AppendFoundTracks[P point.Positioned, T Tracked](a, b []Point, indices []int, points []P, tracks []T) ([]Point, []Point, []int) {
	checkTracks(points, tracks)
	for i, t := range tracks {
		if t.Found() {
			a, b, indices = append(a, position(points[i])), append(b, position(t)), append(indices, i)
		}
	}
	return a, b, indices
}

// checkTracks panics unless there are as many tracks as points.
func checkTracks[P, T any](points []P, tracks []T) {
	if len(points) != len(tracks) {
		panic(fmt.Sprintf("geometry: %d points, but %d tracks", len(points), len(tracks)))
	}
}

// position returns where p is.
func position[P point.Positioned](p P) Point {
	x, y := p.Position()
	return Point{float64(x), float64(y)}
}
