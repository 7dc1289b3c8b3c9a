// Package register finds the transform between two images of the same thing: a page and its
// scan, two photos of a panorama, or an object and a picture that it is in.
//
//	r, err := register.New(register.Options{})
//	result, err := r.Register(a, b)
//	q := result.Transform.Apply(p) // where the point p of a is in b
//
// It describes keypoints of both images by package orb, matches them by package match, and has
// package geometry find the transform that most matches agree with. Where images have nothing
// in common, there is an error, not a guess. The result is the same on every platform.
//
// Package warp moves one image onto the other: warp.Of(result.Transform) takes the pixels of a
// picture with the bounds of a from b. Package overlay draws the matches:
//
//	picture, shift := overlay.SideBySide(a, b)
//	overlay.Matches(picture, result.A, result.B, shift, result.Matches[:result.Inliers])
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
)

// Options say how a Registrar finds transforms. The zero value finds a homography from 1000
// keypoints of each image.
type Options struct {
	// ORB says how keypoints are found and described. Its zero values have the defaults of
	// package orb, but ORB.Features of 0 means 1000.
	ORB orb.Options
	// Match says how descriptors are matched. If CrossCheck, Ratio and MaxDistance are all
	// zero, CrossCheck is set. Hamming2 is ignored: it follows from ORB.PointsPerBit.
	Match match.Options
	// Geometry says which transform is looked for, and how. Its zero values have the
	// defaults of package geometry: a homography that fits to within 3 pixels.
	Geometry geometry.Options
}

// setDefaults puts numbers in place of the defaults.
func (o *Options) setDefaults() {
	o.ORB.Features = cmp.Or(o.ORB.Features, 1000)
	o.Match.Hamming2 = o.ORB.PointsPerBit > 2
	if m := &o.Match; !m.CrossCheck && m.Ratio == 0 && m.MaxDistance == 0 {
		m.CrossCheck = true
	}
}

// A Registrar finds transforms as its Options say. It is made by New and safe for concurrent
// use.
type Registrar struct {
	extractor *orb.Extractor
	matcher   *match.Matcher
	estimator *geometry.Estimator
	pool      sync.Pool // of *scratch
}

// New returns a Registrar. It fails if an option is out of range; the error is that of the
// package whose option it is.
func New(opts Options) (*Registrar, error) {
	opts.setDefaults()
	extractor, err := orb.New(opts.ORB)
	if err != nil {
		return nil, err
	}
	matcher, err := match.New(opts.Match)
	if err != nil {
		return nil, err
	}
	estimator, err := geometry.New(opts.Geometry)
	if err != nil {
		return nil, err
	}
	r := &Registrar{extractor: extractor, matcher: matcher, estimator: estimator}
	r.pool.New = func() any { return new(scratch) }
	return r, nil
}

// check panics unless r was made by New.
func (r *Registrar) check() {
	option.RequireMade(r.pool.New != nil, "register", "Registrar", "New")
}

// Options returns the options of r, with numbers in place of the defaults and of the negative
// numbers that stand for others.
func (r *Registrar) Options() Options {
	r.check()
	return Options{r.extractor.Options(), r.matcher.Options(), r.estimator.Options()}
}

// A Result is what is known about two images, A and B.
type Result struct {
	// Transform maps points of A to points of B. It is zero if there is an error.
	Transform geometry.Transform
	// Inliers is the number of matches that agree with Transform.
	Inliers int
	// A and B are the keypoints of the images.
	A, B []orb.Keypoint
	// Matches are those of A, the query set, with B, the train set. The first Inliers of
	// them agree with Transform and the others do not; both are in the order of Query.
	Matches []match.Match
}

// Register returns the transform between two images, which have any sizes and types.
//
// If there is none the error is geometry.ErrPairs, geometry.ErrSupport or geometry.ErrSpread,
// and the Result has the keypoints and matches that were found. Register panics if an image is
// nil or malformed.
func (r *Registrar) Register(a, b image.Image) (Result, error) {
	var result Result
	err := r.RegisterInto(&result, a, b)
	return result, err
}

// RegisterInto is Register, making the Result in the memory that dst has. If the images are of
// type *image.Gray it does not allocate in the steady state, with one worker. It panics if dst is
// nil, too.
func (r *Registrar) RegisterInto(dst *Result, a, b image.Image) error {
	r.check()
	if a == nil || b == nil {
		panic("register: nil image")
	}
	if dst == nil {
		panic("register: nil Result")
	}
	s := r.pool.Get().(*scratch)
	dst.A, s.query = r.extractor.Append(dst.A[:0], s.query[:0], fast.GrayInto(&s.gray, a), nil)
	dst.B, s.train = r.extractor.Append(dst.B[:0], s.train[:0], fast.GrayInto(&s.gray, b), nil)
	dst.Matches = r.matcher.Append(dst.Matches[:0], s.query, s.train)
	err := s.estimate(r.estimator, dst)
	r.pool.Put(s)
	return err
}

// A scratch is the memory for two images.
type scratch struct {
	gray         image.Gray // of an image of another type
	query, train []match.Descriptor
	a, b         []geometry.Point
	distances    []float64
	inliers      []bool
	others       []match.Match
}

// estimate sets what a result's matches tell.
func (s *scratch) estimate(e *geometry.Estimator, dst *Result) error {
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
