package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/fft"
	"github.com/fastcorners/fast/internal/raster"
)

// A convolver is the memory of a worker for sums by transforms, of a part of the places.
type convolver struct {
	products  []int64
	maskSums  [3][]int32 // of windows with a mask
	maskSums2 []int64
	more      []int64 // sums of another channel
	scratch   fft.Scratch
}

// convolve makes the products of a part of the places, n for each row, and if there are squares, those of
// the pixels of the scene less 128, the sums of the windows with a mask.
func (v *convolver) convolve(t *task, s *spectra, squares *[3][]int16, part image.Rectangle, n int) {
	size := n * part.Dy()
	v.products = raster.Resize(v.products, size)
	if squares[0] != nil {
		v.maskSums2 = zeros(v.maskSums2, size)
	}
	for c := range t.template.channels {
		pixels := fft.Pixels{Bytes: t.scene.planes[c], Stride: t.scene.stride, W: t.scene.w, H: t.scene.h}
		correlate := func(s *fft.Spectrum, dst fft.Sums) {
			dst.Stride = n
			s.Correlate(dst, pixels, part.Min.X, part.Min.Y, &v.scratch)
		}
		if c == 0 {
			correlate(s.channels[c], fft.Sums{Longs: v.products})
		} else {
			v.more = raster.Resize(v.more, size)
			correlate(s.channels[c], fft.Sums{Longs: v.more})
			for i, sum := range v.more {
				v.products[i] += sum
			}
		}
		if squares[0] == nil {
			continue
		}
		v.maskSums[c] = raster.Resize(v.maskSums[c], size)
		correlate(s.mask, fft.Sums{Ints: v.maskSums[c]})
		v.more = raster.Resize(v.more, size)
		pixels.Bytes, pixels.Words = nil, squares[c]
		correlate(s.mask, fft.Sums{Longs: v.more})
		v.addMask(c, t.template.n)
	}
}

// addMask adds what a channel has to the sums of squares. The sums of the channel, and in more those of
// the squares of pixels less 128, have been made with -1 for each of the n pixels of the mask.
func (v *convolver) addMask(c int, n int64) {
	sums := v.maskSums[c]
	all, squares := v.maskSums2[:len(sums)], v.more[:len(sums)]
	for i, s := range sums {
		sums[i] = -s
		all[i] += -squares[i] - 256*int64(s) - 128*128*n
	}
}
