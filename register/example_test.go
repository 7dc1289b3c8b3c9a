package register_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"log"
	"math/rand/v2"
	"os"

	"github.com/fastcorners/fast/border"
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

// A picture of squares, and the same moved and turned, are aligned.
func Example() {
	random := rand.New(rand.NewPCG(1, 2))
	a := image.NewGray(image.Rect(0, 0, 320, 240))
	for range 200 {
		square := image.Rect(0, 0, 40, 40).Add(image.Pt(random.IntN(300), random.IntN(220)))
		draw.Draw(a, square, image.NewUniform(color.Gray{Y: uint8(random.IntN(256))}), image.Point{}, draw.Src)
	}
	w, err := warp.New(warp.Options{Border: border.Replicate})
	if err != nil {
		log.Fatal(err)
	}
	b := image.NewGray(a.Rect)
	w.Gray(b, a, warp.Affine{0.98, -0.17, 30, 0.17, 0.98, -20})

	r, err := register.New(register.Options{})
	if err != nil {
		log.Fatal(err)
	}
	result, err := r.Register(a, b)
	if err != nil {
		log.Fatal(err) // they have nothing in common
	}
	p := result.Transform.Apply(geometry.Point{X: 160, Y: 120})
	fmt.Printf("the point 160, 120 of a is at %.0f, %.0f of b\n", p.X, p.Y)

	aligned := image.NewGray(a.Rect) // b, as it is seen in a
	w.Gray(aligned, b, warp.Of(result.Transform))
	// Output: the point 160, 120 of a is at 153, 116 of b
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

// The features of one image are found once and matched with those of several others. A mask keeps
// what does not belong to the object from being found.
func ExampleRegistrar_Match() {
	r, err := register.New(register.Options{})
	if err != nil {
		log.Fatal(err)
	}
	photo := load("photos/chelsea_451x300.png")
	mask := image.NewGray(photo.Bounds())
	draw.Draw(mask, image.Rect(50, 20, 400, 280), image.White, image.Point{}, draw.Src)
	object := r.Features(photo, mask)

	for _, name := range []string{"chelsea_turned.png", "photos/coffee_600x400.png", "photos/camera_512x512.png"} {
		result, err := r.Match(object, r.Features(load(name), nil))
		fmt.Println(name, err == nil, result.Inliers > 100)
	}
	// Output:
	// chelsea_turned.png true true
	// photos/coffee_600x400.png false false
	// photos/camera_512x512.png false false
}

// If the images have nothing in common, there is an error, and the matches show why.
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
