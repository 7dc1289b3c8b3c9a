// Package views makes views of a photo, as if it lay in a plane that a camera
// sees from elsewhere, and tells where its points are in them.
package views

import (
	"image"
	"math"

	"github.com/fastcorners/fast/geometry"
)

// Translation moves points.
func Translation(x, y float64) geometry.Transform {
	return geometry.Transform{1, 0, x, 0, 1, y, 0, 0, 1}
}

// Scaling moves points away from the origin.
func Scaling(factor float64) geometry.Transform {
	return geometry.Transform{factor, 0, 0, 0, factor, 0, 0, 0, 1}
}

// Rotation turns points around the origin, from the x axis toward the y axis.
func Rotation(degrees float64) geometry.Transform {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return geometry.Transform{cos, -sin, 0, sin, cos, 0, 0, 0, 1}
}

// Tilt turns the plane around its y axis, for a camera at distance 1 that looks at the
// origin.
func Tilt(degrees float64) geometry.Transform {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return geometry.Transform{cos, 0, 0, 0, 1, 0, sin, 0, 1}
}

// Scale returns by which factor h enlarges what is around p: the square root of that of
// the area.
func Scale(h geometry.Transform, p geometry.Point) float64 {
	det := 0.0
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		det += h[i] * (h[3+j]*h[6+k] - h[3+k]*h[6+j])
	}
	w := h[6]*p.X + h[7]*p.Y + h[8]
	return math.Sqrt(math.Abs(det / (w * w * w)))
}

// Of returns an image of the given size that shows img after h, which has an inverse, with
// bilinear interpolation. Beyond its edges img goes on as in a mirror. Both images begin at 0, 0,
// and pixels are where their coordinates are whole numbers.
func Of(img *image.Gray, h geometry.Transform, size image.Point) *image.Gray {
	view := image.NewGray(image.Rectangle{Max: size})
	inverse, _ := h.Inverse()
	for y := range size.Y {
		for x := range size.X {
			from := inverse.Apply(geometry.Point{X: float64(x), Y: float64(y)})
			left, top := math.Floor(from.X), math.Floor(from.Y)
			dx, dy := from.X-left, from.Y-top
			x0, x1 := mirror(int(left), img.Rect.Dx()), mirror(int(left)+1, img.Rect.Dx())
			row0 := img.Pix[mirror(int(top), img.Rect.Dy())*img.Stride:]
			row1 := img.Pix[mirror(int(top)+1, img.Rect.Dy())*img.Stride:]
			upper := (1-dx)*float64(row0[x0]) + dx*float64(row0[x1])
			lower := (1-dx)*float64(row1[x0]) + dx*float64(row1[x1])
			view.Pix[y*view.Stride+x] = uint8(math.Round((1-dy)*upper + dy*lower))
		}
	}
	return view
}

// mirror returns the coordinate in the range 0 to n-1, n being at least 2, that x is a
// reflection of.
func mirror(x, n int) int {
	period := 2 * (n - 1)
	x = (x%period + period) % period
	return min(x, period-x)
}
