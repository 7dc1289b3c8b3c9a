package warp_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// ratios are all ratios of chroma, with the luma pixels of a sample.
var ratios = map[image.YCbCrSubsampleRatio]image.Point{
	image.YCbCrSubsampleRatio444: {X: 1, Y: 1},
	image.YCbCrSubsampleRatio422: {X: 2, Y: 1},
	image.YCbCrSubsampleRatio420: {X: 2, Y: 2},
	image.YCbCrSubsampleRatio440: {X: 1, Y: 2},
	image.YCbCrSubsampleRatio411: {X: 4, Y: 1},
	image.YCbCrSubsampleRatio410: {X: 4, Y: 2},
}

// randomFrame returns a frame of noise that is a part of a larger one.
func randomFrame(rng *rand.Rand, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	img := image.NewYCbCr(image.Rect(0, 0, 70, 60), ratio)
	for _, plane := range [][]byte{img.Y, img.Cb, img.Cr} {
		for i := range plane {
			plane[i] = uint8(rng.Uint32())
		}
	}
	x, y := rng.IntN(9), rng.IntN(9)
	return img.SubImage(image.Rect(x, y, x+1+rng.IntN(60), y+1+rng.IntN(50))).(*image.YCbCr)
}

// planesOf returns the planes of an image as pictures.
func planesOf(img *image.YCbCr, r image.Point) []*picture {
	b := img.Rect
	chroma := image.Rect(b.Min.X/r.X, b.Min.Y/r.Y, (b.Max.X-1)/r.X+1, (b.Max.Y-1)/r.Y+1)
	return []*picture{{img.Y, img.YStride, 1, b}, {img.Cb, img.CStride, 1, chroma}, {img.Cr, img.CStride, 1, chroma}}
}

// TestYCbCr compares the planes of frames with planes that are warped on their own: chroma by
// the transform from its samples to luma, then from luma to luma, and back.
func TestYCbCr(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rounds := 20
	if testing.Short() {
		rounds = 10
	}
	for ratio, r := range ratios {
		for round := range rounds {
			src, dst := randomFrame(rng, ratio), randomFrame(rng, ratio)
			opts := warp.Options{Interpolation: warp.Linear + warp.Interpolation(round%2), Border: borders[round%len(borders)], Value: [4]uint8{16, 128, 77}}
			sx, sy := float64(r.X), float64(r.Y)
			ox, oy := (sx-1)/2, (sy-1)/2
			// With these numbers nothing is rounded.
			a := warp.Affine{1.25, 0.25, -3.5, -0.5, 0.75, 4.25}
			m := warp.Map{Width: dst.Rect.Dx(), Height: dst.Rect.Dy()}
			for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
				for x := dst.Rect.Min.X; x < dst.Rect.Max.X; x++ {
					m.X = append(m.X, float32(a[0])*float32(x)+float32(a[1])*float32(y)+float32(a[2]))
					m.Y = append(m.Y, float32(a[3])*float32(x)+float32(a[4])*float32(y)+float32(a[5]))
				}
			}
			chroma := warp.Affine{
				a[0], a[1] * sy / sx, (a[0]*ox + a[1]*oy + a[2] - ox) / sx,
				a[3] * sx / sy, a[4], (a[3]*ox + a[4]*oy + a[5] - oy) / sy,
			}
			homography := func(a warp.Affine) warp.Homography {
				return warp.Homography{a[0], a[1], a[2], a[3], a[4], a[5], 0, 0, 1}
			}
			list := [][2]warp.Transform{{a, chroma}, {homography(a), homography(chroma)}, {&m, nil}}
			if opts.Interpolation == warp.Linear {
				f, err := m.Fixed()
				require.NoError(t, err)
				list = append(list, [2]warp.Transform{f, nil})
			}
			for _, pair := range list {
				got := image.NewYCbCr(dst.Rect, ratio)
				want := image.NewYCbCr(dst.Rect, ratio)
				for i, plane := range planesOf(want, r) {
					on := warp.Options{Interpolation: opts.Interpolation, Border: opts.Border, Value: [4]uint8{opts.Value[i]}}
					transform := pair[min(i, 1)]
					if transform == nil {
						transform = sampled(&m, dst.Rect, plane.rect, r)
						if _, fixed := pair[0].(*warp.FixedMap); fixed {
							f, err := transform.(*warp.Map).Fixed()
							require.NoError(t, err)
							transform = f
						}
					}
					oracle(on, plane, planesOf(src, r)[i], transform)
				}
				for _, set := range cpu.InstructionSets("warp") {
					restore := cpu.Limit(set.Set)
					warper(t, opts).YCbCr(got, src, pair[0])
					restore()
					require.Equal(t, want, got, "%s, %v, %v from %v, %+v, %T", set.Name, ratio, dst.Rect, src.Rect, opts, pair[0])
				}
			}
		}
	}
}

// sampled returns the map of chroma samples, each of which moves by the mean of the motions of
// its luma pixels, those of r, in the image.
func sampled(m *warp.Map, luma, chroma image.Rectangle, r image.Point) *warp.Map {
	c := &warp.Map{Width: chroma.Dx(), Height: chroma.Dy()}
	for cy := chroma.Min.Y; cy < chroma.Max.Y; cy++ {
		for cx := chroma.Min.X; cx < chroma.Max.X; cx++ {
			var dx, dy, n float64
			for y := luma.Min.Y; y < luma.Max.Y; y++ {
				for x := luma.Min.X; x < luma.Max.X; x++ {
					if x/r.X == cx && y/r.Y == cy {
						i := (y-luma.Min.Y)*luma.Dx() + x - luma.Min.X
						dx += float64(m.X[i]) - float64(x)
						dy += float64(m.Y[i]) - float64(y)
						n++
					}
				}
			}
			c.X = append(c.X, float32(float64(cx)+dx/n/float64(r.X)))
			c.Y = append(c.Y, float32(float64(cy)+dy/n/float64(r.Y)))
		}
	}
	return c
}

// TestYCbCrFrame checks frames of other sizes, and those that cannot be warped.
func TestYCbCrFrame(t *testing.T) {
	w := warper(t, warp.Options{Border: border.Replicate})
	identity := warp.Affine{1, 0, 0, 0, 1, 0}
	for ratio := range ratios {
		for side := 1; side < 12; side++ {
			src := randomFrame(rand.New(rand.NewPCG(7, uint64(side))), ratio)
			dst := image.NewYCbCr(src.Rect, ratio)
			for _, transform := range []warp.Transform{identity, warp.Homography{1, 0, 0, 0, 1, 0, 0, 0, 1}, identityMap(src.Rect)} {
				w.YCbCr(dst, src, transform)
				want := image.NewYCbCr(src.Rect, ratio)
				for i, plane := range planesOf(want, ratios[ratio]) {
					from := planesOf(src, ratios[ratio])[i]
					for y := range from.rect.Dy() {
						copy(plane.pix[y*plane.stride:], from.pix[y*from.stride:][:from.rect.Dx()])
					}
				}
				require.Equal(t, want, dst, "%v, %v, %T", ratio, src.Rect, transform)
			}
		}
	}
	frame := func() *image.YCbCr { return image.NewYCbCr(image.Rect(0, 0, 9, 7), image.YCbCrSubsampleRatio420) }
	other := image.NewYCbCr(image.Rect(0, 0, 9, 7), image.YCbCrSubsampleRatio422)
	shared, short, unknown := frame(), frame(), frame()
	shared.Cr = other.Cb
	short.Cr = short.Cr[:3]
	unknown.SubsampleRatio = 99
	for want, f := range map[string]func(){
		"warp: nil image": func() { w.YCbCr(frame(), nil, identity) },
		"warp: destination of YCbCrSubsampleRatio420, source of YCbCrSubsampleRatio422": func() { w.YCbCr(frame(), other, identity) },
		"warp: unknown YCbCrSubsampleRatioUnknown":                                      func() { w.YCbCr(unknown, unknown, identity) },
		"warp: source and destination share pixels": func() {
			w.YCbCr(shared, &image.YCbCr{Y: frame().Y, Cb: other.Cb, Cr: frame().Cr, YStride: 9, CStride: 5, Rect: shared.Rect, SubsampleRatio: image.YCbCrSubsampleRatio420}, identity)
		},
		"warp: source has 3 bytes of pixels, too few for bounds (0,0)-(5,4) and stride 5": func() { w.YCbCr(frame(), short, identity) },
		"warp: empty source": func() { w.YCbCr(frame(), &image.YCbCr{SubsampleRatio: image.YCbCrSubsampleRatio420}, identity) },
	} {
		require.PanicsWithValue(t, want, f)
	}
	require.NotPanics(t, func() { w.YCbCr(&image.YCbCr{SubsampleRatio: image.YCbCrSubsampleRatio420}, frame(), identity) })
}

// identityMap returns the map that maps all pixels of r to themselves.
func identityMap(r image.Rectangle) *warp.Map {
	m := &warp.Map{Width: r.Dx(), Height: r.Dy()}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			m.X, m.Y = append(m.X, float32(x)), append(m.Y, float32(y))
		}
	}
	return m
}
