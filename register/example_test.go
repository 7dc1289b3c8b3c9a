package register_test

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"log"
	"os"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/register"
	"github.com/fastcorners/fast/warp"
)

// load reads a PNG file of the repository's testdata.
func load(name string) image.Image {
	f, err := os.Open("../testdata/" + name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		log.Fatal(err)
	}
	return img
}

// A photo, and another one that was taken from a different place, are aligned.
func ExampleRegistrar_Register() {
	r, err := register.New(register.Options{})
	if err != nil {
		log.Fatal(err)
	}
	a, b := load("photos/chelsea_451x300.png"), load("chelsea_turned.png")
	result, err := r.Register(a, b)
	if err != nil {
		log.Fatal(err)
	}
	center := result.Transform.Apply(geometry.Point{X: 225, Y: 150})
	fmt.Printf("%d of %d matches agree, the center of a is at %.0f, %.0f of b\n",
		result.Inliers, len(result.Matches), center.X, center.Y)

	// Draw b as it is seen in a.
	w, err := warp.New(warp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	aligned := image.NewGray(a.Bounds())
	w.Gray(aligned, b.(*image.Gray), warp.Of(result.Transform))
	// Output: 244 of 358 matches agree, the center of a is at 200, 165 of b
}

// Without anything in common there is an error, and the matches show why.
func ExampleResult() {
	r, err := register.New(register.Options{Geometry: geometry.Options{Kind: geometry.Similarity}})
	if err != nil {
		log.Fatal(err)
	}
	a, b := load("photos/coffee_600x400.png"), load("photos/camera_512x512.png")
	result, err := r.Register(a, b)
	if errors.Is(err, geometry.ErrSupport) {
		fmt.Println(err)
	}
	picture, shift := overlay.SideBySide(a, b)
	overlay.Matches(picture, result.A, result.B, shift, result.Matches)
	fmt.Println(picture.Rect.Size())
	// Output:
	// geometry: too few pairs agree with any transform
	// (1112,512)
}
