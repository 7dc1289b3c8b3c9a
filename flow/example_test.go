package flow_test

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
)

// frame returns a frame of a video in which a bright rectangle moves.
func frame(n int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 160, 120))
	for y := 40 + n; y < 70+n; y++ {
		for x := 50 + 3*n; x < 90+3*n; x++ {
			img.Pix[img.PixOffset(x, y)] = 200
		}
	}
	return img
}

func ExampleTracker_Track() {
	detector, err := harris.New(harris.GoodFeatures(100, 0.01, 10))
	if err != nil {
		panic(err)
	}
	tracker, err := flow.New(flow.Options{Confirm: 0.5})
	if err != nil {
		panic(err)
	}
	points := flow.Points(detector.Detect(frame(0), nil))
	previous := tracker.Pyramid(frame(0))
	for n := 1; n <= 3; n++ {
		next := tracker.Pyramid(frame(n))
		tracks := tracker.Track(previous, next, points, nil)
		points = points[:0]
		for _, track := range tracks {
			if track.Status == flow.Found {
				points = append(points, track.Point())
			}
		}
		previous = next
	}
	for _, p := range points {
		fmt.Printf("%.1f %.1f\n", p.X, p.Y)
	}
	// Output:
	// 98.0 72.0
	// 59.0 72.0
	// 98.0 43.0
	// 59.0 43.0
}
