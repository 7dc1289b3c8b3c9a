package peers

import (
	"image"
	"math"

	"github.com/fastcorners/fast/warp"
	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// Pixels are those of an image of 1 or 4 channels.
type Pixels struct {
	Pix      []byte
	Stride   int
	Rect     image.Rectangle
	Channels int
}

// GrayPixels returns the pixels of a gray image.
func GrayPixels(img *image.Gray) Pixels { return Pixels{img.Pix, img.Stride, img.Rect, 1} }

// ColorPixels returns the pixels of an image of four channels.
func ColorPixels(img *image.RGBA) Pixels { return Pixels{img.Pix, img.Stride, img.Rect, 4} }

// Warp makes dst of src by OpenCV. Both begin at 0, 0 and have the same number of channels.
func (p *Peers) Warp(opts warp.Options, dst, src Pixels, t warp.Transform) {
	found("a warp", p.calls.warp(&opts, dst, src, t))
}

// WarpPackages are the packages with kernels that the tests of package warp use.
var WarpPackages = []string{"warp"}

// A WarpInput is an image to warp, gray and in color.
type WarpInput struct {
	Gray  *image.Gray
	Color *image.RGBA
}

// MakeWarpInputs returns inputs of frames. The channels of the colors are a frame, turned and
// mirrored.
func MakeWarpInputs(frames []*image.Gray) []*WarpInput {
	var list []*WarpInput
	for _, img := range frames {
		w, h := img.Rect.Dx(), img.Rect.Dy()
		in := &WarpInput{img, image.NewRGBA(image.Rect(0, 0, w, h))}
		for i := range w * h {
			x, y := i%w, i/w
			row := img.Pix[y*img.Stride:]
			copy(in.Color.Pix[4*i:], []byte{row[x], row[w-1-x], img.Pix[(h-1-y)*img.Stride+x], 255 - row[x]})
		}
		list = append(list, in)
	}
	return list
}

// A WarpCase is what warps are compared with.
type WarpCase struct {
	Name, About string
	Options     warp.Options
	// Transform returns the transform of an image of w by h pixels to one of the same size.
	Transform func(w, h int) warp.Transform
	Draw      bool // also by package golang.org/x/image/draw
}

// turn returns the case of a rotation around the middle.
func turn(name, about string, degrees, scale float64) WarpCase {
	return WarpCase{Name: name, About: about, Transform: func(w, h int) warp.Transform {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		sin, cos = scale*sin, scale*cos
		x, y := float64(w)/2, float64(h)/2
		return warp.Affine{cos, -sin, x - cos*x + sin*y, sin, cos, y - sin*x - cos*y}
	}}
}

// WarpCases are the transforms that warps are compared with.
func WarpCases() []WarpCase {
	drawn := turn("2°", "affine, rotation by 2°, enlarged by 2 %", 2, .98)
	drawn.Draw = true
	nearest := turn("nearest", "affine, nearest pixels, rotation by 2°", 2, .98)
	nearest.Options.Interpolation = warp.Nearest
	fixed := func(w, h int) warp.Transform { return Must(lensMap(w, h).Fixed()) }
	return []WarpCase{
		drawn,
		{Name: "shift", About: "affine, shift by 3.3, -2.7", Transform: func(int, int) warp.Transform { return warp.Affine{1, 0, 3.3, 0, 1, -2.7} }},
		turn("15°", "affine, rotation by 15°", 15, 1),
		turn("45°", "affine, rotation by 45°", 45, 1),
		turn("90°", "affine, rotation by 90.2°", 90.2, 1),
		turn("twice the size", "affine, enlarged twice", 1, .5),
		turn("a third of the size", "affine, reduced to a third", 1, 3),
		{Name: "homography", About: "homography", Transform: func(int, int) warp.Transform {
			return warp.Homography{1.02, .03, -5, -.02, .97, 8, 4e-5, -3e-5, 1}
		}},
		{Name: "map", About: "map of a lens, float32", Transform: func(w, h int) warp.Transform { return lensMap(w, h) }},
		{Name: "fixed map", About: "map of a lens, fixed", Transform: fixed},
		nearest,
	}
}

// lensMap returns the map of a lens that distorts.
func lensMap(w, h int) *warp.Map {
	m := &warp.Map{Width: w, Height: h}
	d := float64(w*w+h*h) / 4
	for y := range h {
		for x := range w {
			u, v := float64(x-w/2), float64(y-h/2)
			f := 1 - .12*(u*u+v*v)/d
			m.X, m.Y = append(m.X, float32(float64(w/2)+u*f)), append(m.Y, float32(float64(h/2)+v*f))
		}
	}
	return m
}

// Tests returns the tests of a case for images of w by h pixels, gray and in color.
func (c *WarpCase) Tests(p *Peers, w, h int) []Test[*WarpInput] {
	transform := c.Transform(w, h)
	gray, color := image.NewGray(image.Rect(0, 0, w, h)), image.NewRGBA(image.Rect(0, 0, w, h))
	made := Must(warp.New(c.Options))
	grays := contenders(WarpPackages, func() func(*WarpInput) {
		return func(in *WarpInput) { made.Gray(gray, in.Gray, transform) }
	})
	colors := contenders(WarpPackages, func() func(*WarpInput) {
		return func(in *WarpInput) { made.RGBA(color, in.Color, transform) }
	})
	grays = append(grays, contender[*WarpInput]{"opencv", true, func(in *WarpInput) {
		p.Warp(c.Options, GrayPixels(gray), GrayPixels(in.Gray), transform)
	}})
	colors = append(colors, contender[*WarpInput]{"opencv", true, func(in *WarpInput) {
		p.Warp(c.Options, ColorPixels(color), ColorPixels(in.Color), transform)
	}})
	if c.Draw {
		inverse, _ := transform.(warp.Affine).Inverse()
		back := f64.Aff3(inverse) // from the source to the destination
		for _, s := range []struct {
			name string
			draw.Transformer
		}{{"x/image/draw, BiLinear", draw.BiLinear}, {"x/image/draw, ApproxBiLinear", draw.ApproxBiLinear}} {
			grays = append(grays, contender[*WarpInput]{s.name, true, func(in *WarpInput) {
				s.Transform(gray, back, in.Gray, in.Gray.Rect, draw.Src, nil)
			}})
			colors = append(colors, contender[*WarpInput]{s.name, true, func(in *WarpInput) {
				s.Transform(color, back, in.Color, in.Color.Rect, draw.Src, nil)
			}})
		}
	}
	return []Test[*WarpInput]{{"gray", grays}, {"four channels", colors}}
}
