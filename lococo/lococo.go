// Package lococo finds corners with LoCoCo, the low complexity corner detector. They are Harris or
// Shi-Tomasi corners whose gradients are differences between sums over boxes. This program prints
// the strongest corners of a photo:
//
//	package main
//
//	import (
//		"fmt"
//		"image"
//		_ "image/jpeg"
//		_ "image/png"
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast"
//		"github.com/fastcorners/fast/lococo"
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		detector, err := lococo.New(lococo.Options{MaxCorners: 500})
//		if err != nil {
//			log.Fatal(err)
//		}
//		for _, c := range detector.Detect(fast.Gray(img), nil) {
//			fmt.Println(c.X, c.Y, c.Response)
//		}
//	}
//
// Boxes take the place of Gaussian smoothing. The sum over a box takes the same time for any size,
// so large kernels, which are less sensitive to noise and texture, are as fast as small ones. If
// gradients of 3 by 3 pixels are sufficient, package harris is faster.
//
// # Options by use
//
//   - For noisy or finely textured images, a kernel of 15 or 31 pixels.
//   - For corners of several sizes at once, several KernelSizes.
//   - For positions between pixels, Subpixel.
//   - For an even distribution, fast.Spread or fast.PerCell.
//
// OpenCV has no such detector.
//
// # Algorithm
//
// A kernel, whose side of 2r+1 pixels is one of [Options.KernelSizes], computes a gradient from two
// boxes: one to the left and one to the right of the pixel's column, each r pixels wide and
// 2r-1 pixels high. With h = r-1 and the gray values p, from 0 to 255,
//
//	gx = sum of p(x+1..x+r, y-h..y+h) - sum of p(x-r..x-1, y-h..y+h)
//	gy = sum of p(x-h..x+h, y+1..y+r) - sum of p(x-h..x+h, y-r..y-1)
//
// The structure tensor of a pixel consists of the sums of the products of gradients over a
// square window around the pixel, whose side of 2q+1 pixels is [Options.BlockSize]:
//
//	A = sum of gx*gx    B = sum of gy*gy    C = sum of gx*gy
//
// [Options.Measure] reduces the tensor to one number, the response, which is large if both
// eigenvalues of the tensor are large. The response is defined for pixels that are at least r+q
// pixels away from the edges of the image. A corner is a pixel whose response exceeds a threshold
// and is the largest one within [Options.SuppressionRadius] pixels in x and in y. If several of
// these are equal, the first one in raster order is a corner. The search goes block by block: only
// the largest response of a block is compared with those around it.
//
// If there are several [Options.KernelSizes], each of them has a search and a threshold of its
// own. Responses are normalized, so that those of different kernels and windows can be
// compared.
//
// The papers compute the sums over boxes from integral images, which package integral has. The
// detector slides its sums over the image instead, which gives the same integers and takes less
// memory.
//
// # Numbers
//
// All sums are exact integers. A, B and C are each rounded to float32 once. Every later operation
// is rounded to float32. With T = A+B, the conversion f32 to float32, and the float64 s = 1/(n*n),
// where n = (2q+1)*r*(2r-1)*255:
//
//	Harris          ((A*B - C*C) - f32(K)*(T*T)) * f32(s*s)
//	MinEigenvalue   (T - sqrt((A-B)*(A-B) + (C+C)*(C+C))) * f32(s/2)
//	Noble           ((A*B - C*C) * f32(2*s)) / (T + f32(1e-6/s))
//	DetOverTrace    ((A*B - C*C) * f32(s)) / (T + f32(1/s))
//
// Therefore the results are the same on every platform, for every instruction set and for any
// number of workers.
//
// # Sources
//
//   - P. Mainali, Q. Yang, G. Lafruit, R. Lauwereins and L. Van Gool, "LOCOCO: low
//     complexity corner detector", ICASSP 2010, and P. Mainali, Q. Yang, G. Lafruit, L.
//     Van Gool and R. Lauwereins, "Robust low complexity corner detector", IEEE
//     Transactions on Circuits and Systems for Video Technology 21(4), 2011.
//   - A. Neubeck and L. Van Gool, "Efficient non-maximum suppression", ICPR 2006.
//   - Phull et al., who run it on a GPU: [Phull].
//
// # Speed
//
// The [measurements] compare the package with OpenCV 4.6's cornerHarris.
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/peers.md
package lococo

import (
	"image"
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
)

// A Corner is a pixel whose response is the largest one around it.
type Corner struct {
	// X and Y are the pixel's coordinates in the image, in pixels.
	X, Y int32
	// Response is the strength of the corner, according to Options.Measure.
	Response float32
	// DX and DY, from -0.5 to 0.5, are the distance in pixels from X and Y to the
	// location of the corner between pixels. They are 0 unless Options.Subpixel is set.
	DX, DY float32
	// KernelSize is the side of the kernel that found the corner, in pixels.
	KernelSize int32
}

// Pt returns the coordinates of c's pixel as a point.
func (c Corner) Pt() image.Point {
	return image.Pt(int(c.X), int(c.Y))
}

// Position returns the location of c between pixels, X+DX and Y+DY.
func (c Corner) Position() (x, y float32) {
	return float32(c.X) + c.DX, float32(c.Y) + c.DY
}

// Strength returns the Response of c.
func (c Corner) Strength() float32 {
	return c.Response
}

// A Detector finds corners according to its Options. Create one with [New]. It is safe for
// concurrent use.
type Detector struct {
	made  option.Made
	opts  Options   // with the defaults
	sizes []size    // of its kernels, ascending
	pool  sync.Pool // of *job
}

// New returns a Detector. It fails if an option is out of range; the error names the
// field.
func New(opts Options) (*Detector, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	opts.KernelSizes = slices.Clone(opts.KernelSizes)
	d := &Detector{made: true, opts: opts}
	for _, side := range slices.Sorted(slices.Values(opts.KernelSizes)) {
		d.sizes = append(d.sizes, newSize(&opts, side))
	}
	d.pool.New = func() any { return newJob(d) }
	return d, nil
}

// Options returns the options of d, with defaults filled in and negative numbers replaced by what
// they stand for.
func (d *Detector) Options() Options {
	d.check()
	opts := d.opts
	opts.KernelSizes = slices.Clone(opts.KernelSizes)
	return opts
}

// Detect returns the corners of img, the strongest first. Among equal responses, corners of smaller
// kernels come first, and then those that come first in raster order. Pixels where mask is 0 are
// not corners and do not count for Quality, but they do suppress weaker corners around them; mask
// may be nil. Detect panics if img is nil, if img or mask is malformed, or if they have different
// bounds. In an image that is too small for a kernel and its window, that kernel finds no corners.
func (d *Detector) Detect(img, mask *image.Gray) []Corner {
	return d.Append(nil, img, mask)
}

// Append is like Detect, but appends the corners to dst. With one worker it does not
// allocate in the steady state if dst has room.
func (d *Detector) Append(dst []Corner, img, mask *image.Gray) []Corner {
	j := d.begin(img, mask)
	dst = j.appendCorners(dst, img.Rect.Min)
	j.release()
	return dst
}

// Response returns the responses of all pixels of img, row by row. Where a response is not defined,
// it is 0. If there are several kernels, the responses of the smallest kernel come first, then
// those of the next one, and so on. Response panics if img is nil or malformed.
func (d *Detector) Response(img *image.Gray) []float32 {
	return d.AppendResponse(nil, img)
}

// AppendResponse is like Response, but appends the responses to dst. With one worker it
// does not allocate in the steady state if dst has room.
func (d *Detector) AppendResponse(dst []float32, img *image.Gray) []float32 {
	j := d.begin(img, nil)
	dst = j.appendResponses(dst)
	j.release()
	return dst
}

// begin returns the job of an image, which release ends.
func (d *Detector) begin(img, mask *image.Gray) *job {
	d.check()
	j := d.pool.Get().(*job)
	j.plane = newPlane(img)
	j.mask = raster.NewMask("lococo", mask, img.Rect)
	return j
}

// check panics unless New has made d.
func (d *Detector) check() {
	d.made.Require("lococo", "Detector", "New")
}

// newPlane returns the pixels of img. It panics if img is nil, malformed or too large.
func newPlane(img *image.Gray) raster.Plane {
	p := raster.NewPlane("lococo", img)
	p.RequireSize("lococo")
	return p
}
