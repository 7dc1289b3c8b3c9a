package compact_test

import (
	"fmt"
	"image"
	"log"

	"github.com/fastcorners/fast/orb/compact"
)

func Example() {
	extractor, err := compact.New(compact.Options{Features: 2})
	if err != nil {
		log.Fatal(err)
	}
	img := image.NewGray(image.Rect(0, 0, 60, 40))
	for _, p := range []image.Point{{20, 12}, {40, 12}, {30, 25}} {
		img.Pix[img.PixOffset(p.X, p.Y)] = 255
	}
	keypoints, descriptors := extractor.Extract(img)
	for _, k := range keypoints {
		fmt.Println(k.Pt())
	}
	fmt.Println(len(descriptors), "descriptors")
	// Output:
	// (20,12)
	// (40,12)
	// 2 descriptors
}
