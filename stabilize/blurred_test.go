package stabilize_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/stabilize"
	"github.com/stretchr/testify/require"
)

// blurred returns a photo of which only the columns up to sharp are sharp: others are the means of
// squares.
func blurred(photo *image.Gray, sharp, radius int) *image.Gray {
	w, h := photo.Rect.Dx(), photo.Rect.Dy()
	img := image.NewGray(image.Rect(0, 0, w, h))
	sums := make([]int, (w+1)*(h+1))
	for y := range h {
		row := 0
		for x := range w {
			row += int(photo.Pix[y*photo.Stride+x])
			sums[(y+1)*(w+1)+x+1] = sums[y*(w+1)+x+1] + row
		}
	}
	for y := range h {
		for x := range w {
			img.Pix[y*w+x] = photo.Pix[y*photo.Stride+x]
			if x <= sharp {
				continue
			}
			r := min(radius, (x-sharp)/4)
			x0, y0, x1, y1 := max(x-r, 0), max(y-r, 0), min(x+r+1, w), min(y+r+1, h)
			sum := sums[y1*(w+1)+x1] - sums[y0*(w+1)+x1] - sums[y1*(w+1)+x0] + sums[y0*(w+1)+x0]
			img.Pix[y*w+x] = uint8(sum / ((x1 - x0) * (y1 - y0)))
		}
	}
	return img
}

// TestBlurredPans checks that pans over photos that are sharp in one part only have no cuts, though
// the corners there are much stronger than those of the rest.
func TestBlurredPans(t *testing.T) {
	size := image.Pt(320, 240)
	names, speeds := []string{"picos_1280x720", "seeding_1920x1080", "picos_1241x376"}, []int{16, 24, 32, 48, 64, 96, 128}
	if testing.Short() {
		names, speeds = names[:1], []int{32}
	}
	cuts, frames, pans := 0, 0, 0
	for _, name := range names {
		photo := blurred(imagetest.Photo(t, name), 400, 10)
		for _, speed := range speeds {
			var list []*image.Gray
			for i, x := 0, size.X/2; x+size.X/2 <= photo.Rect.Dx(); i, x = i+1, x+speed {
				list = append(list, render(photo, size, turned(0, x<<16, photo.Rect.Dy()<<15), 2, uint32(i)))
			}
			n := 0
			for _, r := range all(stabilizer(t, stabilize.Options{Points: 200}), list)[1:] {
				frames++
				if r.Status != stabilize.Followed {
					n++
				}
			}
			cuts += n
			if n > 0 {
				pans++
				t.Logf("%s, %d pixels a frame: %d frames of %d are not followed", name, speed, n, len(list))
			}
		}
	}
	t.Logf("%d cuts in %d of %d pans, %d frames", cuts, pans, len(names)*len(speeds), frames)
	require.Zero(t, cuts)
}
