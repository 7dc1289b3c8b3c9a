package fast_test

import (
	"image"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestGuardPages checks that no kernel reads a byte before the first pixel of
// an image or beyond the last one: the memory there faults.
func TestGuardPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	c := newCanvas(contents[0], canvasRect)
	mem := guardedMemory(t, 16*(140+64))
	rng := rand.New(rand.NewPCG(8, 9))
	step := 1
	if quick() {
		step = 3
	}
	for w := 7; w <= 140; w += step {
		for h := 7; h <= 16; h++ {
			at := canvasRect.Min.Add(image.Pt(rng.IntN(900), rng.IntN(30)))
			r := image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
			for _, stride := range []int{w, w + 1 + rng.IntN(64)} {
				// The padding of the last row lies beyond the image.
				size := (h-1)*stride + w
				for _, pix := range [][]byte{mem[:size:size], mem[len(mem)-size:]} {
					img := &image.Gray{Pix: pix, Stride: stride, Rect: r}
					copy(pix, noise(rng, size))
					copyPixels(img, c.img)
					requireInBounds(t, c, img)
				}
			}
		}
	}
}

// requireInBounds fails the test unless every kernel finds the corners of img,
// the part img.Rect of c, without a fault.
func requireInBounds(t *testing.T, c *canvas, img *image.Gray) {
	t.Helper()
	var opts fast.Options
	defer func() {
		t.Helper()
		if fault := recover(); fault != nil {
			t.Fatalf("bounds %v, stride %d, %+v: %v", img.Rect, img.Stride, opts, fault)
		}
	}()
	for _, opts = range variants() {
		opts = in(opts, modes[1], 10)
		got := detector(t, opts).Detect(img)
		requireCorners(t, c.want(img.Rect, opts), got, "bounds %v, stride %d, %+v", img.Rect, img.Stride, opts)
	}
}

// guardedMemory returns at least n bytes that follow a page that faults and
// are followed by one.
func guardedMemory(t *testing.T, n int) []byte {
	t.Helper()
	page := unix.Getpagesize()
	n = (n + page - 1) / page * page
	mem, err := unix.Mmap(-1, 0, page+n+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(mem)) })
	for _, guard := range [][]byte{mem[:page], mem[page+n:]} {
		require.NoError(t, unix.Mprotect(guard, unix.PROT_NONE))
		require.Panics(t, func() { guard[0]++ }, "guard pages do not fault")
	}
	return slices.Clip(mem[page : page+n])
}
