package main

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/motions"
)

const (
	// rightWithin is how far from where it belongs a point may be, in pixels.
	rightWithin = .5
	// flowRounds is how many rounds the races of package flow take.
	flowRounds = 11
)

// flowSizes are the sizes of frames that points are followed in.
var flowSizes = []peers.Size{{W: 640, H: 480, Frames: 8}, {W: 1920, H: 1080, Frames: 4}}

// followers are the ways to follow points whose results are compared with the known motion.
var followers = []struct {
	name string
	opts flow.Options
}{
	{"plain", flow.Options{}},
	{"mean removed", flow.Options{RemoveMean: true}},
	{"checked", flow.Options{Confirm: .5}},
	{"both", flow.Options{RemoveMean: true, Confirm: .5}},
}

// A following counts points that were followed.
type following struct {
	visible, right, found, wrong int
	errors                       []float64 // of the right ones, in pixels
}

// add counts the tracks of points, which are where the transform says in an image of a size.
func (f *following) add(points []flow.Point, tracks []flow.Track, where geometry.Transform, size image.Point) {
	for i, t := range tracks {
		p := where.Apply(geometry.Point{X: float64(points[i].X), Y: float64(points[i].Y)})
		visible := p.X >= 0 && p.Y >= 0 && p.X <= float64(size.X-1) && p.Y <= float64(size.Y-1)
		if visible {
			f.visible++
		}
		if !t.Found() {
			continue
		}
		f.found++
		switch miss := math.Hypot(float64(t.X)-p.X, float64(t.Y)-p.Y); {
		case !(miss <= rightWithin):
			f.wrong++
		case visible:
			f.right++
			f.errors = append(f.errors, miss)
		}
	}
}

// cells returns the cells of the table.
func (f *following) cells() []string {
	percent := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
	}
	return []string{percent(f.right, f.visible), percent(f.wrong, f.found), fmt.Sprintf("%.3f", quantile(f.errors, .5))}
}

// An agreement counts results that are compared with OpenCV's.
type agreement struct{ compared, different int }

func (a *agreement) add(n, different int) {
	a.compared, a.different = a.compared+n, a.different+different
}

// followPhotos follows points of the photos after the motions, and refines them. It returns
// the table of how many are where they should be, and how tracks and refined points compare
// with OpenCV's.
func (s *session) followPhotos(p *peers.Peers, photos []*image.Gray, list []motions.Motion) (text string, tracked, refined agreement) {
	header := []string{"motion", ""}
	var made []*flow.Tracker
	for _, f := range followers {
		header = append(header, f.name+": right, %", "wrong, %", "error")
		made = append(made, peers.Must(flow.New(f.opts)))
	}
	counts := make([][]following, len(list))
	for i := range counts {
		counts[i] = make([]following, len(followers))
	}
	for _, photo := range photos {
		size := photo.Rect.Size()
		points := peers.FlowPoints(photo)
		a := made[0].Pyramid(photo)
		for i := range list {
			second := list[i].Of(photo)
			b := made[0].Pyramid(second)
			for j, t := range made {
				tracks := t.Track(a, b, points, nil)
				counts[i][j].add(points, tracks, list[i].Where(size), size)
				if j == 0 {
					tracked.add(len(tracks), peers.DifferentTracks(tracks, p.Track(t.Options(), photo, second, points, nil)))
				}
			}
		}
		for _, radius := range []int{5, 10} {
			opts := harris.RefinerOptions{WindowRadius: radius}
			got, want := peers.Moved(points), peers.Moved(points)
			harris.Refine(peers.Must(harris.NewRefiner(opts)), photo, got, nil)
			p.Refine(opts, photo, want)
			refined.add(len(got), peers.DifferentPoints(got, want))
		}
		s.step()
	}
	var rows [][]string
	for i, m := range list {
		row := []string{m.Name, m.About}
		for j := range counts[i] {
			row = append(row, counts[i][j].cells()...)
		}
		rows = append(rows, row)
	}
	return table(2, header, rows), tracked, refined
}

// flowPart is a window and a motion that points are followed with.
type flowPart struct {
	window int
	motion *motions.Motion
}

// compareFlow compares package flow and refined corners with OpenCV.
func compareFlow(s *session, p *peers.Peers) (map[string][]byte, error) {
	var list []flowPart
	for _, window := range []int{21, 15} {
		for _, name := range []string{"t5", "t1", "rot2", "rotzoom"} { // that of the chart first
			list = append(list, flowPart{window, motions.Named(name)})
		}
	}
	photos, moved := s.photos, motions.All
	if s.quick {
		list, photos, moved = list[:1], photos[:1], moved[:2]
	}
	c := &comparison{
		name:        "flow",
		title:       "Package flow, refined corners and OpenCV side by side",
		work:        perFrame,
		inputColumn: "frames",
		partColumn:  "part",
		chartTitle:  "Optical flow of 500 points, windows of 21 by 21 pixels",
		chartNote:   "Different frames of photos, each moved by 6 pixels, in one process, taking turns, one thread each but for those with 2 workers. The results are the same.",
	}
	for _, l := range list {
		c.parts = append(c.parts, part{
			heading: fmt.Sprintf("Windows of %d by %d pixels, motion %s (%s)", l.window, l.window, l.motion.Name, l.motion.About),
			value:   fmt.Sprintf("window %d, %s", l.window, l.motion.Name),
		})
	}
	c.parts = append(c.parts, part{heading: "Pyramids", value: "pyramid"}, part{heading: "Refined corners", value: "Refine"})
	var specs []spec
	steps := len(photos)
	for _, size := range flowSizes {
		short := s.shorten(spec{size.W, size.H, size.Frames, flowRounds})
		specs = append(specs, short)
		steps += len(c.parts) * short.steps()
	}
	s.steps(steps)
	text, tracked, refined := s.followPhotos(p, photos, moved)
	for _, spec := range specs {
		frames := s.frames(spec)
		var points [][]flow.Point
		n := 0
		for _, img := range frames {
			points = append(points, peers.FlowPoints(img))
			n += len(points[len(points)-1])
		}
		c.inputs = append(c.inputs, input{spec.String(), fmt.Sprintf("%v, %d frames, %d points each", spec, spec.Frames, n/len(frames))})
		var scenes []*peers.Scene
		for i := range c.parts {
			var tests []peers.Test[*peers.Scene]
			switch i - len(list) {
			case 0:
				tests = p.PyramidTests()
			case 1:
				tests = p.RefineTests()
			default:
				scenes = p.MakeScenes(frames, points, list[i].motion, list[i].window)
				tests = p.FlowTests(list[i].window)
			}
			times, ghz := compare(s, tests, scenes, len(scenes), spec.Rounds)
			c.parts[i].times = append(c.parts[i].times, times)
			c.clocks = append(c.clocks, ghz)
		}
	}
	c.about = aboutComparison("Milliseconds per frame", slices.Concat(peers.FlowPackages, peers.RefinePackages),
		"Only those with 2 workers have more than one thread. The points are corners of `goodFeaturesToTrack`, at most 500, with quality 0.01 "+
			"and a distance of 10 pixels. Tracking is with ready pyramids. OpenCV's have the derivatives of the first image then, which "+
			"package flow computes as it tracks; and since those of all frames are too large for the caches, reading them may cost OpenCV more than "+
			"making them as part of a whole call. A whole call makes both pyramids and tracks. "+
			fmt.Sprintf("Of %d points of %d photos, followed after %d motions with the default options, %d differ from OpenCV's in a bit of the position, in "+
				"whether they are found, or in the error if they are; and of %d refined points, %d differ.",
				tracked.compared, len(photos), len(moved), tracked.different, refined.compared, refined.different))
	c.more = []string{
		"## Accuracy",
		fmt.Sprintf("Points of %d photos, up to 500 each, followed into images after known motions, by windows of 21 by 21 pixels: plain, which is what OpenCV does, with the mean "+
			"removed, checked by following them back again, to within half a pixel, or both.", len(photos)),
		fmt.Sprintf("- Right: how many of the points that the second image shows are found within %v pixels of where they belong.\n"+
			"- Wrong: how many of those that are found are farther off.\n"+
			"- Error: the median distance of the right ones, in pixels.", rightWithin),
		text,
	}
	return s.files(c)
}
