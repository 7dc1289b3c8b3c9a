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
	"fmt"
	"image"
	"math"
	"runtime"
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

// A Measure makes a response of a structure tensor. With the larger and the smaller of
// its eigenvalues l and m, det is l*m and tr is l+m.
type Measure uint8

const (
	MinEigenvalue Measure = iota // m: Shi and Tomasi
	Harris                       // det - K*tr*tr: Harris and Stephens
	Noble                        // 2*det/(tr + 1e-6)
	DetOverTrace                 // det/(tr + 1)
)

// A Gradient is a pair of filters that differentiate an image, one in each direction.
// Each smooths in the other direction.
type Gradient uint8

const (
	Sobel3   Gradient = iota // [-1 0 1] and [1 2 1]
	Sobel5                   // [-1 -2 0 2 1] and [1 4 6 4 1]
	Sobel7                   // [-1 -4 -5 0 5 4 1] and [1 6 15 20 15 6 1]
	Scharr                   // [-1 0 1] and [3 10 3]
	Gaussian                 // x*exp(-x*x/(2*sigma*sigma)) and exp(-x*x/(2*sigma*sigma))
)

// A Border says what lies beyond the edges of an image.
type Border uint8

const (
	// Mirrored repeats the image beyond its edges, and the products of gradients in
	// windows, without the outermost pixels: dcb|abcd|cba. It is OpenCV's default.
	Mirrored Border = iota
	// Zero has pixels, and then products, that are 0. The image's own corners and
	// edges become strong ones.
	Zero
)

// Options say what a Detector finds. Zero stands for the default of each of them; all
// defaults together are those of OpenCV's goodFeaturesToTrack.
type Options struct {
	// Measure is what makes responses.
	Measure Measure
	// K is the weight of the squared trace, above 0 and at most 1, for the Measure
	// Harris. 0 means 0.04.
	K float64

	// Gradient is the filters that differentiate the image.
	Gradient Gradient
	// GradientSigma is the standard deviation of the Gradient Gaussian, in pixels. 0
	// means 1.
	GradientSigma float64
	// GradientRadius is how many pixels the Gradient Gaussian reaches in each
	// direction, 1 to 15. 0 means three times GradientSigma, rounded up, but no more
	// than 15.
	GradientRadius int

	// BlockSize is the side of the window, a box, in pixels, 1 to 31. An even box has
	// BlockSize/2 pixels before the pixel in the middle and one less behind it. 0
	// means 3.
	BlockSize int
	// WindowSigma, if it is not 0, makes the window not a box but a Gaussian of this
	// standard deviation, in pixels, whose weights are exp(-d*d/(2*sigma*sigma)) at
	// distance d.
	WindowSigma float64
	// WindowRadius is how many pixels the Gaussian window reaches in each direction, 1
	// to 15. 0 means three times WindowSigma, rounded up, but no more than 15.
	WindowRadius int
	// Border is what gradients and windows see beyond the edges of the image.
	Border Border

	// Quality, from 0 to 1, is the share of the largest response that the response of
	// a corner exceeds. 0 means 0.01.
	Quality float64
	// QualityOfRange makes Quality a share of the range of responses: a corner
	// exceeds the smallest one by more than that share of the difference to the
	// largest one. Its response is still above 0.
	QualityOfRange bool
	// MinResponse, if it is not 0, is what the response of a corner exceeds, in place
	// of a share of others. There is no Quality then.
	MinResponse float64
	// Suppression is the side of the square, in pixels, in whose middle a corner lies
	// and has the largest response: an odd number from 3 on. 0 means 3.
	Suppression int
	// Margin is how many pixels at each edge of the image are left out: they are no
	// corners, do not suppress others, and do not count for Quality. 0 means that
	// those of the outermost rows and columns are no corners, but count otherwise. A
	// negative number means that all count and may be corners.
	Margin int

	// MinDistance is the least distance of two corners, in pixels. Corners that are
	// nearer to a stronger one are dropped. 0 means that there is none, and so does
	// anything below 1.
	MinDistance float64
	// MaxCorners is how many corners are wanted, the strongest ones. 0 means all.
	MaxCorners int
	// TopFirst puts, of corners with equal responses, the one in the upper row first,
	// and in the same row the left one. Otherwise it is the other way round, as in
	// OpenCV.
	TopFirst bool

	// Workers is the number of goroutines that share an image, the caller's among
	// them. 0 means 1, and a negative number means runtime.GOMAXPROCS(0). Small images
	// get fewer. Images, if there are several, are the better unit.
	Workers int
}

// Limits of the options.
const (
	maxBlock  = 31
	maxRadius = maxBlock / 2
)

// A Detector finds corners as its Options say. It is made by New and safe for
// concurrent use.
type Detector struct {
	opts    Options // with the defaults
	measure tensor.Measure
	pool    sync.Pool // of *scratch
}

// New returns a Detector. It fails when an option is out of range.
func New(opts Options) (*Detector, error) {
	setDefault(&opts.K, 0.04)
	setDefault(&opts.GradientSigma, 1)
	setDefault(&opts.BlockSize, 3)
	setDefault(&opts.Suppression, 3)
	if opts.MinResponse == 0 {
		setDefault(&opts.Quality, 0.01)
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	setDefault(&opts.GradientRadius, reach(opts.GradientSigma))
	setDefault(&opts.WindowRadius, reach(opts.WindowSigma))
	if opts.Workers < 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	d := &Detector{opts: opts, measure: newMeasure(&opts)}
	d.pool.New = func() any { return newScratch(d) }
	return d, nil
}

// setDefault replaces 0 by what it stands for.
func setDefault[T int | float64](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

// reach returns how far a Gaussian reaches when its options do not say it.
func reach(sigma float64) int {
	return int(math.Ceil(min(3*sigma, maxRadius)))
}

// check returns an error that names the first option that is out of range.
func (o *Options) check() error {
	switch {
	case o.Measure > DetOverTrace:
		return fmt.Errorf("harris: unknown Measure %d", o.Measure)
	case !(o.K > 0 && o.K <= 1): // NaN is neither
		return fmt.Errorf("harris: K %v is not above 0 and at most 1", o.K)
	case o.Gradient > Gaussian:
		return fmt.Errorf("harris: unknown Gradient %d", o.Gradient)
	case !(o.GradientSigma > 0) || math.IsInf(o.GradientSigma, 1):
		return fmt.Errorf("harris: GradientSigma %v is not a positive number", o.GradientSigma)
	case o.GradientRadius < 0 || o.GradientRadius > maxRadius:
		return fmt.Errorf("harris: GradientRadius %d is not in the range 1 to %d", o.GradientRadius, maxRadius)
	case o.BlockSize < 1 || o.BlockSize > maxBlock:
		return fmt.Errorf("harris: BlockSize %d is not in the range 1 to %d", o.BlockSize, maxBlock)
	case !(o.WindowSigma >= 0) || math.IsInf(o.WindowSigma, 1):
		return fmt.Errorf("harris: WindowSigma %v is not a positive number", o.WindowSigma)
	case o.WindowRadius < 0 || o.WindowRadius > maxRadius:
		return fmt.Errorf("harris: WindowRadius %d is not in the range 1 to %d", o.WindowRadius, maxRadius)
	case o.Border > Zero:
		return fmt.Errorf("harris: unknown Border %d", o.Border)
	case !(o.Quality >= 0 && o.Quality <= 1):
		return fmt.Errorf("harris: Quality %v is not in the range 0 to 1", o.Quality)
	case !(o.MinResponse >= 0 && o.MinResponse <= math.MaxFloat32):
		return fmt.Errorf("harris: MinResponse %v is not a positive number of 32 bits", o.MinResponse)
	case o.MinResponse > 0 && (o.Quality > 0 || o.QualityOfRange):
		return fmt.Errorf("harris: MinResponse %v excludes Quality", o.MinResponse)
	case o.Suppression < 3 || o.Suppression%2 == 0:
		return fmt.Errorf("harris: Suppression %d is not an odd number from 3 on", o.Suppression)
	case !(o.MinDistance >= 0) || math.IsInf(o.MinDistance, 1):
		return fmt.Errorf("harris: MinDistance %v is not a distance", o.MinDistance)
	case o.MaxCorners < 0:
		return fmt.Errorf("harris: MaxCorners %d is negative", o.MaxCorners)
	}
	return nil
}

// Detect returns the corners of img, the strongest first. Where the mask is 0 there
// are none, and responses there do not count for Quality; it may be nil. It panics if
// img or mask is malformed, or if they have different bounds. An image narrower or
// lower than 2 pixels has no corners.
func (d *Detector) Detect(img, mask *image.Gray) []Corner {
	return d.Append(nil, img, mask)
}

// Append is Detect, appending the corners to dst. With one worker it does not allocate
// in the steady state when dst has room.
func (d *Detector) Append(dst []Corner, img, mask *image.Gray) []Corner {
	check("image", img)
	checkMask(mask, img.Rect)
	s := d.pool.Get().(*scratch)
	s.setGray(img)
	s.setMask(mask)
	dst = s.appendCorners(dst, img.Rect.Min)
	s.release()
	return dst
}

// Response appends the responses of all pixels of img to dst, row by row. Those of an
// image narrower or lower than 2 pixels are 0. It panics if img is malformed.
func (d *Detector) Response(dst []float32, img *image.Gray) []float32 {
	check("image", img)
	s := d.pool.Get().(*scratch)
	s.setGray(img)
	dst = s.appendResponses(dst)
	s.release()
	return dst
}

// check panics unless img has the pixels that its bounds and stride ask for, and no
// more of them than 32 bits can count.
func check(name string, img *image.Gray) {
	if !img.Rect.Empty() {
		checkSize(img.Rect)
		raster.Check("harris", name, img.Rect, img.Pix, img.Stride, 1)
	}
}

// checkSize panics if bounds, which are not empty, have too many pixels.
func checkSize(bounds image.Rectangle) {
	if w, h := raster.Size(bounds); w > maxPixels/h {
		panic(fmt.Sprintf("harris: image bounds %v have more than %d pixels", bounds, uint64(maxPixels)))
	}
}

// maxPixels is how many pixels an image has at most: candidates hold their places in
// 32 bits.
const maxPixels = 1 << 32

// checkMask panics unless mask is nil or one for an image of these bounds.
func checkMask(mask *image.Gray, bounds image.Rectangle) {
	if mask == nil {
		return
	}
	if mask.Rect != bounds {
		panic(fmt.Sprintf("harris: mask bounds %v are not those of the image, %v", mask.Rect, bounds))
	}
	check("mask", mask)
}
