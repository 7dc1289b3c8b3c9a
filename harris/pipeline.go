package harris

import "github.com/fastcorners/fast/border"

// A pipeline makes the responses of a strip of columns, from top to bottom.
type pipeline interface {
	// serves reports whether the pipeline can be used for images of width w. It must be
	// called before start.
	serves(w int) bool
	// start begins a strip of an image, of the columns from begin up to end, with the
	// rows y and y+1. y is odd, and -1 at the top.
	start(p *plane, begin, end, y int)
	// pair makes the next two rows of responses, but not those that are nil. Rows beyond
	// the image are nil.
	pair(upper, lower []float32)
	// release forgets the image.
	release()
}

const (
	// maxStrip is the maximum number of columns of a strip. What is kept of some rows of
	// them fits the first cache.
	maxStrip = 640
	// stripAlign is a divisor of the widths of strips, except for the last one.
	stripAlign = 32
)

// newPipelines returns pipelines that make the responses that the options ask for by these
// kernels, the fastest one first. The last one serves all images.
func (d *Detector) newPipelines(k *kernels) (list []pipeline) {
	o, m := &d.opts, d.measure
	sobel := o.Gradient == Sobel3 && o.WindowSigma == 0 && o.Border == border.Reflect101
	switch {
	case sobel && o.BlockSize == 3 && k.respond != nil:
		list = append(list, newSobelBlocks(m, k))
	case sobel && hasSobelWindows(o.BlockSize) && k.gradient != nil:
		list = append(list, newSobelWindows(o.BlockSize, m, k))
	case isGaussian7(o) && k.gradients7 != nil:
		list = append(list, newGaussian7(o, m, k))
	}
	switch {
	case o.Gradient == Gaussian:
		return append(list, newConvolution(o, m, gaussianWeights(o.GradientSigma, o.GradientRadius), k))
	case o.WindowSigma > 0:
		return append(list, newConvolution(o, m, sobelWeights[o.Gradient], k))
	case sobel && o.BlockSize == 3:
		return append(list, newSobel(m))
	}
	return append(list, newBox(o, m, k))
}
