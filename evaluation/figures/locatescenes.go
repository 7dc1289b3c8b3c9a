package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/fastcorners/fast"
	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// A locateCase is a template and where it is searched.
type locateCase struct {
	size     image.Point // of the scene
	picture  string      // what the scene is
	change   string      // how the template differs from it
	scene    *image.Gray
	template *image.Gray
}

// The names of pictures and of changes.
const (
	onScreen = "screen"
	onPhoto  = "photo"

	isCopy   = "copy"
	changed  = "changed"
	isJPEG   = "JPEG"
	isAbsent = "absent"
)

// nameOf returns a size as text.
func nameOf(size image.Point) string { return fmt.Sprintf("%dx%d", size.X, size.Y) }

// words are what windows have as text.
var words = strings.Fields("open save close file edit view window help search the a of in settings account password name date size " +
	"total 12 2026 99.5 user@example.com error warning ready Monday report page next back cancel OK and to with")

// screen returns a made screen: windows with text, photos and icons before a shaded background.
func (s *session) screen(size image.Point) (*image.RGBA, error) {
	faces, err := faces()
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(uint64(size.X), uint64(size.Y)))
	img := image.NewRGBA(image.Rectangle{Max: size})
	fill := func(r image.Rectangle, c color.Color) {
		draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	for y := range size.Y {
		v := uint8(60 * y / size.Y)
		fill(image.Rect(0, y, size.X, y+1), color.RGBA{20 + v, 60 + v, 110 + v, 255})
	}
	any := func() color.RGBA {
		return color.RGBA{uint8(rng.IntN(256)), uint8(rng.IntN(256)), uint8(rng.IntN(256)), 255}
	}
	write := func(at image.Point, c color.Color, face font.Face, width int) {
		d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: face, Dot: fixed.P(at.X, at.Y)}
		for end := fixed.I(at.X + width - 70); d.Dot.X < end; {
			d.DrawString(words[rng.IntN(len(words))] + " ")
		}
	}
	for range max(4, size.X*size.Y/60000) {
		w, h := 200+rng.IntN(size.X/4), 120+rng.IntN(size.Y/4)
		at := image.Pt(rng.IntN(size.X-w/2), rng.IntN(size.Y-h/2))
		r := image.Rectangle{at, at.Add(image.Pt(w, h))}
		fill(r.Inset(-1), color.Gray{90})
		fill(r, color.Gray{250})
		bar := image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+22)
		fill(bar, any())
		write(bar.Min.Add(image.Pt(6, 16)), color.White, faces[captionFace], w/2)
		inside := image.Rect(r.Min.X, bar.Max.Y, r.Max.X, r.Max.Y)
		switch rng.IntN(3) {
		case 0:
			photo := s.photos[rng.IntN(len(s.photos))]
			draw.Draw(img, inside, photo, photo.Rect.Min.Add(image.Pt(rng.IntN(40), rng.IntN(40))), draw.Src)
		case 1:
			for y := inside.Min.Y + 14; y < inside.Max.Y-3; y += 15 {
				write(image.Pt(inside.Min.X+5, y), color.Gray{uint8(rng.IntN(80))}, faces[noteFace], w)
			}
		case 2:
			for y := inside.Min.Y + 8; y+32 < inside.Max.Y; y += 44 {
				for x := inside.Min.X + 8; x+32 < inside.Max.X; x += 44 {
					icon := image.Rect(x, y, x+32, y+32)
					fill(icon, any())
					fill(icon.Inset(4+rng.IntN(8)), any())
					write(image.Pt(x+4, y+20), any(), faces[captionFace], 71)
				}
			}
		}
	}
	return img, nil
}

// detail returns the standard deviation of the pixels of an image.
func detail(img *image.Gray) float64 {
	var n, sum, sum2 float64
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			v := float64(img.GrayAt(x, y).Y)
			n, sum, sum2 = n+1, sum+v, sum2+v*v
		}
	}
	return math.Sqrt(max(0, sum2/n-sum*sum/(n*n)))
}

// cutFrom returns a random place of a template in a picture that has some detail there.
func cutFrom(rng *rand.Rand, img *image.Gray, size image.Point) image.Rectangle {
	var best image.Rectangle
	most := -1.0
	for range 200 {
		at := image.Pt(rng.IntN(img.Rect.Dx()-size.X+1), rng.IntN(img.Rect.Dy()-size.Y+1))
		r := image.Rectangle{at, at.Add(size)}
		if d := detail(img.SubImage(r).(*image.Gray)); d > most {
			best, most = r, d
		}
		if most > 20 {
			break
		}
	}
	return best
}

// copyOf returns the pixels of a part, as an image that begins at 0, 0.
func copyOf(img *image.Gray, r image.Rectangle) *image.Gray {
	part := image.NewGray(image.Rectangle{Max: r.Size()})
	draw.Draw(part, part.Rect, img, r.Min, draw.Src)
	return part
}

// dimmed returns an image with less contrast, and noise of up to 6.
func dimmed(rng *rand.Rand, img *image.Gray) *image.Gray {
	out := image.NewGray(img.Rect)
	for i, v := range img.Pix {
		out.Pix[i] = uint8(max(0, min(255, int(math.Round(.85*float64(v)))+14+rng.IntN(13)-6)))
	}
	return out
}

// throughJPEG returns an image as JPEG of quality 75 has it.
func throughJPEG(img *image.Gray) (*image.Gray, error) {
	var data bytes.Buffer
	if err := jpeg.Encode(&data, img, &jpeg.Options{Quality: 75}); err != nil {
		return nil, err
	}
	decoded, err := jpeg.Decode(&data)
	if err != nil {
		return nil, err
	}
	return fast.Gray(decoded), nil
}

// locatePictures returns a screen and a photo of a size.
func (s *session) locatePictures(size image.Point) (map[string]*image.Gray, error) {
	screen, err := s.screen(size)
	if err != nil {
		return nil, err
	}
	return map[string]*image.Gray{onScreen: fast.Gray(screen), onPhoto: s.frames(spec{size.X, size.Y, 1, 1})[0]}, nil
}

// locateCases returns the cases of a template's size: one that is cut out of each picture, one that is
// changed, a picture that is changed by JPEG and, for the sizes of absent, one of another picture.
func (s *session) locateCases(template image.Point, sizes []image.Point, absent image.Point) ([]locateCase, error) {
	var list []locateCase
	for _, size := range sizes {
		pictures, err := s.locatePictures(size)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{onScreen, onPhoto} {
			picture := pictures[name]
			rng := rand.New(rand.NewPCG(uint64(size.X), uint64(template.X+len(name))))
			jpeg, err := throughJPEG(picture)
			if err != nil {
				return nil, err
			}
			for _, c := range []locateCase{{change: isCopy, scene: picture}, {change: changed, scene: picture}, {change: isJPEG, scene: jpeg}} {
				c.size, c.picture = size, name
				c.template = copyOf(picture, cutFrom(rng, picture, template))
				if c.change == changed {
					c.template = dimmed(rng, c.template)
				}
				list = append(list, c)
			}
			if size == absent {
				other := s.photos[len(s.photos)-1]
				list = append(list, locateCase{size, name, isAbsent, picture, turned(copyOf(other, cutFrom(rng, other, template)))})
			}
		}
	}
	return list, nil
}

// turned returns an image turned by 180 degrees.
func turned(img *image.Gray) *image.Gray {
	out := image.NewGray(img.Rect)
	for i, v := range img.Pix {
		out.Pix[len(img.Pix)-1-i] = v
	}
	return out
}

// noisyImage returns an image of random pixels around a gray value.
func noisyImage(rng *rand.Rand, size image.Point, middle, reach int) *image.Gray {
	img := image.NewGray(image.Rectangle{Max: size})
	for i := range img.Pix {
		img.Pix[i] = uint8(middle - reach + rng.IntN(2*reach+1))
	}
	return img
}

// worstCases returns the cases in which bounds exclude few places, or none.
func (s *session) worstCases(template, size image.Point) []locateCase {
	rng := rand.New(rand.NewPCG(uint64(template.X), 1))
	noise := noisyImage(rng, size, 127, 127)
	flat := noisyImage(rng, size, 120, 2)
	brick := image.NewGray(noise.Rect)
	tile := copyOf(s.photos[2], image.Rect(0, 0, 48, 40).Add(s.photos[2].Rect.Min))
	for i := range brick.Pix {
		brick.Pix[i] = tile.GrayAt(i%size.X%48, i/size.X%40).Y
	}
	photo := s.frames(spec{size.X, size.Y, 1, 1})[0]
	at := cutFrom(rng, photo, template)
	middle := image.Rectangle{Max: template}.Add(size.Sub(template).Div(2))
	return []locateCase{
		{size, "noise", isCopy, noise, copyOf(noise, middle)},
		{size, "nearly flat", isCopy, flat, copyOf(flat, middle)},
		{size, "repeated brick", isCopy, brick, copyOf(brick, middle)},
		{size, "photo", "random template", photo, noisyImage(rng, template, 127, 127)},
		{size, "photo", "turned template", photo, turned(copyOf(photo, at))},
	}
}
