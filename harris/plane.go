package harris

import "image"

// A plane is the gray values of an image whose sides are at least 2.
type plane struct {
	w, h   int
	pix    []byte
	stride int
	luma   []float32 // without a stride, in place of pix if it is not nil
}

// row returns row y.
func (p *plane) row(y int) []byte {
	return p.pix[y*p.stride:][:p.w]
}

// mirror returns the number of n, at least 2, that i is beyond an end of them when they
// are mirrored there without the last one, as often as needed.
func mirror(i, n int) int {
	for i < 0 || i >= n {
		if i < 0 {
			i = -i
		} else {
			i = 2*(n-1) - i
		}
	}
	return i
}

// A source makes the responses of a strip of columns from top to bottom.
type source interface {
	// serve makes ready for images of a width, with these kernels, which are nil for
	// those in Go, and reports whether it can.
	serve(k *kernels, w int) bool
	// start begins a strip of an image, of the columns from begin to end, with the
	// rows y and y+1. y is odd, and -1 at the top.
	start(p *plane, begin, end, y int)
	// pair makes the next two rows of responses. A row that is nil is not wanted;
	// those beyond the image are.
	pair(upper, lower []float32)
	// release forgets the image.
	release()
}

// newSources returns the sources of the responses that the options ask for, the fastest
// one first. The last one serves all images.
func (d *Detector) newSources() (list []source) {
	o := &d.opts
	if d.fusible() {
		list = append(list, newFused(o.BlockSize, d.measure))
	}
	if d.sevens() {
		list = append(list, newSeven(o, d.measure))
	}
	switch {
	case o.Gradient == Gaussian:
		return append(list, newWeighted(o, d.measure, gaussianWeights(o.GradientSigma, o.GradientRadius)))
	case o.WindowSigma > 0:
		return append(list, newWeighted(o, d.measure, sobelWeights[o.Gradient]))
	case o.Gradient == Sobel3 && o.BlockSize == 3 && o.Border == Mirrored:
		return append(list, newSobel(d.measure))
	}
	return append(list, newBox(o, d.measure))
}

// maxStrip is how many columns a strip has at most. What is kept of some rows of them
// stays in the nearest cache.
const maxStrip = 640

// stripAlign is what the widths of strips but the last are multiples of.
const stripAlign = 32

// appendParts appends rectangles to parts that cover an image of w by h pixels: bands of
// so many rows, cut into strips of about the same width. The first columns of a strip,
// overlap of them, are the last ones of that to its left.
func appendParts(parts []image.Rectangle, w, h, overlap, rows int) []image.Rectangle {
	strips := max((w-overlap+maxStrip-overlap-1)/(maxStrip-overlap), 1)
	width := ((w-overlap+strips-1)/strips + overlap + stripAlign - 1) / stripAlign * stripAlign
	for y := 0; y < h; y += rows {
		for x := 0; x == 0 || x < w-overlap; x += width - overlap {
			parts = append(parts, image.Rect(x, y, min(x+width, w), min(y+rows, h)))
		}
	}
	return parts
}
