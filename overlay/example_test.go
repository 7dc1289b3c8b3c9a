package overlay_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"log"
	"os"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/overlay"
)

// A rectangle, its corners, and a frame around everything.
func Example() {
	img := image.NewGray(image.Rect(0, 0, 160, 120))
	draw.Draw(img, image.Rect(50, 40, 110, 80), image.White, image.Point{}, draw.Src)
	detector, err := fast.New(fast.Options{Threshold: 25, ArcLength: 9, NonmaxSuppression: true, FirstOfEqual: true})
	if err != nil {
		log.Fatal(err)
	}
	corners := detector.Detect(img)

	picture := overlay.Canvas(img)
	overlay.Corners(picture, corners)
	overlay.Rectangles(picture, []image.Rectangle{image.Rect(30, 20, 130, 100)}, overlay.Pen{Color: color.RGBA{R: 255, A: 255}})

	// A program would write the picture with png.Encode.
	fmt.Println(len(corners), "corners, and a frame of", picture.At(30, 20))
	// Output: 4 corners, and a frame of {255 0 0 255}
}

func ExampleKeypoints() {
	img, err := decode("photo.png")
	if err != nil {
		log.Fatal(err)
	}
	extractor, err := orb.New(orb.Options{Features: 100})
	if err != nil {
		log.Fatal(err)
	}
	picture := overlay.Canvas(img)
	overlay.Keypoints(picture, extractor.Detect(fast.Gray(img), nil))
	if err := png.Encode(os.Stdout, picture); err != nil {
		log.Fatal(err)
	}
}

// decode reads a PNG file.
func decode(name string) (image.Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return png.Decode(f)
}

func ExampleCorners() {
	img, err := decode("photo.png")
	if err != nil {
		log.Fatal(err)
	}
	detector, err := fast.New(fast.Options{Threshold: 25, NonmaxSuppression: true})
	if err != nil {
		log.Fatal(err)
	}
	picture := overlay.Canvas(img)
	overlay.Corners(picture, detector.Detect(fast.Gray(img)))
	if err := png.Encode(os.Stdout, picture); err != nil {
		log.Fatal(err)
	}
}

func ExampleMatches() {
	a, err := decode("a.png")
	if err != nil {
		log.Fatal(err)
	}
	b, err := decode("b.png")
	if err != nil {
		log.Fatal(err)
	}
	extractor, err := orb.New(orb.Options{})
	if err != nil {
		log.Fatal(err)
	}
	matcher, err := match.New[match.Descriptor](match.Options{CrossCheck: true, MaxDistance: 40})
	if err != nil {
		log.Fatal(err)
	}
	keypointsA, query := extractor.Extract(fast.Gray(a), nil)
	keypointsB, train := extractor.Extract(fast.Gray(b), nil)
	picture, shift := overlay.SideBySide(a, b)
	overlay.Matches(picture, keypointsA, keypointsB, shift, matcher.Match(query, train))
	if err := png.Encode(os.Stdout, picture); err != nil {
		log.Fatal(err)
	}
}

// Lines draws where points went, and Polygons closed lines.
func ExampleLines() {
	picture := overlay.Canvas(image.NewGray(image.Rect(0, 0, 100, 100)))
	overlay.Lines(picture, [][]flow.Point{{{X: 10, Y: 10}, {X: 20, Y: 15}, {X: 40, Y: 30}}})
	overlay.Polygons(picture, [][]flow.Point{{{X: 50, Y: 50}, {X: 90, Y: 50}, {X: 70, Y: 90}}})
	if err := png.Encode(os.Stdout, picture); err != nil {
		log.Fatal(err)
	}
}

// A Pen gives the outline of each object a color of its own.
func ExamplePen() {
	picture := overlay.Canvas(image.NewGray(image.Rect(0, 0, 100, 60)))
	yellow := color.RGBA{R: 255, G: 255, A: 255}
	car := []flow.Point{{X: 10, Y: 20}, {X: 40, Y: 20}, {X: 40, Y: 40}, {X: 10, Y: 40}}
	sign := []flow.Point{{X: 60, Y: 10}, {X: 90, Y: 10}, {X: 75, Y: 50}}
	overlay.Polygons(picture, [][]flow.Point{car}, overlay.Pen{Color: color.White})
	overlay.Polygons(picture, [][]flow.Point{sign}, overlay.Pen{Color: yellow, Width: 3})
	fmt.Println(picture.At(10, 30), picture.At(75, 10), picture.At(75, 11))
	// Output: {255 255 255 255} {255 255 0 255} {255 255 0 255}
}

// Tracks draws the paths of points through a video, each with a dot where the point is now.
func ExampleTracks() {
	picture := overlay.Canvas(image.NewGray(image.Rect(0, 0, 30, 20)))
	overlay.Tracks(picture, [][]flow.Point{
		{{X: 3, Y: 10}, {X: 8, Y: 10}, {X: 15, Y: 10}},
		{{X: 25, Y: 4}}, // found in this frame
	})
	black := picture.At(0, 0)
	for _, p := range []image.Point{{X: 5, Y: 10}, {X: 15, Y: 10}, {X: 25, Y: 4}, {X: 20, Y: 15}} {
		fmt.Println(p, picture.At(p.X, p.Y) != black)
	}
	// Output:
	// (5,10) true
	// (15,10) true
	// (25,4) true
	// (20,15) false
}
