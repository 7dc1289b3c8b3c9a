package files

import (
	"encoding/binary"
	"fmt"
	"image"
	"math/bits"
)

// darkBits is how many bits the samples of an image of 16 bits have at most that is said to be dark:
// of the upper 8 bits, which are searched, at least two are 0.
const darkBits = 14

// brighten shifts the samples of an image of 16 bits to the left, as far as there are bits that none
// of them has, if stretch is set. It returns what is to be said of an image that is dark, or nothing.
func brighten(img image.Image, stretch bool) (note string) {
	pix, size, colors := deepPixels(img)
	var all uint16
	for i := 0; i < len(pix); i += size {
		for j := 0; j < colors; j += 2 {
			all |= binary.BigEndian.Uint16(pix[i+j:])
		}
	}
	used := bits.Len16(all)
	switch {
	case used == 0:
		return ""
	case !stretch && used <= darkBits:
		return fmt.Sprintf("its values have only %d of 16 bits, so that it is dark; -stretch makes it brighter", used)
	case !stretch:
		return ""
	}
	for i := 0; i < len(pix); i += size {
		for j := 0; j < colors; j += 2 {
			sample := pix[i+j:]
			binary.BigEndian.PutUint16(sample, binary.BigEndian.Uint16(sample)<<(16-used))
		}
	}
	return ""
}

// deepPixels returns the pixels of an image that has samples of 16 bits, which alpha is not multiplied
// with, the number of bytes of a pixel, and that of its colors. Of other images, it returns nothing.
func deepPixels(img image.Image) (pix []byte, size, colors int) {
	switch img := img.(type) {
	case *image.Gray16:
		return img.Pix, 2, 2
	case *image.NRGBA64:
		return img.Pix, 8, 6
	case *image.RGBA64:
		if img.Opaque() {
			return img.Pix, 8, 6
		}
	}
	return nil, 0, 0
}

// isTransparent reports whether all pixels of an image are transparent.
func isTransparent(img image.Image) bool {
	if o, ok := img.(interface{ Opaque() bool }); !ok || o.Opaque() {
		return false
	}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if _, _, _, a := img.At(x, y).RGBA(); a != 0 {
				return false
			}
		}
	}
	return true
}
