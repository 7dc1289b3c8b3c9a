package orb

import (
	"image"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/raster"
)

// fastRadius is the radius of the ring of FAST.
const fastRadius = 3

// cellSide is the side of the cells of Options.LowThreshold, in pixels.
const cellSide = 32

// search finds the corners of l that get a response, so that the keypoints that are wanted can be
// chosen from them.
//
// Most images have more corners than are wanted, and most of the time would go to those that
// are dropped. At a higher threshold, the corners are those whose score is not below it. So
// if there are enough of them, they are the best ones. For the lowest score that was kept
// of a smaller level there nearly always are.
func (l *level) search(e *Extractor, memory *lane) {
	l.corners = l.appendCorners(l.corners[:0], e, memory, l.inside(e), l.threshold(e))
	l.sieve(e, memory)
}

// threshold returns the threshold at which l is searched first.
func (l *level) threshold(e *Extractor) int {
	if e.opts.Spread || e.opts.LowThreshold > 0 {
		return e.threshold
	}
	return max(e.threshold, l.guess)
}

// wanted returns how many corners are to get a response.
func (l *level) wanted(e *Extractor) int {
	if e.opts.ScoreType == HarrisScore {
		return 2 * e.quotas[l.number]
	}
	return e.quotas[l.number]
}

// sieve leaves those of the corners found at the first threshold that get a response. If they are
// too few, it searches again.
func (l *level) sieve(e *Extractor, memory *lane) {
	inside, wanted, threshold := l.inside(e), l.wanted(e), l.threshold(e)
	if len(l.corners) < wanted && threshold > e.threshold {
		threshold = e.threshold
		l.corners = l.appendCorners(l.corners[:0], e, memory, inside, threshold)
	}
	if e.opts.LowThreshold > 0 {
		l.corners = l.dropWeak(l.corners, inside, uint8(e.opts.FASTThreshold))
	}
	if e.opts.Spread {
		l.corners = fast.Spread(l.corners, inside, e.quotas[l.number])
	} else {
		l.corners, l.lowest = strongest(l.corners, wanted, threshold)
	}
}

// dropWeak returns the corners without those below a score in cells that have others. Unlike
// fast.PerCell it does not sort corners. Its loops have no branches on scores, which could not
// be predicted.
func (l *level) dropWeak(corners []fast.Corner, inside image.Rectangle, strong uint8) []fast.Corner {
	columns := (inside.Dx() + cellSide - 1) / cellSide
	rows := (inside.Dy() + cellSide - 1) / cellSide
	left, top := int32(inside.Min.X), int32(inside.Min.Y)
	cell := func(x, y int32) int {
		return 1 + int(uint32(y-top)/cellSide)*columns + int(uint32(x-left)/cellSide)
	}
	l.cells = raster.Resize(l.cells, 1+rows*columns)
	cells := l.cells // the first one is for weak corners
	clear(cells)
	for i := range corners {
		c := &corners[i]
		weak := (int(c.Score) - int(strong)) >> 8 // 0 or all bits
		cells[cell(c.X, c.Y)&^weak] = strong
	}
	n := 0
	for _, c := range corners {
		corners[n] = c
		if c.Score >= cells[cell(c.X, c.Y)] {
			n++
		}
	}
	return corners[:n]
}

// inside returns the pixels of l that are not near the edges.
func (l *level) inside(e *Extractor) image.Rectangle {
	return image.Rect(0, 0, l.img.W, l.img.H).Inset(e.opts.EdgeThreshold)
}

// appendCorners appends the corners of l that are in the mask and in a rectangle, which is not near
// the edges, in raster order.
func (l *level) appendCorners(corners []fast.Corner, e *Extractor, memory *lane, inside image.Rectangle, threshold int) []fast.Corner {
	// Neighbors of those inside matter for suppression, and FAST needs three more
	// pixels.
	r := inside.Inset(-1 - fastRadius)
	memory.searched = image.Gray{
		Pix:    l.img.Pix[r.Min.Y*l.img.Stride+r.Min.X:],
		Stride: l.img.Stride,
		Rect:   image.Rectangle{Max: r.Size()},
	}
	// The detector is on the stack.
	detector, err := fast.New(fast.Options{Threshold: uint8(threshold), ArcLength: 9, NonmaxSuppression: true})
	if err != nil {
		panic(err)
	}
	corners = detector.Append(corners, &memory.searched)
	n := 0
	left, top := int32(r.Min.X), int32(r.Min.Y)
	mask, w, h := l.mask, uint32(inside.Dx()), uint32(inside.Dy())
	for _, c := range corners {
		c.X, c.Y = c.X+left, c.Y+top
		corners[n] = c
		in := uint32(c.X-left-fastRadius-1) < w && uint32(c.Y-top-fastRadius-1) < h
		if in && (mask.Pix == nil || mask.Pix[int(c.Y)*mask.Stride+int(c.X)] != 0) {
			n++
		}
	}
	return corners[:n]
}

// strongest returns the n corners with the highest scores and all others that have the
// lowest of these scores, which it returns, too. No score is below least.
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
		if int(c.Score) >= lowest { // compiled without a branch, which could not be predicted
			i++
		}
	}
	return corners[:i], lowest
}
