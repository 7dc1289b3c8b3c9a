package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
)

// A Scene is a picture in which to search for templates. Create one with [NewScene] or
// [NewColorScene]. It keeps a copy of the picture and data for searches. It is safe for concurrent
// use, except by SceneInto and ColorSceneInto.
//
// For each pixel, a Scene takes 1 byte, 4 bytes for each block size that Find and FindAll have
// used, 9 or 13 bytes for each size of which they have searched for several templates without a
// mask, up to four sizes, and 2 bytes once it has been searched with a mask of many runs of pixels;
// in color, it takes up to three times as much.
type Scene struct {
	made option.Made
	rect image.Rectangle // of the pixels, in the coordinates of the image
	pixels
	cache cache
}

// NewScene returns a Scene of a gray picture, which it copies. Places in the Scene are in the
// coordinates of img, which may be a SubImage. NewScene panics if img is nil or malformed.
func NewScene(img *image.Gray) *Scene {
	return SceneInto(new(Scene), img)
}

// NewColorScene is like NewScene for a picture in color. It ignores alpha.
func NewColorScene(img *image.RGBA) *Scene {
	return ColorSceneInto(new(Scene), img)
}

// SceneInto makes dst the Scene of img, reusing its memory, and returns dst. No other goroutine may
// use dst during the call. SceneInto panics if img is nil or malformed, or if dst is nil.
func SceneInto(dst *Scene, img *image.Gray) *Scene {
	requireScene(dst)
	p := raster.NewPlane("locate", img)
	p.RequireSize("locate")
	dst.resize(img.Rect, p.W, p.H, 1)
	for y := range p.H {
		copy(dst.planes[0][y*dst.stride:], p.Row(y))
	}
	return dst
}

// requireScene panics if dst is nil.
func requireScene(dst *Scene) {
	if dst == nil {
		panic("locate: nil Scene")
	}
}

// ColorSceneInto is like SceneInto for a picture in color. It ignores alpha.
func ColorSceneInto(dst *Scene, img *image.RGBA) *Scene {
	requireScene(dst)
	p := newColors(img)
	dst.resize(img.Rect, p.W, p.H, 3)
	for y := range p.H {
		row := p.Pix[y*p.Stride:][:4*p.W]
		line := y * dst.stride
		red, green, blue := dst.planes[0][line:][:p.W], dst.planes[1][line:][:p.W], dst.planes[2][line:][:p.W]
		for x := range red {
			pixel := row[4*x:][:3]
			red[x], green[x], blue[x] = pixel[0], pixel[1], pixel[2]
		}
	}
	return dst
}

// resize makes s a picture of w by h pixels, whose upper left one has the place of that of bounds.
func (s *Scene) resize(bounds image.Rectangle, w, h, channels int) {
	s.made = true
	s.rect = image.Rectangle{bounds.Min, bounds.Min.Add(image.Pt(w, h))}
	s.pixels.resize(w, h, channels)
	s.cache.forget()
}

// check panics unless s was made.
func (s *Scene) check() {
	if s == nil {
		panic("locate: nil Scene")
	}
	s.made.Require("locate", "Scene", "NewScene")
}
