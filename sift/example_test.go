package sift_test

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/sift"
)

func Example() {
	// A disc that is brighter than what is around it.
	img := image.NewGray(image.Rect(0, 0, 64, 48))
	for y := range 48 {
		for x := range 64 {
			img.Pix[img.PixOffset(x, y)] = 60
			if (x-30)*(x-30)+(y-20)*(y-20) <= 36 {
				img.Pix[img.PixOffset(x, y)] = 200
			}
		}
	}
	extractor, err := sift.New(sift.Options{Upright: true})
	if err != nil {
		panic(err)
	}
	keypoints, descriptors := extractor.Extract(img, nil)
	for i, k := range keypoints {
		octave, layer := sift.Level(k)
		fmt.Printf("%v, a diameter of %.1f pixels, octave %d, layer %d, %d bytes\n", k.Pt(), k.Size, octave, layer, len(descriptors[i]))
	}
	// Output:
	// (30,20), a diameter of 7.7 pixels, octave 1, layer 1, 128 bytes
}
