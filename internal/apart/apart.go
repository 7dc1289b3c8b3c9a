// Package apart keeps points that are not near each other: of those that are offered, each that
// has at least a given distance from all that have been kept before.
//
// [Pixels] is fast for points that are pixels of an image, and [Grid] is for points anywhere.
package apart

import "math"

// limit returns what the square of a distance is less than if it is less than the radius, which
// is positive.
func limit(radius float64) float64 {
	// The square of a tiny radius would be 0, and then equal points would not be near.
	return max(radius*radius, math.SmallestNonzeroFloat64)
}

// square returns the square of a distance. The conversions keep the products from being fused
// with the sum, which would round otherwise.
func square(dx, dy float64) float64 {
	return float64(dx*dx) + float64(dy*dy)
}
