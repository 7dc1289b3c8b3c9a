package calibrate

import (
	"image"
	"math"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/warp"
)

// A level is the image in one of the sizes in which it is searched.
type level struct {
	raster.Plane
	scale   float64 // pixels of the image in a pixel, a power of 2
	inverse float64 // 1/scale
}

// at returns the brightness of a place, in pixels of the level, by those around it. Beyond the
// level it is that of its edge. The level has at least two columns and rows.
func (l *level) at(x, y float64) float64 {
	x, y = clamp(x, 0, float64(l.W-1)), clamp(y, 0, float64(l.H-1))
	ix, iy := min(int(x), l.W-2), min(int(y), l.H-2)
	fx, fy := x-float64(ix), y-float64(iy)
	upper := l.Pix[iy*l.Stride+ix:][:2]
	lower := l.Pix[(iy+1)*l.Stride+ix:][:2]
	a, b := float64(upper[0]), float64(upper[1])
	c, d := float64(lower[0]), float64(lower[1])
	top, bottom := a+float64(fx*(b-a)), c+float64(fx*(d-c))
	return top + float64(fy*(bottom-top))
}

// from returns a coordinate in pixels of the level, and to the one in pixels of the image.
func (l *level) from(x float64) float64 { return float64((x+0.5)*l.inverse) - 0.5 }
func (l *level) to(x float64) float64   { return float64((x+0.5)*l.scale) - 0.5 }

// clamp returns x, but low or high if it is beyond them. Unlike min and max, it does not look for
// NaN.
func clamp(x, low, high float64) float64 {
	if x < low {
		return low
	}
	if x > high {
		return high
	}
	return x
}

// seen returns the brightness of a place, in pixels of the image.
func (l *level) seen(x, y float64) float64 {
	return l.at(l.from(x), l.from(y))
}

// A vector is a place, or a difference of two, in pixels. Its products are rounded, so that no
// processor fuses them with sums.
type vector struct{ x, y float64 }

func (a vector) plus(b vector) vector  { return vector{a.x + b.x, a.y + b.y} }
func (a vector) minus(b vector) vector { return vector{a.x - b.x, a.y - b.y} }
func (a vector) times(factor float64) vector {
	return vector{float64(a.x * factor), float64(a.y * factor)}
}
func (a vector) dot(b vector) float64   { return float64(a.x*b.x) + float64(a.y*b.y) }
func (a vector) cross(b vector) float64 { return float64(a.x*b.y) - float64(a.y*b.x) }
func (a vector) length() float64        { return math.Sqrt(a.dot(a)) }

// unit returns a with length 1.
func (a vector) unit() vector {
	l := a.length()
	return vector{a.x / l, a.y / l}
}

// halve makes l half of the given level: the means of 2 by 2 pixels, rounded half up. An odd last
// column or row is left out.
func (l *level) halve(resizer *warp.Resizer, of *level) {
	l.scale, l.inverse = 2*of.scale, of.inverse/2
	l.W, l.H = of.W/2, of.H/2
	l.Stride = l.W
	l.Pix = raster.Resize(l.Pix, l.W*l.H)
	from := image.Gray{Pix: of.Pix, Stride: of.Stride, Rect: image.Rect(0, 0, 2*l.W, 2*l.H)}
	to := image.Gray{Pix: l.Pix, Stride: l.Stride, Rect: image.Rect(0, 0, l.W, l.H)}
	resizer.Gray(&to, &from)
}
