package flow

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

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

// An area is the positions of windows that overlap a level and lie in its memory, from x, y on.
type area struct {
	x, y          int
	width, height uint
	pix           []byte // that of the window at x, y
	stride, size  int    // and how many bytes a window needs
}

// area returns the area of windows that have the given number of pixels more before, and one more after
// that. Kernels may read over bytes after each row.
func (l *level) area(window image.Point, before, over int) area {
	w, h := window.X+1+2*before, window.Y+1+2*before
	a := area{
		x: max(before-l.margin, -window.X), y: max(before-l.margin, -window.Y),
		stride: l.Stride, size: (h-1)*l.Stride + w + over,
	}
	a.width = uint(max(min(l.W+l.margin-w+before, l.W-1)-a.x+1, 0))
	a.height = uint(max(min(l.H+l.margin-h+before, l.H-1)-a.y+1, 0))
	if a.width > 0 && a.height > 0 {
		a.pix = l.pix[(a.y-before+l.margin)*l.Stride+a.x-before+l.margin:]
	}
	return a
}

// window returns the pixels of the window at a position, and whether it is in the area.
func (a *area) window(x, y int) (pix []byte, ok bool) {
	right, down := uint(x-a.x), uint(y-a.y)
	if right >= a.width || down >= a.height {
		return nil, false
	}
	pix = a.pix[down*uint(a.stride)+right:]
	return pix, len(pix) >= a.size
}

// window returns the pixels of a level from x, y on, of which w by h are needed and over bytes
// more at the end of each row may be read. They are those of p, which has the given number of pixels
// more on each side if it is to be made.
func (p *patch) window(level *level, x, y, w, h, over, margin int) (pix []byte, stride int) {
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
