package lococo_test

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/lococo"
)

// rectangle returns an image of a bright rectangle.
func rectangle() *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 160, 120))
	for y := 40; y < 80; y++ {
		for x := 50; x < 120; x++ {
			img.Pix[img.PixOffset(x, y)] = 200
		}
	}
	return img
}

func Example() {
	detector, err := lococo.New(lococo.Options{})
	if err != nil {
		panic(err)
	}
	for _, c := range detector.Detect(rectangle(), nil) {
		fmt.Printf("%v %.2e\n", c.Pt(), c.Response)
	}
	// Output:
	// (52,42) 1.75e-02
	// (117,42) 1.75e-02
	// (52,77) 1.75e-02
	// (117,77) 1.75e-02
}

// Kernels of several sizes find details and larger structures. Each corner has the size of the
// kernel that found it.
func ExampleOptions_kernels() {
	detector, err := lococo.New(lococo.Options{KernelSizes: []int{5, 21}, Subpixel: true})
	if err != nil {
		panic(err)
	}
	for _, c := range detector.Detect(rectangle(), nil) {
		fmt.Printf("kernel %d: %.2f %.2f\n", c.KernelSize, float32(c.X)+c.DX, float32(c.Y)+c.DY)
	}
	// Output:
	// kernel 5: 50.92 40.92
	// kernel 5: 118.08 40.92
	// kernel 5: 50.92 78.08
	// kernel 5: 118.08 78.08
	// kernel 21: 56.36 46.36
	// kernel 21: 112.64 46.36
	// kernel 21: 56.36 72.64
	// kernel 21: 112.64 72.64
}

// Response returns a number for each pixel, row by row. It is negative on edges.
func ExampleDetector_Response() {
	detector, err := lococo.New(lococo.Options{})
	if err != nil {
		panic(err)
	}
	img := rectangle()
	responses := detector.Response(img)
	at := func(x, y int) float32 { return responses[y*img.Rect.Dx()+x] }
	fmt.Println(at(52, 42) > 0, at(52, 60) < 0, at(80, 60) == 0)
	// Output: true true true
}
