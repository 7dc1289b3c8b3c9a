package warp

import (
	"image"
	"image/draw"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/raster"
)

// Image is [Warper.Gray], [Warper.Gray16], [Warper.RGBA] or [Warper.NRGBA] if both images are of
// that type. It converts all other images:
//
//   - If dst is an *image.Gray, src becomes the gray image that fast.Gray makes of it.
//   - Otherwise src becomes an *image.RGBA. If dst is not an *image.RGBA, the warp fills a
//     temporary one, whose pixels are converted to those of dst as by draw.Draw: 16-bit channels
//     have the precision of 8 bits, and pixels of an *image.Paletted are the nearest colors of its
//     palette.
//
// The images may share pixels if src or dst is converted; the gray image of an *image.YCbCr is its
// luma, which is not a conversion.
//
// Unless the warp is one of gray images, Options.Value is a color of an *image.RGBA, even if dst is
// of another type. With the Border Transparent, pixels of dst that are not set keep all of their
// bits.
//
// Converting the source or the destination takes as long as warping four channels with one worker,
// or several times as long; converting to an *image.Paletted of 256 colors takes hundreds of times
// as long, since each pixel is compared with all colors. Conversions are not shared among workers.
// Their memory is kept for the next call: 4 bytes for each pixel of a converted image, or 1 if it
// is gray, and with Transparent another byte for each pixel of a converted destination. To warp an
// image several times, convert it once.
func (w *Warper) Image(dst draw.Image, src image.Image, t Transform) {
	w.check()
	if raster.IsNil(dst) || raster.IsNil(src) {
		panic("warp: nil image")
	}
	checkPixels("destination", dst)
	checkPixels("source", src)
	checkSource(src.Bounds())
	switch to := dst.(type) {
	case *image.Gray16:
		if from, ok := src.(*image.Gray16); ok {
			w.Gray16(to, from, t)
			return
		}
	case *image.NRGBA:
		if from, ok := src.(*image.NRGBA); ok {
			w.NRGBA(to, from, t)
			return
		}
	}
	c := w.conversions.Get().(*conversion)
	switch to := dst.(type) {
	case *image.Gray:
		w.Gray(to, fast.GrayInto(&c.gray, src), t)
	case *image.RGBA:
		w.RGBA(to, c.colors(src), t)
	default:
		w.convert(to, c, src, t)
	}
	w.conversions.Put(c)
}

// A conversion is the memory for images that are converted.
type conversion struct {
	gray     image.Gray // src as gray pixels
	src, dst image.RGBA // the images as pixels of four channels
	kept     []bool     // for each pixel of dst, whether it keeps what it has
}

// colors returns src as pixels of four channels.
func (c *conversion) colors(src image.Image) *image.RGBA {
	if rgba, ok := src.(*image.RGBA); ok {
		return rgba
	}
	resize(&c.src, src.Bounds())
	draw.Draw(&c.src, c.src.Rect, src, c.src.Rect.Min, draw.Src)
	return &c.src
}

// resize gives img bounds and pixels, which have any values.
func resize(img *image.RGBA, r image.Rectangle) {
	*img = image.RGBA{Pix: raster.Resize(img.Pix, 4*r.Dx()*r.Dy()), Stride: 4 * r.Dx(), Rect: r}
}

// convert fills dst by way of an image of four channels.
func (w *Warper) convert(dst draw.Image, c *conversion, src image.Image, t Transform) {
	r := dst.Bounds()
	if r.Empty() {
		return
	}
	resize(&c.dst, r)
	var kept []bool
	if w.opts.Border == border.Transparent {
		c.kept = raster.Resize(c.kept, r.Dx()*r.Dy())
		kept = c.kept
		clear(kept)
	}
	w.warp(planeOf(&c.dst), planeOf(c.colors(src)), 4, kept, t)
	if kept == nil {
		draw.Draw(dst, r, &c.dst, r.Min, draw.Src)
		return
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := kept[:r.Dx()]
		kept = kept[r.Dx():]
		for x := 0; x < len(row); x++ {
			begin := x
			for x < len(row) && !row[x] {
				x++
			}
			run := image.Rect(r.Min.X+begin, y, r.Min.X+x, y+1)
			draw.Draw(dst, run, &c.dst, run.Min, draw.Src)
		}
	}
}

// checkPixels panics if an image of package image has too few pixels for its bounds, or if the
// bounds exceed 32 bits.
func checkPixels(name string, img image.Image) {
	check := func(pix []byte, stride, bytesPerPixel int) {
		p := plane{pix, stride, img.Bounds()}
		p.check(name, bytesPerPixel)
	}
	switch img := img.(type) {
	case *image.Alpha:
		check(img.Pix, img.Stride, 1)
	case *image.Alpha16:
		check(img.Pix, img.Stride, 2)
	case *image.CMYK:
		check(img.Pix, img.Stride, 4)
	case *image.Gray:
		check(img.Pix, img.Stride, 1)
	case *image.Gray16:
		check(img.Pix, img.Stride, 2)
	case *image.NRGBA:
		check(img.Pix, img.Stride, 4)
	case *image.NRGBA64:
		check(img.Pix, img.Stride, 8)
	case *image.NYCbCrA:
		check(img.A, img.AStride, 1)
		checkPixels(name, &img.YCbCr)
	case *image.Paletted:
		check(img.Pix, img.Stride, 1)
	case *image.RGBA:
		check(img.Pix, img.Stride, 4)
	case *image.RGBA64:
		check(img.Pix, img.Stride, 8)
	case *image.YCbCr:
		rx, ry := ratio(img.SubsampleRatio)
		for _, p := range planes(img, rx, ry) {
			p.check(name, 1)
		}
	default:
		raster.CheckBounds("warp", name, img.Bounds())
	}
}
