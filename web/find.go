//go:build js && wasm

package main

import (
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"syscall/js"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
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
	levels      int
	crossCheck  bool
	ratio       float64
	maxDistance int
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
		levels:      v.Get("levels").Int(),
		crossCheck:  v.Get("crossCheck").Bool(),
		ratio:       v.Get("ratio").Float(),
		maxDistance: v.Get("maxDistance").Int(),
	}
}

// A finder finds corners, keypoints or matches. It keeps them until the next call of find.
type finder interface {
	find(pictures *[2]picture)
	// appendTo appends stride numbers for each of them to dst.
	appendTo(dst []byte) (values []byte, stride int)
}

func newFinder(o options) (finder, error) {
	switch o.method {
	case "fast":
		return newFASTFinder(o)
	case "harris":
		return newHarrisFinder(o, harris.Harris)
	case "shi-tomasi":
		return newHarrisFinder(o, harris.MinEigenvalue)
	case "lococo":
		return newLoCoCoFinder(o)
	case "keypoints":
		return newKeypointFinder(o)
	case "matches":
		return newMatchFinder(o)
	}
	return nil, fmt.Errorf("unknown method %q", o.method)
}

// A cornerFinder finds corners in the first picture.
type cornerFinder[C fast.Point] struct {
	corners []C
	detect  func(dst []C, img *image.Gray) []C
}

func (f *cornerFinder[C]) find(pictures *[2]picture) {
	f.corners = f.detect(f.corners[:0], &pictures[0].gray)
}

func (f *cornerFinder[C]) appendTo(dst []byte) ([]byte, int) {
	for _, c := range f.corners {
		p := c.Pt()
		dst = appendFloats(dst, float32(p.X), float32(p.Y), c.Strength())
	}
	return dst, 3
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
	return &cornerFinder[fast.Corner]{detect: detect}, nil
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
	return &cornerFinder[harris.Corner]{detect: detect}, nil
}

func newLoCoCoFinder(o options) (finder, error) {
	d, err := lococo.New(lococo.Options{
		Kernel:            o.kernel,
		Quality:           o.quality,
		SuppressionRadius: o.radius,
		MaxCorners:        o.number,
	})
	if err != nil {
		return nil, err
	}
	detect := func(dst []lococo.Corner, img *image.Gray) []lococo.Corner { return d.Append(dst, img, nil) }
	return &cornerFinder[lococo.Corner]{detect: detect}, nil
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
	return &keypointFinder{extractor: e}, nil
}

func (f *keypointFinder) find(pictures *[2]picture) {
	f.extract(f.extractor, &pictures[0].gray)
}

func (f *keypointFinder) appendTo(dst []byte) ([]byte, int) {
	for _, k := range f.keypoints {
		dst = appendFloats(dst, k.X, k.Y, k.Size, k.Angle, float32(k.Octave))
	}
	return dst, 5
}

// A matchFinder finds matches between both pictures.
type matchFinder struct {
	extractor *orb.Extractor
	matcher   *match.Matcher
	found     [2]features
	serials   [2]int // of the pictures that these are of
	matches   []match.Match
}

func newMatchFinder(o options) (finder, error) {
	e, err := newExtractor(o)
	if err != nil {
		return nil, err
	}
	m, err := match.New(match.Options{CrossCheck: o.crossCheck, Ratio: o.ratio, MaxDistance: o.maxDistance})
	if err != nil {
		return nil, err
	}
	return &matchFinder{extractor: e, matcher: m}, nil
}

func (f *matchFinder) find(pictures *[2]picture) {
	for i := range pictures {
		// A picture that is held while the other one changes is not searched again.
		if p := &pictures[i]; p.serial != f.serials[i] {
			f.found[i].extract(f.extractor, &p.gray)
			f.serials[i] = p.serial
		}
	}
	f.matches = f.matcher.Append(f.matches[:0], f.found[0].descriptors, f.found[1].descriptors)
}

func (f *matchFinder) appendTo(dst []byte) ([]byte, int) {
	for _, m := range f.matches {
		a, b := f.found[0].keypoints[m.Query], f.found[1].keypoints[m.Train]
		dst = appendFloats(dst, a.X, a.Y, b.X, b.Y, float32(m.Distance))
	}
	return dst, 5
}

func appendFloats(dst []byte, values ...float32) []byte {
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	}
	return dst
}
