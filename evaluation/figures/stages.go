package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/checks"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/google/pprof/profile"
)

// A stage is a part of the work of a sieve: the functions with these prefixes
// to their names.
type stage struct {
	name     string
	prefixes []string
}

var sieveStages = []stage{
	{"stage 1", []string{"screen"}},
	{"stage 2", []string{"exact"}},
	{"lists of survivors", []string{"compact"}},
	{"corners", []string{"pack", "widen"}},
}

// stageOf returns the index in sieveStages of the stage that a function of
// package fast belongs to, or the number of stages for the rest.
func stageOf(function string) int {
	for i, s := range sieveStages {
		for _, prefix := range s.prefixes {
			if strings.HasPrefix(function, "github.com/fastcorners/fast."+prefix) {
				return i
			}
		}
	}
	return len(sieveStages)
}

// stageTimes runs a detector for so long and returns the share of time of each
// stage, and of the rest.
func stageTimes(detect func(*image.Gray), frames []*image.Gray, d time.Duration) ([]float64, error) {
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		return nil, err
	}
	for start := time.Now(); time.Since(start) < d; {
		for _, img := range frames {
			detect(img)
		}
	}
	pprof.StopCPUProfile()
	p, err := profile.Parse(&b)
	if err != nil {
		return nil, err
	}
	times := make([]float64, len(sieveStages)+1)
	total := 0.0
	for _, sample := range p.Sample {
		n := float64(sample.Value[len(sample.Value)-1])
		total += n
		times[stageOf(leaf(sample))] += n
	}
	for i := range times {
		times[i] /= max(total, 1)
	}
	return times, nil
}

// leaf returns the function that a sample was taken in, or "" where it is not
// known, as in the system's code.
func leaf(sample *profile.Sample) string {
	if len(sample.Location) == 0 || len(sample.Location[0].Line) == 0 {
		return ""
	}
	return sample.Location[0].Line[0].Function.Name
}

// A content is what frames show.
type content struct {
	name   string
	frames []*image.Gray
}

// contents returns frames of photos, of noise and of one gray each.
func (s *session) contents(size spec) []content {
	rng := rand.New(rand.NewPCG(1, 2))
	made := func(fill func(frame int, pix []byte)) []*image.Gray {
		var frames []*image.Gray
		for i := range size.Frames {
			img := image.NewGray(image.Rect(0, 0, size.W, size.H))
			fill(i, img.Pix)
			frames = append(frames, img)
		}
		return frames
	}
	return []content{
		{"photos", s.frames(size)},
		{"noise", made(func(_ int, pix []byte) {
			for i := range pix {
				pix[i] = uint8(rng.Uint32())
			}
		})},
		{"flat", made(func(frame int, pix []byte) {
			for i := range pix {
				pix[i] = uint8(5 * frame)
			}
		})},
	}
}

// stages measures the stages of the sieves on photos, noise and flat images.
func stages(s *session) (map[string][]byte, error) {
	kernels := supported(fast.AVX512Sieve, fast.AVX2Sieve, fast.SSE2Sieve)
	if len(kernels) == 0 {
		return nil, skipError("this machine has no sieve kernels")
	}
	const threshold = 25
	size := s.shorten(spec{640, 480, 48, 31})
	profiled := 3 * time.Second
	if s.quick {
		profiled = 50 * time.Millisecond
	}
	contents := s.contents(size)
	s.steps(len(contents) * (size.steps() + len(kernels)))

	header := []string{"content, kernel", "blocks left after stage 1 (%)", "after stage 2 (%)", "pixels left after stage 1 (%)", "after stage 2 (%)"}
	for _, stage := range sieveStages {
		header = append(header, "time: "+stage.name+" (%)")
	}
	header = append(header, "time: rest (%)", "ns per pixel", "pixels per cycle")
	var rows [][]string
	var clocks []float64
	for _, content := range contents {
		r, err := s.race(kernels, threshold, size, content.frames)
		if err != nil {
			return nil, err
		}
		clocks = append(clocks, r.GHz)
		left := newSurvivors(content.frames, threshold)
		for i, k := range kernels {
			detect, err := measure.Detector(fast.Options{Kernel: k, Threshold: threshold})
			if err != nil {
				return nil, err
			}
			times, err := stageTimes(detect, content.frames, profiled)
			if err != nil {
				return nil, err
			}
			row := []string{content.name + ", " + k.String()}
			shares := append(left.of(shape{sieveWidth(k), 1}), left.of(shape{1, 1})...)
			for _, share := range append(shares, times...) {
				row = append(row, fmt.Sprintf("%.1f", 100*share))
			}
			rows = append(rows, append(row, fmt.Sprintf("%.3f", r.Nanoseconds[i]), fmt.Sprintf("%.2f", r.PerCycle(i))))
			s.step()
		}
	}
	picture, err := s.sievePicture()
	if err != nil {
		return nil, err
	}
	ghz := measure.Median(clocks)
	return map[string][]byte{
		"stages.md": s.page("The stages of the sieves", ghz,
			fmt.Sprintf("FAST-10 at threshold %d, one core, %d different frames of %v pixels. A block has as many pixels as a vector: 64 "+
				"with AVX-512, 32 with AVX2, 16 with SSE2. Stage 1 tests four ring pixels of every pixel; stage 2 does the whole test "+
				"on the blocks that are left. What is left is counted by the definition of the test, not by the kernels. The shares "+
				"of time are those of the functions in a CPU profile. Times are medians over the rounds of a race.",
				threshold, size.Frames, size),
			table(1, header, rows)),
		"sieve.png": picture,
	}, nil
}

// sieveWidth returns how many pixels a block of the sieve kernel k has.
func sieveWidth(k fast.Kernel) int {
	for _, v := range vectorKernels {
		if v.kernel == k {
			return v.shape.w
		}
	}
	panic("no sieve: " + k.String())
}

// survivors are the pixels of frames that the stages of a sieve leave.
type survivors struct {
	counts  []*image.Gray // of checks
	corners []*image.Gray // 1 where there is one
}

func newSurvivors(frames []*image.Gray, threshold uint8) survivors {
	var s survivors
	for _, img := range frames {
		s.counts = append(s.counts, checks.Count(img, threshold))
		corners := image.NewGray(img.Rect)
		for _, c := range fast.Detect(img, threshold) {
			corners.Pix[corners.PixOffset(int(c.X), int(c.Y))] = 1
		}
		s.corners = append(s.corners, corners)
	}
	return s
}

// of returns the shares of the blocks of this shape that stages 1 and 2 leave.
func (s survivors) of(block shape) []float64 {
	shares := make([]float64, 2)
	for i := range s.counts {
		origin := sieveOrigin(s.counts[i])
		shares[0] += checks.Shares(s.counts[i], origin, block.w, block.h)[screened+1]
		shares[1] += checks.Shares(s.corners[i], origin, block.w, block.h)[1]
	}
	for i := range shares {
		shares[i] /= float64(len(s.counts))
	}
	return shares
}

// sievePhoto is the photo of the picture of the sieve.
const sievePhoto = "camera_512x512.png"

// The colors of blocks that are left and of the pixels that let them stay.
var (
	leftColor = color.RGBA{0x60, 0xb8, 0xff, 0xff}
	stayColor = color.RGBA{0xff, 0x40, 0x30, 0xff}
)

// sievePicture shows what the stages of a sieve with blocks of 64 pixels leave of
// a photo.
func (s *session) sievePicture() ([]byte, error) {
	photo, err := tree.Photo(sievePhoto)
	if err != nil {
		return nil, err
	}
	const threshold = 25
	left := newSurvivors([]*image.Gray{photo}, threshold)
	block := shape{64, 1}
	shares := left.of(block)
	panels := []panel{
		{"every block of 64 pixels takes stage 1: four ring pixels", photo},
		{
			fmt.Sprintf("%.0f %% take stage 2: the whole ring", 100*shares[0]),
			drawLeft(photo, left.counts[0], screened+1, block),
		},
		{
			fmt.Sprintf("%.0f %% hold the %d corners", 100*shares[1], len(fast.Detect(photo, threshold))),
			drawLeft(photo, left.corners[0], 1, block),
		},
	}
	keys := []key{
		{leftColor, "blocks that are left"},
		{stayColor, "their pixels that pass the stage"},
	}
	return picture(panels, len(panels), keys, s.stamp.line(measure.UsualClock()))
}

// drawLeft draws the blocks with a pixel of at least the given count, and those
// pixels, and dims the rest of the photo.
func drawLeft(photo, counts *image.Gray, least uint8, block shape) image.Image {
	img := image.NewRGBA(photo.Rect)
	for i, gray := range photo.Pix {
		v := gray &^ 15 / 4
		copy(img.Pix[4*i:], []uint8{v, v, v, 255})
	}
	checks.Blocks(counts, sieveOrigin(counts), block.w, block.h, func(r image.Rectangle, most uint8) {
		if most < least {
			return
		}
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				c := tint(leftColor, photo.GrayAt(x, y).Y)
				if counts.GrayAt(x, y).Y >= least {
					c = stayColor
				}
				img.SetRGBA(x, y, c)
			}
		}
	})
	return img
}
