package fast_test

import (
	"fmt"
	"image"
	"image/png"
	"os"

	"github.com/fastcorners/fast"
)

func ExampleDetect() {
	f, err := os.Open("testdata/photos/camera_512x512.png")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		panic(err)
	}
	corners := fast.Detect(fast.Gray(img), 25)
	fmt.Println(len(corners), "corners, the first one at", corners[0].Pt())
	// Output: 2941 corners, the first one at (206,64)
}

func ExampleAppend() {
	// A bright square moves to the right.
	var corners []fast.Corner
	for frame := range 3 {
		img := image.NewGray(image.Rect(0, 0, 64, 48))
		for y := 20; y < 40; y++ {
			for x := 10 + frame; x < 30+frame; x++ {
				img.Pix[img.PixOffset(x, y)] = 200
			}
		}
		// Reuse the memory of the previous frame's corners.
		corners = fast.Append(corners[:0], img, 25)
		fmt.Println(len(corners), corners[0].Pt())
	}
	// Output:
	// 12 (10,20)
	// 12 (11,20)
	// 12 (12,20)
}

func ExampleNew() {
	_, err := fast.New(fast.Options{ArcLength: 16})
	fmt.Println(err)
	// Output: fast: Options.ArcLength is 16, not 9 to 12
}

func Example() {
	detector, err := fast.New(fast.Options{Threshold: 25, ArcLength: 9, NonmaxSuppression: true})
	if err != nil {
		panic(err)
	}
	// A dot, brighter in the middle.
	img := image.NewGray(image.Rect(0, 0, 20, 20))
	for y := 9; y <= 11; y++ {
		for x := 9; x <= 11; x++ {
			img.Pix[img.PixOffset(x, y)] = 100
		}
	}
	img.Pix[img.PixOffset(10, 10)] = 120
	for _, c := range detector.Detect(img) {
		fmt.Println(c.Pt(), c.Score)
	}
	// Output: (10,10) 119
}

func ExampleDetector_Detect_region() {
	detector, err := fast.New(fast.Options{Threshold: 25})
	if err != nil {
		panic(err)
	}
	img := image.NewGray(image.Rect(0, 0, 640, 480))
	for _, p := range []image.Point{{X: 20, Y: 20}, {X: 320, Y: 240}, {X: 600, Y: 400}} {
		img.Pix[img.PixOffset(p.X, p.Y)] = 255
	}
	region := img.SubImage(image.Rect(300, 200, 400, 300)).(*image.Gray)
	for _, c := range detector.Detect(region) {
		fmt.Println(c.Pt())
	}
	// Output: (320,240)
}

func ExampleDetector_ScoreAt() {
	detector, err := fast.New(fast.Options{Threshold: 25})
	if err != nil {
		panic(err)
	}
	img := image.NewGray(image.Rect(0, 0, 20, 20))
	img.Pix[img.PixOffset(10, 10)] = 120
	fmt.Println(detector.ScoreAt(img, image.Pt(10, 10)))
	fmt.Println(detector.ScoreAt(img, image.Pt(10, 11)))
	// Output:
	// 119 true
	// 0 false
}

func ExampleGray() {
	// The luma of a decoded JPEG or video frame is used as it is.
	frame := image.NewYCbCr(image.Rect(0, 0, 32, 32), image.YCbCrSubsampleRatio420)
	frame.Y[frame.YOffset(16, 16)] = 200

	gray := fast.Gray(frame)
	fmt.Println("shared:", &gray.Pix[0] == &frame.Y[0])
	fmt.Println(fast.Detect(gray, 25))
	// Output:
	// shared: true
	// [{16 16 0}]
}
