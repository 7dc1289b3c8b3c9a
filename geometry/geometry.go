package geometry

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/pixel"
)

// A Point is a place in an image, in pixels. The centers of pixels have integer coordinates.
type Point struct{ X, Y float64 }

// Pt returns the pixel nearest to X and Y, with math.MaxInt32 for a coordinate that is NaN or
// does not fit in 32 bits.
func (p Point) Pt() image.Point {
	return pixel.Nearest(p.X, p.Y)
}

// Position returns X and Y, rounded to float32.
func (p Point) Position() (x, y float32) {
	return float32(p.X), float32(p.Y)
}

// A Kind is a set of transforms, each of which contains those before it. The zero value means
// the default of the package that takes it; in this package, that is Homography.
type Kind uint8

const (
	// Translation is a shift. It is determined by 1 pair.
	Translation Kind = iota + 1
	// Rigid is rotation and shift, which preserve all distances. It is determined by 2 pairs, which
	// overdetermine it by one coordinate.
	Rigid
	// Similarity is rotation, scale and shift. It is determined by 2 pairs.
	Similarity
	// Affine is any linear map and shift: rotation, scale, shear, reflection and shift. It is
	// determined by 3 pairs.
	Affine
	// Homography is any projective map: between views of a plane from two places, or of anything
	// from one place. It is determined by 4 pairs.
	Homography
)

var kindNames = option.Enum[Kind]{"default", "translation", "rigid", "similarity", "affine", "homography"}

// String returns the name of k, such as "homography".
func (k Kind) String() string { return kindNames.String(k) }

// MarshalText returns the name of k. It fails if k is not a Kind of this package.
func (k Kind) MarshalText() ([]byte, error) { return kindNames.MarshalText(k) }

// UnmarshalText sets k to the Kind named by text. It fails if there is no such Kind.
func (k *Kind) UnmarshalText(text []byte) error { return kindNames.UnmarshalText(k, text) }

// Pairs returns the number of pairs that determine a transform of the kind: 1, 2, 2, 3 or 4.
// It panics if the kind is unknown.
func (k Kind) Pairs() int {
	return [...]int{Translation: 1, Rigid: 2, Similarity: 2, Affine: 3, Homography: 4}[k.orDefault()]
}

// orDefault returns k, or the default if k is 0. It panics unless k has a name.
func (k Kind) orDefault() Kind {
	if !kindNames.Has(k) {
		panic(fmt.Sprintf("geometry: unknown Kind %d", uint8(k)))
	}
	return cmp.Or(k, Homography)
}

// These errors explain why there is no transform.
var (
	// ErrPairs means that there are fewer pairs than the required number of inliers.
	ErrPairs = errors.New("geometry: too few pairs")
	// ErrSupport means that no transform has enough inliers in enough places.
	ErrSupport = errors.New("geometry: too few pairs agree with any transform")
	// ErrDegenerate means that the points are all on a line or, for a similarity or a rigid
	// transform, at one place, so that many transforms fit.
	ErrDegenerate = errors.New("geometry: the points do not determine a transform")
)

// A Fit is the transform that most pairs agree with.
type Fit struct {
	// Transform maps points of A to points of B.
	Transform Transform
	// Inliers is the number of pairs that agree.
	Inliers int
	// Samples is the number of samples that were tried.
	Samples int
}

// An Estimator finds transforms according to its Options. Create one with New. It is safe for
// concurrent use.
type Estimator struct {
	made option.Made
	opts Options // with the defaults
}

// New returns an Estimator. It fails if an option is out of range; the error names the field.
func New(opts Options) (*Estimator, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	return &Estimator{true, opts}, nil
}

// check panics unless e was made by New.
func (e *Estimator) check() {
	e.made.Require("geometry", "Estimator", "New")
}

// Options returns the options of e, with defaults filled in.
func (e *Estimator) Options() Options {
	e.check()
	return e.opts
}

// jobs are made once and used again.
var jobs = sync.Pool{New: func() any { return new(job) }}

// Estimate returns the transform that maps as many points of a as possible to the points of b with
// the same index. It sets inliers[i] to whether pair i agrees, unless inliers is nil. If distances
// is not nil, distances[i] is the distance between the descriptors of pair i, or any other number
// that is smaller for pairs that are more likely to be correct: the order of the distances
// determines which pairs are tried first.
//
// Pairs are ignored, and are never inliers, if the distance is NaN, or a coordinate is NaN or
// exceeds 2^24 in magnitude. The order of the pairs makes no difference.
//
// If there is no such transform, the error is ErrPairs, ErrSupport or ErrDegenerate, the Fit is
// zero and there are no inliers. Estimate panics if a and b, or distances or inliers that are not
// nil, have different lengths. It does not allocate in the steady state.
func (e *Estimator) Estimate(a, b []Point, distances []float64, inliers []bool) (Fit, error) {
	e.check()
	checkPairs(a, b)
	if distances != nil && len(distances) != len(a) {
		panic(fmt.Sprintf("geometry: %d distances for %d pairs", len(distances), len(a)))
	}
	if inliers != nil && len(inliers) != len(a) {
		panic(fmt.Sprintf("geometry: room for %d inliers of %d pairs", len(inliers), len(a)))
	}
	clear(inliers)
	j := jobs.Get().(*job)
	fit, err := j.estimate(&e.opts, a, b, distances)
	if err == nil && inliers != nil {
		j.mark(inliers)
	}
	jobs.Put(j)
	return fit, err
}

// checkPairs panics unless there are as many points of B as of A.
func checkPairs(a, b []Point) {
	if len(a) != len(b) {
		panic(fmt.Sprintf("geometry: %d points of A, but %d of B", len(a), len(b)))
	}
}
