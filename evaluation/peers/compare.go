package peers

import (
	"fmt"
	"image"
	"slices"
	"unsafe"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/integral"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/vpi"
)

// A Size is a size of frames in pixels, and how many frames of it are compared.
type Size struct{ W, H, Frames int }

func (s Size) String() string { return fmt.Sprintf("%dx%d", s.W, s.H) }

// Sizes are the sizes that the comparisons of FAST detectors are about, SlowSizes those that take
// longer, and SlowestSizes that of package harris.
var (
	Sizes        = []Size{{640, 480, 48}, {1920, 1080, 16}}
	SlowSizes    = []Size{{640, 480, 48}, {1920, 1080, 8}}
	SlowestSizes = []Size{{640, 480, 24}, {1920, 1080, 4}}
)

// Rounds is how many rounds the comparisons take. They measure medians.
const Rounds = 31

// A Test is something that this library and its peers do with an input, each in its own
// way.
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
	Speedup     float64 // how many times as long the fastest peer takes, in the median of the rounds
}

// Compare measures the contenders of the tests over the inputs, which together make the
// given number of units of work: one thread each, in a race of the given number of rounds,
// after each of which it calls done. It also returns the clock rate in GHz.
func Compare[T any](tests []Test[T], inputs []T, units, rounds int, done func()) ([]Time, float64) {
	var functions []func(T)
	for _, t := range tests {
		for _, c := range t.contenders {
			functions = append(functions, c.do)
		}
	}
	r := measure.Race(functions, inputs, units, rounds, done)
	return relate(tests, r), r.GHz
}

// relate returns the times of tests, whose contenders have been measured one after the other.
func relate[T any](tests []Test[T], r measure.Result) []Time {
	var times []Time
	for _, t := range tests {
		first, fastest := len(times), -1
		for _, c := range t.contenders {
			i := len(times)
			times = append(times, Time{Test: t.Name, Name: c.name, Peer: c.peer, Nanoseconds: r.Nanoseconds[i], Spread: r.Spread[i]})
			if c.peer && (fastest < 0 || r.Nanoseconds[i] < r.Nanoseconds[fastest]) {
				fastest = i
			}
		}
		for i := first; i < len(times); i++ {
			times[i].Speedup = r.Ratio(fastest, i)
		}
	}
	return times
}

// Sets returns the instruction sets that the packages have kernels for and that this
// processor can run, the best one first. Their names are the columns of results, in which
// package match with POPCNT is beside the others with SSE2.
func Sets(packages ...string) []cpu.InstructionSet {
	sets := cpu.InstructionSets(packages...)
	slices.Reverse(sets)
	for i := range sets {
		if sets[i].Name == "popcnt" {
			sets[i].Name = "sse2"
		}
	}
	return sets
}

// The packages with kernels that the tests of a package use.
var (
	FASTPackages     = []string{"fast"}
	HarrisPackages   = []string{"harris", "tensor", "nms"}
	LoCoCoPackages   = []string{"lococo", "tensor", "nms"}
	IntegralPackages = []string{"integral"}
	ORBPackages      = []string{"fast", "orb"}
	MatchPackages    = []string{"match"}
	TagPackages      = []string{"tag"}
	// CalibratePackages are those of a Finder.
	CalibratePackages = []string{"calibrate", "warp"}
)

// Limit returns a function that does what the one that create returns does, and uses no
// more of the processor than an instruction set. Detectors keep the kernels that they chose
// when they were made, so create is limited, too.
func Limit[T any](set cpu.InstructionSet, create func() func(input T)) func(input T) {
	defer cpu.Limit(set.Set)()
	do := create()
	return func(input T) {
		defer cpu.Limit(set.Set)()
		do(input)
	}
}

// contenders returns a contender for each instruction set of the packages.
func contenders[T any](packages []string, create func() func(input T)) []contender[T] {
	var list []contender[T]
	for _, set := range Sets(packages...) {
		list = append(list, contender[T]{set.Name, false, Limit(set, create)})
	}
	return list
}

// Must returns v. It panics if there is an error, which is a mistake in the options that
// this module gives to the library.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// NewTest returns a test of what create makes, with each instruction set of the packages, and of what a
// peer does.
func NewTest[T any](name string, packages []string, create func() func(input T), peer string, do func(input T)) Test[T] {
	return Test[T]{name, append(contenders(packages, create), contender[T]{peer, true, do})}
}

// FASTTests returns the tests of package fast at a threshold.
func (p *Peers) FASTTests(threshold uint8) []Test[*image.Gray] {
	var tests []Test[*image.Gray]
	for _, d := range p.Detectors() {
		name := fmt.Sprintf("FAST-%d", d.Arc)
		if d.Nonmax {
			name += " with suppression"
		}
		if n := len(tests); n == 0 || tests[n-1].Name != name {
			opts := fast.Options{Threshold: threshold, ArcLength: d.Arc, NonmaxSuppression: d.Nonmax}
			tests = append(tests, Test[*image.Gray]{name, contenders(FASTPackages, func() func(*image.Gray) {
				return Must(measure.Detector(opts))
			})})
		}
		t := &tests[len(tests)-1]
		t.contenders = append(t.contenders, d.contender(threshold))
	}
	return tests
}

// contender returns the detector of a peer at a threshold.
func (d Detector) contender(threshold uint8) contender[*image.Gray] {
	return contender[*image.Gray]{d.Name, true, func(img *image.Gray) { d.find(img, threshold) }}
}

// VPITest returns the test of package vpi, at a threshold of package fast. Its own one is
// larger by 1, since its comparisons are not strict.
func (p *Peers) VPITest(threshold uint8) Test[*image.Gray] {
	opts := vpi.Options{Threshold: float32(threshold) + 1}
	t := Test[*image.Gray]{"radius 3 with suppression", contenders(FASTPackages, func() func(*image.Gray) {
		d := Must(vpi.New(opts))
		var corners []vpi.Corner
		return func(img *image.Gray) { corners = d.Append(corners[:0], img) }
	})}
	for _, d := range p.Detectors() {
		if d.Arc == 9 && d.Nonmax {
			t.contenders = append(t.contenders, d.contender(threshold))
		}
	}
	return t
}

// ORBTests returns the tests of package orb, for 500 and 1000 features.
func (p *Peers) ORBTests() []Test[*image.Gray] {
	var tests []Test[*image.Gray]
	for _, features := range []int{500, 1000} {
		opts := orb.Options{Features: features}
		ours := contenders(ORBPackages, func() func(*image.Gray) {
			e := Must(orb.New(opts))
			var kps []orb.Keypoint
			var descs []match.Descriptor
			return func(img *image.Gray) { kps, descs = e.Append(kps[:0], descs[:0], img, nil) }
		})
		theirs := contender[*image.Gray]{"opencv", true, func(img *image.Gray) { p.extract(&opts, img, nil) }}
		tests = append(tests, Test[*image.Gray]{fmt.Sprintf("%d features", features), append(ours, theirs)})
	}
	return tests
}

// Descriptors are two sets of descriptors, to be matched.
type Descriptors struct{ Query, Train []match.Descriptor }

// FlatDescriptors are two sets of descriptors of Size bytes each, as a Matcher of bytes takes them.
type FlatDescriptors struct {
	Size         int
	Query, Train []byte
}

// flat returns the same descriptors, in the same memory.
func (d Descriptors) flat() FlatDescriptors {
	return FlatDescriptors{len(match.Descriptor{}), flatten(d.Query), flatten(d.Train)}
}

// flatten returns the bytes of descriptors.
func flatten(descs []match.Descriptor) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(descs))), len(descs)*len(match.Descriptor{}))
}

// Regroup returns the bytes of the sets as pairs of sets of n descriptors of another size.
func Regroup(list []Descriptors, n, size int) []FlatDescriptors {
	var all []byte
	for _, d := range list {
		all = append(append(all, flatten(d.Query)...), flatten(d.Train)...)
	}
	var flat []FlatDescriptors
	for pair := range slices.Chunk(all, 2*n*size) {
		if len(pair) == 2*n*size {
			flat = append(flat, FlatDescriptors{size, pair[:n*size], pair[n*size:]})
		}
	}
	return flat
}

// MakeDescriptors returns as many pairs of sets of n and trains descriptors as those of the
// frames suffice for, and an error when that is none. No two sets share a descriptor, but a
// set may be from two frames or more.
func MakeDescriptors(frames []*image.Gray, n, trains int) ([]Descriptors, error) {
	e := Must(orb.New(orb.Options{Features: 1000}))
	var descs []match.Descriptor
	for _, img := range frames {
		_, descs = e.Append(nil, descs, img, nil)
	}
	var list []Descriptors
	for pair := range slices.Chunk(descs, n+trains) {
		if len(pair) == n+trains {
			list = append(list, Descriptors{pair[:n], pair[n:]})
		}
	}
	if list == nil {
		return nil, fmt.Errorf("peers: %d frames have only %d descriptors, not %d", len(frames), len(descs), n+trains)
	}
	return list, nil
}

// MatchingTests returns the tests of package match: the nearest, with and without cross-check,
// and the two nearest.
func (p *Peers) MatchingTests() []Test[Descriptors] {
	var tests []Test[Descriptors]
	for _, t := range []struct {
		name string
		opts match.Options
		k    int // of FAISS, which has no cross-check
	}{
		{"nearest", match.Options{}, 1},
		{"nearest with cross-check", match.Options{CrossCheck: true}, 0},
		{"two nearest", match.Options{}, 2},
	} {
		ours := contenders(MatchPackages, func() func(Descriptors) {
			m := Must(match.New[match.Descriptor](t.opts))
			var matches []match.Match
			if t.k == 2 {
				return func(d Descriptors) { matches = m.AppendKNearest(matches[:0], d.Query, d.Train, t.k) }
			}
			return func(d Descriptors) { matches = m.Append(matches[:0], d.Query, d.Train) }
		})
		theirs := contender[Descriptors]{"opencv", true, func(d Descriptors) { p.match(&t.opts, d.flat(), max(t.k, 1), 0) }}
		list := append(ours, theirs)
		if t.k > 0 && p.HasFAISS() {
			list = append(list, contender[Descriptors]{"faiss", true, func(d Descriptors) { p.nearest(d.flat(), t.k) }})
		}
		tests = append(tests, Test[Descriptors]{t.name, list})
	}
	return tests
}

// FlatTests returns the tests of package match with descriptors of the given size: the nearest and
// the two nearest.
func (p *Peers) FlatTests(size int) []Test[FlatDescriptors] {
	var tests []Test[FlatDescriptors]
	for i, name := range []string{"nearest", "two nearest"} {
		k := i + 1
		list := contenders(MatchPackages, func() func(FlatDescriptors) {
			f := Must(match.New[byte](match.Options{Length: size}))
			var matches []match.Match
			return func(d FlatDescriptors) { matches = f.AppendKNearest(matches[:0], d.Query, d.Train, k) }
		})
		list = append(list, contender[FlatDescriptors]{"opencv", true, func(d FlatDescriptors) { p.match(&match.Options{}, d, k, 0) }})
		if p.HasFAISS() {
			list = append(list, contender[FlatDescriptors]{"faiss", true, func(d FlatDescriptors) { p.nearest(d, k) }})
		}
		tests = append(tests, Test[FlatDescriptors]{name, list})
	}
	return tests
}

// Vectors are two sets of vectors, to be matched. The peers take the same numbers as floats.
type Vectors struct {
	Query, Train             []match.Vector
	queryFloats, trainFloats []float32
}

// NewVectors returns sets of vectors.
func NewVectors(query, train []match.Vector) *Vectors {
	return &Vectors{query, train, floatsOf(query), floatsOf(train)}
}

// floatsOf returns the numbers of vectors as floats.
func floatsOf(list []match.Vector) (floats []float32) {
	for i := range list {
		for _, number := range list[i] {
			floats = append(floats, float32(number))
		}
	}
	return floats
}

// MakeVectors returns a pair of sets of the given numbers of SIFT descriptors, each of which is of
// as many of the frames as it takes. No frame serves both.
func (p *Peers) MakeVectors(frames []*image.Gray, n, trains int) (*Vectors, error) {
	var sets [2][]match.Vector
	used := 0
	for i, n := range []int{n, trains} {
		for ; len(sets[i]) < n; used++ {
			if used == len(frames) {
				return nil, fmt.Errorf("peers: %d frames have too few descriptors of SIFT", used)
			}
			_, descs := p.SIFT(sift.Options{Contrast: 0.01}, frames[used], nil)
			sets[i] = append(sets[i], descs...)
		}
		sets[i] = sets[i][:n]
	}
	return NewVectors(sets[0], sets[1]), nil
}

// VectorTests returns the tests of package match with vectors: the nearest, with and without
// cross-check, and the two nearest.
func (p *Peers) VectorTests() []Test[*Vectors] {
	var tests []Test[*Vectors]
	for _, t := range []struct {
		name       string
		crossCheck bool
		k          int
	}{{"nearest", false, 1}, {"nearest with cross-check", true, 1}, {"two nearest", false, 2}} {
		list := contenders(MatchPackages, func() func(*Vectors) {
			m := Must(match.New[match.Vector](match.Options{CrossCheck: t.crossCheck}))
			var matches []match.Match
			if t.k == 2 {
				return func(v *Vectors) { matches = m.AppendKNearest(matches[:0], v.Query, v.Train, t.k) }
			}
			return func(v *Vectors) { matches = m.Append(matches[:0], v.Query, v.Train) }
		})
		list = slices.DeleteFunc(list, func(c contender[*Vectors]) bool { return c.name == "sse2" }) // which is portable Go
		list = append(list, contender[*Vectors]{"opencv", true, func(v *Vectors) { p.matchVectors(t.crossCheck, v, t.k) }})
		if !t.crossCheck && p.HasFAISS() {
			list = append(list, contender[*Vectors]{"faiss", true, func(v *Vectors) { p.nearestVectors(v, t.k) }})
		}
		tests = append(tests, Test[*Vectors]{t.name, list})
	}
	return tests
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
func (p *Peers) HarrisParts() []Part {
	good := harris.GoodFeatures(1000, 0.01, 10)
	goodHarris := good
	goodHarris.Measure = harris.Harris
	project := harris.IRGPU(border.Reflect101)
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
			ours := contenders(HarrisPackages, func() func(*image.Gray) {
				return tensor[harris.Corner](Must(harris.New(t.ours.opts)), t.ours.corners)
			})
			tests = append(tests, Test[*image.Gray]{t.name, append(ours, p.do(t.theirs, t.peer))})
		}
		parts = append(parts, Part{part.name, tests})
	}
	return parts
}

// A tensorDetector is one of package harris or lococo.
type tensorDetector[C any] interface {
	Append(dst []C, img, mask *image.Gray) []C
	AppendResponse(dst []float32, img *image.Gray) []float32
}

// tensor returns what has the detector find corners, or the responses of all pixels.
func tensor[C any](d tensorDetector[C], find bool) func(img *image.Gray) {
	var corners []C
	var responses []float32
	if find {
		return func(img *image.Gray) { corners = d.Append(corners[:0], img, nil) }
	}
	return func(img *image.Gray) { responses = d.AppendResponse(responses[:0], img) }
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
func (p *Peers) LoCoCoParts() []Part {
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
		ours := contenders(LoCoCoPackages, func() func(*image.Gray) {
			return tensor[lococo.Corner](Must(lococo.New(t.opts)), t.corners)
		})
		theirs := p.do(cornerHarris(harris.Sobel3, 3), "opencv cornerHarris")
		tests = append(tests, Test[*image.Gray]{t.name, append(ours, theirs)})
	}
	ours := contenders(IntegralPackages, func() func(*image.Gray) {
		var sums integral.Sums
		return func(img *image.Gray) { integral.Into(&sums, img) }
	})
	theirs := contender[*image.Gray]{"opencv", true, func(img *image.Gray) { p.integrate(img) }}
	integrals := Test[*image.Gray]{"integral image", append(ours, theirs)}
	return []Part{{"Corners and responses", tests}, {"Integral images", []Test[*image.Gray]{integrals}}}
}
