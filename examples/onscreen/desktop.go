package main

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"iter"
	"path/filepath"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/examples/internal/pictures"
)

const (
	desktopFrames = 36
	iconSide      = 64
)

// A desktop is a screen with windows, which are photos, and icons, which are parts of other ones.
type desktop struct {
	icons   []*image.Gray
	sprites []sprite
}

// A sprite is what is seen at a place from one frame on, for as long as another one.
type sprite struct {
	img       image.Image
	at        image.Point
	from, end int
}

// newDesktop returns the desktop, made of the photos of testdata.
func newDesktop() (*desktop, error) {
	names, err := filepath.Glob("testdata/photos/*.png")
	if err != nil {
		return nil, err
	}
	if len(names) < 11 {
		return nil, errors.New("too few photos in testdata/photos")
	}
	d := new(desktop)
	photos := make([]image.Image, len(names))
	for i, name := range names {
		photos[i] = pictures.Load(name)
		if i < 10 {
			d.icons = append(d.icons, icon(fast.Gray(photos[i])))
		}
	}
	show := func(img image.Image, x, y, from, end int) {
		d.sprites = append(d.sprites, sprite{img, image.Pt(x, y), from, end})
	}
	for i := range 5 {
		show(d.icons[i], 40, 60+180*i, 0, desktopFrames)
	}
	show(d.icons[5], 1800, 900, 8, desktopFrames)
	show(d.icons[6], 400, 960, 4, 12) // moves
	show(d.icons[6], 431, 949, 12, 20)
	// A window with two icons opens and closes.
	show(photos[5], 700, 260, 6, 24)
	show(d.icons[7], 760, 300, 6, 24)
	show(d.icons[7], 860, 300, 6, 24)
	// Another one is in front of icons for some time.
	show(photos[1], 20, 200, 14, 18)
	// A photo is the whole screen.
	show(photos[len(photos)-1], 0, 0, 28, 32)
	show(d.icons[8], 1000, 500, 28, 32)
	show(d.icons[9], 1200, 500, 28, 32)
	return d, nil
}

// icon returns the middle of a photo, mirrored, so that it is not found in the photo.
func icon(photo *image.Gray) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, iconSide, iconSide))
	from := photo.Rect.Min.Add(photo.Rect.Max).Sub(img.Rect.Max).Div(2)
	for y := range iconSide {
		for x := range iconSide {
			img.SetGray(iconSide-1-x, y, photo.GrayAt(from.X+x, from.Y+y))
		}
	}
	return img
}

// frames returns what is seen. In each frame a cursor moves, and a bar becomes longer.
func (d *desktop) frames() iter.Seq[*image.Gray] {
	return func(yield func(*image.Gray) bool) {
		for n := range desktopFrames {
			if !yield(d.frame(n)) {
				return
			}
		}
	}
}

func (d *desktop) frame(n int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 1920, 1080))
	for y := range img.Rect.Dy() {
		draw.Draw(img, image.Rect(0, y, 1920, y+1), image.NewUniform(color.Gray{uint8(60 + y/12)}), image.Point{}, draw.Src)
	}
	for _, s := range d.sprites {
		if n >= s.from && n < s.end {
			r := s.img.Bounds()
			draw.Draw(img, r.Add(s.at.Sub(r.Min)), s.img, r.Min, draw.Src)
		}
	}
	draw.Draw(img, image.Rect(800, 1050, 800+8*n, 1062), image.White, image.Point{}, draw.Src)
	cursor := image.Pt(300+37*n, 900-19*n)
	for y := range 20 {
		draw.Draw(img, image.Rect(0, y, 1+y/2, y+1).Add(cursor), image.White, image.Point{}, draw.Src)
	}
	return img
}
