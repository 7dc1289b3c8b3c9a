// Command ar places a picture on a flat object in a photo, in the perspective of the photo:
// augmented reality, for one frame.
package main

import (
	"flag"
	"image"
	"image/draw"
	"log"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/register"
	"github.com/fastcorners/fast/warp"
)

func main() {
	template := flag.String("template", "testdata/photos/chelsea_451x300.png", "the flat object, seen from the front")
	photo := flag.String("photo", "testdata/chelsea_turned.png", "a photo of it")
	picture := flag.String("picture", "testdata/photos/astronaut_512x512.png", "the picture to place on its middle")
	out := flag.String("out", "ar.png", "the PNG to write")
	flag.Parse()
	a, b, p := pictures.Load(*template), pictures.Load(*photo), pictures.Load(*picture)

	registrar, err := register.New(register.Options{})
	if err != nil {
		log.Fatal(err)
	}
	found, err := registrar.Register(a, b)
	if err != nil {
		log.Fatal(err)
	}

	// Three corners determine how the picture lies on the template: in its middle, with a
	// quarter left free at each side. From there the pixels of the template go to the photo.
	size := a.Bounds().Size()
	middle := a.Bounds()
	middle.Min, middle.Max = middle.Min.Add(size.Div(4)), middle.Max.Sub(size.Div(4))
	place, ok := geometry.Exact(geometry.Affine, corners(p.Bounds()), corners(middle))
	if !ok {
		log.Fatal("the picture or the template is too small")
	}
	toPhoto := found.Transform.Mul(place)

	// A warp needs to know where in the picture each pixel of the photo comes from. It leaves the
	// pixels that come from elsewhere as they are.
	toPicture, ok := toPhoto.Inverse()
	if !ok {
		log.Fatal("the photo shows the picture from its side")
	}
	warper, err := warp.New(warp.Options{Border: border.Transparent})
	if err != nil {
		log.Fatal(err)
	}
	result := image.NewRGBA(b.Bounds())
	draw.Draw(result, result.Rect, b, result.Rect.Min, draw.Src)
	warper.Image(result, p, warp.Of(toPicture))
	pictures.Save(*out, result)
}

// corners returns three of the outermost pixels of a rectangle.
func corners(r image.Rectangle) []geometry.Point {
	x0, y0, x1, y1 := float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X-1), float64(r.Max.Y-1)
	return []geometry.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x0, Y: y1}}
}
