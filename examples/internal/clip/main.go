// Command clip makes examples/testdata/clip.gif, the video of the examples: a camera that shakes
// moves over a photo, in front of which parts of two other photos move. Run it in the repository's
// root.
package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"log"
	"math"
	"math/rand/v2"
	"os"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/warp"
)

const (
	frames        = 36
	width, height = 256, 192
	levels        = 64 // of gray, so that the file is small
)

func main() {
	background, astronaut, cat := photo("aitzgorri_752x480"), photo("astronaut_512x512"), photo("chelsea_451x300")
	warper, err := warp.New(warp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	palette := make(color.Palette, levels)
	for i := range palette {
		palette[i] = color.Gray{uint8(i * 255 / (levels - 1))}
	}
	random := rand.New(rand.NewPCG(1, 2))
	clip := new(gif.GIF)
	for i := range frames {
		scene := image.NewGray(background.Rect)
		copy(scene.Pix, background.Pix)
		draw.Draw(scene, image.Rect(215+3*i, 150+i/2, 289+3*i, 228+i/2), astronaut, image.Pt(186, 72), draw.Src)
		draw.Draw(scene, image.Rect(360-i/2, 264-i/2, 430-i/2, 322-i/2), cat, image.Pt(130, 88), draw.Src)

		// The camera pans to the right and shakes: by some pixels, and half a degree.
		sin, cos := math.Sincos(random.NormFloat64() * 0.008)
		x, y := 200+2*float64(i)+random.NormFloat64()*3, 140+random.NormFloat64()*3
		frame := image.NewGray(image.Rect(0, 0, width, height))
		warper.Gray(frame, scene, warp.Affine{
			cos, -sin, x + width/2 - cos*width/2 + sin*height/2,
			sin, cos, y + height/2 - sin*width/2 - cos*height/2,
		})

		picture := image.NewPaletted(frame.Rect, palette)
		for k, v := range frame.Pix {
			picture.Pix[k] = uint8((int(v)*(levels-1) + 127) / 255)
		}
		clip.Image = append(clip.Image, picture)
		clip.Delay = append(clip.Delay, 4) // hundredths of a second
	}
	f, err := os.Create("examples/testdata/clip.gif")
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(gif.EncodeAll(f, clip), f.Close()); err != nil {
		log.Fatal(err)
	}
	fmt.Println("examples/testdata/clip.gif has", frames, "frames")
}

// photo returns a photo of testdata.
func photo(name string) *image.Gray {
	f, err := os.Open("testdata/photos/" + name + ".png")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		log.Fatal(err)
	}
	return fast.Gray(img)
}
