package method

import (
	"image"

	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/register"
)

// A Matcher is a method whose keypoints can be matched.
type Matcher interface {
	Method
	// Pairing returns how keypoints are matched, after Prepare.
	Pairing(opts match.Options) (Pairing, error)
	// ListsWith is Lists with further bytes for each keypoint.
	ListsWith(bytes float64, img *image.Gray, worst bool) int64
}

// Matching lists the methods that are of type Matcher. The first one is the default.
var Matching = []Info{orbInfo, siftInfo}

// A Pairing is how keypoints of two images are found and matched.
type Pairing struct {
	Pair    func(query, train *image.Gray) register.Result // without a transform
	Options register.Options                               // for the same
}

// pairsBy returns the function of a Pairing, which extracts keypoints with descriptors of type D,
// and matches these.
func pairsBy[D any](
	extract func(img, mask *image.Gray) ([]point.Keypoint, []D), match func(query, train []D) []match.Match,
) func(query, train *image.Gray) register.Result {
	return func(query, train *image.Gray) register.Result {
		a, queries := extract(query, nil)
		b, trains := extract(train, nil)
		return register.Result{A: a, B: b, Matches: match(queries, trains)}
	}
}
