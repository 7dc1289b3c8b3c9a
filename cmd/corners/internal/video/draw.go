package video

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"

	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/y4m"
)

// DrawBytes is the number of bytes for each pixel that Draw takes.
const DrawBytes = 2 * 4

// Draw draws on a frame what paint draws on a copy of it in color. Samples without a pixel that has
// changed stay as they are.
func Draw(f *y4m.Frame, paint func(dst draw.Image)) {
	picture := overlay.Canvas(f.Image())
	d := drawing{picture, bytes.Clone(picture.Pix)}
	paint(picture)
	for i, p := range planesOf(f) {
		for y := range p.size.Y {
			row := image.Rect(0, y*p.rows, picture.Rect.Max.X, (y+1)*p.rows).Intersect(picture.Rect)
			if !d.changes(row) {
				continue
			}
			for x := range p.size.X {
				part := image.Rect(x*p.columns, row.Min.Y, (x+1)*p.columns, row.Max.Y).Intersect(row)
				if d.changes(part) {
					luma, cb, cr := color.RGBToYCbCr(d.mean(part))
					p.set(x, y, [...]uint8{luma, cb, cr}[i])
				}
			}
		}
	}
}

// A drawing is a picture that has been drawn on.
type drawing struct {
	*image.RGBA
	before []byte // the pixels
}

// changes reports whether any pixel of a part is not as before.
func (d *drawing) changes(part image.Rectangle) bool {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		from, to := d.PixOffset(part.Min.X, y), d.PixOffset(part.Max.X, y)
		if !bytes.Equal(d.Pix[from:to], d.before[from:to]) {
			return true
		}
	}
	return false
}

// mean returns the mean color of a part.
func (d *drawing) mean(part image.Rectangle) (r, g, b uint8) {
	var sums [3]int
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			for i, v := range d.Pix[d.PixOffset(x, y):][:len(sums)] {
				sums[i] += int(v)
			}
		}
	}
	n := part.Dx() * part.Dy()
	of := func(sum int) uint8 { return uint8((sum + n/2) / n) }
	return of(sums[0]), of(sums[1]), of(sums[2])
}

// A plane is one of the planes of a frame, whatever the bits of its samples.
type plane struct {
	size          image.Point
	columns, rows int                    // the size of a sample, in pixels
	set           func(x, y int, v byte) // sets the upper 8 bits of a sample, and the others to 0
}

// planesOf returns luma, and chroma if there is any.
func planesOf(f *y4m.Frame) []plane {
	var planes []plane
	deep := f.Deep()
	for i := range deep {
		p := &deep[i]
		planes = append(planes, plane{p.Rect.Size(), p.Columns, p.Rows, func(x, y int, v byte) {
			p.SetGray16(x, y, color.Gray16{Y: uint16(v) << (p.Bits - 8)})
		}})
	}
	if deep != nil {
		return planes
	}
	add := func(pix []byte, stride, columns, rows int) {
		size := image.Pt(stride, len(pix)/stride)
		planes = append(planes, plane{size, columns, rows, func(x, y int, v byte) { pix[y*stride+x] = v }})
	}
	luma := f.Gray()
	add(luma.Pix, luma.Stride, 1, 1)
	if img, ok := f.Image().(*image.YCbCr); ok {
		columns, rows := 1, 1
		for columns < img.Rect.Max.X && img.COffset(columns, 0) == 0 {
			columns++
		}
		for rows < img.Rect.Max.Y && img.COffset(0, rows) == 0 {
			rows++
		}
		add(img.Cb, img.CStride, columns, rows)
		add(img.Cr, img.CStride, columns, rows)
	}
	return planes
}
