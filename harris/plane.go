package harris

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// A plane is the gray values of an image.
type plane struct {
	raster.Plane
	luma []float32 // in place of Pix, if it is not nil, without a stride
}

// newPlane returns the plane of img. It panics if img is nil, malformed or too large.
func newPlane(img *image.Gray) plane {
	p := plane{Plane: raster.NewPlane("harris", img)}
	checkSize(p.W, p.H)
	return p
}

// maxPixels is the maximum number of pixels of an image: candidates hold their places in
// 32 bits.
const maxPixels = 1 << 32

// checkSize panics if an image has too many pixels.
func checkSize(w, h int) {
	if int64(w)*int64(h) > maxPixels {
		panic(fmt.Sprintf("harris: image of %d by %d pixels, more than %d", w, h, int64(maxPixels)))
	}
}

// A source makes the responses of a strip of columns from top to bottom.
type source interface {
	// serve makes ready for images of a width, with these kernels, and reports whether
	// it can.
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
	case o.Gradient == Sobel3 && o.BlockSize == 3 && o.Border == Mirror:
		return append(list, newSobel(d.measure))
	}
	return append(list, newBox(o, d.measure))
}

// maxStrip is how many columns a strip has at most. What is kept of some rows of them
// stays in the nearest cache.
const maxStrip = 640

// stripAlign is what the widths of strips but the last are multiples of.
const stripAlign = 32
