package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/program/choose"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/tag"
	"github.com/fastcorners/fast/vpi"
)

// A Detector selects a detector by the options of its package. Exactly one of the pointers is
// set.
type Detector struct {
	FAST   *fast.Options   `json:",omitempty"` // always with scores
	Harris *harris.Options `json:",omitempty"`
	LoCoCo *lococo.Options `json:",omitempty"`
	VPI    *vpi.Options    `json:",omitempty"`

	// Strongest keeps only the given number of the strongest corners of FAST, or of VPI, which
	// are then sorted by their scores. 0 keeps all.
	Strongest int `json:",omitempty"`
	// Spread keeps only the given number of FAST corners, spread evenly. 0 keeps all.
	Spread int `json:",omitempty"`
}

// finder returns a function that finds corners where a mask is not 0, or everywhere without one,
// for one goroutine. It fails unless there are options of exactly one package and they are valid.
func (d Detector) finder() (func(img, mask *image.Gray) []Corner, error) {
	set := 0
	for _, is := range []bool{d.FAST != nil, d.Harris != nil, d.LoCoCo != nil, d.VPI != nil} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return nil, errors.New("batch: a Detector needs the options of one package")
	case d.Strongest < 0 || d.Strongest > 0 && d.FAST == nil && d.VPI == nil:
		return nil, fmt.Errorf("batch: a Detector with Strongest %d: want 0 or, for FAST and VPI, more", d.Strongest)
	case d.Spread < 0 || d.Spread > 0 && d.FAST == nil:
		return nil, fmt.Errorf("batch: a Detector with Spread %d: want 0 or, for FAST, more", d.Spread)
	case d.FAST != nil:
		opts := *d.FAST
		opts.Score = true
		detector, err := fast.New(opts)
		return finding(choose.FAST(detector, d.Strongest, d.Spread), func(c fast.Corner) Corner {
			return Corner{X: c.X, Y: c.Y, Response: float32(c.Score)}
		}), err
	case d.Harris != nil:
		detector, err := harris.New(*d.Harris)
		return finding(detector.Append, func(c harris.Corner) Corner { return Corner{X: c.X, Y: c.Y, Response: c.Response} }), err
	case d.LoCoCo != nil:
		detector, err := lococo.New(*d.LoCoCo)
		return finding(detector.Append, func(c lococo.Corner) Corner { return Corner(c) }), err
	}
	opts := *d.VPI
	opts.Strongest = opts.Strongest || d.Strongest > 0
	detector, err := vpi.New(opts)
	return finding(choose.VPI(detector, d.Strongest), func(c vpi.Corner) Corner {
		return Corner{X: c.X, Y: c.Y, Response: float32(c.Score)}
	}), err
}

// finding returns a function that finds corners by a search, always in the same memory, and
// converts them.
func finding[C any](search choose.Search[C], one func(C) Corner) func(img, mask *image.Gray) []Corner {
	var found []C
	return func(img, mask *image.Gray) []Corner {
		found = search(found[:0], img, mask)
		return convert(found, one)
	}
}

// convert returns a new slice with the converted elements of another.
func convert[From, To any](from []From, one func(From) To) []To {
	to := make([]To, len(from))
	for i, e := range from {
		to[i] = one(e)
	}
	return to
}

// Detect finds corners in a PCollection<Image> and returns a PCollection<Corners>. It fails
// if the options are invalid.
func Detect(s beam.Scope, images beam.PCollection, detector Detector) (beam.PCollection, error) {
	if _, err := detector.finder(); err != nil {
		return beam.PCollection{}, err
	}
	return beam.ParDo(s.Scope("batch.Detect"), &detectFn{Detector: detector}, images), nil
}

type detectFn struct {
	Detector Detector
	Region   *region
}

// finders have memory for the largest image that they have seen.
var finders pool[func(img, mask *image.Gray) []Corner]

func (fn *detectFn) ProcessElement(ctx context.Context, img Image, emit func(Corners)) error {
	return emitFeatures(ctx, fn, img, emit)
}

func (fn *detectFn) find(img Image) (Corners, int, error) {
	options, err := json.Marshal(fn.Detector)
	if err != nil {
		return Corners{}, 0, err
	}
	key := string(options)
	find, err := finders.get(key, fn.Detector.finder)
	if err != nil {
		return Corners{}, 0, err
	}
	corners := find(fn.Region.of(img.Gray()))
	finders.put(key, find)
	return Corners{img.Name, img.Width, img.Height, corners}, len(corners), nil
}

// DetectTags finds markers in a PCollection<Image> and returns a PCollection<Tags>. It fails if the
// options are invalid.
func DetectTags(s beam.Scope, images beam.PCollection, opts tag.Options) (beam.PCollection, error) {
	if _, err := tag.New(opts); err != nil {
		return beam.PCollection{}, err
	}
	return beam.ParDo(s.Scope("batch.DetectTags"), &detectTagsFn{Options: opts}, images), nil
}

type detectTagsFn struct {
	Options tag.Options
	Region  *region
}

// tagDetectors have memory for the largest image that they have seen.
var tagDetectors pool[*tag.Detector]

func (fn *detectTagsFn) ProcessElement(ctx context.Context, img Image, emit func(Tags)) error {
	return emitFeatures(ctx, fn, img, emit)
}

// find implements method. With a mask, markers are kept whose centers are where it is not 0.
func (fn *detectTagsFn) find(img Image) (Tags, int, error) {
	options, err := json.Marshal(fn.Options)
	if err != nil {
		return Tags{}, 0, err
	}
	key := string(options)
	detector, err := tagDetectors.get(key, func() (*tag.Detector, error) { return tag.New(fn.Options) })
	if err != nil {
		return Tags{}, 0, err
	}
	part, mask := fn.Region.of(img.Gray())
	found := detector.Detect(part)
	tagDetectors.put(key, detector)
	if mask != nil {
		found = fast.InMask(found, mask)
	}
	tags := convert(found, func(t tag.Tag) Tag {
		c := &t.Corners
		return Tag{
			t.Family.Kind.String(), int32(t.ID), c[0].X, c[0].Y, c[1].X, c[1].Y, c[2].X, c[2].Y, c[3].X, c[3].Y,
			int32(t.Corrected), t.Noise, t.Misfit, t.Hidden,
		}
	})
	return Tags{img.Name, img.Width, img.Height, tags}, len(tags), nil
}

// tagFindBytes is how much memory package tag needs for each pixel that it searches, besides
// detectBytes: for runs, components and quads in noise.
const tagFindBytes = 48

// Extract finds ORB keypoints and their descriptors in a PCollection<Image>, and returns a
// PCollection<Keypoints>. It fails if the options are invalid.
func Extract(s beam.Scope, images beam.PCollection, opts orb.Options) (beam.PCollection, error) {
	if _, err := orb.New(opts); err != nil {
		return beam.PCollection{}, err
	}
	return beam.ParDo(s.Scope("batch.Extract"), &extractFn{Options: opts}, images), nil
}

type extractFn struct {
	Options orb.Options
	Region  *region
}

func (fn *extractFn) ProcessElement(ctx context.Context, img Image, emit func(Keypoints)) error {
	return emitFeatures(ctx, fn, img, emit)
}

func (fn *extractFn) find(img Image) (Keypoints, int, error) {
	return extract(&orbExtractions, orb.New, fn.Options, fn.Region, img)
}

// ExtractSIFT is like Extract for SIFT keypoints. It returns a PCollection<SIFTKeypoints>.
func ExtractSIFT(s beam.Scope, images beam.PCollection, opts sift.Options) (beam.PCollection, error) {
	if _, err := sift.New(opts); err != nil {
		return beam.PCollection{}, err
	}
	return beam.ParDo(s.Scope("batch.ExtractSIFT"), &extractSIFTFn{Options: opts}, images), nil
}

type extractSIFTFn struct {
	Options sift.Options
	Region  *region
}

func (fn *extractSIFTFn) ProcessElement(ctx context.Context, img Image, emit func(SIFTKeypoints)) error {
	return emitFeatures(ctx, fn, img, emit)
}

func (fn *extractSIFTFn) find(img Image) (SIFTKeypoints, int, error) {
	return extract(&siftExtractions, sift.New, fn.Options, fn.Region, img)
}

// siftBytes returns how much memory SIFT needs for each pixel that it searches: that of a pyramid of
// float32 numbers, whose octaves have four thirds of the pixels of the first one.
func siftBytes(opts sift.Options) int64 {
	planes := cmp.Or(opts.Layers, 3) + 3
	if !opts.NoDoubling {
		planes *= 4
	}
	return int64(4*4*planes+2) / 3
}

// An extractor finds keypoints with descriptors of type D.
type extractor[D descriptor] interface {
	Append(keypoints []point.Keypoint, descriptors []D, img, mask *image.Gray) ([]point.Keypoint, []D)
}

// An extraction finds keypoints, always in the same memory.
type extraction[D descriptor] struct {
	extractor   extractor[D]
	keypoints   []point.Keypoint
	descriptors []D
}

// Extractions have memory for the largest image that they have seen.
var (
	orbExtractions  pool[*extraction[match.Descriptor]]
	siftExtractions pool[*extraction[match.Vector]]
)

// extract returns the keypoints of a region of an image, and how many they are. They are found by
// an extraction of a pool, or by a new one.
func extract[O comparable, D descriptor, E extractor[D]](
	extractions *pool[*extraction[D]], create func(O) (E, error), options O, r *region, img Image,
) (KeypointsOf[D], int, error) {
	e, err := extractions.get(options, func() (*extraction[D], error) {
		created, err := create(options)
		return &extraction[D]{extractor: created}, err
	})
	if err != nil {
		return KeypointsOf[D]{}, 0, err
	}
	part, mask := r.of(img.Gray())
	e.keypoints, e.descriptors = e.extractor.Append(e.keypoints[:0], e.descriptors[:0], part, mask)
	keypoints := make([]KeypointOf[D], len(e.keypoints))
	for i, k := range e.keypoints {
		keypoints[i] = KeypointOf[D]{k.X, k.Y, k.Size, k.Angle, k.Response, k.Octave, e.descriptors[i]}
	}
	extractions.put(options, e)
	return KeypointsOf[D]{img.Name, img.Width, img.Height, keypoints}, len(keypoints), nil
}

// A method finds the features of images.
type method[R feature] interface {
	// find returns the features of an image and how many they are.
	find(img Image) (R, int, error)
}

// emitFeatures emits the features of an image, and counts them.
func emitFeatures[R feature](ctx context.Context, m method[R], img Image, emit func(R)) error {
	start := time.Now()
	row, n, err := m.find(img)
	if err != nil {
		return err
	}
	detectTimeCounter.Inc(ctx, time.Since(start).Nanoseconds())
	cornersCounter.Inc(ctx, int64(n))
	emit(row)
	return nil
}
