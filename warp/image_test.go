package warp_test

import (
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// A custom image is of no type of package image.
type custom struct{ *image.NRGBA64 }

func (c custom) SubImage(r image.Rectangle) image.Image {
	return custom{c.NRGBA64.SubImage(r).(*image.NRGBA64)}
}

// drawables make images of all types that can be drawn on.
var drawables = map[string]func(r image.Rectangle) draw.Image{
	"Alpha":    func(r image.Rectangle) draw.Image { return image.NewAlpha(r) },
	"Alpha16":  func(r image.Rectangle) draw.Image { return image.NewAlpha16(r) },
	"CMYK":     func(r image.Rectangle) draw.Image { return image.NewCMYK(r) },
	"Gray":     func(r image.Rectangle) draw.Image { return image.NewGray(r) },
	"Gray16":   func(r image.Rectangle) draw.Image { return image.NewGray16(r) },
	"NRGBA":    func(r image.Rectangle) draw.Image { return image.NewNRGBA(r) },
	"NRGBA64":  func(r image.Rectangle) draw.Image { return image.NewNRGBA64(r) },
	"Paletted": func(r image.Rectangle) draw.Image { return image.NewPaletted(r, palette.Plan9) },
	"RGBA":     func(r image.Rectangle) draw.Image { return image.NewRGBA(r) },
	"RGBA64":   func(r image.Rectangle) draw.Image { return image.NewRGBA64(r) },
	"custom":   func(r image.Rectangle) draw.Image { return custom{image.NewNRGBA64(r)} },
}

// subImager is what all images of package image are.
type subImager interface {
	SubImage(r image.Rectangle) image.Image
}

// randomImage returns an image of noise, some of it transparent, and a part of it.
func randomImage(rng *rand.Rand, create func(r image.Rectangle) draw.Image) (whole, part draw.Image) {
	r := image.Rect(0, 0, 1+rng.IntN(40), 1+rng.IntN(30)).Add(image.Pt(rng.IntN(60)-30, rng.IntN(60)-30))
	whole = create(r.Inset(-rng.IntN(5)))
	randomize(rng, whole)
	return whole, whole.(subImager).SubImage(r).(draw.Image)
}

// randomize sets the pixels of an image.
func randomize(rng *rand.Rand, img draw.Image) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBA64{uint16(rng.Uint32()), uint16(rng.Uint32()), uint16(rng.Uint32()), uint16(rng.Uint32())}
			switch rng.IntN(4) {
			case 0:
				c.A = 0
			case 1:
				c.A = 0xffff
			}
			img.Set(x, y, c)
		}
	}
}

// sources return images of noise, of all types.
func sources() map[string]func(rng *rand.Rand) image.Image {
	all := make(map[string]func(rng *rand.Rand) image.Image)
	for name, create := range drawables {
		all[name] = func(rng *rand.Rand) image.Image {
			_, part := randomImage(rng, create)
			return part
		}
	}
	for ratio := range ratios {
		all[ratio.String()] = func(rng *rand.Rand) image.Image { return randomFrame(rng, ratio) }
		all["N"+ratio.String()] = func(rng *rand.Rand) image.Image {
			img := image.NewNYCbCrA(image.Rect(0, 0, 40, 30), ratio)
			for _, plane := range [][]byte{img.Y, img.Cb, img.Cr, img.A} {
				for i := range plane {
					plane[i] = uint8(rng.Uint32())
				}
			}
			x, y := rng.IntN(9), rng.IntN(9)
			return img.SubImage(image.Rect(x, y, x+1+rng.IntN(30), y+1+rng.IntN(20)))
		}
	}
	return all
}

// imageOracle sets the pixels of dst, one after the other, from the definition of Warper.Image.
func imageOracle(opts warp.Options, dst draw.Image, src image.Image, t warp.Transform) {
	b, r := src.Bounds(), dst.Bounds()
	if to, ok := dst.(*image.Gray16); ok {
		if from, ok := src.(*image.Gray16); ok {
			oracle(opts, &picture{to.Pix, to.Stride, 2, to.Rect}, &picture{from.Pix, from.Stride, 2, from.Rect}, t)
			return
		}
	}
	_, gray := dst.(*image.Gray)
	_, from := src.(*image.NRGBA)
	_, to := dst.(*image.NRGBA)
	straight := from && to
	picture := newPicture(4, b)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			p := picture.pix[(y-b.Min.Y)*picture.stride+4*(x-b.Min.X):]
			switch at := src.At(x, y).(type) {
			case color.YCbCr:
				p[0] = at.Y
			case color.NYCbCrA:
				p[0] = at.Y
			default:
				p[0] = color.GrayModel.Convert(at).(color.Gray).Y
			}
			if straight {
				c := src.At(x, y).(color.NRGBA)
				p[0], p[1], p[2], p[3] = c.R, c.G, c.B, c.A
			} else if !gray {
				c := color.RGBAModel.Convert(src.At(x, y)).(color.RGBA)
				p[0], p[1], p[2], p[3] = c.R, c.G, c.B, c.A
			}
		}
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			px, py := place(t, r, x, y, opts.Interpolation == warp.Nearest)
			var p [4]uint8
			set := false
			for c := range p {
				var v int
				v, set = value(opts, picture, c, px, py, false)
				p[c] = uint8(v)
			}
			switch {
			case !set:
			case gray:
				dst.Set(x, y, color.Gray{p[0]})
			case straight:
				dst.Set(x, y, color.NRGBA{p[0], p[1], p[2], p[3]})
			default:
				dst.Set(x, y, color.RGBA{p[0], p[1], p[2], p[3]})
			}
		}
	}
}

// requireColors fails the test unless two images of one size have the same colors.
func requireColors(t testing.TB, want, got image.Image, message string, args ...any) {
	t.Helper()
	b := want.Bounds()
	require.Equal(t, b, got.Bounds())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if want.At(x, y) != got.At(x, y) {
				t.Fatalf("pixel %d, %d is %v, want %v: %s", x, y, got.At(x, y), want.At(x, y), fmt.Sprintf(message, args...))
			}
		}
	}
}

// TestImage compares images of all types, warped to all that can be drawn on, with the definition.
func TestImage(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for from, source := range sources() {
		for to, create := range drawables {
			for _, mode := range borders {
				if rng.IntN(2) > 0 || testing.Short() && rng.IntN(4) > 0 {
					continue // converting has no border
				}
				opts := warp.Options{Border: mode, Interpolation: warp.Linear + warp.Interpolation(rng.IntN(2)), Value: [4]uint8{20, 90, 130, 150}}
				w := warper(t, opts)
				for range 2 { // with the memory of the first call
					src := source(rng)
					whole, dst := randomImage(rng, create)
					want := create(whole.Bounds())
					for y := want.Bounds().Min.Y; y < want.Bounds().Max.Y; y++ {
						for x := want.Bounds().Min.X; x < want.Bounds().Max.X; x++ {
							want.Set(x, y, whole.At(x, y))
						}
					}
					requireColors(t, whole, want, "before")
					list := transforms(rng, dst.Bounds(), src.Bounds(), opts.Interpolation)
					transform := list[rng.IntN(len(list))]
					imageOracle(opts, want.(subImager).SubImage(dst.Bounds()).(draw.Image), src, transform)
					w.Image(dst, src, transform)
					requireColors(t, want, whole, "%s to %s, %+v, %v from %v, %#v", from, to, opts, dst.Bounds(), src.Bounds(), transform)
				}
			}
		}
	}
}

// TestImageKept checks that pixels that are not set keep what has no place in 8 bits.
func TestImageKept(t *testing.T) {
	dst := image.NewNRGBA64(image.Rect(0, 0, 4, 1))
	old := color.NRGBA64{0x1234, 0x5678, 0x9abc, 0x0def}
	for x := range 4 {
		dst.SetNRGBA64(x, 0, old)
	}
	src := image.NewGray(image.Rect(0, 0, 2, 1))
	src.Pix = []byte{70, 80}
	w := warper(t, warp.Options{Border: border.Transparent, Interpolation: warp.Nearest})
	w.Image(dst, src, warp.Affine{1, 0, -1, 0, 1, 0})
	require.Equal(t, old, dst.NRGBA64At(0, 0))
	require.Equal(t, color.NRGBA64{0x4646, 0x4646, 0x4646, 0xffff}, dst.NRGBA64At(1, 0))
	require.Equal(t, color.NRGBA64{0x5050, 0x5050, 0x5050, 0xffff}, dst.NRGBA64At(2, 0))
	require.Equal(t, old, dst.NRGBA64At(3, 0))
}

// TestImageMemory checks that the memory of images that are converted is used again.
func TestImageMemory(t *testing.T) {
	imagetest.SkipRace(t)
	rng := rand.New(rand.NewPCG(1, 8))
	r := image.Rect(0, 0, 90, 70)
	video := image.NewYCbCr(r, image.YCbCrSubsampleRatio420)
	rgba, nrgba, gray := image.NewRGBA(r), image.NewNRGBA(r), image.NewGray(r)
	gray16, other16 := image.NewGray16(r), image.NewGray16(r)
	for _, img := range []draw.Image{rgba, nrgba, gray, gray16} {
		randomize(rng, img)
	}
	for _, mode := range []border.Mode{border.Constant, border.Transparent} {
		w := warper(t, warp.Options{Border: mode})
		angle := warp.Affine{0.9, 0.1, -3, -0.1, 0.9, 4}
		require.Zero(t, imagetest.Allocs(5, func() {
			w.Image(gray, rgba, angle)
			w.Image(rgba, video, angle)
			w.Image(rgba, gray16, angle)
			w.Image(gray16, nrgba, angle)
			w.Image(other16, gray16, angle)
		}), "%v", mode)
	}
}

// TestImagePanics checks what is a mistake of the program, and that it leaves the destination as
// it is.
func TestImagePanics(t *testing.T) {
	identity := warp.Affine{1, 0, 0, 0, 1, 0}
	for _, mode := range []border.Mode{border.Constant, border.Transparent} {
		w := warper(t, warp.Options{Border: mode})
		r := image.Rect(0, 0, 9, 7)
		src, dst := image.NewCMYK(r), image.NewRGBA64(r)
		for want, f := range map[string]func(){
			"warp: Warper not made by New": func() { new(warp.Warper).Image(dst, src, identity) },
			"warp: nil Transform":          func() { w.Image(dst, src, nil) },
			"warp: empty source":           func() { w.Image(dst, new(image.CMYK), identity) },
			"warp: source of 2000000000 by 2000000000 pixels, sides are at most 1048576": func() { w.Image(dst, image.White, identity) },
			"warp: map of 8 by 7 pixels for a destination of 9 by 7":                     func() { w.Image(dst, src, identityMap(image.Rect(0, 0, 8, 7))) },
			"warp: unknown YCbCrSubsampleRatioUnknown":                                   func() { w.Image(dst, &image.YCbCr{Rect: r, SubsampleRatio: 99}, identity) },
		} {
			require.PanicsWithValue(t, want, f, want)
		}
		for _, f := range []func(){
			func() { w.Image(nil, src, identity) },
			func() { w.Image(dst, nil, identity) },
			func() { w.Image((*image.Gray)(nil), src, identity) },
			func() { w.Image(dst, (*image.YCbCr)(nil), identity) },
		} {
			require.PanicsWithValue(t, "warp: nil image", f)
		}
		// Images without their last byte.
		for name, create := range drawables {
			if name == "custom" {
				continue
			}
			short := create(r)
			pix := reflect.ValueOf(short).Elem().FieldByName("Pix")
			pix.SetBytes(pix.Bytes()[:pix.Len()-1])
			imagetest.RequirePanic(t, "warp", func() { w.Image(dst, short, identity) })
			imagetest.RequirePanic(t, "warp", func() { w.Image(short, src, identity) })
		}
		for _, plane := range []string{"Y", "Cb", "Cr", "A"} {
			short := image.NewNYCbCrA(r, image.YCbCrSubsampleRatio420)
			pix := reflect.ValueOf(short).Elem().FieldByName(plane)
			pix.SetBytes(pix.Bytes()[:pix.Len()-1])
			imagetest.RequirePanic(t, "warp", func() { w.Image(dst, short, identity) })
			if plane != "A" {
				imagetest.RequirePanic(t, "warp", func() { w.Image(dst, &short.YCbCr, identity) })
			}
		}
		require.Equal(t, image.NewRGBA64(r), dst)
		for _, empty := range imagetest.Empty() {
			w.Image(&image.Gray16{Rect: empty.Rect}, src, identity)
			w.Image(empty, src, identity)
		}
		shared := image.NewYCbCr(r, image.YCbCrSubsampleRatio420)
		require.PanicsWithValue(t, "warp: source and destination share pixels", func() {
			w.Image(&image.Gray{Pix: shared.Y, Stride: shared.YStride, Rect: r}, shared, identity)
		})
		// Pixels that are converted first may be shared.
		whole := image.NewRGBA(r)
		w.Image((*image.NRGBA)(whole), whole, identity)
	}
}

// TestKeptStrips checks which pixels a destination keeps that is converted and that is made in strips,
// since rows cross many rows of a source of more than 4 MB.
func TestKeptStrips(t *testing.T) {
	const side = 1100
	src := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range src.Pix {
		src.Pix[i] = byte(i * i >> 5)
	}
	dst := image.NewRGBA64(src.Rect)
	for i := range dst.Pix {
		dst.Pix[i] = 0x33
	}
	warper(t, warp.Options{Border: border.Transparent}).Image(dst, src, warp.Affine{0, 1, 200, -1, 0, 900})
	kept := color.RGBA64{0x3333, 0x3333, 0x3333, 0x3333}
	for y := range side {
		for x := range side {
			column, row := y+200, 900-x
			if column < 0 || column >= side-1 || row < 0 || row >= side-1 {
				if dst.RGBA64At(x, y) != kept {
					t.Fatalf("%d, %d is not kept", x, y)
				}
				continue
			}
			r, g, b, a := src.RGBAAt(column, row).RGBA()
			if got := dst.RGBA64At(x, y); uint32(got.R) != r || uint32(got.G) != g || uint32(got.B) != b || uint32(got.A) != a {
				t.Fatalf("%d, %d: %v is not %v", x, y, got, src.RGBAAt(column, row))
			}
		}
	}
}
