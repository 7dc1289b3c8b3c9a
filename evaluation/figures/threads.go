package main

import (
	"fmt"
	"image"
	"math"
	"runtime"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/motions"
	"github.com/fastcorners/fast/locate"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/warp"
)

// A sharedCall is what several workers of this library do with a frame of a number, and as many
// threads of OpenCV.
type sharedCall struct {
	name   string
	ours   func(workers int) func(frame int)
	opencv func(frame int)
}

// sharedCalls returns the calls on frames of a size, of which each two show the same.
func sharedCalls(p *peers.Peers, images []*image.Gray) []sharedCall {
	size := images[0].Rect.Size()
	var points [][]flow.Point
	var templates []*locate.Template
	var parts []peers.Pixels
	var sets [][]match.Descriptor
	extractor := peers.Must(orb.New(orb.Options{Features: size.X * size.Y / 1000}))
	for _, img := range images {
		points = append(points, peers.FlowPoints(img))
		middle := size.Div(2)
		part := img.SubImage(image.Rectangle{Min: middle, Max: middle.Add(image.Pt(64, 64))}).(*image.Gray)
		templates = append(templates, peers.Must(locate.NewTemplate(part, nil)))
		parts = append(parts, peers.GrayPixels(part))
		_, descs := extractor.Extract(img, nil)
		sets = append(sets, descs)
	}
	sin, cos := math.Sincos(2 * math.Pi / 180)
	turn := warp.Affine{cos, -sin, float64(size.X) / 50, sin, cos, -float64(size.Y) / 50}
	warped := image.NewGray(images[0].Rect)
	features := func(workers int) harris.Options {
		opts := harris.GoodFeatures(1000, .01, 10)
		opts.Workers = workers
		return opts
	}
	onFrames := func(do func(img *image.Gray)) func(int) { return func(i int) { do(images[i]) } }
	nonmax := p.Detectors()[3]
	const threshold = 25
	calls := []sharedCall{
		{"FAST-9 with suppression", func(workers int) func(int) {
			return onFrames(peers.Must(measure.Detector(fast.Options{ArcLength: 9, Threshold: threshold, NonmaxSuppression: true, Workers: workers})))
		}, func(i int) { nonmax.Detect(images[i], threshold) }},
		{"good features, 1000", func(workers int) func(int) {
			return onFrames(newHarris(features(workers)))
		}, func(i int) { p.GoodFeatures(features(1), images[i], nil) }},
		{"ORB, 1000", func(workers int) func(int) {
			return onFrames(newExtractor[match.Descriptor](peers.Must(orb.New(orb.Options{Features: 1000, Workers: workers}))))
		}, func(i int) { p.Extract(orb.Options{Features: 1000}, images[i], nil) }},
		{"pyramids and flow of 500 points", func(workers int) func(int) {
			t := peers.Must(flow.New(flow.Options{Workers: workers}))
			var a, b flow.Pyramid
			var tracks []flow.Track
			return func(i int) {
				t.PyramidInto(&a, images[i])
				t.PyramidInto(&b, images[i^1])
				tracks = t.AppendTrack(tracks[:0], &a, &b, points[i], nil)
			}
		}, func(i int) { p.Track(flow.Options{}, images[i], images[i^1], points[i], nil) }},
		{"an affine warp", func(workers int) func(int) {
			w := peers.Must(warp.New(warp.Options{Workers: workers}))
			return func(i int) { w.Gray(warped, images[i], turn) }
		}, func(i int) { p.Warp(warp.Options{}, peers.GrayPixels(warped), peers.GrayPixels(images[i]), turn) }},
		{"a template of 64x64 found", func(workers int) func(int) {
			l := peers.Must(locate.New(locate.Options{Workers: workers}))
			var scene locate.Scene
			return func(i int) {
				locate.SceneInto(&scene, images[i])
				l.Find(&scene, templates[i^1])
			}
		}, func(i int) { p.Search(locate.Correlation, peers.GrayPixels(images[i]), parts[i^1], nil) }},
		{"descriptors matched, one for each 1000 pixels", func(workers int) func(int) {
			m := peers.Must(match.New[match.Descriptor](match.Options{Workers: workers}))
			var found []match.Match
			return func(i int) { found = m.Append(found[:0], sets[i], sets[i^1]) }
		}, func(i int) { p.Match(match.Options{}, sets[i], sets[i^1]) }},
	}
	if size.X < 3840 {
		calls = append(calls, sharedCall{"SIFT, 1000", func(workers int) func(int) {
			return onFrames(newExtractor[match.Vector](peers.Must(sift.New(sift.Options{Features: 1000, Workers: workers}))))
		}, func(i int) { p.SIFT(sift.Options{Features: 1000}, images[i], nil) }})
	}
	return calls
}

// threadCounts returns the numbers of workers and of threads: powers of two up to 16, as far as there
// are processors.
func threadCounts() []int {
	var list []int
	for n := 1; n <= min(runtime.NumCPU(), 16); n *= 2 {
		list = append(list, n)
	}
	return list
}

// bestSets returns the instruction sets of this processor whose times are worth reading: AVX2 and
// better ones, or else the best one.
func bestSets() []cpu.InstructionSet {
	all := peers.Sets()
	n := slices.IndexFunc(all, func(set cpu.InstructionSet) bool { return set.Name == "avx2" })
	return all[:max(n, 0)+1]
}

// compareThreads measures workers beside threads of OpenCV.
func compareThreads(s *session, p *peers.Peers) (map[string][]byte, error) {
	defer p.SetThreads(1)
	counts, sets := threadCounts(), bestSets()
	// Two pairs of frames each.
	specs := []spec{{640, 480, 2, 9}, {1920, 1080, 2, 5}, {3840, 2160, 2, 5}}
	if s.quick {
		specs = []spec{s.shorten(specs[0])}
	}
	steps := 0
	for _, c := range specs {
		steps += len(counts) * c.steps()
	}
	s.steps(steps)
	header := []string{"call", nameColumn}
	for _, n := range counts {
		header = append(header, fmt.Sprint(n))
	}
	var clocks []float64
	var tables []string
	for _, c := range specs {
		var images []*image.Gray
		for _, img := range s.frames(c) {
			images = append(images, img, motions.Named("t5").Of(img))
		}
		calls := sharedCalls(p, images)
		var rows [][]string
		for _, call := range calls {
			for _, set := range sets {
				rows = append(rows, []string{call.name, set.Name})
			}
			rows = append(rows, []string{call.name, "opencv *"})
		}
		frames := make([]int, len(images))
		for i := range frames {
			frames[i] = i
		}
		for _, n := range counts {
			p.SetThreads(n)
			var contenders []func(int)
			for _, call := range calls {
				for _, set := range sets {
					contenders = append(contenders, peers.Limit(set, func() func(int) { return call.ours(n) }))
				}
				contenders = append(contenders, call.opencv)
			}
			r := measure.Race(contenders, frames, len(frames), c.Rounds, s.step)
			s.spreads, clocks = append(s.spreads, r.Spread...), append(clocks, r.GHz)
			for i := range rows {
				theirs := i - i%(len(sets)+1) + len(sets)
				rows[i] = append(rows[i], cell(peers.Time{Nanoseconds: r.Nanoseconds[i], Spread: r.Spread[i], Speedup: r.Ratio(theirs, i)}, 1e6))
			}
		}
		tables = append(tables, fmt.Sprintf("## %v\n\n%s", c, table(2, header, rows)))
	}
	about := []string{
		"Milliseconds for a frame by so many workers of this library, with each of the best instruction sets, and by as many threads of OpenCV " + p.OpenCV() + ", with the best code " +
			"that it has for this processor: medians over the rounds, followed by their spread (±), and in parentheses how many times as long OpenCV takes. All calls take turns, so that workers are rarely awake from the one before. OpenCV does not share all of its " +
			"calls among threads. SIFT is left out where OpenCV takes seconds.",
	}
	return map[string][]byte{"threads.md": s.page("Workers beside OpenCV's threads", measure.Median(clocks), append(about, tables...)...)}, nil
}
