package warp_test

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/warp"
)

func ExampleWarper_Gray() {
	src := image.NewGray(image.Rect(0, 0, 4, 2))
	copy(src.Pix, []byte{
		0, 10, 20, 30,
		40, 50, 60, 70,
	})
	w, err := warp.New(warp.Options{Border: warp.Replicate})
	if err != nil {
		panic(err)
	}
	dst := image.NewGray(src.Rect)
	w.Gray(dst, src, warp.Affine{1, 0, 0.5, 0, 1, 0})
	fmt.Println(dst.Pix[:4])
	fmt.Println(dst.Pix[4:])
	// Output:
	// [5 15 25 30]
	// [45 55 65 70]
}

// What package geometry estimates maps points of one image to those of another one. Its inverse
// draws the first image as the second one shows it.
func ExampleHomography_Invert() {
	a := []geometry.Point{{X: 10, Y: 10}, {X: 90, Y: 10}, {X: 90, Y: 70}, {X: 10, Y: 70}}
	b := []geometry.Point{{X: 12, Y: 15}, {X: 92, Y: 15}, {X: 92, Y: 75}, {X: 12, Y: 75}}
	t, ok := geometry.LeastSquares(geometry.Homography, a, b)
	fmt.Println(ok)

	w, err := warp.New(warp.Options{})
	if err != nil {
		panic(err)
	}
	first := image.NewGray(image.Rect(0, 0, 100, 80))
	first.Pix[first.PixOffset(10, 10)] = 255
	moved := image.NewGray(first.Rect)
	w.Gray(moved, first, warp.Homography(t).Invert())
	fmt.Println(moved.GrayAt(12, 15).Y)

	// The same with an affine transform.
	m, ok := t.Aff3()
	fmt.Println(ok)
	w.Gray(moved, first, warp.Affine(m).Invert())
	fmt.Println(moved.GrayAt(12, 15).Y)
	// Output:
	// true
	// 255
	// true
	// 255
}

func ExampleRectangle() {
	src := image.NewGray(image.Rect(0, 0, 200, 150))
	card := [4]geometry.Point{{X: 31, Y: 17}, {X: 160, Y: 40}, {X: 140, Y: 130}, {X: 12, Y: 110}}
	h, ok := warp.Rectangle(card, 85, 54)
	if !ok {
		return
	}
	w, err := warp.New(warp.Options{})
	if err != nil {
		panic(err)
	}
	dst := image.NewGray(image.Rect(0, 0, 85, 54))
	w.Gray(dst, src, h)
}
