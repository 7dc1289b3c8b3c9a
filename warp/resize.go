package warp

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"sync"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// ResizerOptions control how images are resized. The zero value suits photos and video, made smaller or
// larger.
type ResizerOptions struct {
	// Interpolation specifies how a pixel is computed: Area, Linear or Nearest. 0 means Area or, if
	// the destination is wider or higher than the source, Linear.
	Interpolation Interpolation
	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

// A Resizer makes images smaller or larger according to its ResizerOptions. Create one with
// [NewResizer]. It is safe for concurrent use.
//
// The whole source fills the whole destination. Only the sizes of the two images count, not where
// their bounds begin: a SubImage as the source is a crop, and a SubImage as the destination a place
// in a larger image. geometry.BetweenRectangles maps points of the source to points of the
// destination.
//
// The sides of both images are at most 1<<24. All methods panic if an image is nil or malformed, if
// the source is empty, or if the two share pixels, as those of a [Warper] do. If the destination is
// empty, they do nothing.
type Resizer struct {
	made        option.Made
	opts        ResizerOptions
	jobs        sync.Pool // of *resizeJob
	conversions sync.Pool // of *conversion
}

// NewResizer returns a Resizer. It fails if the Interpolation is unknown.
func NewResizer(opts ResizerOptions) (*Resizer, error) {
	if !interpolations.Has(opts.Interpolation) {
		return nil, option.Fields{Package: "warp", Type: "ResizerOptions"}.OutOfRange("Interpolation", opts.Interpolation, interpolations.Want())
	}
	opts.Workers = worker.Number(opts.Workers)
	r := &Resizer{made: true, opts: opts}
	r.jobs.New = func() any { return newResizeJob(&r.opts) }
	r.conversions.New = func() any { return new(conversion) }
	return r, nil
}

// check panics unless r was made by NewResizer.
func (r *Resizer) check() {
	r.made.Require("warp", "Resizer", "NewResizer")
}

// Options returns the options of r, with the number of workers that stands for what was asked for. An
// Interpolation of 0 remains 0.
func (r *Resizer) Options() ResizerOptions {
	r.check()
	return r.opts
}

// Gray fills dst with src. With one worker it does not allocate if the sizes are those of the call
// before.
func (r *Resizer) Gray(dst, src *image.Gray) {
	r.check()
	r.resize(planeOf((*image.RGBA)(dst)), planeOf((*image.RGBA)(src)), 1)
}

// Gray16 is like [Resizer.Gray] for 16-bit pixels, which takes several times as long, since there is
// no assembly for it unless the Interpolation is Nearest.
func (r *Resizer) Gray16(dst, src *image.Gray16) {
	r.check()
	r.resize(planeOf((*image.RGBA)(dst)), planeOf((*image.RGBA)(src)), 2)
}

// RGBA is like [Resizer.Gray] for images with four channels, which are resized independently. Since
// their color is premultiplied, transparent edges are correct, too, and no color exceeds its alpha.
func (r *Resizer) RGBA(dst, src *image.RGBA) {
	r.check()
	r.resize(planeOf(dst), planeOf(src), 4)
}

// NRGBA is like [Resizer.Gray] for images with four channels, which are resized independently, as in
// OpenCV. Their color is not premultiplied, so the color of transparent pixels shows at edges unless
// the Interpolation is Nearest; to avoid that, convert such images to [image.RGBA] first.
func (r *Resizer) NRGBA(dst, src *image.NRGBA) {
	r.RGBA((*image.RGBA)(dst), (*image.RGBA)(src))
}

// YCbCr is like [Resizer.Gray] for the three planes of a video frame or a JPEG, each of which fills
// that of dst. Both images must have the same SubsampleRatio.
func (r *Resizer) YCbCr(dst, src *image.YCbCr) {
	r.check()
	to, from := planesOf(dst, src)
	for i := range to {
		checkSizes(to[i].rect, from[i].rect)
	}
	if dst.Rect.Empty() {
		return
	}
	j := r.jobs.Get().(*resizeJob)
	for i := range to {
		number := 0
		if to[i].rect.Size() != to[0].rect.Size() || from[i].rect.Size() != from[0].rect.Size() {
			number = 1
		}
		j.run(to[i], from[i], 1, number)
	}
	j.release(r)
}

// Image is [Resizer.Gray], [Resizer.Gray16], [Resizer.RGBA] or [Resizer.NRGBA] if both images are of
// that type. It converts all other images as [Warper.Image] does, the source before it is resized: to
// make a small picture of an *image.YCbCr, use [Resizer.YCbCr] and convert the result.
func (r *Resizer) Image(dst draw.Image, src image.Image) {
	r.check()
	requireImages(dst, src)
	checkSizes(dst.Bounds(), src.Bounds())
	if dst.Bounds().Empty() {
		return
	}
	c := r.conversions.Get().(*conversion)
	to, from, size := c.planes(dst, src)
	r.resize(to, from, size)
	c.finish(dst, nil)
	r.conversions.Put(c)
}

// resizer is that of the zero ResizerOptions.
var resizer = sync.OnceValue(func() *Resizer {
	r, err := NewResizer(ResizerOptions{})
	if err != nil {
		panic(err)
	}
	return r
})

// Resize fills dst with src, made smaller or larger, as [Resizer.Image] of the zero ResizerOptions does.
func Resize(dst draw.Image, src image.Image) {
	resizer().Image(dst, src)
}

// resize fills dst. size is the number of bytes of a pixel.
func (r *Resizer) resize(dst, src plane, size int) {
	checkPlanes(dst, src, size)
	checkSizes(dst.rect, src.rect)
	if dst.rect.Empty() {
		return
	}
	j := r.jobs.Get().(*resizeJob)
	j.run(dst, src, size, 0)
	j.release(r)
}

// maxResizeSide is the largest width and height of images that are resized. Beyond, float32 does not
// tell pixels apart.
const maxResizeSide = 1 << 24

// checkSizes panics unless a destination and a source may have these bounds.
func checkSizes(dst, src image.Rectangle) {
	if src.Empty() {
		panic("warp: empty source")
	}
	if max(src.Dx(), src.Dy()) > maxResizeSide {
		panic(fmt.Sprintf("warp: source of %d by %d pixels, sides are at most %d", src.Dx(), src.Dy(), maxResizeSide))
	}
	if !dst.Empty() && max(dst.Dx(), dst.Dy()) > maxResizeSide {
		panic(fmt.Sprintf("warp: destination of %d by %d pixels, sides are at most %d", dst.Dx(), dst.Dy(), maxResizeSide))
	}
}

// Fit returns the largest size of the same shape as size that fits in a box, which may be larger than
// size: one side is that of the box, and the other one is rounded, at least 1. To fill a box and cut
// off the rest, resize a SubImage of the shape of the box instead. Fit panics if a side is less than 1
// or more than 1<<31 - 1.
func Fit(size, box image.Point) image.Point {
	requireSides("size", size)
	requireSides("box", box)
	if int64(size.X)*int64(box.Y) < int64(size.Y)*int64(box.X) {
		size, box = image.Pt(size.Y, size.X), image.Pt(box.Y, box.X)
		return image.Pt(other(size, box), box.X)
	}
	return image.Pt(box.X, other(size, box))
}

// other returns the height of a size that is made as wide as a box.
func other(size, box image.Point) int {
	w := int64(size.X)
	return int(max((2*int64(size.Y)*int64(box.X)+w)/(2*w), 1))
}

// requireSides panics unless the sides are from 1 to 1<<31 - 1.
func requireSides(name string, size image.Point) {
	if min(size.X, size.Y) < 1 || max(size.X, size.Y) > math.MaxInt32 {
		panic(fmt.Sprintf("warp: %s of %d by %d pixels", name, size.X, size.Y))
	}
}

// Scaled returns a size times fx and fy, rounded, half to even, and at least 1. It panics if a side or
// the result is less than 1 or more than 1<<31 - 1, or a factor is not positive.
//
// OpenCV's resize with an empty size and these factors makes an image of this size, but takes 1/fx and
// 1/fy as the scale although the size is rounded: unless the products are whole, its pixels differ
// from those of a Resizer.
func Scaled(size image.Point, fx, fy float64) image.Point {
	requireSides("size", size)
	side := func(n int, f float64) int {
		v := math.RoundToEven(float64(n) * f)
		if !(f > 0 && v <= math.MaxInt32) { // NaN is not
			panic(fmt.Sprintf("warp: size %v times %v, %v", size, fx, fy))
		}
		return max(int(v), 1)
	}
	return image.Pt(side(size.X, fx), side(size.Y, fy))
}
