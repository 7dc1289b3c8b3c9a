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
// Options select the gradient, the window, the measure, the border, the threshold, the
// square and the distance, and a mask can restrict the corners to a part of the image.
// [Detector.Response] returns the responses of all pixels.
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
// exact here. The difference depends on the largest trace A+B in the image, multiplied by the
// square of the scale s defined below: it is up to 2e-7 of that for MinEigenvalue, and up to 2e-7
// of its square for Harris. For photos and a BlockSize of 2 or more, that is up to 2e-6 of the
// largest response. It is more if all responses are small compared with the trace, like those of
// MinEigenvalue in images with edges and no corners: up to 2e-2 of the largest response for
// straight edges with a little noise. With a BlockSize of 1, responses consist only of such
// differences, and lists of corners have little in common.
//
// If two responses are that close to each other, their corners may be in the opposite order, and if
// a response is that close to the threshold, its corner may be in only one of the two lists. With a
// minimum distance or a maximum number, that can change which other corners are dropped. Otherwise,
// the lists are the same. Of the 374 lists of corners in photos that the evaluation compares, 344
// are identical.
//
// # Numbers
//
// With the gradients of Sobel and Scharr and a box as the window, all sums are exact integers. Each
// is rounded to float32 once, and the result of every later operation is rounded to float32. Let T
// be A+B, let f32 round to float32, and let s be the scale of gradients and windows, a float64.
// Then the responses are
//
//	Harris          ((A*B - C*C) - f32(K)*(T*T)) * f32((s*s)*(s*s))
//	MinEigenvalue   (T - sqrt((A-B)*(A-B) + (C+C)*(C+C))) * f32(s*s/2)
//	Noble           ((A*B - C*C) * f32(2*s*s)) / (T + f32(1e-6/(s*s)))
//	DetOverTrace    ((A*B - C*C) * f32(s*s)) / (T + f32(1/(s*s)))
//
// The scale of Sobel3, Sobel5, Sobel7 and Scharr is 1/255, which maps gray values to the range from
// 0 to 1, divided by 4, 16, 64 and 8. The scale of the Gradient Gaussian, which is not normalized,
// is 1. A box divides the scale by BlockSize; a Gaussian window does not change it.
//
// If the gradient or the window is a Gaussian, all sums are sums of float32, first along columns
// and then along rows. The sum begins with the middle value times its weight. Then the pairs of
// values at the same distance follow, from the inside out: the two values are added or subtracted,
// multiplied by their weight, and added to the sum. In these sums, a box has weights of 1. If its
// side is even, the first pixel has no partner and is added last.
//
// Therefore results are the same on every platform, for every instruction set and for any number of
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
// On photos of 640x480 and one core of a Zen 4 server, GoodFeatures is 7.5 times as fast as OpenCV
// 4.6's goodFeaturesToTrack with AVX2, and 9.0 times with AVX-512; Response is 7.8 and 11 times as
// fast as cornerHarris; see the [measurements].
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/peers.md
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
	opts    Options // with the defaults
	measure tensor.Measure
	pool    sync.Pool // of *scratch
}

// New returns a Detector. It fails if an option is out of range; the error names the
// field.
func New(opts Options) (*Detector, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	d := &Detector{opts: opts, measure: newMeasure(&opts)}
	d.pool.New = func() any { return newScratch(d) }
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
	s := d.begin(img, mask)
	dst = s.appendCorners(dst, img.Rect.Min)
	s.release()
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
	s := d.begin(img, nil)
	dst = s.appendResponses(dst)
	s.release()
	return dst
}

// begin returns the state of the work on an image, which release ends.
func (d *Detector) begin(img, mask *image.Gray) *scratch {
	s := d.scratch()
	s.plane = newPlane(img)
	s.mask = raster.NewMask("harris", mask, img.Rect)
	return s
}

// scratch returns memory for an image, which release puts back.
func (d *Detector) scratch() *scratch {
	d.check()
	return d.pool.Get().(*scratch)
}

// check panics unless New has made d.
func (d *Detector) check() {
	option.RequireMade(d.pool.New != nil, "harris", "Detector", "New")
}
