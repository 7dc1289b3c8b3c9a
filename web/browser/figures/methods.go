package main

import (
	"image"
	"image/draw"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/register"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/warp"
)

// A method is what is measured.
type method struct {
	name   string
	page   string // the call of measure.js for the page
	opencv string // and for OpenCV.js, if that has it
	moving bool   // it takes the frames of a video
	find   func(frame *image.Gray)

	room string // what the page calls the method, if it shows the figures
	what string // what the page says that was measured

	second bool // the page uses a second core
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
	matcher, err := match.New[match.Descriptor](match.Options{CrossCheck: true, Ratio: 0.8, MaxDistance: 64})
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
	tracker, err := flow.New(flow.Options{Confirm: 0.5, KeepInside: true})
	if err != nil {
		return nil, err
	}
	good, err := harris.New(harris.GoodFeatures(500, 0.01, 10))
	if err != nil {
		return nil, err
	}
	warper, err := warp.New(warp.Options{Border: border.Reflect101})
	if err != nil {
		return nil, err
	}
	var points []flow.Point
	var before *flow.Pyramid
	frames := 0
	track := func(frame *image.Gray) {
		after := tracker.Pyramid(frame)
		if len(points) > 0 && before != nil {
			tracks := tracker.Track(before, after, points, nil)
			points = points[:0]
			for _, t := range tracks {
				if t.Found() {
					points = append(points, t.Point())
				}
			}
		}
		if frames%10 == 0 {
			points = flow.AppendPoints(points[:0], good.Detect(frame, nil))
		}
		before = after
		frames++
	}
	warped := image.NewGray(image.Rect(0, 0, 640, 360))
	stabilizer, err := stabilize.New(stabilize.Options{Online: true, Points: 200, Zoom: 1.15, MaxZoom: 1.15})
	if err != nil {
		return nil, err
	}
	registerer, err := register.New(register.Options{
		ORB:   orb.Options{Features: 500},
		Match: match.Options{CrossCheck: true, Ratio: 0.8, MaxDistance: 64},
	})
	if err != nil {
		return nil, err
	}
	var photo, moved *image.NRGBA // in colors
	var first *image.Gray
	panorama := func(frame *image.Gray) {
		if first == nil {
			first, moved = frame, image.NewNRGBA(frame.Rect)
			photo = image.NewNRGBA(frame.Rect)
			draw.Draw(photo, frame.Rect, frame, image.Point{}, draw.Src)
		}
		if fit, err := registerer.Register(first, frame); err == nil {
			warper.NRGBA(moved, photo, warp.Of(fit.Transform))
		}
	}
	return []method{
		{
			name: "FAST-9", page: `measure({})`, opencv: `measureOpenCV("fast")`, find: findFAST(fasts[0]),
			room: "fast", what: "FAST-9 with suppression, threshold 25",
		},
		{name: "FAST-10", page: `measure({arc: 10})`, find: findFAST(fasts[1])},
		{
			name: "Harris", page: `measure({method: "harris"})`, opencv: `measureOpenCV("harris")`, find: findHarris(harrises[0]),
			room: "harris", what: "Harris, up to 2,000 corners 10 pixels apart",
		},
		{
			name: "Shi-Tomasi", page: `measure({method: "shi-tomasi"})`, opencv: `measureOpenCV("shi-tomasi")`, find: findHarris(harrises[1]),
			room: "shi-tomasi", what: "Shi-Tomasi, up to 2,000 corners 10 pixels apart",
		},
		{
			name: "LoCoCo", page: `measure({method: "lococo"})`,
			find: func(frame *image.Gray) { boxes = lococos.Append(boxes[:0], frame, nil) },
		},
		{
			name: "ORB", page: `measure({kind: "keypoints", method: "keypoints", threshold: 20})`, opencv: `measureOpenCV("orb")`,
			find: func(frame *image.Gray) { kps, descs = extractor.Append(kps[:0], descs[:0], frame, nil) },
			room: "keypoints", what: "ORB, 500 keypoints with descriptors",
		},
		{
			name: "ORB and matches", page: `measure({kind: "matches", method: "matches", threshold: 20})`, opencv: `measureOpenCVMatches()`,
			room: "matches", what: "500 ORB keypoints, their matches with those of another frame, and a homography",
			find: func(frame *image.Gray) {
				kps, descs = extractor.Append(kps[:0], descs[:0], frame, nil)
				matches = matcher.Append(matches[:0], train, descs)
			},
		},
		{
			name: "500 points tracked, there and back", page: `measureMoving({kind: "track", method: "track"})`, opencv: `measureOpenCVTrack()`, moving: true, find: track,
			room: "track", what: "Up to 500 points, followed there and back, and looked for in each tenth frame",
		},
		{
			name: "panorama of two frames", page: `measurePanorama()`, opencv: `measureOpenCVPanorama()`, moving: true, find: panorama,
			room: "panorama", what: "Two photos, 500 ORB keypoints each, matches, a homography, and one photo warped", second: true,
		},
		{
			name: "motion to stabilize", page: `measureMoving({kind: "stabilize", method: "stabilize", points: 200})`,
			opencv: `measureOpenCVStabilize()`, moving: true, find: func(frame *image.Gray) { stabilizer.Push(frame) },
			room: "stabilize", what: "Up to 200 points, followed there and back, and the affine motion that they agree with",
		},
		{
			name: "affine warp to 640x360", page: `measureWarp()`, opencv: `measureOpenCVWarp()`,
			find: func(frame *image.Gray) { warper.Gray(warped, frame, warp.Affine{0.9, 0.01, 10, -0.01, 0.9, 20}) },
		},
	}, nil
}
