package peers

import (
	"image"

	"github.com/fastcorners/fast/locate"
)

// LocatePackages are the packages with kernels that package locate uses.
var LocatePackages = []string{"locate", "fft"}

// RGBPixels returns the pixels of an image in color, without alpha.
func RGBPixels(img *image.RGBA) Pixels {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	p := Pixels{make([]byte, 0, 3*w*h), 3 * w, image.Rect(0, 0, w, h), 3}
	for y := range h {
		for x := range w {
			p.Pix = append(p.Pix, img.Pix[y*img.Stride+4*x:][:3]...)
		}
	}
	return p
}

// Search makes the responses of all places of a template by OpenCV's matchTemplate:
// TM_CCOEFF_NORMED, TM_CCORR_NORMED, or TM_SQDIFF for a Difference. It returns the place and the
// response that its minMaxLoc finds. The mask may be nil.
func (p *Peers) Search(s locate.Similarity, scene, template Pixels, mask *image.Gray) (at image.Point, best float64) {
	var place [3]float64
	found("matchTemplate", p.calls.search(s, scene, template, mask, &place))
	return image.Pt(int(place[0]), int(place[1])), place[2]
}

// SearchResponse returns the responses of all places, row by row.
func (p *Peers) SearchResponse(s locate.Similarity, scene, template Pixels, mask *image.Gray) []float32 {
	return p.calls.places(found("matchTemplate", p.calls.search(s, scene, template, mask, nil)))
}
