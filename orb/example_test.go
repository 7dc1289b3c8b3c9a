package orb_test

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

func Example() {
	// A rectangle that is brighter on the right.
	img := image.NewGray(image.Rect(0, 0, 160, 120))
	for y := 45; y < 75; y++ {
		for x := 60; x < 100; x++ {
			img.Pix[img.PixOffset(x, y)] = uint8(100 + x)
		}
	}
	extractor, err := orb.New(orb.Options{Features: 4, Levels: 1})
	if err != nil {
		panic(err)
	}
	keypoints, descriptors := extractor.Extract(img, nil)
	for _, k := range keypoints {
		fmt.Printf("%v, %.0f degrees\n", k.Pt(), k.Angle)
	}
	fmt.Println(len(descriptors), "descriptors")
	// Output:
	// (62,45), 50 degrees
	// (62,74), 310 degrees
	// 2 descriptors
}

// load reads a photo.
func load(name string) *image.Gray {
	f, err := os.Open("../testdata/photos/" + name)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		panic(err)
	}
	return fast.Gray(img)
}

// Two photos of the same scene are matched, one of them rotated by 90 degrees.
func Example_match() {
	photo := load("camera_512x512.png")
	w, h := photo.Rect.Dx(), photo.Rect.Dy()
	turned := image.NewGray(image.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			turned.SetGray(h-1-y, x, photo.GrayAt(x, y))
		}
	}

	extractor, err := orb.New(orb.Options{})
	if err != nil {
		panic(err)
	}
	matcher, err := match.New[match.Descriptor](match.Options{CrossCheck: true, MaxDistance: 64})
	if err != nil {
		panic(err)
	}
	keypoints, descriptors := extractor.Extract(photo, nil)
	others, otherDescriptors := extractor.Extract(turned, nil)
	matches := matcher.Match(descriptors, otherDescriptors)
	right := 0
	for _, m := range matches {
		from, to := keypoints[m.Query].Pt(), others[m.Train].Pt()
		if d := to.Sub(image.Pt(h-1-from.Y, from.X)); d.X*d.X+d.Y*d.Y <= 3*3 {
			right++
		}
	}
	fmt.Println(len(keypoints), "keypoints,", len(matches), "matches,", right, "of them right")
	// Output: 500 keypoints, 500 matches, 480 of them right
}

// A moving camera is followed from frame to frame, in memory that is reused.
func Example_track() {
	extractor, err := orb.New(orb.Options{Features: 300, Spread: true, LowThreshold: 7})
	if err != nil {
		panic(err)
	}
	matcher, err := match.New[match.Descriptor](match.Options{CrossCheck: true, Ratio: 0.8})
	if err != nil {
		panic(err)
	}
	photo := load("picos_1280x720.png")
	var keypoints, before []orb.Keypoint
	var descriptors, descriptorsBefore []match.Descriptor
	var matches []match.Match
	var dx, dy []float32
	for i := range 4 {
		// Each frame shows another part of the photo.
		frame := photo.SubImage(image.Rect(0, 0, 640, 480).Add(image.Pt(100+7*i, 50+i*i))).(*image.Gray)
		frame.Rect = image.Rect(0, 0, 640, 480)

		keypoints, descriptors = extractor.Append(keypoints[:0], descriptors[:0], frame, nil)
		matches = matcher.Append(matches[:0], descriptorsBefore, descriptors)
		dx, dy = dx[:0], dy[:0]
		for _, m := range matches {
			dx = append(dx, keypoints[m.Train].X-before[m.Query].X)
			dy = append(dy, keypoints[m.Train].Y-before[m.Query].Y)
		}
		if len(matches) > 0 {
			slices.Sort(dx)
			slices.Sort(dy)
			fmt.Printf("%d matches, the picture moves by %.1f, %.1f\n", len(matches), dx[len(dx)/2], dy[len(dy)/2])
		}
		keypoints, before = before, keypoints
		descriptors, descriptorsBefore = descriptorsBefore, descriptors
	}
	// Output:
	// 201 matches, the picture moves by -7.0, -1.0
	// 171 matches, the picture moves by -7.0, -3.0
	// 179 matches, the picture moves by -7.0, -5.0
}

// Describe describes keypoints that were stored, or chosen by hand, except those that are too close to
// an edge: kept has the indices of the others.
func ExampleExtractor_Describe() {
	extractor, err := orb.New(orb.Options{Levels: 1})
	if err != nil {
		panic(err)
	}
	stored := []orb.Keypoint{{X: 150, Y: 100, Angle: 90}, {X: 5, Y: 100}, {X: 300.4, Y: 211.8, Angle: 12}}
	kept, descriptors := extractor.Describe(stored, load("camera_512x512.png"))
	fmt.Println(kept, len(descriptors))
	// Output: [0 2] 2
}

// The corners of another package are described, where they are strongest.
func ExampleKeypoints() {
	photo := load("camera_512x512.png")
	detector, err := harris.New(harris.Options{})
	if err != nil {
		panic(err)
	}
	extractor, err := orb.New(orb.Options{RecomputeAngles: true})
	if err != nil {
		panic(err)
	}
	corners := fast.Spread(detector.Detect(photo, nil), photo.Rect, 300)
	kept, descriptors := extractor.Describe(orb.Keypoints(corners, 31), photo)
	fmt.Println(len(corners), "corners,", len(descriptors), "descriptors")
	fmt.Println("the first one is that of corner", kept[0])
	// Output:
	// 300 corners, 255 descriptors
	// the first one is that of corner 0
}
