package raster

// Mirror returns which of n pixels in a row stands in place i, which may be beyond them,
// where the row is reversed again and again without its outermost pixels: dcb|abcd|cba.
func Mirror(i, n int) int {
	if n == 1 {
		return 0
	}
	for i < 0 || i >= n { // rarely more than once, so that division is slower
		if i < 0 {
			i = -i
		} else {
			i = 2*(n-1) - i
		}
	}
	return i
}
