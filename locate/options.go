package locate

import (
	"cmp"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// Options specify what a Locator finds. The zero value finds places with a correlation of at least
// 0.8.
type Options struct {
	// Similarity is the formula of scores. The default is Correlation.
	Similarity Similarity
	// MinScore is the lowest score of a match, up to 1. 0 means the default, 0.8. A negative number
	// means that there is no limit: then Find accepts the best place whatever its score, and all
	// places are candidates for FindAll.
	MinScore float64
	// Overlap is the largest fraction of the template's area by which two matches of FindAll may
	// overlap, up to 1. 0 means the default, 0.25, and a negative number means 0. With 1, FindAll
	// keeps every candidate.
	Overlap float64
	// MaxMatches is the maximum number of matches that FindAll returns. 0 and negative numbers mean
	// that there is no maximum.
	MaxMatches int
	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

// A Similarity is a formula for the score of a place. Its sums are over the pixels in the
// template's mask: T are the pixels of the template, and I those of the scene.
type Similarity uint8

const (
	// Correlation is the sum of T'*I' over the root of the product of the sums of T'*T' and of
	// I'*I', where T' and I' are T and I minus their means, in color the means of each channel. It
	// does not change with brightness or contrast. OpenCV calls it TM_CCOEFF_NORMED.
	Correlation Similarity = iota
	// Cosine is the sum of T*I over the root of the product of the sums of T*T and of I*I. It does
	// not change with exposure, that is, if all pixels are multiplied by a factor. OpenCV calls it
	// TM_CCORR_NORMED.
	Cosine
	// Difference is 1 minus the mean of the squares of T-I, divided by the largest possible square,
	// 65025. It is for pictures of the same brightness, including flat ones. In terms of OpenCV's
	// TM_SQDIFF, it is 1 - TM_SQDIFF/(65025*n) for n pixel values.
	Difference
)

var similarities = option.Enum[Similarity]{"correlation", "cosine", "difference"}

// String returns the name of s, such as "correlation".
func (s Similarity) String() string { return similarities.String(s) }

// MarshalText returns the name of s. It fails if s is not a Similarity of this package.
func (s Similarity) MarshalText() ([]byte, error) { return similarities.MarshalText(s) }

// UnmarshalText sets s to the Similarity named by text. It fails if there is no such Similarity.
func (s *Similarity) UnmarshalText(text []byte) error { return similarities.UnmarshalText(s, text) }

// setDefaults replaces the fields that stand for other values by these.
func (o *Options) setDefaults() {
	o.MinScore = cmp.Or(o.MinScore, 0.8)
	o.Overlap = max(cmp.Or(o.Overlap, 0.25), 0)
	o.MaxMatches = max(o.MaxMatches, 0)
	o.Workers = worker.Number(o.Workers)
	if o.MinScore < 0 { // no score is less than -1
		o.MinScore = -1
	}
}

// check returns an error that names the first field that is out of range.
func (o *Options) check() error {
	fields := option.Fields{Package: "locate", Type: "Options"}
	switch {
	case !similarities.Has(o.Similarity):
		return fields.OutOfRange("Similarity", o.Similarity, similarities.Want())
	case !(o.MinScore <= 1): // NaN is not
		return fields.OutOfRange("MinScore", o.MinScore, "a number up to 1")
	case !(o.Overlap <= 1):
		return fields.OutOfRange("Overlap", o.Overlap, "a number up to 1")
	}
	return nil
}
