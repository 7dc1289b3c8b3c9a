package shaky

import (
	"image"
	"math"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// slope returns an image whose values tell where its pixels are.
func slope(x, y int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 400, 300))
	for i := range img.Pix {
		img.Pix[i] = byte((x*(i%400) + y*(i/400)) / 2)
	}
	return img
}

// TestPlace checks that the pixels of clips of all kinds are those of the places that they are
// said to show, also where rows are taken one after the other.
func TestPlace(t *testing.T) {
	photo := slope(1, 0)
	size := image.Pt(80, 60)
	img := image.NewGray(image.Rectangle{Max: size})
	for _, kind := range Kinds {
		kind.noise, kind.blur, kind.foreground = 0, 0, false
		if kind.contrast == 0 {
			kind.contrast = 1
		}
		c := New(kind, []*image.Gray{photo, photo, photo}, 0, 1, size, 20)
		shown := map[byte]bool{}
		for frame := range c.Frames {
			c.Render(img, frame)
			for y := 0; y < size.Y; y += 7 {
				for x := 0; x < size.X; x += 7 {
					p := c.Place(frame, geometry.Point{X: float64(x), Y: float64(y)})
					want := kind.contrast*(math.Abs(399-math.Abs(math.Remainder(399-p.X, 2*798)))/2-.25) + kind.offset
					if math.Mod(p.X, 399) > 2 && math.Mod(p.X, 399) < 397 {
						require.InDelta(t, want, img.GrayAt(x, y).Y, .8, "%s, frame %d, %d, %d", kind.Name, frame, x, y)
						shown[img.GrayAt(x, y).Y] = true
					}
				}
			}
		}
		require.Greater(t, len(shown), 8, kind.Name)
	}
}

// TestPose checks that the middle row of a rolling shutter has the pose of the frame, that the rows
// go on from frame to frame, and that poses at equal distances stay so.
func TestPose(t *testing.T) {
	kind := Kind{Readout: 1, course: func(i float64) pose { return pose{3 * i, -i, .01 * i, 1 + .1*i} }}
	c := New(kind, []*image.Gray{slope(1, 0)}, 0, 1, image.Pt(80, 61), 5)
	middle := geometry.Point{X: 399. / 2, Y: 299. / 2}
	for frame := range c.Frames {
		i := float64(frame)
		require.InDelta(t, middle.X+3*i, c.pose(frame, 30).x, 1e-9)
		for row := 0.; row <= 60; row += 15 {
			at := i + row/60 - .5
			p := c.pose(frame, row)
			for k, v := range []float64{p.x - middle.X, p.y - middle.Y, p.angle, p.scale} {
				require.InDelta(t, []float64{3 * at, -at, .01 * at, 1 + .1*at}[k], v, 1e-9)
			}
		}
	}
	kind = Kinds[len(Kinds)-2]
	require.NotZero(t, kind.Readout)
	kind.Readout = 1
	c = New(kind, []*image.Gray{slope(1, 0)}, 0, 1, image.Pt(80, 61), 5)
	for frame := range c.Frames - 1 {
		below, above := c.pose(frame, 60), c.pose(frame+1, 0)
		require.InDelta(t, below.x, above.x, 1e-9)
		require.InDelta(t, below.angle, above.angle, 1e-9)
	}
}

// TestScenes checks where the scenes of a clip with cuts begin, and that they differ.
func TestScenes(t *testing.T) {
	kind := Kinds[len(Kinds)-1]
	kind.noise = 0
	dark, bright := slope(0, 0), slope(0, 0)
	for i := range bright.Pix {
		bright.Pix[i] = 200
	}
	c := New(kind, []*image.Gray{dark, bright}, 0, 1, image.Pt(16, 16), 80)
	require.Equal(t, []int{0, 26, 40, 66}, c.Begins)
	img := image.NewGray(image.Rect(0, 0, 16, 16))
	for frame := range c.Frames {
		c.Render(img, frame)
		require.Equal(t, byte(200*(c.scene(frame)%2)), img.Pix[0], frame)
	}
}

// TestForeground checks that what moves, which shows another part of the photo, covers a fifth of the
// picture when all of it is there.
func TestForeground(t *testing.T) {
	photo := slope(0, 0)
	for y := 200; y < 250; y++ {
		for x := 270; x < 330; x++ {
			photo.Pix[y*photo.Stride+x] = 200
		}
	}
	for _, kind := range Kinds {
		if !kind.foreground {
			continue
		}
		kind.noise = 0
		c := New(kind, []*image.Gray{photo}, 0, 1, image.Pt(80, 60), 70)
		img := image.NewGray(image.Rect(0, 0, 80, 60))
		least, most := len(img.Pix), 0
		for frame := range c.Frames {
			c.Render(img, frame)
			covered := 0
			for _, v := range img.Pix {
				covered += int(v) / 200
			}
			least, most = min(least, covered), max(most, covered)
		}
		require.InDelta(t, math.Pi*.22*.3, float64(most)/80/60, .02)
		require.Less(t, least, most/2)
	}
}

// TestMarked checks that marks tell by which transform a frame was moved, to within hundredths of a
// pixel, also where it reaches beyond the edges.
func TestMarked(t *testing.T) {
	f := image.NewYCbCr(image.Rect(0, 0, 480, 320), image.YCbCrSubsampleRatio420)
	Mark(f)
	moved := image.NewYCbCr(f.Rect, image.YCbCrSubsampleRatio420)
	for _, b := range []border.Mode{border.Replicate, border.Constant} {
		w, err := warp.New(warp.Options{Border: b, Value: [4]byte{16, 128, 128}})
		require.NoError(t, err)
		for i := range 20 {
			s, c := math.Sincos(.002 * float64(i))
			z := 1/1.1 + .002*float64(i)
			dx, dy := 1.7*float64(i), -.83*float64(i)
			want := geometry.Transform{z * c, -z * s, 0, z * s, z * c, 0, 0, 0, 1}
			p := want.Apply(geometry.Point{X: 239.5, Y: 159.5})
			want[2], want[5] = 239.5+dx-p.X, 159.5+dy-p.Y
			w.YCbCr(moved, f, warp.Of(want))
			got := Marked(moved)
			for _, p := range []geometry.Point{{X: 239.5, Y: 159.5}, {X: 0, Y: 0}, {X: 479, Y: 0}, {X: 0, Y: 319}} {
				a, b := want.Apply(p), got.Apply(p)
				require.InDelta(t, a.X, b.X, .08, "%d", i)
				require.InDelta(t, a.Y, b.Y, .08, "%d", i)
			}
			a, b := want.Apply(geometry.Point{X: 239.5, Y: 159.5}), got.Apply(geometry.Point{X: 239.5, Y: 159.5})
			require.InDelta(t, a.X, b.X, .04, "%d", i)
			require.InDelta(t, a.Y, b.Y, .04, "%d", i)
		}
	}
}

func TestDevelop(t *testing.T) {
	photo, err := tree.Photo("camera_512x512.png")
	require.NoError(t, err)
	k := Kind{contrast: .5, offset: 10}
	p := k.develop(photo)
	require.InDelta(t, 10+float64(photo.GrayAt(100, 50).Y)/2, p.at(100, 50), 1e-4)
	require.InDelta(t, (p.at(100, 50)+p.at(101, 50))/2, p.at(100.5, 50), 1e-4)
	require.InDelta(t, p.at(3, 4), p.at(-3, -4), 1e-4)
	k.blur = 1
	sum := float32(0)
	for i := range 25 { // a mean of means over 3 pixels has the weights 1, 2, 3, 2, 1
		sum += p.at(float64(98+i%5), float64(48+i/5)) * float32((3-abs(i%5-2))*(3-abs(i/5-2))) / 81
	}
	require.InDelta(t, sum, k.develop(photo).at(100, 50), 1e-3)
}

func abs(v int) int { return max(v, -v) }
