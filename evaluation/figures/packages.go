package main

import (
	"fmt"
	"image"
	"slices"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"gonum.org/v1/plot/vg"
)

// choose returns the tests of these names, which get that of the package.
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
func comparePeers(s *session) (map[string][]byte, error) {
	opened, err := openPeers()
	if err != nil {
		return nil, err
	}
	detectors, err := opened.FASTTests(25)
	if err != nil {
		return nil, err
	}
	circles, err := opened.VPITest(25)
	if err != nil {
		return nil, err
	}
	tensors, err := opened.HarrisParts()
	if err != nil {
		return nil, err
	}
	boxes, err := opened.LoCoCoParts()
	if err != nil {
		return nil, err
	}
	extractors, err := opened.ORBTests()
	if err != nil {
		return nil, err
	}
	matchers, err := opened.MatchingTests()
	if err != nil {
		return nil, err
	}
	onFrames := slices.Concat(
		choose(detectors, "fast", "FAST-10", "FAST-9 with suppression"),
		choose([]peers.Test[*image.Gray]{circles}, "vpi", circles.Name),
		choose(tensors[0].Tests, "harris", "cornerHarris", "goodFeaturesToTrack, Shi-Tomasi"),
		choose(boxes[0].Tests, "lococo", "corners, 9x9"),
		choose(boxes[1].Tests, "lococo", "integral image"),
		choose(extractors, "orb", "500 features"),
	)
	onDescriptors := choose(matchers, "match", "nearest")

	ofDescriptors, n := s.matchingFrames()
	sets, err := peers.MakeDescriptors(s.frames(ofDescriptors), n)
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
		nameColumn:  "by",
		timeColumn:  "ns",
		timeFormat:  "%.0f",
	}
	list, err := s.list(c, ghz)
	if err != nil {
		return nil, err
	}
	b := newBars(times, 1, func(t peers.Time) (float64, string) {
		return t.Speedup, fmt.Sprintf("%.1f  (%.3f ms)", t.Speedup, t.Nanoseconds/1e6)
	})
	chart := newChart(b.plot("All packages and their peers, one thread", "times as fast as the fastest peer (in brackets: time for a frame, or for two sets)"))
	chart.note = s.line(ghz) + fmt.Sprintf("\nDifferent frames of photos, %v, and sets of %d descriptors, in one process, taking turns. lococo: OpenCV makes responses alone.\n%s.", size, n, peers.Versions())
	svg, err := chart.svg(760, 120+13*vg.Length(b.height), 0)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"peers.svg": svg,
		"peers.csv": list,
		"peers.md": s.page("All packages and their peers side by side", ghz,
			fmt.Sprintf("Milliseconds for a frame of %v pixels, of %d different ones; for package match, milliseconds for two sets of %d descriptors. ", size, len(frames), n)+
				howCompared+peers.Versions()+". The columns are what a package may use of the processor, which differs a little from one to the other: "+
				"their own pages tell. Packages fast and vpi have a threshold of 25. Of equal neighbours package vpi keeps the first one, and OpenCV none. Beside LoCoCo corners, with kernels and windows of 9 by 9 pixels and suppression, are the "+
				"responses of `cornerHarris` alone, with gradients and windows of 3 by 3. `goodFeaturesToTrack` is for 1000 corners, quality 0.01 and "+
				"a distance of 10 pixels. The others find the same as their peers.",
			bySet(times)),
	}, nil
}

// bySet returns a table with a row for each test and a column for each instruction set.
func bySet(times []peers.Time) string {
	header := []string{"test", "avx512", "avx2", "sse2", "portable", "fastest peer *"}
	var rows [][]string
	for i, t := range times {
		if i == 0 || t.Test != times[i-1].Test {
			rows = append(rows, []string{t.Test, "", "", "", "", ""})
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
