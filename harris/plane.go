package harris

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// A plane is the gray values of an image.
type plane struct {
	raster.Plane
	luma []float32 // replaces Pix if it is not nil; its rows follow each other without a gap
}

// newPlane returns the plane of img. It panics if img is nil, malformed or too large.
func newPlane(img *image.Gray) plane {
	p := plane{Plane: raster.NewPlane("harris", img)}
	checkSize(p.W, p.H)
	return p
}

// maxPixels is the maximum number of pixels of an image: keys hold their indices in 32 bits.
const maxPixels = 1 << 32

// checkSize panics if an image has too many pixels.
func checkSize(w, h int) {
	if int64(w)*int64(h) > maxPixels {
		panic(fmt.Sprintf("harris: image of %d by %d pixels, more than %d", w, h, int64(maxPixels)))
	}
}
