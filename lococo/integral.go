package lococo

import "image"

// An Integral is an integral image, or summed-area table: it holds the sums of the pixels
// above and to the left of each pixel, so that the sum over any rectangle takes four
// look-ups (F. Crow, "Summed-area tables for texture mapping", SIGGRAPH 1984). The zero
// value is that of an empty image.
type Integral struct {
	bounds image.Rectangle
	stride int      // of the sums: one more than there are columns
	sums   []uint32 // modulo 2^32, with a row and a column of 0 before those of the pixels
}

// Compute makes i the integral image of img, in the memory of the image before it where
// that has room. It panics if img is malformed.
func (i *Integral) Compute(img *image.Gray) {
	check("image", img)
	i.bounds = img.Rect
	if img.Rect.Empty() {
		return
	}
	p := newPlane(img)
	i.stride = p.w + 1
	i.sums = resize(i.sums, (p.h+1)*i.stride)
	above := i.sums[:i.stride]
	clear(above)
	for y := range p.h {
		pixels := p.row(y, 0, p.w)
		sums := i.sums[(y+1)*i.stride:][:i.stride]
		sums[0] = 0
		left, right := above[1:][:len(pixels)], sums[1:][:len(pixels)]
		var sum uint32
		for x, v := range pixels {
			sum += uint32(v)
			right[x] = left[x] + sum
		}
		above = sums
	}
}

// Bounds returns the bounds of the image.
func (i *Integral) Bounds() image.Rectangle {
	return i.bounds
}

// Sum returns the sum of the pixels of the image that are in r, modulo 2^32. It is exact
// for up to 16,843,009 of them, whatever the size of the image is.
func (i *Integral) Sum(r image.Rectangle) uint32 {
	r = r.Intersect(i.bounds)
	if r.Empty() {
		return 0
	}
	r = r.Sub(i.bounds.Min)
	above, below := i.sums[r.Min.Y*i.stride:], i.sums[r.Max.Y*i.stride:]
	return (below[r.Max.X] - below[r.Min.X]) - (above[r.Max.X] - above[r.Min.X])
}
