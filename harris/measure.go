package harris

import "github.com/fastcorners/fast/internal/tensor"

// newMeasure returns the measure that the options ask for.
func newMeasure(o *Options) tensor.Measure {
	return tensor.New(tensor.Kind(o.Measure), o.K, float64(o.scale()*o.scale()))
}

// scale returns the scale of gradients and windows. With it, the gradients of Sobel and
// Scharr are differences per pixel of gray values from 0 to 1, and sums over a box are
// means.
func (o *Options) scale() float64 {
	scale := 1.0
	switch o.Gradient {
	case Sobel3:
		scale = 4 * 255
	case Sobel5:
		scale = 16 * 255
	case Sobel7:
		scale = 64 * 255
	case Scharr:
		scale = 8 * 255
	}
	if o.WindowSigma == 0 {
		scale *= float64(o.BlockSize)
	}
	return 1 / scale
}
