// Package harris finds corners, which are where the gradients of an image point in different
// directions: Harris corners, Shi-Tomasi corners, and variants of both. This program prints the
// corners of a photo that are good features to track:
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
//		"github.com/fastcorners/fast/harris"
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		// At most 500 corners, at least 10 pixels apart.
//		detector, err := harris.New(harris.GoodFeatures(500, 0.01, 10))
//		if err != nil {
//			log.Fatal(err)
//		}
//		for _, c := range detector.Detect(fast.Gray(img), nil) {
//			fmt.Println(c.X, c.Y, c.Response)
//		}
//	}
//
// After FAST corners, they are the most widely used ones, and optical flow trackers start from
// them. With the zero [Options], a Detector finds what OpenCV's goodFeaturesToTrack finds without a
// minimum distance.
//
// # Options by use
//
//   - For tracking, [GoodFeatures], and then package flow.
//   - For the response of every pixel, Detector.Response.
//   - For corners between pixels, such as on a chessboard, [Refine].
//   - For noise and texture, a larger BlockSize, or package lococo.
//
// # Method
//
// The structure tensor of a pixel holds the sums, over a window around the pixel, of the
// squares and the product of the gradients along x and y:
//
//	A = sum of gx*gx    B = sum of gy*gy    C = sum of gx*gy
//
// A [Measure] reduces the tensor to one number, the response, which is large if both of its
// eigenvalues are large. A pixel is a corner if its response exceeds a threshold and no response in
// a square around it is larger; if several are equal, all of them are corners. Corners are listed
// in order of decreasing response, and those that are too close to a stronger one are dropped.
//
// # OpenCV
//
//   - cornerHarris(img, block, 3, k) is [Detector.Response] with Options{Measure: Harris,
//     BlockSize: block, K: k}. Sobel5, Sobel7 and Scharr correspond to the apertures 5, 7 and -1.
//     For a k of 0, use a negative K.
//   - cornerMinEigenVal(img, block, 3) is [Detector.Response] with Options{BlockSize:
//     block}.
//   - goodFeaturesToTrack(img, n, quality, distance, mask) is [Detector.Detect] with
//     GoodFeatures(n, quality, distance).
//   - cornerSubPix(img, points, Size(r, r), Size(-1, -1), {EPS+COUNT, n, eps}) is [Refine]
//     with RefinerOptions{WindowRadius: r, Iterations: n, Epsilon: eps}.
//
// Responses have the same scale as OpenCV's, but are more precise, because sums over windows are
// exact here; in photos, they differ by up to 2e-6 of the largest one. Lists of corners are nearly
// always the same. [How responses are computed] has the details, and the formulas to the bit, which
// make the results the same on every platform, for every instruction set and for any number of
// workers.
//
// # Sources
//
//   - C. Harris and M. Stephens, "A combined corner and edge detector", Alvey Vision
//     Conference 1988: the tensor, and the Measure Harris.
//   - J. Shi and C. Tomasi, "Good features to track", CVPR 1994: MinEigenvalue.
//   - A. Noble, "Finding corners", Image and Vision Computing 6, 1988: Noble.
//   - P. Mainali, Q. Yang, G. Lafruit, L. Van Gool and R. Lauwereins, "Robust low
//     complexity corner detector", IEEE Transactions on Circuits and Systems for Video
//     Technology 21, 2011: the comparisons that [Separable9] and [Separable31] are for.
//   - Cabasso and Mom, "IRGPU: Harris corner detector", a course project: [IRGPU].
//
// # Speed
//
// The [measurements] compare the package with OpenCV 4.6.
//
// [How responses are computed]: https://github.com/fastcorners/fast/blob/main/docs/harris.md
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/peers.md
package harris

import (
	"image"
	"sync"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

// A Corner is a pixel with a large response: no response in a square around it is larger.
type Corner struct {
	// X and Y are the coordinates in the image, in pixels.
	X, Y int32
	// Response is the Measure of the pixel's structure tensor.
	Response float32
}

// Pt returns the coordinates of c as a point.
func (c Corner) Pt() image.Point {
	return image.Pt(int(c.X), int(c.Y))
}

// Position returns X and Y.
func (c Corner) Position() (x, y float32) {
	return float32(c.X), float32(c.Y)
}

// Strength returns the Response of c.
func (c Corner) Strength() float32 {
	return c.Response
}

// A Detector finds corners according to its Options. Create one with [New]. It is safe for
// concurrent use.
type Detector struct {
	made    option.Made
	opts    Options // with the defaults
	measure tensor.Measure
	pool    sync.Pool // of *job
}

// New returns a Detector. It fails if an option is out of range; the error names the
// field.
func New(opts Options) (*Detector, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	d := &Detector{made: true, opts: opts, measure: newMeasure(&opts)}
	d.pool.New = func() any { return newJob(d) }
	return d, nil
}

// Options returns the options of d, with defaults filled in and negative numbers replaced by what
// they stand for.
func (d *Detector) Options() Options {
	d.check()
	return d.opts
}

// Detect returns the corners of img, the strongest first. Pixels where mask is 0 are not corners,
// and their responses do not count for [Options.Quality]; a nil mask excludes nothing. An image
// with a width or height of less than 2 pixels has no corners. Detect panics if img is nil, if img
// or mask is malformed, or if their bounds differ.
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

// Response returns the responses of all pixels of img, row by row. In an image with a width
// or height of less than 2 pixels they are 0. Response panics if img is nil or malformed.
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
	j := d.job()
	j.plane = newPlane(img)
	j.mask = raster.NewMask("harris", mask, img.Rect)
	return j
}

// job returns a job for an image, which release puts back.
func (d *Detector) job() *job {
	d.check()
	return d.pool.Get().(*job)
}

// check panics unless New has made d.
func (d *Detector) check() {
	d.made.Require("harris", "Detector", "New")
}
