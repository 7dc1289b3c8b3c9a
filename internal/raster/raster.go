// Package raster has what every package does with an image before its own work: the
// checks of its pixels and of a mask, and what lies beyond its edges.
package raster

import (
	"fmt"
	"image"
	"math"
	"reflect"
	"slices"
)

// A Plane is the gray values of an image whose upper left pixel, Pix[0], has the
// coordinates 0, 0. The zero Plane is an empty image.
type Plane struct {
	Pix    []byte
	Stride int // bytes from a pixel to the one below it
	W, H   int
}

// NewPlane returns the pixels of img. It panics, in the name of a package, if img is nil
// or malformed, or has coordinates or sides of more than 32 bits.
func NewPlane(pkg string, img *image.Gray) Plane {
	if img == nil {
		panic(pkg + ": nil image")
	}
	return newPlane(pkg, "image", img)
}

// IsNil reports whether img is nil, or a nil pointer.
func IsNil(img image.Image) bool {
	v := reflect.ValueOf(img)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// NewMask returns the pixels of a mask for an image with these bounds, or the zero Plane
// if it is nil. It panics, in the name of a package, if the mask is malformed or has other
// bounds.
func NewMask(pkg string, mask *image.Gray, bounds image.Rectangle) Plane {
	if mask == nil {
		return Plane{}
	}
	if mask.Rect != bounds {
		panic(fmt.Sprintf("%s: mask bounds %v differ from image bounds %v", pkg, mask.Rect, bounds))
	}
	return newPlane(pkg, "mask", mask)
}

func newPlane(pkg, name string, img *image.Gray) Plane {
	if img.Rect.Empty() {
		return Plane{}
	}
	CheckBounds(pkg, name, img.Rect)
	Check(pkg, name, img.Rect, img.Pix, img.Stride, 1)
	return Plane{img.Pix, img.Stride, img.Rect.Dx(), img.Rect.Dy()}
}

// RequireRows panics, in the name of a package that calls the pixels by name, if rows overlap. What
// reads beyond the end of a row that is not the last one must not leave the pixels.
func (p *Plane) RequireRows(pkg, name string) {
	if p.Stride < p.W {
		panic(fmt.Sprintf("%s: %s stride %d is less than the width %d", pkg, name, p.Stride, p.W))
	}
}

// RequireSize panics, in the name of a package, if p has more than math.MaxInt32 pixels.
func (p *Plane) RequireSize(pkg string) {
	if int64(p.W)*int64(p.H) > math.MaxInt32 {
		panic(fmt.Sprintf("%s: image of %d by %d pixels, more than %d", pkg, p.W, p.H, math.MaxInt32))
	}
}

// Row returns the pixels of row y.
func (p *Plane) Row(y int) []byte {
	return p.Pix[y*p.Stride:][:p.W]
}

// Check panics unless pix has the pixels of the bounds, which may be of any size:
// bytesPerPixel of them for each. The message begins with the name of the package
// that asks, and calls the pixels by name.
func Check(pkg, name string, bounds image.Rectangle, pix []byte, stride, bytesPerPixel int) {
	if bounds.Empty() {
		return
	}
	if stride < 0 {
		panic(fmt.Sprintf("%s: negative %s stride %d", pkg, name, stride))
	}
	w, h := Size(bounds)
	// No product is computed before it is known to be no more than len(pix).
	if w > uint64(len(pix)/bytesPerPixel) ||
		stride > 0 && uint64((len(pix)-int(w)*bytesPerPixel)/stride) < h-1 {
		panic(fmt.Sprintf("%s: %s has %d bytes of pixels, too few for bounds %v and stride %d", pkg, name, len(pix), bounds, stride))
	}
}

// CheckBounds panics unless the coordinates of bounds, and the sides, have 32 bits at
// most, signed.
func CheckBounds(pkg, name string, bounds image.Rectangle) {
	if bounds.Empty() {
		return
	}
	if bounds.Min.X < math.MinInt32 || bounds.Min.Y < math.MinInt32 || bounds.Max.X > math.MaxInt32 || bounds.Max.Y > math.MaxInt32 {
		panic(fmt.Sprintf("%s: %s bounds %v exceed 32 bits", pkg, name, bounds))
	}
	if w, h := Size(bounds); max(w, h) > math.MaxInt32 {
		panic(fmt.Sprintf("%s: %s bounds %v have sides of more than 31 bits", pkg, name, bounds))
	}
}

// Size returns the width and height of bounds that are not empty. Unlike Dx and
// Dy it does not overflow.
func Size(bounds image.Rectangle) (w, h uint64) {
	return uint64(int64(bounds.Max.X) - int64(bounds.Min.X)), uint64(int64(bounds.Max.Y) - int64(bounds.Min.Y))
}

// Resize returns a slice of n elements, of any values, in the memory of s if that has
// room.
func Resize[E any](s []E, n int) []E {
	return slices.Grow(s[:0], n)[:n]
}
