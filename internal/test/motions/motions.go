// Package motions has the motions of the golden files of package flow: those that second images
// are made by, of photos.
package motions

import (
	"image"
	"slices"

	"github.com/fastcorners/fast/geometry"
)

// A Motion makes the second image for optical flow of a photo, by integers. It maps pixels
// to places in the photo, in units of 1/65536 around the centers, then multiplies gray
// values by gain/256, adds offset, and adds noise of up to the given size.
type Motion struct {
	Name, About         string
	a, b, c, d, e, f    int
	gain, offset, noise int
}

// All are the motions.
var All = []Motion{
	{"still", "none", 65536, 0, 0, 0, 65536, 0, 256, 0, 0},
	{"t1", "0.7 pixels", 65536, 0, -24576, 0, 65536, 40960, 256, 0, 0},
	{"t5", "6.1 pixels", 65536, 0, -344064, 0, 65536, -204800, 256, 0, 0},
	{"t17", "20.8 pixels", 65536, 0, 1133773, 0, 65536, -760218, 256, 0, 0},
	{"rot2", "rotation by 2°", 65496, 2287, -93098, -2287, 65496, 150797, 256, 0, 0},
	{"rotzoom", "rotation by 3°, scale 0.95, noise", 68891, -3610, -283203, 3610, 68891, -132278, 256, 0, 4},
	{"light", "rotation by 1°, gain 0.85, offset 9, noise", 65526, 1144, -171969, -1144, 65526, -88763, 218, 9, 3},
	{"far", "47 pixels, rotation by 1.5°, scale 1.01, noise", 64865, 1699, -2652402, -1699, 64865, 1578598, 256, 0, 3},
}

// Named returns the motion of a name.
func Named(name string) *Motion {
	return &All[slices.IndexFunc(All, func(m Motion) bool { return m.Name == name })]
}

// Of returns the second image.
func (m *Motion) Of(photo *image.Gray) *image.Gray {
	w, h := photo.Rect.Dx(), photo.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, w, h))
	seed := uint32(1)
	at := func(x, y int) int { return int(photo.Pix[min(max(y, 0), h-1)*photo.Stride+min(max(x, 0), w-1)]) }
	for y := range h {
		for x := range w {
			dx, dy := x-w/2, y-h/2
			u, v := m.a*dx+m.b*dy+m.c+w/2<<16, m.d*dx+m.e*dy+m.f+h/2<<16
			fx, fy := u>>8&255, v>>8&255
			u, v = u>>16, v>>16
			value := ((256-fy)*((256-fx)*at(u, v)+fx*at(u+1, v)) + fy*((256-fx)*at(u, v+1)+fx*at(u+1, v+1)) + 32768) >> 16
			value = (value*m.gain+128)>>8 + m.offset
			if m.noise > 0 {
				seed = seed*1664525 + 1013904223
				value += int(seed>>16)%(2*m.noise+1) - m.noise
			}
			out.Pix[y*w+x] = byte(min(max(value, 0), 255))
		}
	}
	return out
}

// Where returns where the points of a photo of this size are in the second image.
func (m *Motion) Where(size image.Point) geometry.Transform {
	const one = 65536
	toPhoto := geometry.Transform{
		float64(m.a) / one, float64(m.b) / one, float64(m.c) / one,
		float64(m.d) / one, float64(m.e) / one, float64(m.f) / one,
		0, 0, 1,
	}
	fromPhoto, _ := toPhoto.Inverse()
	x, y := float64(size.X/2), float64(size.Y/2)
	return translation(x, y).Mul(fromPhoto).Mul(translation(-x, -y))
}

func translation(x, y float64) geometry.Transform {
	return geometry.Transform{1, 0, x, 0, 1, y, 0, 0, 1}
}
