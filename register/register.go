// Package register finds the transform between two images of the same thing: a page and its scan,
// two photos of a panorama, or an object and a picture that contains it. This program prints where
// in the second image a point of the first one is:
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
//		"github.com/fastcorners/fast/geometry"
//		"github.com/fastcorners/fast/register"
//	)
//
//	func main() {
//		var images [2]image.Image
//		for i := range images {
//			file, err := os.Open(os.Args[1+i])
//			if err != nil {
//				log.Fatal(err)
//			}
//			if images[i], _, err = image.Decode(file); err != nil {
//				log.Fatal(err)
//			}
//		}
//		registrar, err := register.New(register.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		result, err := registrar.Register(images[0], images[1])
//		if err != nil {
//			log.Fatal(err) // the images have nothing in common
//		}
//		p := result.Transform.Apply(geometry.Point{X: 100, Y: 80})
//		fmt.Println("the point 100, 80 of the first image is in the second one at", p)
//	}
//
// A [Registrar] describes keypoints of both images with package orb and matches them with package match; then
// package geometry finds the transform that most matches agree with. If the images have nothing in
// common, it returns an error rather than a guess. The result is the same on every platform.
//
// With package sift, it also finds the transform between images from more distant viewpoints, or at
// more different sizes. That takes many times as long:
//
//	wide := sift.Wide()
//	r, err := register.New(register.Options{SIFT: &wide})
//
// Package warp moves one image onto the other: warp.Of(result.Transform) fills a picture that has
// the bounds of a with the pixels of b. Package overlay draws the matches:
//
//	picture, shift := overlay.SideBySide(a, b)
//	overlay.Matches(picture, result.A, result.B, shift, result.Matches[:result.Inliers])
//
// # Options by use
//
//   - For photos and scans, the zero Options: a homography.
//   - For maps, scans and frames of one scale, Options.Geometry.Kind: Similarity, Rigid or Affine.
//   - For different viewpoints, sizes and lighting, Options.SIFT.
//   - For one image and many others, Features of each, and Match.
//   - For parts of images, Features with masks, and Match.
//   - For a series of images, the methods that end in Into, which reuse memory.
//
// # OpenCV
//
// OpenCV has the individual steps, but no single call for them.
//
// # Speed
//
// See the [measurements] of packages orb, sift, match and geometry.
//
// [measurements]: https://github.com/fastcorners/fast/tree/main/evaluation/results
package register

import (
	"cmp"
	"fmt"
	"image"
	"sync"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/sift"
)

// Options control how a Registrar finds transforms. The zero value finds a homography from 1000
// keypoints of each image.
type Options struct {
	// ORB specifies how keypoints are found and described. Its zero values have the defaults of
	// package orb, but ORB.Features of 0 means 1000. ORB is ignored if SIFT is not nil.
	ORB orb.Options
	// SIFT, if not nil, makes package sift find and describe the keypoints, with these options.
	SIFT *sift.Options
	// Match specifies how descriptors are matched. If CrossCheck, Ratio and MaxDistance are all
	// zero, CrossCheck is set and, with SIFT, a Ratio of 0.8. With SIFT, distances are squared.
	// Hamming2 is ignored, since ORB.PointsPerBit determines it.
	Match match.Options
	// Geometry specifies which transform to find, and how. Its zero values have the defaults of
	// package geometry: a homography that fits to within 3 pixels.
	Geometry geometry.Options
}

// setDefaults puts numbers in place of the defaults.
func (o *Options) setDefaults() {
	o.ORB.Features = cmp.Or(o.ORB.Features, 1000)
	o.Match.Hamming2 = o.SIFT == nil && o.ORB.PointsPerBit > 2
	if m := &o.Match; !m.CrossCheck && m.Ratio == 0 && m.MaxDistance == 0 {
		m.CrossCheck = true
		if o.SIFT != nil {
			m.Ratio = 0.8
		}
	}
}

// A Registrar finds transforms according to its Options. Create one with New. It is safe for
// concurrent use.
type Registrar struct {
	made      option.Made
	opts      Options // with the defaults
	orb       *orb.Extractor
	binary    *match.Matcher[match.Descriptor]
	sift      *sift.Extractor // nil without Options.SIFT, with which those of orb are nil
	vectors   *match.Matcher[match.Vector]
	estimator *geometry.Estimator
	pool      sync.Pool // of *scratch
}

// New returns a Registrar. It fails if an option is out of range, with the error of the package
// that the option belongs to.
func New(opts Options) (*Registrar, error) {
	opts.setDefaults()
	r := &Registrar{made: true}
	var err error
	if opts.SIFT == nil {
		err = r.useORB(&opts)
	} else {
		err = r.useSIFT(&opts)
	}
	if err != nil {
		return nil, err
	}
	if r.estimator, err = geometry.New(opts.Geometry); err != nil {
		return nil, err
	}
	opts.Geometry = r.estimator.Options()
	r.opts = opts
	r.pool.New = func() any { return new(scratch) }
	return r, nil
}

// useORB has r find keypoints by package orb. It sets what the packages' options are.
func (r *Registrar) useORB(opts *Options) (err error) {
	if r.orb, err = orb.New(opts.ORB); err != nil {
		return err
	}
	if r.binary, err = match.New[match.Descriptor](opts.Match); err != nil {
		return err
	}
	opts.ORB, opts.Match = r.orb.Options(), r.binary.Options()
	return nil
}

// useSIFT has r find keypoints by package sift. It sets what the packages' options are.
func (r *Registrar) useSIFT(opts *Options) (err error) {
	if r.sift, err = sift.New(*opts.SIFT); err != nil {
		return err
	}
	if r.vectors, err = match.New[match.Vector](opts.Match); err != nil {
		return err
	}
	o := r.sift.Options()
	opts.ORB, opts.SIFT, opts.Match = orb.Options{}, &o, r.vectors.Options()
	return nil
}

// check panics unless r was made by New.
func (r *Registrar) check() {
	r.made.Require("register", "Registrar", "New")
}

// Options returns the options of r, with defaults filled in and negative numbers replaced by what
// they stand for. With SIFT, those of ORB are zero.
func (r *Registrar) Options() Options {
	r.check()
	o := r.opts
	if o.SIFT != nil {
		s := *o.SIFT
		o.SIFT = &s
	}
	return o
}

// Features are the keypoints of an image and their descriptors. Those that a Registrar finds can be
// matched with those of any number of other images, also concurrently.
type Features struct {
	Keypoints []point.Keypoint
	// Descriptors has the descriptor of each keypoint, unless Options.SIFT is set.
	Descriptors []match.Descriptor
	// Vectors has the descriptor of each keypoint if Options.SIFT is set.
	Vectors []match.Vector
}

// Features returns the features of an image of any size and type. There are none where the mask is
// 0; a nil mask excludes nothing. Features panics if img is nil, if img or mask is malformed, and if
// they have different bounds.
func (r *Registrar) Features(img image.Image, mask *image.Gray) *Features {
	return r.FeaturesInto(new(Features), img, mask)
}

// FeaturesInto is like Features but stores the features in dst, reusing its memory, and returns dst.
// If the image is of type *image.Gray, it does not allocate in the steady state with one worker. It
// also panics if dst is nil.
func (r *Registrar) FeaturesInto(dst *Features, img image.Image, mask *image.Gray) *Features {
	r.check()
	checkImage(img)
	if dst == nil {
		panic("register: nil Features")
	}
	s := r.pool.Get().(*scratch)
	r.find(dst, s, img, mask)
	r.pool.Put(s)
	return dst
}

// find stores the features of an image in dst.
func (r *Registrar) find(dst *Features, s *scratch, img image.Image, mask *image.Gray) {
	gray := fast.GrayInto(&s.gray, img)
	dst.Keypoints, dst.Descriptors, dst.Vectors = dst.Keypoints[:0], dst.Descriptors[:0], dst.Vectors[:0]
	if r.sift != nil {
		dst.Keypoints, dst.Vectors = r.sift.Append(dst.Keypoints, dst.Vectors, gray, mask)
	} else {
		dst.Keypoints, dst.Descriptors = r.orb.Append(dst.Keypoints, dst.Descriptors, gray, mask)
	}
}

// A Result is what Register and Match find out about two images, A and B.
type Result struct {
	// Transform maps points of A to points of B. It is zero if there is an error.
	Transform geometry.Transform
	// Inliers is the number of matches that agree with Transform.
	Inliers int
	// A and B are the keypoints of the images.
	A, B []point.Keypoint
	// Matches are the matches between A, the query set, and B, the train set. The first Inliers of
	// them agree with Transform, and the others do not; both parts are in the order of Query.
	Matches []match.Match
}

// Register returns the transform between two images of any size and type. It is Match of their
// Features, which can have masks to leave out parts of an image.
//
// If there is none, the error is geometry.ErrPairs, geometry.ErrSupport or geometry.ErrDegenerate,
// and the Result has the keypoints and matches that were found. Register panics if an image is nil or
// malformed.
func (r *Registrar) Register(a, b image.Image) (Result, error) {
	var result Result
	err := r.RegisterInto(&result, a, b)
	return result, err
}

// RegisterInto is like Register but stores the Result in dst, reusing its memory. If the images are
// of type *image.Gray, it does not allocate in the steady state with one worker. It also panics if
// dst is nil.
func (r *Registrar) RegisterInto(dst *Result, a, b image.Image) error {
	r.check()
	checkImage(a)
	checkImage(b)
	checkResult(dst)
	s := r.pool.Get().(*scratch)
	r.find(&s.a, s, a, nil)
	r.find(&s.b, s, b, nil)
	err := r.match(dst, s, &s.a, &s.b)
	r.pool.Put(s)
	return err
}

// Match returns the transform between two images whose features are given. The Result has copies of
// the keypoints. Match panics if a or b is nil, or if its numbers of keypoints and of descriptors
// differ, as those of a Registrar with other descriptors do. Errors are those of Register.
func (r *Registrar) Match(a, b *Features) (Result, error) {
	var result Result
	err := r.MatchInto(&result, a, b)
	return result, err
}

// MatchInto is like Match but stores the Result in dst, reusing its memory. It does not allocate in
// the steady state with one worker. It also panics if dst is nil.
func (r *Registrar) MatchInto(dst *Result, a, b *Features) error {
	r.check()
	r.checkFeatures(a)
	r.checkFeatures(b)
	checkResult(dst)
	s := r.pool.Get().(*scratch)
	err := r.match(dst, s, a, b)
	r.pool.Put(s)
	return err
}

// match stores the Result of features in dst.
func (r *Registrar) match(dst *Result, s *scratch, a, b *Features) error {
	dst.A, dst.B = append(dst.A[:0], a.Keypoints...), append(dst.B[:0], b.Keypoints...)
	if r.sift != nil {
		dst.Matches = r.vectors.Append(dst.Matches[:0], a.Vectors, b.Vectors)
	} else {
		dst.Matches = r.binary.Append(dst.Matches[:0], a.Descriptors, b.Descriptors)
	}
	return s.estimate(r.estimator, dst)
}

// checkImage panics if there is no image.
func checkImage(img image.Image) {
	if img == nil {
		panic("register: nil image")
	}
}

// checkResult panics if there is no Result.
func checkResult(dst *Result) {
	if dst == nil {
		panic("register: nil Result")
	}
}

// checkFeatures panics unless there are features with descriptors as r has them.
func (r *Registrar) checkFeatures(f *Features) {
	if f == nil {
		panic("register: nil Features")
	}
	n, name := len(f.Descriptors), "Descriptors"
	if r.sift != nil {
		n, name = len(f.Vectors), "Vectors"
	}
	if n != len(f.Keypoints) {
		panic(fmt.Sprintf("register: Features of %d Keypoints and %d %s", len(f.Keypoints), n, name))
	}
}

// A scratch is the memory of a call.
type scratch struct {
	gray image.Gray // of an image of another type
	a, b Features

	// To find out which matches agree.
	from, to  []geometry.Point
	distances []float64
	inliers   []bool
	others    []match.Match
}

// estimate sets what a result's matches tell.
func (s *scratch) estimate(e *geometry.Estimator, dst *Result) error {
	s.from, s.to, s.distances = geometry.AppendPairs(s.from[:0], s.to[:0], s.distances[:0], dst.A, dst.B, dst.Matches)
	s.inliers = append(s.inliers[:0], make([]bool, len(dst.Matches))...)
	fit, err := e.Estimate(s.from, s.to, s.distances, s.inliers)
	dst.Transform, dst.Inliers = fit.Transform, fit.Inliers

	n := 0
	s.others = s.others[:0]
	for i, m := range dst.Matches {
		if s.inliers[i] {
			dst.Matches[n] = m
			n++
		} else {
			s.others = append(s.others, m)
		}
	}
	copy(dst.Matches[n:], s.others)
	return err
}
