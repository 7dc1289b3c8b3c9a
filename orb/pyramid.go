package orb

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/pixels"
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

	corners []fast.Corner
	found   []keypoint
	descs   []match.Descriptor // of what was found
	ranked  []float32          // the responses, sorted

	kernels   *kernels // nil for those in Go
	momentRun momentRun
	blur      blur
}

// A scratch is the memory for one image. It is reused.
type scratch struct {
	source  level // the image, without a number
	levels  []level
	resizer resizer
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
			copy(s.source.mask.Pix[y*w:][:w], mask.Pix[y*mask.Stride:])
		}
		binarize(s.source.mask.Pix, 0)
	}

	s.resizer.kernels = bestKernels()
	s.levels = slices.Grow(s.levels[:0], e.opts.Levels)[:e.opts.Levels]
	n := 0
	for i := range s.levels {
		l := &s.levels[i]
		inverse := 1 / e.scales[i]
		l.kernels = s.resizer.kernels
		l.number, l.w, l.h = i, roundEven(float32(w)*inverse), roundEven(float32(h)*inverse)
		if l.w > 2*e.opts.EdgeThreshold && l.h > 2*e.opts.EdgeThreshold {
			n = i + 1 // those after one that is too small are smaller still
		}
	}
	s.levels = s.levels[:n]
	for i := range min(n, e.opts.FirstLevel) {
		s.levels[i].resize(&s.resizer, &s.source, 0)
	}
	from := &s.source
	for i := e.opts.FirstLevel; i < n; i++ {
		l := &s.levels[i]
		if i == e.opts.FirstLevel {
			l.img, l.mask = from.img, from.mask
		} else {
			l.resize(&s.resizer, from, 254)
		}
		from = l
	}
}

// release puts s back. It keeps nothing that belongs to the caller.
func (s *scratch) release(e *Extractor) {
	s.source.img = image.Gray{}
	s.resizer.lineRun.src = nil
	for i := range s.levels {
		s.levels[i].img = image.Gray{}
		s.levels[i].momentRun = momentRun{}
		s.levels[i].blur.release()
	}
	e.pool.Put(s)
}

// gray returns an image of w by h pixels in memory that is grown when it is too
// small.
func gray(pixels *[]byte, w, h int) image.Gray {
	*pixels = slices.Grow((*pixels)[:0], w*h)[:w*h]
	return image.Gray{Pix: *pixels, Stride: w, Rect: image.Rect(0, 0, w, h)}
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
	w, h := pixels.Size(img.Rect)
	if max(w, h) > math.MaxInt32 {
		panic(fmt.Sprintf("orb: %s bounds %v have sides of more than 31 bits", name, img.Rect))
	}
	pixels.Check("orb", name, img.Rect, img.Pix, img.Stride, 1)
	if img.Stride < int(w) {
		panic(fmt.Sprintf("orb: %s stride %d is less than the width of bounds %v", name, img.Stride, img.Rect))
	}
}

// resize makes l another one in its own size. Of the mask those pixels count that
// are above the limit.
func (l *level) resize(r *resizer, from *level, limit uint8) {
	l.img = gray(&l.pixels, l.w, l.h)
	r.resize(&l.img, &from.img)
	l.mask = image.Gray{}
	if from.mask.Pix != nil {
		l.mask = gray(&l.maskPixels, l.w, l.h)
		r.resize(&l.mask, &from.mask)
		binarize(l.mask.Pix, limit)
	}
}

// A resizer resizes images by bilinear interpolation in integers, as OpenCV's
// INTER_LINEAR_EXACT does.
type resizer struct {
	columns, rows []tap
	groups        []tapGroup // the columns as assembly takes them, or none
	lines         [2][]int16 // rows of the source, interpolated, times 256 and less 1<<15
	numbers       [2]int     // which ones

	kernels  *kernels // nil for those in Go
	lineRun  lineRun
	blendRun blendRun
}

// A tap is where a pixel comes from: from the pixels first and second with the
// weights 256-weight and weight.
type tap struct {
	first, second int
	weight        int32
}

// appendTaps appends the taps of a side of so many pixels.
func appendTaps(taps []tap, pixels, source int) []tap {
	scale := 1 / (float64(pixels) / float64(source))
	for i := range pixels {
		f := float64(scale*(float64(i)+0.5)) - 0.5
		at := math.Floor(f)
		switch {
		case at < 0:
			taps = append(taps, tap{0, 0, 0})
		case int(at) >= source-1:
			taps = append(taps, tap{source - 1, source - 1, 0})
		default:
			taps = append(taps, tap{int(at), int(at) + 1, int32(math.RoundToEven((f - at) * 256))})
		}
	}
	return taps
}

// groupPixels is how many pixels a tapGroup has. Lines have a multiple of it.
const groupPixels = 16

// A tapGroup is the taps of 16 pixels, in two halves. Those of a half are among 16
// pixels of the source from its base on.
type tapGroup struct {
	base             [2]int32
	shuffle, weights [2 * groupPixels]uint8 // of the first and second pixels in turn
}

// appendGroups appends the groups of taps, or none where they are too far from
// each other.
func appendGroups(groups []tapGroup, taps []tap, source int) []tapGroup {
	const half = groupPixels / 2
	if source < groupPixels {
		return groups
	}
	for begin := 0; begin < len(taps); begin += groupPixels {
		var g tapGroup
		for i := range groupPixels {
			t := taps[min(begin+i, len(taps)-1)]
			base := &g.base[i/half]
			if i%half == 0 {
				*base = int32(min(t.first, source-groupPixels))
			}
			if t.second-int(*base) >= groupPixels {
				return groups[:0]
			}
			// Weights are bytes, and 256 is 255 and 1.
			first, second, weight := t.first, t.second, t.weight
			switch weight {
			case 0:
				second, weight = first, 1
			case 256:
				first, weight = second, 1
			}
			g.shuffle[2*i], g.shuffle[2*i+1] = uint8(first-int(*base)), uint8(second-int(*base))
			g.weights[2*i], g.weights[2*i+1] = uint8(256-weight), uint8(weight)
		}
		groups = append(groups, g)
	}
	return groups
}

// resize makes dst src in its own size.
func (r *resizer) resize(dst, src *image.Gray) {
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	r.columns = appendTaps(r.columns[:0], w, src.Rect.Dx())
	r.rows = appendTaps(r.rows[:0], h, src.Rect.Dy())
	r.groups = r.groups[:0]
	if r.kernels != nil && w >= groupPixels {
		r.groups = appendGroups(r.groups, r.columns, src.Rect.Dx())
	}
	length := (w + groupPixels - 1) / groupPixels * groupPixels
	for i := range r.lines {
		r.lines[i] = slices.Grow(r.lines[i][:0], length)[:length]
		r.numbers[i] = -1
	}
	for y, t := range r.rows {
		upper, lower := r.line(src, t.first), r.line(src, t.second)
		row := dst.Pix[y*dst.Stride:][:w]
		if len(r.groups) > 0 {
			r.blendRun = blendRun{&upper[0], &lower[0], &row[0], w, uint32(256-t.weight) | uint32(t.weight)<<16, lineBias}
			r.kernels.blend(&r.blendRun)
			continue
		}
		upper, lower = upper[:len(row)], lower[:len(row)]
		for x := range row {
			row[x] = uint8(((256-t.weight)*int32(upper[x]) + t.weight*int32(lower[x]) + lineBias) >> 16)
		}
	}
}

// lineBias is what is added to blended lines: what they lack, and a half.
const lineBias = 256<<15 + 1<<15

// line returns row y of src, interpolated. The last two rows asked for are kept,
// one of them with an even and one with an odd number.
func (r *resizer) line(src *image.Gray, y int) []int16 {
	line := r.lines[y&1]
	if r.numbers[y&1] == y {
		return line
	}
	r.numbers[y&1] = y
	row := src.Pix[y*src.Stride:][:src.Rect.Dx()]
	if len(r.groups) > 0 {
		r.lineRun = lineRun{&row[0], &line[0], r.groups}
		r.kernels.line(&r.lineRun)
		return line
	}
	for x, t := range r.columns {
		line[x] = int16((256-t.weight)*int32(row[t.first]) + t.weight*int32(row[t.second]) - 1<<15)
	}
	return line
}

// A lineRun is a row to interpolate.
type lineRun struct {
	src    *byte
	dst    *int16
	groups []tapGroup
}

// A blendRun is two lines to blend: so many pixels, 16 at least.
type blendRun struct {
	upper, lower *int16
	dst          *byte
	pixels       int
	weights      uint32 // that of upper and, 16 bits higher, that of lower
	bias         int32
}
