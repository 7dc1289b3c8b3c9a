package calibrate

import (
	"fmt"
	"image"
	"image/draw"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/test/imagetest"
)

// scenes returns n images of w by h pixels with boards of goldens at their upper left.
func scenes(t testing.TB, w, h, n int) []*image.Gray {
	all := readGoldens(t).boards
	var list []*image.Gray
	for k := 0; len(list) < n; k++ {
		g := &all[k%len(all)]
		if g.image.Rect.Dx() > w || g.image.Rect.Dy() > h || len(g.Found) == 0 {
			continue
		}
		img := image.NewGray(image.Rect(0, 0, w, h))
		for i := range img.Pix {
			img.Pix[i] = g.image.Pix[len(g.image.Pix)-1]
		}
		draw.Draw(img, g.image.Rect, g.image, image.Point{}, draw.Src)
		list = append(list, img)
	}
	return list
}

// BenchmarkFind measures the search in images with boards and in photos without.
func BenchmarkFind(b *testing.B) {
	f := newFinder(b, FinderOptions{})
	var boards []Board
	find := func(img *image.Gray) { boards = f.AppendFind(boards[:0], img) }
	for _, size := range []image.Point{{640, 480}, {1920, 1080}} {
		b.Run(fmt.Sprintf("boards=%dx%d", size.X, size.Y), func(b *testing.B) {
			imagetest.Benchmark(b, size.X, size.Y, scenes(b, size.X, size.Y, 8), find)
		})
		b.Run(fmt.Sprintf("photos=%dx%d", size.X, size.Y), func(b *testing.B) {
			imagetest.Benchmark(b, size.X, size.Y, imagetest.Frames(b, size.X, size.Y, 8), find)
		})
		b.Run(fmt.Sprintf("noise=%dx%d", size.X, size.Y), func(b *testing.B) {
			img := noise(rand.New(rand.NewPCG(1, 2)), size.X, size.Y)
			imagetest.Benchmark(b, size.X, size.Y, []*image.Gray{img}, find)
		})
	}
}
