package peers

import (
	"image"

	"github.com/fastcorners/fast/warp"
	"golang.org/x/image/draw"
)

// Resize fills dst with src by OpenCV. Both have the same number of channels, and how is not 0.
func (p *Peers) Resize(how warp.Interpolation, dst, src Pixels) {
	found("a resize", p.calls.resize(how, 8, dst, src))
}

// Resize16 is Resize for pixels of 16 bits. OpenCV has their lower bytes first, so it copies them.
func (p *Peers) Resize16(how warp.Interpolation, dst, src *image.Gray16) {
	swapped := func(img *image.Gray16) Pixels {
		w, h := img.Rect.Dx(), img.Rect.Dy()
		c := Pixels{make([]byte, 2*w*h), 2 * w, img.Rect, 1}
		for y := range h {
			for x := range w {
				from, to := img.Pix[y*img.Stride+2*x:], c.Pix[y*c.Stride+2*x:]
				to[0], to[1] = from[1], from[0]
			}
		}
		return c
	}
	to := swapped(dst)
	found("a resize", p.calls.resize(how, 16, to, swapped(src)))
	back := swapped(&image.Gray16{Pix: to.Pix, Stride: to.Stride, Rect: to.Rect})
	for y := range dst.Rect.Dy() {
		copy(dst.Pix[y*dst.Stride:], back.Pix[y*back.Stride:][:back.Stride])
	}
}

// A ResizeCase is what resizing is compared with.
type ResizeCase struct {
	Name, About string
	How         warp.Interpolation
	From, To    image.Point
	// Draw is the scaler of package golang.org/x/image/draw that comes closest.
	DrawName string
	Draw     draw.Scaler
}

// ResizeCases are the changes of size that are compared.
func ResizeCases() []ResizeCase {
	small, middle, large := image.Pt(640, 360), image.Pt(1000, 563), image.Pt(1920, 1080)
	of := func(how warp.Interpolation, from, to image.Point) ResizeCase {
		c := ResizeCase{How: how, From: from, To: to}
		c.Name = how.String() + " " + sizeName(from) + " to " + sizeName(to)
		switch how {
		case warp.Area:
			c.About, c.DrawName, c.Draw = "Area", "BiLinear", draw.BiLinear
		case warp.Linear:
			c.About, c.DrawName, c.Draw = "Linear", "ApproxBiLinear", draw.ApproxBiLinear
		case warp.Nearest:
			c.About, c.DrawName, c.Draw = "Nearest", "NearestNeighbor", draw.NearestNeighbor
		}
		c.About += ", " + sizeName(from) + " to " + sizeName(to)
		return c
	}
	return []ResizeCase{
		of(warp.Area, large, middle),
		of(warp.Area, large, image.Pt(960, 540)),
		of(warp.Area, large, small),
		of(warp.Area, large, image.Pt(480, 270)),
		of(warp.Area, large, image.Pt(384, 216)),
		of(warp.Area, large, image.Pt(224, 224)),
		of(warp.Linear, small, large),
		of(warp.Linear, middle, large),
		of(warp.Linear, large, middle),
		of(warp.Linear, large, image.Pt(224, 224)),
		of(warp.Nearest, large, middle),
		of(warp.Nearest, large, image.Pt(500, 281)),
		of(warp.Nearest, small, large),
	}
}

func sizeName(p image.Point) string { return Size{W: p.X, H: p.Y}.String() }

// Tests returns the tests of a case, gray and in color.
func (c *ResizeCase) Tests(p *Peers) []Test[*WarpInput] {
	r := image.Rectangle{Max: c.To}
	gray, color := image.NewGray(r), image.NewRGBA(r)
	made := Must(warp.NewResizer(warp.ResizerOptions{Interpolation: c.How}))
	grays := contenders(WarpPackages, func() func(*WarpInput) {
		return func(in *WarpInput) { made.Gray(gray, in.Gray) }
	})
	colors := contenders(WarpPackages, func() func(*WarpInput) {
		return func(in *WarpInput) { made.RGBA(color, in.Color) }
	})
	drawn := "x/image/draw, " + c.DrawName
	grays = append(
		grays,
		contender[*WarpInput]{"opencv", true, func(in *WarpInput) { p.Resize(c.How, GrayPixels(gray), GrayPixels(in.Gray)) }},
		contender[*WarpInput]{drawn, true, func(in *WarpInput) { c.Draw.Scale(gray, r, in.Gray, in.Gray.Rect, draw.Src, nil) }},
	)
	colors = append(
		colors,
		contender[*WarpInput]{"opencv", true, func(in *WarpInput) { p.Resize(c.How, ColorPixels(color), ColorPixels(in.Color)) }},
		contender[*WarpInput]{drawn, true, func(in *WarpInput) { c.Draw.Scale(color, r, in.Color, in.Color.Rect, draw.Src, nil) }},
	)
	return []Test[*WarpInput]{{"gray", grays}, {"four channels", colors}}
}
