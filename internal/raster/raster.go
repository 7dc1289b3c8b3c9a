// Package raster has what every package does with an image before its own work: the
// checks of its pixels and of a mask, and what lies beyond its edges.
package raster

import (
	"fmt"
	"image"
	"reflect"
	"slices"

	"github.com/fastcorners/fast/border"
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
		panic(fmt.Sprintf("%s: mask bounds %v are not those of the image, %v", pkg, mask.Rect, bounds))
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

// Row returns the pixels of row y.
func (p *Plane) Row(y int) []byte {
	return p.Pix[y*p.Stride:][:p.W]
}

// Mirror returns which of n pixels in a row stands in place i, which may be beyond them,
// where the row is reversed again and again without its outermost pixels: dcb|abcd|cba.
func Mirror(i, n int) int {
	if n == 1 {
		return 0
	}
	for i < 0 || i >= n { // rarely more than once, so that division is slower
		if i < 0 {
			i = -i
		} else {
			i = 2*(n-1) - i
		}
	}
	return i
}

// Inside returns which of n pixels in a row stands in place i, which may be anywhere, or -1 for
// none: no mode but those that make the row longer has one beyond it.
func Inside(mode border.Mode, i, n int) int {
	if uint(i) < uint(n) {
		return i
	}
	switch mode {
	case border.Replicate:
		return min(max(i, 0), n-1)
	case border.Reflect:
		i = modulo(i, 2*n)
		return min(i, 2*n-1-i)
	case border.Reflect101:
		if n == 1 {
			return 0
		}
		i = modulo(i, 2*n-2)
		return min(i, 2*n-2-i)
	case border.Wrap:
		return modulo(i, n)
	}
	return -1
}

// modulo returns the number from 0 to n-1 that differs from i by a multiple of n.
func modulo(i, n int) int {
	if i %= n; i < 0 {
		i += n
	}
	return i
}

// Resize returns a slice of n elements, of any values, in the memory of s if that has
// room.
func Resize[E any](s []E, n int) []E {
	return slices.Grow(s[:0], n)[:n]
}
