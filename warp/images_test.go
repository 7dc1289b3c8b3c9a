package warp_test

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// kinds returns a transform of each kind for destinations of w by h pixels, none of them far
// from a shift.
func kinds(t testing.TB, w, h int) []warp.Transform {
	t.Helper()
	m := &warp.Map{Width: w, Height: h}
	for y := range h {
		for x := range w {
			m.X, m.Y = append(m.X, float32(x)+float32(y)/64-2.3), append(m.Y, float32(y)-float32(x)/64+1.7)
		}
	}
	f, err := m.Fixed()
	require.NoError(t, err)
	return []warp.Transform{warp.Affine{1.01, 0.02, -3.3, -0.02, 0.99, 4.4}, warp.Homography{1, 0.01, -3.3, 0, 1, 2.7, 1e-5, 2e-5, 1}, m, f}
}

// TestWorkers checks that the result does not depend on the number of workers, and that a
// Warper may be used by several goroutines at once.
func TestWorkers(t *testing.T) {
	src := imagetest.Photo(t, "life_640x480")
	one := warper(t, warp.Options{})
	several := []*warp.Warper{warper(t, warp.Options{Workers: 2}), warper(t, warp.Options{Workers: 7}), one}
	for _, transform := range kinds(t, 900, 600) {
		want := image.NewGray(image.Rect(0, 0, 900, 600))
		one.Gray(want, src, transform)
		var wait sync.WaitGroup
		for range 2 {
			for _, w := range several {
				wait.Add(1)
				go func() {
					defer wait.Done()
					dst := image.NewGray(want.Rect)
					w.Gray(dst, src, transform)
					if !bytes.Equal(want.Pix, dst.Pix) {
						t.Errorf("%T, %d workers: other pixels", transform, w.Options().Workers)
					}
				}()
			}
		}
		wait.Wait()
	}
}

// TestViews compares parts of images, which have other bounds and strides, with copies.
func TestViews(t *testing.T) {
	photo := imagetest.Photo(t, "chelsea_451x300")
	part := photo.SubImage(image.Rect(40, 30, 300, 200)).(*image.Gray)
	clone := image.NewGray(part.Rect.Sub(part.Rect.Min))
	for y := range clone.Rect.Dy() {
		copy(clone.Pix[y*clone.Stride:][:clone.Stride], part.Pix[y*part.Stride:])
	}
	for _, mode := range borders {
		for _, interpolation := range []warp.Interpolation{warp.Linear, warp.Nearest} {
			w := warper(t, warp.Options{Border: mode, Interpolation: interpolation, Value: [4]uint8{9}})
			a := warp.Affine{0.75, 0.25, 17.25, -0.25, 1.125, 60.5}
			whole := image.NewGray(image.Rect(-20, -10, 330, 280))
			w.Gray(whole, part, a)
			moved := a
			moved[2], moved[5] = moved[2]-40, moved[5]-30
			shifted := image.NewGray(whole.Rect)
			w.Gray(shifted, clone, moved)
			require.Equal(t, whole.Pix, shifted.Pix, "source, %v, %v", mode, interpolation)

			again := image.NewGray(whole.Rect)
			for _, r := range []image.Rectangle{image.Rect(-20, -10, 111, 280), image.Rect(111, -10, 330, 95), image.Rect(111, 95, 330, 280)} {
				w.Gray(again.SubImage(r).(*image.Gray), part, a)
			}
			require.Equal(t, whole.Pix, again.Pix, "destination, %v, %v", mode, interpolation)
		}
	}
}

// TestSame checks that identities copy an image, and that an image of one color has it
// everywhere where the border is made of it.
func TestSame(t *testing.T) {
	src := imagetest.Photo(t, "chelsea_451x300")
	r := src.Rect
	fixed, err := identityMap(r).Fixed()
	require.NoError(t, err)
	flat := image.NewGray(image.Rect(0, 0, 50, 40))
	for i := range flat.Pix {
		flat.Pix[i] = 201
	}
	for _, mode := range borders {
		for _, interpolation := range []warp.Interpolation{warp.Linear, warp.Nearest} {
			w := warper(t, warp.Options{Border: mode, Interpolation: interpolation})
			list := []warp.Transform{warp.Affine{1, 0, 0, 0, 1, 0}, warp.Homography{1, 0, 0, 0, 1, 0, 0, 0, 1}, identityMap(r)}
			if interpolation == warp.Linear {
				list = append(list, fixed)
			}
			for _, transform := range list {
				dst := image.NewGray(r)
				w.Gray(dst, src, transform)
				if mode == border.Transparent && interpolation == warp.Linear {
					require.NotEqual(t, src.Pix, dst.Pix)
					continue
				}
				require.Equal(t, src.Pix, dst.Pix, "%T, %v, %v", transform, mode, interpolation)
			}
			if mode == border.Constant || mode == border.Transparent {
				continue
			}
			for _, transform := range kinds(t, 120, 90) {
				if _, ok := transform.(*warp.FixedMap); ok && interpolation == warp.Nearest {
					continue
				}
				dst := image.NewGray(image.Rect(0, 0, 120, 90))
				w.Gray(dst, flat, transform)
				require.Equal(t, bytes.Repeat([]byte{201}, 120*90), dst.Pix, "%T, %v, %v", transform, mode, interpolation)
			}
		}
	}
}

// TestSame16 is TestSame for pixels of 16 bits, and checks that noise of 10 bits stays in its range.
func TestSame16(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 16))
	src := image.NewGray16(image.Rect(0, 0, 50, 40))
	for i := range src.Pix {
		src.Pix[i] = uint8(rng.Uint32())
	}
	w := warper(t, warp.Options{Border: border.Reflect})
	for _, transform := range []warp.Transform{warp.Affine{1, 0, 0, 0, 1, 0}, warp.Homography{1, 0, 0, 0, 1, 0, 0, 0, 1}, identityMap(src.Rect)} {
		dst := image.NewGray16(src.Rect)
		w.Gray16(dst, src, transform)
		require.Equal(t, src.Pix, dst.Pix, "%T", transform)
	}
	for _, transform := range kinds(t, 120, 90) {
		dst := image.NewGray16(image.Rect(0, 0, 120, 90))
		for _, v := range []uint16{0, 1, 0x1234, 0x7fff, 0xffff} {
			for i := range 50 * 40 {
				src.SetGray16(i%50, i/50, color.Gray16{Y: v})
			}
			w.Gray16(dst, src, transform)
			for i := range 120 * 90 {
				require.Equal(t, v, dst.Gray16At(i%120, i/120).Y, "%T", transform)
			}
		}
		for i := range 50 * 40 {
			src.SetGray16(i%50, i/50, color.Gray16{Y: uint16(rng.IntN(2) * 1023)})
		}
		w.Gray16(dst, src, transform)
		for i := range 120 * 90 {
			require.LessOrEqual(t, dst.Gray16At(i%120, i/120).Y, uint16(1023), "%T", transform)
		}
	}
}

// TestChannels checks that images of four channels have the pixels of four of one channel.
func TestChannels(t *testing.T) {
	src := image.NewNRGBA(image.Rect(3, 4, 40, 37))
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range src.Pix {
		src.Pix[i] = uint8(rng.Uint32())
	}
	w := warper(t, warp.Options{Border: border.Reflect})
	for _, transform := range kinds(t, 64, 60) {
		dst := image.NewNRGBA(image.Rect(0, 0, 64, 60))
		w.NRGBA(dst, src, transform)
		same := image.NewRGBA(dst.Rect)
		w.RGBA(same, &image.RGBA{Pix: src.Pix, Stride: src.Stride, Rect: src.Rect}, transform)
		require.Equal(t, dst.Pix, same.Pix)
		for c := range 4 {
			channel, one := image.NewGray(src.Rect), image.NewGray(dst.Rect)
			for i := range channel.Pix {
				channel.Pix[i] = src.Pix[4*i+c]
			}
			w.Gray(one, channel, transform)
			for i, v := range one.Pix {
				require.Equal(t, v, dst.Pix[4*i+c], "%T, channel %d of pixel %d", transform, c, i)
			}
		}
	}
}

// TestAllocations checks that nothing is allocated in the steady state.
func TestAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	src, dst := imagetest.Photo(t, "chelsea_451x300"), image.NewGray(image.Rect(0, 0, 300, 200))
	deep, numbers := image.NewGray16(src.Rect), image.NewGray16(dst.Rect)
	colors, pixels := image.NewRGBA(src.Rect), image.NewRGBA(dst.Rect)
	frame, video := image.NewYCbCr(src.Rect, image.YCbCrSubsampleRatio420), image.NewYCbCr(dst.Rect, image.YCbCrSubsampleRatio420)
	w := warper(t, warp.Options{})
	angle := 0.0
	for i, transform := range kinds(t, 300, 200) {
		require.Zero(t, imagetest.Allocs(5, func() {
			w.Gray(dst, src, transform)
			w.Gray16(numbers, deep, transform)
			w.RGBA(pixels, colors, transform)
			w.YCbCr(video, frame, transform)
			angle += 0.01
			sin, cos := math.Sincos(angle)
			w.Gray(dst, src, warp.Affine{cos, -sin, 3, sin, cos, 4})
			w.YCbCr(video, frame, warp.Homography{cos, -sin, 3, sin, cos, 4, 0, 0, 1})
			w.Gray(dst, src, warp.Of(geometry.Transform{cos, -sin, 3, sin, cos, 4, 0, 0, 1}))
			w.Gray(dst, src, warp.Of(geometry.Transform{cos, -sin, 3, sin, cos, 4, 1e-5, 0, 1}))
		}), "transform %d", i)
	}
}

// TestRectangle checks that corners become those of the rectangle, and that what is no
// rectangle is refused.
func TestRectangle(t *testing.T) {
	quad := [4]geometry.Point{{X: 31, Y: 17}, {X: 260, Y: 40}, {X: 240, Y: 210}, {X: 12, Y: 180}}
	h, ok := warp.Rectangle(quad, 85, 54)
	require.True(t, ok)
	for i, corner := range []geometry.Point{{}, {X: 84}, {X: 84, Y: 53}, {Y: 53}} {
		p := geometry.Transform(h).Apply(corner)
		require.InDelta(t, quad[i].X, p.X, 1e-9)
		require.InDelta(t, quad[i].Y, p.Y, 1e-9)
	}
	// A part of an image, cut out with its own size, is that part.
	src := imagetest.Photo(t, "chelsea_451x300")
	cut := image.NewGray(image.Rect(0, 0, 85, 54))
	straight, ok := warp.Rectangle([4]geometry.Point{{X: 40, Y: 30}, {X: 124, Y: 30}, {X: 124, Y: 83}, {X: 40, Y: 83}}, 85, 54)
	require.True(t, ok)
	warper(t, warp.Options{}).Gray(cut, src, straight)
	for y := range 54 {
		require.Equal(t, src.Pix[src.PixOffset(40, 30+y):][:85], cut.Pix[85*y:][:85])
	}
	for _, side := range []int{2, 3} {
		_, ok = warp.Rectangle(quad, side, side)
		require.True(t, ok)
	}

	line := quad
	line[1] = geometry.Point{X: (quad[0].X + quad[2].X) / 2, Y: (quad[0].Y + quad[2].Y) / 2}
	_, ok = warp.Rectangle(line, 85, 54)
	require.False(t, ok, "three corners on a line")
	for _, side := range []int{1, 0, -1} {
		_, ok = warp.Rectangle(quad, side, 54)
		require.False(t, ok)
		_, ok = warp.Rectangle(quad, 85, side)
		require.False(t, ok)
	}
	quad[3].X = math.NaN()
	_, ok = warp.Rectangle(quad, 85, 54)
	require.False(t, ok, "not a number")
}

// TestOf checks which transforms are affine ones, and that pixels come from where Apply says.
func TestOf(t *testing.T) {
	affine := warp.Affine{0.5, -0.25, 7, 0.75, 1.5, -3}
	for _, c := range []struct {
		from geometry.Transform
		want warp.Transform
	}{
		{geometry.Transform{0.5, -0.25, 7, 0.75, 1.5, -3, 0, 0, 1}, affine},
		{geometry.Transform{2, -1, 28, 3, 6, -12, 0, 0, 4}, affine},
		{geometry.Transform{-0.5, 0.25, -7, -0.75, -1.5, 3, 0, 0, -1}, affine},
		{geometry.Transform{0.5, -0.25, 7, 0.75, 1.5, -3, 0, 0, 0}, warp.Homography{0.5, -0.25, 7, 0.75, 1.5, -3, 0, 0, 0}},
		{geometry.Transform{0.5, -0.25, 7, 0.75, 1.5, -3, 1e-9, 0, 1}, warp.Homography{0.5, -0.25, 7, 0.75, 1.5, -3, 1e-9, 0, 1}},
		{geometry.Transform{0.5, -0.25, 7, 0.75, 1.5, -3, 0, 1e-9, 2}, warp.Homography{0.5, -0.25, 7, 0.75, 1.5, -3, 0, 1e-9, 2}},
	} {
		require.Equal(t, c.want, warp.Of(c.from), "%v", c.from)
	}

	src := newPicture(1, image.Rect(0, 0, 40, 30))
	for i := range src.pix {
		src.pix[i] = uint8(i * 37)
	}
	w := warper(t, warp.Options{Interpolation: warp.Nearest})
	dst := image.NewGray(image.Rect(0, 0, 25, 20))
	for _, transform := range []geometry.Transform{{2, -1, 28, 3, 6, -12, 0, 0, 4}, {1, 0.125, -3, 0.25, 1, 2, 0, 0.0625, 1}} {
		w.Gray(dst, &image.Gray{Pix: src.pix, Stride: src.stride, Rect: src.rect}, warp.Of(transform))
		for y := range 20 {
			for x := range 25 {
				p := transform.Apply(geometry.Point{X: float64(x), Y: float64(y)})
				from := image.Pt(int(math.Floor(p.X+0.5)), int(math.Floor(p.Y+0.5)))
				if math.Abs(p.X-math.Floor(p.X)-0.5) < 0.01 || math.Abs(p.Y-math.Floor(p.Y)-0.5) < 0.01 {
					continue // ties are rounded otherwise
				}
				var want uint8
				if from.In(src.rect) {
					want = src.pix[from.Y*src.stride+from.X]
				}
				require.Equal(t, want, dst.GrayAt(x, y).Y, "%v, %d, %d", transform, x, y)
			}
		}
	}
}

// TestInverse checks that inverses map places back, and which matrices have none.
func TestInverse(t *testing.T) {
	a := warp.Affine{1.25, 0.5, -3, -0.75, 2, 7}
	inverse, ok := a.Inverse()
	require.True(t, ok)
	back, ok := inverse.Inverse()
	require.True(t, ok)
	require.InDeltaSlice(t, a[:], back[:], 1e-12)
	h := warp.Homography{1.25, 0.5, -3, -0.75, 2, 7, 0.001, -0.002, 1}
	there, ok := h.Inverse()
	require.True(t, ok)
	p := geometry.Transform(there).Apply(geometry.Transform(h).Apply(geometry.Point{X: 31, Y: 17}))
	require.InDelta(t, 31, p.X, 1e-9)
	require.InDelta(t, 17, p.Y, 1e-9)

	nan, inf := math.NaN(), math.Inf(1)
	for _, a := range []warp.Affine{{}, {1, 2, 3, 2, 4, 5}, {nan, 0, 0, 0, 1, 0}, {1, 0, inf, 0, 1, 0}, {1e-200, 0, 0, 0, 1e-120, 0}} {
		_, ok := a.Inverse()
		require.False(t, ok, "%v", a)
		_, ok = warp.Homography{a[0], a[1], a[2], a[3], a[4], a[5], 0, 0, 1}.Inverse()
		require.False(t, ok, "%v", a)
	}
	_, ok = warp.Homography{1, 2, 3, 4, 5, 6, 7, 8, 9}.Inverse()
	require.False(t, ok)
}

// TestSmall checks that nothing is done for an empty destination, whatever the transform, and
// that a source may be of one pixel.
func TestSmall(t *testing.T) {
	one := image.NewGray(image.Rect(5, 6, 6, 7))
	one.Pix[0] = 99
	one16 := image.NewGray16(one.Rect)
	one16.Pix[0], one16.Pix[1] = 99, 7
	for _, set := range cpu.InstructionSets("warp") {
		restore := cpu.Limit(set.Set)
		w := warper(t, warp.Options{Border: border.Reflect101})
		for _, dst := range imagetest.Empty() {
			w.Gray(dst, one, warp.Affine{1, 0, 0, 0, 1, 0})
			w.Gray16((*image.Gray16)(dst), one16, warp.Affine{1, 0, 0, 0, 1, 0})
			for _, none := range []warp.Transform{nil, (*warp.Map)(nil), &warp.Map{Width: 3, Height: 2}} {
				w.Gray(dst, one, none)
				w.Image(dst, one, none)
				w.Image(&image.Gray16{Rect: dst.Rect}, one, none)
				w.YCbCr(&image.YCbCr{Rect: dst.Rect}, &image.YCbCr{Y: one.Pix, Cb: one.Pix, Cr: one.Pix, YStride: 1, CStride: 1, Rect: one.Rect}, none)
			}
			require.PanicsWithValue(t, "warp: empty source", func() { w.Gray(dst, new(image.Gray), nil) })
		}
		dst := image.NewGray(image.Rect(0, 0, 40, 3))
		w.Gray(dst, one, warp.Affine{1, 0, 0, 0, 1, 0})
		require.Equal(t, bytes.Repeat([]byte{99}, len(dst.Pix)), dst.Pix)
		dst16 := image.NewGray16(dst.Rect)
		w.Gray16(dst16, one16, warp.Affine{1, 0, 0, 0, 1, 0})
		require.Equal(t, bytes.Repeat([]byte{99, 7}, len(dst.Pix)), dst16.Pix)
		restore()
	}
}

// TestErrors checks the options that are refused.
func TestErrors(t *testing.T) {
	for want, opts := range map[string]warp.Options{
		"warp: Options.Interpolation is area, not one of linear, nearest":                                         {Interpolation: warp.Area},
		"warp: Options.Interpolation is Interpolation(4), not one of linear, nearest":                             {Interpolation: 4},
		"warp: Options.Border is limited, not one of constant, replicate, reflect, reflect101, wrap, transparent": {Border: border.Limited},
	} {
		_, err := warp.New(opts)
		require.EqualError(t, err, want)
	}
}

// TestPanics checks what is a mistake of the program.
func TestPanics(t *testing.T) {
	w := warper(t, warp.Options{})
	identity := warp.Affine{1, 0, 0, 0, 1, 0}
	src, dst := image.NewGray(image.Rect(0, 0, 30, 20)), image.NewGray(image.Rect(0, 0, 30, 20))
	src16, dst16 := image.NewGray16(src.Rect), image.NewGray16(dst.Rect)
	view := func(x0, y0, x1, y1 int) *image.Gray { return src.SubImage(image.Rect(x0, y0, x1, y1)).(*image.Gray) }
	wide := &image.Gray{Pix: make([]byte, 1048577), Stride: 1048577, Rect: image.Rect(0, 0, 1048577, 1)}
	high := &image.Gray{Pix: wide.Pix, Stride: 1, Rect: image.Rect(0, 0, 1, 1048577)}
	at := func(x, y int) *image.Gray { // src somewhere else
		return &image.Gray{Pix: src.Pix, Stride: 30, Rect: src.Rect.Add(image.Pt(x, y))}
	}
	for want, f := range map[string]func(){
		"warp: Warper not made by New": func() { new(warp.Warper).Gray(dst, src, identity) },
		"warp: nil image":              func() { w.NRGBA(nil, nil, identity) },
		"warp: nil Transform":          func() { w.Gray(dst, src, nil) },
		"warp: nil Map":                func() { w.Gray(dst, src, (*warp.Map)(nil)) },
		"warp: nil FixedMap":           func() { w.Gray(dst, src, (*warp.FixedMap)(nil)) },
		"warp: empty source":           func() { w.Gray(dst, new(image.Gray), identity) },
		"warp: source of 1048577 by 1 pixels, sides are at most 1048576":    func() { w.Gray(dst, wide, identity) },
		"warp: source of 1 by 1048577 pixels, sides are at most 1048576":    func() { w.Gray(dst, high, identity) },
		"warp: source bounds (1073741795,0)-(1073741825,20) exceed 1<<30":   func() { w.Gray(dst, at(1<<30-29, 0), identity) },
		"warp: source bounds (0,1073741805)-(30,1073741825) exceed 1<<30":   func() { w.Gray(dst, at(0, 1<<30-19), identity) },
		"warp: source bounds (-1073741825,0)-(-1073741795,20) exceed 1<<30": func() { w.Gray(dst, at(-1<<30-1, 0), identity) },
		"warp: source bounds (0,-1073741825)-(30,-1073741805) exceed 1<<30": func() { w.Gray(dst, at(0, -1<<30-1), identity) },
		"warp: map of 30 by 20 pixels for a destination of 29 by 20": func() {
			w.Gray(dst.SubImage(image.Rect(0, 0, 29, 20)).(*image.Gray), src, identityMap(dst.Rect))
		},
		"warp: map of 30 by 20 pixels for a destination of 30 by 19": func() {
			w.Gray(dst.SubImage(image.Rect(0, 0, 30, 19)).(*image.Gray), src, identityMap(dst.Rect))
		},
		"warp: Map of 3 by 2 pixels with 5 X and 6 Y": func() {
			w.Gray(dst, src, &warp.Map{Width: 3, Height: 2, X: make([]float32, 5), Y: make([]float32, 6)})
		},
		"warp: FixedMap of 3 by 2 pixels with 12 numbers of XY and 5 of Fraction": func() {
			w.Gray(dst, src, &warp.FixedMap{Width: 3, Height: 2, XY: make([]int16, 12), Fraction: make([]uint16, 5)})
		},
		"warp: Map of -1 by 2 pixels, sides are 0 to 1048576":       func() { w.Gray(dst, src, &warp.Map{Width: -1, Height: 2}) },
		"warp: Map of 2 by -1 pixels, sides are 0 to 1048576":       func() { w.Gray(dst, src, &warp.Map{Width: 2, Height: -1}) },
		"warp: Map of 0 by 1048577 pixels, sides are 0 to 1048576":  func() { w.Gray(dst, src, &warp.Map{Height: 1048577}) },
		"warp: FixedMap of 32767 by 0 pixels, sides are 0 to 32766": func() { warp.Undistortion(camera.Camera{}, 32767, 0) },
	} {
		require.PanicsWithValue(t, want, f, want)
	}
	for _, far := range []image.Point{{-1 << 30, -1 << 30}, {1<<30 - 30, 1<<30 - 20}} {
		require.NotPanics(t, func() { w.Gray(dst, at(far.X, far.Y), identity) })
	}
	for _, img := range imagetest.Malformed() {
		imagetest.RequirePanic(t, "warp", func() { w.Gray(dst, img, identity) })
		imagetest.RequirePanic(t, "warp", func() { w.Gray(img, src, identity) })
		imagetest.RequirePanic(t, "warp", func() { w.Gray16(dst16, (*image.Gray16)(img), identity) })
		imagetest.RequirePanic(t, "warp", func() { w.Gray16((*image.Gray16)(img), src16, identity) })
	}
	for _, img := range []*image.Gray16{
		{Pix: make([]byte, 30*20*2-1), Stride: 60, Rect: dst.Rect},
		{Pix: make([]byte, 30*20*2), Stride: 61, Rect: dst.Rect},
	} {
		imagetest.RequirePanic(t, "warp", func() { w.Gray16(dst16, img, identity) })
		imagetest.RequirePanic(t, "warp", func() { w.Gray16(img, src16, identity) })
	}
	imagetest.RequirePanic(t, "warp", func() {
		w.Gray16(&image.Gray16{Pix: make([]byte, 1300), Stride: 59, Rect: dst.Rect}, src16, identity)
	})
	_, err := (&warp.Map{Width: 3, Height: 2, X: make([]float32, 6), Y: make([]float32, 7)}).Fixed()
	require.EqualError(t, err, "warp: Map of 3 by 2 pixels with 6 X and 7 Y")

	part := src16.SubImage(image.Rect(0, 0, 15, 20)).(*image.Gray16)
	other16 := src16.SubImage(image.Rect(15, 0, 30, 20)).(*image.Gray16)
	require.NotPanics(t, func() { w.Gray16(part, other16, identity) })
	require.PanicsWithValue(t, "warp: nil image", func() { w.Gray16(dst16, nil, identity) })
	require.PanicsWithValue(t, "warp: nil image", func() { w.Gray16(nil, src16, identity) })
	require.PanicsWithValue(t, "warp: Warper not made by New", func() { new(warp.Warper).Gray16(dst16, src16, identity) })
	const shared = "warp: source and destination share pixels"
	require.PanicsWithValue(t, shared, func() { w.Gray(src, src, identity) })
	require.PanicsWithValue(t, shared, func() { w.Gray16(src16, other16, identity) })
	require.PanicsWithValue(t, shared, func() { w.Image(src16, src16, identity) })
	other := &image.Gray{Pix: src.Pix[31:], Stride: 29, Rect: image.Rect(0, 0, 5, 5)}
	require.PanicsWithValue(t, shared, func() { w.Gray(other, view(10, 0, 20, 5), identity) })
	row := &image.Gray{Pix: src.Pix, Rect: image.Rect(0, 0, 5, 1)} // without a stride
	require.PanicsWithValue(t, shared, func() { w.Gray(row, row, identity) })
	// Views of one image share pixels where their rectangles overlap.
	rng := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		random := func() *image.Gray {
			x, y := rng.IntN(30), rng.IntN(20)
			return view(x, y, x+1+rng.IntN(30-x), y+1+rng.IntN(20-y))
		}
		a, b := random(), random()
		do := func() { w.Gray(a, b, identity) }
		if a.Rect.Overlaps(b.Rect) {
			require.PanicsWithValue(t, shared, do, "%v and %v", a.Rect, b.Rect)
		} else {
			require.NotPanics(t, do, "%v and %v", a.Rect, b.Rect)
		}
	}
}
