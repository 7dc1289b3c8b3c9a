// Package harris finds corners where the gradients of an image point into different
// directions: those of Harris and Stephens, of Shi and Tomasi, and their relatives.
//
//	detector, err := harris.New(harris.GoodFeatures(500, 0.01, 10))
//	corners := detector.Detect(img, nil)
//
// They are what optical flow starts from, and the most used corners after FAST. The
// zero [Options] find what OpenCV's goodFeaturesToTrack finds, without a least
// distance.
//
// # What is done
//
// The structure tensor of a pixel is the sum, over a window around it, of the squares
// and the product of the gradients in both directions:
//
//	A = sum of gx*gx    B = sum of gy*gy    C = sum of gx*gy
//
// A [Measure] makes one number of it, the response, which is large where both of its
// eigenvalues are. Corners are the pixels whose response exceeds a threshold and is
// not less than any other one in a square around them, the strongest first. Each of a
// plateau of equal responses is one. Then those that are too near to a stronger one
// are dropped.
//
// Every step has options: the gradient, the window, the measure, the border, the
// threshold, the square, the distance, and a mask. [Detector.Response] returns the
// responses of all pixels.
//
// # OpenCV's functions
//
//   - cornerHarris(img, block, 3, k) is [Detector.Response] with Options{Measure:
//     Harris, BlockSize: block, K: k}; apertures of 5 and 7 are Sobel5 and Sobel7, and
//     -1 is Scharr.
//   - cornerMinEigenVal(img, block, 3) is the same with Options{BlockSize: block}.
//   - goodFeaturesToTrack(img, n, quality, distance, mask) is [Detector.Detect] with
//     GoodFeatures(n, quality, distance).
//
// Responses are scaled as there. They are of higher precision here, since sums over
// windows are exact: OpenCV's differ by up to 1e-6 of the largest one, and by up to 2e-6
// with Sobel5, Sobel7 and Scharr. So the lists of corners are the same, but that corners
// may change places, or be there or not, whose responses are as near as that to each
// other or to the threshold. Of the 374 lists of photos that the evaluation compares, 30
// differ in some of that.
//
// # Numbers
//
// With the gradients of Sobel and Scharr and a box as window all sums are exact
// integers. Each is rounded to float32 once, and every operation from there on is one
// of float32 whose result is rounded. With T = A+B, s the scale of gradients and windows,
// a float64, and f32 what rounds to float32:
//
//	Harris          ((A*B - C*C) - f32(K)*(T*T)) * f32((s*s)*(s*s))
//	MinEigenvalue   (T - sqrt((A-B)*(A-B) + (C+C)*(C+C))) * f32(s*s/2)
//	Noble           ((A*B - C*C) * f32(2*s*s)) / (T + f32(1e-6/(s*s)))
//	DetOverTrace    ((A*B - C*C) * f32(s*s)) / (T + f32(1/(s*s)))
//
// s is 1/255 for gray values from 0 to 255, over 4, 16, 64 or 8 for Sobel3, Sobel5, Sobel7
// or Scharr, and over BlockSize for a box. Gaussians are not normalised, so that s is 1
// for the gradient of one, over BlockSize for a box.
//
// With Gaussians all sums are of float32, along columns first and then along rows: the
// middle times its weight, plus the pairs beside it, from the inside to the outside, each
// added or subtracted before it is multiplied by its weight. A box has weights of 1 then,
// and in an even one the first pixel, which lacks a partner, comes last.
//
// So results are the same on every platform, for every instruction set and for any number
// of workers.
//
// # Sources
//
//   - C. Harris and M. Stephens, "A combined corner and edge detector", Alvey Vision
//     Conference 1988: the tensor, and the Measure Harris.
//   - J. Shi and C. Tomasi, "Good features to track", CVPR 1994: MinEigenvalue.
//   - A. Noble, "Finding corners", Image and Vision Computing 6, 1988: Noble.
//   - P. Mainali, Q. Yang, G. Lafruit, L. Van Gool and R. Lauwereins, "Robust low
//     complexity corner detector", IEEE Transactions on Circuits and Systems for Video
//     Technology 21, 2011: what [Separable9] and [Separable31] are.
//   - Cabasso and Mom, "IRGPU: Harris corner detector", a course project: [IRGPU].
package harris

import (
	"image"
	"sync"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

// A Corner is a pixel whose response is the largest around it.
type Corner struct {
	// X and Y are the pixel's coordinates in the image, in pixels.
	X, Y int32
	// Response is how strong the corner is, by the Measure of the Options.
	Response float32
}

// Pt returns the coordinates of c as a point.
func (c Corner) Pt() image.Point {
	return image.Pt(int(c.X), int(c.Y))
}

// Strength returns the Response of c.
func (c Corner) Strength() float32 {
	return c.Response
}

// A Detector finds corners as its Options say. It must be made by [New], and is safe for
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

// Detect returns the corners of img, the strongest first. Pixels where mask is 0 are not
// corners and do not count for Quality; mask may be nil. Detect panics if img is nil, if img or
// mask is malformed, or if they have different bounds. An image narrower or lower than 2
// pixels has no corners.
func (d *Detector) Detect(img, mask *image.Gray) []Corner {
	return d.Append(nil, img, mask)
}

// Append is like Detect, but appends the corners to dst. With one worker it does not
// allocate in the steady state if dst has room.
func (d *Detector) Append(dst []Corner, img, mask *image.Gray) []Corner {
	s := d.scratch()
	s.plane = newPlane(img)
	s.mask = raster.NewMask("harris", mask, img.Rect)
	dst = s.appendCorners(dst, img.Rect.Min)
	s.release()
	return dst
}

// Response returns the responses of all pixels of img, row by row. Those of an image
// narrower or lower than 2 pixels are 0. It panics if img is nil or malformed.
func (d *Detector) Response(img *image.Gray) []float32 {
	return d.AppendResponse(nil, img)
}

// AppendResponse is like Response, but appends the responses to dst. With one worker it
// does not allocate in the steady state if dst has room.
func (d *Detector) AppendResponse(dst []float32, img *image.Gray) []float32 {
	s := d.scratch()
	s.plane = newPlane(img)
	dst = s.appendResponses(dst)
	s.release()
	return dst
}

// scratch returns memory for an image, which release puts back. It panics if New has not
// made d.
func (d *Detector) scratch() *scratch {
	s, ok := d.pool.Get().(*scratch)
	if !ok {
		panic("harris: Detector not made by New")
	}
	return s
}
