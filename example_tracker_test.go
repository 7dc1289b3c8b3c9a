package fast_test

import (
	"fmt"
	"image"
	"image/png"
	"log"
	"os"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

// trackedPoints are the points of a frame. Each keypoint has the descriptor of
// the same index.
type trackedPoints struct {
	keypoints   []orb.Keypoint
	descriptors []match.Descriptor
}

// Example_tracker finds the points of each frame of a moving camera in the next
// frame. All memory is reused.
func Example_tracker() {
	file, err := os.Open("testdata/photos/aitzgorri_752x480.png")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		log.Fatal(err)
	}
	photo := fast.Gray(img)

	detector, err := fast.New(fast.Options{Threshold: 20, NonmaxSuppression: true})
	if err != nil {
		log.Fatal(err)
	}
	// Successive frames have nearly the same scale, so one level is enough, and hardly
	// turn, so descriptors may be upright.
	extractor, err := orb.New(orb.Options{Levels: 1})
	if err != nil {
		log.Fatal(err)
	}
	matcher, err := match.New[match.Descriptor](match.Options{CrossCheck: true, Ratio: 0.8})
	if err != nil {
		log.Fatal(err)
	}

	var last, next trackedPoints
	var corners []fast.Corner
	var matches []match.Match
	var keypoints []orb.Keypoint
	var kept []int

	at := image.Pt(60, 20)
	for i, move := range []image.Point{{}, {4, 1}, {7, -2}, {-12, 9}, {-25, 16}} {
		// The camera sees a window of the photo. It is not a SubImage, in which
		// points would have the same coordinates in all frames.
		at = at.Add(move)
		frame := &image.Gray{
			Pix:    photo.Pix[photo.PixOffset(at.X, at.Y):],
			Stride: photo.Stride,
			Rect:   image.Rect(0, 0, 640, 400),
		}

		// Spread takes corners from all parts of the image; the strongest ones are crowded.
		corners = detector.Append(corners[:0], frame)
		spread := fast.Spread(corners, frame.Rect, 400)

		// Keypoints too near to the edges to be described are dropped.
		last, next = next, last
		keypoints = orb.AppendKeypoints(keypoints[:0], spread, 31)
		kept, next.descriptors = extractor.AppendDescribe(kept[:0], next.descriptors[:0], keypoints, frame)
		next.keypoints = next.keypoints[:0]
		for _, k := range kept {
			next.keypoints = append(next.keypoints, keypoints[k])
		}

		matches = matcher.Append(matches[:0], last.descriptors, next.descriptors)
		if i == 0 {
			continue // There is no last frame.
		}
		right := 0
		for _, m := range matches {
			// The scene moves in the opposite direction of the camera.
			if last.keypoints[m.Query].Pt().Sub(next.keypoints[m.Train].Pt()) == move {
				right++
			}
		}
		fmt.Printf("%d of %d points matched, %d moved by %v\n",
			len(matches), len(last.keypoints), right, image.Point{}.Sub(move))
	}
	// Output:
	// 273 of 352 points matched, 272 moved by (-4,-1)
	// 258 of 351 points matched, 257 moved by (-7,2)
	// 240 of 351 points matched, 239 moved by (12,-9)
	// 228 of 353 points matched, 225 moved by (25,-16)
}
