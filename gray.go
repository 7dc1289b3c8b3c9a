package fast

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"
	"math"
	"math/bits"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
)

// Gray returns img as gray pixels. The result shares pixels with img if img is an *image.Gray or
// has a luma plane: an *image.YCbCr, such as a decoded JPEG, or an *image.NYCbCrA. All other images
// are converted as by [draw.Draw], with the weights of color.GrayModel.
//
// Images with a luma plane give different values from draw.Draw, which converts them to RGB and
// then to gray: gray values differ by a few units where that conversion clips a channel, and by its
// rounding elsewhere. Gray also ignores the alpha of an *image.NYCbCrA, which draw.Draw blends with
// black.
//
// The luma that decoders return may have a limited range, from 16 for black to 235 for white, as
// with most video decoders, and with golang.org/x/image/webp for lossy images. A difference of 255
// is then 219, so a threshold t in the full range corresponds to about 0.86 t. [ExpandLuma] expands
// such luma to the full range.
//
// Conversion is fastest for *image.Paletted and *image.Gray16. It takes about twice as long for
// *image.RGBA and for *image.NRGBA without transparency, and several times as long for other types.
// Gray panics if img is nil; if an image of these four types has fewer pixels than its Rect and
// Stride require, a negative Stride, or colors that its palette lacks; and if an image that must be
// converted is too large to be converted, such as [image.White].
func Gray(img image.Image) *image.Gray {
	return GrayInto(new(image.Gray), img)
}

// GrayInto is like Gray but converts into dst. It returns dst with the bounds of img and its gray
// pixels, row after row: in the memory of dst.Pix, up to its capacity, if that is large enough, and
// otherwise in new memory. dst may be the zero image. It must not share memory with an img that is
// converted.
//
// If Gray shares the pixels of img, GrayInto returns the result of Gray and leaves dst unchanged.
// Such a result must not be the dst of a later call, which would overwrite the pixels of img.
// Therefore, use the same variable as dst in all calls, not the results:
//
//	img := fast.GrayInto(&gray, frame)
//
// GrayInto panics if dst is nil, and under the same conditions as Gray.
func GrayInto(dst *image.Gray, img image.Image) *image.Gray {
	requireDestination(dst)
	if raster.IsNil(img) {
		panic("fast: nil image")
	}
	switch img := img.(type) {
	case *image.Gray:
		return img
	case *image.YCbCr:
		return lumaPlane(img)
	case *image.NYCbCrA:
		return lumaPlane(&img.YCbCr)
	case *image.RGBA:
		convert(dst, img.Rect, img.Pix, img.Stride, 4, grayRGBA)
	case *image.NRGBA:
		convert(dst, img.Rect, img.Pix, img.Stride, 4, grayNRGBA)
	case *image.Gray16:
		convert(dst, img.Rect, img.Pix, img.Stride, 2, grayGray16)
	case *image.Paletted:
		convertPaletted(dst, img)
	default:
		r := img.Bounds()
		resize(dst, r)
		draw.Draw(dst, r, img, r.Min, draw.Src)
	}
	return dst
}

func requireDestination(dst *image.Gray) {
	if dst == nil {
		panic("fast: nil destination")
	}
}

func lumaPlane(img *image.YCbCr) *image.Gray {
	return &image.Gray{Pix: img.Y, Stride: img.YStride, Rect: img.Rect}
}

// ExpandLuma maps luma of a limited range, from 16 for black to 235 for white, to the
// full range from 0 to 255, rounded to the nearest value. Luma outside the limited
// range becomes 0 or 255.
//
// ExpandLuma returns dst with the bounds of img and the new pixels, in the memory that [GrayInto]
// would use. dst may be img; then the pixels are changed in place, even if [Gray] shares them with
// another image. Otherwise, dst and img must not share memory. ExpandLuma panics if dst or img is
// nil, or img is malformed.
func ExpandLuma(dst, img *image.Gray) *image.Gray {
	requireDestination(dst)
	if img == nil {
		panic("fast: nil image")
	}
	src := *img
	raster.Check("fast", "image", src.Rect, src.Pix, src.Stride, 1)
	if dst != img {
		resize(dst, src.Rect)
	} else if src.Stride < src.Rect.Dx() {
		// Pixels that rows share must not be expanded twice.
		dst.Pix = nil
		resize(dst, src.Rect)
	}
	k, r := grays.Best(), grayPool.Get().(*grayRun)
	convertRows(dst, src.Pix, src.Stride, 1, func(dst, src []byte) {
		r.apply(k.expand, expandPortable, dst, src, 0)
	})
	grayPool.Put(r)
	return dst
}

// maxPixels is how many pixels are converted at most, a terabyte of them: more than any
// real image has, and less than images have that are meant to be unbounded.
const maxPixels = min(math.MaxInt, 1<<40)

// resize gives dst the bounds and pixels, which have any values.
func resize(dst *image.Gray, bounds image.Rectangle) {
	n, stride := 0, 0
	if !bounds.Empty() {
		w, h := raster.Size(bounds)
		high, low := bits.Mul64(w, h)
		if high > 0 || low > maxPixels {
			panic(fmt.Sprintf("fast: image bounds %v are too large to convert", bounds))
		}
		n, stride = int(low), int(w)
	}
	*dst = image.Gray{Pix: slices.Grow(dst.Pix[:0], n)[:n], Stride: stride, Rect: bounds}
}

// convert sets dst to an image of the given bounds and pixels. The function row
// converts a row of them.
func convert(dst *image.Gray, bounds image.Rectangle, pix []byte, stride, bytesPerPixel int, row func(dst, src []byte)) {
	raster.Check("fast", "image", bounds, pix, stride, bytesPerPixel)
	resize(dst, bounds)
	convertRows(dst, pix, stride, bytesPerPixel, row)
}

// convertRows is convert for a dst that has its bounds, and pixels that have been
// checked.
func convertRows(dst *image.Gray, pix []byte, stride, bytesPerPixel int, row func(dst, src []byte)) {
	if dst.Rect.Empty() {
		return
	}
	w := dst.Rect.Dx()
	for y := range dst.Rect.Dy() {
		row(dst.Pix[y*dst.Stride:][:w], pix[y*stride:][:w*bytesPerPixel])
	}
}

// The weights of color.GrayModel, times 1<<16.
const (
	redWeight   = 19595
	greenWeight = 38470
	blueWeight  = 7471
)

// gray returns the gray value of a color with channels of 16 bits.
func gray(r, g, b uint32) uint8 {
	return uint8((redWeight*r + greenWeight*g + blueWeight*b + 1<<15) >> 24)
}

// grayRGBA converts a row of image.RGBA. Alpha does not matter, since the colors are
// multiplied by it.
func grayRGBA(dst, src []byte) {
	for ; len(dst) >= 8 && len(src) >= 32; dst, src = dst[8:], src[32:] {
		y01 := grayPair(binary.LittleEndian.Uint64(src))
		y23 := grayPair(binary.LittleEndian.Uint64(src[8:]))
		y45 := grayPair(binary.LittleEndian.Uint64(src[16:]))
		y67 := grayPair(binary.LittleEndian.Uint64(src[24:]))
		d := dst[:8]
		d[0], d[1], d[2], d[3] = uint8(y01>>24), uint8(y01>>56), uint8(y23>>24), uint8(y23>>56)
		d[4], d[5], d[6], d[7] = uint8(y45>>24), uint8(y45>>56), uint8(y67>>24), uint8(y67>>56)
	}
	for x := range dst {
		dst[x] = uint8(grayPair(uint64(binary.LittleEndian.Uint32(src[4*x:]))) >> 24)
	}
}

// grayPair returns the gray values of two pixels of image.RGBA, in the highest bytes of
// the two halves of the result.
func grayPair(pixels uint64) uint64 {
	const channel = 0xff<<32 | 0xff // of both pixels
	y := redWeight*(pixels&channel) + greenWeight*(pixels>>8&channel) + blueWeight*(pixels>>16&channel)
	return y + y<<8 + (1<<15<<32 | 1<<15) // a channel's 8 bits are 0x101 times as much in 16
}

// grayNRGBA converts a row of image.NRGBA.
func grayNRGBA(dst, src []byte) {
	opaque := uint8(0xff)
	for i := 3; i < len(src); i += 4 {
		opaque &= src[i]
	}
	if opaque == 0xff {
		grayRGBA(dst, src)
		return
	}
	for x := range dst {
		s := src[4*x:][:4]
		alpha := 0x101 * uint32(s[3])
		dst[x] = gray(uint32(s[0])*alpha/0xff, uint32(s[1])*alpha/0xff, uint32(s[2])*alpha/0xff)
	}
}

// grayGray16 converts a row of image.Gray16.
func grayGray16(dst, src []byte) {
	for x := range dst {
		dst[x] = src[2*x]
	}
}

// convertPaletted is convert for image.Paletted.
func convertPaletted(dst *image.Gray, img *image.Paletted) {
	const missing = 1 << 8
	var grays [256]uint16
	for i := range grays {
		switch {
		case i < len(img.Palette) && img.Palette[i] != nil:
			r, g, b, _ := img.Palette[i].RGBA()
			grays[i] = uint16(gray(r, g, b))
		case len(img.Palette) > 0: // without a palette, all is black
			grays[i] = missing
		}
	}
	convert(dst, img.Rect, img.Pix, img.Stride, 1, func(dst, src []byte) {
		dst = dst[:len(src)] // needs no check in the loop
		all := uint16(0)
		for x, i := range src {
			dst[x] = uint8(grays[i])
			all |= grays[i]
		}
		if all&missing != 0 {
			panic(fmt.Sprintf("fast: image has colors that its palette of %d lacks", len(img.Palette)))
		}
	})
}

// expandPortable expands luma for ExpandLuma.
func expandPortable(r *grayRun) {
	dst := r.dst[:len(r.src)] // needs no check in the loop
	for x, y := range r.src {
		dst[x] = fullRange[y]
	}
}

// fullRange holds for luma of a limited range that of the full range.
var fullRange = func() (table [256]uint8) {
	for y := range table {
		table[y] = uint8(max(0, min(((y-16)*255+219/2)/219, 255)))
	}
	return table
}()
