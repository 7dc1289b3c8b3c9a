package fast_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/test/asmtest"
)

// TestGuardPages checks that no kernel reads a byte before the first pixel of
// an image or beyond the last one: the memory there faults.
func TestGuardPages(t *testing.T) {
	c := newCanvas(contents[0], canvasRect)
	mem := asmtest.GuardedPages(t, 16*(140+64))
	rng := rand.New(rand.NewPCG(8, 9))
	step := 1
	if quick() {
		step = 7
	}
	for w := 7; w <= 140; w += step {
		for h := 7; h <= 16; h++ {
			at := canvasRect.Min.Add(image.Pt(rng.IntN(900), rng.IntN(30)))
			r := image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
			strides := []int{w, w + 1 + rng.IntN(64)}
			if h%4 == 0 {
				strides = append(strides, w-1-rng.IntN(w/2)) // the rows share pixels
			}
			mode := modes[(w+h)%len(modes)]
			for _, stride := range strides {
				// The padding of the last row lies beyond the image.
				size := (h-1)*stride + w
				for _, pix := range asmtest.Ends(mem, size) {
					img := &image.Gray{Pix: pix, Stride: stride, Rect: r}
					copy(pix, noise(rng, size))
					if stride < w {
						requireInBounds(t, &canvas{name: "random", img: img}, img, mode)
						continue
					}
					copyPixels(img, c.img)
					requireInBounds(t, c, img, mode)
				}
			}
		}
	}
}

// TestGuardPagesLarge is TestGuardPages for the sieve kernels on images that are
// worked in several bands, or rows in several runs.
func TestGuardPagesLarge(t *testing.T) {
	mem := asmtest.GuardedPages(t, 16450*8)
	copy(mem, noise(rand.New(rand.NewPCG(18, 19)), len(mem)))
	for _, size := range []image.Point{{X: 22, Y: 530}, {X: 39, Y: 420}, {X: 70, Y: 140}, {X: 200, Y: 99}, {X: 256, Y: 71}, {X: 7, Y: 700}, {X: 16384, Y: 7}, {X: 16387, Y: 8}, {X: 16450, Y: 7}} {
		n := size.X * size.Y
		for _, pix := range asmtest.Ends(mem, n) {
			img := &image.Gray{Pix: pix, Stride: size.X, Rect: image.Rectangle{Max: size}}
			for _, opts := range sieves() {
				for _, mode := range modes[:3] {
					opts := in(opts, mode, 100)
					func() {
						defer func() {
							if fault := recover(); fault != nil {
								t.Fatalf("bounds %v, %+v: %v", img.Rect, opts, fault)
							}
						}()
						detector(t, opts).Detect(img)
					}()
				}
			}
		}
	}
}

// TestLongStride checks images whose rows lie so far apart that the offsets of few rows
// take more than 31 bits.
func TestLongStride(t *testing.T) {
	c := newCanvas(contents[0], image.Rect(0, 0, 80, 30))
	for _, stride := range []int{1 << 28, 1 << 30} {
		size := 29*int64(stride) + 80
		img := &image.Gray{Pix: asmtest.ReservedMemory(t, size), Stride: stride, Rect: c.img.Rect}
		copyPixels(img, c.img)
		for _, mode := range modes {
			requireInBounds(t, c, img, mode)
		}
	}
}

// requireInBounds fails the test unless every kernel finds the corners of img,
// the part img.Rect of c, without a fault.
func requireInBounds(t *testing.T, c *canvas, img *image.Gray, mode fast.Options) {
	t.Helper()
	var opts fast.Options
	defer func() {
		t.Helper()
		if fault := recover(); fault != nil {
			t.Fatalf("bounds %v, stride %d, %+v: %v", img.Rect, img.Stride, opts, fault)
		}
	}()
	var want []fast.Corner
	wantArc := 0
	for _, opts = range variants() {
		opts = in(opts, mode, 10)
		if opts.ArcLength != wantArc {
			want, wantArc = c.want(img.Rect, opts), opts.ArcLength
		}
		got := detector(t, opts).Detect(img)
		requireCorners(t, want, got, "bounds %v, stride %d, %+v", img.Rect, img.Stride, opts)
	}
}
