package warp_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// resizings are all that a Resizer may be given as Interpolation.
var resizings = []warp.Interpolation{0, warp.Linear, warp.Nearest, warp.Area}

// resizer returns a new Resizer.
func resizer(t testing.TB, opts warp.ResizerOptions) *warp.Resizer {
	t.Helper()
	r, err := warp.NewResizer(opts)
	require.NoError(t, err)
	return r
}

// resize fills dst with src with a new Resizer.
func resize(t testing.TB, opts warp.ResizerOptions, dst, src *picture) {
	t.Helper()
	resizeBy(resizer(t, opts), dst, src)
}

// resizeBy fills dst with src.
func resizeBy(r *warp.Resizer, dst, src *picture) {
	switch dst.size {
	case 1:
		r.Gray(&image.Gray{Pix: dst.pix, Stride: dst.stride, Rect: dst.rect}, &image.Gray{Pix: src.pix, Stride: src.stride, Rect: src.rect})
	case 2:
		r.Gray16(&image.Gray16{Pix: dst.pix, Stride: dst.stride, Rect: dst.rect}, &image.Gray16{Pix: src.pix, Stride: src.stride, Rect: src.rect})
	default:
		r.RGBA(&image.RGBA{Pix: dst.pix, Stride: dst.stride, Rect: dst.rect}, &image.RGBA{Pix: src.pix, Stride: src.stride, Rect: src.rect})
	}
}

// requireResize fails the test unless dst becomes what the definition makes of src, with every
// instruction set, and nothing else changes.
func requireResize(t *testing.T, how warp.Interpolation, dst, src *picture) {
	t.Helper()
	want := *dst
	want.pix = bytes.Clone(dst.pix)
	before := bytes.Clone(dst.pix)
	rule := resizeOracle(how, &want, src)
	for _, set := range cpu.InstructionSets("warp") {
		copy(dst.pix, before)
		restore := cpu.Limit(set.Set)
		resize(t, warp.ResizerOptions{Interpolation: how}, dst, src)
		restore()
		if i := firstDifference(want.pix, dst.pix); i >= 0 {
			t.Fatalf("%s, %v to %v, strides %d and %d, %d bytes, %v, %s: byte %d is %d, not %d", set.Name, src.rect, dst.rect, src.stride, dst.stride, src.size, how, rule, i, dst.pix[i], want.pix[i])
		}
	}
}

// firstDifference returns the first place where two slices of the same length differ, or -1.
func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// extremes sets some rows and columns of a picture to its largest values, so that sums saturate.
func extremes(rng *rand.Rand, p *picture) {
	switch rng.IntN(4) {
	case 0:
		for i := range p.pix {
			p.pix[i] = 255
		}
	case 1:
		for i := range p.pix {
			p.pix[i] |= uint8(-(i >> 3 & 1))
		}
	}
}

// TestResizeOracle compares images of all widths, and of heights that differ from one to the next, with
// the definition. The pixels lie between pages that fault.
func TestResizeOracle(t *testing.T) {
	const side = 70
	room := side*(4*side+70) + 4*side
	from, to := guarded(t, room), guarded(t, room)
	rng := rand.New(rand.NewPCG(1, 2))
	step := 1
	if testing.Short() {
		step = 17
	}
	for i := rng.IntN(step); i < side*side; i += step {
		for _, size := range pixelSizes {
			src := randomPicture(rng, size, 1+i%side, 1+rng.IntN(side), from)
			dst := randomPicture(rng, size, 1+i/side, 1+rng.IntN(side), to)
			extremes(rng, src)
			requireResize(t, resizings[rng.IntN(len(resizings))], dst, src)
		}
	}
}

// TestResizeScales compares images with the definition whose scales are those up to which kernels find
// the pixels of several values together, and just beyond, along rows and down columns, for widths
// around those of their blocks.
func TestResizeScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	widths := []int{7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 67, 100, 129}
	scales := []float64{0.2, 1. / 3, 0.5, 0.9, 0.99, 1, 1.001, 1.01, 1.5, 1.9, 2, 2.2, 2.5, 2.9, 3, 3.3, 4, 4.5, 5, 7, 8, 14, 16, 17, 33, 65}
	largest := 4 * (130*66 + 2)
	from, to := guarded(t, 9*largest), guarded(t, 40*4*130)
	for _, size := range pixelSizes {
		for _, w := range widths {
			for _, scale := range scales {
				if testing.Short() && rng.IntN(12) > 0 {
					continue
				}
				for _, more := range []int{-1, 0, 1} {
					n := int(math.Round(float64(w)*scale)) + more
					h := 1 + rng.IntN(9)
					m := min(max(int(float64(h)/scales[rng.IntN(len(scales))]), 1), 40)
					if n < 1 {
						continue
					}
					pixels := func(mem []byte, w, h int) *picture {
						p := &picture{asmtest.Ends(mem, size*w*h)[rng.IntN(2)], size * w, size, image.Rect(0, 0, w, h)}
						for i := range p.pix {
							p.pix[i] = uint8(rng.Uint32())
						}
						return p
					}
					src, dst := pixels(from, n, h), pixels(to, w, m)
					extremes(rng, src)
					for _, how := range resizings[1:] {
						requireResize(t, how, dst, src)
					}
				}
			}
		}
	}
}

// TestResizeBoxes compares boxes of whole pixels with the definition, around the limits of their width,
// of their height and of their sums.
func TestResizeBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, size := range pixelSizes {
		for _, c := range []struct{ w, h, columns, rows int }{
			{70, 3, 1, 2},
			{70, 3, 1, 3},
			{70, 3, 2, 1},
			{70, 3, 2, 3},
			{70, 3, 3, 1},
			{70, 3, 3, 3},
			{70, 3, 4, 4},
			{70, 3, 5, 5},
			{67, 2, 6, 7},
			{65, 2, 3, 64},
			{65, 2, 3, 65},
			{65, 2, 4, 128},
			{65, 1, 4, 129},
			{33, 1, 5, 65},
			{33, 1, 17, 17},
			{2, 1, 256, 257},
			{2, 1, 256, 256},
			{2, 1, 257, 256},
			{2, 1, 4, 16448},
			{2, 1, 4, 16449},
		} {
			if testing.Short() && (size != 1 || c.w > 2) && rng.IntN(3) > 0 {
				continue
			}
			src, dst := newPicture(size, image.Rect(0, 0, c.w*c.columns, c.h*c.rows)), newPicture(size, image.Rect(0, 0, c.w, c.h))
			for i := range src.pix {
				src.pix[i] = uint8(rng.Uint32())
			}
			for range 2 {
				require.Contains(t, []string{"area of whole pixels", "area of 2x2", "copy"}, resizeOracle(0, dst, src))
				requireResize(t, 0, dst, src)
				for i := range src.pix {
					src.pix[i] = 255
				}
			}
		}
	}
}

// TestResizeBoxSums compares boxes with the definition whose sums have more than the 24 bits of a float32
// and whose means are as near to the middle between two numbers as possible.
func TestResizeBoxSums(t *testing.T) {
	const side, n = 301, 33 // sums of rows are odd
	src, dst := newPicture(1, image.Rect(0, 0, n*side, side)), newPicture(1, image.Rect(0, 0, n, 1))
	for y := range side {
		for x := range n * side {
			src.set(x, y, 0, 254+(x+y)%2)
		}
	}
	for i := range n {
		for k := range max(i-n/2, n/2-i) { // makes the sum of a box differ from 254.5 by as many
			x, y := i*side+2*k, 7
			if i < n/2 {
				x++
			}
			src.set(x, y+1, 0, src.at(x, y, 0))
		}
	}
	require.Equal(t, "area of whole pixels", resizeOracle(warp.Area, dst, src))
	require.Contains(t, dst.pix, uint8(254))
	require.Contains(t, dst.pix, uint8(255))
	requireResize(t, warp.Area, dst, src)
}

// TestResizeLarge compares images that are large enough for the rare weights below 1/1000, and images
// with a side of thousands of pixels, with the definition.
func TestResizeLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	rounds := 12
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		for _, size := range pixelSizes {
			long := func() int { return 1000 + rng.IntN(2000) }
			src, dst := randomPicture(rng, size, long(), 1+rng.IntN(9), nil), randomPicture(rng, size, long(), 1+rng.IntN(9), nil)
			requireResize(t, resizings[rng.IntN(len(resizings))], dst, src)
			src, dst = randomPicture(rng, size, 1+rng.IntN(9), long(), nil), randomPicture(rng, size, 1+rng.IntN(9), long(), nil)
			requireResize(t, resizings[rng.IntN(len(resizings))], dst, src)
		}
	}
	for _, n := range []int{49, 93, 98, 99, 103} { // n to one is not exact
		src, dst := randomPicture(rng, 1, 20*n, n, nil), randomPicture(rng, 1, 20, 1, nil)
		require.Equal(t, "area", resizeOracle(0, dst, src))
		requireResize(t, 0, dst, src)
	}
}

// TestResizeHuge checks the mean of more pixels than 32 bits add up.
func TestResizeHuge(t *testing.T) {
	if testing.Short() {
		t.Skip("adds 2 times 17 million pixels")
	}
	src := image.NewGray(image.Rect(0, 0, 1<<24, 1))
	for i := range src.Pix {
		src.Pix[i] = 255
	}
	src.Rect.Max.Y, src.Stride = 2, 0 // the same row twice
	dst := image.NewGray(image.Rect(0, 0, 1, 1))
	warp.Resize(dst, src)
	require.EqualValues(t, 255, dst.Pix[0])
}

// TestResizeViews checks that only the sizes of bounds count, and that nothing outside of a view is
// read or written.
func TestResizeViews(t *testing.T) {
	photo := imagetest.Photo(t, "chelsea_451x300")
	part := photo.SubImage(image.Rect(40, 30, 300, 200)).(*image.Gray)
	clone := image.NewGray(part.Rect.Sub(part.Rect.Min))
	draw.Draw(clone, clone.Rect, part, part.Rect.Min, draw.Src)
	for _, how := range resizings {
		r := resizer(t, warp.ResizerOptions{Interpolation: how})
		for _, size := range []image.Point{{100, 70}, {130, 85}, {52, 34}, {500, 300}, {260, 170}, {300, 90}} {
			want := image.NewGray(image.Rectangle{Max: size})
			r.Gray(want, clone)
			canvas := image.NewGray(image.Rect(-50, -20, 600, 400))
			for i := range canvas.Pix {
				canvas.Pix[i] = uint8(i * 31)
			}
			before := bytes.Clone(canvas.Pix)
			place := canvas.SubImage(want.Rect.Add(image.Pt(-13, 29))).(*image.Gray)
			r.Gray(place, part)
			got := image.NewGray(want.Rect)
			draw.Draw(got, got.Rect, place, place.Rect.Min, draw.Src)
			require.Equal(t, want.Pix, got.Pix, "%v, %v", how, size)
			for y := canvas.Rect.Min.Y; y < canvas.Rect.Max.Y; y++ {
				for x := canvas.Rect.Min.X; x < canvas.Rect.Max.X; x++ {
					if i := canvas.PixOffset(x, y); !image.Pt(x, y).In(place.Rect) && canvas.Pix[i] != before[i] {
						t.Fatalf("%v, %v: pixel %d, %d has changed", how, size, x, y)
					}
				}
			}
		}
	}
}

// TestResizeConstant checks that an image of one color remains one.
func TestResizeConstant(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 60 {
		for _, size := range pixelSizes {
			src := randomPicture(rng, size, 1+rng.IntN(200), 1+rng.IntN(50), nil)
			dst := randomPicture(rng, size, 1+rng.IntN(200), 1+rng.IntN(50), nil)
			dst.stride = size * dst.rect.Dx()
			dst.pix = make([]byte, dst.stride*dst.rect.Dy())
			colors := []byte{1, 254, 255, uint8(rng.Uint32())}
			rng.Shuffle(4, func(i, j int) { colors[i], colors[j] = colors[j], colors[i] })
			for y := range src.rect.Dy() {
				for x := range src.rect.Dx() {
					copy(src.pix[y*src.stride+x*size:][:size], colors)
				}
			}
			resize(t, warp.ResizerOptions{Interpolation: resizings[rng.IntN(len(resizings))]}, dst, src)
			for i, v := range dst.pix {
				require.Equal(t, colors[i%size], v, "%v to %v, %d bytes", src.rect, dst.rect, size)
			}
		}
	}
}

// TestResizeWorkers checks that the result does not depend on the number of workers, and that a Resizer
// may be used by several goroutines at once, with sizes that alternate.
func TestResizeWorkers(t *testing.T) {
	src := imagetest.Photo(t, "seeding_1920x1080")
	cropped := src.SubImage(image.Rect(0, 0, 1800, 1000)).(*image.Gray)
	sizes := []image.Point{{960, 540}, {640, 360}, {1000, 563}, {1920, 1200}, {2100, 1080}, {224, 224}, {700, 2500}}
	for _, how := range resizings {
		several := []*warp.Resizer{
			resizer(t, warp.ResizerOptions{Interpolation: how, Workers: 2}), resizer(t, warp.ResizerOptions{Interpolation: how, Workers: 7}),
			resizer(t, warp.ResizerOptions{Interpolation: how}),
		}
		var wants [][2]*image.Gray // of src and of cropped
		for _, size := range sizes {
			r := image.Rectangle{Max: size}
			want := [2]*image.Gray{image.NewGray(r), image.NewGray(r)}
			resizer(t, warp.ResizerOptions{Interpolation: how}).Gray(want[0], src)
			resizer(t, warp.ResizerOptions{Interpolation: how}).Gray(want[1], cropped)
			wants = append(wants, want)
		}
		var wait sync.WaitGroup
		for g, r := range several {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for i := range wants {
					want := wants[(i+g)%len(wants)]
					for k, from := range []*image.Gray{src, cropped} {
						dst := image.NewGray(want[k].Rect)
						r.Gray(dst, from)
						if !bytes.Equal(want[k].Pix, dst.Pix) {
							t.Errorf("%v, %v to %v, %d workers: other pixels", how, from.Rect, dst.Rect, r.Options().Workers)
						}
					}
				}
			}()
		}
		wait.Wait()
	}
}

// TestResizeAllocations checks that nothing is allocated while sizes stay the same.
func TestResizeAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	src := imagetest.Photo(t, "chelsea_451x300")
	deep, colors := image.NewGray16(src.Rect), image.NewRGBA(src.Rect)
	frame := image.NewYCbCr(src.Rect, image.YCbCrSubsampleRatio420)
	for _, how := range resizings {
		for _, size := range []image.Point{{300, 200}, {451, 100}, {150, 100}, {600, 500}} {
			r := image.Rectangle{Max: size}
			dst, numbers, pixels, video := image.NewGray(r), image.NewGray16(r), image.NewRGBA(r), image.NewYCbCr(r, image.YCbCrSubsampleRatio420)
			made := resizer(t, warp.ResizerOptions{Interpolation: how})
			for name, f := range map[string]func(){
				"Gray":   func() { made.Gray(dst, src) },
				"Gray16": func() { made.Gray16(numbers, deep) },
				"RGBA":   func() { made.RGBA(pixels, colors) },
				"YCbCr":  func() { made.YCbCr(video, frame) },
				"Image":  func() { made.Image(pixels, frame) },
				"Resize": func() { warp.Resize(numbers, colors) },
			} {
				require.Zero(t, imagetest.Allocs(5, f), "%s, %v, %v", name, how, size)
			}
		}
	}
}

// TestResizeChannels checks that images of four channels have the pixels of four of one channel.
func TestResizeChannels(t *testing.T) {
	src := image.NewNRGBA(image.Rect(3, 4, 140, 77))
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range src.Pix {
		src.Pix[i] = uint8(rng.Uint32())
	}
	for _, how := range resizings {
		r := resizer(t, warp.ResizerOptions{Interpolation: how})
		for _, size := range []image.Point{{64, 60}, {200, 30}, {137, 200}, {30, 20}} {
			dst := image.NewNRGBA(image.Rectangle{Max: size})
			r.NRGBA(dst, src)
			for c := range 4 {
				channel, one := image.NewGray(src.Rect), image.NewGray(dst.Rect)
				for i := range channel.Pix {
					channel.Pix[i] = src.Pix[4*i+c]
				}
				r.Gray(one, channel)
				for i, v := range one.Pix {
					require.Equal(t, v, dst.Pix[4*i+c], "%v, %v, channel %d of pixel %d", how, size, c, i)
				}
			}
		}
	}
}

// TestResizePremultiplied checks that no color exceeds its alpha.
func TestResizePremultiplied(t *testing.T) {
	src := image.NewRGBA(image.Rect(0, 0, 140, 77))
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 140 * 77 {
		alpha := rng.IntN(256)
		for c := range 3 {
			src.Pix[4*i+c] = uint8(rng.IntN(alpha + 1))
		}
		src.Pix[4*i+rng.IntN(3)] = uint8(alpha)
		src.Pix[4*i+3] = uint8(alpha)
	}
	for _, how := range resizings {
		for _, size := range []image.Point{{64, 60}, {200, 30}, {137, 200}, {70, 11}, {30, 20}} {
			dst := image.NewRGBA(image.Rectangle{Max: size})
			resizer(t, warp.ResizerOptions{Interpolation: how}).RGBA(dst, src)
			for pixel := range slices.Chunk(dst.Pix, 4) {
				require.LessOrEqual(t, slices.Max(pixel), pixel[3])
			}
		}
	}
}

// TestResizeYCbCr compares the planes of frames with planes that are resized on their own.
func TestResizeYCbCr(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for ratio, size := range ratios {
		for _, how := range resizings {
			r := resizer(t, warp.ResizerOptions{Interpolation: how})
			for range 5 {
				src, dst := randomFrame(rng, ratio), randomFrame(rng, ratio)
				r.YCbCr(dst, src)
				to, from := planesOf(dst, size), planesOf(src, size)
				for i := range to {
					want := newPicture(1, to[i].rect)
					resize(t, warp.ResizerOptions{Interpolation: how}, want, from[i])
					for y := range to[i].rect.Dy() {
						w := to[i].rect.Dx()
						require.Equal(t, want.pix[y*w:][:w], to[i].pix[y*to[i].stride:][:w], "%v, %v from %v, plane %d, %v", ratio, dst.Rect, src.Rect, i, how)
					}
				}
			}
		}
	}
}

// TestResizeImage compares images of all types with images that are converted first.
func TestResizeImage(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	bounds := image.Rect(-5, 3, 40, 50)
	video := image.NewYCbCr(bounds, image.YCbCrSubsampleRatio420)
	for _, plane := range [][]byte{video.Y, video.Cb, video.Cr} {
		for i := range plane {
			plane[i] = uint8(rng.Uint32())
		}
	}
	sources := map[string]image.Image{"YCbCr": video, "uniform": image.NewUniform(color.RGBA{1, 2, 3, 4})}
	for name, create := range drawables {
		img := create(bounds)
		randomize(rng, img)
		sources[name] = img
	}
	for how := range warp.Area + 1 {
		r := resizer(t, warp.ResizerOptions{Interpolation: how})
		for sourceName, src := range sources {
			if sourceName == "uniform" {
				imagetest.RequirePanic(t, "warp", func() { r.Image(image.NewRGBA(bounds), src) })
				continue
			}
			for name, create := range drawables {
				dst, want := create(image.Rect(2, 1, 33, 60)), create(image.Rect(2, 1, 33, 60))
				r.Image(dst, src)
				switch to := want.(type) {
				case *image.Gray:
					gray := image.NewGray(to.Rect)
					r.Gray(gray, fast.Gray(src))
					draw.Draw(want, gray.Rect, gray, gray.Rect.Min, draw.Src)
				case *image.Gray16:
					if from, ok := src.(*image.Gray16); ok {
						r.Gray16(to, from)
						break
					}
					byColor(r, want, src)
				case *image.NRGBA:
					if from, ok := src.(*image.NRGBA); ok {
						r.NRGBA(to, from)
						break
					}
					byColor(r, want, src)
				default:
					byColor(r, want, src)
				}
				require.Equal(t, want, dst, "%v, %s from %s", how, name, sourceName)
				if how == 0 {
					warp.Resize(dst, src)
					require.Equal(t, want, dst)
				}
			}
		}
	}
}

// byColor makes dst by way of images of four channels.
func byColor(r *warp.Resizer, dst draw.Image, src image.Image) {
	from, to := image.NewRGBA(src.Bounds()), image.NewRGBA(dst.Bounds())
	draw.Draw(from, from.Rect, src, from.Rect.Min, draw.Src)
	r.RGBA(to, from)
	draw.Draw(dst, to.Rect, to, to.Rect.Min, draw.Src)
}

// TestResizeReleased checks that a Resizer does not keep the pixels of images.
func TestResizeReleased(t *testing.T) {
	for _, how := range resizings {
		r := resizer(t, warp.ResizerOptions{Interpolation: how})
		for _, size := range []image.Point{{30, 20}, {45, 35}, {100, 90}} {
			imagetest.RequireReleased(t, func(m imagetest.Memory) {
				dst, src := image.NewGray(image.Rectangle{Max: size}), image.NewGray(image.Rect(0, 0, 90, 70))
				r.Gray(dst, src)
				imagetest.Watch(m, "destination", &dst.Pix[0])
				imagetest.Watch(m, "source", &src.Pix[0])
			})
			imagetest.RequireReleased(t, func(m imagetest.Memory) {
				dst, src := image.NewNRGBA64(image.Rectangle{Max: size}), image.NewCMYK(image.Rect(0, 0, 90, 70))
				r.Image(dst, src)
				imagetest.Watch(m, "destination", &dst.Pix[0])
				imagetest.Watch(m, "source", &src.Pix[0])
			})
		}
		runtime.KeepAlive(r)
	}
}

// TestResizeOptions checks what is refused and what Options tells.
func TestResizeOptions(t *testing.T) {
	_, err := warp.NewResizer(warp.ResizerOptions{Interpolation: 4})
	require.EqualError(t, err, "warp: ResizerOptions.Interpolation is Interpolation(4), not one of default, linear, nearest, area")
	require.Equal(t, warp.ResizerOptions{Workers: 1}, resizer(t, warp.ResizerOptions{}).Options())
	require.Equal(t, warp.ResizerOptions{Interpolation: warp.Area, Workers: 3}, resizer(t, warp.ResizerOptions{Interpolation: warp.Area, Workers: 3}).Options())
}

// TestResizePanics checks what is a mistake of the program, and that an empty destination is none.
func TestResizePanics(t *testing.T) {
	r := resizer(t, warp.ResizerOptions{})
	src, dst := image.NewGray(image.Rect(0, 0, 30, 20)), image.NewGray(image.Rect(0, 0, 10, 9))
	src16, dst16 := image.NewGray16(src.Rect), image.NewGray16(dst.Rect)
	video := func() *image.YCbCr { return image.NewYCbCr(image.Rect(0, 0, 9, 7), image.YCbCrSubsampleRatio420) }
	shared := video()
	wide := &image.Gray{Pix: make([]byte, 1<<24+1), Stride: 0, Rect: image.Rect(-5, 0, 1<<24-4, 1)}
	high := &image.Gray{Pix: wide.Pix, Stride: 1, Rect: image.Rect(0, 0, 1, 1<<24+1)}
	for want, f := range map[string]func(){
		"warp: Resizer not made by NewResizer":                                          func() { new(warp.Resizer).Gray(dst, src) },
		"warp: nil image":                                                               func() { r.NRGBA(nil, nil) },
		"warp: empty source":                                                            func() { r.Gray(dst, new(image.Gray)) },
		"warp: source and destination share pixels":                                     func() { r.Gray(src, src) },
		"warp: source of 16777217 by 1 pixels, sides are at most 16777216":              func() { r.Gray(dst, wide) },
		"warp: source of 1 by 16777217 pixels, sides are at most 16777216":              func() { r.Gray(dst, high) },
		"warp: destination of 16777217 by 1 pixels, sides are at most 16777216":         func() { r.Gray(wide, src) },
		"warp: destination of 1 by 16777217 pixels, sides are at most 16777216":         func() { r.Gray(high, src) },
		"warp: destination of YCbCrSubsampleRatio420, source of YCbCrSubsampleRatio444": func() { r.YCbCr(video(), image.NewYCbCr(src.Rect, image.YCbCrSubsampleRatio444)) },
		"warp: unknown YCbCrSubsampleRatioUnknown":                                      func() { r.Image(dst, &image.YCbCr{Rect: src.Rect, SubsampleRatio: 99}) },
	} {
		require.PanicsWithValue(t, want, f, want)
	}
	for _, f := range []func(){
		func() { r.Gray(dst, nil) },
		func() { r.Gray(nil, src) },
		func() { r.Gray16(dst16, nil) },
		func() { r.RGBA(nil, image.NewRGBA(src.Rect)) },
		func() { r.YCbCr(nil, video()) },
		func() { r.YCbCr(video(), nil) },
		func() { r.Image(nil, src) },
		func() { r.Image((*image.Gray)(nil), src) },
		func() { r.Image(dst, (*image.YCbCr)(nil)) },
		func() { warp.Resize(dst, nil) },
	} {
		require.PanicsWithValue(t, "warp: nil image", f)
	}
	for _, f := range []func(){
		func() { r.Image(src, src) },
		func() { r.Gray16(src16, src16) },
		func() {
			r.YCbCr(shared, &image.YCbCr{Y: video().Y, Cb: video().Cb, Cr: shared.Cb, YStride: 9, CStride: 5, Rect: shared.Rect, SubsampleRatio: shared.SubsampleRatio})
		},
	} {
		require.PanicsWithValue(t, "warp: source and destination share pixels", f)
	}
	for _, img := range imagetest.Malformed() {
		imagetest.RequirePanic(t, "warp", func() { r.Gray(dst, img) })
		imagetest.RequirePanic(t, "warp", func() { r.Gray(img, src) })
		imagetest.RequirePanic(t, "warp", func() { r.Gray16(dst16, (*image.Gray16)(img)) })
		imagetest.RequirePanic(t, "warp", func() { r.Image(img, src) })
	}
	for _, empty := range imagetest.Empty() {
		r.Gray(empty, src)
		r.Gray16((*image.Gray16)(empty), src16)
		r.Image(empty, src)
		r.Image(&image.Gray16{Rect: empty.Rect}, src)
		r.YCbCr(&image.YCbCr{Rect: empty.Rect, SubsampleRatio: image.YCbCrSubsampleRatio420}, video())
		require.PanicsWithValue(t, "warp: empty source", func() { r.Gray(dst, empty) })
		require.PanicsWithValue(t, "warp: empty source", func() { r.Image(dst, empty) })
		require.PanicsWithValue(t, "warp: empty source", func() {
			r.YCbCr(video(), &image.YCbCr{Rect: empty.Rect, SubsampleRatio: image.YCbCrSubsampleRatio420})
		})
	}
	whole := &image.Gray{Pix: wide.Pix, Rect: image.Rect(0, 0, 1<<24, 1)}
	require.NotPanics(t, func() { r.Gray(dst, whole) })
	require.NotPanics(t, func() {
		r.Gray(dst.SubImage(image.Rect(0, 0, 5, 9)).(*image.Gray), dst.SubImage(image.Rect(5, 0, 10, 9)).(*image.Gray))
	})
	// Pixels that are converted first may be shared.
	colors := image.NewRGBA(src.Rect)
	require.NotPanics(t, func() { r.Image((*image.NRGBA)(colors), colors) })
}

// TestFit checks sizes in boxes: they are inside, one side is equal, and the other one is as near to
// the shape as whole pixels are.
func TestFit(t *testing.T) {
	for _, c := range [][3]image.Point{
		{{1920, 1080}, {640, 640}, {640, 360}},
		{{1080, 1920}, {640, 640}, {360, 640}},
		{{1, 1000}, {10, 10}, {1, 10}},
		{{1000, 1}, {10, 10}, {10, 1}},
		{{10, 10}, {30, 20}, {20, 20}},
		{{3, 2}, {2, 2}, {2, 1}},
		{{2, 3}, {2, 2}, {1, 2}},
		{{4, 3}, {2, 2}, {2, 2}}, // 1.5 is rounded up
		{{math.MaxInt32, math.MaxInt32}, {math.MaxInt32, 7}, {7, 7}},
		{{math.MaxInt32, 1}, {math.MaxInt32, math.MaxInt32}, {math.MaxInt32, 1}},
	} {
		require.Equal(t, c[2], warp.Fit(c[0], c[1]), "%v", c)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 2000 {
		size, box := image.Pt(1+rng.IntN(3000), 1+rng.IntN(3000)), image.Pt(1+rng.IntN(300), 1+rng.IntN(300))
		fit := warp.Fit(size, box)
		require.True(t, fit.X >= 1 && fit.Y >= 1 && fit.X <= box.X && fit.Y <= box.Y, "%v in %v is %v", size, box, fit)
		require.True(t, fit.X == box.X || fit.Y == box.Y, "%v in %v is %v", size, box, fit)
		x := float64(size.X) * float64(fit.Y) / float64(size.Y)
		y := float64(size.Y) * float64(fit.X) / float64(size.X)
		require.True(t, math.Abs(x-float64(fit.X)) <= 0.5 || math.Abs(y-float64(fit.Y)) <= 0.5 || min(fit.X, fit.Y) == 1, "%v in %v is %v", size, box, fit)
	}
	for _, bad := range []image.Point{{0, 5}, {5, 0}, {-1, 5}, {5, -1}} {
		require.PanicsWithValue(t, fmt.Sprintf("warp: size of %d by %d pixels", bad.X, bad.Y), func() { warp.Fit(bad, image.Pt(3, 3)) })
		require.PanicsWithValue(t, fmt.Sprintf("warp: box of %d by %d pixels", bad.X, bad.Y), func() { warp.Fit(image.Pt(3, 3), bad) })
	}
}

// TestScaled checks sizes times factors.
func TestScaled(t *testing.T) {
	for _, c := range []struct {
		size   image.Point
		fx, fy float64
		want   image.Point
	}{
		{image.Pt(1920, 1080), 0.5, 0.25, image.Pt(960, 270)},
		{image.Pt(5, 7), 0.5, 0.5, image.Pt(2, 4)}, // half to even
		{image.Pt(5, 7), 0.01, 1e-300, image.Pt(1, 1)},
		{image.Pt(640, 480), 1.0 / 3, 3, image.Pt(213, 1440)},
		{image.Pt(1, math.MaxInt32), math.MaxInt32, 1, image.Pt(math.MaxInt32, math.MaxInt32)},
	} {
		require.Equal(t, c.want, warp.Scaled(c.size, c.fx, c.fy))
	}
	for _, f := range []float64{0, -1, math.NaN(), math.Inf(1), 1 << 32} {
		require.Panics(t, func() { warp.Scaled(image.Pt(5, 5), f, 1) })
		require.Panics(t, func() { warp.Scaled(image.Pt(5, 5), 1, f) })
	}
	require.Panics(t, func() { warp.Scaled(image.Pt(0, 5), 1, 1) })
}

// TestBetweenRectangles checks that blobs are where the transform between the bounds of both images
// maps them: their centroids.
func TestBetweenRectangles(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	blob := func(src *image.Gray, p geometry.Point, sigma float64) {
		for y := src.Rect.Min.Y; y < src.Rect.Max.Y; y++ {
			for x := src.Rect.Min.X; x < src.Rect.Max.X; x++ {
				dx, dy := float64(x)-p.X, float64(y)-p.Y
				src.SetGray(x, y, color.Gray{Y: uint8(math.Round(250 * math.Exp(-(dx*dx+dy*dy)/(2*sigma*sigma))))})
			}
		}
	}
	centroid := func(img *image.Gray) geometry.Point {
		var sum, x, y float64
		for row := img.Rect.Min.Y; row < img.Rect.Max.Y; row++ {
			for column := img.Rect.Min.X; column < img.Rect.Max.X; column++ {
				v := float64(img.GrayAt(column, row).Y)
				sum, x, y = sum+v, x+v*float64(column), y+v*float64(row)
			}
		}
		return geometry.Point{X: x / sum, Y: y / sum}
	}
	src := image.NewGray(image.Rect(-7, 11, 93, 91))
	for _, how := range []warp.Interpolation{warp.Area, warp.Linear} {
		r := resizer(t, warp.ResizerOptions{Interpolation: how})
		for _, size := range []image.Point{{50, 40}, {57, 41}, {33, 27}, {200, 160}, {173, 131}, {250, 61}} {
			if how == warp.Area && size.Y == 61 {
				continue // where only one side grows, Area moves pixels along the other one
			}
			dst := image.NewGray(image.Rectangle{Max: size}.Add(image.Pt(5, -30)))
			between := geometry.BetweenRectangles(src.Rect, dst.Rect)
			for range 3 {
				blob(src, geometry.Point{X: 33 + 20*rng.Float64(), Y: 41 + 20*rng.Float64()}, 5)
				r.Gray(dst, src)
				want, got := between.Apply(centroid(src)), centroid(dst)
				require.InDelta(t, want.X, got.X, 0.02, "%v, %v", how, size)
				require.InDelta(t, want.Y, got.Y, 0.02, "%v, %v", how, size)
			}
		}
	}
}
