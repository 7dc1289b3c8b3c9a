package locate_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/fastcorners/fast/locate"
)

// screen returns a picture with two buttons, and one of the buttons.
func screen() (screen, button *image.Gray) {
	screen = image.NewGray(image.Rect(0, 0, 320, 200))
	for i := range screen.Pix {
		screen.Pix[i] = uint8(90 + i*7%23)
	}
	button = image.NewGray(image.Rect(0, 0, 24, 16))
	draw.Draw(button, button.Rect.Inset(2), image.NewUniform(color.Gray{200}), image.Point{}, draw.Src)
	draw.Draw(button, image.Rect(6, 5, 12, 11), image.NewUniform(color.Gray{40}), image.Point{}, draw.Src)
	for _, at := range []image.Point{{30, 120}, {200, 50}} {
		draw.Draw(screen, button.Rect.Add(at), button, image.Point{}, draw.Src)
	}
	return screen, button
}

func Example() {
	screen, button := screen()
	l, err := locate.New(locate.Options{})
	if err != nil {
		panic(err)
	}
	t, err := locate.NewTemplate(button, nil)
	if err != nil {
		panic(err)
	}
	if m, ok := l.Find(locate.NewScene(screen), t); ok {
		fmt.Println(t.Bounds(m), m.Score)
	}
	// A part of the screen.
	right := screen.SubImage(image.Rect(160, 40, 320, 110)).(*image.Gray)
	if m, ok := l.Find(locate.NewScene(right), t); ok {
		fmt.Println("on the right:", m.Pt())
	}
	// Output:
	// (200,50)-(224,66) 1
	// on the right: (200,50)
}

func ExampleLocator_FindAll() {
	screen, button := screen()
	l, err := locate.New(locate.Options{MinScore: 0.95})
	if err != nil {
		panic(err)
	}
	t, err := locate.NewTemplate(button, nil)
	if err != nil {
		panic(err)
	}
	for _, m := range l.FindAll(locate.NewScene(screen), t) {
		fmt.Println(m.Pt(), m.Score)
	}
	// Output:
	// (200,50) 1
	// (30,120) 1
}

// An icon on any background: only its opaque pixels count.
func ExampleAlphaMask() {
	icon := image.NewRGBA(image.Rect(0, 0, 16, 16))
	draw.Draw(icon, image.Rect(4, 0, 12, 16), image.NewUniform(color.RGBA{220, 40, 40, 255}), image.Point{}, draw.Src)
	draw.Draw(icon, image.Rect(6, 6, 10, 10), image.NewUniform(color.RGBA{255, 255, 0, 255}), image.Point{}, draw.Src)
	screen := image.NewRGBA(image.Rect(0, 0, 100, 80))
	for i := range screen.Pix {
		screen.Pix[i] = uint8(i * i >> 3)
	}
	draw.Draw(screen, image.Rect(70, 20, 86, 36), icon, image.Point{}, draw.Over)

	l, err := locate.New(locate.Options{})
	if err != nil {
		panic(err)
	}
	t, err := locate.NewColorTemplate(icon, locate.AlphaMask(icon))
	if err != nil {
		panic(err)
	}
	m, ok := l.Find(locate.NewColorScene(screen), t)
	fmt.Println(m.Pt(), m.Score, ok)
	// Output:
	// (70,20) 1 true
}
