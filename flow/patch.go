package flow

import "github.com/fastcorners/fast/internal/raster"

// patchMargin is the number of pixels on each side of a window that a patch also has, so that
// not every step needs another one.
const patchMargin = 2

// A patch is a copy of pixels of a level, with mirrored ones beyond its edges.
type patch struct {
	level  *level // nil if there is no patch
	x, y   int    // of its first pixel
	w, h   int
	pix    []byte
	stride int
}

// prepare makes memory for patches of up to w by h pixels. Kernels may read over bytes
// more.
func (p *patch) prepare(w, h, over int) {
	p.stride = w + over
	p.pix = make([]byte, p.stride*h)
}

// window returns the pixels of a level from x, y on, of which w by h are needed and over bytes
// more at the end of each row may be read. They are the level's own or those of p, which has
// the given number of pixels more on each side if it is to be made.
func (p *patch) window(level *level, x, y, w, h, over, margin int) (pix []byte, stride int) {
	if m := level.margin; x >= -m && y >= -m && x+w <= level.W+m && y+h <= level.H+m {
		at := (y+m)*level.Stride + x + m
		if at+(h-1)*level.Stride+w+over <= len(level.pix) {
			return level.pix[at:], level.Stride
		}
	}
	if p.level != level || x < p.x || y < p.y || x+w > p.x+p.w || y+h > p.y+p.h {
		p.level = level
		p.x, p.y, p.w, p.h = x-margin, y-margin, w+2*margin, h+2*margin
		p.fill()
	}
	return p.pix[(y-p.y)*p.stride+x-p.x:], p.stride
}

// fill copies the pixels.
func (p *patch) fill() {
	width := p.level.W
	left := min(max(-p.x, 0), p.w)
	right := min(max(width-p.x, left), p.w)
	once := left < width && p.w-right < width // no pixel is mirrored twice
	for i := range p.h {
		from := p.level.Row(raster.Mirror(p.y+i, p.level.H))
		to := p.pix[i*p.stride:][:p.w]
		if left < right {
			copy(to[left:right], from[p.x+left:])
		}
		if !once {
			for x := range to {
				to[x] = from[raster.Mirror(p.x+x, width)]
			}
			continue
		}
		for x := range to[:left] {
			to[x] = from[left-x]
		}
		for x := range to[right:] {
			to[right+x] = from[width-2-x]
		}
	}
}
