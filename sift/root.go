package sift

import (
	"math"

	"github.com/fastcorners/fast/match"
)

// Root converts descriptors, in place, to RootSIFT (R. Arandjelovic and A. Zisserman, "Three things
// everyone should know to improve object retrieval", CVPR 2012), whose distances distinguish
// correct matches better: each number becomes 512 times the square root of its fraction of the sum
// of all numbers, rounded to the nearest integer and at most 255. The computation uses integers
// only. With Options.Root, all descriptors are already of this kind.
func Root(descs []match.Vector) {
	for i := range descs {
		rootVector(&descs[i])
	}
}

// rootVector replaces the components of v by the square roots of their shares of the sum, times
// 512 and rounded to the nearest integer up to 255.
func rootVector(v *match.Vector) {
	sum := uint64(0)
	for _, b := range v {
		sum += uint64(b)
	}
	sum = max(sum, 1)
	// Component b becomes the largest r with (2r-1)^2 * sum <= (2*512)^2 * b, which is as large as
	// the root in floating point, but for its errors.
	for i, b := range v {
		square := 1 << 20 * uint64(b)
		r := min(uint64(math.Sqrt(float64(square)/float64(4*sum))+0.5), 255)
		for r > 0 && (2*r-1)*(2*r-1)*sum > square {
			r--
		}
		for r < 255 && (2*r+1)*(2*r+1)*sum <= square {
			r++
		}
		v[i] = uint8(r)
	}
}
