package vpi_test

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/vpi"
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
	detector, err := vpi.New(vpi.Options{})
	if err != nil {
		panic(err)
	}
	for _, c := range detector.Detect(rectangle()) {
		fmt.Println(c.Pt(), c.Score)
	}
	// Output:
	// (50,40) 200
	// (117,40) 200
	// (50,77) 200
	// (119,77) 200
}

// DetectImage takes pixels of other types, here those of a depth camera, and also returns
// how many corners there are. The smallest circle finds the finest details.
func ExampleDetector_DetectImage() {
	const width, height = 160, 120
	depth := make([]int16, width*height)
	for i := range depth {
		if x, y := i%width, i/width; x >= 50 && x < 120 && y >= 40 && y < 80 {
			depth[i] = -1000
		}
	}

	detector, err := vpi.New(vpi.Options{CircleRadius: 1, Threshold: 300, MaxCorners: 2})
	if err != nil {
		panic(err)
	}
	corners, total := detector.DetectImage(vpi.Plane(depth, width, image.Rect(0, 0, width, height)))
	fmt.Println(corners, "of", total)
	// Output: [{50 40 1000} {119 40 1000}] of 4
}

// Package fast keeps the corners in a mask.
func ExampleDetector_Detect_mask() {
	detector, err := vpi.New(vpi.Options{CircleRadius: 2})
	if err != nil {
		panic(err)
	}
	mask := image.NewGray(image.Rect(0, 0, 160, 120))
	for i := range mask.Pix[:60*mask.Stride] {
		mask.Pix[i] = 255
	}
	fmt.Println(fast.InMask(detector.Detect(rectangle()), mask))
	// Output: [{50 40 200} {118 40 200}]
}
