package raster

import "image"

// sharePixels is the number of pixels of an image for each share.
const sharePixels = 1 << 17

// Shares returns for how many workers an image of w by h pixels is worth while: to wake another
// processor may take longer than to search fewer pixels. It is for what takes about as long for each
// pixel as a detector of corners does.
func Shares(w, h int) int64 { return int64(w) * int64(h) / sharePixels }

// BandRows returns how many of n rows a worker should take at a time, a multiple of align. A single
// worker takes all of them. Several take several bands each, so that none waits long for the
// others in the end, but bands of at least the given number of rows, so that the rows around
// a band cost little.
func BandRows(n, workers, least, align int) int {
	if workers > 1 {
		n = max(n/(4*workers), least)
	}
	return roundUp(n, align)
}

// AppendParts appends rectangles to dst that cover a region: bands of the given number of
// rows, which are divided into strips. All strips but the last have the same width, at most
// width, which is a multiple of align. Neighboring strips overlap by overlap columns.
func AppendParts(dst []image.Rectangle, region image.Rectangle, rows, width, align, overlap int) []image.Rectangle {
	n := region.Dx() - overlap
	strips := max(ceil(n, width-overlap), 1)
	width = roundUp(ceil(n, strips)+overlap, align)
	for y := region.Min.Y; y < region.Max.Y; y += rows {
		for x := region.Min.X; x == region.Min.X || x < region.Max.X-overlap; x += width - overlap {
			dst = append(dst, image.Rect(x, y, min(x+width, region.Max.X), min(y+rows, region.Max.Y)))
		}
	}
	return dst
}

// ceil returns n/d, rounded up.
func ceil(n, d int) int {
	return (n + d - 1) / d
}

// roundUp returns the smallest multiple of align that is at least n.
func roundUp(n, align int) int {
	return ceil(n, align) * align
}
