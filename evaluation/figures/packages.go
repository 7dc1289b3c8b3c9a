package main

import (
	"fmt"
	"image"
	"slices"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/internal/cpu"
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

// comparePeers compares all packages with their peers, in what they are used for most.
func comparePeers(s *session, opened *peers.Peers) (map[string][]byte, error) {
	circles, tensors, boxes := opened.VPITest(25), opened.HarrisParts(), opened.LoCoCoParts()
	onFrames := slices.Concat(
		choose(opened.FASTTests(25), "fast", "FAST-10", "FAST-9 with suppression"),
		choose([]peers.Test[*image.Gray]{circles}, "vpi", circles.Name),
		choose(tensors[0].Tests, "harris", "cornerHarris", "goodFeaturesToTrack, Shi-Tomasi"),
		choose(boxes[0].Tests, "lococo", "corners, 9x9"),
		choose(boxes[1].Tests, "integral", "integral image"),
		choose(opened.ORBTests(), "orb", "500 features"),
	)
	onDescriptors := choose(opened.MatchingTests(), "match", "nearest")

	ofDescriptors, n := s.matchingFrames()
	sets, err := peers.MakeDescriptors(s.frames(ofDescriptors), n, n)
	if err != nil {
		return nil, err
	}
	size := s.shorten(spec{640, 480, 24, peers.Rounds})
	frames := s.frames(size)
	s.steps(size.steps() + ofDescriptors.steps())
	times, frameClock := compare(s, onFrames, frames, len(frames), size.Rounds)
	more, setClock := compare(s, onDescriptors, sets, len(sets), ofDescriptors.Rounds)
	times = append(times, more...)
	ghz := measure.Median([]float64{frameClock, setClock})

	c := &comparison{
		inputs:      []input{{name: size.String()}},
		parts:       []part{{times: [][]peers.Time{times}}},
		inputColumn: "frames",
		work:        work{column: "ns", timeFormat: "%.0f"},
	}
	list, err := s.list(c, ghz)
	if err != nil {
		return nil, err
	}
	b := newBars(times, 1, func(t peers.Time) (float64, string) {
		return t.Speedup, fmt.Sprintf("%.1f  (%.3f ms)", t.Speedup, t.Nanoseconds/1e6)
	})
	chart := newChart(b.plot("All packages and their peers, one thread", "times as fast as the fastest peer (in parentheses: time for a frame, or for two sets)"))
	chart.note = s.line(ghz) + fmt.Sprintf("\nDifferent frames of photos, %v, and sets of %d descriptors, in one process, taking turns. lococo: OpenCV computes only responses.\n%s.", size, n, peers.Versions())
	svg := chart.svg(760, 120+13*vg.Length(b.height), 0)
	return map[string][]byte{
		"peers.svg": svg,
		"peers.csv": list,
		"peers.md": s.page("All packages and their peers side by side", ghz,
			fmt.Sprintf("Milliseconds for a frame of %v pixels, of %d different ones; for package match, milliseconds for two sets of %d descriptors. ", size, len(frames), n)+
				howCompared()+" The columns are the instruction sets that a package may use; its own page has their features. Packages fast and "+
				"vpi have a threshold of 25. Of neighbors with equal scores package vpi keeps the first one, and OpenCV none. Beside LoCoCo corners, "+
				"with kernels and windows of 9 by 9 pixels and suppression, are only the responses of `cornerHarris`, with gradients and windows "+
				"of 3 by 3. `goodFeaturesToTrack` is for 1000 corners, quality 0.01 and a distance of 10 pixels. The others find the same as "+
				"their peers. "+aboutFAISS(opened),
			bySet(peers.Sets(peers.FASTPackages...), times), aboutKornia),
	}, nil
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
