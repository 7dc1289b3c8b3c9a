package lococo

import "image"

// An Integral is an integral image, or summed-area table: it holds the sums of the pixels
// above and to the left of each pixel, so that the sum over any rectangle takes four
// look-ups (F. Crow, "Summed-area tables for texture mapping", SIGGRAPH 1984). The zero
// value is that of an empty image.
type Integral struct {
	bounds image.Rectangle
	stride int      // of the sums
	sums   []uint32 // modulo 2^32, with a row and a column of 0 before those of the pixels
	run    *integralRun
}

// An integralRun is rows of sums to be made in assembly, and those in the column before
// them, from the sums above the first row, that of the column before them among them.
type integralRun struct {
	pixels        *byte
	pixelStride   int
	above         *uint32 // from the first column on
	stride        int     // of the sums
	columns, rows int
	before        uint32 // the sum of the pixels of a row that are before the first column
}

const (
	// runColumns is how many columns an integralRun has at least.
	runColumns = 16
	// runPixels is how many pixels it has at most. Assembly cannot be preempted.
	runPixels = 1 << 14
)

// Compute makes i the integral image of img, in the memory of the image before it where
// that has room. It panics if img is malformed.
func (i *Integral) Compute(img *image.Gray) {
	check("image", img)
	i.bounds = img.Rect
	if img.Rect.Empty() {
		return
	}
	p := newPlane(img)
	i.resize(p.w, p.h)
	clear(i.sums[:1+p.w])
	if k := bestKernels(); k != nil && p.w >= runColumns {
		i.runKernels(k, &p)
		return
	}
	for y := range p.h {
		pixels := p.row(y, 0, p.w)
		above, sums := i.sums[y*i.stride:], i.sums[(y+1)*i.stride:]
		sums[0] = 0
		left, right := above[1:][:len(pixels)], sums[1:][:len(pixels)]
		var sum uint32
		for x, v := range pixels {
			sum += uint32(v)
			right[x] = left[x] + sum
		}
	}
}

// resize makes room for the sums of w by h pixels. Assembly stores whole vectors, faster
// where none straddles cache lines: the sum of the first pixel of a row begins one, if the
// memory does, as that of large images.
func (i *Integral) resize(w, h int) {
	const line = 16 // numbers of 32 bits
	i.stride = 1 + w
	if w >= runColumns {
		i.stride = (i.stride + line - 1) / line * line
	}
	n := h*i.stride + 1 + w
	if cap(i.sums) < n {
		i.sums = make([]uint32, line-1+n)[line-1:]
	}
	i.sums = i.sums[:n]
}

// runKernels makes the sums in assembly, but for the first row of zeros.
func (i *Integral) runKernels(k *kernels, p *plane) {
	if i.run == nil {
		i.run = new(integralRun)
	}
	rows := max(runPixels/p.w, 1)
	for y := 0; y < p.h; y += rows {
		above, sums := i.sums[y*i.stride:], i.sums[(y+1)*i.stride:]
		sums[0] = 0
		for x := 0; x < p.w; x += runPixels {
			begin := min(x, p.w-runColumns)
			*i.run = integralRun{
				pixels:      &p.row(y, begin, p.w)[0],
				pixelStride: p.stride,
				above:       &above[1+begin],
				stride:      i.stride,
				columns:     min(runPixels, p.w-begin),
				rows:        min(rows, p.h-y),
				before:      sums[begin] - above[begin],
			}
			k.integral(i.run)
		}
	}
	*i.run = integralRun{} // it keeps nothing that belongs to the caller
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
