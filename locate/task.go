package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/fft"
)

// A goal is what becomes of scores.
type goal uint8

const (
	toRespond goal = iota // they are kept
	toFind                // the largest one is
	toFindAll             // the places of large ones are
)

// A task is what a call asks for.
type task struct {
	opts     *Options
	kernels  *kernels
	scene    *Scene
	template *Template
	w, h     int // the number of places in a row, and of rows
	goal     goal
	response []float32 // of all places
}

// set makes t the task of a template in a scene, whose goal is to be set.
func (t *task) set(o *Options, s *Scene, template *Template) {
	t.opts, t.kernels, t.scene, t.template = o, table.Best(), s, template
	t.w, t.h = s.w-template.w+1, s.h-template.h+1
	if t.w <= 0 || t.h <= 0 {
		t.w, t.h = 0, 0
	}
}

// flat reports whether all scores are 0 because the template has no variation.
func (t *task) flat() bool {
	switch t.opts.Similarity {
	case Correlation:
		return t.template.variation() == 0
	case Cosine:
		return t.template.sum2 == 0
	}
	return false
}

// low reports whether products and sums of squares have 31 bits, and there are kernels for them.
func (t *task) low() bool {
	return (t.kernels.multiplyLow != nil || t.kernels.fold != nil) && t.template.valueCount*255*255 < 1<<31
}

// lowScores reports whether that is true of numerators and of the variations of windows, too: n times the sum
// of squares of n pixels, less the square of their sum, is at most (n*255/2)^2. No numerator is larger than
// the root of the product of the variations of the template and of the window.
func (t *task) lowScores() bool {
	switch p := &t.template.pattern; t.opts.Similarity {
	case Correlation:
		return p.n*p.valueCount*255*255/4 < 1<<31
	case Cosine:
		return true
	}
	return false
}

// spansTransformed is the number of sums of spans that kernels make in the time of transforms that
// package fft estimates as a nanosecond.
const spansTransformed = 4

// spansTime returns the time that the sums of windows with a mask take by its spans, in the nanoseconds
// of package fft.
func (t *task) spansTime() float64 {
	return float64(len(t.template.spans)) * float64(t.w*t.h) * float64(t.template.channels+1) / spansTransformed
}

// maskTime returns the time that they take by transforms of tiles, if products take productsTime for each channel.
func (t *task) maskTime(productsTime float64) float64 {
	return float64(2*t.template.channels) * productsTime
}

// transformsTime returns the size of tiles with which transforms take the least time, and the time of the
// products of a channel, in the nanoseconds of package fft.
func (t *task) transformsTime() (size image.Point, time float64) {
	return fft.Choose(image.Pt(t.w, t.h), t.template.w, t.template.h)
}

// transformsMask reports whether the sums of windows with a mask take less time by transforms of tiles
// than by the spans of the mask.
func (t *task) transformsMask() bool {
	_, time := t.transformsTime()
	return t.spansTime() > t.maskTime(time)
}
