package main

import (
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/motions"
	"github.com/fastcorners/fast/locate"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/warp"
	"golang.org/x/image/draw"
	"gonum.org/v1/plot/vg"
)

// choose returns the tests with these names, with the name of the package before them.
func choose[T any](tests []peers.Test[T], library string, names ...string) []peers.Test[T] {
	var list []peers.Test[T]
	for _, name := range names {
		t := tests[slices.IndexFunc(tests, func(t peers.Test[T]) bool { return t.Name == name })]
		t.Name = library + ": " + name
		list = append(list, t)
	}
	return list
}

// A peerRace collects the times of all packages and their peers, one thread each.
type peerRace struct {
	*session
	times  []peers.Time
	clocks []float64
}

// runTests measures tests over inputs, which together make the given number of units.
func runTests[T any](r *peerRace, tests []peers.Test[T], inputs []T, units, rounds int) {
	if r.quick {
		rounds = min(rounds, 2)
	}
	times, ghz := compare(r.session, tests, inputs, units, rounds)
	times = slices.DeleteFunc(times, func(t peers.Time) bool { return strings.Contains(t.Name, "workers") })
	r.times, r.clocks = append(r.times, times...), append(r.clocks, ghz)
}

const (
	// slowFrames is the number of frames for the packages that take longest.
	slowFrames = 4
	// pairTrials is the number of sets of pairs of points.
	pairTrials = 16
)

// comparePeers compares all packages with their peers, in what they are used for most.
func comparePeers(s *session, opened *peers.Peers) (map[string][]byte, error) {
	ofDescriptors, n := s.matchingFrames()
	sets, err := peers.MakeDescriptors(s.frames(ofDescriptors), n, n)
	if err != nil {
		return nil, err
	}
	size := s.shorten(spec{640, 480, 24, peers.Rounds})
	frames := s.frames(size)
	s.steps(-1)

	r := &peerRace{session: s}
	onFrames(r, opened, frames)
	runTests(r, choose(opened.MatchingTests(), "match", "nearest"), sets, len(sets), ofDescriptors.Rounds)
	onFewFrames(r, opened, frames[:min(len(frames), slowFrames)])
	onPairs(r, opened)
	ghz := measure.Median(r.clocks)

	c := &comparison{
		inputs:      []input{{name: size.String()}},
		parts:       []part{{times: [][]peers.Time{r.times}}},
		inputColumn: "frames",
		work:        work{column: "ns", timeFormat: "%.0f"},
	}
	list, err := s.list(c, ghz)
	if err != nil {
		return nil, err
	}
	b := newBars(r.times, 1, func(t peers.Time) (float64, string) {
		return t.Speedup, fmt.Sprintf("%.1f  (%.3f ms)", t.Speedup, t.Nanoseconds/1e6)
	})
	chart := newChart(b.plot("All packages and their peers, one thread", "times as fast as the fastest peer (in parentheses: time for a frame, or for two sets)"))
	chart.note = s.stamp.line(ghz) + fmt.Sprintf("\nDifferent frames of photos, %v, sets of %d descriptors and of %d pairs, in one process, taking turns. lococo: OpenCV computes only responses.\n%s.",
		size, n, racedPairs, peers.Versions())
	svg := chart.svg(760, 120+13*vg.Length(b.height), 0)
	return map[string][]byte{
		"peers.svg": svg,
		"peers.csv": list,
		"peers.md": s.page("All packages and their peers side by side", ghz,
			fmt.Sprintf("Milliseconds for a frame of %v pixels, of %d different ones, or %d for the packages from sift on; for package match, milliseconds for two sets of %d descriptors, and for "+
				"packages geometry and pose, for %d pairs of points of which half are right. ", size, len(frames), slowFrames, n, racedPairs)+
				howCompared()+" The columns are the instruction sets that a package may use; its own page has their features. Packages fast and "+
				"vpi have a threshold of 25. Of neighbors with equal scores package vpi keeps the first one, and OpenCV none. Beside LoCoCo corners, "+
				"with kernels and windows of 9 by 9 pixels and suppression, are only the responses of `cornerHarris`, with gradients and windows "+
				"of 3 by 3. `goodFeaturesToTrack` is for 1000 corners, quality 0.01 and a distance of 10 pixels. Package locate finds the best place of a template "+
				"that is cut out of the frame, and OpenCV all responses and the largest of them. Packages geometry and pose are beside USAC_ACCURATE, which is less exact. The others find the same as "+
				"their peers. "+aboutFAISS(opened),
			bySet(peers.Sets(peers.FASTPackages...), r.times), aboutKornia),
	}, nil
}

// onFrames measures the packages that take a frame and little time.
func onFrames(r *peerRace, p *peers.Peers, frames []*image.Gray) {
	circles, tensors, boxes := p.VPITest(25), p.HarrisParts(), p.LoCoCoParts()
	runTests(r, slices.Concat(
		choose(p.FASTTests(25), "fast", "FAST-10", "FAST-9 with suppression"),
		choose([]peers.Test[*image.Gray]{circles}, "vpi", circles.Name),
		choose(tensors[0].Tests, "harris", "cornerHarris", "goodFeaturesToTrack, Shi-Tomasi"),
		choose(boxes[0].Tests, "lococo", "corners, 9x9"),
		choose(boxes[1].Tests, "integral", "integral image"),
		choose(p.ORBTests(), "orb", "500 features"),
	), frames, len(frames), peers.Rounds)
}

// onFewFrames measures the packages that take longer, or two frames.
func onFewFrames(r *peerRace, p *peers.Peers, frames []*image.Gray) {
	n := len(frames)
	var photos []peers.SIFTInput
	var points [][]flow.Point
	for _, img := range frames {
		photos = append(photos, peers.SIFTInput{Image: img})
		points = append(points, peers.FlowPoints(img))
	}
	runTests(r, choose(p.SIFTTests(), "sift", peers.WholeSIFT), photos, n, siftRounds)

	const window = 21
	moved := p.MakeScenes(frames, points, motions.Named("t5"), window)
	runTests(r, choose(p.FlowTests(window), "flow", "whole call"), moved, n, flowRounds)

	size := frames[0].Rect.Size()
	images := peers.MakeWarpInputs(frames)
	for _, c := range peers.WarpCases() {
		if c.Name == "homography" {
			runTests(r, choose(c.Tests(p, size.X, size.Y), "warp, homography", "gray"), images, n, warpRounds)
		}
	}
	half := peers.ResizeCase{How: warp.Area, To: size.Div(2), DrawName: "BiLinear", Draw: draw.BiLinear}
	runTests(r, choose(half.Tests(p), "resize, half", "gray"), images, n, warpRounds)

	at := image.Rect(0, 0, 64, 64).Add(size.Div(3))
	runTests(r, []peers.Test[*image.Gray]{peers.NewTest("locate: a template of 64x64", peers.LocatePackages, func() func(img *image.Gray) {
		l := peers.Must(locate.New(locate.Options{}))
		var scene locate.Scene
		return func(img *image.Gray) {
			locate.SceneInto(&scene, img)
			l.Find(&scene, peers.Must(locate.NewTemplate(copyOf(img, at), nil)))
		}
	}, byOpenCV, func(img *image.Gray) {
		p.Search(locate.Correlation, peers.GrayPixels(img), peers.GrayPixels(copyOf(img, at)), nil)
	})}, frames, n, locateRounds)

	v := peers.NewShaken(r.photoOf(size), size, 2*n, stabilize.Options{SmoothingRadius: n})
	runTests(r, choose(p.VideoTests(), "stabilize", "whole"), []*peers.Video{v}, len(v.Frames), locateRounds)
}

// racedPairs is the number of pairs of points.
const racedPairs = 500

// onPairs measures the packages that take pairs of points, of which half are right.
func onPairs(r *peerRace, p *peers.Peers) {
	rng := rand.New(rand.NewPCG(1, 2))
	plane := scene{kind: geometry.Homography, pairs: racedPairs, right: .5, wrong: unrelated}
	space := poseScene{pairs: racedPairs, right: .5, noise: 1}
	n := pairTrials
	if r.quick {
		n = quickTrials
	}
	var planes []*trial
	var spaces []*poseTrial
	for range n {
		a, b := plane.make(rng), space.make(rng)
		planes, spaces = append(planes, &a), append(spaces, &b)
	}
	accurate := peers.USACAccurate.String()
	runTests(r, []peers.Test[*trial]{peers.NewTest("geometry: homography", []string{"geometry"}, func() func(t *trial) {
		e := ours()
		return func(t *trial) { e.estimate(plane.kind, t.a, t.b) }
	}, accurate, func(t *trial) { p.Estimate(plane.kind, peers.USACAccurate, inlierThreshold, t.a, t.b) })}, planes, n, flowRounds)

	test := func(name string, finders []poseFinder, do func(e *pose.Estimator, t *poseTrial)) peers.Test[*poseTrial] {
		theirs := finders[slices.IndexFunc(finders, func(f poseFinder) bool { return f.name == accurate })]
		return peers.NewTest("pose: "+name, []string{"pose", "geometry"}, func() func(t *poseTrial) {
			estimator := poseEstimators(pose.Options{})
			return func(t *poseTrial) { do(estimator(t.threshold), t) }
		}, accurate, func(t *poseTrial) { theirs.find(t, nil) })
	}
	runTests(r, []peers.Test[*poseTrial]{
		test("motion", motionFinders(p, motionMiss), func(e *pose.Estimator, t *poseTrial) {
			e.Relative(t.camera, t.camera, t.a, t.b, nil, nil)
		}),
		test("pose among known points", poseFinders(p), func(e *pose.Estimator, t *poseTrial) {
			e.Absolute(t.camera, t.world, t.b, nil, nil)
		}),
	}, spaces, n, flowRounds)
}

// aboutKornia names a library that is not among the peers.
const aboutKornia = "[kornia-rs](https://github.com/kornia/kornia-rs), in Rust, is not among the peers: in a trial of its own kernels with AVX2, " +
	"beside package fast, FAST with scores took 3.3 to 3.9 times as long, and in images at least 800 pixels wide it drops corners by design, so " +
	"that it found 9,488 of 17,363."

// bySet returns a table with a row for each test and a column for each instruction set.
func bySet(sets []cpu.InstructionSet, times []peers.Time) string {
	header := []string{"test"}
	for _, set := range sets {
		header = append(header, set.Name)
	}
	header = append(header, "fastest peer *")
	var rows [][]string
	for i, t := range times {
		if i == 0 || t.Test != times[i-1].Test {
			rows = append(rows, append([]string{t.Test}, make([]string, len(header)-1)...))
		}
		row := rows[len(rows)-1]
		switch column := slices.Index(header, t.Name); {
		case !t.Peer:
			row[column] = cell(t, 1e6)
		case t.Speedup == 1:
			row[len(row)-1] = t.Name + ": " + cell(t, 1e6)
		}
	}
	return table(1, header, rows)
}
