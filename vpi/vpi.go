// Package vpi finds FAST corners as NVIDIA's Vision Programming Interface, VPI, defines
// them: on circles of radius 1, 2 and 3, with arcs of any length, in images of 8 and 16
// bits, signed and unsigned, with five kinds of border.
//
//	detector, err := vpi.New(vpi.Options{Radius: 2, Threshold: 20})
//	corners := detector.Detect(img)
//
// The zero [Options] are VPI's defaults. Who is free to choose takes package fast, whose
// corners are those of other libraries.
//
// # What is done
//
// A pixel is compared with the 8, 12 or 16 pixels on a circle around it. One of these is
// brighter when it exceeds the pixel by the threshold at least, and darker when it is less
// by the threshold at least. So with a threshold of 0 an equal one is both; package fast
// has strict comparisons. The pixel is a corner when an arc, so many contiguous pixels of
// the circle, is brighter, or darker. Its score is the largest threshold at which it is a
// corner, an integer.
//
// Suppression keeps a corner if its score exceeds those of its neighbours that are
// corners, of eight; of equal neighbours the first in raster order stays. To be exact, the
// score exceeds those of the earlier ones and is not less than those of the later ones.
//
// The corners come in raster order, row by row and from left to right. With a Capacity the
// first ones are kept, and [Detector.Search] tells how many there are. VPI has no masks; to
// leave out corners is a matter of slices.DeleteFunc.
//
// # Names
//
//	C                                    Python                    here
//	vpiSubmitFASTCornerDetector          Image.fastcorners         Detector.Detect, Search
//	VPIFASTCornerDetectorParams          its arguments             Options
//	  .circleRadius                      circle_radius             Radius
//	  .arcLength                         arc_length                Arc
//	  .intensityThreshold                intensity_threshold       Threshold; -1 for 0
//	  .nonMaxSuppression                 non_max_suppression       NoSuppression, the opposite
//	VPIBorderExtension                   border, vpi.Border        Border
//	  VPI_BORDER_LIMITED                 LIMITED                   Limited
//	  VPI_BORDER_ZERO                    ZERO                      Zero
//	  VPI_BORDER_CLAMP                   CLAMP                     Clamp
//	  VPI_BORDER_REFLECT                 REFLECT                   Reflect
//	  VPI_BORDER_MIRROR                  MIRROR                    Mirror
//	VPIImageFormat                       vpi.Format
//	  VPI_IMAGE_FORMAT_U8                U8                        Gray, Plane
//	  VPI_IMAGE_FORMAT_S8                S8                        Plane
//	  VPI_IMAGE_FORMAT_U16               U16                       Gray16, Plane
//	  VPI_IMAGE_FORMAT_S16               S16                       Plane
//	the capacity of outCorners           that of out               Capacity
//	vpiArrayGetSize                      Array.size                len
//	VPIKeypointF32                                                 Corner
//	PvaFastCornerDetectorParams
//	  .numTopKFeatures                                             Strongest, with Capacity
//
// VPI's arcs are 9 pixels long where nothing else is said; those of a smaller circle are
// the usual ones here.
//
// OpenCV's FastFeatureDetector has these circles, too, with strict comparisons: its threshold
// is 1 less than the Threshold here, and so is its response than the Score.
//
//	TYPE_5_8      Options{Radius: 1, Arc: 5, Threshold: threshold + 1}
//	TYPE_7_12     Options{Radius: 2, Arc: 7, Threshold: threshold + 1}
//	TYPE_9_16     Options{Radius: 3, Arc: 9, Threshold: threshold + 1}
//
// Its first two types lose most corners, since they leave a small circle by the early exit
// that was made for the large one: on a photo they found 27 corners of 909. TYPE_9_16 finds
// the same ones, but of neighbours with equal scores its suppression keeps none.
//
// # Sources
//
//   - E. Rosten and T. Drummond, "Machine learning for high-speed corner detection", ECCV
//     2006: the segment test.
//   - NVIDIA, "FAST Corners Detector", in the documentation of VPI.
package vpi

import (
	"fmt"
	"image"
	"math"
	"runtime"
	"sync"

	"github.com/fastcorners/fast"
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

// Options say what a Detector finds. Zero stands for the default of each of them.
type Options struct {
	// Radius is that of the circle, in pixels: 1, 2 or 3, of 8, 12 or 16 pixels. 0
	// means 3.
	Radius int
	// Arc is how many contiguous pixels of the circle make a corner, 1 to all of
	// them. 0 means 5, 7 or 9 for a Radius of 1, 2 or 3.
	Arc int
	// Threshold is the least difference between a corner and the pixels of its arc, in
	// units of the pixels. 0 means 10, and a negative number means 0. There are no
	// corners above 255 or 65,535, the largest difference of pixels of 8 or 16 bits.
	Threshold float32
	// NoSuppression keeps the corners beside one with a higher score, too.
	NoSuppression bool
	// Border says what lies beyond the edges of an image.
	Border Border
	// Capacity is how many corners are wanted, the first ones. 0 means all.
	Capacity int
	// Strongest puts the corners with the highest scores first; those with equal ones
	// stay in raster order. With it, Capacity keeps the strongest corners.
	Strongest bool

	// Workers is the number of goroutines that share an image, the caller's among
	// them. 0 means 1, and a negative number means runtime.GOMAXPROCS(0). Small images
	// get fewer. Images, if there are several, are the better unit.
	Workers int
}

// A Detector finds corners as its Options say. It is made by New and safe for
// concurrent use.
type Detector struct {
	opts      Options // with the defaults
	threshold float64 // rounded up to an integer: differences are integers
	circle    circle
	fast      *fast.Detector // for pixels of 8 bits, or nil where it is slower
	pool      sync.Pool      // of *scratch
}

// New returns a Detector. It fails when an option is out of range.
func New(opts Options) (*Detector, error) {
	setDefault(&opts.Radius, 3)
	if opts.Radius < 1 || opts.Radius > maxRadius {
		return nil, fmt.Errorf("vpi: Radius %d is not in the range 1 to %d", opts.Radius, maxRadius)
	}
	n := 4 * len(quarters[opts.Radius])
	setDefault(&opts.Arc, n/2+1)
	setDefault(&opts.Threshold, 10)
	switch threshold := float64(opts.Threshold); {
	case opts.Arc < 1 || opts.Arc > n:
		return nil, fmt.Errorf("vpi: Arc %d is not in the range 1 to %d, the pixels of a circle of Radius %d", opts.Arc, n, opts.Radius)
	case math.IsNaN(threshold) || math.IsInf(threshold, 0):
		return nil, fmt.Errorf("vpi: Threshold %v is not finite", opts.Threshold)
	case opts.Border > Mirror:
		return nil, fmt.Errorf("vpi: unknown Border %d", opts.Border)
	case opts.Capacity < 0:
		return nil, fmt.Errorf("vpi: Capacity %d is negative", opts.Capacity)
	}
	if opts.Workers < 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	d := &Detector{
		opts:      opts,
		threshold: max(math.Ceil(float64(opts.Threshold)), 0),
		circle:    newCircle(opts.Radius, opts.Arc),
	}
	if err := d.setFast(); err != nil {
		return nil, err
	}
	d.pool.New = func() any { return &scratch{detector: d, searchers: []*searcher{new(searcher)}} }
	return d, nil
}

// setFast lets package fast do what it does faster.
func (d *Detector) setFast() error {
	o := &d.opts
	if o.Radius != 3 || o.Arc < 9 || o.Arc > 12 || d.threshold < 1 || d.threshold > math.MaxUint8 {
		return nil
	}
	f, err := fast.New(fast.Options{
		Threshold:         uint8(d.threshold) - 1, // comparisons are strict there
		ArcLength:         o.Arc,
		Score:             true,
		NonmaxSuppression: !o.NoSuppression,
		FirstOfEqual:      true,
		Workers:           o.Workers,
	})
	if err != nil {
		return fmt.Errorf("vpi: %w", err)
	}
	if f.Kernel() != fast.Scalar {
		d.fast = f
	}
	return nil
}

// setDefault replaces 0 by what it stands for.
func setDefault[T int | float32](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

// Detect returns the corners of img in raster order, or the strongest first. It panics if
// img is malformed. With the border Limited, an image without room for a circle has none.
func (d *Detector) Detect(img *image.Gray) []Corner {
	return d.Append(nil, img)
}

// Append is Detect, appending the corners to dst. With one worker it does not allocate
// in the steady state when dst has room.
func (d *Detector) Append(dst []Corner, img *image.Gray) []Corner {
	dst, _ = d.Search(dst, Gray(img))
	return dst
}

// Search is Append for pixels of any type. It returns dst with the corners, and the total
// of those that there are, of which a Capacity may keep fewer. It panics if img is malformed.
func (d *Detector) Search(dst []Corner, img Image) (corners []Corner, total int) {
	img.check()
	s := d.pool.Get().(*scratch)
	dst, total = s.search(dst, img)
	s.release()
	return dst, total
}
