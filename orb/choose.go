package orb

import (
	"image"
	"math"

	"github.com/fastcorners/fast"
)

// cellSide is the side of the cells that Options.LowThreshold is for, in pixels.
const cellSide = 32

// choose drops corners of l, which are inside the edge, until those are left that get
// a response. So many are wanted in the end.
func (l *level) choose(e *Extractor, quota int) {
	inside := l.img.Rect.Inset(e.opts.EdgeThreshold)
	if e.opts.LowThreshold > 0 {
		l.corners = fast.PerCell(l.corners, inside, image.Pt(cellSide, cellSide), math.MaxInt, uint8(e.opts.FASTThreshold))
	}
	switch {
	case e.opts.Spread:
		l.corners = fast.Spread(l.corners, inside, quota)
	case e.opts.Score == HarrisScore:
		l.corners = strongest(l.corners, 2*quota)
	default:
		l.corners = strongest(l.corners, quota)
	}
}
