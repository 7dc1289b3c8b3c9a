package stabilize_test

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/stabilize"
	"github.com/stretchr/testify/require"
)

// TestExposure checks that a camera whose exposure drops in a frame, alternates or fades is followed,
// and how well.
func TestExposure(t *testing.T) {
	photo := imagetest.Photo(t, "picos_1280x720")
	n := 40
	if testing.Short() {
		n = 12
	}
	for name, light := range map[string]func(i int) (gain, offset float64){
		"drop to 0.6":        func(i int) (float64, float64) { return []float64{1, 0.6}[max(0, 1-max(i-5, 5-i))], 0 },
		"alternating":        func(i int) (float64, float64) { return []float64{1, 0.7}[i%2], 0 },
		"alternating offset": func(i int) (float64, float64) { return 0.8, []float64{0, 45}[i%2] },
		"darker from then":   func(i int) (float64, float64) { return []float64{1, 0.5}[min(i/6, 1)], 0 },
		"fading":             func(i int) (float64, float64) { return 1 - 0.02*float64(i), 0 },
	} {
		poses := shaken(photo, n, image.Point{}, 6)
		var frames []*image.Gray
		for i, p := range poses {
			img := render(photo, frameSize, p, 2, uint32(i))
			gain, offset := light(i)
			for k, v := range img.Pix {
				img.Pix[k] = uint8(min(gain*float64(v)+offset, 255))
			}
			frames = append(frames, img)
		}
		var list []float64
		for i, r := range all(stabilizer(t, stabilize.Options{Points: points}), frames) {
			if i == 0 {
				continue
			}
			require.Equal(t, stabilize.Followed, r.Status, "%s, frame %d", name, i)
			list = append(list, wrong(t, r.Motion, poses, i))
		}
		t.Logf("%s: %.3f pixels", name, median(list))
		require.Less(t, median(list), 0.1, name)
	}
}

// TestMask checks that the shake of a scene is removed although a fifth of the frame has a bold text
// that does not move, if a mask excludes that. The rest has little contrast.
func TestMask(t *testing.T) {
	photo := imagetest.Photo(t, "life_640x480")
	random := rand.New(rand.NewPCG(1, 2))
	poses := shaken(photo, sceneFrames, image.Point{}, shake)
	size := frameSize
	fixed := image.Rect(0, size.Y*4/5, size.X, size.Y)
	mask := image.NewGray(image.Rectangle{Max: size})
	ticker := image.NewGray(fixed)
	for y := fixed.Min.Y; y < fixed.Max.Y; y += 6 {
		for x := 0; x < size.X; x += 6 {
			draw.Draw(ticker, image.Rect(x, y, x+6, y+6), image.NewUniform(color.Gray{uint8(random.UintN(2) * 255)}), image.Point{}, draw.Src)
		}
	}
	var frames []*image.Gray
	for i, p := range poses {
		img := render(photo, size, p, 2, uint32(i))
		for k, v := range img.Pix {
			img.Pix[k] = 100 + v/16
		}
		draw.Draw(img, fixed, ticker, fixed.Min, draw.Src)
		frames = append(frames, img)
	}
	for y := range fixed.Min.Y {
		for x := range size.X {
			mask.Pix[y*mask.Stride+x] = 255
		}
	}
	var apart [2]float64
	for k, m := range []*image.Gray{nil, mask} {
		var list []float64
		for i, r := range all(stabilizer(t, stabilize.Options{Points: points, Mask: m}), frames) {
			if i > 0 {
				list = append(list, wrong(t, r.Motion, poses, i))
			}
		}
		apart[k] = median(list)
	}
	t.Logf("motions are %.3f pixels wrong, and %.3f with a mask", apart[0], apart[1])
	require.Greater(t, apart[0], 1.0)
	require.Less(t, apart[1], 0.1*imprecise)

	s := stabilizer(t, stabilize.Options{Mask: image.NewGray(image.Rect(0, 0, 30, 20))})
	require.PanicsWithValue(t, "stabilize: a frame of 31 by 20 pixels with a mask of 30 by 20", func() { s.Push(image.NewGray(image.Rect(0, 0, 31, 20))) })
	_, ok := s.Push(image.NewGray(image.Rect(0, 0, 30, 20)))
	require.False(t, ok)
}
