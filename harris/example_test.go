package harris_test

import (
	"fmt"
	"image"
	"log"

	"github.com/fastcorners/fast/harris"
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

func ExampleDetector_Detect() {
	detector, err := harris.New(harris.Options{Measure: harris.Harris, MinDistance: 3})
	if err != nil {
		panic(err)
	}
	for _, c := range detector.Detect(rectangle(), nil) {
		fmt.Printf("%v %.2e\n", c.Pt(), c.Response)
	}
	// Output:
	// (119,79) 3.68e-02
	// (50,79) 3.68e-02
	// (119,40) 3.68e-02
	// (50,40) 3.68e-02
}

// A tracker that loses corners from frame to frame looks for new ones where it has none. A
// mask excludes the pixels near the corners that it still has.
func ExampleGoodFeatures() {
	detector, err := harris.New(harris.GoodFeatures(500, 0.01, 10))
	if err != nil {
		panic(err)
	}
	frame := rectangle()
	tracked := detector.Detect(frame, nil)
	fmt.Println("tracked:", len(tracked))

	tracked = tracked[:3] // one is lost
	mask := image.NewGray(frame.Rect)
	for i := range mask.Pix {
		mask.Pix[i] = 255
	}
	for _, c := range tracked {
		near := image.Rectangle{Min: c.Pt(), Max: c.Pt()}.Inset(-10).Intersect(mask.Rect)
		for y := near.Min.Y; y < near.Max.Y; y++ {
			clear(mask.Pix[mask.PixOffset(near.Min.X, y):][:near.Dx()])
		}
	}
	for _, c := range detector.Detect(frame, mask) {
		fmt.Println("new:", c.Pt())
	}
	// Output:
	// tracked: 4
	// new: (50,40)
}

func ExampleRefine() {
	// The upper left corner of the rectangle is between the pixels (49, 39) and (50, 40).
	points := []struct{ X, Y float32 }{{51, 38}}
	n, err := harris.Refine(rectangle(), points, nil, harris.RefineOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d converged: (%.1f, %.1f)\n", n, points[0].X, points[0].Y)
	// Output: 1 converged: (49.6, 39.6)
}
