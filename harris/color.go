package harris

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// DetectColor returns the corners of an image in color: those that Detect finds in its luma,
//
//	0.299*R + 0.587*G + 0.114*B
//
// R, G and B range from 0 to 255: they are the results of a color's RGBA method divided by 257, so
// transparent pixels are blended with black. The three quotients, the three products and the two
// sums, from left to right, are each rounded to float32. With the Gradient Gaussian, this is the
// luma; the other gradients need integers, so it is rounded to the nearest one. An *image.Gray is
// its own luma.
//
// DetectColor panics if img is nil, if img or mask is malformed, or if their bounds differ.
func (d *Detector) DetectColor(img image.Image, mask *image.Gray) []Corner {
	return d.AppendColor(nil, img, mask)
}

// AppendColor is like DetectColor, but appends the corners to dst. An *image.RGBA is the fastest
// type to convert.
func (d *Detector) AppendColor(dst []Corner, img image.Image, mask *image.Gray) []Corner {
	if gray, ok := img.(*image.Gray); ok {
		return d.Append(dst, gray, mask)
	}
	j := d.job()
	if img == nil {
		panic("harris: nil image")
	}
	bounds := img.Bounds()
	raster.CheckBounds("harris", "image", bounds)
	if rgba, ok := img.(*image.RGBA); ok {
		raster.Check("harris", "image", bounds, rgba.Pix, rgba.Stride, 4)
	}
	j.mask = raster.NewMask("harris", mask, bounds)
	j.setColor(img, bounds)
	dst = j.appendCorners(dst, bounds.Min)
	j.release()
	return dst
}

// setColor sets the plane to the luma of img, which has the given bounds.
func (j *job) setColor(img image.Image, bounds image.Rectangle) {
	if bounds.Empty() {
		return
	}
	w, h := bounds.Dx(), bounds.Dy()
	checkSize(w, h)
	j.plane.W, j.plane.H = w, h
	j.luma = raster.Resize(j.luma, w*h)
	for y := range h {
		row := j.luma[y*w:][:w]
		switch img := img.(type) {
		case *image.RGBA:
			pix := img.Pix[y*img.Stride:][:4*w]
			for x := range row {
				p := (*[4]uint8)(pix[4*x:])
				row[x] = luma(float32(p[0]), float32(p[1]), float32(p[2]))
			}
		case image.RGBA64Image:
			for x := range row {
				c := img.RGBA64At(bounds.Min.X+x, bounds.Min.Y+y)
				row[x] = luma16(uint32(c.R), uint32(c.G), uint32(c.B))
			}
		default:
			for x := range row {
				r, g, b, _ := img.At(bounds.Min.X+x, bounds.Min.Y+y).RGBA()
				row[x] = luma16(r, g, b)
			}
		}
	}
	if j.detector.opts.Gradient == Gaussian {
		j.plane.luma = j.luma
		return
	}
	j.gray = raster.Resize(j.gray, w*h)
	for i, v := range j.luma {
		j.gray[i] = uint8(float64(v) + 0.5)
	}
	j.plane.Pix, j.plane.Stride = j.gray, w
}

// luma16 returns the luma of components with 16 bits.
func luma16(r, g, b uint32) float32 {
	return luma(float32(r)/257, float32(g)/257, float32(b)/257)
}

// luma returns the luma of components from 0 to 255.
func luma(r, g, b float32) float32 {
	return float32(0.299*r) + float32(0.587*g) + float32(0.114*b)
}
