package warp

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// YCbCr is like [Warper.Gray] for the three planes of a video frame, whose chroma has its own
// resolution: both images must have the same SubsampleRatio. The transform applies to luma pixels.
// A chroma sample moves like the middle of its luma pixels or, with a map, by the mean of their
// motions.
func (w *Warper) YCbCr(dst, src *image.YCbCr, t Transform) {
	w.check()
	to, from := planesOf(dst, src)
	for _, f := range from {
		checkSource(f.rect)
	}
	if dst.Rect.Empty() {
		return
	}
	rx, ry := ratio(dst.SubsampleRatio)
	j := w.jobs.Get().(*job)
	j.set(t, dst.Rect)
	for i := range to {
		if i == 1 && rx*ry > 1 {
			j.subsample(dst.Rect, to[i].rect, rx, ry)
		}
		j.run(to[i], from[i], 1, [4]uint8{w.opts.Value[i]})
	}
	j.release(w)
}

// ratios holds how many luma pixels a chroma sample has in both directions.
var ratios = [...]image.Point{
	image.YCbCrSubsampleRatio444: {1, 1},
	image.YCbCrSubsampleRatio422: {2, 1},
	image.YCbCrSubsampleRatio420: {2, 2},
	image.YCbCrSubsampleRatio440: {1, 2},
	image.YCbCrSubsampleRatio411: {4, 1},
	image.YCbCrSubsampleRatio410: {4, 2},
}

// ratio returns the numbers of a SubsampleRatio.
func ratio(r image.YCbCrSubsampleRatio) (x, y int) {
	if r < 0 || int(r) >= len(ratios) {
		panic(fmt.Sprintf("warp: unknown %v", r))
	}
	return ratios[r].X, ratios[r].Y
}

// planesOf returns the planes of a destination and its source. It panics unless both have the same
// SubsampleRatio and share no pixels.
func planesOf(dst, src *image.YCbCr) (to, from [3]plane) {
	if dst == nil || src == nil {
		panic("warp: nil image")
	}
	if dst.SubsampleRatio != src.SubsampleRatio {
		panic(fmt.Sprintf("warp: destination of %v, source of %v", dst.SubsampleRatio, src.SubsampleRatio))
	}
	rx, ry := ratio(dst.SubsampleRatio)
	to, from = planes(dst, rx, ry), planes(src, rx, ry)
	for _, t := range to {
		for _, f := range from {
			checkPlanes(t, f, 1)
		}
	}
	return to, from
}

// planes returns the planes of an image.
func planes(img *image.YCbCr, rx, ry int) [3]plane {
	r := img.Rect
	if r.Empty() {
		return [3]plane{{rect: r}, {rect: r}, {rect: r}}
	}
	raster.CheckBounds("warp", "image", r)
	chroma := image.Rect(r.Min.X/rx, r.Min.Y/ry, (r.Max.X+rx-1)/rx, (r.Max.Y+ry-1)/ry)
	return [3]plane{{img.Y, img.YStride, r}, {img.Cb, img.CStride, chroma}, {img.Cr, img.CStride, chroma}}
}

// subsample replaces the transform of the luma pixels of a destination by that of its chroma
// samples, of which each has rx by ry luma pixels. Sample c is at the luma place rx*c +
// (rx-1)/2.
func (j *job) subsample(luma, chroma image.Rectangle, rx, ry int) {
	sx, sy := float64(rx), float64(ry)
	ox, oy := (sx-1)/2, (sy-1)/2
	switch m, h := &j.affine, &j.matrix; j.kind {
	case affine:
		m[2] = (float64(m[0]*ox) + float64(m[1]*oy) + (m[2] - ox)) / sx
		m[5] = (float64(m[3]*ox) + float64(m[4]*oy) + (m[5] - oy)) / sy
		m[1] *= sy / sx
		m[3] *= sx / sy
	case homography:
		for i := 0; i < 9; i += 3 {
			h[i+2] = float64(h[i]*ox) + float64(h[i+1]*oy) + h[i+2]
			h[i] *= sx
			h[i+1] *= sy
		}
		for i := range 3 {
			h[i] = (h[i] - float64(ox*h[6+i])) / sx
			h[3+i] = (h[3+i] - float64(oy*h[6+i])) / sy
		}
	case floats:
		m := &j.chromaPlaces
		m.Width, m.Height = chroma.Dx(), chroma.Dy()
		m.X, m.Y = raster.Resize(m.X, m.Width*m.Height), raster.Resize(m.Y, m.Width*m.Height)
		move(luma, chroma, rx, ry, 1, func(i int) (x, y float64) {
			return float64(j.places.X[i]), float64(j.places.Y[i])
		}, func(i int, x, y float64) { m.X[i], m.Y[i] = float32(x), float32(y) })
		j.places = *m
	case fixed:
		m := &j.chromaFixed
		m.Width, m.Height = chroma.Dx(), chroma.Dy()
		m.XY, m.Fraction = raster.Resize(m.XY, 2*m.Width*m.Height), raster.Resize(m.Fraction, m.Width*m.Height)
		move(luma, chroma, rx, ry, 32, func(i int) (x, y float64) {
			px, py := j.fixed.at(i)
			return float64(px), float64(py)
		}, func(i int, x, y float64) { m.put(i, round(x), round(y)) })
		j.fixed = *m
	}
}

// move calls put with the number of each chroma sample and with its place, which has moved by the
// mean motion of its luma pixels. Place returns where a luma pixel, given by its number, comes
// from. Places are in pixels times unit.
func move(luma, chroma image.Rectangle, rx, ry int, unit float64, place func(i int) (x, y float64), put func(i int, x, y float64)) {
	i := 0
	for row := chroma.Min.Y; row < chroma.Max.Y; row++ {
		y0, y1 := max(row*ry, luma.Min.Y), min((row+1)*ry, luma.Max.Y)
		for column := chroma.Min.X; column < chroma.Max.X; column++ {
			x0, x1 := max(column*rx, luma.Min.X), min((column+1)*rx, luma.Max.X)
			var x, y float64
			for py := y0; py < y1; py++ {
				for px := x0; px < x1; px++ {
					fromX, fromY := place((py-luma.Min.Y)*luma.Dx() + px - luma.Min.X)
					x += fromX - float64(unit*float64(px-column*rx))
					y += fromY - float64(unit*float64(py-row*ry))
				}
			}
			n := float64((x1 - x0) * (y1 - y0))
			put(i, x/(n*float64(rx)), y/(n*float64(ry)))
			i++
		}
	}
}
