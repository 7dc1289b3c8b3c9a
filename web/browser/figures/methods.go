package main

import (
	"image"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

// A method is what is measured.
type method struct {
	name   string
	page   string // the options of the page that differ from those in measure.js, as JSON
	opencv string // what measure.js calls it, if OpenCV.js has it
	find   func(frame *image.Gray)
}

// newMethods returns all methods. Those that match compare with the frame held.
func newMethods(held *image.Gray) ([]method, error) {
	const number = 2000
	var fasts [2]*fast.Detector
	for i, arc := range []int{9, 10} {
		var err error
		fasts[i], err = fast.New(fast.Options{Threshold: 25, ArcLength: arc, Score: true, NonmaxSuppression: true})
		if err != nil {
			return nil, err
		}
	}
	var harrises [2]*harris.Detector
	for i, measure := range []harris.Measure{harris.Harris, harris.MinEigenvalue} {
		opts := harris.GoodFeatures(number, 0.01, 10)
		opts.Measure = measure
		var err error
		if harrises[i], err = harris.New(opts); err != nil {
			return nil, err
		}
	}
	lococos, err := lococo.New(lococo.Options{MaxCorners: number})
	if err != nil {
		return nil, err
	}
	extractor, err := orb.New(orb.Options{Features: 500})
	if err != nil {
		return nil, err
	}
	matcher, err := match.New(match.Options{CrossCheck: true, Ratio: 0.8, MaxDistance: 64})
	if err != nil {
		return nil, err
	}
	_, train := extractor.Extract(held, nil)

	var corners []fast.Corner
	findFAST := func(d *fast.Detector) func(*image.Gray) {
		return func(frame *image.Gray) { corners = fast.Strongest(d.Append(corners[:0], frame), number) }
	}
	var responses []harris.Corner
	findHarris := func(d *harris.Detector) func(*image.Gray) {
		return func(frame *image.Gray) { responses = d.Append(responses[:0], frame, nil) }
	}
	var boxes []lococo.Corner
	var kps []orb.Keypoint
	var descs []match.Descriptor
	var matches []match.Match
	return []method{
		{"FAST-9", `{"arc": 9}`, "fast", findFAST(fasts[0])},
		{"FAST-10", `{"arc": 10}`, "", findFAST(fasts[1])},
		{"Harris", `{"method": "harris"}`, "harris", findHarris(harrises[0])},
		{"Shi-Tomasi", `{"method": "shi-tomasi"}`, "shi-tomasi", findHarris(harrises[1])},
		{"LoCoCo", `{"method": "lococo"}`, "", func(frame *image.Gray) { boxes = lococos.Append(boxes[:0], frame, nil) }},
		{"ORB", `{"kind": "keypoints", "method": "keypoints", "threshold": 20}`, "orb", func(frame *image.Gray) {
			kps, descs = extractor.Append(kps[:0], descs[:0], frame, nil)
		}},
		{"ORB and matches", `{"kind": "matches", "method": "matches", "threshold": 20}`, "", func(frame *image.Gray) {
			kps, descs = extractor.Append(kps[:0], descs[:0], frame, nil)
			matches = matcher.Append(matches[:0], train, descs)
		}},
	}, nil
}
