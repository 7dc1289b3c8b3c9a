// Package warp resamples images by an affine transform, a homography or a map, to stabilize video,
// straighten documents and cards, make panoramas, and correct lens distortion, and makes images smaller
// or larger. This program rotates a photo by ten degrees:
//
//	package main
//
//	import (
//		"image"
//		_ "image/jpeg"
//		"image/png"
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast/warp"
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		warper, err := warp.New(warp.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		turned := image.NewRGBA(img.Bounds())
//		warper.Image(turned, img, warp.Affine{0.98, -0.17, 30, 0.17, 0.98, -20})
//		if err := png.Encode(os.Stdout, turned); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// A [Transform] specifies, for each pixel of the destination, where in the source it comes from. A
// transform estimated by package geometry maps points of one image to points of another. [Of] makes
// it a Transform that draws the second image over the first, and its inverse draws the first image
// over the second.
//
// [Resize] and a [Resizer] fill an image with another one of another size.
//
// The results are identical, bit for bit, to those of OpenCV 4.6's warpAffine, warpPerspective,
// remap, undistort and resize, except that positions are not limited to 16 bits: beyond 32767 pixels,
// OpenCV repeats the wrong pixels with the Border Wrap, Reflect or Reflect101.
//
// # Options by use
//
//   - For documents and cards, [Rectangle] and the Border Replicate.
//   - For stabilized video, YCbCr and the Border Replicate.
//   - For panoramas, the Border Transparent, which keeps what is there.
//   - For masks and labels, Interpolation Nearest.
//   - For thumbnails and the input of neural networks, [Resize] and [Fit].
//   - For lenses, [Undistortion] or, to another camera, [Rectification], made once.
//
// # Bounds
//
// A warp fills dst: its bounds determine which pixels are computed. Coordinates are those of the
// bounds, so positions in a SubImage of the source remain the same, and a SubImage of the
// destination gets the pixels that the whole destination would have there, except for the last bits
// of the positions of a homography. Where coordinates of bounds exceed 1<<20 in magnitude, as those
// of tiles of maps do, positions are computed relative to the bounds. Options.Border determines the
// pixels outside the source; pixels of the parent outside a SubImage are not used.
//
// The width and height of the source are at most 1<<20, and its coordinates at most 1<<30 in
// magnitude. The destination may have any size. All methods panic if an image is nil or malformed,
// if the source is empty, or if the two share pixels. Images with different strides are considered
// to share pixels if one begins in memory before the other ends. The methods also panic if the
// transform is nil or malformed, but if the destination is empty, they do nothing.
//
// [Warper.Image] warps images of all other types, which it converts.
//
// # Video
//
// [Warper.YCbCr] warps the three planes of a frame. The transform applies to luma pixels.
// Options.Value is a video color: black is 16, 128, 128, or 0, 128, 128 in full range.
//
// # Resizing
//
// A Resizer does not move an image: edges meet edges, as geometry.BetweenRectangles describes. Area,
// the default for images that become smaller, is the mean of the pixels that a pixel covers; Linear,
// the default if a side grows, interpolates between four pixels; and Nearest, for masks and labels,
// takes one.
//
// [How images are resampled] has the steps of all methods, to the bit. Results are the same on every
// platform and for any number of workers.
//
// # OpenCV
//
// warpAffine(src, dst, m, size, flags, border, value) is a warp with the Inverse of Affine(m), or
// with Affine(m) itself for WARP_INVERSE_MAP; size is the size of dst. warpPerspective is the same
// with a [Homography]. remap is a warp with a [Map] or a [FixedMap], and convertMaps is
// [Map.Fixed]. undistort(src, dst, camera, coefficients) is a warp with [Undistortion], and
// initUndistortRectifyMap is [Rectification], also that of fisheye; package camera has what is done
// to points. getPerspectiveTransform is [Rectangle] or, more generally, geometry.Exact, and
// invertAffineTransform is [Affine.Inverse]. BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT,
// BORDER_REFLECT_101, BORDER_WRAP and BORDER_TRANSPARENT are the modes of package border of these
// names. Images with three channels, and bicubic and Lanczos interpolation, are not supported.
//
// resize(src, dst, Size(w, h), 0, 0, flag) is that of a [Resizer] with the Interpolation of the flag
// INTER_AREA, INTER_LINEAR or INTER_NEAREST. With an empty Size and factors instead, its pixels may
// differ: see [Scaled].
//
// # Speed
//
// The [measurements] compare the package with OpenCV 4.6, and resizing also with
// golang.org/x/image/draw.
//
// [How images are resampled]: https://github.com/fastcorners/fast/blob/main/docs/warp.md
// [measurements]: https://github.com/fastcorners/fast/tree/main/evaluation/results
package warp

import (
	"image"
	"sync"

	"github.com/fastcorners/fast/internal/option"
)

// A Warper resamples images according to its Options. Create one with [New]. It is safe for
// concurrent use.
type Warper struct {
	made        option.Made
	opts        Options   // with the defaults
	jobs        sync.Pool // of *job
	conversions sync.Pool // of *conversion
}

// New returns a Warper. It fails if an option is out of range; the error names the field.
func New(opts Options) (*Warper, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	w := &Warper{made: true, opts: opts}
	w.jobs.New = func() any { return newJob(&w.opts) }
	w.conversions.New = func() any { return new(conversion) }
	return w, nil
}

// check panics unless w was made by New.
func (w *Warper) check() {
	w.made.Require("warp", "Warper", "New")
}

// Options returns the options of w, with defaults filled in and negative numbers replaced by what
// they stand for.
func (w *Warper) Options() Options {
	w.check()
	return w.opts
}

// Gray sets the pixels of dst to those of src at the positions that t specifies. With one worker it
// does not allocate in the steady state.
func (w *Warper) Gray(dst, src *image.Gray, t Transform) {
	w.check()
	w.warp(planeOf((*image.RGBA)(dst)), planeOf((*image.RGBA)(src)), 1, nil, t)
}

// Gray16 is like [Warper.Gray] for 16-bit pixels. They may have any value from 0 to 65535: if all
// are less than 1024, because they are 10-bit samples, so are the results. Options.Value is
// converted as in package color: v becomes v*257.
func (w *Warper) Gray16(dst, src *image.Gray16, t Transform) {
	w.check()
	w.warp(planeOf((*image.RGBA)(dst)), planeOf((*image.RGBA)(src)), 2, nil, t)
}

// RGBA is like [Warper.Gray] for images with four channels, which are warped independently. Since
// their color is premultiplied, transparent edges are correct, too.
func (w *Warper) RGBA(dst, src *image.RGBA, t Transform) {
	w.check()
	w.warp(planeOf(dst), planeOf(src), 4, nil, t)
}

// NRGBA is like [Warper.Gray] for images with four channels, which are warped independently, as in
// OpenCV. Their color is not premultiplied, so with Linear the color of transparent pixels shows at
// edges; to avoid that, convert such images to [image.RGBA] first.
func (w *Warper) NRGBA(dst, src *image.NRGBA, t Transform) {
	w.RGBA((*image.RGBA)(dst), (*image.RGBA)(src), t)
}

// planeOf returns the pixels of an image of any type: image.Gray, image.Gray16, image.RGBA and
// image.NRGBA have the same fields.
func planeOf(img *image.RGBA) plane {
	if img == nil {
		panic("warp: nil image")
	}
	return plane{img.Pix, img.Stride, img.Rect}
}

// warp fills dst. size is the number of bytes of a pixel. If kept is not nil, it has an element for each pixel of dst, and those of pixels
// that are not set become true.
func (w *Warper) warp(dst, src plane, size int, kept []bool, t Transform) {
	checkPlanes(dst, src, size)
	checkSource(src.rect)
	if dst.rect.Empty() {
		return
	}
	j := w.jobs.Get().(*job)
	j.set(t, dst.rect)
	j.kept = kept
	value := w.opts.Value
	if size == 2 {
		value = [4]uint8{value[0], value[0]}
	}
	j.run(dst, src, size, value)
	j.release(w)
}
