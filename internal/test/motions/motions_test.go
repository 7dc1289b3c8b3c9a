package motions

import (
	"image"
	"image/color"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// TestWhere checks that a bright square is where Where says.
func TestWhere(t *testing.T) {
	photo := image.NewGray(image.Rect(0, 0, 201, 140))
	for y := 78; y <= 82; y++ {
		for x := 88; x <= 92; x++ {
			photo.SetGray(x, y, color.Gray{200})
		}
	}
	for _, m := range All {
		img := m.Of(photo)
		var x, y, sum float64
		for i, v := range img.Pix {
			if v > 20 {
				x, y, sum = x+float64(v)*float64(i%img.Stride), y+float64(v)*float64(i/img.Stride), sum+float64(v)
			}
		}
		p := m.Where(photo.Rect.Size()).Apply(geometry.Point{X: 90, Y: 80})
		require.InDelta(t, p.X, x/sum, .1, m.Name)
		require.InDelta(t, p.Y, y/sum, .1, m.Name)
	}
}
