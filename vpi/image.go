package vpi

import (
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"unsafe"

	"github.com/fastcorners/fast/internal/raster"
)

// An Image is a view of pixels of 8 or 16 bits, signed or unsigned, made by [Of] or [Plane]. It
// shares the pixels. The zero Image is empty.
type Image struct {
	bounds    image.Rectangle
	pix       []byte
	stride    int    // bytes from a pixel to the one below it
	size      int    // bytes of a pixel
	bigEndian bool   // of two bytes
	flip      uint16 // what makes signed pixels unsigned ones with an offset, by exclusive or
}

// Of returns the pixels of img, which VPI calls U8 or, if they have 16 bits, U16. It panics if img
// is nil.
func Of[T *image.Gray | *image.Gray16](img T) Image {
	switch img := any(img).(type) {
	case *image.Gray:
		if img != nil {
			return Plane(img.Pix, img.Stride, img.Rect)
		}
	case *image.Gray16:
		if img != nil {
			return Image{bounds: img.Rect, pix: img.Pix, stride: img.Stride, size: 2, bigEndian: true}
		}
	}
	panic("vpi: nil image")
}

// Plane returns the pixels of a slice, which VPI calls U8, S8, U16 or S16. The first pixel is at
// bounds.Min, and the pixel below it is stride pixels later in the slice.
func Plane[T uint8 | int8 | uint16 | int16](pix []T, stride int, bounds image.Rectangle) Image {
	var zero T
	size := int(unsafe.Sizeof(zero))
	p := Image{
		bounds: bounds,
		pix:    unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(pix))), len(pix)*size),
		// A stride that overflows is longer than any slice.
		stride:    min(max(stride, math.MinInt/size), math.MaxInt/size) * size,
		size:      size,
		bigEndian: binary.NativeEndian.Uint16([]byte{0, 1}) == 1,
	}
	if zero-1 < 0 {
		p.flip = 1 << (8*size - 1)
	}
	return p
}

// maxPixels is the largest number of pixels of an image, with those that a border adds.
const maxPixels = math.MaxInt32

// check panics if p has fewer pixels than its bounds and stride ask for, more than maxPixels,
// or coordinates of more than 32 bits.
func (p *Image) check() {
	r := p.bounds
	if r.Empty() {
		return
	}
	raster.CheckBounds("vpi", "image", r)
	w, h := raster.Size(r)
	if (w+2*maxRadius)*(h+2*maxRadius) > maxPixels {
		panic(fmt.Sprintf("vpi: image bounds %v have more than %d pixels", r, maxPixels))
	}
	raster.Check("vpi", "image", r, p.pix, p.stride, p.size)
}
