package tag_test

import (
	"fmt"
	"image"
	"image/draw"
	"log"
	"os"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
)

// scene returns an image with a marker of Tag36h11 whose quad has sides of 80 pixels.
func scene() *image.Gray { return movedScene(0) }

// movedScene is scene when the marker has moved to the right.
func movedScene(pixels int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 640, 480))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	marker := tag.Family{}.Draw(42, 10)
	draw.Draw(img, marker.Rect.Add(image.Pt(270+pixels, 190)), marker, image.Point{}, draw.Src)
	return img
}

func Example() {
	detector, err := tag.New(tag.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range detector.Detect(scene()) {
		fmt.Printf("%v %d at %.1f, hidden %v\n", t.Family.Kind, t.ID, t.Center(), t.Hidden)
		for _, c := range t.Corners {
			fmt.Printf("%.1f ", c)
		}
	}
	// Output:
	// tag36h11 42 at {319.5 239.5}, hidden false
	// {279.5 199.5} {359.5 199.5} {359.5 279.5} {279.5 279.5}
}

// The marker has sides of 16 cm.
func ExampleTag_Pose() {
	detector, err := tag.New(tag.Options{})
	if err != nil {
		log.Fatal(err)
	}
	webcam := camera.Camera{Fx: 600, Fy: 600, Cx: 319.5, Cy: 239.5}
	for _, t := range detector.Detect(scene()) {
		if at, ok := t.Pose(webcam, 0.16); ok {
			fmt.Printf("%.2f meters away\n", at.Pose.T.Norm())
		}
	}
	// Output: 1.20 meters away
}

// Every tenth frame of a video is searched for new markers.
func ExampleDetector_Follow() {
	detector, err := tag.New(tag.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var tags []tag.Tag
	for i := range 3 {
		frame := movedScene(20 * i)
		if i%10 == 0 {
			tags = detector.Detect(frame)
		} else {
			tags = detector.Follow(frame, tags)
		}
		for _, t := range tags {
			fmt.Printf("%d at %.1f\n", t.ID, t.Center())
		}
	}
	// Output:
	// 42 at {319.5 239.5}
	// 42 at {339.5 239.5}
	// 42 at {359.5 239.5}
}

func ExampleFamily_SVG() {
	family := tag.Family{Kind: tag.ArUco5x5}
	if err := os.WriteFile("marker.svg", family.SVG(7, 50), 0o666); err != nil { // sides of 50 mm
		log.Fatal(err)
	}
}

// Where a camera is in front of a board of 6 by 6 markers, in meters.
func ExampleSheet() {
	board := tag.NewAprilGrid(6, 6, 0.088, 0.3*0.088)
	detector, err := tag.New(tag.Options{Families: []tag.Family{board.Family}})
	if err != nil {
		log.Fatal(err)
	}
	img := board.Draw(6)
	world, points, _ := board.Points(detector.Detect(img))

	size := img.Rect.Size()
	webcam := camera.Camera{Fx: 600, Fy: 600, Cx: float64(size.X-1) / 2, Cy: float64(size.Y-1) / 2}
	found, err := pose.LeastSquares(webcam, world, points, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d points, %.3f meters away\n", len(points), found.Minima[0].Pose.Center().Sub(pose.Vector{0.33, 0.33, 0}).Norm())
	// Output: 144 points, 0.880 meters away
}
