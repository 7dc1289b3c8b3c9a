package calibrate

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"github.com/fastcorners/fast/geometry"
)

// bandLimits are the uncertainties in pixels at which bands end, and bandColors their colors. In a gray
// image, less certain bands are darker.
var (
	bandLimits = [...]float64{0.1, 0.3, 1, 3, math.Inf(1)}
	bandColors = [...]*image.Uniform{
		image.NewUniform(color.RGBA{0xd8, 0xf5, 0xd0, 0xff}),
		image.NewUniform(color.RGBA{0xb8, 0xec, 0xa0, 0xff}),
		image.NewUniform(color.RGBA{0xf0, 0xd0, 0x60, 0xff}),
		image.NewUniform(color.RGBA{0xf0, 0x80, 0x40, 0xff}),
		image.NewUniform(color.RGBA{0xc0, 0x20, 0x20, 0xff}),
		image.NewUniform(color.RGBA{0x40, 0x40, 0x40, 0xff}), // where the camera sees nothing
	}
	dotColor = image.NewUniform(color.Black)
)

// bandOf returns the index of the band of an uncertainty, which may be NaN.
func bandOf(uncertainty float64) int {
	for i, limit := range bandLimits {
		if uncertainty <= limit {
			return i
		}
	}
	return len(bandLimits)
}

// meshSize is the distance in pixels of the points between which the uncertainty is interpolated.
const meshSize = 8

// Draw draws where the views saw corners, as black dots, on bands of the uncertainty (see
// [Calibration.Uncertainty]): light green up to 0.1 pixel, green up to 0.3, yellow up to 1, orange up to 3,
// red beyond that, and gray where the camera sees nothing. The first pixel of dst is that of the images, of
// which dst shows as much as it has room for. Draw panics if dst is nil.
func (c *Calibration) Draw(dst draw.Image) {
	c.check()
	if dst == nil {
		panic("calibrate: nil destination")
	}
	r := image.Rectangle{Max: c.Size}.Intersect(dst.Bounds().Sub(dst.Bounds().Min))
	c.drawBands(dst, r)
	radius := 1.5 * float64(1+max(c.Size.X, c.Size.Y)/1500)
	for _, view := range c.found.seen {
		for _, p := range view {
			drawDot(dst, r, p, radius)
		}
	}
}

// drawBands draws the bands in r, which begins at 0, 0.
func (c *Calibration) drawBands(dst draw.Image, r image.Rectangle) {
	width := r.Dx()/meshSize + 2
	mesh := func(row int) []float64 {
		values := make([]float64, width)
		for i := range values {
			values[i] = c.Uncertainty(geometry.Point{X: float64(i * meshSize), Y: float64(row * meshSize)})
		}
		return values
	}
	above, below := mesh(0), mesh(1)
	for y := range r.Max.Y {
		if y > 0 && y%meshSize == 0 {
			above, below = below, mesh(y/meshSize+1)
		}
		down := float64(y%meshSize) / meshSize
		band := func(x int) int {
			i, right := x/meshSize, float64(x%meshSize)/meshSize
			up := above[i] + float64(right*(above[i+1]-above[i]))
			low := below[i] + float64(right*(below[i+1]-below[i]))
			return bandOf(up + float64(down*(low-up)))
		}
		for x := 0; x < r.Max.X; {
			from, of := x, band(x)
			for x < r.Max.X && band(x) == of {
				x++
			}
			fill(dst, image.Rect(from, y, x, y+1), bandColors[of])
		}
	}
}

// drawDot draws the pixels in r whose distance from p is at most radius.
func drawDot(dst draw.Image, r image.Rectangle, p geometry.Point, radius float64) {
	if !p.Pt().In(r) {
		return
	}
	reach := int(radius) + 1
	for y := p.Pt().Y - reach; y <= p.Pt().Y+reach; y++ {
		dy := float64(y) - p.Y
		half := math.Sqrt(float64(radius*radius) - float64(dy*dy)) // NaN in rows beyond
		if half >= 0 {
			from, to := int(math.Ceil(p.X-half)), int(math.Floor(p.X+half))
			fill(dst, image.Rect(from, y, to+1, y+1).Intersect(r), dotColor)
		}
	}
}

// fill fills a part of the image of a camera.
func fill(dst draw.Image, r image.Rectangle, c *image.Uniform) {
	draw.Draw(dst, r.Add(dst.Bounds().Min), c, image.Point{}, draw.Src)
}
