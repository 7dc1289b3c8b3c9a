package harris_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"log"

	"github.com/fastcorners/fast/border"
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

func Example() {
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

// Detect finds the corners of a slightly rotated chessboard to the nearest pixel, and Refine moves
// them to their places between pixels.
func ExampleRefine() {
	img := chessboard()
	detector, err := harris.New(harris.GoodFeatures(6, 0.3, 10))
	if err != nil {
		log.Fatal(err)
	}
	var points []struct{ X, Y float32 }
	for _, c := range detector.Detect(img, nil) {
		points = append(points, struct{ X, Y float32 }{float32(c.X), float32(c.Y)})
	}
	refiner, err := harris.NewRefiner(harris.RefinerOptions{})
	if err != nil {
		log.Fatal(err)
	}
	n := harris.Refine(refiner, img, points, nil)
	fmt.Println(n, "of", len(points), "converged")
	for _, p := range points {
		row, column := (40*p.Y-9*p.X)/1681, (40*p.X+9*p.Y)/1681
		fmt.Printf("(%.2f, %.2f): row %.2f, column %.2f\n", p.X, p.Y, row, column)
	}
	// Output:
	// 6 of 6 converged
	// (132.80, 155.96): row 3.00, column 3.99
	// (93.00, 147.00): row 3.00, column 3.00
	// (53.00, 138.00): row 3.00, column 2.00
	// (13.00, 129.00): row 3.00, column 1.00
	// (182.00, 125.00): row 2.00, column 5.00
	// (142.00, 116.00): row 2.00, column 4.00
}

// chessboard returns an image of a chessboard with squares of 41 by 41 pixels, turned by 13°.
// Each pixel is made of 4 by 4 parts.
func chessboard() *image.Gray {
	const square, even = 8 * 1681, 10 // 1681 is 41 squared, and 40² + 9²
	img := image.NewGray(image.Rect(0, 0, 200, 160))
	for i := range 4 * 160 {
		for k := range 4 * 200 {
			x, y := 2*k-3, 2*i-3 // the middle of the part, in eighths of a pixel
			row, column := (40*y-9*x+even*square)/square, (40*x+9*y+even*square)/square
			if (row+column)%2 == 0 {
				img.Pix[img.PixOffset(k/4, i/4)] += 15
			}
		}
	}
	return img
}

// Response is cornerHarris of OpenCV: a number for each pixel, row by row, which is
// negative on edges.
func ExampleDetector_Response() {
	detector, err := harris.New(harris.Options{Measure: harris.Harris})
	if err != nil {
		panic(err)
	}
	img := rectangle()
	responses := detector.Response(img)
	at := func(x, y int) float32 { return responses[y*img.Rect.Dx()+x] }
	fmt.Println(at(50, 40) > 0, at(50, 60) < 0, at(80, 60) == 0)
	// Output: true true true
}

// DetectColor converts an image in color to luma.
func ExampleDetector_DetectColor() {
	img := image.NewRGBA(image.Rect(0, 0, 100, 80))
	draw.Draw(img, image.Rect(30, 20, 70, 60), image.NewUniform(color.RGBA{R: 255, G: 200, A: 255}), image.Point{}, draw.Src)
	detector, err := harris.New(harris.IRGPU(border.Reflect101))
	if err != nil {
		panic(err)
	}
	fmt.Println(len(detector.DetectColor(img, nil)), "corners")
	// Output: 4 corners
}
