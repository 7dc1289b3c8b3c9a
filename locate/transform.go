package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/fft"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// spectra are the transforms of a template's channels, for tiles of a size.
type spectra struct {
	size     image.Point
	channels [3]*fft.Spectrum
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
		t.transformed = s
	}
	return t.transformed
}

// scoreAll makes the scores of all places, by the products of all pixels or by transforms, whichever
// takes less time.
func (j *job) scoreAll() {
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
	products := channels * float64((t.w+t.w%2)*(t.h+blockRows-1)) * float64(padded(j.w)) * float64(j.h)
	transformed := channels * j.kernels.transformed * time
	if j.way == directly || j.way == unknown && products <= transformed {
		return image.Point{}, products
	}
	return size, transformed
}

// transform makes the scores of all places by transforms of tiles.
func (j *job) transform(size image.Point) {
	j.spectra = j.template.spectra(size)
	step := j.spectra.channels[0].Block()
	j.parts = j.parts[:0]
	for y := 0; y < j.h; y += step.Y {
		for x := 0; x < j.w; x += step.X {
			j.parts = append(j.parts, image.Rect(x, y, min(x+step.X, j.w), min(y+step.Y, j.h)))
		}
	}
	workers := worker.Count(j.opts.Workers, j.w, j.h)
	worker.Each(j, &j.lanes, workers, j.parts, (*job).convolve)
}

// convolve makes the scores of a block of places by transforms.
func (j *job) convolve(l *lane, part image.Rectangle) {
	l.begin(j, part)
	l.products = raster.Resize(l.products, l.n*part.Dy())
	for c := range j.template.channels {
		sums := fft.Sums{Longs: l.products, Stride: l.n}
		if c > 0 {
			l.more = raster.Resize(l.more, len(l.products))
			sums.Longs = l.more
		}
		pixels := fft.Pixels{Bytes: j.scene.planes[c], Stride: j.scene.stride, W: j.scene.bounds.Dx(), H: j.scene.bounds.Dy()}
		j.spectra.channels[c].Correlate(sums, pixels, part.Min.X, part.Min.Y, &l.transform)
		if c > 0 {
			for i, v := range l.more {
				l.products[i] += v
			}
		}
	}
	for y := range part.Dy() {
		l.scoring.products = l.products[y*l.n:][:l.n]
		l.score(j, part.Min.Y+y)
	}
}
