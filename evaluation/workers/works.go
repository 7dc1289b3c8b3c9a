package main

import (
	"image"
	"math"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/locate"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/vpi"
	"github.com/fastcorners/fast/warp"
)

// A work is something that workers share.
type work struct {
	name string
	// prepare returns a function that returns what does the work by a number of workers: a function
	// of the number of a view, which has memory of its own.
	prepare func(views []*image.Gray) func(workers int) func(view int)
}

// must returns v, which was made of options that are in range.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// byWorkers returns a work that prepares nothing in common for all numbers of workers.
func byWorkers(name string, create func(views []*image.Gray, workers int) func(view int)) work {
	return work{name, func(views []*image.Gray) func(int) func(int) {
		return func(workers int) func(int) { return create(views, workers) }
	}}
}

// A finder finds features of an image, without those that a mask excludes.
type finder[F any] interface {
	Append(dst []F, img, mask *image.Gray) []F
}

// finding returns the work of a finder.
func finding[F any, D finder[F]](name string, create func(workers int) (D, error)) work {
	return byWorkers(name, func(views []*image.Gray, workers int) func(int) {
		d := must(create(workers))
		var found []F
		return func(view int) { found = d.Append(found[:0], views[view], nil) }
	})
}

// corners returns the work of package fast.
func corners(name string, opts fast.Options) work {
	return byWorkers(name, func(views []*image.Gray, workers int) func(int) {
		opts := opts
		opts.Workers = workers
		d := must(fast.New(opts))
		var found []fast.Corner
		return func(view int) { found = d.Append(found[:0], views[view]) }
	})
}

// describing returns the work of a finder that also describes what it finds.
func describing[D any, E interface {
	Append([]point.Keypoint, []D, *image.Gray, *image.Gray) ([]point.Keypoint, []D)
}](name string, create func(workers int) (E, error)) work {
	return byWorkers(name, func(views []*image.Gray, workers int) func(int) {
		e := must(create(workers))
		var found []point.Keypoint
		var descs []D
		return func(view int) { found, descs = e.Append(found[:0], descs[:0], views[view], nil) }
	})
}

// following returns the work of package flow: pyramids, points followed with pyramids that are
// there, or both.
func following(name string, pyramids, tracks bool) work {
	return work{name, func(views []*image.Gray) func(int) func(int) {
		detector := must(harris.New(harris.GoodFeatures(500, .01, 5)))
		points := make([][]flow.Point, len(views))
		for i, view := range views {
			if tracks {
				points[i] = flow.Points(detector.Detect(view, nil))
			}
		}
		return func(workers int) func(int) {
			t := must(flow.New(flow.Options{Workers: workers}))
			var all []*flow.Pyramid
			for _, view := range views {
				all = append(all, t.Pyramid(view))
			}
			var found []flow.Track
			return func(view int) {
				if pyramids {
					t.PyramidInto(all[view], views[view])
				}
				if tracks {
					found = t.AppendTrack(found[:0], all[view^1], all[view], points[view^1], nil)
				}
			}
		}
	}}
}

// warping returns the work of package warp.
func warping(name string, transform func(size image.Point) warp.Transform) work {
	return byWorkers(name, func(views []*image.Gray, workers int) func(int) {
		w := must(warp.New(warp.Options{Workers: workers}))
		dst := image.NewGray(views[0].Rect)
		t := transform(dst.Rect.Size())
		return func(view int) { w.Gray(dst, views[view], t) }
	})
}

// turned is a rotation by 2 degrees around the middle.
func turned(size image.Point) warp.Affine {
	sin, cos := math.Sincos(2 * math.Pi / 180)
	x, y := float64(size.X)/2, float64(size.Y)/2
	return warp.Affine{cos, -sin, x - cos*x + sin*y, sin, cos, y - sin*x - cos*y}
}

// tilted is turned in perspective.
func tilted(size image.Point) warp.Transform {
	a := turned(size)
	return warp.Homography{a[0], a[1], a[2], a[3], a[4], a[5], .02 / float64(size.X), .02 / float64(size.Y), 1}
}

// locating is the search for a part of a view in the next one, which shows the same.
var locating = work{"locate: a template of 64x64", func(views []*image.Gray) func(int) func(int) {
	var templates []*locate.Template
	for _, view := range views {
		middle := view.Rect.Max.Div(2)
		part := view.SubImage(image.Rectangle{Min: middle, Max: middle.Add(image.Pt(64, 64))})
		templates = append(templates, must(locate.NewTemplate(part.(*image.Gray), nil)))
	}
	return func(workers int) func(int) {
		l := must(locate.New(locate.Options{Workers: workers}))
		var scene locate.Scene
		return func(view int) {
			locate.SceneInto(&scene, views[view])
			l.Find(&scene, templates[view^1])
		}
	}
}}

// matching is the search for the nearest descriptors of two sets, as many as a larger frame has more
// of.
var matching = work{"match: a descriptor for each 1000 pixels", func(views []*image.Gray) func(int) func(int) {
	size := views[0].Rect.Size()
	sets := make([][]match.Descriptor, len(views))
	for i, view := range views {
		_, sets[i] = must(orb.New(orb.Options{Features: size.X * size.Y / 1000})).Extract(view, nil)
	}
	return func(workers int) func(int) {
		m := must(match.New[match.Descriptor](match.Options{Workers: workers}))
		var found []match.Match
		return func(view int) { found = m.Append(found[:0], sets[view^1], sets[view]) }
	}
}}

// stabilizing is a frame of a video.
var stabilizing = byWorkers("stabilize: Push", func(views []*image.Gray, workers int) func(int) {
	s := must(stabilize.New(stabilize.Options{Workers: workers}))
	return func(view int) { s.Push(views[view&1]) }
})

var works = []work{
	corners("fast: FAST-10", fast.Options{Threshold: 25}),
	corners("fast: FAST-9 with suppression", fast.Options{Threshold: 25, ArcLength: 9, NonmaxSuppression: true}),
	byWorkers("vpi: radius 2", func(views []*image.Gray, workers int) func(int) {
		d := must(vpi.New(vpi.Options{Threshold: 25, CircleRadius: 2, Workers: workers}))
		var found []vpi.Corner
		return func(view int) { found = d.Append(found[:0], views[view]) }
	}),
	finding[harris.Corner]("harris: responses above a limit", func(workers int) (*harris.Detector, error) {
		return harris.New(harris.Options{Quality: .01, Workers: workers})
	}),
	finding[harris.Corner]("harris: good features", func(workers int) (*harris.Detector, error) {
		opts := harris.GoodFeatures(1000, .01, 10)
		opts.Workers = workers
		return harris.New(opts)
	}),
	finding[lococo.Corner]("lococo", func(workers int) (*lococo.Detector, error) {
		return lococo.New(lococo.Options{Workers: workers})
	}),
	describing[match.Descriptor]("orb: 1000 features", func(workers int) (*orb.Extractor, error) {
		return orb.New(orb.Options{Features: 1000, Workers: workers})
	}),
	describing[match.Vector]("sift: 1000 features", func(workers int) (*sift.Extractor, error) {
		return sift.New(sift.Options{Features: 1000, NoDoubling: true, Workers: workers})
	}),
	following("flow: a pyramid", true, false),
	following("flow: 500 points", false, true),
	following("flow: a pyramid and 500 points", true, true),
	stabilizing,
	warping("warp: Affine", func(size image.Point) warp.Transform { return turned(size) }),
	warping("warp: Homography", tilted),
	locating,
	matching,
}
