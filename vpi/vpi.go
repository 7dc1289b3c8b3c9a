// Package vpi finds FAST corners as NVIDIA's Vision Programming Interface, VPI, defines them: on
// circles of radius 1, 2 and 3, with arcs of any length, in images of 8 and 16 bits, signed and
// unsigned, with five kinds of border. This program prints the corners of a photo:
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
//		"github.com/fastcorners/fast/vpi"
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		detector, err := vpi.New(vpi.Options{CircleRadius: 2, Threshold: 20})
//		if err != nil {
//			log.Fatal(err)
//		}
//		for _, c := range detector.Detect(fast.Gray(img)) {
//			fmt.Println(c.X, c.Y, c.Score)
//		}
//	}
//
// The zero [Options] are VPI's defaults. A program that does not need VPI's corners should use
// package fast, which finds the same corners as OpenCV and libCVD.
//
// # Options by use
//
//   - For the corners of NVIDIA's VPI, the zero Options, or the counterparts of its parameters,
//     below.
//   - For small images and details, a CircleRadius of 1 or 2.
//   - For cameras with 10 to 16 bits per pixel, DetectImage with a Plane, or with an image.Gray16.
//   - Otherwise, package fast, which has more kernels.
//
// # Definition
//
// A pixel is compared with the 8, 12 or 16 pixels on a circle around it. A pixel on the circle is
// brighter if it exceeds the center by at least the threshold, and darker if it is less by at least
// the threshold. At a threshold of 0, an equal pixel is therefore both; in package fast,
// comparisons are strict. The pixel is a corner if all pixels of an arc, a given number of
// contiguous pixels of the circle, are brighter, or all are darker. The score of a corner is the
// largest integer threshold at which it is a corner.
//
// Suppression compares a corner with the corners among its eight neighbors. It keeps the corner if
// its score exceeds the scores of those that precede it in raster order, and is not less than those
// of the later ones. Of neighbors with equal scores, the first one is kept.
//
// The corners come in raster order: row by row, from left to right. Options.MaxCorners keeps the
// first ones, and [Detector.DetectImage] also returns their total number. VPI has no masks;
// [fast.InMask] keeps the corners in a mask, and [fast.Spread] and [fast.PerCell] choose corners
// all over an image.
//
// # Names
//
//	C                                    Python                    here
//	vpiSubmitFASTCornerDetector          Image.fastcorners         Detector.Detect, DetectImage
//	VPIFASTCornerDetectorParams          its arguments             Options
//	  .circleRadius                      circle_radius             CircleRadius
//	  .arcLength                         arc_length                ArcLength
//	  .intensityThreshold                intensity_threshold       Threshold; -1 for 0
//	  .nonMaxSuppression                 non_max_suppression       NoSuppression, the opposite
//	VPIBorderExtension                   border, vpi.Border        Border, of package border
//	  VPI_BORDER_LIMITED                 LIMITED                   Limited
//	  VPI_BORDER_ZERO                    ZERO                      Constant
//	  VPI_BORDER_CLAMP                   CLAMP                     Replicate
//	  VPI_BORDER_REFLECT                 REFLECT                   Reflect
//	  VPI_BORDER_MIRROR                  MIRROR                    Reflect101
//	VPIImageFormat                       vpi.Format
//	  VPI_IMAGE_FORMAT_U8                U8                        Gray, Plane
//	  VPI_IMAGE_FORMAT_S8                S8                        Plane
//	  VPI_IMAGE_FORMAT_U16               U16                       Gray16, Plane
//	  VPI_IMAGE_FORMAT_S16               S16                       Plane
//	the capacity of outCorners           that of out               MaxCorners
//	vpiArrayGetSize                      Array.size                len
//	VPIKeypointF32                                                 Corner
//	PvaFastCornerDetectorParams
//	  .numTopKFeatures                                             Strongest, with MaxCorners
//
// In VPI, the default arc length is 9 for every radius. Here it is the usual one for the radius: 5,
// 7 or 9.
//
// OpenCV's FastFeatureDetector also has these circles, with strict comparisons. Its threshold is
// one less than Options.Threshold, and its response one less than Corner.Score:
//
//	TYPE_5_8      Options{CircleRadius: 1, ArcLength: 5, Threshold: threshold + 1}
//	TYPE_7_12     Options{CircleRadius: 2, ArcLength: 7, Threshold: threshold + 1}
//	TYPE_9_16     Options{CircleRadius: 3, ArcLength: 9, Threshold: threshold + 1}
//
// Its first two types miss most corners, since they test a small circle with the early exit for the
// large one: in a photo, they found 27 of 909 corners. TYPE_9_16 finds the same corners as this
// package, but its suppression keeps none of neighbors with equal scores.
//
// # Speed
//
// The [measurements] compare the package with the FAST detectors of OpenCV 4.6.
//
// # Sources
//
//   - E. Rosten and T. Drummond, "Machine learning for high-speed corner detection", ECCV
//     2006: the segment test.
//   - NVIDIA, "FAST Corners Detector", in the documentation of VPI.
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/peers.md
package vpi

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"sync"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// A Corner is a pixel that passed the segment test.
type Corner struct {
	// X and Y are the pixel's coordinates in the image, in pixels.
	X, Y int32
	// Score is the largest threshold at which the pixel is still a corner.
	Score uint16
}

// Pt returns the coordinates of c as a point.
func (c Corner) Pt() image.Point {
	return image.Pt(int(c.X), int(c.Y))
}

// Position returns X and Y.
func (c Corner) Position() (x, y float32) {
	return float32(c.X), float32(c.Y)
}

// Strength returns the Score of c.
func (c Corner) Strength() float32 {
	return float32(c.Score)
}

// Options specify what a Detector finds. Zero fields have their default values.
type Options struct {
	// CircleRadius is the radius of the circle, in pixels: 1, 2 or 3, for circles of 8, 12 or
	// 16 pixels. 0 means 3.
	CircleRadius int
	// ArcLength is the number of contiguous pixels of the circle that make a corner, at
	// least 1 and at most the 8, 12 or 16 pixels of the circle. 0 means 5, 7 or 9 for
	// circles of radius 1, 2 or 3.
	ArcLength int
	// Threshold is the smallest difference between a corner and the pixels of its arc, a finite
	// number in units of pixel values. 0 means 10, and a negative number means 0. There are no
	// corners above 255 in images of 8 bits, and above 65,535 in images of 16 bits.
	Threshold float32
	// NoSuppression also keeps corners next to one with a higher score.
	NoSuppression bool
	// Border specifies what lies beyond the edges of an image. With Limited, only pixels whose
	// circle lies in the image are tested. With Constant, which is 0, Replicate, Reflect and
	// Reflect101, all pixels are. The default is Limited.
	Border border.Mode
	// MaxCorners is the maximum number of corners to return, not negative: the first ones in raster
	// order or, with Strongest, those with the highest scores. 0 means all corners.
	MaxCorners int
	// Strongest sorts the corners by their scores, highest first. Corners with equal scores stay in
	// raster order.
	Strongest bool
	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

// A Detector finds corners according to its Options. Create one with New. It is safe for concurrent
// use.
type Detector struct {
	made      option.Made
	opts      Options // with the defaults
	threshold float64 // rounded up to an integer: differences are integers
	circle    circle
	fast      *fast.Detector // for pixels of 8 bits, or nil where it is slower
	pool      sync.Pool      // of *job
}

// New returns a Detector. It fails if an option is out of range.
func New(opts Options) (*Detector, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	d := &Detector{
		made:      true,
		opts:      opts,
		threshold: math.Ceil(float64(opts.Threshold)),
		circle:    newCircle(opts.CircleRadius, opts.ArcLength),
	}
	if err := d.setFast(); err != nil {
		return nil, err
	}
	d.pool.New = func() any {
		return &job{detector: d, lanes: worker.NewLanes("vpi", func() *lane { return new(lane) })}
	}
	return d, nil
}

// setDefaults replaces the fields that stand for other values by these.
func (o *Options) setDefaults() {
	o.CircleRadius = cmp.Or(o.CircleRadius, maxRadius)
	o.ArcLength = cmp.Or(o.ArcLength, o.circumference()/2+1)
	o.Threshold = cmp.Or(o.Threshold, 10)
	if o.Threshold < 0 && !math.IsInf(float64(o.Threshold), -1) {
		o.Threshold = 0
	}
	o.Border = cmp.Or(o.Border, border.Limited)
	o.Workers = worker.Number(o.Workers)
}

// circumference returns the number of pixels of the circle, or 0 if there is none of its radius.
func (o *Options) circumference() int {
	if o.CircleRadius < 1 || o.CircleRadius > maxRadius {
		return 0
	}
	return 4 * len(quarters[o.CircleRadius])
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *Options) check() error {
	fields := option.Fields{Package: "vpi", Type: "Options"}
	n := o.circumference()
	switch threshold := float64(o.Threshold); {
	case n == 0:
		return fields.OutOfRange("CircleRadius", o.CircleRadius, "1 to 3")
	case o.ArcLength < 1 || o.ArcLength > n:
		return fields.OutOfRange("ArcLength", o.ArcLength, fmt.Sprintf("1 to %d with Options.CircleRadius %d", n, o.CircleRadius))
	case math.IsNaN(threshold) || math.IsInf(threshold, 0):
		return fields.OutOfRange("Threshold", threshold, "a finite number")
	case o.MaxCorners < 0:
		return fields.OutOfRange("MaxCorners", o.MaxCorners, "0 or more")
	}
	return option.OneOf(fields, "Border", o.Border,
		border.Limited, border.Constant, border.Replicate, border.Reflect, border.Reflect101)
}

// setFast lets package fast do what it does faster.
func (d *Detector) setFast() error {
	o := &d.opts
	if o.CircleRadius != 3 || o.ArcLength < 9 || o.ArcLength > 12 || d.threshold < 1 || d.threshold > math.MaxUint8 {
		return nil
	}
	f, err := fast.New(fast.Options{
		Threshold:         uint8(d.threshold) - 1, // comparisons are strict there
		ArcLength:         o.ArcLength,
		Score:             true,
		NonmaxSuppression: !o.NoSuppression,
		FirstOfEqual:      true,
		Workers:           o.Workers,
	})
	if err != nil {
		return err
	}
	if f.Options().Kernel != fast.Scalar {
		d.fast = f
	}
	return nil
}

// Options returns the options of d, with defaults filled in and negative numbers replaced by what
// they stand for.
func (d *Detector) Options() Options {
	d.check()
	return d.opts
}

// Detect returns the corners of img in raster order or, with Options.Strongest, strongest first.
// With the border Limited, an image that is smaller than the circle has no corners. Detect panics
// if img is nil or malformed.
func (d *Detector) Detect(img *image.Gray) []Corner {
	return d.Append(nil, img)
}

// Append is like Detect but appends the corners to dst. With one worker it does not allocate in the
// steady state when dst has room for the corners.
func (d *Detector) Append(dst []Corner, img *image.Gray) []Corner {
	d.check()
	dst, _ = d.AppendImage(dst, Of(img))
	return dst
}

// DetectImage is like Detect for pixels of any type. It also returns the total number of corners in
// img, which may exceed Options.MaxCorners.
func (d *Detector) DetectImage(img Image) (corners []Corner, total int) {
	return d.AppendImage(nil, img)
}

// AppendImage is like DetectImage but appends the corners to dst.
func (d *Detector) AppendImage(dst []Corner, img Image) (corners []Corner, total int) {
	d.check()
	img.check()
	j := d.pool.Get().(*job)
	dst, total = j.search(dst, img)
	j.release()
	return dst, total
}

// check panics unless New has made d.
func (d *Detector) check() {
	d.made.Require("vpi", "Detector", "New")
}
