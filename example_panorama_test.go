package fast_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"log"
	"os"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

// findShift returns the shift that takes b to its place beside a.
func findShift(a, b *image.Gray) (image.Point, error) {
	// On the only level the coordinates of keypoints are whole numbers. Pictures of
	// different scales need more levels.
	extractor, err := orb.New(orb.Options{Features: 1000, Levels: 1})
	if err != nil {
		return image.Point{}, err
	}
	keypointsA, descriptorsA := extractor.Extract(a, nil)
	keypointsB, descriptorsB := extractor.Extract(b, nil)

	// Many keypoints are in one picture only. These tests drop most of their matches.
	matcher, err := match.New[match.Descriptor](match.Options{CrossCheck: true, Ratio: 0.8})
	if err != nil {
		return image.Point{}, err
	}

	// Correct matches vote for the same shift, and wrong ones for different ones.
	votes := make(map[image.Point]int)
	var best image.Point
	for _, m := range matcher.Match(descriptorsA, descriptorsB) {
		shift := keypointsA[m.Query].Pt().Sub(keypointsB[m.Train].Pt())
		votes[shift]++
		if votes[shift] > votes[best] {
			best = shift
		}
	}
	return best, nil
}

// Example_panorama pastes two overlapping pictures into one.
func Example_panorama() {
	file, err := os.Open("testdata/photos/coffee_600x400.png")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		log.Fatal(err)
	}
	photo := fast.Gray(img)

	// The pictures are two parts of a photo. The coordinates of both begin at 0,0, so
	// that nothing tells where the second one was.
	a := &image.Gray{Pix: photo.Pix, Stride: photo.Stride, Rect: image.Rect(0, 0, 380, 400)}
	b := &image.Gray{Pix: photo.Pix[250:], Stride: photo.Stride, Rect: image.Rect(0, 0, 350, 400)}

	shift, err := findShift(a, b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("shift:", shift)

	place := b.Rect.Add(shift)
	panorama := image.NewGray(a.Rect.Union(place))
	draw.Draw(panorama, a.Rect, a, a.Rect.Min, draw.Src)
	draw.Draw(panorama, place, b, b.Rect.Min, draw.Src)
	fmt.Println("panorama:", panorama.Rect)
	fmt.Println("same as the photo:", bytes.Equal(panorama.Pix, photo.Pix))
	// Output:
	// shift: (250,0)
	// panorama: (0,0)-(600,400)
	// same as the photo: true
}
