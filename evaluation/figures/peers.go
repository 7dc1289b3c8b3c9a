package main

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/evaluation/peers"
)

// compareFAST compares package fast with libCVD and OpenCV.
func compareFAST(s *session) (map[string][]byte, error) {
	opened, err := openPeers()
	if err != nil {
		return nil, err
	}
	c := &comparison{
		name:  "fast",
		title: "Package fast, libCVD and OpenCV side by side",
		about: "Nanoseconds per pixel. " + howCompared + peers.Versions() + ". " + instructionSets + "`avx512` for everything, with VBMI2; `avx2` for " +
			"AVX2, BMI1 and POPCNT; `sse2`; `portable` for no assembly at all. Their kernels are `avx512-sieve`, `avx2-sieve`, " +
			"`sse2-sieve` and `scalar`. The corners are equal, and with suppression the scores, too; a test compares them.",
		unit:        1,
		inputColumn: "frames",
		partColumn:  "threshold",
		nameColumn:  "by",
		timeColumn:  "ns_per_pixel",
		timeFormat:  "%.4f",
		chartAxis:   "gigapixels per second",
		chartNote:   "Different frames of photos, in one process, taking turns. The corners are the same.",
		nanoseconds: 1,
		rateFormat:  "%.2f",
	}
	var tests [][]peers.Test[*image.Gray]
	for _, threshold := range []uint8{25, 10, 50} { // that of the chart first
		t, err := opened.FASTTests(threshold)
		if err != nil {
			return nil, err
		}
		tests = append(tests, t)
		c.parts = append(c.parts, part{heading: fmt.Sprintf("Threshold %d", threshold), value: fmt.Sprint(threshold)})
	}
	c.chartTitle = "FAST corners, one thread, threshold " + c.parts[0].value
	return s.compareFrames(c, tests, peers.Sizes, true)
}

// descriptorSets says what the instruction sets of packages orb and match are.
const descriptorSets = "`avx512` for everything, with VBMI2 and VPOPCNTDQ; `avx2` for AVX2, BMI1, FMA and POPCNT; `sse2` for SSE2 and " +
	"POPCNT; `portable` for no assembly at all."

// tensorSets says what those of packages harris and lococo are.
const tensorSets = "`avx512` for everything, with VNNI; `avx2` for AVX2, BMI1 and POPCNT; `sse2`; `portable` for no assembly at all."

// compareORB compares package orb with OpenCV.
func compareORB(s *session) (map[string][]byte, error) {
	opened, err := openPeers()
	if err != nil {
		return nil, err
	}
	tests, err := opened.ORBTests()
	if err != nil {
		return nil, err
	}
	return s.compareFrames(&comparison{
		name:  "orb",
		title: "Package orb and OpenCV side by side",
		about: "Milliseconds per frame. " + howCompared + peers.Versions() + ". " + instructionSets + descriptorSets +
			" Keypoints and descriptors are equal, bit for bit; a test compares them.",
		unit:        1e6,
		inputColumn: "frames",
		nameColumn:  "by",
		timeColumn:  "ns_per_frame",
		timeFormat:  "%.0f",
		chartTitle:  "ORB keypoints with descriptors, one thread",
		chartAxis:   "frames per second",
		chartNote:   "Different frames of photos, in one process, taking turns. Keypoints and descriptors are the same.",
		nanoseconds: 1e9,
		rateFormat:  "%.0f",
		parts:       make([]part, 1),
	}, [][]peers.Test[*image.Gray]{tests}, peers.SlowSizes, false)
}

// matchingFrames are the frames whose descriptors are matched, in sets of so many.
func (s *session) matchingFrames() (c spec, n int) {
	c, n = spec{640, 480, 48, peers.Rounds}, 1000
	if s.quick {
		c.Rounds, n = 2, 100
	}
	return c, n
}

// compareMatching compares package match with OpenCV.
func compareMatching(s *session) (map[string][]byte, error) {
	opened, err := openPeers()
	if err != nil {
		return nil, err
	}
	tests, err := opened.MatchingTests()
	if err != nil {
		return nil, err
	}
	size, n := s.matchingFrames()
	sets, err := peers.MakeDescriptors(s.frames(size), n)
	if err != nil {
		return nil, err
	}
	s.steps(size.steps())
	times, ghz := compare(s, tests, sets, peers.Pairs(sets), size.Rounds)
	name := fmt.Sprintf("%dx%d", n, n)
	return s.files(&comparison{
		name:  "match",
		title: "Package match and OpenCV side by side",
		about: "Nanoseconds per pair of descriptors, the inputs being sets of ORB descriptors of photos. " + howCompared + peers.Versions() + ". " +
			instructionSets + descriptorSets + " Matches are equal; a test compares them.",
		inputs:      []input{{name, fmt.Sprintf("%s, %d pairs of sets", name, len(sets))}},
		parts:       []part{{times: [][]peers.Time{times}}},
		clocks:      []float64{ghz},
		unit:        1,
		inputColumn: "descriptors",
		nameColumn:  "by",
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
	opened, err := openPeers()
	if err != nil {
		return nil, err
	}
	parts, err := opened.HarrisParts()
	if err != nil {
		return nil, err
	}
	c := &comparison{
		name:  "harris",
		title: "Package harris and OpenCV side by side",
		about: "Nanoseconds per pixel. " + howCompared + peers.Versions() + ". " + instructionSets + tensorSets +
			" `goodFeaturesToTrack` is for 1000 corners, quality 0.01 and a distance of 10 pixels; the others give the responses " +
			"of all pixels. Responses are equal to six digits of the largest one, and so are the corners, but for some whose " +
			"responses do not differ by more; tests compare them. OpenCV has nothing like the recipe of the course project; beside it " +
			"is `cornerHarris` with gradients and windows of 3 by 3 pixels.",
		unit:        1,
		inputColumn: "frames",
		partColumn:  "part",
		nameColumn:  "by",
		timeColumn:  "ns_per_pixel",
		timeFormat:  "%.4f",
		chartTitle:  "Corners of Harris and of Shi and Tomasi, gradients and windows of 3 by 3 pixels, one thread",
		chartAxis:   "gigapixels per second",
		chartNote:   "Different frames of photos, in one process, taking turns. goodFeaturesToTrack: 1000 corners, quality 0.01, distance 10.",
		nanoseconds: 1,
		rateFormat:  "%.2f",
	}
	return s.compareParts(c, parts)
}

// compareLoCoCo compares package lococo with OpenCV.
func compareLoCoCo(s *session) (map[string][]byte, error) {
	opened, err := openPeers()
	if err != nil {
		return nil, err
	}
	parts, err := opened.LoCoCoParts()
	if err != nil {
		return nil, err
	}
	const millisecondsGPU, millisecondsCPU = 2.4, 34 // Phull et al., 640x480, with transfers to the GPU and back
	c := &comparison{
		name:  "lococo",
		title: "Package lococo and OpenCV side by side",
		about: "Nanoseconds per pixel. " + howCompared + peers.Versions() + ". " + instructionSets + tensorSets +
			" OpenCV has no LoCoCo; beside it are the responses of `cornerHarris` with gradients and windows of 3 by 3 pixels, " +
			"without the search for corners. Package lococo has kernels and windows of 9 by 9 pixels and finds all corners above 0.01 of " +
			"the largest response: with suppression within 4 pixels, or as Phull et al. have it within 8. Integral images are equal; " +
			"a test compares them." +
			fmt.Sprintf(" Phull et al. report %v ms for 640x480 pixels, %.1f ns per pixel, on a GPU, a GeForce GTX 280, with transfers, "+
				"and %v ms, %.0f ns per pixel, on a CPU.", millisecondsGPU, millisecondsGPU*1e6/(640*480), millisecondsCPU, millisecondsCPU*1e6/(640*480)),
		unit:        1,
		inputColumn: "frames",
		partColumn:  "part",
		nameColumn:  "by",
		timeColumn:  "ns_per_pixel",
		timeFormat:  "%.4f",
		chartTitle:  "LoCoCo, one thread",
		chartAxis:   "gigapixels per second",
		chartNote:   "Different frames of photos, in one process, taking turns. OpenCV's cornerHarris makes responses alone, with gradients and windows of 3 by 3 pixels.",
		nanoseconds: 1,
		rateFormat:  "%.2f",
	}
	return s.compareParts(c, parts)
}

// compareParts has the parts raced at sizes of frames, and returns the files of c.
func (s *session) compareParts(c *comparison, parts []peers.Part) (map[string][]byte, error) {
	var tests [][]peers.Test[*image.Gray]
	for _, p := range parts {
		tests = append(tests, p.Tests)
		c.parts = append(c.parts, part{heading: p.Name, value: p.Name})
	}
	return s.compareFrames(c, tests, peers.SlowSizes, true)
}
