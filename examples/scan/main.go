// Command scan finds a flat object in a photo, such as a page or a card for which it has a
// template, and straightens it to match the template: a document scanner.
package main

import (
	"flag"
	"fmt"
	"image"
	"log"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/fastcorners/fast/register"
	"github.com/fastcorners/fast/warp"
)

func main() {
	template := flag.String("template", "testdata/photos/chelsea_451x300.png", "what to find")
	photo := flag.String("photo", "testdata/chelsea_turned.png", "where to find it")
	out := flag.String("out", "upright.png", "the PNG to write")
	flag.Parse()
	a, b := pictures.Load(*template), pictures.Load(*photo)

	// Register matches keypoints of both pictures, and returns the homography that most of the
	// matches agree with, or an error if the pictures have nothing in common.
	registrar, err := register.New(register.Options{})
	if err != nil {
		log.Fatal(err)
	}
	found, err := registrar.Register(a, b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Inliers, "matches agree")

	// The transform maps each pixel of the template to its place in the photo, as a warp needs it.
	warper, err := warp.New(warp.Options{Border: border.Replicate})
	if err != nil {
		log.Fatal(err)
	}
	upright := image.NewRGBA(a.Bounds())
	warper.Image(upright, b, warp.Of(found.Transform))
	pictures.Save(*out, upright)
}
