package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

const (
	// padding is the least number of zeros to the right of each row of a scene: kernels make
	// several places at a time.
	padding = 64
	// rowsBelow is the number of rows of zeros below a scene.
	rowsBelow = blockRows
)

// minRows is the least number of rows, of pixels or of places, that a worker takes at a time.
const minRows = 16

// pixels are those of a scene, of each channel in rows of stride bytes, w of which are followed by zeros.
type pixels struct {
	w, h     int
	channels int // 1 or 3
	stride   int
	planes   [3][]byte
}

// resize gives p planes for w by h pixels, whose padding is 0.
func (p *pixels) resize(w, h, channels int) {
	p.w, p.h, p.channels = w, h, channels
	p.stride = (w + padding + 63) &^ 63
	for c := range p.planes {
		if c >= channels {
			p.planes[c] = nil
			continue
		}
		plane := raster.Resize(p.planes[c], p.stride*(h+rowsBelow))
		for y := range h {
			clear(plane[y*p.stride+w : (y+1)*p.stride])
		}
		clear(plane[h*p.stride:])
		p.planes[c] = plane
	}
}

// row returns the pixels of a channel in row y, from column x on.
func (p *pixels) row(c, x, y int) []byte {
	return p.planes[c][y*p.stride+x:]
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
