// Package flow follows points from one image to the next by sparse optical flow. This program finds
// corners in one frame of a video, and prints where they are in the next:
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
//		"github.com/fastcorners/fast/flow"
//		"github.com/fastcorners/fast/harris"
//	)
//
//	func main() {
//		var frames [2]*image.Gray
//		for i := range frames {
//			file, err := os.Open(os.Args[1+i])
//			if err != nil {
//				log.Fatal(err)
//			}
//			img, _, err := image.Decode(file)
//			if err != nil {
//				log.Fatal(err)
//			}
//			frames[i] = fast.Gray(img)
//		}
//		detector, err := harris.New(harris.GoodFeatures(500, 0.01, 10))
//		if err != nil {
//			log.Fatal(err)
//		}
//		tracker, err := flow.New(flow.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		points := flow.Points(detector.Detect(frames[0], nil))
//		previous, next := tracker.Pyramid(frames[0]), tracker.Pyramid(frames[1])
//		for i, track := range tracker.Track(previous, next, points, nil) {
//			if track.Status == flow.Found {
//				fmt.Println(points[i], "moved to", track.X, track.Y)
//			}
//		}
//	}
//
// The method is the pyramidal one of Lucas and Kanade (B. Lucas and T. Kanade, "An iterative image
// registration technique with an application to stereo vision", IJCAI 1981; J.-Y. Bouguet,
// "Pyramidal implementation of the Lucas Kanade feature tracker", Intel 2000). The results are
// identical, bit for bit, to those of OpenCV 4.6's calcOpticalFlowPyrLK on amd64: the same
// positions, errors and points lost.
//
// Make a [Pyramid] once for each frame: it is the second argument of one call of Track, and the
// first of the next. [Tracker.PyramidInto] reuses the memory of a Pyramid.
//
// # Options by use
//
//   - To remove wrong tracks, Confirm 0.5.
//   - For video with changing brightness, RemoveMean.
//   - For fast motion, more Levels, or guesses.
//   - For speed, a Window of 15 by 15 and an Epsilon of 0.03.
//
// # Method
//
// The window around a point is compared with a window of the second image, which moves by the step
// that would make both equal if gray values changed linearly. This is repeated until the steps are
// small. The search starts on the coarsest level of the pyramid. The position found there is the
// starting point on the next level, so that large motions are found, too.
//
// The steps are these; sums are in OpenCV's order, and every operation on float32 is rounded:
//
//  1. A level has half the width and height of the one before it, rounded up: each pixel is
//     the weighted mean of 5 by 5 pixels with the weights [1 4 6 4 1] in both directions.
//  2. The template is the window of the first image, at a position between pixels, with 5 bits
//     after the binary point, and its derivatives by Scharr's filters. Pixels outside the image are
//     mirrored, dcb|abcd|cba, and derivatives there are 0.
//  3. The sums of the products of derivatives give the smaller eigenvalue, which is divided by the
//     number of pixels. If it is less than Options.MinEigenvalue, the window has no structure to
//     follow.
//  4. In each iteration, the differences between the window of the second image and the
//     template, multiplied by the derivatives and summed, give the step. Iterations end
//     when a step is not longer than Options.Epsilon, when two steps cancel each other out,
//     or after Options.Iterations.
//
// Results are the same on every platform and for any number of workers.
//
// # OpenCV
//
// calcOpticalFlowPyrLK(a, b, points, next, status, err, winSize, maxLevel, criteria, flags,
// minEigThreshold) is [Tracker.Track] with the Pyramids of a and b. Window is winSize, Levels
// maxLevel + 1, Iterations and Epsilon criteria, and MinEigenvalue minEigThreshold. Guesses are
// next with OPTFLOW_USE_INITIAL_FLOW; OPTFLOW_LK_GET_MIN_EIGENVALS has no counterpart. A status of
// 1 is Found. The errors of points that are not found are 0, which OpenCV leaves undefined.
// buildOpticalFlowPyramid is [Tracker.Pyramid].
//
// Options.Confirm, RemoveMean, KeepInside and Workers have no counterpart in OpenCV.
//
// # Speed
//
// The [measurements] compare the package with OpenCV 4.6.
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/flow.md
package flow

import (
	"fmt"
	"image"
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/option"
)

// A Status reports whether a point was found, or why not.
type Status uint8

const (
	Untracked   Status = iota // the zero Track: no point has been followed
	Found                     // the point was found
	Outside                   // the window left the image, or with Options.KeepInside the point did
	Flat                      // the window has too little structure to follow: see Options.MinEigenvalue
	Lost                      // the position is NaN or does not fit in 32 bits
	Unconfirmed               // the point was not found again on the way back: see Options.Confirm
)

var statusNames = option.Enum[Status]{"untracked", "found", "outside", "flat", "lost", "unconfirmed"}

// String returns the name of s, such as "found".
func (s Status) String() string { return statusNames.String(s) }

// MarshalText returns the name of s. It fails if s is not a Status of this package.
func (s Status) MarshalText() ([]byte, error) { return statusNames.MarshalText(s) }

// UnmarshalText sets s to the Status named by text. It fails if there is no such Status.
func (s *Status) UnmarshalText(text []byte) error { return statusNames.UnmarshalText(s, text) }

// A Track is where a point moved.
type Track struct {
	// X and Y are the position in the second image, in pixels. If the point was not found, they are
	// where the search ended.
	X, Y float32
	// Err is the mean difference between the gray values of the two windows, or 0 if the point was
	// not found.
	Err float32
	// Status reports whether the point was found.
	Status Status
}

// Pt returns the pixel nearest to X and Y, with math.MaxInt32 for a coordinate that is NaN or
// does not fit in 32 bits.
func (t Track) Pt() image.Point {
	return t.Point().Pt()
}

// Position returns X and Y.
func (t Track) Position() (x, y float32) {
	return t.X, t.Y
}

// Found reports whether the Status of t is Found.
func (t Track) Found() bool {
	return t.Status == Found
}

// Point returns the position of t, to continue tracking from.
func (t Track) Point() Point {
	return Point{t.X, t.Y}
}

// A Tracker follows points according to its Options. Create one with [New]. It is safe for
// concurrent use.
type Tracker struct {
	made   option.Made
	opts   Options   // with the defaults
	limits limits    // made of them
	pool   sync.Pool // of *job
}

// New returns a Tracker. It fails if an option is out of range; the error names the field.
func New(opts Options) (*Tracker, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	t := &Tracker{made: true, opts: opts, limits: newLimits(&opts)}
	t.pool.New = func() any { return newJob(t) }
	return t, nil
}

// check panics unless t was made by New.
func (t *Tracker) check() {
	t.made.Require("flow", "Tracker", "New")
}

// Options returns the options of t, with defaults filled in and negative numbers replaced by what
// they stand for.
func (t *Tracker) Options() Options {
	t.check()
	return t.opts
}

// Track returns where the points of the image of a are in the image of b: a Track for each of them,
// in the same order. The search for a point begins at its guess, a position in the image of b, or
// if guesses is nil, at the same position relative to the upper left pixel. Points may lie outside
// the image.
//
// Track panics if a Pyramid is nil or the zero value, if the images have different sizes, if the
// levels of a Pyramid differ from those that this Tracker makes, or if guesses is not nil and
// differs in length from points. It does not change the Pyramids. They refer to the pixels of their
// images, which must not have changed since the Pyramids were made.
func (t *Tracker) Track(a, b *Pyramid, points, guesses []Point) []Track {
	return t.AppendTrack(nil, a, b, points, guesses)
}

// AppendTrack is like Track but appends to dst. With one worker it does not allocate in the steady
// state if dst has room.
func (t *Tracker) AppendTrack(dst []Track, a, b *Pyramid, points, guesses []Point) []Track {
	t.check()
	t.checkPyramid(a)
	t.checkPyramid(b)
	if a.width() != b.width() || a.height() != b.height() {
		panic(fmt.Sprintf("flow: pyramids of images of %d by %d and of %d by %d pixels", a.width(), a.height(), b.width(), b.height()))
	}
	if guesses != nil && len(guesses) != len(points) {
		panic(fmt.Sprintf("flow: %d guesses for %d points", len(guesses), len(points)))
	}
	n := len(dst)
	dst = slices.Grow(dst, len(points))[:n+len(points)]
	j := t.pool.Get().(*job)
	j.first, j.second = a, b
	j.points, j.guesses, j.tracks = points, guesses, dst[n:]
	j.run()
	j.release()
	return dst
}

// checkPyramid panics unless p has the levels that t makes.
func (t *Tracker) checkPyramid(p *Pyramid) {
	option.Made(p != nil && len(p.levels) > 0).Require("flow", "Pyramid", "a Tracker")
	if n := t.levels(p.width(), p.height()); n != len(p.levels) {
		panic(fmt.Sprintf("flow: pyramid with %d levels, not %d", len(p.levels), n))
	}
}

// Pyramid returns a Pyramid of img. It refers to the pixels of img, which are the first level and
// must not change while the Pyramid is in use. It panics if img is nil or malformed.
func (t *Tracker) Pyramid(img *image.Gray) *Pyramid {
	return t.PyramidInto(new(Pyramid), img)
}

// PyramidInto is like Pyramid but reuses the memory of dst, which may be a zero Pyramid, and
// returns dst. With one worker, it does not allocate if the previous image of dst was not smaller.
// It panics if img is nil or malformed, or if dst is nil.
func (t *Tracker) PyramidInto(dst *Pyramid, img *image.Gray) *Pyramid {
	t.check()
	dst.reset(t, img)
	return dst
}
