//go:build js && wasm && !boards

package main

import (
	"fmt"
	"image"
	"syscall/js"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/jsontext"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/vpi"
)

// Options are what the page asks for. Each method uses some of them.
type options struct {
	method      string
	number      int // of corners at most, or 0 for all
	features    int // of keypoints at most
	threshold   int
	arc         int
	suppression bool
	spread      bool
	quality     float64
	distance    float64
	block       int
	kernel      int
	radius      int
	circle      int
	run         int
	border      string
	levels      int
	crossCheck  bool
	ratio       float64
	maxDistance int
	points      int // that are tracked at most
	smoothing   int // in frames
	zoom        float64
}

// readOptions reads the options from an object with a property for each.
func readOptions(v js.Value) options {
	return options{
		method:      v.Get("method").String(),
		number:      v.Get("number").Int(),
		features:    v.Get("features").Int(),
		threshold:   v.Get("threshold").Int(),
		arc:         v.Get("arc").Int(),
		suppression: v.Get("suppression").Bool(),
		spread:      v.Get("spread").Bool(),
		quality:     v.Get("quality").Float(),
		distance:    v.Get("distance").Float(),
		block:       v.Get("block").Int(),
		kernel:      v.Get("kernel").Int(),
		radius:      v.Get("radius").Int(),
		circle:      v.Get("circle").Int(),
		run:         v.Get("run").Int(),
		border:      v.Get("border").String(),
		levels:      v.Get("levels").Int(),
		crossCheck:  v.Get("crossCheck").Bool(),
		ratio:       v.Get("ratio").Float(),
		maxDistance: v.Get("maxDistance").Int(),
		points:      v.Get("points").Int(),
		smoothing:   v.Get("smoothing").Int(),
		zoom:        v.Get("zoom").Float(),
	}
}

// newFinder returns the finder for options. The last one is given up.
func newFinder(o options, _ finder) (finder, error) {
	switch o.method {
	case "fast":
		return newFASTFinder(o)
	case "harris":
		return newHarrisFinder(o, harris.Harris)
	case "shi-tomasi":
		return newHarrisFinder(o, harris.MinEigenvalue)
	case "lococo":
		return newLoCoCoFinder(o)
	case "vpi":
		return newVPIFinder(o)
	case "keypoints":
		return newKeypointFinder(o)
	case "matches":
		return newMatchFinder(o)
	case "panorama":
		return newPanoramaFinder(o)
	case "track":
		return newTrackFinder(o)
	case "stabilize":
		return newStabilizeFinder(o)
	}
	return nil, fmt.Errorf("unknown method %q", o.method)
}

// A cornerFinder finds corners in the first picture.
type cornerFinder[C point.Strong] struct {
	corners  []C
	detect   func(dst []C, img *image.Gray) []C
	method   string // of the program corners
	members  []member
	strength string // what the strength is called
}

func (f *cornerFinder[C]) find(pictures *[slots]picture) {
	f.corners = f.detect(f.corners[:0], &pictures[0].gray)
}

func (f *cornerFinder[C]) appendTo(dst []float32) ([]float32, int) {
	for _, c := range f.corners {
		p := c.Pt()
		dst = append(dst, float32(p.X), float32(p.Y), c.Strength())
	}
	return dst, 3
}

func (f *cornerFinder[C]) report() report {
	r := report{
		method:  f.method,
		members: f.members,
		things:  "corners",
		columns: []string{"x", "y", f.strength},
		count:   len(f.corners),
	}
	r.record = func(i int) []any {
		c := f.corners[i]
		return []any{c.Pt().X, c.Pt().Y, c.Strength()}
	}
	if corners, ok := any(f.corners).([]lococo.Corner); ok {
		r.columns = append(r.columns, "kernel_size")
		r.record = func(i int) []any {
			c := corners[i]
			return []any{c.X, c.Y, c.Response, c.KernelSize}
		}
	}
	return r
}

func newFASTFinder(o options) (finder, error) {
	d, err := fast.New(fast.Options{
		Threshold:         uint8(o.threshold),
		ArcLength:         o.arc,
		Score:             true,
		NonmaxSuppression: o.suppression,
	})
	if err != nil {
		return nil, err
	}
	detect := func(dst []fast.Corner, img *image.Gray) []fast.Corner {
		dst = d.Append(dst, img)
		switch {
		case o.number == 0:
			return dst
		case o.spread:
			return fast.Spread(dst, img.Rect, o.number)
		}
		return fast.Strongest(dst, o.number)
	}
	return &cornerFinder[fast.Corner]{
		detect: detect,
		method: "fast",
		members: []member{
			{"kernel", d.Options().Kernel},
			{"threshold", o.threshold},
			{"arc", o.arc},
			{"nonmax", o.suppression},
		},
		strength: "score",
	}, nil
}

func newHarrisFinder(o options, measure harris.Measure) (finder, error) {
	opts := harris.GoodFeatures(o.number, o.quality, o.distance)
	opts.Measure = measure
	opts.BlockSize = o.block
	d, err := harris.New(opts)
	if err != nil {
		return nil, err
	}
	detect := func(dst []harris.Corner, img *image.Gray) []harris.Corner { return d.Append(dst, img, nil) }
	members := []member{
		{"max_corners", o.number},
		{"quality", o.quality},
		{"distance", o.distance},
		{"block", o.block},
		{"gradient", harris.Sobel3},
	}
	if measure == harris.Harris {
		members = append(members, member{"k", 0.04})
	}
	return &cornerFinder[harris.Corner]{detect: detect, method: o.method, members: members, strength: "response"}, nil
}

func newLoCoCoFinder(o options) (finder, error) {
	d, err := lococo.New(lococo.Options{
		KernelSizes:       []int{o.kernel},
		Quality:           o.quality,
		SuppressionRadius: o.radius,
		MaxCorners:        o.number,
	})
	if err != nil {
		return nil, err
	}
	detect := func(dst []lococo.Corner, img *image.Gray) []lococo.Corner { return d.Append(dst, img, nil) }
	return &cornerFinder[lococo.Corner]{
		detect: detect,
		method: "lococo",
		members: []member{
			{"max_corners", o.number},
			{"kernel_sizes", integers{o.kernel}},
			{"window", 0},
			{"measure", harris.Harris},
			{"k", 0.04},
			{"quality", o.quality},
			{"radius", o.radius},
			{"subpixel", false},
		},
		strength: "response",
	}, nil
}

func newVPIFinder(o options) (finder, error) {
	var mode border.Mode
	if err := mode.UnmarshalText([]byte(o.border)); err != nil {
		return nil, err
	}
	d, err := vpi.New(vpi.Options{
		CircleRadius:  o.circle,
		ArcLength:     o.run,
		Threshold:     float32(o.threshold),
		NoSuppression: !o.suppression,
		Border:        mode,
		MaxCorners:    o.number,
		Strongest:     o.number > 0,
	})
	if err != nil {
		return nil, err
	}
	return &cornerFinder[vpi.Corner]{
		detect: d.Append,
		method: "vpi",
		members: []member{
			{"radius", o.circle},
			{"arc", o.run},
			{"threshold", o.threshold},
			{"border", mode},
			{"nonmax", o.suppression},
		},
		strength: "score",
	}, nil
}

// orbMembers returns the members for the options of keypoints.
func orbMembers(o options) []member {
	return []member{
		{"features", o.features},
		{"scale", 1.2},
		{"levels", o.levels},
		{"edge", 31},
		{"first_level", 0},
		{"points_per_bit", 2},
		{"score", orb.HarrisScore},
		{"patch", 31},
		{"threshold", o.threshold},
	}
}

// newExtractor returns an extractor of keypoints.
func newExtractor(o options) (*orb.Extractor, error) {
	return orb.New(orb.Options{
		Features:      o.features,
		FASTThreshold: o.threshold,
		Levels:        o.levels,
		Spread:        o.spread,
	})
}

// A keypointFinder finds keypoints in the first picture.
type keypointFinder struct {
	extractor *orb.Extractor
	features
	members []member
}

// Features are the keypoints of a picture, and their descriptors.
type features struct {
	keypoints   []orb.Keypoint
	descriptors []match.Descriptor
}

// extract finds those of img. It reuses the memory of the last ones.
func (f *features) extract(e *orb.Extractor, img *image.Gray) {
	f.keypoints, f.descriptors = e.Append(f.keypoints[:0], f.descriptors[:0], img, nil)
}

func newKeypointFinder(o options) (finder, error) {
	e, err := newExtractor(o)
	if err != nil {
		return nil, err
	}
	return &keypointFinder{extractor: e, members: orbMembers(o)}, nil
}

func (f *keypointFinder) report() report {
	return report{
		method:  "orb",
		members: f.members,
		things:  "keypoints",
		columns: []string{"x", "y", "size", "angle", "response", "octave", "descriptor"},
		count:   len(f.keypoints),
		record: func(i int) []any {
			k := f.keypoints[i]
			return []any{k.X, k.Y, k.Size, k.Angle, k.Response, k.Octave, fmt.Sprintf("%x", f.descriptors[i])}
		},
	}
}

func (f *keypointFinder) find(pictures *[slots]picture) {
	f.extract(f.extractor, &pictures[0].gray)
}

func (f *keypointFinder) appendTo(dst []float32) ([]float32, int) {
	for _, k := range f.keypoints {
		dst = append(dst, k.X, k.Y, k.Size, k.Angle, float32(k.Octave))
	}
	return dst, 5
}

// A matchFinder finds matches between both pictures.
type matchFinder struct {
	extractor *orb.Extractor
	matcher   *match.Matcher[match.Descriptor]
	found     [2]features
	serials   [2]int // of the pictures that these are of
	matches   []match.Match
	agreed    *homography
	members   []member
}

func newMatchFinder(o options) (*matchFinder, error) {
	e, err := newExtractor(o)
	if err != nil {
		return nil, err
	}
	m, err := match.New[match.Descriptor](match.Options{CrossCheck: o.crossCheck, Ratio: o.ratio, MaxDistance: o.maxDistance})
	if err != nil {
		return nil, err
	}
	members := append([]member{{"method", "orb"}}, orbMembers(o)...)
	members = append(members,
		member{"cross_check", o.crossCheck}, member{"ratio", o.ratio}, member{"max_distance", o.maxDistance})
	h, err := newHomography()
	if err != nil {
		return nil, err
	}
	return &matchFinder{extractor: e, matcher: m, agreed: h, members: members}, nil
}

func (f *matchFinder) report() report {
	return report{
		members: f.members,
		things:  "matches",
		columns: []string{"query_x", "query_y", "train_x", "train_y", "distance", "inlier"},
		count:   len(f.matches),
		record: func(i int) []any {
			m := f.matches[i]
			a, b := f.found[0].keypoints[m.Query], f.found[1].keypoints[m.Train]
			return []any{a.X, a.Y, b.X, b.Y, m.Distance, ""}
		},
	}
}

// writeJSON returns the report as corners match -format json writes it.
func (f *matchFinder) writeJSON(names [2]string, pictures *[slots]picture) []byte {
	text := []byte{'{'}
	for i, name := range []string{"query", "train"} {
		text = append(jsontext.AppendString(text, name), ":{"...)
		size := pictures[i].gray.Rect.Size()
		text = appendMembers(text, []member{
			{"image", names[i]},
			{"width", size.X},
			{"height", size.Y},
			{"keypoints", len(f.found[i].keypoints)},
		})
		text = append(text, "},"...)
	}
	text = append(appendMembers(text, f.members), ',')
	r := f.report()
	text = r.appendThings(text, func(text []byte, i int) []byte {
		m := f.matches[i]
		for j, index := range []int32{m.Query, m.Train} {
			k := f.found[j].keypoints[index]
			text = append(jsontext.AppendString(text, [...]string{"query", "train"}[j]), ":{"...)
			text = appendMembers(text, []member{{"index", index}, {"x", k.X}, {"y", k.Y}})
			text = append(text, "},"...)
		}
		return appendMembers(text, []member{{"distance", m.Distance}})
	})
	return append(text, "}\n"...)
}

func (f *matchFinder) find(pictures *[slots]picture) {
	for i := range f.found {
		// A picture that is held while the other one changes is not searched again.
		if pictures[i].serial != f.serials[i] {
			f.extract(pictures, i)
		}
	}
	f.matches = f.matcher.Append(f.matches[:0], f.found[0].descriptors, f.found[1].descriptors)
	f.agreed.find(f.found[0].keypoints, f.found[1].keypoints, f.matches)
}

// extract finds the keypoints of one of the pictures.
func (f *matchFinder) extract(pictures *[slots]picture, i int) {
	f.found[i].extract(f.extractor, &pictures[i].gray)
	f.serials[i] = pictures[i].serial
}

// describe adds the numbers of keypoints and, if there is one, the homography.
func (f *matchFinder) describe(result map[string]any) {
	result["keypoints"] = []any{len(f.found[0].keypoints), len(f.found[1].keypoints)}
	if f.agreed.found {
		result["transform"] = numbers(f.agreed.fit.Transform)
		result["inliers"] = f.agreed.fit.Inliers
	}
}

func (f *matchFinder) appendTo(dst []float32) ([]float32, int) {
	for _, m := range f.matches {
		a, b := f.found[0].keypoints[m.Query], f.found[1].keypoints[m.Train]
		dst = append(dst, a.X, a.Y, b.X, b.Y, float32(m.Distance))
	}
	return dst, 5
}
