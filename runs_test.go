package fast_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// useLanes makes detections work in runs of room pixels, or of as many as usual
// if that is 0, and in buffers next to memory that may not be touched.
func useLanes(t testing.TB, room int) {
	t.Helper()
	t.Cleanup(fast.UseLanes(room, func(n int) []byte { return asmtest.GuardedMemory(t, n) }))
}

// TestSmallRuns compares the kernels with the oracle where small images are
// worked in many runs: rows in several of them, seams with scores, blocks that
// are alone.
func TestSmallRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 21))
	list := append(canvases(), tyingCanvas(rng, canvasRect.Size()), tyingCanvas(rng, canvasRect.Size()))
	rounds := 60
	switch {
	case *long:
		rounds = 2000
	case quick():
		rounds = 10
	}
	for _, room := range []int{128, 144, 208, 336, 1024} {
		useLanes(t, room)
		for range rounds {
			w, h := 7+rng.IntN(60), 7+rng.IntN(35)
			if rng.IntN(2) == 0 {
				w += rng.IntN(400)
			}
			testPart(t, rng, list[rng.IntN(len(list))], w, h, testThresholds[rng.IntN(len(testThresholds))])
		}
	}
}

// TestSmallRunsOverlap is TestOverlappingRows for several runs.
func TestSmallRunsOverlap(t *testing.T) {
	useLanes(t, 128)
	for stride := 0; stride < 160; stride += 7 {
		img := &image.Gray{
			Pix:    noise(rand.New(rand.NewPCG(22, 23)), 20*stride+161),
			Stride: stride,
			Rect:   image.Rect(-2, -1, 159, 20),
		}
		requireDetects(t, &canvas{name: "random", img: img}, img, modes[1+stride%2], 10)
	}
}

// TestDense compares the kernels with the oracle on the content with the most
// corners: no buffer may be too small for them.
func TestDense(t *testing.T) {
	c := newCanvas(cones, image.Rect(0, 0, 640, 90))
	opts := fast.Options{ArcLength: 9}
	density := float64(len(c.want(c.img.Rect, opts))) / float64(len(c.img.Pix))
	require.Greater(t, density, 0.75) // the border has none
	scored, rooms := modes, []int{0, 128, 1024}
	if quick() {
		scored, rooms = modes[1:3], []int{0, 128}
	}
	for _, room := range rooms {
		useLanes(t, room)
		for _, mode := range scored {
			requireDetects(t, c, c.img, mode, 0)
		}
	}
}
