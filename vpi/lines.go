package vpi

import (
	"math/bits"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
)

// A line holds the corners of a row.
type line struct {
	corners []uint64 // a bit for each pixel
	scores  []uint32 // of corners, and 1; 0 for other pixels, and for one at both ends
}

// start prepares for rows of w pixels.
func (l *line) start(w int) {
	l.corners = raster.Resize(l.corners, (w+63)/64)
	l.scores = raster.Resize(l.scores, w+2)
	l.clear()
}

// clear removes all corners.
func (l *line) clear() {
	clear(l.corners)
	clear(l.scores)
}

// add makes the pixel x a corner if its score reaches the threshold. Of several scores of a
// pixel the highest counts.
func (l *line) add(x uint, score, threshold int32) {
	isCorner := ^uint32(score-threshold) >> 31
	l.corners[x/64] |= uint64(isCorner) << (x % 64)
	l.scores[x+1] = max(l.scores[x+1], uint32(score+1)&-isCorner)
}

// line returns the line of row y, which may be -1.
func (l *lane) line(y int) *line {
	return &l.lines[(y+len(l.lines))%len(l.lines)]
}

// emit appends the corners of row y. With suppression these are the corners whose scores
// exceed those of their earlier neighbors and are no less than those of the later ones, and
// the lines above and below must be known.
func (l *lane) emit(y int) {
	on := l.line(y)
	above, here, below := l.line(y-1).scores, on.scores, l.line(y+1).scores
	for i, corners := range on.corners {
		n := len(l.corners)
		l.corners = slices.Grow(l.corners, 64)[:n+64]
		for ; corners != 0; corners &= corners - 1 {
			x := 64*i + bits.TrailingZeros64(corners)
			h := (*[3]uint32)(here[x:])
			l.corners[n] = Corner{X: int32(l.origin.X + x), Y: int32(l.origin.Y + y), Score: uint16(h[1] - 1)}
			least := uint32(0)
			if l.suppression {
				a, b := (*[3]uint32)(above[x:]), (*[3]uint32)(below[x:])
				least = max(1+max(a[0], a[1], a[2], h[0]), h[2], b[0], b[1], b[2])
			}
			next := n + 1
			if h[1] < least {
				next = n
			}
			n = next
		}
		l.corners = l.corners[:n]
	}
}
