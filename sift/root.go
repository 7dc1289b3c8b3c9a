package sift

import "github.com/fastcorners/fast/match"

// rootVector replaces the components of v by the square roots of their shares of the sum, times
// 512 and rounded to the nearest integer up to 255.
func rootVector(v *match.Vector) {
	sum := uint64(0)
	for _, b := range v {
		sum += uint64(b)
	}
	sum = max(sum, 1)
	// Component b becomes the largest r with (2r-1)^2 * sum <= (2*512)^2 * b.
	for i, b := range v {
		low, high := uint64(0), uint64(255)
		for low < high {
			r := (low + high + 1) / 2
			if (2*r-1)*(2*r-1)*sum <= 1<<20*uint64(b) {
				low = r
			} else {
				high = r - 1
			}
		}
		v[i] = uint8(low)
	}
}
