package main

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/evaluation/peers"
)

// compareFAST compares package fast with libCVD and OpenCV.
func compareFAST(s *session, opened *peers.Peers) (map[string][]byte, error) {
	c := &comparison{
		name:  "fast",
		title: "Package fast, libCVD and OpenCV side by side",
		about: aboutComparison("Nanoseconds per pixel", peers.FASTPackages,
			"The corners are equal, and with suppression the scores, too; a test compares them."),
		work:        perPixel,
		inputColumn: "frames",
		partColumn:  "threshold",
		chartNote:   "Different frames of photos, in one process, taking turns. The corners are the same.",
	}
	var tests [][]peers.Test[*image.Gray]
	for _, threshold := range []uint8{25, 10, 50} { // that of the chart first
		tests = append(tests, opened.FASTTests(threshold))
		c.parts = append(c.parts, part{heading: fmt.Sprintf("Threshold %d", threshold), value: fmt.Sprint(threshold)})
	}
	c.chartTitle = "FAST corners, one thread, threshold " + c.parts[0].value
	return s.compareFrames(c, tests, peers.Sizes)
}

// compareORB compares package orb with OpenCV.
func compareORB(s *session, opened *peers.Peers) (map[string][]byte, error) {
	return s.compareFrames(&comparison{
		name:  "orb",
		title: "Package orb and OpenCV side by side",
		about: aboutComparison("Milliseconds per frame", peers.ORBPackages,
			"Keypoints and descriptors are equal, bit for bit; a test compares them."),
		work:        perFrame,
		inputColumn: "frames",
		chartTitle:  "ORB keypoints with descriptors, one thread",
		chartNote:   "Different frames of photos, in one process, taking turns. Keypoints and descriptors are the same.",
		parts:       make([]part, 1),
	}, [][]peers.Test[*image.Gray]{opened.ORBTests()}, peers.SlowSizes)
}

// matchingFrames returns the frames whose descriptors are matched, and the size of the sets
// of them.
func (s *session) matchingFrames() (c spec, n int) {
	c, n = spec{640, 480, 48, peers.Rounds}, 1000
	if s.quick {
		c.Rounds, n = 2, 100
	}
	return c, n
}

// newerFAISS says what is known of FAISS beyond the versions that Debian packages.
const newerFAISS = "FAISS' pull request 5183 counts the bits of whole vectors (VPOPCNTDQ) and reports up to 1.91 times the speed; " +
	"with such a function for pairs of 256 bits, the loop took 1.30 ns instead of 1.35 in a trial on Emerald Rapids."

// aboutFAISS says what stands for FAISS beside package match, and what of OpenCV is not here.
func aboutFAISS(p *peers.Peers) string {
	return "`faiss` is the exhaustive search of FAISS (" + peers.VersionOfFAISS() + "): the loop over its HammingComputer32 and its heap, " +
		"compiled for this processor from its headers, since Debian's library is compiled without the instruction that counts bits and " +
		"takes several times as long. " + newerFAISS + " OpenCV's matcher is that of " + p.OpenCV() + "; its pull request 29335 makes it 1.5 times as fast."
}

// compareMatching compares package match with OpenCV and FAISS, for sets of several sizes.
func compareMatching(s *session, opened *peers.Peers) (map[string][]byte, error) {
	c := &comparison{
		name:  "match",
		title: "Package match, OpenCV and FAISS side by side",
		about: aboutComparison("Nanoseconds per pair of descriptors, the inputs being sets of ORB descriptors of photos", peers.MatchPackages,
			"Matches are equal, and FAISS finds the same distances; a test compares them. "+aboutFAISS(opened)),
		work:        perPair,
		parts:       make([]part, 1),
		inputColumn: "descriptors",
		chartTitle:  "Nearest of 256-bit descriptors, one thread",
		chartNote:   "Sets of descriptors of photos, in one process, taking turns. The distances are the same.",
	}
	type sets struct {
		list   []peers.Descriptors
		rounds int
	}
	var all []sets
	steps := 0
	size, n := s.matchingFrames()
	for _, of := range []struct{ times, rounds int }{{1, size.Rounds}, {10, min(size.Rounds, 7)}, {100, min(size.Rounds, 3)}} {
		trains := n * of.times
		if of.times > 1 {
			size.Frames = of.times*3/2 + 2 // some have fewer descriptors than others
		}
		list, err := peers.MakeDescriptors(s.frames(size), n, trains)
		if err != nil {
			return nil, err
		}
		if of.times > 1 {
			list = list[:1]
		}
		all = append(all, sets{list, of.rounds})
		steps += of.rounds + 1
		name := fmt.Sprintf("%dx%d", n, trains)
		c.inputs = append(c.inputs, input{name, name + ", " + pairsOfSets(len(list))})
	}
	s.steps(steps)
	for _, sets := range all {
		times, ghz := compare(s, opened.MatchingTests(), sets.list, peers.Pairs(sets.list), sets.rounds)
		c.parts[0].times, c.clocks = append(c.parts[0].times, times), append(c.clocks, ghz)
	}
	return s.files(c)
}

// pairsOfSets names n pairs of sets.
func pairsOfSets(n int) string {
	if n == 1 {
		return "1 pair of sets"
	}
	return fmt.Sprintf("%d pairs of sets", n)
}

// compareLengths compares package match with OpenCV and FAISS, for descriptors of several lengths.
func compareLengths(s *session, opened *peers.Peers) (map[string][]byte, error) {
	c := &comparison{
		name:  "lengths",
		title: "Descriptors of several lengths: package match, OpenCV and FAISS side by side",
		about: aboutComparison("Nanoseconds per pair of descriptors, the inputs being sets of the bytes of ORB descriptors of photos, as descriptors of other lengths", peers.MatchPackages,
			"All lengths are matched by `match.Matcher[byte]`. Matches are equal, and FAISS finds the same distances; a test compares them. "+aboutFAISS(opened)+
				" For 64 bits its HammingComputer8 takes the place of HammingComputer32, for 512 HammingComputer64, and for 1024 "+
				"HammingComputerDefault, with a size that the compiler knows: it can make vector instructions of it."),
		work:        perPair,
		parts:       make([]part, 1),
		inputColumn: "bits",
		chartTitle:  "Nearest descriptors of several lengths, one thread",
		chartNote:   "Sets of the bytes of descriptors of photos, in one process, taking turns. The distances are the same.",
	}
	size, n := s.matchingFrames()
	sets, err := peers.MakeDescriptors(s.frames(size), n, n)
	if err != nil {
		return nil, err
	}
	sizes := []int{8, 32, 64, 128}
	s.steps(len(sizes) * size.steps())
	for _, bytes := range sizes {
		list := peers.Regroup(sets, n, bytes)
		list = list[:min(len(list), 4)]
		bits := 8 * bytes
		c.inputs = append(c.inputs, input{fmt.Sprint(bits), fmt.Sprintf("%d bits, %s of %d", bits, pairsOfSets(len(list)), n)})
		times, ghz := compare(s, opened.FlatTests(bytes), list, n*n*len(list), size.Rounds)
		c.parts[0].times, c.clocks = append(c.parts[0].times, times), append(c.clocks, ghz)
	}
	return s.files(c)
}

// compareVectors compares the matching of vectors with OpenCV and FAISS.
func compareVectors(s *session, opened *peers.Peers) (map[string][]byte, error) {
	c := &comparison{
		name:  "vectors",
		title: "Vectors of SIFT: package match, OpenCV and FAISS side by side",
		about: aboutComparison("Nanoseconds per pair of descriptors, the inputs being sets of the descriptors of OpenCV's SIFT of photos (contrast 0.01), 128 bytes each", peers.MatchPackages,
			"All are matched by `match.Matcher[match.Vector]`. Matches are equal, and FAISS finds the same distances; a test compares them. The peers take vectors of floats, "+
				"which are made beforehand: with bytes OpenCV's matcher takes some four times as long. `faiss` is the IndexFlatL2 of FAISS ("+peers.VersionOfFAISS()+
				"), whose products are those of the system's BLAS ("+peers.BLAS()+"), and includes making the index. There are no kernels for SSE2 alone."),
		work:        perPair,
		parts:       make([]part, 1),
		inputColumn: "vectors",
		chartTitle:  "Nearest vectors of SIFT, one thread",
		chartNote:   "Sets of descriptors of photos, in one process, taking turns. The distances are the same.",
	}
	type sets struct{ queries, trains, rounds int }
	all := []sets{{2500, 2500, 7}, {5000, 4500, 5}}
	size := spec{640, 480, 24, 0}
	if s.quick {
		all, size.Frames = []sets{{150, 100, 2}}, 4
	}
	steps := 0
	for _, a := range all {
		steps += a.rounds + 1
	}
	s.steps(steps)
	for _, a := range all {
		v, err := opened.MakeVectors(s.frames(size), a.queries, a.trains)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%dx%d", a.queries, a.trains)
		c.inputs = append(c.inputs, input{name, name})
		times, ghz := compare(s, opened.VectorTests(), []*peers.Vectors{v}, a.queries*a.trains, a.rounds)
		c.parts[0].times, c.clocks = append(c.parts[0].times, times), append(c.clocks, ghz)
	}
	return s.files(c)
}

// compareHarris compares package harris with OpenCV.
func compareHarris(s *session, opened *peers.Peers) (map[string][]byte, error) {
	return s.compareParts(&comparison{
		name:   "harris",
		rounds: 13, // since there are 55 contenders
		title:  "Package harris and OpenCV side by side",
		about: aboutComparison("Nanoseconds per pixel", peers.HarrisPackages,
			"`goodFeaturesToTrack` is for 1000 corners, quality 0.01 and a distance of 10 pixels; the others compute the responses "+
				"of all pixels. Responses are equal to six digits of the largest one, and so are the corners, except for some whose "+
				"responses do not differ by more; tests compare them. OpenCV has nothing like the recipe of the course project; beside it "+
				"is `cornerHarris` with gradients and windows of 3 by 3 pixels."),
		chartTitle: "Corners of Harris and of Shi and Tomasi, gradients and windows of 3 by 3 pixels, one thread",
		chartNote:  "Different frames of photos, in one process, taking turns. goodFeaturesToTrack: 1000 corners, quality 0.01, distance 10.",
	}, opened.HarrisParts(), peers.SlowestSizes)
}

// compareLoCoCo compares package lococo with OpenCV.
func compareLoCoCo(s *session, opened *peers.Peers) (map[string][]byte, error) {
	const millisecondsGPU, millisecondsCPU = 2.4, 34 // Phull et al., 640x480, with transfers to the GPU and back
	return s.compareParts(&comparison{
		name:  "lococo",
		title: "Package lococo and OpenCV side by side",
		about: aboutComparison("Nanoseconds per pixel", peers.LoCoCoPackages,
			"OpenCV has no LoCoCo; beside it are the responses of `cornerHarris` with gradients and windows of 3 by 3 pixels, "+
				"without the search for corners. Package lococo has kernels and windows of 9 by 9 pixels and finds all corners above 0.01 of "+
				"the largest response: with suppression within 4 pixels, or as Phull et al. have it within 8. Integral images are equal; "+
				"a test compares them."+
				fmt.Sprintf(" Phull et al. report %v ms for 640x480 pixels, %.1f ns per pixel, on a GPU, a GeForce GTX 280, with transfers, "+
					"and %v ms, %.0f ns per pixel, on a CPU.", millisecondsGPU, millisecondsGPU*1e6/(640*480), millisecondsCPU, millisecondsCPU*1e6/(640*480))),
		chartTitle: "LoCoCo, one thread",
		chartNote:  "Different frames of photos, in one process, taking turns. OpenCV's cornerHarris computes only responses, with gradients and windows of 3 by 3 pixels.",
	}, opened.LoCoCoParts(), peers.SlowSizes)
}

// compareParts races the parts on frames of the sizes and returns the files of c.
func (s *session) compareParts(c *comparison, parts []peers.Part, sizes []peers.Size) (map[string][]byte, error) {
	c.work, c.inputColumn, c.partColumn = perPixel, "frames", "part"
	var tests [][]peers.Test[*image.Gray]
	for _, p := range parts {
		tests = append(tests, p.Tests)
		c.parts = append(c.parts, part{heading: p.Name, value: p.Name})
	}
	return s.compareFrames(c, tests, sizes)
}
