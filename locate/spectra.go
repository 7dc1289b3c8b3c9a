package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/fft"
)

// spectra are the transforms of a template's channels, for tiles of a size.
type spectra struct {
	size     image.Point
	channels [3]*fft.Spectrum
	mask     *fft.Spectrum // of -1 for each pixel of the mask, or nil without a mask
}

// newSpectra returns the transforms of t for tiles of a size.
func newSpectra(t *pattern, size image.Point) *spectra {
	s := &spectra{size: size}
	for c := range t.channels {
		s.channels[c] = fft.NewSpectrum(size, t.values[c], t.stride, t.w, t.h)
	}
	if t.spans != nil {
		s.mask = fft.NewSpectrum(size, t.mask, t.maskStride, t.w, t.h)
	}
	return s
}
