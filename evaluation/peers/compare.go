package peers

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/vpi"
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

// A Test is something that this library and peers do for an input, each in a way of its
// own.
type Test[T any] struct {
	Name       string
	contenders []contender[T]
}

// A contender does it in one way. The best one of this library comes first.
type contender[T any] struct {
	name string // of what this library uses of the processor, or of a peer
	peer bool
	do   func(input T)
}

// A Time is how long a contender takes for a unit of work: a pixel, a frame, or a pair of
// descriptors.
type Time struct {
	Test, Name  string
	Peer        bool
	Nanoseconds float64
	Spread      float64 // of the rounds, as package measure has it
	Speedup     float64 // how many times as long the fastest peer takes
}

// Compare measures the contenders of the tests over the inputs, which make so many units
// of work together: one thread each, in a race of so many rounds, after each of which it
// calls done. It also returns the clock in GHz.
func Compare[T any](tests []Test[T], inputs []T, units, rounds int, done func()) ([]Time, float64) {
	var functions []func(T)
	for _, t := range tests {
		for _, c := range t.contenders {
			functions = append(functions, c.do)
		}
	}
	r := measure.Race(functions, inputs, units, rounds, done)
	var times []Time
	for _, t := range tests {
		first, fastest := len(times), math.Inf(1)
		for _, c := range t.contenders {
			i := len(times)
			times = append(times, Time{Test: t.Name, Name: c.name, Peer: c.peer, Nanoseconds: r.Nanoseconds[i], Spread: r.Spread[i]})
			if c.peer {
				fastest = min(fastest, r.Nanoseconds[i])
			}
		}
		for i := first; i < len(times); i++ {
			times[i].Speedup = fastest / times[i].Nanoseconds
		}
	}
	return times, r.GHz
}

// An InstructionSet is what a package may use of a processor.
type InstructionSet struct {
	Name string
	Set  cpu.Set
}

// descriptorSets returns those of packages orb, match and vpi that this processor has, the
// best first.
func descriptorSets() []InstructionSet {
	return available(
		InstructionSet{"avx512", cpu.VBMI2 | cpu.VPOPCNTDQ | cpu.AVX2FMA},
		InstructionSet{"avx2", cpu.AVX2FMA},
		InstructionSet{"sse2", cpu.SSE2 | cpu.POPCNT},
		InstructionSet{"portable", 0},
	)
}

// TensorSets returns those of packages harris and lococo likewise.
func TensorSets() []InstructionSet {
	return available(
		InstructionSet{"avx512", cpu.AVX512VNNI},
		InstructionSet{"avx2", cpu.AVX2},
		InstructionSet{"sse2", cpu.SSE2},
		InstructionSet{"portable", 0},
	)
}

// available returns those of the list that this processor has.
func available(list ...InstructionSet) []InstructionSet {
	return slices.DeleteFunc(list, func(i InstructionSet) bool { return !cpu.Has(i.Set) })
}

// limited returns a contender that may use no more than i.
func limited[T any](i InstructionSet, do func(input T)) contender[T] {
	return contender[T]{i.Name, false, func(input T) {
		defer cpu.Limit(i.Set)()
		do(input)
	}}
}

// FASTTests returns the tests of package fast at a threshold. Its kernels are the sieves.
func (p *Peers) FASTTests(threshold uint8) ([]Test[*image.Gray], error) {
	var tests []Test[*image.Gray]
	for _, d := range p.Detectors() {
		name := fmt.Sprintf("FAST-%d", d.Arc)
		if d.Nonmax {
			name += " with suppression"
		}
		if n := len(tests); n == 0 || tests[n-1].Name != name {
			t := Test[*image.Gray]{Name: name}
			for _, k := range kernels {
				if !slices.Contains(fast.Kernels(), k.kernel) {
					continue
				}
				detect, err := measure.Detector(fast.Options{
					Threshold:         threshold,
					ArcLength:         d.Arc,
					NonmaxSuppression: d.Nonmax,
					Kernel:            k.kernel,
				})
				if err != nil {
					return nil, err
				}
				t.contenders = append(t.contenders, contender[*image.Gray]{k.name, false, detect})
			}
			tests = append(tests, t)
		}
		t := &tests[len(tests)-1]
		t.contenders = append(t.contenders, contender[*image.Gray]{d.Name, true, func(img *image.Gray) { d.find(img, threshold) }})
	}
	return tests, nil
}

// VPITest returns the test of package vpi, at a threshold of package fast. Its own one is
// larger by 1, since its comparisons are not strict.
func (p *Peers) VPITest(threshold uint8) (Test[*image.Gray], error) {
	t := Test[*image.Gray]{Name: "radius 3 with suppression"}
	for _, i := range descriptorSets() {
		// A detector keeps the kernel that it chose.
		restore := cpu.Limit(i.Set)
		d, err := vpi.New(vpi.Options{Threshold: float32(threshold) + 1})
		restore()
		if err != nil {
			return t, err
		}
		var corners []vpi.Corner
		t.contenders = append(t.contenders, limited(i, func(img *image.Gray) { corners = d.Append(corners[:0], img) }))
	}
	for _, d := range p.Detectors() {
		if d.Arc == 9 && d.Nonmax {
			t.contenders = append(t.contenders, contender[*image.Gray]{d.Name, true, func(img *image.Gray) { d.find(img, threshold) }})
		}
	}
	return t, nil
}

// kernels are the kernels that package fast chooses among, the best first.
var kernels = []struct {
	name   string
	kernel fast.Kernel
}{
	{"avx512", fast.AVX512Sieve},
	{"avx2", fast.AVX2Sieve},
	{"sse2", fast.SSE2Sieve},
	{"portable", fast.Scalar},
}

// ORBTests returns the tests of package orb, for 500 and 1000 features.
func (p *Peers) ORBTests() ([]Test[*image.Gray], error) {
	var tests []Test[*image.Gray]
	for _, features := range []int{500, 1000} {
		opts := orb.Options{Features: features}
		t := Test[*image.Gray]{Name: fmt.Sprintf("%d features", features)}
		for _, i := range descriptorSets() {
			restore := cpu.Limit(i.Set)
			e, err := orb.New(opts)
			restore()
			if err != nil {
				return nil, err
			}
			var kps []orb.Keypoint
			var descs []match.Descriptor
			t.contenders = append(t.contenders, limited(i, func(img *image.Gray) {
				kps, descs = e.Append(kps[:0], descs[:0], img, nil)
			}))
		}
		t.contenders = append(t.contenders, contender[*image.Gray]{"opencv", true, func(img *image.Gray) { p.extract(&opts, img, nil) }})
		tests = append(tests, t)
	}
	return tests, nil
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

// MatchingTests returns the tests of package match, with and without cross-check.
func (p *Peers) MatchingTests() ([]Test[Descriptors], error) {
	var tests []Test[Descriptors]
	for _, opts := range []match.Options{{}, {CrossCheck: true}} {
		t := Test[Descriptors]{Name: "nearest"}
		if opts.CrossCheck {
			t.Name += " with cross-check"
		}
		m, err := match.New(opts)
		if err != nil {
			return nil, err
		}
		for _, i := range descriptorSets() {
			var matches []match.Match
			t.contenders = append(t.contenders, limited(i, func(d Descriptors) {
				matches = m.Append(matches[:0], d.Query, d.Train)
			}))
		}
		t.contenders = append(t.contenders, contender[Descriptors]{"opencv", true, func(d Descriptors) { p.match(&opts, d.Query, d.Train, 1, 0) }})
		tests = append(tests, t)
	}
	return tests, nil
}

// Pairs returns how many pairs of descriptors are compared to match those of the list.
func Pairs(list []Descriptors) int {
	pairs := 0
	for _, d := range list {
		pairs += len(d.Query) * len(d.Train)
	}
	return pairs
}

// A Part is some tests that belong together.
type Part struct {
	Name  string
	Tests []Test[*image.Gray]
}

// A task of package harris is to find corners, or otherwise the responses of all pixels.
type task struct {
	corners bool
	opts    harris.Options
}

// cornerHarris returns the task of OpenCV's function of this name.
func cornerHarris(gradient harris.Gradient, block int) task {
	return task{false, harris.Options{Measure: harris.Harris, Gradient: gradient, BlockSize: block}}
}

// HarrisParts returns the parts of the comparison of package harris.
func (p *Peers) HarrisParts() ([]Part, error) {
	good := harris.GoodFeatures(1000, 0.01, 10)
	goodHarris := good
	goodHarris.Measure = harris.Harris
	project := harris.IRGPU(harris.Mirror)
	plain := cornerHarris(harris.Sobel3, 3)
	type test struct {
		name         string
		ours, theirs task
		peer         string
	}
	same := func(name string, t task) test { return test{name, t, t, "opencv"} }
	var parts []Part
	for _, part := range []struct {
		name  string
		tests []test
	}{
		{"Gradients and windows of 3 by 3 pixels", []test{
			same("cornerHarris", plain),
			same("cornerMinEigenVal", task{false, harris.Options{}}),
			same("goodFeaturesToTrack, Harris", task{true, goodHarris}),
			same("goodFeaturesToTrack, Shi-Tomasi", task{true, good}),
		}},
		{"Other windows and gradients", []test{
			same("cornerHarris, block 5", cornerHarris(harris.Sobel3, 5)),
			same("cornerHarris, block 7", cornerHarris(harris.Sobel3, 7)),
			same("cornerHarris, Sobel 5", cornerHarris(harris.Sobel5, 3)),
			same("cornerHarris, Sobel 7", cornerHarris(harris.Sobel7, 3)),
			same("cornerHarris, Scharr", cornerHarris(harris.Scharr, 3)),
		}},
		{"The recipe of a course project", []test{
			{"IRGPU, responses", task{false, project}, plain, "opencv cornerHarris"},
			{"IRGPU, corners", task{true, project}, plain, "opencv cornerHarris"},
		}},
	} {
		var tests []Test[*image.Gray]
		for _, t := range part.tests {
			ours, err := t.ours.contenders()
			if err != nil {
				return nil, err
			}
			tests = append(tests, Test[*image.Gray]{t.name, append(ours, p.do(t.theirs, t.peer))})
		}
		parts = append(parts, Part{part.name, tests})
	}
	return parts, nil
}

// contenders returns package harris with each instruction set.
func (t task) contenders() ([]contender[*image.Gray], error) {
	var list []contender[*image.Gray]
	d, err := harris.New(t.opts)
	if err != nil {
		return nil, err
	}
	for _, i := range TensorSets() {
		var responses []float32
		var corners []harris.Corner
		list = append(list, limited(i, func(img *image.Gray) {
			if t.corners {
				corners = d.Append(corners[:0], img, nil)
			} else {
				responses = d.AppendResponse(responses[:0], img)
			}
		}))
	}
	return list, nil
}

// do returns OpenCV, under this name.
func (p *Peers) do(t task, name string) contender[*image.Gray] {
	return contender[*image.Gray]{name, true, func(img *image.Gray) {
		if t.corners {
			p.track(&t.opts, img, nil)
		} else {
			p.respond(&t.opts, img)
		}
	}}
}

// LoCoCoParts returns the parts of the comparison of package lococo.
func (p *Peers) LoCoCoParts() ([]Part, error) {
	var tests []Test[*image.Gray]
	for _, t := range []struct {
		name    string
		corners bool
		opts    lococo.Options
	}{
		{"corners, 9x9", true, lococo.Options{}},
		{"corners, Phull et al.", true, lococo.Phull()},
		{"responses, 9x9", false, lococo.Options{}},
	} {
		d, err := lococo.New(t.opts)
		if err != nil {
			return nil, err
		}
		var list []contender[*image.Gray]
		for _, i := range TensorSets() {
			var responses []float32
			var corners []lococo.Corner
			list = append(list, limited(i, func(img *image.Gray) {
				if t.corners {
					corners = d.Append(corners[:0], img, nil)
				} else {
					responses = d.AppendResponse(responses[:0], img)
				}
			}))
		}
		peer := p.do(cornerHarris(harris.Sobel3, 3), "opencv cornerHarris")
		tests = append(tests, Test[*image.Gray]{t.name, append(list, peer)})
	}
	integral := Test[*image.Gray]{Name: "integral image"}
	for _, i := range TensorSets() {
		var sums lococo.Integral
		integral.contenders = append(integral.contenders, limited(i, sums.Compute))
	}
	integral.contenders = append(integral.contenders, contender[*image.Gray]{"opencv", true, func(img *image.Gray) { p.integrate(img) }})
	return []Part{{"Corners and responses", tests}, {"Integral images", []Test[*image.Gray]{integral}}}, nil
}
