// Package orb finds oriented FAST keypoints in gray images and describes them by
// rotated BRIEF (E. Rublee, V. Rabaud, K. Konolige and G. Bradski, "ORB: an
// efficient alternative to SIFT or SURF", ICCV 2011). Its results are bit for bit
// those of OpenCV 4.6: the same keypoints with the same responses, angles and
// descriptors, in the order of their octaves and, within one, of their responses.
//
//	extractor, err := orb.New(orb.Options{})
//	keypoints, descriptors := extractor.Extract(img, nil)
//
// Package match finds the nearest of such descriptors.
//
// # What is done
//
// The image is scaled down to a pyramid of levels. On each of them FAST-9 finds
// corners with suppression; the best by score, twice as many as are wanted, get
// Harris responses, and the best of those stay. The direction from a keypoint to
// the centroid of the gray values around it is its angle. 256 comparisons of two
// pixels of the smoothed level, at places that turn with the angle, are its
// descriptor.
//
// Results are the same on every platform and for any number of workers.
//
// # Beyond OpenCV
//
// Options.Spread, LowThreshold, AreaQuotas and RecomputeAngles are for what OpenCV
// cannot do; without them all is as there. A [Compact] finds other keypoints, by a
// far smaller and faster algorithm.
package orb

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/worker"
	"github.com/fastcorners/fast/match"
)

// A Keypoint is a place in an image that can be found again.
type Keypoint struct {
	// X and Y are the coordinates in the image, in pixels. They are whole numbers
	// on level 0 only.
	X, Y float32
	// Size is the diameter of the patch around it that is described, in pixels of
	// the image.
	Size float32
	// Angle is the direction from the keypoint to the centroid of the patch, in
	// degrees, 0 to 360, clockwise from the x axis.
	Angle float32
	// Response is how strong the keypoint is, by the Score of the Options.
	Response float32
	// Octave is the level of the pyramid that the keypoint was found on.
	Octave int32
}

// Pt returns the pixel that k lies in.
func (k Keypoint) Pt() image.Point {
	return image.Pt(int(math.Floor(float64(k.X)+0.5)), int(math.Floor(float64(k.Y)+0.5)))
}

// Strength returns the Response of k.
func (k Keypoint) Strength() float32 {
	return k.Response
}

// A Score is a way to compare keypoints.
type Score uint8

const (
	HarrisScore Score = iota // C. Harris and M. Stephens, "A combined corner and edge detector" (1988)
	FASTScore                // the score of package fast
)

// Options say which keypoints an Extractor finds, and how it describes them. Zero
// stands for the default of each of them.
type Options struct {
	// Features is how many keypoints are wanted on all levels. There are more
	// where responses are equal, and fewer where corners are missing. 0 means 500.
	Features int
	// ScaleFactor is by how much a level is smaller than the one before, more
	// than 1. 0 means 1.2.
	ScaleFactor float64
	// Levels is the number of levels, at least 1. 0 means 8.
	Levels int
	// EdgeThreshold is the distance from the edges of a level, in its pixels,
	// within which there are no keypoints. It is at least what descriptors reach:
	// half the patch times the square root of 2, and 4. 0 means 31.
	EdgeThreshold int
	// FirstLevel is the level that is the image itself. Those before it are
	// enlarged.
	FirstLevel int
	// PointsPerBit is how many pixels are compared at once: 2, for a bit each, or 3
	// or 4, for two bits that tell the brightest, which match compares with
	// Options.Hamming2. 0 means 2.
	PointsPerBit int
	// Score is what keypoints are compared by.
	Score Score
	// PatchSize is the diameter of the patch that is described, in pixels of its
	// level, at least 2. 0 means 31, for which the pattern of comparisons was
	// learned; for others it is random, but always the same.
	PatchSize int
	// FASTThreshold is the threshold of the corners, 1 to 254. 0 means 20.
	FASTThreshold int
	// LowThreshold is a second threshold, 1 to less than FASTThreshold, for where
	// there are no corners at the first one. A grid of 32 by 32 pixels is laid over
	// what is inside the edge of a level, from its upper left pixel on. In a cell
	// without a corner at FASTThreshold, of those that the mask lets through, the
	// corners at LowThreshold count. Their scores are the lowest, so that few of them
	// stay unless Spread is set, too. 0 means that there is no such threshold.
	LowThreshold int
	// Spread takes keypoints from all over a level: fast.Spread chooses as many
	// corners as are wanted of the level, by a quadtree over what is inside its edge,
	// whose nodes give those with their highest FAST scores. Without Spread they are
	// the best of the level. Score then gives their responses and decides nothing:
	// there are never more keypoints than wanted.
	Spread bool
	// AreaQuotas shares Features among the levels in proportion to their areas; the
	// default is in proportion to their sides, and gives more to the smaller ones.
	AreaQuotas bool
	// RecomputeAngles makes Describe compute angles from the patches around the
	// keypoints, as Extract does. The angles that they have do not count.
	RecomputeAngles bool
	// Workers is the number of goroutines that share the levels. 0 means 1, and a
	// negative number means runtime.GOMAXPROCS(0). Images, if there are several, are
	// the better unit.
	Workers int
}

// An Extractor finds and describes keypoints as its Options say. It is made by New
// and safe for concurrent use.
type Extractor struct {
	opts      Options
	scales    []float32 // of the levels
	quotas    []int     // keypoints wanted of the levels
	disc      disc
	pattern   pattern
	threshold int       // the lowest one
	pool      sync.Pool // of *scratch
}

// New returns an Extractor. It fails when an option is out of range.
func New(opts Options) (*Extractor, error) {
	setDefault(&opts.Features, 500)
	setDefault(&opts.ScaleFactor, 1.2)
	setDefault(&opts.Levels, 8)
	setDefault(&opts.EdgeThreshold, 31)
	setDefault(&opts.PointsPerBit, 2)
	setDefault(&opts.PatchSize, 31)
	setDefault(&opts.FASTThreshold, 20)
	if err := opts.check(); err != nil {
		return nil, err
	}
	edge := opts.EdgeThreshold // within which no angles are computed
	if opts.RecomputeAngles {
		edge = reachOf(opts.PatchSize)
	}
	e := &Extractor{
		opts:      opts,
		disc:      newDisc(opts.PatchSize, edge),
		pattern:   newPattern(opts.PatchSize, opts.PointsPerBit),
		threshold: cmp.Or(opts.LowThreshold, opts.FASTThreshold),
	}
	e.scales, e.quotas = levels(opts)
	e.pool.New = func() any { return new(scratch) }
	return e, nil
}

// setDefault replaces 0 by what it stands for.
func setDefault[T int | float64](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

// check returns an error that names the first option that is out of range.
func (o *Options) check() error {
	reach := reachOf(o.PatchSize)
	switch {
	case o.Features < 0:
		return fmt.Errorf("orb: number of features %d is negative", o.Features)
	case !(o.ScaleFactor > 1 && o.ScaleFactor <= maxScale):
		return fmt.Errorf("orb: scale factor %v is not more than 1, or more than %v", o.ScaleFactor, maxScale)
	case o.Levels < 1 || o.Levels > maxLevels:
		return fmt.Errorf("orb: number of levels %d is not in the range 1 to %d", o.Levels, maxLevels)
	case o.FirstLevel < 0 || o.FirstLevel >= o.Levels:
		return fmt.Errorf("orb: first level %d is not one of %d levels", o.FirstLevel, o.Levels)
	case o.PointsPerBit < 2 || o.PointsPerBit > 4:
		return fmt.Errorf("orb: points per bit %d are not 2, 3 or 4", o.PointsPerBit)
	case o.Score > FASTScore:
		return fmt.Errorf("orb: unknown score %d", o.Score)
	case o.PatchSize < 2 || o.PatchSize > maxPatch:
		return fmt.Errorf("orb: patch size %d is not in the range 2 to %d", o.PatchSize, maxPatch)
	case o.EdgeThreshold < reach:
		return fmt.Errorf("orb: edge threshold %d is less than the %d pixels that descriptors of patch size %d reach", o.EdgeThreshold, reach, o.PatchSize)
	case o.FASTThreshold < 1 || o.FASTThreshold > maxThreshold:
		return errThreshold(o.FASTThreshold)
	case o.LowThreshold < 0 || o.LowThreshold >= o.FASTThreshold:
		return fmt.Errorf("orb: low threshold %d is not positive and less than the FAST threshold %d", o.LowThreshold, o.FASTThreshold)
	}
	return nil
}

// errThreshold says that a threshold of the corners is out of range.
func errThreshold(t int) error {
	return fmt.Errorf("orb: FAST threshold %d is not in the range 1 to %d", t, maxThreshold)
}

// Limits of the options, far beyond what is of use.
const (
	maxScale  = 100
	maxLevels = 64
	maxPatch  = 1000

	maxThreshold = 254 // there are no corners above it
)

// reachOf returns how far from a keypoint a descriptor reaches, in pixels of its
// level, or Harris' response if that is farther.
func reachOf(patch int) int {
	return max(4, int(math.Ceil(float64(patch/2)*math.Sqrt2)))
}

// Extract returns the keypoints of img, and a descriptor for each. Where the mask
// is 0 there are none; it may be nil. It panics if img or mask is malformed, or if
// they have different bounds.
func (e *Extractor) Extract(img, mask *image.Gray) ([]Keypoint, []match.Descriptor) {
	return e.Append(nil, nil, img, mask)
}

// Append is Extract, appending to kps and descs. With one worker it does not
// allocate in the steady state when these have room.
func (e *Extractor) Append(kps []Keypoint, descs []match.Descriptor, img, mask *image.Gray) ([]Keypoint, []match.Descriptor) {
	s := e.pool.Get().(*scratch)
	s.build(e, img, mask)
	s.each(e, (*level).extract)
	for i := range s.levels {
		l := &s.levels[i]
		kps = e.appendKeypoints(kps, l, img.Rect.Min)
		descs = append(descs, l.descs...)
	}
	s.release(e)
	return kps, descs
}

// Detect returns the keypoints of img as Extract does.
func (e *Extractor) Detect(img, mask *image.Gray) []Keypoint {
	var kps []Keypoint
	s := e.pool.Get().(*scratch)
	s.build(e, img, mask)
	s.each(e, (*level).find)
	for i := range s.levels {
		kps = e.appendKeypoints(kps, &s.levels[i], img.Rect.Min)
	}
	s.release(e)
	return kps
}

// Describe returns descriptors for keypoints of img, which turn with the keypoints'
// angles, and the indices of the keypoints described: those are left out whose
// octave is no level of img, that are nearer to the edges of their level than what
// a descriptor reaches, or whose angle is not a finite number. With
// Options.RecomputeAngles the angles in kps do not count, and stay as they are.
// It panics if img is malformed.
func (e *Extractor) Describe(kps []Keypoint, img *image.Gray) (kept []int, descs []match.Descriptor) {
	s := e.pool.Get().(*scratch)
	s.build(e, img, nil)
	s.each(e, func(l *level, e *Extractor) {
		l.found = l.found[:0]
		for i, k := range kps {
			x, y, ok := e.place(l, k, img.Rect.Min)
			if !ok {
				continue
			}
			angle := turn(k.Angle)
			if e.opts.RecomputeAngles {
				angle = l.angle(&e.disc, int(x), int(y))
			}
			if angle >= 0 { // and not NaN
				l.found = append(l.found, keypoint{x: x, y: y, angle: angle, index: i})
			}
		}
		l.describe(e)
	})
	all := make([]match.Descriptor, len(kps))
	for i := range s.levels {
		for j, k := range s.levels[i].found {
			all[k.index] = s.levels[i].descs[j]
			kept = append(kept, k.index)
		}
	}
	s.release(e)
	slices.Sort(kept)
	for i, j := range kept {
		all[i] = all[j] // i <= j
	}
	return kept, all[:len(kept)]
}

// extract finds and describes the keypoints of l.
func (l *level) extract(e *Extractor) {
	l.find(e)
	l.describe(e)
}

// each calls do with all levels, in as many goroutines as the options say. The
// smallest one comes first: what is found on it helps with the others.
func (s *scratch) each(e *Extractor, do func(l *level, e *Extractor)) {
	workers := e.opts.Workers
	if workers < 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	guess := 0
	for i := len(s.levels) - 1; i >= 0; i-- {
		l := &s.levels[i]
		l.guess = guess
		do(l, e)
		guess = l.lowest
		if workers := min(workers, i); workers > 1 {
			lowest := guess // of the smallest
			worker.Share("orb", workers, i, func(_, i int) {
				s.levels[i].guess = lowest
				do(&s.levels[i], e)
			})
			return
		}
	}
}

// turn returns an angle between 0 and 360 degrees in the same direction, or NaN if
// there is none.
func turn(angle float32) float32 {
	if angle >= 0 && angle <= 360 {
		return angle
	}
	rest := math.Mod(float64(angle), 360)
	if rest < 0 {
		rest += 360
	}
	return float32(rest)
}

// place returns the pixel of level l that k lies in, and whether a descriptor
// there stays in the level.
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

// appendKeypoints appends what was found on level l to kps.
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
