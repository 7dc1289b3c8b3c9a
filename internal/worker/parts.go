package worker

import "image"

// workerPixels is how many pixels an image has for each worker at least. To wake another
// processor can take 0.1 ms.
const workerPixels = 1 << 17

// Count returns how many of the workers that are asked for share an image of w by h
// pixels, one at least.
func Count(asked, w, h int) int {
	return int(max(min(int64(asked), int64(w)*int64(h)/workerPixels), 1))
}

// Rows returns how many of n rows a worker takes at a time, a multiple of align: all of
// them if there is one worker. Several get several bands each, so that nobody waits long for
// the last ones, but none lower than least, so that the rows around a band cost little.
func Rows(n, workers, least, align int) int {
	if workers > 1 {
		n = max(n/(4*workers), least)
	}
	return roundUp(n, align)
}

// AppendParts appends rectangles to dst that cover a region: bands of the given number of
// rows, cut into strips of about the same width. That is at most width and a multiple of
// align, as width is, but for the last strip. The first columns of a strip, overlap of them,
// are the last ones of that to its left.
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

// roundUp returns the least multiple of align that is not less than n.
func roundUp(n, align int) int {
	return ceil(n, align) * align
}
