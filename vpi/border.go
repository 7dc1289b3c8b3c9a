package vpi

import (
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/edge"
)

// A borderedImage is an image with its border around it.
type borderedImage struct {
	Image
	mode   border.Mode
	margin int // pixels of the border on each side
	w, h   int // with the border
}

func newBorderedImage(img Image, mode border.Mode, radius int) borderedImage {
	b := borderedImage{Image: img, mode: mode}
	if mode != border.Limited {
		b.margin = radius
	}
	b.w, b.h = img.bounds.Dx()+2*b.margin, img.bounds.Dy()+2*b.margin
	return b
}

// setRow makes row the pixels of row y, in the bytes that the image has for them.
func (b *borderedImage) setRow(row []byte, y int) {
	w, h := b.w-2*b.margin, b.h-2*b.margin
	y = edge.Inside(b.mode, y-b.margin, h)
	if y < 0 {
		clear(row)
		return
	}
	pix := b.pix[y*b.stride:][:w*b.size]
	copy(row[b.margin*b.size:], pix)
	for i := range b.margin {
		for _, x := range [2]int{i - b.margin, w + i} {
			pixel := row[(b.margin+x)*b.size:][:b.size]
			if x = edge.Inside(b.mode, x, w); x < 0 {
				clear(pixel)
			} else {
				copy(pixel, pix[x*b.size:])
			}
		}
	}
}
