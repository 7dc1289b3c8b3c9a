// Package edge finds what lies beyond the edges of an image. It is not part of package raster,
// so that programs that need no borders do without package border.
package edge

import "github.com/fastcorners/fast/border"

// Inside returns which of n pixels in a row stands in place i, which may be anywhere, or -1 if
// the mode has none of them there.
func Inside(mode border.Mode, i, n int) int {
	if uint(i) < uint(n) {
		return i
	}
	switch mode {
	case border.Replicate:
		return min(max(i, 0), n-1)
	case border.Reflect:
		i = modulo(i, 2*n)
		return min(i, 2*n-1-i)
	case border.Reflect101:
		if n == 1 {
			return 0
		}
		i = modulo(i, 2*n-2)
		return min(i, 2*n-2-i)
	case border.Wrap:
		return modulo(i, n)
	}
	return -1
}

// modulo returns the number from 0 to n-1 that differs from i by a multiple of n.
func modulo(i, n int) int {
	if i %= n; i < 0 {
		i += n
	}
	return i
}
