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
// more different sizes. That takes about 20 times as long:
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
//   - For a series of images, RegisterInto, which reuses the memory of a Result.
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
	// zero, CrossCheck is set and, with SIFT, a Ratio of 0.8. With SIFT, MaxDistance is squared.
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
	opts      Options // with the defaults
	estimator *geometry.Estimator
	pool      sync.Pool // of finder
}

// New returns a Registrar. It fails if an option is out of range, with the error of the package
// that the option belongs to.
func New(opts Options) (*Registrar, error) {
	opts.setDefaults()
	r := new(Registrar)
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
	return r, nil
}

// useORB has r find keypoints by package orb. It sets what the packages' options are.
func (r *Registrar) useORB(opts *Options) error {
	extractor, err := orb.New(opts.ORB)
	if err != nil {
		return err
	}
	matcher, err := match.New[match.Descriptor](opts.Match)
	if err != nil {
		return err
	}
	opts.ORB, opts.Match = extractor.Options(), matcher.Options()
	r.pool.New = func() any {
		return &features[match.Descriptor]{extractor: extractor, matcher: matcher}
	}
	return nil
}

// useSIFT has r find keypoints by package sift. It sets what the packages' options are.
func (r *Registrar) useSIFT(opts *Options) error {
	extractor, err := sift.New(*opts.SIFT)
	if err != nil {
		return err
	}
	matcher, err := match.New[match.Vector](opts.Match)
	if err != nil {
		return err
	}
	o := extractor.Options()
	opts.ORB, opts.SIFT, opts.Match = orb.Options{}, &o, matcher.Options()
	r.pool.New = func() any {
		return &features[match.Vector]{extractor: extractor, matcher: matcher}
	}
	return nil
}

// check panics unless r was made by New.
func (r *Registrar) check() {
	option.RequireMade(r.pool.New != nil, "register", "Registrar", "New")
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

// A Result is what Register found out about two images, A and B.
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

// Register returns the transform between two images of any size and type.
//
// If there is none, the error is geometry.ErrPairs, geometry.ErrSupport or geometry.ErrSpread, and
// the Result has the keypoints and matches that were found. Register panics if an image is nil or
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
	if a == nil || b == nil {
		panic("register: nil image")
	}
	if dst == nil {
		panic("register: nil Result")
	}
	f := r.pool.Get().(finder)
	err := f.find(dst, r.estimator, a, b)
	r.pool.Put(f)
	return err
}

// A finder finds the transform between two images, in memory of its own.
type finder interface {
	find(dst *Result, e *geometry.Estimator, a, b image.Image) error
}

// features finds keypoints with descriptors of type D.
type features[D match.Descriptor | match.Vector] struct {
	extractor interface {
		Append(kps []point.Keypoint, descs []D, img, mask *image.Gray) ([]point.Keypoint, []D)
	}
	matcher interface {
		Append(dst []match.Match, query, train []D) []match.Match
	}
	gray         image.Gray // of an image of another type
	query, train []D
	support      support
}

func (f *features[D]) find(dst *Result, e *geometry.Estimator, a, b image.Image) error {
	dst.A, f.query = f.extract(dst.A[:0], f.query[:0], a)
	dst.B, f.train = f.extract(dst.B[:0], f.train[:0], b)
	dst.Matches = f.matcher.Append(dst.Matches[:0], f.query, f.train)
	return f.support.estimate(e, dst)
}

// extract appends the keypoints and descriptors of an image.
func (f *features[D]) extract(kps []point.Keypoint, descs []D, img image.Image) ([]point.Keypoint, []D) {
	return f.extractor.Append(kps, descs, fast.GrayInto(&f.gray, img), nil)
}

// support is the memory in which it is found which matches agree.
type support struct {
	a, b      []geometry.Point
	distances []float64
	inliers   []bool
	others    []match.Match
}

// estimate sets what a result's matches tell.
func (s *support) estimate(e *geometry.Estimator, dst *Result) error {
	s.a, s.b, s.distances = geometry.AppendPairs(s.a[:0], s.b[:0], s.distances[:0], dst.A, dst.B, dst.Matches)
	s.inliers = append(s.inliers[:0], make([]bool, len(dst.Matches))...)
	fit, err := e.Estimate(s.a, s.b, s.distances, s.inliers)
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
