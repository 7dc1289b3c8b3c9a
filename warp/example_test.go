package warp_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/warp"
)

func Example() {
	src := image.NewGray(image.Rect(0, 0, 4, 2))
	copy(src.Pix, []byte{
		0, 10, 20, 30,
		40, 50, 60, 70,
	})
	w, err := warp.New(warp.Options{Border: border.Replicate})
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

func ExampleResize() {
	src := image.NewGray(image.Rect(0, 0, 4, 2))
	copy(src.Pix, []byte{
		0, 10, 20, 30,
		40, 50, 60, 70,
	})
	half := image.NewGray(image.Rect(0, 0, 2, 1))
	warp.Resize(half, src)
	fmt.Println(half.Pix)

	// Corners found in the smaller image are points between the pixels of the larger one.
	t := geometry.BetweenRectangles(half.Rect, src.Rect)
	fmt.Println(t.Apply(geometry.Point{X: 1, Y: 0}))
	// Output:
	// [25 45]
	// {2.5 0.5}
}

// A Resizer keeps its tables and has the method YCbCr, which makes small pictures of large JPEGs before
// their colors are converted.
func ExampleResizer() {
	photo := image.NewYCbCr(image.Rect(0, 0, 1200, 900), image.YCbCrSubsampleRatio420) // decoded
	r, err := warp.NewResizer(warp.ResizerOptions{Interpolation: warp.Area, Workers: -1})
	if err != nil {
		panic(err)
	}
	size := warp.Fit(photo.Rect.Size(), image.Pt(160, 160))
	thumbnail := image.NewYCbCr(image.Rectangle{Max: size}, photo.SubsampleRatio)
	r.YCbCr(thumbnail, photo)
	fmt.Println(thumbnail.Rect)
	// Output: (0,0)-(160,120)
}

// The input of a neural network is often square: a picture fits in it as a whole, with bars at its sides,
// or a part of the picture fills it.
func ExampleFit() {
	picture, square := image.NewRGBA(image.Rect(0, 0, 640, 480)), image.Pt(224, 224)

	whole := image.NewRGBA(image.Rectangle{Max: square})
	size := warp.Fit(picture.Rect.Size(), square)
	place := image.Rectangle{Max: size}.Add(square.Sub(size).Div(2))
	warp.Resize(whole.SubImage(place).(*image.RGBA), picture)
	fmt.Println(place)

	filled := image.NewRGBA(image.Rectangle{Max: square})
	size = warp.Fit(square, picture.Rect.Size())
	part := image.Rectangle{Max: size}.Add(picture.Rect.Size().Sub(size).Div(2))
	warp.Resize(filled, picture.SubImage(part))
	fmt.Println(part)
	// Output:
	// (0,28)-(224,196)
	// (80,0)-(560,480)
}

// The transforms of package geometry map points of one image to those of another. As a Transform,
// such a transform draws the second image onto the first, and its inverse the first onto the second.
func ExampleOf() {
	a := []geometry.Point{{X: 10, Y: 10}, {X: 90, Y: 10}, {X: 90, Y: 70}, {X: 10, Y: 70}}
	b := []geometry.Point{{X: 12, Y: 15}, {X: 92, Y: 15}, {X: 92, Y: 75}, {X: 12, Y: 75}}
	t, ok := geometry.LeastSquares(geometry.Affine, a, b)
	if !ok {
		return
	}
	back, ok := t.Inverse()
	if !ok {
		return
	}

	w, err := warp.New(warp.Options{})
	if err != nil {
		panic(err)
	}
	first, second := image.NewGray(image.Rect(0, 0, 100, 80)), image.NewGray(image.Rect(0, 0, 100, 80))
	first.SetGray(10, 10, color.Gray{Y: 255})
	w.Gray(second, first, warp.Of(back))
	fmt.Println(second.GrayAt(12, 15).Y)

	again := image.NewGray(first.Rect)
	w.Gray(again, second, warp.Of(t))
	fmt.Println(again.GrayAt(10, 10).Y)
	// Output:
	// 255
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

// A wide-angle camera bends lines. The map specifies where each pixel of a straight picture comes
// from. It is made once for all frames.
func ExampleUndistortion() {
	const f, k1 = 120, -0.2
	c := camera.Camera{Fx: f, Fy: f, Cx: 80, Cy: 60, K1: k1}
	undistort := warp.Undistortion(c, 160, 120)

	// What the camera sees of the horizontal line at 30.
	frame := image.NewGray(image.Rect(0, 0, 160, 120))
	for i := range 4 * 160 {
		x, y := (float64(i)/4-80)/f, (30.0-60)/f
		bend := 1 + k1*(x*x+y*y)
		frame.SetGray(int(80.5+f*x*bend), int(60.5+f*y*bend), color.Gray{Y: 255})
	}

	w, err := warp.New(warp.Options{})
	if err != nil {
		panic(err)
	}
	picture := image.NewGray(frame.Rect)
	w.Gray(picture, frame, undistort)
	for _, img := range []*image.Gray{frame, picture} {
		var line [3]int // the brightest rows of three columns
		for i, x := range []int{25, 80, 135} {
			for y := range 120 {
				if img.GrayAt(x, y).Y > img.GrayAt(x, line[i]).Y {
					line[i] = y
				}
			}
		}
		fmt.Println(line)
	}
	// Output:
	// [32 30 32]
	// [30 30 30]
}

// A fisheye becomes a pinhole that looks 45 degrees to the right.
func ExampleRectification() {
	fisheye := camera.Camera{Model: camera.KannalaBrandt, Fx: 60, Fy: 60, Cx: 99.5, Cy: 99.5}
	pinhole := camera.FromFieldOfView(90, 101, image.Pt(101, 101))
	const c = 0.70710678 // the cosine, and the sine, of 45 degrees
	right := [9]float64{c, 0, -c, 0, 1, 0, c, 0, c}
	m := warp.Rectification(fisheye, pinhole, right, 101, 101)
	for _, x := range []int{0, 50, 100} { // 45 degrees to the left, the middle, and to the right
		i := 50*m.Width + x
		fmt.Printf("%.0f %.0f\n", m.X[i], m.Y[i])
	}
	// Output:
	// 100 100
	// 147 100
	// 193 100
}

// A wave is a custom map. Fixed makes the map smaller and faster, for many images.
func ExampleMap_Fixed() {
	wave := warp.Map{Width: 6, Height: 2}
	for y := range 2 {
		for x := range 6 {
			wave.X = append(wave.X, float32(x))
			wave.Y = append(wave.Y, float32(y+x%2))
		}
	}
	fixed, err := wave.Fixed()
	if err != nil {
		panic(err)
	}
	w, err := warp.New(warp.Options{})
	if err != nil {
		panic(err)
	}
	src := image.NewGray(image.Rect(0, 0, 6, 3))
	copy(src.Pix, []byte{
		0, 1, 2, 3, 4, 5,
		10, 11, 12, 13, 14, 15,
		20, 21, 22, 23, 24, 25,
	})
	dst := image.NewGray(image.Rect(0, 0, 6, 2))
	w.Gray(dst, src, fixed)
	fmt.Println(dst.Pix[:6])
	fmt.Println(dst.Pix[6:])
	// Output:
	// [0 11 2 13 4 15]
	// [10 21 12 23 14 25]
}

// A decoded image is of one of many types. The destination may be of another type.
func ExampleWarper_Image() {
	var file bytes.Buffer
	decoded := image.NewPaletted(image.Rect(0, 0, 3, 1), color.Palette{color.Black, color.RGBA{R: 200, A: 255}, color.White})
	copy(decoded.Pix, []byte{0, 1, 2})
	if err := png.Encode(&file, decoded); err != nil {
		panic(err)
	}
	src, err := png.Decode(&file)
	if err != nil {
		panic(err)
	}
	w, err := warp.New(warp.Options{Border: border.Replicate})
	if err != nil {
		panic(err)
	}
	dst := image.NewNRGBA(src.Bounds())
	w.Image(dst, src, warp.Affine{1, 0, 0.5, 0, 1, 0})
	fmt.Printf("%T\n", src)
	fmt.Println(dst.At(0, 0), dst.At(1, 0), dst.At(2, 0))
	// Output:
	// *image.Paletted
	// {100 0 0 255} {228 128 128 255} {255 255 255 255}
}

// A frame of video moves by two luma pixels, and so by one sample of its chroma.
func ExampleWarper_YCbCr() {
	src := image.NewYCbCr(image.Rect(0, 0, 8, 4), image.YCbCrSubsampleRatio420)
	for i := range src.Y {
		src.Y[i] = byte(10 * (i % 8))
	}
	copy(src.Cb, []byte{100, 110, 120, 130, 100, 110, 120, 130})
	w, err := warp.New(warp.Options{Border: border.Replicate})
	if err != nil {
		panic(err)
	}
	dst := image.NewYCbCr(src.Rect, src.SubsampleRatio)
	w.YCbCr(dst, src, warp.Affine{1, 0, 2, 0, 1, 0})
	fmt.Println(dst.Y[:8])
	fmt.Println(dst.Cb[:4])
	// Output:
	// [20 30 40 50 60 70 70 70]
	// [110 120 130 130]
}
