// Package pixel tells which pixel a place between pixels belongs to.
package pixel

import (
	"image"
	"math"
)

// Nearest returns the pixel whose center is nearest to x, y; of two, the one to the right or
// below. A coordinate that is NaN or does not fit in 32 bits becomes math.MaxInt32, which no
// image has a pixel at.
func Nearest(x, y float64) image.Point {
	return image.Pt(nearest(x), nearest(y))
}

func nearest(v float64) int {
	whole := math.Floor(v)
	if v-whole >= 0.5 {
		whole++
	}
	if whole >= math.MinInt32 && whole < math.MaxInt32 {
		return int(whole)
	}
	return math.MaxInt32
}
