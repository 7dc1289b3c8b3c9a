package main

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// faces returns the fonts of captions and of notes.
var faces = sync.OnceValues(func() ([2]font.Face, error) {
	var faces [2]font.Face
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return faces, err
	}
	for i, size := range []float64{15, 11} {
		faces[i], err = opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			return faces, err
		}
	}
	return faces, nil
})

const (
	captionFace = iota
	noteFace
)

const (
	captionHeight = 26
	margin        = 10
)

// A panel is a part of a picture with a caption above it.
type panel struct {
	caption string
	img     image.Image
}

// A key explains a color.
type key struct {
	color color.Color
	text  string
}

// picture returns the panels, which are of one size, in columns, with keys
// and a note below, as PNG.
func picture(panels []panel, columns int, keys []key, note string) ([]byte, error) {
	faces, err := faces()
	if err != nil {
		return nil, err
	}
	size := panels[0].img.Bounds().Size()
	step := size.Add(image.Pt(margin, margin+captionHeight))
	rows := (len(panels) + columns - 1) / columns
	bottom := rows*step.Y + margin
	img := image.NewRGBA(image.Rect(0, 0, columns*step.X+margin, bottom+2*captionHeight))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	write := func(face font.Face, x, y int, text string) int {
		d := font.Drawer{Dst: img, Src: image.Black, Face: face, Dot: fixed.P(x, y)}
		d.DrawString(text)
		return d.Dot.X.Round()
	}
	for i, p := range panels {
		at := image.Pt(margin+i%columns*step.X, i/columns*step.Y)
		write(faces[captionFace], at.X, at.Y+captionHeight-7, p.caption)
		r := image.Rectangle{Max: size}.Add(at.Add(image.Pt(0, captionHeight)))
		draw.Draw(img, r, p.img, p.img.Bounds().Min, draw.Src)
	}
	x := margin
	for _, k := range keys {
		draw.Draw(img, image.Rect(x, bottom+2, x+16, bottom+18), image.NewUniform(k.color), image.Point{}, draw.Src)
		x = write(faces[captionFace], x+21, bottom+15, k.text) + 18
	}
	write(faces[noteFace], margin, bottom+2*captionHeight-10, note)

	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, img); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// tint returns a pixel of a photo in a color: as bright as the photo's gray
// value says, but never too dark for the color to be seen. It keeps few gray
// values apart, which makes small files.
func tint(c color.RGBA, gray uint8) color.RGBA {
	gray &^= 15
	shade := func(v uint8) uint8 { return uint8(int(v) * (110 + int(gray)*145/255) / 255) }
	return color.RGBA{shade(c.R), shade(c.G), shade(c.B), 255}
}
