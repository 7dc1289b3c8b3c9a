package orb

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/match"
)

// levels returns the scales of the levels, and how many keypoints are wanted of
// each: fewer of the smaller ones, in proportion to their sides or areas.
func levels(opts Options) (scales []float32, quotas []int) {
	f := float64(float32(opts.ScaleFactor)) // OpenCV keeps it so
	for l := range opts.Levels {
		scales = append(scales, float32(power(f, l-opts.FirstLevel)))
	}
	if opts.AreaQuotas {
		return scales, areaQuotas(opts.Features, f, opts.Levels)
	}
	q := float32(1 / f)
	wanted := float32(opts.Features) * (1 - q) / (1 - float32(power(float64(q), opts.Levels)))
	left := opts.Features
	for range opts.Levels - 1 {
		quotas = append(quotas, roundEven(wanted))
		left -= roundEven(wanted)
		wanted *= q
	}
	return scales, append(quotas, max(left, 0))
}

// areaQuotas shares the features among levels of which each is smaller than the one
// before by a factor. Rounding their running sum keeps the sum of the quotas.
func areaQuotas(features int, factor float64, levels int) []int {
	sums := []float64{0} // of the areas of so many levels, the first of them 1
	for l := range levels {
		sums = append(sums, sums[l]+power(factor, -2*l))
	}
	quotas := make([]int, levels)
	given := 0
	for l := range quotas {
		next := int(math.RoundToEven(float64(features) * (sums[l+1] / sums[levels])))
		quotas[l] = next - given
		given = next
	}
	return quotas
}

// power returns x to the n. Unlike math.Pow it is the same on every platform.
func power(x float64, n int) float64 {
	if n < 0 {
		return 1 / power(x, -n)
	}
	p := 1.0
	for range n {
		p *= x
	}
	return p
}

// roundEven returns the nearest integer, of two the even one.
func roundEven(v float32) int {
	return int(math.RoundToEven(float64(v)))
}

// A level is one of the pyramid of an image.
type level struct {
	number             int
	w, h               int
	img, mask          image.Gray // the mask has no pixels where all count, and otherwise 0 or 255
	pixels, maskPixels []byte     // memory of its own for them

	inner     image.Gray // the part of img that is searched
	guess     int        // what lowest may be
	lowest    int        // score of the corners
	corners   []fast.Corner
	sums      [harrisCorners]harrisSums
	responses []float32 // of the corners
	ranked    []uint64  // the ranks of the responses and their indices, sorted
	found     []keypoint
	descs     []match.Descriptor // of what was found

	kernels   *kernels // nil for those in Go
	harrisRun harrisRun
	momentRun momentRun
	resizer   resizer
	blur      blur
}

// A scratch is the memory for one image. It is reused.
type scratch struct {
	source level // the image, without a number
	levels []level
}

// build makes the levels of img, and of mask unless that is nil, on which there can
// be keypoints.
func (s *scratch) build(e *Extractor, img, mask *image.Gray) {
	check("image", img)
	w, h := img.Rect.Dx(), img.Rect.Dy()
	s.source.w, s.source.h = w, h
	s.source.img = image.Gray{Pix: img.Pix, Stride: img.Stride, Rect: image.Rect(0, 0, w, h)}
	s.source.mask = image.Gray{}
	if mask != nil {
		check("mask", mask)
		if mask.Rect != img.Rect {
			panic(fmt.Sprintf("orb: mask bounds %v are not those of the image, %v", mask.Rect, img.Rect))
		}
		s.source.mask = gray(&s.source.maskPixels, w, h)
		for y := range h {
			copy(s.source.mask.Pix[y*s.source.mask.Stride:][:w], mask.Pix[y*mask.Stride:])
		}
		binarize(s.source.mask.Pix, 0)
	}

	k := bestKernels()
	s.levels = slices.Grow(s.levels[:0], e.opts.Levels)[:e.opts.Levels]
	n := 0
	for i := range s.levels {
		l := &s.levels[i]
		inverse := 1 / e.scales[i]
		l.kernels = k
		l.number, l.w, l.h = i, roundEven(float32(w)*inverse), roundEven(float32(h)*inverse)
		if l.w > 2*e.opts.EdgeThreshold && l.h > 2*e.opts.EdgeThreshold {
			n = i + 1 // those after one that is too small are smaller still
		}
	}
	s.levels = s.levels[:n]
	for i := range min(n, e.opts.FirstLevel) {
		s.levels[i].resize(&s.source, 0)
	}
	from := &s.source
	for i := e.opts.FirstLevel; i < n; i++ {
		l := &s.levels[i]
		if i == e.opts.FirstLevel {
			l.img, l.mask = from.img, from.mask
		} else {
			l.resize(from, 254)
		}
		from = l
	}
}

// release puts s back. It keeps nothing that belongs to the caller.
func (s *scratch) release(e *Extractor) {
	s.source.img = image.Gray{}
	for i := range s.levels {
		l := &s.levels[i]
		l.img, l.inner = image.Gray{}, image.Gray{}
		l.harrisRun, l.momentRun = harrisRun{}, momentRun{}
		l.resizer.release()
		l.blur.release()
	}
	e.pool.Put(s)
}

// gray returns an image of w by h pixels in memory that is grown when it is too
// small. Its rows have room for whole vectors.
func gray(pixels *[]byte, w, h int) image.Gray {
	stride := (w + linePixels - 1) / linePixels * linePixels
	*pixels = slices.Grow((*pixels)[:0], stride*h)[:stride*h]
	return image.Gray{Pix: *pixels, Stride: stride, Rect: image.Rect(0, 0, w, h)}
}

// binarize sets what is above the limit to 255, and all else to 0.
func binarize(pix []byte, limit uint8) {
	for i, v := range pix {
		pix[i] = 0
		if v > limit {
			pix[i] = 255
		}
	}
}

// check panics unless img has the pixels that its bounds and stride ask for, in rows
// that share none, and its sides fit 31 bits.
func check(name string, img *image.Gray) {
	if img.Rect.Empty() {
		return
	}
	w, h := raster.Size(img.Rect)
	if max(w, h) > math.MaxInt32 {
		panic(fmt.Sprintf("orb: %s bounds %v have sides of more than 31 bits", name, img.Rect))
	}
	raster.Check("orb", name, img.Rect, img.Pix, img.Stride, 1)
	if img.Stride < int(w) {
		panic(fmt.Sprintf("orb: %s stride %d is less than the width of bounds %v", name, img.Stride, img.Rect))
	}
}

// resize makes l another one in its own size. Of the mask those pixels count that
// are above the limit.
func (l *level) resize(from *level, limit uint8) {
	l.img = gray(&l.pixels, l.w, l.h)
	l.resizer.prepare(l.img.Rect.Max, from.img.Rect.Max, l.kernels)
	l.resizer.resize(&l.img, &from.img)
	l.mask = image.Gray{}
	if from.mask.Pix != nil {
		l.mask = gray(&l.maskPixels, l.w, l.h)
		l.resizer.resize(&l.mask, &from.mask)
		binarize(l.mask.Pix, limit)
	}
}
