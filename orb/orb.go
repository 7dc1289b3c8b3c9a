// Package orb finds keypoints in gray images, and describes them so that they can be found again in
// other images: oriented FAST and rotated BRIEF (E. Rublee, V. Rabaud, K. Konolige and G. Bradski,
// "ORB: an efficient alternative to SIFT or SURF", ICCV 2011). This program prints the keypoints and
// descriptors of a photo:
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
//		"github.com/fastcorners/fast/orb"
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		extractor, err := orb.New(orb.Options{Features: 1000})
//		if err != nil {
//			log.Fatal(err)
//		}
//		keypoints, descriptors := extractor.Extract(fast.Gray(img), nil)
//		for i, k := range keypoints {
//			fmt.Println(k.X, k.Y, k.Size, k.Angle, descriptors[i])
//		}
//	}
//
// Package match finds the nearest descriptors. The results are identical, bit for bit, to those of
// OpenCV 4.6: the same keypoints with the same responses, angles and descriptors, ordered by octave
// and, within an octave, by response.
//
// # Options by use
//
//   - For matching two images, Features of 500 to 2000, and then package match with CrossCheck or a
//     Ratio.
//   - For tracking and SLAM, and for images that differ little in scale, [Tracking], which finds
//     keypoints in all parts of the image.
//   - For the corners of other packages, Describe; see below.
//   - For part of an image, a mask or a SubImage; EdgeThreshold is the width of the margin without
//     keypoints.
//
// # The algorithm
//
// The image is scaled down to a pyramid of levels. On each level, FAST-9 with suppression finds
// corners. Harris responses are computed for the corners with the best scores, twice as many as are
// wanted, and those with the best responses become keypoints. The angle of a keypoint is the
// direction from it to the centroid of the gray values around it. Its descriptor holds the results
// of 256 comparisons between two pixels of the smoothed level, at positions that rotate with the
// angle.
//
// Results are the same on every platform and for any number of workers.
//
// # Corners of other packages
//
// [Extractor.Describe] describes any keypoints. [Keypoints] turns the corners of other packages
// into keypoints:
//
//	keypoints := orb.Keypoints(corners, 31)
//	kept, descriptors := extractor.Describe(keypoints, img)
//
// Keypoints near the edges have no descriptor: descriptors[i] belongs to keypoints[kept[i]].
//
// # Beyond OpenCV
//
// Options.Spread, LowThreshold and RecomputeAngles, and the quotas of Tracking, have no counterpart
// in OpenCV. Package orb/compact finds different keypoints, by a much smaller and faster algorithm.
//
// # Speed
//
// The [measurements] compare the package with OpenCV 4.6.
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/peers.md
package orb

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/degrees"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
	"github.com/fastcorners/fast/match"
)

// A ScoreType specifies the response by which keypoints are compared.
type ScoreType uint8

const (
	HarrisScore ScoreType = iota // C. Harris and M. Stephens, "A combined corner and edge detector" (1988)
	FASTScore                    // the score of package fast
)

var scoreTypeNames = option.Enum[ScoreType]{"harris", "fast"}

// String returns the name of s, "harris" or "fast".
func (s ScoreType) String() string { return scoreTypeNames.String(s) }

// MarshalText returns the name of s. It fails if s is not a ScoreType of this package.
func (s ScoreType) MarshalText() ([]byte, error) { return scoreTypeNames.MarshalText(s) }

// UnmarshalText sets s to the ScoreType named by text. It fails if there is no such ScoreType.
func (s *ScoreType) UnmarshalText(text []byte) error { return scoreTypeNames.UnmarshalText(s, text) }

// Options specify which keypoints an Extractor finds, and how it describes them. The zero value has
// the defaults of OpenCV.
type Options struct {
	// Features is the number of keypoints wanted on all levels together. Each level provides its
	// share: fewer if it has fewer corners, and more if other keypoints have the same response as
	// the last one. It is 1 to 1000000000; 0 means 500.
	Features int
	// ScaleFactor is the ratio between the sides of a level and those of the next, smaller one. It
	// is more than 1, even when rounded to float32, and at most 100; 0 means 1.2.
	ScaleFactor float64
	// Levels is the number of levels of the pyramid, 1 to 64. 0 means 8.
	Levels int
	// EdgeThreshold is the width of the margin of each level that has no keypoints, in
	// pixels of the level. It is at least the distance from a keypoint that descriptors
	// reach: half of PatchSize, rounded down, times the square root of 2, rounded up,
	// and no less than 4. It is at most 1000000000; 0 means 31.
	EdgeThreshold int
	// FirstLevel is the level that is the image itself, 0 to Levels-1. The levels before it are
	// larger: the sides of level 0 are those of the image times ScaleFactor to the power of
	// FirstLevel, which is at most 16. Methods panic if level 0 would have more than 1<<30 pixels.
	// 0, the default, means that the image is the largest level.
	FirstLevel int
	// PointsPerBit is the number of pixels that a test compares, 2 to 4. A test of 2 gives one bit
	// of a descriptor. A test of 3 or 4 gives two bits, the index of the brightest pixel: match
	// such descriptors with match.Options.Hamming2. It is WTA_K in OpenCV. 0 means 2.
	PointsPerBit int
	// ScoreType determines the response by which keypoints are compared. The default is
	// HarrisScore.
	ScoreType ScoreType
	// PatchSize is the diameter of the patch that is described, in pixels of the level, 2 to 1000.
	// Patches of 31 pixels use the pattern of comparisons that Rublee et al. learned; every other
	// size has a fixed random pattern. 0 means 31.
	PatchSize int
	// FASTThreshold is the threshold of the corners, a difference of gray values, 1 to
	// 254. 0 means 20.
	FASTThreshold int
	// LowThreshold is the threshold of the corners in cells that have no corner at FASTThreshold.
	// The cells are those of a grid of 32 by 32 pixels, which begins at the upper left pixel inside
	// the margin of EdgeThreshold. Only corners that the mask includes count. Since corners at
	// LowThreshold have the lowest scores, few of them become keypoints unless Spread is also set.
	// Extract takes longer with LowThreshold: it searches all levels at that threshold, and has
	// many more corners to choose from, especially in images with few corners at FASTThreshold.
	// LowThreshold is 1 to FASTThreshold-1; 0, the default, means none.
	LowThreshold int
	// Spread takes keypoints from all parts of a level. The corners with the best scores in the
	// nodes of a quadtree become keypoints, as fast.Spread chooses them within the margin of
	// EdgeThreshold. There are never more than the share of the level. ScoreType then only
	// determines the responses, not the choice. Without Spread, the best keypoints of a level are
	// taken, wherever they are. Extract takes longer with Spread, since it finds all corners at
	// FASTThreshold.
	Spread bool
	// RecomputeAngles makes Describe and AppendDescribe compute the angles of keypoints as Extract
	// does, and set them. Without it, they use the given angles.
	RecomputeAngles bool
	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int

	// areaQuotas divides Features among the levels in proportion to their areas. Without it, they
	// are divided in proportion to the sides of the levels, which gives more keypoints to the
	// smaller levels.
	areaQuotas bool
}

// An Extractor finds and describes keypoints according to its Options. Create one with New. It is
// safe for concurrent use.
type Extractor struct {
	made      option.Made
	opts      Options   // with the defaults
	scales    []float32 // of the levels
	quotas    []int     // the numbers of keypoints wanted of the levels
	disc      disc
	pattern   pattern
	threshold int       // the lowest one
	pool      sync.Pool // of *job
}

// New returns an Extractor. It fails if an option is out of range.
func New(opts Options) (*Extractor, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	edge := opts.EdgeThreshold // the width of the margin where no angles are computed
	if opts.RecomputeAngles {
		edge = reachOf(opts.PatchSize)
	}
	e := &Extractor{
		made:      true,
		opts:      opts,
		disc:      newDisc(opts.PatchSize, edge),
		pattern:   newPattern(opts.PatchSize, opts.PointsPerBit),
		threshold: cmp.Or(opts.LowThreshold, opts.FASTThreshold),
	}
	e.scales, e.quotas = levels(opts)
	e.pool.New = func() any { return newJob() }
	return e, nil
}

// Limits of the options. There are no corners above maxThreshold, and the others are far
// beyond what is useful. Twice maxCount is an int on every platform.
const (
	maxCount       = 1_000_000_000 // of keypoints, or of pixels at an edge
	maxScale       = 100
	maxLevels      = 64
	maxEnlargement = 16 // of the sides of the image
	maxPatch       = 1000
	maxThreshold   = 254
)

// setDefaults replaces the fields that are 0 by what they mean.
func (o *Options) setDefaults() {
	o.Features = cmp.Or(o.Features, 500)
	o.ScaleFactor = cmp.Or(o.ScaleFactor, 1.2)
	o.Levels = cmp.Or(o.Levels, 8)
	o.EdgeThreshold = cmp.Or(o.EdgeThreshold, 31)
	o.PointsPerBit = cmp.Or(o.PointsPerBit, 2)
	o.PatchSize = cmp.Or(o.PatchSize, 31)
	o.FASTThreshold = cmp.Or(o.FASTThreshold, 20)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *Options) check() error {
	invalid := func(field string, value any, want string, args ...any) error {
		return option.Fields{Package: "orb", Type: "Options"}.OutOfRange(field, value, fmt.Sprintf(want, args...))
	}
	reach := reachOf(o.PatchSize)
	switch {
	case o.Features < 1 || o.Features > maxCount:
		return invalid("Features", o.Features, "1 to %d", maxCount)
	case !(float32(o.ScaleFactor) > 1 && o.ScaleFactor <= maxScale): // NaN is neither
		return invalid("ScaleFactor", o.ScaleFactor, "more than 1 as a float32, up to %d", maxScale)
	case o.Levels < 1 || o.Levels > maxLevels:
		return invalid("Levels", o.Levels, "1 to %d", maxLevels)
	case o.FirstLevel < 0 || o.FirstLevel >= o.Levels:
		return invalid("FirstLevel", o.FirstLevel, "0 to %d with Options.Levels %d", o.Levels-1, o.Levels)
	case power(o.factor(), o.FirstLevel) > maxEnlargement:
		most := 0
		for power(o.factor(), most+1) <= maxEnlargement {
			most++
		}
		return invalid("FirstLevel", o.FirstLevel, "0 to %d with Options.ScaleFactor %v", most, o.ScaleFactor)
	case o.PointsPerBit < 2 || o.PointsPerBit > 4:
		return invalid("PointsPerBit", o.PointsPerBit, "2 to 4")
	case !scoreTypeNames.Has(o.ScoreType):
		return invalid("ScoreType", o.ScoreType, "%s", scoreTypeNames.Want())
	case o.PatchSize < 2 || o.PatchSize > maxPatch:
		return invalid("PatchSize", o.PatchSize, "2 to %d", maxPatch)
	case o.EdgeThreshold < reach || o.EdgeThreshold > maxCount:
		return invalid("EdgeThreshold", o.EdgeThreshold, "%d to %d with Options.PatchSize %d", reach, maxCount, o.PatchSize)
	case o.FASTThreshold < 1 || o.FASTThreshold > maxThreshold:
		return invalid("FASTThreshold", o.FASTThreshold, "1 to %d", maxThreshold)
	case o.LowThreshold < 0 || o.LowThreshold >= o.FASTThreshold:
		return invalid("LowThreshold", o.LowThreshold, "0 to %d with Options.FASTThreshold %d", o.FASTThreshold-1, o.FASTThreshold)
	}
	return nil
}

// factor returns the ratio between the sides of two levels, rounded as OpenCV does.
func (o *Options) factor() float64 {
	return float64(float32(o.ScaleFactor))
}

// reachOf returns the distance that descriptors reach from a keypoint, in pixels of its
// level, or that of Harris' response if it is larger.
func reachOf(patch int) int {
	return max(harrisReach, int(math.Ceil(float64(patch/2)*math.Sqrt2)))
}

// Options returns the options of e, with defaults filled in and negative numbers replaced by what
// they stand for.
func (e *Extractor) Options() Options {
	e.check()
	return e.opts
}

// Extract returns the keypoints of img, and a descriptor for each. There are none where the
// mask is 0; a nil mask excludes nothing. Extract panics if img is nil, if img or mask is
// malformed, if they have different bounds, and if Options.FirstLevel makes a level too
// large.
func (e *Extractor) Extract(img, mask *image.Gray) ([]Keypoint, []match.Descriptor) {
	return e.Append(nil, nil, img, mask)
}

// Append is like Extract but appends to kps and descs. With one worker it does not allocate in the
// steady state if both have room.
func (e *Extractor) Append(kps []Keypoint, descs []match.Descriptor, img, mask *image.Gray) ([]Keypoint, []match.Descriptor) {
	j := e.job()
	j.build(img, mask, e.opts.EdgeThreshold)
	j.each(work{search: true, keypoints: (*job).choose, angles: true, descriptors: true})
	for i := range j.levels {
		l := &j.levels[i]
		kps = e.appendKeypoints(kps, l, img.Rect.Min)
		descs = append(descs, l.descs...)
	}
	j.release()
	return kps, descs
}

// Detect returns the keypoints of img as Extract does.
func (e *Extractor) Detect(img, mask *image.Gray) []Keypoint {
	var kps []Keypoint
	j := e.job()
	j.build(img, mask, e.opts.EdgeThreshold)
	j.each(work{search: true, keypoints: (*job).choose, angles: true})
	for i := range j.levels {
		kps = e.appendKeypoints(kps, &j.levels[i], img.Rect.Min)
	}
	j.release()
	return kps
}

// Describe returns the descriptors of keypoints of img, and the indices of the keypoints described,
// in order. It uses the coordinates, rounded to the nearest pixel of the level, the angle and the
// octave of each keypoint. It leaves out keypoints whose octave is not a level of img, those closer
// to the edges of their level than descriptors reach (22 pixels with the default PatchSize), and
// those whose angle is not finite.
//
// Describe computes all levels of the pyramid, including those without keypoints. If all keypoints
// have octave 0, Options.Levels of 1 is sufficient, and faster.
//
// With Options.RecomputeAngles, Describe ignores the angles in kps, and sets those of the keypoints
// that it describes. It changes nothing else in kps. It panics if img is nil or malformed, and if
// Options.FirstLevel makes a level too large.
func (e *Extractor) Describe(kps []Keypoint, img *image.Gray) (kept []int, descs []match.Descriptor) {
	return e.AppendDescribe(nil, nil, kps, img)
}

// AppendDescribe is like Describe but appends to kept and descs. With one worker it does not
// allocate in the steady state if both have room.
func (e *Extractor) AppendDescribe(kept []int, descs []match.Descriptor, kps []Keypoint, img *image.Gray) ([]int, []match.Descriptor) {
	j := e.job()
	j.build(img, nil, reachOf(e.opts.PatchSize))
	j.kps, j.origin = kps, img.Rect.Min
	j.described = raster.Resize(j.described, len(kps))
	clear(j.described)
	j.each(work{keypoints: (*job).take, angles: e.opts.RecomputeAngles, descriptors: true})
	n := 0
	for i := range j.levels {
		l := &j.levels[i]
		n += len(l.found)
		for i, k := range l.found {
			j.described[k.index] = described{&l.descs[i], k.angle}
		}
	}
	kept, descs = slices.Grow(kept, n), slices.Grow(descs, n)
	for i, d := range j.described {
		if d.desc == nil {
			continue
		}
		kept, descs = append(kept, i), append(descs, *d.desc)
		if e.opts.RecomputeAngles {
			kps[i].Angle = d.angle
		}
	}
	j.release()
	return kept, descs
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
	e.made.Require("orb", "Extractor", "New")
}

// choose chooses the keypoints of l.
func (j *job) choose(l *level) {
	l.choose(j.extractor)
}

// take takes the given keypoints that are on l.
func (j *job) take(l *level) {
	e := j.extractor
	l.found = l.found[:0]
	for i, k := range j.kps {
		x, y, ok := e.place(l, k, j.origin)
		angle := degrees.Normalize(k.Angle)
		if ok && (e.opts.RecomputeAngles || angle >= 0) { // and not NaN
			l.found = append(l.found, keypoint{x: x, y: y, angle: angle, index: i})
		}
	}
}

// place returns the pixel of l that k lies in, and whether k is on l and the descriptor
// there reaches no pixel beyond l. The upper left pixel of the image has the coordinates
// origin.
func (e *Extractor) place(l *level, k Keypoint, origin image.Point) (x, y int32, ok bool) {
	if int(k.Octave) != l.number {
		return 0, 0, false
	}
	inverse := 1 / e.scales[l.number]
	px := math.RoundToEven(float64((k.X - float32(origin.X)) * inverse))
	py := math.RoundToEven(float64((k.Y - float32(origin.Y)) * inverse))
	reach := float64(reachOf(e.opts.PatchSize))
	if !(px >= reach && py >= reach && px < float64(l.img.W)-reach && py < float64(l.img.H)-reach) {
		return 0, 0, false
	}
	return int32(px), int32(py), true
}

// appendKeypoints appends what was found on l to kps.
func (e *Extractor) appendKeypoints(kps []Keypoint, l *level, origin image.Point) []Keypoint {
	scale := e.scales[l.number]
	for _, k := range l.found {
		kps = append(kps, Keypoint{
			X:        float32(float32(k.x)*scale) + float32(origin.X),
			Y:        float32(float32(k.y)*scale) + float32(origin.Y),
			Size:     float32(e.opts.PatchSize) * scale,
			Angle:    k.angle,
			Response: k.response,
			Octave:   int32(l.number),
		})
	}
	return kps
}
