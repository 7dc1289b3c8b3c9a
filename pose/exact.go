package pose

import (
	"fmt"

	"github.com/fastcorners/fast/geometry"
)

// FivePoints returns the essential matrices that five pairs of rays determine (see Rays of package
// camera): up to 10, and none if the pairs are degenerate or not finite. It panics if there are
// more or fewer pairs.
func FivePoints(a, b []geometry.Point) []Essential {
	p, q := sampleOf(a, b, relativeSize)
	var found []Essential
	for _, e := range fivePoints(nil, &p, &q, new(eliminateRun)) {
		found = append(found, Essential(e))
	}
	return found
}

// SevenPoints returns the fundamental matrices that seven pairs of points determine, with
// squares of elements whose sum is 1: up to 3, and none if the pairs are degenerate or not finite.
// It panics if there are more or fewer pairs. Rounding errors are smallest for points at distances
// of about 1 from the origin, as rays are.
func SevenPoints(a, b []geometry.Point) []Fundamental {
	p, q := sampleOf(a, b, fundamentalSize)
	var found []Fundamental
	for _, f := range sevenPoints(nil, &p, &q, new(reduceRun)) {
		found = append(found, Fundamental(f))
	}
	return found
}

// ThreePoints returns the poses of a camera that sees three points of the world along three rays
// (see Rays of package camera): up to 4, and none if the points are on a line or not finite. It
// panics if there are more or fewer points.
func ThreePoints(world []Vector, rays []geometry.Point) []Pose {
	if len(world) != absoluteSize || len(rays) != absoluteSize {
		panic(fmt.Sprintf("pose: %d points and %d rays, not %d", len(world), len(rays), absoluteSize))
	}
	var directions, points [7]Vector
	for i, p := range rays {
		directions[i], points[i] = Vector{p.X, p.Y, 1}.unit(), world[i]
	}
	return threePoints(nil, &directions, &points)
}

// sampleOf returns the points of a sample. It panics if there are more or fewer than size.
func sampleOf(a, b []geometry.Point, size int) (p, q [7]Vector) {
	if len(a) != size || len(b) != size {
		panic(fmt.Sprintf("pose: %d points of A and %d of B, not %d", len(a), len(b), size))
	}
	for i := range a {
		p[i], q[i] = Vector{a[i].X, a[i].Y, 1}, Vector{b[i].X, b[i].Y, 1}
	}
	return p, q
}
