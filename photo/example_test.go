package photo_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"log"

	"github.com/fastcorners/fast/photo"
)

func Example() {
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		log.Fatal(err)
	}
	src := bytes.NewReader(file.Bytes())
	header, err := photo.ReadHeader(src)
	if err != nil {
		log.Fatal(err)
	}
	if header.Size().X > 10000 || header.Size().Y > 10000 {
		log.Fatal("too large")
	}
	decoded, err := header.Decode(src)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(decoded.Upright().Bounds(), decoded.Gray().Bounds())
	// Output: (0,0)-(40,30) (0,0)-(40,30)
}
