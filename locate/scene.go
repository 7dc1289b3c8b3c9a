package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
)

const (
	// padding is the least number of zeros to the right of each row of a scene: kernels make
	// several places at a time.
	padding = 64
	// rowsBelow is the number of rows of zeros below a scene.
	rowsBelow = blockRows
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
	made     option.Made
	bounds   image.Rectangle
	channels int // 1 or 3
	stride   int
	planes   [3][]byte // of the channels, whose rows are followed by zeros
	cache    cache
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

// newColors returns the pixels of an image as those of a Plane with 4 bytes for each.
func newColors(img *image.RGBA) raster.Plane {
	if img == nil {
		panic("locate: nil image")
	}
	if img.Rect.Empty() {
		return raster.Plane{}
	}
	raster.CheckBounds("locate", "image", img.Rect)
	raster.Check("locate", "image", img.Rect, img.Pix, img.Stride, 4)
	p := raster.Plane{Pix: img.Pix, Stride: img.Stride, W: img.Rect.Dx(), H: img.Rect.Dy()}
	p.RequireSize("locate")
	return p
}

// resize gives s planes for w by h pixels, whose padding is 0.
func (s *Scene) resize(bounds image.Rectangle, w, h, channels int) {
	s.made = true
	s.bounds, s.channels = image.Rectangle{bounds.Min, bounds.Min.Add(image.Pt(w, h))}, channels
	s.cache.forget()
	s.stride = (w + padding + 63) &^ 63
	for c := range s.planes {
		if c >= channels {
			s.planes[c] = nil
			continue
		}
		p := raster.Resize(s.planes[c], s.stride*(h+rowsBelow))
		for y := range h {
			clear(p[y*s.stride+w : (y+1)*s.stride])
		}
		clear(p[h*s.stride:])
		s.planes[c] = p
	}
}

// row returns the pixels of a channel in row y, from column x on.
func (s *Scene) row(c, x, y int) []byte {
	return s.planes[c][y*s.stride+x:]
}

// check panics unless s was made.
func (s *Scene) check() {
	if s == nil {
		panic("locate: nil Scene")
	}
	s.made.Require("locate", "Scene", "NewScene")
}
