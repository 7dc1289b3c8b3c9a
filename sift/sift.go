// Package sift finds and describes keypoints by the scale-invariant feature transform (D. Lowe,
// "Distinctive image features from scale-invariant keypoints", International Journal of Computer
// Vision 60, 2004). This program prints the keypoints and descriptors of a photo:
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
//		"github.com/fastcorners/fast/sift"
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		extractor, err := sift.New(sift.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		keypoints, descriptors := extractor.Extract(fast.Gray(img), nil)
//		for i, k := range keypoints {
//			fmt.Println(k.X, k.Y, k.Size, k.Angle, descriptors[i])
//		}
//	}
//
// The results are identical, bit for bit, to those of OpenCV 4.6's cv::SIFT on amd64 with AVX2: the
// same keypoints, in the same order, with the same descriptors. With Options.Features, the keypoints
// are the same, but not always their order: OpenCV leaves it to std::nth_element.
//
// SIFT keypoints can be matched between viewpoints that are farther apart, and sizes that differ
// more, than the keypoints of package orb, which takes a small fraction of the time. Package match
// finds the nearest descriptors.
//
// # Options by use
//
//   - For pairs of photos, the zero Options, and matches with CrossCheck and a Ratio of 0.8.
//   - For wide baselines, [Wide].
//   - For RootSIFT, Options.Root, or [Root] of descriptors.
//   - For a quarter of the memory, NoDoubling.
//
// # The algorithm
//
// The image is enlarged to twice its size and then blurred more and more. The blurred images are
// the layers of a pyramid; each octave begins with every second pixel of a layer of the previous
// octave. Keypoints are the extrema, in position and size, of the differences between adjacent
// layers; a parabola locates them between the pixels. Extrema with low contrast or on edges are
// dropped. A histogram of the gradient directions around a keypoint gives its angle, or several
// angles, each of which makes a separate keypoint. The descriptor holds 16 histograms, of eight
// bins each, of the gradient directions relative to that angle, in a patch that turns with it.
//
// Results are the same on every platform and for any number of workers. They require a fused
// multiply-add of float32, which portable Go and SSE2 lack and must emulate: there, Extract takes
// many times as long.
//
// # Memory
//
// An Extractor keeps its memory for the next image: with the default number of Layers, about 105
// bytes for each pixel, which is 33 MB for an image of 640 by 480 pixels, 220 MB for one of 1920 by
// 1080 pixels, and 1.7 GB for one of 16 million pixels. Describe needs about 90 bytes for each
// pixel, or up to 135 if a keypoint is in one of the last two layers, where Extract finds none. With
// Options.NoDoubling, all of this is a quarter.
//
// # OpenCV
//
// detectAndCompute is [Extractor.Extract], detect is [Extractor.Detect] and compute is
// [Extractor.Describe]. The arguments nfeatures, nOctaveLayers, contrastThreshold, edgeThreshold
// and sigma are Features, Layers, Contrast, Edge and Sigma of [Options].
//
// # Speed
//
// The [measurements] compare the package with OpenCV 4.6.
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/sift.md
package sift

import (
	"fmt"
	"image"
	"math"
	"sync"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/match"
)

// An Extractor finds and describes keypoints according to its Options. Create one with New. It is
// safe for concurrent use.
type Extractor struct {
	made    option.Made
	opts    Options     // with the defaults
	filters [2][]filter // of the layers, without and with doubling, which differ in the first one
	pool    sync.Pool   // of *job
}

// New returns an Extractor. It fails if an option is out of range.
func New(opts Options) (*Extractor, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	e := &Extractor{made: true, opts: opts}
	for i, doubled := range [...]bool{false, true} {
		e.filters[i] = append(e.filters[i], newFilter(baseSigma(opts.Sigma, doubled)))
		for layer := 1; layer < opts.Layers+3; layer++ {
			e.filters[i] = append(e.filters[i], newFilter(layerSigma(opts.Sigma, opts.Layers, layer)))
		}
	}
	e.pool.New = func() any { return newJob() }
	return e, nil
}

// Options returns the options of e, with defaults filled in and negative numbers replaced by what
// they stand for.
func (e *Extractor) Options() Options {
	e.check()
	return e.opts
}

// Extract returns the keypoints of img, and a descriptor for each. They are ordered by X, then by
// Y, then by size, largest first, then by angle. A keypoint is kept only if mask is not 0 at the
// nearest pixel; a nil mask excludes nothing. Extract panics if img is nil, if img or mask is
// malformed, if they have different bounds, and if a side of img is more than 65536 pixels.
func (e *Extractor) Extract(img, mask *image.Gray) ([]Keypoint, []match.Vector) {
	return e.Append(nil, nil, img, mask)
}

// Append is like Extract but appends to kps and descs. With one worker it does not allocate in the
// steady state if both have room.
func (e *Extractor) Append(kps []Keypoint, descs []match.Vector, img, mask *image.Gray) ([]Keypoint, []match.Vector) {
	j := e.job()
	j.detect(img, mask)
	first := len(descs)
	descs = append(descs, make([]match.Vector, len(j.found))...)
	j.describe(descs[first:])
	kps = j.appendKeypoints(kps, img.Rect.Min)
	j.release()
	return kps, descs
}

// Detect returns the keypoints of img as Extract does.
func (e *Extractor) Detect(img, mask *image.Gray) []Keypoint {
	j := e.job()
	j.detect(img, mask)
	kps := j.appendKeypoints(nil, img.Rect.Min)
	j.release()
	return kps
}

// Describe returns the descriptors of keypoints of img. It uses the coordinates, size, angle and
// octave of each keypoint, but not its Response. A descriptor is all zeros if one of these numbers
// is NaN or infinite, or if the size is not positive.
//
// As in OpenCV, the octave and the layer determine which blurred image is described, and the image
// is doubled only if a keypoint has octave -1. Otherwise, octave 0 begins with a different filter,
// so the descriptors differ slightly from those that Extract computes.
//
// Describe panics if img is nil, malformed, or has a side of more than 65536 pixels, and if a
// keypoint has an octave that is below -1 or has no pixels, or a layer above Options.Layers+2.
func (e *Extractor) Describe(kps []Keypoint, img *image.Gray) []match.Vector {
	return e.AppendDescribe(nil, kps, img)
}

// AppendDescribe is like Describe but appends to descs. With one worker it does not allocate in the
// steady state if descs has room.
func (e *Extractor) AppendDescribe(descs []match.Vector, kps []Keypoint, img *image.Gray) []match.Vector {
	j := e.job()
	j.load(kps, img)
	first := len(descs)
	descs = append(descs, make([]match.Vector, len(j.found))...)
	j.describe(descs[first:])
	j.release()
	return descs
}

// job returns a job for an image, which release puts back.
func (e *Extractor) job() *job {
	e.check()
	j := e.pool.Get().(*job)
	j.extractor = e
	return j
}

// check panics unless New has made e.
func (e *Extractor) check() {
	e.made.Require("sift", "Extractor", "New")
}

// maxSide is the largest side of an image. Positions in the doubled image are numbers in single precision,
// which are multiples of 1/128 pixel there.
const maxSide = 1 << 16

// newImage returns the pixels of img. It panics if img is nil, malformed or too large.
func newImage(img *image.Gray) raster.Plane {
	p := raster.NewPlane("sift", img)
	if max(p.W, p.H) > maxSide {
		panic(fmt.Sprintf("sift: image of %d by %d pixels, a side of more than %d", p.W, p.H, maxSide))
	}
	return p
}

// finite reports whether v is neither NaN nor infinite.
func finite(v float32) bool {
	return abs(v) <= math.MaxFloat32
}
