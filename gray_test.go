package fast_test

import (
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

func ExampleGrayInto() {
	frame := image.NewRGBA(image.Rect(0, 0, 64, 48))
	var gray image.Gray
	for i := range 3 {
		// The next frame comes into the memory of the last one, and so do its
		// gray pixels.
		frame.SetRGBA(10+i, 20, color.RGBA{R: 255, G: 255, A: 255})
		corners := fast.Detect(fast.GrayInto(&gray, frame), 25)
		fmt.Println(len(corners), corners[0].Pt())
	}
	// Output:
	// 1 (10,20)
	// 2 (10,20)
	// 3 (10,20)
}

func ExampleExpandLuma() {
	// The luma of a video frame, 16 for black to 235 for white.
	luma := &image.Gray{Pix: []byte{16, 70, 125, 235}, Stride: 4, Rect: image.Rect(0, 0, 4, 1)}

	var gray image.Gray
	fmt.Println(fast.ExpandLuma(&gray, luma).Pix)
	// Output: [0 63 127 255]
}

// TestGrayShares checks that Gray takes over luma planes, of images and of
// parts of them.
func TestGrayShares(t *testing.T) {
	bounds := image.Rect(-3, 5, 18, 22)
	part := image.Rect(-1, 8, 15, 19)

	gray := image.NewGray(bounds)
	require.Same(t, gray, fast.Gray(gray))

	alpha := image.NewNYCbCrA(bounds, image.YCbCrSubsampleRatio420)
	requireLuma(t, &alpha.YCbCr, fast.Gray(alpha))
	sub := alpha.SubImage(part).(*image.NYCbCrA)
	requireLuma(t, &sub.YCbCr, fast.Gray(sub))

	for ratio := image.YCbCrSubsampleRatio444; ratio <= image.YCbCrSubsampleRatio410; ratio++ {
		img := image.NewYCbCr(bounds, ratio)
		requireLuma(t, img, fast.Gray(img))
		sub := img.SubImage(part).(*image.YCbCr)
		requireLuma(t, sub, fast.Gray(sub))
		empty := img.SubImage(image.Rectangle{}).(*image.YCbCr)
		require.True(t, fast.Gray(empty).Rect.Empty())
	}
}

// requireLuma fails the test unless gray is the luma plane of img, in the same
// memory.
func requireLuma(t *testing.T, img *image.YCbCr, gray *image.Gray) {
	t.Helper()
	require.Equal(t, img.Rect, gray.Rect)
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			require.Same(t, &img.Y[img.YOffset(x, y)], &gray.Pix[gray.PixOffset(x, y)], "%v, pixel %d,%d", img.SubsampleRatio, x, y)
		}
	}
}

// TestGrayConverts checks the images that have no luma plane.
func TestGrayConverts(t *testing.T) {
	bounds := image.Rect(-3, 5, 18, 22)
	images := []draw.Image{
		image.NewGray16(bounds),
		image.NewRGBA(bounds),
		image.NewRGBA64(bounds),
		image.NewNRGBA(bounds),
		image.NewCMYK(bounds),
		image.NewAlpha(bounds),
		image.NewPaletted(bounds, palette.WebSafe),
		inverted{image.NewRGBA(bounds)},
		image.NewRGBA(image.Rect(4, 4, 4, 9)),
	}
	rng := rand.New(rand.NewPCG(10, 11))
	for _, img := range images {
		r := img.Bounds()
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				img.Set(x, y, color.NRGBA64{
					R: uint16(rng.Uint32()),
					G: uint16(rng.Uint32()),
					B: uint16(rng.Uint32()),
					A: 0xffff - uint16(rng.Uint32N(2)*rng.Uint32N(0xffff)),
				})
			}
		}
		for _, img := range []image.Image{img, part(img, image.Rect(-1, 8, 15, 19))} {
			got := fast.Gray(img)
			requireDrawn(t, img, got)
			r := img.Bounds()
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					require.Equal(t, color.GrayModel.Convert(img.At(x, y)), got.At(x, y), "%T, pixel %d,%d", img, x, y)
				}
			}
		}
	}
}

// requireDrawn fails the test unless got is what draw.Draw makes of img.
func requireDrawn(t *testing.T, img image.Image, got *image.Gray) {
	t.Helper()
	want := image.NewGray(img.Bounds())
	draw.Draw(want, want.Rect, img, want.Rect.Min, draw.Src)
	require.Equal(t, want.Rect, got.Rect, "%T", img)
	for y := want.Rect.Min.Y; y < want.Rect.Max.Y; y++ {
		for x := want.Rect.Min.X; x < want.Rect.Max.X; x++ {
			if want.GrayAt(x, y) != got.GrayAt(x, y) {
				t.Fatalf("%T, pixel %d,%d: got %v, want %v", img, x, y, got.GrayAt(x, y), want.GrayAt(x, y))
			}
		}
	}
}

// part returns the part r of img, or img if it cannot be divided.
func part(img image.Image, r image.Rectangle) image.Image {
	if whole, ok := img.(interface {
		SubImage(r image.Rectangle) image.Image
	}); ok {
		return whole.SubImage(r)
	}
	return img
}

// inverted is an image of a type that no package knows.
type inverted struct{ draw.Image }

func (img inverted) At(x, y int) color.Color {
	r, g, b, _ := img.Image.At(x, y).RGBA()
	return color.RGBA64{R: 0xffff - uint16(r), G: 0xffff - uint16(g), B: 0xffff - uint16(b), A: 0xffff}
}

// grayTypes are the types of images that Gray converts without draw.Draw.
var grayTypes = []struct {
	name          string
	bytesPerPixel int
	image         func(pix []byte, stride int, r image.Rectangle) image.Image
}{
	{"RGBA", 4, func(pix []byte, stride int, r image.Rectangle) image.Image {
		return &image.RGBA{Pix: pix, Stride: stride, Rect: r}
	}},
	{"NRGBA", 4, func(pix []byte, stride int, r image.Rectangle) image.Image {
		return &image.NRGBA{Pix: pix, Stride: stride, Rect: r}
	}},
	{"Gray16", 2, func(pix []byte, stride int, r image.Rectangle) image.Image {
		return &image.Gray16{Pix: pix, Stride: stride, Rect: r}
	}},
	{"Paletted", 1, func(pix []byte, stride int, r image.Rectangle) image.Image {
		return &image.Paletted{Pix: pix, Stride: stride, Rect: r, Palette: testPalette}
	}},
}

// testPalette has 256 colors, some of them transparent.
var testPalette = func() color.Palette {
	rng := rand.New(rand.NewPCG(20, 21))
	var list color.Palette
	for range 128 {
		pix := noise(rng, 4)
		list = append(list, color.NRGBA{R: pix[0], G: pix[1], B: pix[2], A: pix[3]})
		list = append(list, color.Gray16{Y: uint16(rng.Uint32())})
	}
	return list
}()

// TestGrayTypes compares the conversion of random pixels with draw.Draw, at all
// small widths and with all kinds of strides.
func TestGrayTypes(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 23))
	var dst image.Gray
	for _, typ := range grayTypes {
		for w := range 40 {
			for range 10 {
				r := image.Rect(0, 0, w, 1+rng.IntN(4)).Add(image.Pt(rng.IntN(20)-10, rng.IntN(20)-10))
				row := w * typ.bytesPerPixel
				stride := max(0, row+[]int{0, 1, rng.IntN(50), -rng.IntN(row + 1)}[rng.IntN(4)])
				pix := noise(rng, stride*(r.Dy()-1)+row)
				img := typ.image(pix, stride, r)
				if rng.IntN(2) == 0 {
					for i := range pix {
						pix[i] |= []byte{0, 0, 0, 255}[i%4] // opaque for a while
					}
				}
				requireDrawn(t, img, fast.Gray(img))
				requireDrawn(t, img, fast.GrayInto(&dst, img))
				sub := part(img, r.Inset(1))
				requireDrawn(t, sub, fast.GrayInto(&dst, sub))
			}
		}
	}
}

// TestGrayValues compares the conversion of all values that a pixel can have, or
// of a part of them, with draw.Draw.
func TestGrayValues(t *testing.T) {
	step := 5
	if quick() {
		step = 51
	}
	square := image.Rect(0, 0, 256, 256)
	rgba, nrgba := image.NewRGBA(square), image.NewNRGBA(square)
	for last := 0; last < 256; last += step {
		for i := range 1 << 16 {
			copy(rgba.Pix[4*i:], []byte{byte(i), byte(i >> 8), byte(last), 255})
			copy(nrgba.Pix[4*i:], []byte{byte(i), byte(last), byte(i + last), byte(i >> 8)})
		}
		requireDrawn(t, rgba, fast.Gray(rgba))
		requireDrawn(t, nrgba, fast.Gray(nrgba))
	}
	gray16 := image.NewGray16(square)
	for i := range 1 << 16 {
		copy(gray16.Pix[2*i:], []byte{byte(i >> 8), byte(i)})
	}
	requireDrawn(t, gray16, fast.Gray(gray16))
}

// TestGrayPalette checks palettes that do not have 256 colors.
func TestGrayPalette(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 5, 3), slices.Concat(testPalette, testPalette))
	img.Pix[7] = 255
	requireDrawn(t, img, fast.Gray(img))
	img.Palette = testPalette[:255]
	requirePanic(t, func() { fast.Gray(img) }, "too few colors")
	img.Pix[7] = 254
	requireDrawn(t, img, fast.Gray(img))
	img.Palette = slices.Clone(testPalette)
	img.Palette[254] = nil
	requirePanic(t, func() { fast.Gray(img) }, "a color that is nil")
	img.Palette[254], img.Palette[253] = color.White, nil
	requireDrawn(t, img, fast.Gray(img))
	img.Palette = nil
	requireDrawn(t, img, fast.Gray(img))
}

// TestGrayInto checks what becomes of dst.
func TestGrayInto(t *testing.T) {
	for _, typ := range grayTypes {
		img := typ.image(make([]byte, 12*11*typ.bytesPerPixel), 12*typ.bytesPerPixel, image.Rect(0, 0, 12, 11))
		for _, room := range []int{0, 1, 131, 132, 1000} {
			dst := image.Gray{Pix: slices.Repeat([]byte{9}, room), Stride: 7, Rect: image.Rect(1, 2, 3, 4)}
			old := dst.Pix
			require.Same(t, &dst, fast.GrayInto(&dst, img))
			require.Len(t, dst.Pix, 132)
			require.Equal(t, 12, dst.Stride)
			requireDrawn(t, img, &dst)
			require.Equal(t, room >= 132, room > 0 && &old[0] == &dst.Pix[0], "%s, room for %d", typ.name, room)
		}
		dst := image.Gray{Pix: make([]byte, 1000)}
		require.Zero(t, imagetest.Allocs(10, func() { fast.GrayInto(&dst, img) }), typ.name)
		for _, r := range []image.Rectangle{{}, image.Rect(3, 3, 3, 9), {Min: image.Pt(9, 9), Max: image.Pt(-9, -9)}} {
			fast.GrayInto(&dst, typ.image(nil, 10, r))
			require.Equal(t, r, dst.Rect)
			require.Empty(t, dst.Pix)
		}
	}
	cmyk := image.NewCMYK(image.Rect(-3, -2, 12, 11))
	dst := image.Gray{Pix: make([]byte, 1000)}
	requireDrawn(t, cmyk, fast.GrayInto(&dst, cmyk))

	ycbcr := image.NewYCbCr(image.Rect(0, 0, 9, 9), image.YCbCrSubsampleRatio444)
	before := dst
	requireLuma(t, ycbcr, fast.GrayInto(&dst, ycbcr))
	require.Equal(t, before, dst)
	require.Same(t, &before, fast.GrayInto(&dst, &before))
}

// TestGrayMalformed checks that images that lack pixels panic and leave dst alone,
// and so do images that have no bounds to speak of.
func TestGrayMalformed(t *testing.T) {
	r := image.Rect(-4, 5, 6, 16)
	dst := image.Gray{Pix: []byte{1, 2, 3}, Stride: 3, Rect: image.Rect(0, 0, 3, 1)}
	before := dst
	requirePanics := func(img image.Image) {
		t.Helper()
		requirePanic(t, func() { fast.GrayInto(&dst, img) }, "%T, bounds %v", img, img.Bounds())
		require.Equal(t, before, dst)
	}
	for _, typ := range grayTypes {
		n := typ.bytesPerPixel
		stride := 12 * n
		need := stride*10 + 10*n
		pix := make([]byte, need)
		require.NotPanics(t, func() { fast.Gray(typ.image(pix, stride, r)) })
		requirePanics(typ.image(nil, stride, r))
		requirePanics(typ.image(pix[:need-1], stride, r))
		requirePanics(typ.image(pix[:10*n-1], 0, r))
		requirePanics(typ.image(pix, -stride, r))
		requirePanics(typ.image(pix, math.MaxInt, r))
		requirePanics(typ.image(pix, stride, image.Rect(0, 0, math.MaxInt, math.MaxInt)))
		requirePanics(typ.image(pix, stride, image.Rect(math.MinInt, math.MinInt, math.MaxInt, math.MaxInt)))
		requirePanics(typ.image(pix, 0, image.Rect(0, math.MinInt, 10, math.MaxInt)))
	}
	for _, img := range []image.Image{image.White, image.NewUniform(color.Transparent), image.Opaque} {
		requirePanics(img)
		require.PanicsWithValue(t, fmt.Sprintf("fast: image bounds %v are too large to convert", img.Bounds()), func() { fast.Gray(img) })
	}
}

// TestNilImage checks what becomes of images and destinations that are nil.
func TestNilImage(t *testing.T) {
	var d fast.Detector
	img := image.NewGray(image.Rect(0, 0, 9, 9))
	for _, do := range []func(){
		func() { fast.Detect(nil, 10) },
		func() { d.Append(nil, nil) },
		func() { d.ScoreAt(nil, image.Point{}) },
		func() { fast.Gray(nil) },
		func() { fast.Gray((*image.RGBA)(nil)) },
		func() { fast.GrayInto(img, (*image.Gray)(nil)) },
		func() { fast.ExpandLuma(img, nil) },
	} {
		require.PanicsWithValue(t, "fast: nil image", do)
	}
	for _, do := range []func(){
		func() { fast.GrayInto(nil, img) },
		func() { fast.GrayInto(nil, nil) },
		func() { fast.ExpandLuma(nil, img) },
	} {
		require.PanicsWithValue(t, "fast: nil destination", do)
	}
}

// TestExpandLuma compares the table with the definition, at all places that the
// result can go to.
func TestExpandLuma(t *testing.T) {
	img := image.NewGray(image.Rect(-5, 3, 11, 19))
	var want []byte
	for y := range 256 {
		img.Pix[y] = byte(y)
		want = append(want, byte(math.Round(255*min(max(float64(y-16)/219, 0), 1))))
	}
	require.Equal(t, []byte{0, 0, 1}, want[15:18])
	require.Equal(t, []byte{254, 255, 255}, want[234:237])
	original := slices.Clone(img.Pix)

	for _, room := range []int{0, 100, 256, 999} {
		dst := image.Gray{Pix: make([]byte, room), Stride: 1, Rect: image.Rect(0, 0, 1, 1)}
		require.Same(t, &dst, fast.ExpandLuma(&dst, img))
		require.Equal(t, image.Gray{Pix: want, Stride: 16, Rect: img.Rect}, dst)
		require.Equal(t, original, img.Pix)
	}
	var dst image.Gray
	sub := img.SubImage(image.Rect(-2, 5, 9, 11)).(*image.Gray)
	fast.ExpandLuma(&dst, sub)
	require.Equal(t, sub.Rect, dst.Rect)
	require.Zero(t, imagetest.Allocs(10, func() { fast.ExpandLuma(&dst, sub) }))

	// In place, only the pixels of the part change.
	require.Same(t, sub, fast.ExpandLuma(sub, sub))
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			i := img.PixOffset(x, y)
			if image.Pt(x, y).In(sub.Rect) {
				require.Equal(t, want[i], img.Pix[i])
				require.Equal(t, want[i], dst.GrayAt(x, y).Y)
			} else {
				require.Equal(t, original[i], img.Pix[i])
			}
		}
	}

	// Rows that share pixels.
	shared := &image.Gray{Pix: []byte{16, 70, 125, 235}, Stride: 1, Rect: image.Rect(0, 0, 3, 2)}
	require.Equal(t, []byte{0, 63, 127, 63, 127, 255}, fast.ExpandLuma(shared, shared).Pix)
}

// TestExpandLumaMalformed checks images that lack pixels, and those that have
// none.
func TestExpandLumaMalformed(t *testing.T) {
	r := image.Rect(0, 0, 10, 10)
	pix := make([]byte, 100)
	for _, img := range []*image.Gray{
		{Pix: pix[:99], Stride: 10, Rect: r},
		{Pix: pix, Stride: -10, Rect: r},
		{Pix: pix, Stride: math.MaxInt, Rect: r},
		{Pix: pix, Rect: image.Rect(0, math.MinInt, 10, math.MaxInt)},
	} {
		requirePanic(t, func() { fast.ExpandLuma(new(image.Gray), img) }, "%v", img.Rect)
		requirePanic(t, func() { fast.ExpandLuma(img, img) }, "%v, in place", img.Rect)
	}
	for _, img := range []*image.Gray{{}, {Rect: image.Rect(5, 5, 5, 100)}, {Stride: -1}} {
		require.Equal(t, img.Rect, fast.ExpandLuma(&image.Gray{Pix: pix}, img).Rect)
		require.Same(t, img, fast.ExpandLuma(img, img))
	}
}

// BenchmarkGray measures conversions into memory that is there.
func BenchmarkGray(b *testing.B) {
	list := photoFrames(b, vga)
	bounds := list[0].Rect
	run := func(name string, from func(gray *image.Gray) image.Image) {
		images := map[*image.Gray]image.Image{}
		for _, gray := range list {
			images[gray] = from(gray)
		}
		b.Run(fmt.Sprintf("type=%s/frames=%v", name, vga), func(b *testing.B) {
			var dst image.Gray
			benchmarkFrames(b, list, func(img *image.Gray) { fast.GrayInto(&dst, images[img]) })
		})
	}
	drawn := func(img draw.Image, gray *image.Gray) image.Image {
		draw.Draw(img, bounds, gray, bounds.Min, draw.Src)
		return img
	}
	run("RGBA", func(gray *image.Gray) image.Image { return drawn(image.NewRGBA(bounds), gray) })
	run("NRGBA", func(gray *image.Gray) image.Image { return drawn(image.NewNRGBA(bounds), gray) })
	run("NRGBA/alpha=128", func(gray *image.Gray) image.Image {
		img := image.NewNRGBA(bounds)
		drawn(img, gray)
		for i := 3; i < len(img.Pix); i += 4 {
			img.Pix[i] = 128
		}
		return img
	})
	run("Gray16", func(gray *image.Gray) image.Image { return drawn(image.NewGray16(bounds), gray) })
	run("Paletted", func(gray *image.Gray) image.Image {
		return &image.Paletted{Pix: gray.Pix, Stride: gray.Stride, Rect: gray.Rect, Palette: testPalette}
	})
	run("RGBA64", func(gray *image.Gray) image.Image { return drawn(image.NewRGBA64(bounds), gray) })
}

// BenchmarkExpandLuma measures the expansion into memory that is there.
func BenchmarkExpandLuma(b *testing.B) {
	b.Run(fmt.Sprintf("frames=%v", vga), func(b *testing.B) {
		var dst image.Gray
		benchmarkFrames(b, photoFrames(b, vga), func(img *image.Gray) { fast.ExpandLuma(&dst, img) })
	})
}
