package orb

import (
	"image"
	"math"

	"github.com/fastcorners/fast"
)

// cellSide is the side of the cells that Options.LowThreshold is for, in pixels.
const cellSide = 32

// search finds the corners of l that get a response. So many keypoints are wanted in
// the end.
//
// Few images have as few corners as are wanted, and most of the time goes to those
// that are dropped. At a higher threshold there are exactly the corners with scores
// not below it. So if there are enough of them, these are the best. Nearly always
// this holds for the lowest score that was kept of a smaller level.
func (l *level) search(e *Extractor, quota int) {
	wanted, threshold := quota, e.threshold
	if e.opts.Score == HarrisScore {
		wanted = 2 * quota
	}
	if !e.opts.Spread && e.opts.LowThreshold == 0 {
		threshold = max(threshold, l.guess)
	}
	l.corners = l.appendCorners(l.corners[:0], e, threshold)
	if len(l.corners) < wanted && threshold > e.threshold {
		threshold = e.threshold
		l.corners = l.appendCorners(l.corners[:0], e, threshold)
	}
	inside := l.img.Rect.Inset(e.opts.EdgeThreshold)
	if e.opts.LowThreshold > 0 {
		l.corners = fast.PerCell(l.corners, inside, image.Pt(cellSide, cellSide), math.MaxInt, float32(e.opts.FASTThreshold))
	}
	if e.opts.Spread {
		l.corners = fast.Spread(l.corners, inside, quota)
	} else {
		l.corners, l.lowest = strongest(l.corners, wanted, threshold)
	}
}

// appendCorners appends the corners of l that are in the mask and not near the edges,
// in raster order.
func (l *level) appendCorners(corners []fast.Corner, e *Extractor, threshold int) []fast.Corner {
	inside := l.img.Rect.Inset(e.opts.EdgeThreshold)
	// Neighbours of those inside decide about suppression, and FAST needs three
	// pixels more.
	r := inside.Inset(-1 - 3)
	l.inner = image.Gray{
		Pix:    l.img.Pix[r.Min.Y*l.img.Stride+r.Min.X:],
		Stride: l.img.Stride,
		Rect:   image.Rectangle{Max: r.Size()},
	}
	corners = e.detectors[threshold-e.threshold].Append(corners, &l.inner)
	n := 0
	for _, c := range corners {
		c.X, c.Y = c.X+int32(r.Min.X), c.Y+int32(r.Min.Y)
		corners[n] = c
		if c.Pt().In(inside) && (l.mask.Pix == nil || l.mask.Pix[int(c.Y)*l.mask.Stride+int(c.X)] != 0) {
			n++
		}
	}
	return corners[:n]
}

// strongest returns the n corners with the highest scores, and those with the same
// score as the last of them, and that score. Unlike fast.Strongest it leaves none of
// these out. No score is below least.
func strongest(corners []fast.Corner, n, least int) (kept []fast.Corner, lowest int) {
	if n >= len(corners) {
		return corners, least
	}
	if n == 0 {
		return corners[:0], least
	}
	var counts [256]int
	for _, c := range corners {
		counts[c.Score]++
	}
	lowest = 255
	for sum := counts[lowest]; sum < n; sum += counts[lowest] {
		lowest--
	}
	i := 0
	for _, c := range corners {
		corners[i] = c
		if int(c.Score) >= lowest { // not to be predicted
			i++
		}
	}
	return corners[:i], lowest
}
