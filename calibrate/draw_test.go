package calibrate

import (
	"image"
	"image/color"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// TestDraw checks the bands at points of the mesh, and dots, in images of several types and places.
func TestDraw(t *testing.T) {
	p := problems(t)[0]
	c := p.solve(t)
	at := image.Pt(-7, 30)
	dst := image.NewRGBA(image.Rectangle{Max: c.Size}.Add(at))
	c.Draw(dst)
	var counts [len(bandColors)]int
	dots := 0
	for y := 0; y < c.Size.Y; y += meshSize {
		for x := 0; x < c.Size.X; x += meshSize {
			band := bandOf(c.Uncertainty(geometry.Point{X: float64(x), Y: float64(y)}))
			switch got := dst.At(x+at.X, y+at.Y); got {
			case color.RGBAModel.Convert(bandColors[band].C):
				counts[band]++
			case color.RGBAModel.Convert(color.Black):
				dots++
			default:
				t.Fatalf("%d, %d: %v", x, y, got)
			}
		}
	}
	for band, count := range counts[1:5] { // nowhere is the uncertainty below 0.1
		require.Positive(t, count, "band %d", band+1)
	}
	require.Less(t, dots, 200)
	for _, v := range p.views() {
		for _, x := range v.Image {
			q := x.Pt().Add(at)
			require.Equal(t, color.RGBA{A: 0xff}, dst.RGBAAt(q.X, q.Y))
		}
	}

	// Other images have the same colors, as far as they reach.
	for _, r := range []image.Rectangle{image.Rect(3, 4, 103, 54), image.Rect(0, 0, 700, 490)} {
		gray := image.NewGray(r)
		c.Draw(gray)
		for y := range r.Dy() {
			for x := range r.Dx() {
				want := color.Gray{}
				if image.Pt(x, y).In(image.Rectangle{Max: c.Size}) {
					want = color.GrayModel.Convert(dst.RGBAAt(x+at.X, y+at.Y)).(color.Gray)
				}
				require.Equal(t, want, gray.GrayAt(x+r.Min.X, y+r.Min.Y))
			}
		}
	}
	c.Draw(image.NewRGBA(image.Rectangle{}))
	require.PanicsWithValue(t, "calibrate: nil destination", func() { c.Draw(nil) })

	// Less certain bands are darker in a gray image.
	for i := range bandColors[1:] {
		last, next := color.GrayModel.Convert(bandColors[i].C).(color.Gray), color.GrayModel.Convert(bandColors[i+1].C).(color.Gray)
		require.Less(t, next.Y+10, last.Y+5)
	}
}
