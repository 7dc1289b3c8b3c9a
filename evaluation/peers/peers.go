package peers

import (
	"errors"
	"fmt"
	"image"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/measure"
)

// ErrMissing is the error where the libraries are not installed. Its message
// says what to install.
var ErrMissing = errors.New(missing)

// A Peer is a detector of another library. The peers share memory: no two may
// run at once.
type Peer struct {
	Name string
	// Arc and Nonmax say what it finds: corners of this arc length, with or
	// without suppression.
	Arc    int
	Nonmax bool
	// Scores tells whether it returns the scores of the corners.
	Scores bool

	number int // in glue/peers.cc
	lib    *library
}

// Open returns the peers. Where they are not installed its error is ErrMissing.
func Open() ([]Peer, error) {
	lib, err := open()
	if err != nil {
		return nil, err
	}
	return []Peer{
		{Name: "libcvd-plain", Arc: 10, number: 0, lib: lib},
		{Name: "libcvd-sse2", Arc: 10, number: 1, lib: lib},
		{Name: "opencv", Arc: 9, number: 2, lib: lib},
		{Name: "opencv", Arc: 9, Nonmax: true, Scores: true, number: 3, lib: lib},
	}, nil
}

// find detects corners and returns how many there are.
func (p *Peer) find(img *image.Gray, threshold uint8) int {
	n := p.lib.find(p.number, img, threshold)
	if n < 0 {
		panic("peers: " + p.Name + " failed")
	}
	return n
}

// Detect returns the corners of img.
func (p *Peer) Detect(img *image.Gray, threshold uint8) []fast.Corner {
	return p.lib.found(p.find(img, threshold))
}

// A Size is a size of frames in pixels, and how many frames of it are compared.
type Size struct{ W, H, Frames int }

func (s Size) String() string { return fmt.Sprintf("%dx%d", s.W, s.H) }

// Sizes are the sizes that the comparison is about.
var Sizes = []Size{{640, 480, 48}, {1920, 1080, 16}}

// Rounds is how many rounds the comparison takes. It measures medians.
const Rounds = 31

// A Time is how long a detector takes for a pixel.
type Time struct {
	Test        string // such as "FAST-10"
	Detector    string // "auto", another kernel of package fast, or a peer
	Peer        bool
	Nanoseconds float64
	Ratio       float64 // how many times as long as Auto takes for the same test
}

// Compare measures the peers, and package fast as Auto and with the sieves of
// lesser instruction sets, over the frames: one thread each, in a race of so many rounds,
// after each of which it calls done. It also returns the clock in GHz. The
// times of a test follow each other, that of Auto first.
func Compare(frames []*image.Gray, threshold uint8, rounds int, done func()) ([]Time, float64, error) {
	peers, err := Open()
	if err != nil {
		return nil, 0, err
	}
	var times []Time
	var contenders []measure.Contender
	add := func(test string, c measure.Contender, peer bool) {
		times = append(times, Time{Test: test, Detector: c.Name, Peer: peer})
		contenders = append(contenders, c)
	}
	for i, p := range peers {
		test := fmt.Sprintf("FAST-%d", p.Arc)
		if p.Nonmax {
			test += " with suppression"
		}
		if i == 0 || times[len(times)-1].Test != test {
			for _, k := range kernels() {
				c, err := measure.Detector(k.String(), fast.Options{
					Threshold:         threshold,
					ArcLength:         p.Arc,
					NonmaxSuppression: p.Nonmax,
					Kernel:            k,
				})
				if err != nil {
					return nil, 0, err
				}
				add(test, c, false)
			}
		}
		add(test, measure.Contender{Name: p.Name, Detect: func(img *image.Gray) { p.find(img, threshold) }}, true)
	}
	r := measure.Race(contenders, frames, rounds, done)
	auto := 0
	for i := range times {
		if times[i].Test != times[auto].Test {
			auto = i
		}
		times[i].Nanoseconds = r.Nanoseconds[i]
		times[i].Ratio = r.Nanoseconds[i] / r.Nanoseconds[auto]
	}
	return times, r.GHz, nil
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
