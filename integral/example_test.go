package integral_test

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/integral"
)

// The mean and the variance of the pixels of boxes of any size.
func Example() {
	img := image.NewGray(image.Rect(0, 0, 6, 4))
	copy(img.Pix, []byte{
		10, 10, 10, 10, 10, 10,
		10, 10, 10, 90, 30, 10,
		10, 10, 10, 30, 90, 10,
		10, 10, 10, 10, 10, 10,
	})
	sums, squares := integral.New(img), integral.NewSquares(img)
	for _, r := range []image.Rectangle{image.Rect(0, 0, 3, 3), image.Rect(3, 1, 5, 3), img.Rect} {
		n := float64(r.Dx() * r.Dy())
		mean := float64(sums.Sum(r)) / n
		fmt.Printf("%.2f %.2f\n", mean, float64(squares.Sum(r))/n-mean*mean)
	}
	// Output:
	// 10.00 0.00
	// 60.00 900.00
	// 18.33 497.22
}
