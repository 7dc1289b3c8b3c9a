package peers

import (
	"fmt"
	"image"
	"slices"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/motions"
)

// Track returns where the points of a are in b by OpenCV's calcOpticalFlowPyrLK. All but
// Found have the Status Lost, and any Err. The guesses may be nil. Of the options those
// count that OpenCV has.
func (p *Peers) Track(opts flow.Options, a, b *image.Gray, points, guesses []flow.Point) []flow.Track {
	return p.calls.tracks(p.follow(&opts, a, b, points, guesses))
}

// follow has OpenCV follow points, and returns how many they are.
func (p *Peers) follow(opts *flow.Options, a, b *image.Gray, points, guesses []flow.Point) int {
	full := Must(flow.New(*opts)).Options()
	return found("calcOpticalFlowPyrLK", p.calls.follow(&full, a, b, points, guesses))
}

// Refine moves points by OpenCV's cornerSubPix.
func (p *Peers) Refine(opts harris.RefinerOptions, img *image.Gray, points []flow.Point) {
	found("cornerSubPix", p.calls.refine(&opts, img, points))
}

// FlowPackages and RefinePackages are the packages with kernels that the tests of package
// flow and of refined corners use.
var (
	FlowPackages   = []string{"flow"}
	RefinePackages = []string{"harris"}
)

// FlowPoints returns the points that are followed, and refined: at most 500 corners.
func FlowPoints(img *image.Gray) []flow.Point {
	return flow.Points(Must(harris.New(harris.GoodFeatures(500, 0.01, 10))).Detect(img, nil))
}

// A Scene is a frame, another one after a motion, and points of the first one.
type Scene struct {
	A, B   *image.Gray
	Points []flow.Point

	a, b   *flow.Pyramid
	number int // of OpenCV's pyramid of A, before that of B
}

// MakeScenes returns the scenes of the frames after a motion, with pyramids for windows of
// this size. Their points are those of the frames. OpenCV keeps only its pyramids for the
// scenes that were made last.
func (p *Peers) MakeScenes(frames []*image.Gray, points [][]flow.Point, m *motions.Motion, window int) []*Scene {
	t := Must(flow.New(windowOptions(window)))
	opts := t.Options()
	var list []*Scene
	for i, img := range frames {
		s := &Scene{A: img, B: m.Of(img), Points: points[i], number: 1 + 2*i}
		s.a, s.b = t.Pyramid(s.A), t.Pyramid(s.B)
		found("buildOpticalFlowPyramid", p.calls.pyramid(&opts, s.number, true, s.A))
		found("buildOpticalFlowPyramid", p.calls.pyramid(&opts, s.number+1, false, s.B))
		list = append(list, s)
	}
	return list
}

// windowOptions returns options with windows of a size.
func windowOptions(window int) flow.Options {
	return flow.Options{Window: image.Pt(window, window)}
}

// scratchPyramid is the number of OpenCV's pyramid that is made again and again.
const scratchPyramid = 0

// FlowTests returns the tests of package flow with windows of a size. Scenes must have been
// made for this size.
func (p *Peers) FlowTests(window int) []Test[*Scene] {
	opts := windowOptions(window)
	full := Must(flow.New(opts)).Options()
	tracker := func(workers int) *flow.Tracker {
		opts := opts
		opts.Workers = workers
		return Must(flow.New(opts))
	}
	tracking := func(workers int) func() func(s *Scene) {
		return func() func(s *Scene) {
			t := tracker(workers)
			var tracks []flow.Track
			return func(s *Scene) { tracks = t.AppendTrack(tracks[:0], s.a, s.b, s.Points, nil) }
		}
	}
	whole := func(workers int) func() func(s *Scene) {
		return func() func(s *Scene) {
			t := tracker(workers)
			var tracks []flow.Track
			var a, b flow.Pyramid
			return func(s *Scene) {
				t.PyramidInto(&a, s.A)
				t.PyramidInto(&b, s.B)
				tracks = t.AppendTrack(tracks[:0], &a, &b, s.Points, nil)
			}
		}
	}
	return []Test[*Scene]{
		{"tracking", append(withWorkers(tracking), contender[*Scene]{"opencv", true, func(s *Scene) {
			found("calcOpticalFlowPyrLK", p.calls.followReady(&full, s.number, s.number+1, s.Points))
		}})},
		{"whole call", append(withWorkers(whole), contender[*Scene]{"opencv", true, func(s *Scene) {
			found("calcOpticalFlowPyrLK", p.calls.follow(&full, s.A, s.B, s.Points, nil))
		}})},
	}
}

// PyramidTests returns the test of pyramids for package flow.
func (p *Peers) PyramidTests() []Test[*Scene] {
	t := Must(flow.New(flow.Options{}))
	full := t.Options()
	theirs := func(name string, derivatives bool) contender[*Scene] {
		return contender[*Scene]{name, true, func(s *Scene) {
			found("buildOpticalFlowPyramid", p.calls.pyramid(&full, scratchPyramid, derivatives, s.A))
		}}
	}
	ours := contenders(FlowPackages, func() func(s *Scene) {
		var a flow.Pyramid
		return func(s *Scene) { t.PyramidInto(&a, s.A) }
	})
	return []Test[*Scene]{{"pyramid", append(ours, theirs("opencv", false), theirs("opencv, with derivatives", true))}}
}

// withWorkers returns the contenders of package flow, the best one with two workers, too.
func withWorkers(create func(workers int) func() func(s *Scene)) []contender[*Scene] {
	list := contenders(FlowPackages, create(1))
	best := Sets(FlowPackages...)[0]
	return append(list, contender[*Scene]{best.Name + ", 2 workers", false, Limit(best, create(2))})
}

// RefineTests returns the tests of refined corners, for windows of two sizes.
func (p *Peers) RefineTests() []Test[*Scene] {
	var tests []Test[*Scene]
	for _, radius := range []int{5, 10} {
		opts := harris.RefinerOptions{WindowRadius: radius}
		r := Must(harris.NewRefiner(opts))
		var points []flow.Point
		ours := contenders(RefinePackages, func() func(s *Scene) {
			return func(s *Scene) {
				points = append(points[:0], s.Points...)
				harris.Refine(r, s.A, points, nil)
			}
		})
		theirs := contender[*Scene]{"opencv", true, func(s *Scene) {
			points = append(points[:0], s.Points...)
			p.Refine(opts, s.A, points)
		}}
		tests = append(tests, Test[*Scene]{fmt.Sprintf("radius %d", radius), append(ours, theirs)})
	}
	return tests
}

// DifferentTracks returns how many tracks of the first list are not those of the second, which
// are OpenCV's. Errors of points that were not found do not count.
func DifferentTracks(got, want []flow.Track) (different int) {
	for i, t := range got {
		u := want[i]
		if t.Found() != u.Found() || t.X != u.X || t.Y != u.Y || (t.Found() && t.Err != u.Err) {
			different++
		}
	}
	return different
}

// DifferentPoints returns how many points of two lists differ.
func DifferentPoints(got, want []flow.Point) (different int) {
	for i, p := range got {
		if p != want[i] {
			different++
		}
	}
	return different
}

// Moved returns a copy of points, moved by up to half a pixel, so that they lie between
// pixels.
func Moved(points []flow.Point) []flow.Point {
	moved := slices.Clone(points)
	for i := range moved {
		moved[i].X += float32(37*i%64)/64 - 0.5
		moved[i].Y += float32(23*i%64)/64 - 0.5
	}
	return moved
}
