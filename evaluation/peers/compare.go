package peers

import (
	"fmt"
	"image"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

// A Size is a size of frames in pixels, and how many frames of it are compared.
type Size struct{ W, H, Frames int }

func (s Size) String() string { return fmt.Sprintf("%dx%d", s.W, s.H) }

// Sizes are the sizes that the comparisons of FAST detectors are about, and SlowSizes
// those that take longer.
var (
	Sizes     = []Size{{640, 480, 48}, {1920, 1080, 16}}
	SlowSizes = []Size{{640, 480, 48}, {1920, 1080, 8}}
)

// Rounds is how many rounds the comparisons take. They measure medians.
const Rounds = 31

// A Time is how long something takes for a unit of work: a pixel, a frame, or a
// pair of descriptors.
type Time struct {
	Test        string // such as "FAST-10"
	Name        string // of what this library does it with, or of a peer
	Peer        bool
	Nanoseconds float64
	Ratio       float64 // how many times as long as the first time of the same test
}

// A contender is one that a Time is for. Those of a test follow each other, the best
// of this library first.
type contender[T any] struct {
	test, name string
	peer       bool
	do         func(input T)
}

// race measures the contenders as measure.Race does, and the clock in GHz.
func race[T any](contenders []contender[T], inputs []T, units, rounds int, done func()) ([]Time, float64) {
	var functions []func(T)
	for _, c := range contenders {
		functions = append(functions, c.do)
	}
	r := measure.Race(functions, inputs, units, rounds, done)
	var times []Time
	first := 0
	for i, c := range contenders {
		if c.test != contenders[first].test {
			first = i
		}
		times = append(times, Time{c.test, c.name, c.peer, r.Nanoseconds[i], r.Nanoseconds[i] / r.Nanoseconds[first]})
	}
	return times, r.GHz
}

// CompareDetectors measures the detectors, and package fast as Auto and with the
// sieves of lesser instruction sets, over the frames: one thread each, in a race of so
// many rounds, after each of which it calls done. Times are for a pixel. It also
// returns the clock in GHz.
func CompareDetectors(frames []*image.Gray, threshold uint8, rounds int, done func()) ([]Time, float64, error) {
	peers, err := Open()
	if err != nil {
		return nil, 0, err
	}
	var contenders []contender[*image.Gray]
	for _, d := range peers.Detectors() {
		test := fmt.Sprintf("FAST-%d", d.Arc)
		if d.Nonmax {
			test += " with suppression"
		}
		if n := len(contenders); n == 0 || contenders[n-1].test != test {
			for _, k := range kernels() {
				detect, err := measure.Detector(fast.Options{
					Threshold:         threshold,
					ArcLength:         d.Arc,
					NonmaxSuppression: d.Nonmax,
					Kernel:            k,
				})
				if err != nil {
					return nil, 0, err
				}
				contenders = append(contenders, contender[*image.Gray]{test, k.String(), false, detect})
			}
		}
		contenders = append(contenders, contender[*image.Gray]{test, d.Name, true, func(img *image.Gray) { d.find(img, threshold) }})
	}
	times, ghz := race(contenders, frames, measure.Pixels(frames), rounds, done)
	return times, ghz, nil
}

// kernels returns the kernels of package fast that are compared: Auto, and the
// sieves that it does not stand for.
func kernels() []fast.Kernel {
	list := []fast.Kernel{fast.Auto}
	for _, k := range []fast.Kernel{fast.AVX2Sieve, fast.SSE2Sieve} {
		if k != AutoKernel() && slices.Contains(fast.Kernels(), k) {
			list = append(list, k)
		}
	}
	return list
}

// AutoKernel returns the kernel that Auto stands for on this machine.
func AutoKernel() fast.Kernel {
	d, err := fast.New(fast.Options{})
	if err != nil {
		panic(err) // not with these options
	}
	return d.Kernel()
}

// An instructionSet is what a package may use of a processor.
type instructionSet struct {
	name string
	set  cpu.Set
}

// instructionSets returns those of packages orb and match that this processor has, the
// best first.
func instructionSets() []instructionSet {
	return available(
		instructionSet{"avx512", cpu.VBMI2 | cpu.VPOPCNTDQ | cpu.AVX2FMA},
		instructionSet{"avx2", cpu.AVX2FMA},
		instructionSet{"popcnt", cpu.SSE2 | cpu.POPCNT},
		instructionSet{"portable", 0},
	)
}

// harrisSets returns those of package harris likewise.
func harrisSets() []instructionSet {
	return available(
		instructionSet{"avx512", cpu.AVX512 | cpu.VNNI},
		instructionSet{"avx2", cpu.AVX2},
		instructionSet{"sse2", cpu.SSE2},
		instructionSet{"portable", 0},
	)
}

// available returns those of the list that this processor has.
func available(list ...instructionSet) []instructionSet {
	return slices.DeleteFunc(list, func(i instructionSet) bool { return !cpu.Has(i.set) })
}

// CompareORB measures OpenCV's ORB and package orb as CompareDetectors does, for 500
// and 1000 features. Times are for a frame.
func CompareORB(frames []*image.Gray, rounds int, done func()) ([]Time, float64, error) {
	peers, err := Open()
	if err != nil {
		return nil, 0, err
	}
	var contenders []contender[*image.Gray]
	for _, features := range []int{500, 1000} {
		opts := orb.Options{Features: features}
		test := fmt.Sprintf("%d features", features)
		for _, i := range instructionSets() {
			restore := cpu.Limit(i.set)
			e, err := orb.New(opts)
			restore()
			if err != nil {
				return nil, 0, err
			}
			var kps []orb.Keypoint
			var descs []match.Descriptor
			contenders = append(contenders, contender[*image.Gray]{test, i.name, false, func(img *image.Gray) {
				defer cpu.Limit(i.set)()
				kps, descs = e.Append(kps[:0], descs[:0], img, nil)
			}})
		}
		contenders = append(contenders, contender[*image.Gray]{test, "opencv", true, func(img *image.Gray) { peers.extract(&opts, img, nil) }})
	}
	times, ghz := race(contenders, frames, len(frames), rounds, done)
	return times, ghz, nil
}

// Descriptors are two sets of descriptors, to be matched.
type Descriptors struct{ Query, Train []match.Descriptor }

// MakeDescriptors returns as many pairs of sets of n descriptors as those of the frames
// suffice for, and an error when that is none. No two sets share a descriptor, but a set
// may be from two frames or more.
func MakeDescriptors(frames []*image.Gray, n int) ([]Descriptors, error) {
	e, err := orb.New(orb.Options{Features: n})
	if err != nil {
		return nil, err
	}
	var descs []match.Descriptor
	for _, img := range frames {
		_, descs = e.Append(nil, descs, img, nil)
	}
	var list []Descriptors
	for pair := range slices.Chunk(descs, 2*n) {
		if len(pair) == 2*n {
			list = append(list, Descriptors{pair[:n], pair[n:]})
		}
	}
	if list == nil {
		return nil, fmt.Errorf("peers: %d frames have only %d descriptors, not twice %d", len(frames), len(descs), n)
	}
	return list, nil
}

// CompareMatching measures OpenCV's BFMatcher and package match as CompareDetectors
// does, with and without cross-check. Times are for a pair of descriptors.
func CompareMatching(list []Descriptors, rounds int, done func()) ([]Time, float64, error) {
	peers, err := Open()
	if err != nil {
		return nil, 0, err
	}
	var contenders []contender[Descriptors]
	for _, opts := range []match.Options{{}, {CrossCheck: true}} {
		test := "nearest"
		if opts.CrossCheck {
			test += " with cross-check"
		}
		m, err := match.New(opts)
		if err != nil {
			return nil, 0, err
		}
		for _, i := range instructionSets() {
			var matches []match.Match
			contenders = append(contenders, contender[Descriptors]{test, i.name, false, func(d Descriptors) {
				defer cpu.Limit(i.set)()
				matches = m.Append(matches[:0], d.Query, d.Train)
			}})
		}
		contenders = append(contenders, contender[Descriptors]{test, "opencv", true, func(d Descriptors) { peers.match(&opts, d.Query, d.Train, 1, 0) }})
	}
	pairs := 0
	for _, d := range list {
		pairs += len(d.Query) * len(d.Train)
	}
	times, ghz := race(contenders, list, pairs, rounds, done)
	return times, ghz, nil
}

// A HarrisPart is some tests of package harris and OpenCV that belong together.
type HarrisPart struct {
	Name  string
	tests []harrisTest
}

// A harrisTest is what package harris does beside a peer.
type harrisTest struct {
	name   string
	ours   task
	peer   string
	theirs task
}

// A task is to find corners, or otherwise the responses of all pixels.
type task struct {
	corners bool
	opts    harris.Options
}

// HarrisParts returns the parts of the comparison of package harris.
func HarrisParts() []HarrisPart {
	same := func(name string, t task) harrisTest { return harrisTest{name, t, "opencv", t} }
	cornerHarris := func(gradient harris.Gradient, block int) task {
		return task{false, harris.Options{Measure: harris.Harris, Gradient: gradient, BlockSize: block}}
	}
	good := harris.GoodFeatures(1000, 0.01, 10)
	goodHarris := good
	goodHarris.Measure = harris.Harris
	project := func(name string, corners bool) harrisTest {
		return harrisTest{name, task{corners, harris.IRGPU(harris.Mirrored)}, "opencv cornerHarris", cornerHarris(harris.Sobel3, 3)}
	}
	return []HarrisPart{
		{"Gradients and windows of 3 by 3 pixels", []harrisTest{
			same("cornerHarris", cornerHarris(harris.Sobel3, 3)),
			same("cornerMinEigenVal", task{false, harris.Options{}}),
			same("goodFeaturesToTrack, Harris", task{true, goodHarris}),
			same("goodFeaturesToTrack, Shi-Tomasi", task{true, good}),
		}},
		{"Other windows and gradients", []harrisTest{
			same("cornerHarris, block 5", cornerHarris(harris.Sobel3, 5)),
			same("cornerHarris, block 7", cornerHarris(harris.Sobel3, 7)),
			same("cornerHarris, Sobel 5", cornerHarris(harris.Sobel5, 3)),
			same("cornerHarris, Sobel 7", cornerHarris(harris.Sobel7, 3)),
			same("cornerHarris, Scharr", cornerHarris(harris.Scharr, 3)),
		}},
		{"The recipe of a course project", []harrisTest{
			project("IRGPU, responses", false),
			project("IRGPU, corners", true),
		}},
	}
}

// CompareHarris measures a part of the comparison of package harris as CompareDetectors
// does. Times are for a pixel.
func CompareHarris(frames []*image.Gray, part HarrisPart, rounds int, done func()) ([]Time, float64, error) {
	peers, err := Open()
	if err != nil {
		return nil, 0, err
	}
	var contenders []contender[*image.Gray]
	for _, t := range part.tests {
		for _, i := range harrisSets() {
			d, err := harris.New(t.ours.opts)
			if err != nil {
				return nil, 0, err
			}
			var responses []float32
			var corners []harris.Corner
			contenders = append(contenders, contender[*image.Gray]{t.name, i.name, false, func(img *image.Gray) {
				defer cpu.Limit(i.set)()
				if t.ours.corners {
					corners = d.Append(corners[:0], img, nil)
				} else {
					responses = d.Response(responses[:0], img)
				}
			}})
		}
		contenders = append(contenders, contender[*image.Gray]{t.name, t.peer, true, func(img *image.Gray) {
			if t.theirs.corners {
				peers.track(&t.theirs.opts, img, nil)
			} else {
				peers.respond(&t.theirs.opts, img)
			}
		}})
	}
	times, ghz := race(contenders, frames, measure.Pixels(frames), rounds, done)
	return times, ghz, nil
}
