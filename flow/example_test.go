package flow_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"

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

func Example() {
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

// Each frame is first the second image, and then the first one. The memory of pyramids and tracks is
// reused.
func ExampleTracker_AppendTrack() {
	tracker, err := flow.New(flow.Options{})
	if err != nil {
		panic(err)
	}
	points := []flow.Point{{X: 50, Y: 40}, {X: 89, Y: 69}}
	var previous, next flow.Pyramid
	var tracks []flow.Track
	tracker.PyramidInto(&previous, frame(0))
	for n := 1; n <= 3; n++ {
		tracker.PyramidInto(&next, frame(n))
		tracks = tracker.AppendTrack(tracks[:0], &previous, &next, points, nil)
		for i, track := range tracks {
			points[i] = track.Point()
			fmt.Printf("frame %d, point %d: %v at %.1f, %.1f\n", n, i, track.Status, track.X, track.Y)
		}
		previous, next = next, previous
	}
	// Output:
	// frame 1, point 0: found at 53.0, 41.0
	// frame 1, point 1: found at 92.0, 70.0
	// frame 2, point 0: found at 56.0, 42.0
	// frame 2, point 1: found at 95.0, 71.0
	// frame 3, point 0: found at 59.0, 43.0
	// frame 3, point 1: found at 98.0, 72.0
}

// A camera moves over a scene. When points have left the image, new ones are found where none
// is followed.
func ExampleTracker_PyramidInto() {
	const limit, distance = 6, 20
	detector, err := harris.New(harris.GoodFeatures(limit, 0.01, distance))
	if err != nil {
		panic(err)
	}
	tracker, err := flow.New(flow.Options{Confirm: 0.5, KeepInside: true})
	if err != nil {
		panic(err)
	}
	var pyramids [2]flow.Pyramid // of this frame and of the one before, taking turns
	var points []flow.Point
	var tracks []flow.Track
	for n := range 4 {
		frame := view(24 * n)
		previous, next := &pyramids[(n+1)%2], &pyramids[n%2]
		tracker.PyramidInto(next, frame)
		if n > 0 {
			tracks = tracker.AppendTrack(tracks[:0], previous, next, points, nil)
			points = points[:0]
			for _, track := range tracks {
				if track.Status == flow.Found {
					points = append(points, track.Point())
				}
			}
		}
		found := len(points)

		// Corners near points that are followed are not new.
		mask := image.NewGray(frame.Rect)
		draw.Draw(mask, mask.Rect, image.White, image.Point{}, draw.Src)
		for _, p := range points {
			x, y := int(p.X), int(p.Y)
			draw.Draw(mask, image.Rect(x, y, x, y).Inset(-distance), image.Black, image.Point{}, draw.Src)
		}
		corners := detector.Detect(frame, mask)
		points = flow.AppendPoints(points, corners[:min(len(corners), limit-found)])
		fmt.Println(found, "found,", len(points)-found, "new")
	}
	// Output:
	// 0 found, 6 new
	// 3 found, 3 new
	// 4 found, 2 new
	// 5 found, 1 new
}

// view returns the part of a wide scene that a camera sees, which begins at a column.
func view(left int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 160, 120))
	for i := range 10 {
		x, y := 15+30*i-left, 20+i*37%60
		draw.Draw(img, image.Rect(x, y, x+20, y+30), image.NewUniform(color.Gray{uint8(100 + 15*i)}), image.Point{}, draw.Src)
	}
	return img
}
