package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/fft"
	"github.com/fastcorners/fast/internal/raster"
)

// spectra are the transforms of a template's channels, for tiles of a size.
type spectra struct {
	size     image.Point
	channels [3]*fft.Spectrum
	mask     *fft.Spectrum // of -1 for each pixel of the mask, or nil without a mask
}

// spectra returns the transforms of t for tiles of a size. Those of one size are kept.
func (t *Template) spectra(size image.Point) *spectra {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.transformed == nil || t.transformed.size != size {
		s := &spectra{size: size}
		for c := range t.channels {
			s.channels[c] = fft.NewSpectrum(size, t.values[c], t.stride, t.w, t.h)
		}
		if t.spans != nil {
			s.mask = fft.NewSpectrum(size, t.mask, t.maskStride, t.w, t.h)
		}
		t.transformed = s
	}
	return t.transformed
}

// scoreAll makes the scores of all places, by the products of all pixels or by transforms, whichever
// takes less time.
func (j *job) scoreAll() {
	if j.flat() {
		j.share((*job).scoreNothing)
		return
	}
	size, _ := j.plan()
	if size == (image.Point{}) {
		j.share((*job).direct)
	} else {
		j.transform(size)
	}
}

// plan returns the size of tiles with which all products are made in less time by transforms, or
// 0, 0 if they are not, and the number of products that would be made in that time.
func (j *job) plan() (image.Point, float64) {
	t := j.template
	size, time := fft.Choose(image.Pt(j.w, j.h), t.w, t.h)
	channels := float64(t.channels)
	each := float64((t.w + t.w%2) * (t.h + blockRows - 1))
	if j.low() && j.kernels.fold != nil {
		rows, quads := t.foldSize()
		each = float64(2*rows*4*quads) * foldLists / 16
	}
	products := channels * each * float64(padded(j.w)) * float64(j.h)
	products += j.kernels.transformed * j.spansTime()
	transformed := j.kernels.transformed * (channels*time + min(j.spansTime(), 2*channels*time))
	if j.way == directly || j.way == unknown && products <= transformed {
		return image.Point{}, products
	}
	return size, transformed
}

// spansTransformed is the number of sums of spans that kernels make in the time of transforms that
// package fft estimates as a nanosecond.
const spansTransformed = 4

// spansTime returns the time that the sums of windows with a mask take by its spans, in the nanoseconds
// of package fft.
func (j *job) spansTime() float64 {
	t := j.template
	return float64(len(t.spans)) * float64(j.w*j.h) * float64(t.channels+1) / spansTransformed
}

// transformsMask reports whether the sums of windows with a mask take less time by transforms of tiles
// than by the spans of the mask.
func (j *job) transformsMask() bool {
	t := j.template
	_, time := fft.Choose(image.Pt(j.w, j.h), t.w, t.h)
	return j.spansTime() > float64(2*t.channels)*time
}

// transform makes the scores of all places by transforms of tiles.
func (j *job) transform(size image.Point) {
	j.spectra = j.template.spectra(size)
	j.squares = [3][]int16{}
	if j.transformsMask() {
		j.squares = j.scene.squares()
	}
	step := j.spectra.channels[0].Block()
	j.parts = j.parts[:0]
	for y := 0; y < j.h; y += step.Y {
		for x := 0; x < j.w; x += step.X {
			j.parts = append(j.parts, image.Rect(x, y, min(x+step.X, j.w), min(y+step.Y, j.h)))
		}
	}
	j.each((*job).convolve)
}

// convolve makes the scores of a block of places by transforms.
func (j *job) convolve(l *lane, part image.Rectangle) {
	l.begin(j, part, j.template.mean)
	n := l.n * part.Dy()
	l.products = raster.Resize(l.products, n)
	if j.squares[0] == nil {
		l.windows.begin(j.kernels, j.scene, &j.template.shape, part)
	} else {
		l.maskSums2 = zeros(l.maskSums2, n)
	}
	for c := range j.template.channels {
		pixels := fft.Pixels{Bytes: j.scene.planes[c], Stride: j.scene.stride, W: j.scene.bounds.Dx(), H: j.scene.bounds.Dy()}
		correlate := func(s *fft.Spectrum, dst fft.Sums) {
			dst.Stride = l.n
			s.Correlate(dst, pixels, part.Min.X, part.Min.Y, &l.transform)
		}
		if c == 0 {
			correlate(j.spectra.channels[c], fft.Sums{Longs: l.products})
		} else {
			l.more = raster.Resize(l.more, n)
			correlate(j.spectra.channels[c], fft.Sums{Longs: l.more})
			for i, v := range l.more {
				l.products[i] += v
			}
		}
		if j.squares[0] == nil {
			continue
		}
		l.maskSums[c] = raster.Resize(l.maskSums[c], n)
		correlate(j.spectra.mask, fft.Sums{Ints: l.maskSums[c]})
		l.more = raster.Resize(l.more, n)
		pixels.Bytes, pixels.Words = nil, j.squares[c]
		correlate(j.spectra.mask, fft.Sums{Longs: l.more})
		l.addMask(c, j.template.n)
	}
	for y := range part.Dy() {
		r := &l.scoreRun
		r.products = l.products[y*l.n:][:l.n]
		if j.squares[0] == nil {
			l.score(j, part.Min.Y+y)
			continue
		}
		for c := range r.channels {
			r.sums[c] = l.maskSums[c][y*l.n:][:l.n]
		}
		r.sums2 = l.maskSums2[y*l.n:][:l.n]
		l.scoreRow(j, part.Min.Y+y)
	}
}

// addMask adds what a channel has to the sums of squares. The sums of the channel, and in more those of
// the squares of pixels less 128, have been made with -1 for each of the n pixels of the mask.
func (l *lane) addMask(c int, n int64) {
	sums := l.maskSums[c]
	all, squares := l.maskSums2[:len(sums)], l.more[:len(sums)]
	for i, s := range sums {
		sums[i] = -s
		all[i] += -squares[i] - 256*int64(s) - 128*128*n
	}
}
