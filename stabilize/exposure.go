package stabilize

import (
	"image"
	"math"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/internal/raster"
)

// lightStep is the distance of the pixels, in both directions, by which the light of a frame is
// measured.
const lightStep = 4

// An exposure is a frame with the light of another one.
type exposure struct {
	img     image.Gray
	pyramid flow.Pyramid
}

// match returns the pyramid of a frame whose gray values are moved and stretched to the mean and the
// standard deviation of those of another one.
func (e *exposure) match(t *flow.Tracker, img, other *image.Gray) *flow.Pyramid {
	mean, deviation := light(img)
	to, wide := light(other)
	gain := 1.
	if deviation > 0 {
		gain = wide / deviation
	}
	var table [256]uint8
	for i := range table {
		v := to + float64(gain*(float64(i)-mean))
		table[i] = uint8(max(0, min(math.Floor(v+0.5), 255)))
	}
	e.img = image.Gray{Pix: raster.Resize(e.img.Pix, len(img.Pix)), Stride: img.Stride, Rect: img.Rect}
	for i, p := range img.Pix {
		e.img.Pix[i] = table[p]
	}
	return t.PyramidInto(&e.pyramid, &e.img)
}

// light returns the mean gray value of a frame and the standard deviation from it.
func light(img *image.Gray) (mean, deviation float64) {
	var n, sum, squares int
	for y := 0; y < img.Rect.Dy(); y += lightStep {
		row := img.Pix[y*img.Stride:][:img.Rect.Dx()]
		for x := 0; x < len(row); x += lightStep {
			v := int(row[x])
			n, sum, squares = n+1, sum+v, squares+v*v
		}
	}
	mean = float64(sum) / float64(n)
	return mean, math.Sqrt(max(float64(squares)/float64(n)-float64(mean*mean), 0))
}
