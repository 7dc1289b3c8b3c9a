package stabilize

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// setMask sets where corners may be in frames of a size: where the window around them has no pixel
// that the options exclude.
func (f *follower) setMask(size image.Point) {
	if f.mask = nil; f.opts.Mask == nil {
		return
	}
	p := raster.NewPlane("stabilize", f.opts.Mask)
	if p.W != size.X || p.H != size.Y {
		panic(fmt.Sprintf("stabilize: a frame of %d by %d pixels with a mask of %d by %d", size.X, size.Y, p.W, p.H))
	}
	f.mask = image.NewGray(image.Rectangle{Max: size})
	along := make([]uint8, p.W*p.H)
	for y := range p.H {
		least(along[y*p.W:], p.Row(y), 1, p.W)
	}
	for x := range p.W {
		least(f.mask.Pix[x:], along[x:], p.W, p.H)
	}
}

// least sets each of n pixels, a stride apart, to the least of those of src that are up to half a
// window away.
func least(dst, src []uint8, stride, n int) {
	for i := range n {
		v := src[i*stride]
		for k := max(i-window/2, 0); k <= min(i+window/2, n-1); k++ {
			v = min(v, src[k*stride])
		}
		dst[i*stride] = v
	}
}

// keep drops the pairs of points that have moved to where the mask is 0.
func (p *pairs) keep(mask *image.Gray) {
	n := 0
	for i, to := range p.b {
		if mask.GrayAt(to.Pt().X, to.Pt().Y).Y != 0 {
			p.a[n], p.b[n], p.indices[n] = p.a[i], to, p.indices[i]
			n++
		}
	}
	p.a, p.b, p.indices = p.a[:n], p.b[:n], p.indices[:n]
}
