// Package compact finds keypoints and describes them by 32 bits each, with little work. This program
// prints the keypoints and descriptors of a photo:
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
//		"github.com/fastcorners/fast/orb/compact"
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		extractor, err := compact.New(compact.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		keypoints, descriptors := extractor.Extract(fast.Gray(img))
//		for i, k := range keypoints {
//			fmt.Printf("%v %.0f %032b\n", k.Pt(), k.Angle, descriptors[i])
//		}
//	}
//
// It is the reduced ORB that Chang, Lee and Truong designed for a GPU ("How to write fast code: ORB
// algorithm", course report, 2019): it uses a single scale, does not smooth the image, and takes the
// first corners that it finds, so keypoints crowd at the top of an image. Package orb finds better
// ones. A match.Matcher of match.Descriptor32 matches the descriptors.
//
// # The algorithm
//
// Where the report is silent or contradicts itself, this is the definition:
//
//   - Keypoints are the FAST-9 corners x, y, without suppression, that are at least 10 pixels
//     inside the image: 10 <= x < width-10 and 10 <= y < height-10. The first 128 in raster order
//     are used.
//   - The patch of a keypoint has 10 rows of 10 pixels, from the lowest row up: entry 10*r+c, with
//     r and c from 0 to 9, is the pixel x-4+c, y+4-r. The first 96 entries are used.
//   - The angle is the direction of the vector of two sums over the entries used: of c-4 and of
//     4-r, each times the gray value. Package orb computes its angle from moments in the same way.
//   - There are 32 tests of two points: the first ones that Rublee et al. learned for patches of 31
//     pixels, with coordinates multiplied by 4/13. The points rotate with the angle like those of
//     package orb, all in float32, and are rounded to the nearest integers, half to even. A point
//     x, y is then in column x+4 and row 4-y, each clamped to 0 to 9. Its value is that of this
//     entry, or of entry 95 if the entry is not used.
//   - Bit i of the descriptor is set if the first point of test i is brighter than the
//     second.
//
// Results are the same on every platform. OpenCV has no counterpart.
package compact

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"sync"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/degrees"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/point"
)

// Options specify which keypoints an Extractor finds. The zero value has the defaults.
type Options struct {
	// FASTThreshold is the threshold of the corners, a difference of gray values, 1 to
	// 254. 0 means 20.
	FASTThreshold int
	// Features is the number of keypoints wanted, which is also the largest. It is positive; 0 means
	// 128.
	Features int
}

// An Extractor finds and describes keypoints according to its Options. Create one with New. It is
// safe for concurrent use.
type Extractor struct {
	made      option.Made
	features  int
	detector  *fast.Detector
	rotations *rotations
	pool      sync.Pool // of *job
}

// New returns an Extractor. It fails if an option is out of range. The first call makes a table of
// about 120 KB, which all Extractors share.
func New(opts Options) (*Extractor, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	detector, err := fast.New(fast.Options{Threshold: uint8(opts.FASTThreshold), ArcLength: 9})
	if err != nil {
		return nil, err
	}
	e := &Extractor{made: true, features: opts.Features, detector: detector, rotations: sharedRotations()}
	e.pool.New = func() any { return new(job) }
	return e, nil
}

// maxThreshold is the largest threshold: there are no corners above it.
const maxThreshold = 254

// setDefaults replaces the fields that are 0 by what they mean.
func (o *Options) setDefaults() {
	o.FASTThreshold = cmp.Or(o.FASTThreshold, 20)
	o.Features = cmp.Or(o.Features, 128)
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *Options) check() error {
	fields := option.Fields{Package: "compact", Type: "Options"}
	switch {
	case o.FASTThreshold < 1 || o.FASTThreshold > maxThreshold:
		return fields.OutOfRange("FASTThreshold", o.FASTThreshold, fmt.Sprintf("1 to %d", maxThreshold))
	case o.Features < 1:
		return fields.OutOfRange("Features", o.Features, "1 or more")
	}
	return nil
}

// Options returns the options of e, with defaults filled in.
func (e *Extractor) Options() Options {
	e.check()
	return Options{FASTThreshold: int(e.detector.Options().Threshold), Features: e.features}
}

// check panics unless New has made e.
func (e *Extractor) check() {
	e.made.Require("compact", "Extractor", "New")
}

// Extract returns the keypoints of img, in raster order, and a descriptor for each. The
// size of each keypoint is 10, and its response and octave are 0. Extract panics if img is
// nil or malformed.
func (e *Extractor) Extract(img *image.Gray) ([]point.Keypoint, []match.Descriptor32) {
	return e.Append(nil, nil, img)
}

// Append is like Extract but appends to kps and descs. It does not allocate in the steady state if
// both have room.
func (e *Extractor) Append(kps []point.Keypoint, descs []match.Descriptor32, img *image.Gray) ([]point.Keypoint, []match.Descriptor32) {
	e.check()
	j := e.pool.Get().(*job)
	plane := newPlane(img)
	j.find(e, plane)
	kps, descs = j.describe(e, kps, descs, plane, img.Rect.Min)
	j.band, j.patchRun.pix = image.Gray{}, nil
	e.pool.Put(j)
	return kps, descs
}

// newPlane returns the pixels of img. It panics if img is nil or malformed, and if its rows overlap:
// assembly reads beyond the end of a row that is not the last one.
func newPlane(img *image.Gray) raster.Plane {
	p := raster.NewPlane("compact", img)
	p.RequireRows("compact", "image")
	return p
}

// A job is the memory of a call, for one image. It is used again for others.
type job struct {
	band    image.Gray // some rows of the image
	corners []fast.Corner

	// Several keypoints are described at once, so that the processor can work on others
	// while it waits for the angle of one.
	patches [32]patch
	places  places // at an angle that the table lacks

	patchRun      patchRun
	comparisonRun comparisonRun
}

const (
	// edge is the distance from the edges within which there are no keypoints.
	edge = 10
	// bandRows is the number of rows that are searched for corners at once. They are
	// few, since most images have enough corners in the first ones.
	bandRows = 16
	// fastRadius is the radius of the ring of FAST.
	fastRadius = 3
)

// find finds the corners.
func (j *job) find(e *Extractor, img raster.Plane) {
	j.corners = j.corners[:0]
	inside := image.Rect(0, 0, img.W, img.H).Inset(edge)
	if inside.Empty() {
		return
	}
	for band := inside; band.Min.Y < inside.Max.Y && len(j.corners) < e.features; band.Min.Y += bandRows {
		band.Max.Y = min(band.Min.Y+bandRows, inside.Max.Y)
		r := band.Inset(-fastRadius)
		j.band = image.Gray{Pix: img.Pix[r.Min.Y*img.Stride+r.Min.X:], Stride: img.Stride, Rect: r}
		j.corners = e.detector.Append(j.corners, &j.band)
	}
	j.corners = j.corners[:min(len(j.corners), e.features)]
}

// describe appends the keypoints at the corners, and their descriptors. The upper left
// pixel of the image has the coordinates origin.
func (j *job) describe(e *Extractor, kps []point.Keypoint, descs []match.Descriptor32, img raster.Plane, origin image.Point) ([]point.Keypoint, []match.Descriptor32) {
	k := table.Best()
	read, compare := &j.patchRun, &j.comparisonRun
	read.stride, read.weights = img.Stride, &patchWeights
	for batch := range slices.Chunk(j.corners, len(j.patches)) {
		n := len(kps)
		kps = slices.Grow(kps, len(batch))[:n+len(batch)]
		for i, corner := range batch {
			read.pix = img.Pix[(int(corner.Y)-patchAbove)*img.Stride+int(corner.X)-patchLeft:]
			read.patch = &j.patches[i]
			k.readPatch(read)
			kps[n+i] = point.Keypoint{
				X:     float32(corner.X) + float32(origin.X),
				Y:     float32(corner.Y) + float32(origin.Y),
				Size:  patchSide,
				Angle: degrees.Direction(read.m10, read.m01),
			}
		}
		for i, kp := range kps[n:] {
			compare.patch, compare.places = &j.patches[i], e.rotations.at(kp.Angle)
			if compare.places == nil {
				j.places = placesAt(kp.Angle)
				compare.places = &j.places
			}
			k.comparePatch(compare)
			descs = append(descs, match.Descriptor32(compare.bits))
		}
	}
	return kps, descs
}
