// Package homography makes views of a photo, as if it lay in a plane that a camera
// sees from elsewhere, and tells where its points are in them.
package homography

import (
	"image"
	"math"
)

// A Homography maps the points of a plane to another: x and y to X/W and Y/W, where X,
// Y and W are its rows times x, y and 1.
type Homography [3][3]float64

// Translation moves points.
func Translation(x, y float64) Homography {
	return Homography{{1, 0, x}, {0, 1, y}, {0, 0, 1}}
}

// Scaling moves points away from the origin.
func Scaling(factor float64) Homography {
	return Homography{{factor, 0, 0}, {0, factor, 0}, {0, 0, 1}}
}

// Rotation turns points around the origin, from the x axis towards the y axis.
func Rotation(degrees float64) Homography {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return Homography{{cos, -sin, 0}, {sin, cos, 0}, {0, 0, 1}}
}

// Tilt turns the plane around its y axis, for a camera at distance 1 that looks at the
// origin.
func Tilt(degrees float64) Homography {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return Homography{{cos, 0, 0}, {0, 1, 0}, {sin, 0, 1}}
}

// After returns the homography that does g first and then h.
func (h Homography) After(g Homography) Homography {
	var out Homography
	for i := range out {
		for j := range out[i] {
			for k := range g {
				out[i][j] += h[i][k] * g[k][j]
			}
		}
	}
	return out
}

// Inverse returns the homography that undoes h.
func (h Homography) Inverse() Homography {
	var out Homography
	for i := range out {
		for j := range out[i] {
			// The cofactor of row j and column i. A common factor does not matter.
			a, b := (j+1)%3, (j+2)%3
			c, d := (i+1)%3, (i+2)%3
			out[i][j] = h[a][c]*h[b][d] - h[a][d]*h[b][c]
		}
	}
	return out
}

// Apply returns where h maps x, y to.
func (h Homography) Apply(x, y float64) (float64, float64) {
	w := h[2][0]*x + h[2][1]*y + h[2][2]
	return (h[0][0]*x + h[0][1]*y + h[0][2]) / w, (h[1][0]*x + h[1][1]*y + h[1][2]) / w
}

// Scale returns by which factor h enlarges what is around x, y: the square root of that
// of the area.
func (h Homography) Scale(x, y float64) float64 {
	det := 0.0
	for i := range h {
		j, k := (i+1)%3, (i+2)%3
		det += h[0][i] * (h[1][j]*h[2][k] - h[1][k]*h[2][j])
	}
	w := h[2][0]*x + h[2][1]*y + h[2][2]
	return math.Sqrt(math.Abs(det / (w * w * w)))
}

// View returns an image of the given size that shows img after h, with bilinear
// interpolation. Beyond its edges img goes on as in a mirror. Both images begin at 0, 0,
// and pixels are where their coordinates are whole numbers.
func (h Homography) View(img *image.Gray, size image.Point) *image.Gray {
	view := image.NewGray(image.Rectangle{Max: size})
	inverse := h.Inverse()
	for y := range size.Y {
		for x := range size.X {
			fromX, fromY := inverse.Apply(float64(x), float64(y))
			left, top := math.Floor(fromX), math.Floor(fromY)
			dx, dy := fromX-left, fromY-top
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
