package fast

import (
	"image"
	"image/draw"
)

// Gray returns img as gray pixels. It shares them with img when that is an
// *image.Gray, or has a luma plane: *image.YCbCr, such as a decoded JPEG, and
// *image.NYCbCrA. All other images are converted, with the weights of
// [color.GrayModel], to what [draw.Draw] would make of them.
//
// For the two shared types this differs from draw.Draw, which converts them to
// RGB and from there to gray: where that conversion clips a channel, and by its
// rounding elsewhere, gray values differ by a few units. Alpha, too, is ignored
// in an *image.NYCbCrA, while draw.Draw blends with black.
func Gray(img image.Image) *image.Gray {
	switch img := img.(type) {
	case *image.Gray:
		return img
	case *image.YCbCr:
		return lumaPlane(img)
	case *image.NYCbCrA:
		return lumaPlane(&img.YCbCr)
	}
	r := img.Bounds()
	gray := image.NewGray(r)
	draw.Draw(gray, r, img, r.Min, draw.Src)
	return gray
}

func lumaPlane(img *image.YCbCr) *image.Gray {
	return &image.Gray{Pix: img.Y, Stride: img.YStride, Rect: img.Rect}
}
