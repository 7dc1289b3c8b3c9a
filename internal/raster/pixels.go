package raster

import (
	"fmt"
	"image"
	"math"
)

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
