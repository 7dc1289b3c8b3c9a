// Package fast finds FAST corners (features from accelerated segment test) in gray images, and
// chooses among the corners of any package. This program prints the corners of a photo:
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
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		detector, err := fast.New(fast.Options{Threshold: 25, ArcLength: 9, NonmaxSuppression: true})
//		if err != nil {
//			log.Fatal(err)
//		}
//		for _, c := range detector.Detect(fast.Gray(img)) {
//			fmt.Println(c.X, c.Y, c.Score)
//		}
//	}
//
// A pixel is compared with the ring of 16 pixels at distance 3 around it. It is a FAST-N corner
// when N contiguous pixels of the ring are all brighter than it by more than a threshold, or all
// darker by more than the threshold. The test is Rosten and Drummond's ("Machine learning for
// high-speed corner detection", ECCV 2006); both comparisons are strict, as in libCVD and OpenCV,
// so the corners are the same.
//
// [Detect] finds FAST-10 corners in a single call. A [Detector] also finds corners with other arc
// lengths and their scores, and can suppress all but the local maxima. It is safe for concurrent
// use. [Append] and [Detector.Append] append to the caller's slice, and do not allocate in the
// steady state if it has room for the corners.
//
// # Options by use
//
//   - For the corners that OpenCV's FAST finds, ArcLength 9 and NonmaxSuppression.
//   - For tracking and SLAM, the same, and then [Spread] or [PerCell], which choose corners in all
//     parts of the image.
//   - For several thresholds, one detection at the lowest one, with Score.
//   - For video, Detector.Append with the slice of the previous frame.
//   - For a single large image, Workers; for many images, a goroutine for each.
//
// # Images
//
// The input is an *image.Gray. Any slice of 8-bit pixels with a stride, such as the luma plane that
// a video decoder returns, can be one:
//
//	img := &image.Gray{Pix: plane, Stride: stride, Rect: image.Rect(0, 0, width, height)}
//
// [Gray] converts other images, without copying if they have a luma plane, and [GrayInto] does so
// while reusing memory. [GrayYUYV] and [GrayUYVY] convert the packed pixels of webcams.
// [ExpandLuma] expands the limited range of luma that videos use.
//
// To search a region of interest, pass the SubImage; corners keep the coordinates of the whole
// image. Pixels nearer than 3 to an edge of the image (or of the SubImage) are never corners, so an
// image with fewer than 7 columns or rows has none. SubImage allocates. A loop over frames can
// instead set an image to the region r of a plane:
//
//	img.Pix, img.Stride, img.Rect = plane[r.Min.Y*stride+r.Min.X:], stride, r
//
// Detection cannot fail. A nil or malformed image is a programming error, and causes a panic. An
// image is malformed when its Stride is negative, its Pix ends before the last pixel of its last
// row, or its bounds exceed 32 bits. Pix may be longer.
//
// # Scores
//
// The score of a corner is the largest threshold at which it is still a corner. Therefore the
// corners at a threshold are the corners at any lower threshold with a score of at least the higher
// one, with suppression or without. [Strongest], [Spread], [PerCell], [Apart] and [InMask] choose
// among the corners of one detection, or those of other packages; all except InMask need scores,
// which Options.Score requests.
//
// # Kernels
//
// Every [Kernel] finds the same corners in the same order. The fastest one that the processor can
// run is chosen at run time; Options.Kernel selects a particular one, for comparisons.
//
// # OpenCV
//
// FAST(img, keypoints, t, true) is a Detector with Options{Threshold: t, ArcLength: 9,
// NonmaxSuppression: true}, and the response of a keypoint is its Score. Without suppression,
// Corner.Score is 0 unless Options.Score is set. FastFeatureDetector's types 5_8 and 7_12 are in
// package vpi.
//
// # Speed
//
// The [measurements] compare the package with OpenCV 4.6 and libCVD.
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/peers.md
package fast

import (
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A Corner is a pixel that passed the segment test.
type Corner struct {
	// X and Y are the pixel's coordinates in the image, in pixels.
	X, Y int32
	// Score is the largest threshold at which the pixel is still a corner, 0
	// to 254. It is 0 if the Options did not ask for scores.
	Score uint8
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

// Detect returns the FAST-10 corners of img in raster order: row by row, from left to right. The
// threshold is a difference of gray values; values of 10 to 50 are typical. The corners have no
// scores, which [Strongest], [Spread], [PerCell] and [Apart] need; a [Detector] finds scores.
// Detect panics if img is nil or malformed.
func Detect(img *image.Gray, threshold uint8) []Corner {
	return Append(nil, img, threshold)
}

// Append is like Detect but appends the corners to dst. When dst has room for them it does not
// allocate in the steady state, after the first calls have allocated the memory that detection
// works in.
func Append(dst []Corner, img *image.Gray, threshold uint8) []Corner {
	d := Detector{Options{Threshold: threshold}}
	return d.Append(dst, img)
}

// defaultArc is the arc length that 0 stands for in Options.
const defaultArc = 10

// Options specify what a Detector finds and how. The zero value finds FAST-10 corners at threshold
// 0.
type Options struct {
	// Threshold is the difference from the corner, in gray values from 0 to 255, that
	// all pixels of the arc must exceed. There are no corners at 255. The default is
	// 0.
	Threshold uint8
	// ArcLength is the number of contiguous ring pixels that make a corner, 9
	// to 12, or 10 for a block kernel. 0 means 10.
	ArcLength int
	// Score requests Corner.Score.
	Score bool
	// NonmaxSuppression keeps a corner only if its score exceeds the scores of all corners among
	// its eight neighbors; of two neighbors with equal scores, neither is kept. It implies Score.
	NonmaxSuppression bool
	// FirstOfEqual makes NonmaxSuppression keep the first of neighbors with equal scores: a corner
	// is kept if its score exceeds the scores of its neighbors that precede it in raster order, and
	// is not less than those of the later ones.
	FirstOfEqual bool
	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
	// Kernel selects the implementation, which the processor must be able to run. The block kernels
	// find FAST-10 corners only. The default is Auto.
	Kernel Kernel
}

// A Detector finds corners according to its Options. It is safe for concurrent use. The zero
// Detector has the zero Options.
type Detector struct {
	opts Options // that New has checked, or the zero value
}

// New returns a Detector. It fails if an option is out of range, if this processor cannot run the
// kernel, or if the kernel does not find corners with that arc length.
func New(opts Options) (*Detector, error) {
	// One call leaves New so small that it is inlined, and a Detector that does not escape is
	// not allocated.
	if err := opts.complete(); err != nil {
		return nil, err
	}
	return &Detector{opts}, nil
}

// complete sets the defaults and checks the fields.
func (o *Options) complete() error {
	o.setDefaults()
	return o.check()
}

// setDefaults replaces the values that stand for others by these.
func (o *Options) setDefaults() {
	if o.ArcLength == 0 {
		o.ArcLength = defaultArc
	}
	if o.Kernel == Auto {
		o.Kernel = sieves.Best().kernel
	}
	o.Workers = worker.Number(o.Workers)
}

// withDefaults returns o as setDefaults leaves it.
func (o Options) withDefaults() Options {
	o.setDefaults()
	return o
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *Options) check() error {
	fields := option.Fields{Package: "fast", Type: "Options"}
	switch k := o.Kernel; {
	case o.ArcLength < 9 || o.ArcLength > 12:
		return fields.OutOfRange("ArcLength", o.ArcLength, "9 to 12")
	case !kernelNames.Has(k):
		return fields.OutOfRange("Kernel", k, kernelNames.Want())
	case !k.supported():
		return fields.OutOfRange("Kernel", k, "one that this processor can run")
	case !k.serves(o.ArcLength):
		return fields.OutOfRange("ArcLength", o.ArcLength, fmt.Sprintf("%d with Options.Kernel %v", defaultArc, k))
	}
	return nil
}

// Options returns the options of d, with defaults filled in and negative numbers replaced by what
// they stand for. Its Kernel is never Auto.
func (d *Detector) Options() Options {
	return d.opts.withDefaults()
}

// Detect returns the corners of img in raster order: row by row, from left to
// right. It panics if img is nil or malformed.
func (d *Detector) Detect(img *image.Gray) []Corner {
	return d.Append(nil, img)
}

// Append is like Detect but appends the corners to dst. With one worker it does not allocate in the
// steady state when dst has room for the corners. With suppression, that may mean all corners,
// including those that are suppressed. Several workers allocate less than a kilobyte each, apart
// from memory for corners, which is reused.
func (d *Detector) Append(dst []Corner, img *image.Gray) []Corner {
	p := raster.NewPlane("fast", img)
	if p.W < 2*radius+1 || p.H < 2*radius+1 || d.opts.Threshold == math.MaxUint8 {
		return dst
	}
	n := len(dst)
	opts := d.opts.withDefaults()
	dst = detect(dst, p, &opts)
	translate(dst[n:], img.Rect.Min)
	return dst
}

// ScoreAt reports whether the pixel p of img is a corner at the threshold and arc length
// of d, and returns its score, or 0 if it is not a corner. It disregards suppression, and
// returns the score even if the Options do not ask for scores. ScoreAt panics if img is
// nil or malformed.
func (d *Detector) ScoreAt(img *image.Gray, p image.Point) (score uint8, ok bool) {
	whole := raster.NewPlane("fast", img)
	p = p.Sub(img.Rect.Min)
	if !p.In(image.Rect(0, 0, whole.W, whole.H).Inset(radius)) {
		return 0, false
	}
	offsets := ringOffsets(whole.Stride)
	diff := bestDifference(whole.Pix, p.Y*whole.Stride+p.X, &offsets, d.opts.withDefaults().ArcLength)
	if diff <= int(d.opts.Threshold) {
		return 0, false
	}
	return uint8(diff - 1), true
}

// translate moves the corners by p.
func translate(corners []Corner, p image.Point) {
	if p == (image.Point{}) {
		return
	}
	for i := range corners {
		corners[i].X += int32(p.X)
		corners[i].Y += int32(p.Y)
	}
}
