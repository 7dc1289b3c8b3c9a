package fast_test

import (
	"encoding/binary"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/program/frames"
	"github.com/stretchr/testify/require"
)

// A frameSize is a size in pixels, and how many different frames of it a
// benchmark goes through.
type frameSize struct{ w, h, n int }

func (s frameSize) String() string { return fmt.Sprintf("%dx%d", s.w, s.h) }

// vga frames, all of them together, stay in a large cache of the last level.
var vga = frameSize{640, 480, 48}

var frameSizes = []frameSize{{256, 256, 64}, vga, {1241, 376, 32}, {1920, 1080, 16}, {3840, 2160, 8}}

// huge frames come from memory, whatever the cache.
var huge = frameSize{8192, 8192, 2}

var (
	photos = sync.OnceValues(func() ([]*image.Gray, error) {
		return frames.Load(os.DirFS("testdata/photos"))
	})
	madeFrames = map[frameSize][]*image.Gray{}
)

// photoFrames returns frames of photos, which are made once.
func photoFrames(b *testing.B, size frameSize) []*image.Gray {
	b.Helper()
	if madeFrames[size] == nil {
		photos, err := photos()
		require.NoError(b, err)
		madeFrames[size] = frames.Make(photos, size.w, size.h, size.n)
	}
	return madeFrames[size]
}

// benchmarkFrames measures do, which takes another frame each time.
func benchmarkFrames(b *testing.B, list []*image.Gray, do func(img *image.Gray)) {
	for _, img := range list {
		do(img) // warms up, and makes room for the corners
	}
	pixels := len(list[0].Pix)
	b.SetBytes(int64(pixels))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		do(list[i])
		if i++; i == len(list) {
			i = 0
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(pixels), "ns/px")
}

// benchmarkDetect measures detection into memory that is there.
func benchmarkDetect(b *testing.B, list []*image.Gray, opts fast.Options) {
	d := detector(b, opts)
	var corners []fast.Corner
	benchmarkFrames(b, list, func(img *image.Gray) { corners = d.Append(corners[:0], img) })
}

// BenchmarkDetect measures FAST-10 without scores, in one goroutine.
func BenchmarkDetect(b *testing.B) {
	for _, k := range fast.Kernels() {
		for _, size := range frameSizes {
			for _, threshold := range []uint8{10, 25, 50} {
				b.Run(fmt.Sprintf("kernel=%v/frames=%v/t=%d", k, size, threshold), func(b *testing.B) {
					benchmarkDetect(b, photoFrames(b, size), fast.Options{Kernel: k, Threshold: threshold})
				})
			}
		}
		if !isBlock(k) {
			b.Run(fmt.Sprintf("kernel=%v/frames=%v/t=25", k, huge), func(b *testing.B) {
				benchmarkDetect(b, photoFrames(b, huge), fast.Options{Kernel: k, Threshold: 25})
			})
		}
	}
}

// BenchmarkArc measures the other arc lengths.
func BenchmarkArc(b *testing.B) {
	for _, opts := range variants() {
		if opts.ArcLength == 10 {
			continue // as in BenchmarkDetect
		}
		b.Run(fmt.Sprintf("arc=%d/kernel=%v/frames=%v/t=25", opts.ArcLength, opts.Kernel, vga), func(b *testing.B) {
			opts.Threshold = 25
			benchmarkDetect(b, photoFrames(b, vga), opts)
		})
	}
}

// BenchmarkScores measures what scores and suppression cost.
func BenchmarkScores(b *testing.B) {
	for _, opts := range sieves() {
		if opts.ArcLength != 10 {
			continue
		}
		for _, mode := range modes[1:3] {
			b.Run(fmt.Sprintf("score=%t/nonmax=%t/kernel=%v/frames=%v/t=25", mode.Score, mode.NonmaxSuppression, opts.Kernel, vga), func(b *testing.B) {
				benchmarkDetect(b, photoFrames(b, vga), in(opts, mode, 25))
			})
		}
	}
}

// BenchmarkWorkers measures how detection gains from more goroutines.
func BenchmarkWorkers(b *testing.B) {
	for _, size := range []frameSize{vga, {1920, 1080, 16}, {3840, 2160, 8}} {
		for _, mode := range []fast.Options{modes[0], modes[2]} {
			for _, workers := range []int{1, 2, 4} {
				b.Run(fmt.Sprintf("workers=%d/nonmax=%t/frames=%v/t=25", workers, mode.NonmaxSuppression, size), func(b *testing.B) {
					benchmarkDetect(b, photoFrames(b, size), in(fast.Options{Workers: workers}, mode, 25))
				})
			}
		}
	}
}

// BenchmarkNoise measures frames in which every pixel is random: no branch that
// depends on pixels can be predicted.
func BenchmarkNoise(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	benchmarkContent(b, "noise", func(pix []byte) { copy(pix, noise(rng, len(pix))) })
}

// BenchmarkFlat measures frames of one gray each: every pixel is given up at the
// first check.
func BenchmarkFlat(b *testing.B) {
	gray := byte(0)
	benchmarkContent(b, "flat", func(pix []byte) {
		for i := range pix {
			pix[i] = gray
		}
		gray += 5
	})
}

// benchmarkContent measures detection in frames that fill makes.
func benchmarkContent(b *testing.B, name string, fill func(pix []byte)) {
	var list []*image.Gray
	for range vga.n {
		img := image.NewGray(image.Rect(0, 0, vga.w, vga.h))
		fill(img.Pix)
		list = append(list, img)
	}
	for _, k := range fast.Kernels() {
		b.Run(fmt.Sprintf("content=%s/kernel=%v/frames=%v/t=25", name, k, vga), func(b *testing.B) {
			benchmarkDetect(b, list, fast.Options{Kernel: k, Threshold: 25})
		})
	}
}

// readSum keeps the reads of BenchmarkRead from being dropped.
var readSum uint64

// BenchmarkRead measures how long it takes to read the pixels, eight at a time,
// and do next to nothing with them.
func BenchmarkRead(b *testing.B) {
	for _, size := range append(slices.Clip(frameSizes), huge) {
		b.Run(fmt.Sprintf("frames=%v", size), func(b *testing.B) {
			benchmarkFrames(b, photoFrames(b, size), func(img *image.Gray) { readSum += sum(img.Pix) })
		})
	}
}

// sum adds up the pixels in words of eight. The sums do not wait for each other.
func sum(pix []byte) uint64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 uint64
	for ; len(pix) >= 64; pix = pix[64:] {
		s0 += binary.LittleEndian.Uint64(pix)
		s1 += binary.LittleEndian.Uint64(pix[8:])
		s2 += binary.LittleEndian.Uint64(pix[16:])
		s3 += binary.LittleEndian.Uint64(pix[24:])
		s4 += binary.LittleEndian.Uint64(pix[32:])
		s5 += binary.LittleEndian.Uint64(pix[40:])
		s6 += binary.LittleEndian.Uint64(pix[48:])
		s7 += binary.LittleEndian.Uint64(pix[56:])
	}
	return s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7
}
