package overlay_test

import (
	"image"
	"image/png"
	"log"
	"os"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/overlay"
)

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
