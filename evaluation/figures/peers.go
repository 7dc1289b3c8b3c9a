package main

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/evaluation/peers"
)

// comparePeers compares package fast with libCVD and OpenCV.
func comparePeers(s *session) (map[string][]byte, error) {
	if err := openPeers(); err != nil {
		return nil, err
	}
	thresholds := []uint8{25, 10, 50} // that of the chart first
	auto := peers.AutoKernel().String()
	c := &comparison{
		name:    "peers",
		library: "package fast",
		title:   "Package fast, libCVD and OpenCV side by side",
		about: "Nanoseconds per pixel, one thread, all detectors over the same frames in one process, taking turns; medians over the " +
			"rounds. In brackets: how many times as long as `auto` takes for the same test. Detectors marked with * are those of " +
			"libCVD and OpenCV as Debian packages them; the others are kernels of package fast, and `auto` is the one that it " +
			"chooses by itself, here `" + auto + "`. The corners are equal, and with suppression the scores, too; a test compares them.",
		cell: func(times []peers.Time, i int) string {
			return fmt.Sprintf("%.3f (%.1f)", times[i].Nanoseconds, times[i].Ratio)
		},
		inputColumn: "frames",
		partColumn:  "threshold",
		nameColumn:  "detector",
		timeColumn:  "ns_per_pixel",
		timeFormat:  "%.4f",
		chartTitle:  fmt.Sprintf("Throughput of one thread, threshold %d", thresholds[0]),
		chartAxis:   "gigapixels per second",
		chartNote:   "Different frames of photos, in one process, taking turns. The corners are the same. auto: " + auto + ".",
		nanoseconds: 1,
		rateFormat:  "%.2f",
	}
	for _, threshold := range thresholds {
		c.parts = append(c.parts, part{heading: fmt.Sprintf("Threshold %d", threshold), value: fmt.Sprint(threshold)})
	}
	return s.compareFrames(c, peers.Sizes, func(part int, frames []*image.Gray, rounds int) ([]peers.Time, float64, error) {
		return peers.CompareDetectors(frames, thresholds[part], rounds, s.step)
	})
}

// instructionSets says what the names of packages orb and match mean.
const instructionSets = "The others are the package with what it may use of the processor: `avx512` for everything, with VBMI2 " +
	"and VPOPCNTDQ; `avx2` for AVX2, BMI1, FMA and POPCNT; `popcnt` for SSE2 and POPCNT; `portable` for no assembly at all. " +
	"The first of them is the best that this processor has."

// overOpenCV returns a cell with a time in a unit of so many nanoseconds, and how
// many times as long the peer of the same test takes.
func overOpenCV(nanoseconds float64) func(times []peers.Time, i int) string {
	return func(times []peers.Time, i int) string {
		for _, t := range times {
			if t.Peer && t.Test == times[i].Test {
				return fmt.Sprintf("%.3f (%.1f)", times[i].Nanoseconds/nanoseconds, t.Nanoseconds/times[i].Nanoseconds)
			}
		}
		panic("no peer")
	}
}

// compareORB compares package orb with OpenCV.
func compareORB(s *session) (map[string][]byte, error) {
	if err := openPeers(); err != nil {
		return nil, err
	}
	c := &comparison{
		name:    "orb",
		library: "package orb",
		title:   "Package orb and OpenCV side by side",
		about: "Milliseconds per frame, one thread, all over the same frames in one process, taking turns; medians over the rounds. In " +
			"brackets: how many times as long OpenCV takes for the same. OpenCV's ORB, marked with *, is as Debian packages it. " +
			instructionSets + " Keypoints and descriptors are equal, bit for bit; a test compares them.",
		cell:        overOpenCV(1e6),
		inputColumn: "frames",
		nameColumn:  "extractor",
		timeColumn:  "ns_per_frame",
		timeFormat:  "%.0f",
		chartTitle:  "ORB keypoints with descriptors, one thread",
		chartAxis:   "frames per second",
		chartNote:   "Different frames of photos, in one process, taking turns. Keypoints and descriptors are the same.",
		nanoseconds: 1e9,
		rateFormat:  "%.0f",
		parts:       make([]part, 1),
	}
	return s.compareFrames(c, peers.SlowSizes, func(_ int, frames []*image.Gray, rounds int) ([]peers.Time, float64, error) {
		return peers.CompareORB(frames, rounds, s.step)
	})
}

// compareMatching compares package match with OpenCV.
func compareMatching(s *session) (map[string][]byte, error) {
	if err := openPeers(); err != nil {
		return nil, err
	}
	size, n := spec{640, 480, 48, peers.Rounds}, 1000
	if s.quick {
		size.Rounds, n = 2, 100
	}
	sets, err := peers.MakeDescriptors(s.frames(size), n)
	if err != nil {
		return nil, err
	}
	s.steps(size.steps())
	times, ghz, err := peers.CompareMatching(sets, size.Rounds, s.step)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%dx%d", n, n)
	return s.files(&comparison{
		name:    "match",
		library: "package match",
		title:   "Package match and OpenCV side by side",
		about: "Nanoseconds per pair of descriptors, one thread, all over the same sets of ORB descriptors of photos in one process, " +
			"taking turns; medians over the rounds. In brackets: how many times as long OpenCV takes for the same. OpenCV's " +
			"BFMatcher, marked with *, is as Debian packages it. " + instructionSets + " Matches are equal; a test compares them.",
		inputs:      []input{{name, fmt.Sprintf("%s, %d pairs of sets", name, len(sets))}},
		parts:       []part{{times: [][]peers.Time{times}}},
		clocks:      []float64{ghz},
		cell:        overOpenCV(1),
		inputColumn: "descriptors",
		nameColumn:  "matcher",
		timeColumn:  "ns_per_pair",
		timeFormat:  "%.4f",
		chartTitle:  "Nearest of 256-bit descriptors, one thread",
		chartAxis:   "billion pairs of descriptors per second",
		chartNote:   "Sets of descriptors of photos, in one process, taking turns. The matches are the same.",
		nanoseconds: 1,
		rateFormat:  "%.2f",
	})
}

// compareHarris compares package harris with OpenCV.
func compareHarris(s *session) (map[string][]byte, error) {
	if err := openPeers(); err != nil {
		return nil, err
	}
	c := &comparison{
		name:    "harris",
		library: "package harris",
		title:   "Package harris and OpenCV side by side",
		about: "Nanoseconds per pixel, one thread, all over the same frames in one process, taking turns; medians over the rounds. In " +
			"brackets: how many times as long OpenCV takes for the same. OpenCV's functions, marked with *, are as Debian packages " +
			"them. The others are the package with what it may use of the processor: `avx512` for everything, with VNNI; `avx2` for " +
			"AVX2, BMI1 and POPCNT; `sse2`; `portable` for no assembly at all. The first of them is the best that this processor " +
			"has. `goodFeaturesToTrack` is for 1000 corners, quality 0.01 and a distance of 10 pixels; the others give the responses " +
			"of all pixels. Responses are equal to six digits of the largest one, and so are the corners, but for some whose " +
			"responses do not differ by more; tests compare them. OpenCV has nothing like the recipe of the course project; beside it " +
			"is `cornerHarris` with gradients and windows of 3 by 3 pixels.",
		cell:        overOpenCV(1),
		inputColumn: "frames",
		partColumn:  "part",
		nameColumn:  "by",
		timeColumn:  "ns_per_pixel",
		timeFormat:  "%.4f",
		chartTitle:  "Corners of Harris and of Shi and Tomasi, one thread",
		chartAxis:   "gigapixels per second",
		chartNote:   "Different frames of photos, in one process, taking turns. Gradients and windows of 3 by 3 pixels. goodFeaturesToTrack: 1000 corners, quality 0.01, distance 10.",
		nanoseconds: 1,
		rateFormat:  "%.2f",
	}
	parts := peers.HarrisParts()
	for _, p := range parts {
		c.parts = append(c.parts, part{heading: p.Name, value: p.Name})
	}
	return s.compareFrames(c, peers.SlowSizes, func(part int, frames []*image.Gray, rounds int) ([]peers.Time, float64, error) {
		return peers.CompareHarris(frames, parts[part], rounds, s.step)
	})
}
