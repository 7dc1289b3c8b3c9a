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
	requireImages(dst, src)
	checkSource(src.Bounds())
	if dst.Bounds().Empty() {
		return
	}
	c := w.conversions.Get().(*conversion)
	to, from, size := c.planes(dst, src)
	kept := c.mayKeep(dst.Bounds(), w.opts.Border)
	w.warp(to, from, size, kept, t)
	c.finish(dst, kept)
	w.conversions.Put(c)
}

// requireImages panics if an image is nil or has too few pixels.
func requireImages(dst draw.Image, src image.Image) {
	if raster.IsNil(dst) || raster.IsNil(src) {
		panic("warp: nil image")
	}
	checkPixels("destination", dst)
	checkPixels("source", src)
}

// A conversion is the memory for images that are converted.
type conversion struct {
	gray      image.Gray // src as gray pixels
	src, dst  image.RGBA // the images as pixels of four channels
	converted bool       // whether dst is
	kept      []bool     // for each pixel of dst, whether it keeps what it has
}

// planes returns the pixels of a destination, which is not empty, and a source, and how many bytes each
// has. They are those of the images, or those that c converts them to: of the destination only the
// memory.
func (c *conversion) planes(dst draw.Image, src image.Image) (to, from plane, size int) {
	c.converted = false
	switch dst := dst.(type) {
	case *image.Gray:
		return planeOf((*image.RGBA)(dst)), planeOf((*image.RGBA)(fast.GrayInto(&c.gray, src))), 1
	case *image.Gray16:
		if src, ok := src.(*image.Gray16); ok {
			return planeOf((*image.RGBA)(dst)), planeOf((*image.RGBA)(src)), 2
		}
	case *image.NRGBA:
		if src, ok := src.(*image.NRGBA); ok {
			return planeOf((*image.RGBA)(dst)), planeOf((*image.RGBA)(src)), 4
		}
	case *image.RGBA:
		return planeOf(dst), planeOf(c.colors(src)), 4
	}
	c.converted = true
	reshape(&c.dst, dst.Bounds())
	return planeOf(&c.dst), planeOf(c.colors(src)), 4
}

// colors returns src as pixels of four channels.
func (c *conversion) colors(src image.Image) *image.RGBA {
	if rgba, ok := src.(*image.RGBA); ok {
		return rgba
	}
	reshape(&c.src, src.Bounds())
	draw.Draw(&c.src, c.src.Rect, src, c.src.Rect.Min, draw.Src)
	return &c.src
}

// reshape gives img bounds and pixels, which have any values.
func reshape(img *image.RGBA, r image.Rectangle) {
	*img = image.RGBA{Pix: raster.Resize(img.Pix, 4*r.Dx()*r.Dy()), Stride: 4 * r.Dx(), Rect: r}
}

// mayKeep returns memory for which pixels of a destination with these bounds are kept, or nil if it is
// not converted or keeps none.
func (c *conversion) mayKeep(r image.Rectangle, mode border.Mode) []bool {
	if !c.converted || mode != border.Transparent {
		return nil
	}
	c.kept = raster.Resize(c.kept, r.Dx()*r.Dy())
	clear(c.kept)
	return c.kept
}

// finish converts the pixels that were made to those of dst, if it is converted. kept tells which ones
// dst keeps, unless it is nil.
func (c *conversion) finish(dst draw.Image, kept []bool) {
	if !c.converted {
		return
	}
	r := c.dst.Rect
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
