package lococo

import "image"

// An Integral is an integral image, or summed-area table. It holds, for each pixel, the sum of
// the pixels above and to the left, so that the sum over a rectangle takes four table lookups
// (F. Crow, "Summed-area tables for texture mapping", SIGGRAPH 1984). The zero Integral is
// that of an empty image.
type Integral struct {
	bounds image.Rectangle
	stride int      // of the sums
	sums   []uint32 // modulo 2^32, with a row and a column of 0 before those of the image
	run    *integralRun
}

// maxIntegral is the maximum number of pixels of an integralRun, since assembly cannot be
// preempted.
const maxIntegral = 1 << 14

// Compute makes i the integral image of img. It reuses the memory of i if that has room. It
// panics if img is nil or malformed.
func (i *Integral) Compute(img *image.Gray) {
	p := newPlane(img)
	i.bounds = img.Rect
	if img.Rect.Empty() {
		return
	}
	i.resize(p.W, p.H)
	clear(i.sums[:1+p.W])
	if i.run == nil {
		i.run = new(integralRun)
	}
	k := table.Best()
	if p.W < minIntegral {
		k = &portable
	}
	rows := max(maxIntegral/p.W, 1)
	for y := 0; y < p.H; y += rows {
		for x := 0; x < p.W; x += maxIntegral {
			begin := min(x, max(p.W-minIntegral, 0))
			sums := i.sums[y*i.stride+begin:]
			*i.run = integralRun{
				pixels:      p.Pix[y*p.Stride+begin:],
				pixelStride: p.Stride,
				sums:        sums,
				stride:      i.stride,
				columns:     min(maxIntegral, p.W-begin),
				rows:        min(rows, p.H-y),
			}
			if begin > 0 {
				i.run.before = sums[i.stride] - sums[0]
			}
			k.integral(i.run)
		}
	}
	*i.run = integralRun{} // keep nothing that belongs to the caller
}

// resize makes room for the sums of w by h pixels. Assembly stores whole vectors, which is
// faster if none straddles cache lines. So the sum of the first pixel of a row begins a cache
// line if the memory does, as it does for large images.
func (i *Integral) resize(w, h int) {
	const line = 16 // numbers of 32 bits
	i.stride = 1 + w
	if w >= minIntegral {
		i.stride = (i.stride + line - 1) / line * line
	}
	n := h*i.stride + 1 + w
	if cap(i.sums) < n {
		i.sums = make([]uint32, line-1+n)[line-1:]
	}
	i.sums = i.sums[:n]
}

// Bounds returns the bounds of the image.
func (i *Integral) Bounds() image.Rectangle {
	return i.bounds
}

// Sum returns the sum of the pixels of the image that are in r, modulo 2^32. It is exact
// for up to 16,843,009 such pixels, whatever the size of the image.
func (i *Integral) Sum(r image.Rectangle) uint32 {
	r = r.Intersect(i.bounds)
	if r.Empty() {
		return 0
	}
	r = r.Sub(i.bounds.Min)
	above, below := i.sums[r.Min.Y*i.stride:], i.sums[r.Max.Y*i.stride:]
	return (below[r.Max.X] - below[r.Min.X]) - (above[r.Max.X] - above[r.Min.X])
}
