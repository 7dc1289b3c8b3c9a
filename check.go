package fast

import "image"

// radius is the distance of the ring from its centre. No pixel nearer than
// that to an edge of the image is a corner.
const radius = 3

// ring holds the ring pixels relative to their centre. The literature counts
// them from 1, the one straight above, clockwise; ring pixel n is ring[n-1].
var ring = [16]image.Point{
	{0, -3},
	{1, -3},
	{2, -2},
	{3, -1},
	{3, 0},
	{3, 1},
	{2, 2},
	{1, 3},
	{0, 3},
	{-1, 3},
	{-2, 2},
	{-3, 1},
	{-3, 0},
	{-3, -1},
	{-2, -2},
	{-1, -3},
}

// ringOffsets returns the distances in bytes from a pixel to its ring pixels.
func ringOffsets(stride int) *[16]int {
	var offsets [16]int
	for i, p := range ring {
		offsets[i] = p.Y*stride + p.X
	}
	return &offsets
}

// checks holds the pairs of ring pixels in the order in which the eight checks
// read them. The first four pairs lie opposite each other. An arc of 10 leaves
// out 6 neighbouring pixels only, so it holds one of each such pair at least.
// The other four narrow the choice further and complete the ring.
var checks = [8][2]int{
	{1, 9},
	{5, 13},
	{3, 11},
	{7, 15},
	{2, 16},
	{8, 10},
	{12, 14},
	{4, 6},
}

// isCorner10 reports whether the pixel pix[i] is a FAST-10 corner: the segment
// test with early exit, as libCVD's plain detector does it.
//
// Two hypotheses are kept, that the arc is bright and that it is dark. Each is
// the set of ring pixels that agree with it or have not been read. Each of the
// eight checks reads two ring pixels and so narrows both. The pixel is given
// up as soon as neither set holds an arc; what is alive when all ring pixels
// have been read is a corner.
func isCorner10(pix []byte, i int, offsets *[16]int, threshold uint8) bool {
	p, t := int(pix[i]), int(threshold)
	bright, dark := allRing, allRing
	for _, pair := range checks {
		for _, n := range pair {
			q := int(pix[i+offsets[n-1]])
			if q <= p+t {
				bright &^= 1 << (n - 1)
			}
			if q >= p-t {
				dark &^= 1 << (n - 1)
			}
		}
		if !hasArc(bright, 10) && !hasArc(dark, 10) {
			return false
		}
	}
	return true
}

// allRing is the set of all ring pixels; ring pixel n is bit n-1.
const allRing uint32 = 1<<16 - 1

// hasArc reports whether the set of ring pixels holds an arc of the given
// length, 8 to 16: that many contiguous pixels, counted around the ring.
func hasArc(set uint32, length int) bool {
	set |= set << 16 // unrolls the ring: arcs across its seam are contiguous
	set &= set >> 1  // bit n: 2 contiguous pixels from n on
	set &= set >> 2  // 4
	set &= set >> 4  // 8
	return set&(set>>(length-8))&allRing != 0
}

// isCorner reports whether pix[i] is a corner of the given arc length.
func isCorner(pix []byte, i int, offsets *[16]int, threshold uint8, arc int) bool {
	p, t := int(pix[i]), int(threshold)
	var bright, dark uint32
	for n, offset := range offsets {
		q := int(pix[i+offset])
		if q > p+t {
			bright |= 1 << n
		}
		if q < p-t {
			dark |= 1 << n
		}
	}
	return hasArc(bright, arc) || hasArc(dark, arc)
}

// score returns the largest threshold at which pix[i], a corner of the given
// arc length, is still one: one less than the smallest difference on its best
// arc.
func score(pix []byte, i int, offsets *[16]int, arc int) uint8 {
	p := int(pix[i])
	var brighter, darker [16]int
	for n, offset := range offsets {
		brighter[n] = int(pix[i+offset]) - p
		darker[n] = -brighter[n]
	}
	return uint8(max(bestArc(&brighter, arc), bestArc(&darker, arc)) - 1)
}

// bestArc returns the largest of the minima over the arcs of the given length,
// 9 to 12.
func bestArc(diff *[16]int, arc int) int {
	// Minima over 2, 4 and 8 contiguous pixels from n on; two overlapping runs
	// of 8 make the arc.
	var m2, m4, m8 [16]int
	for n := range diff {
		m2[n] = min(diff[n], diff[(n+1)&15])
	}
	for n := range m2 {
		m4[n] = min(m2[n], m2[(n+2)&15])
	}
	for n := range m4 {
		m8[n] = min(m4[n], m4[(n+4)&15])
	}
	best := -255
	for n := range m8 {
		best = max(best, min(m8[n], m8[(n+arc-8)&15]))
	}
	return best
}

// scoreCorners fills in the scores of the corners of p.
func scoreCorners(corners []Corner, p plane, arc int) {
	offsets := ringOffsets(p.stride)
	for i := range corners {
		c := &corners[i]
		c.Score = score(p.pix, int(c.Y)*p.stride+int(c.X), offsets, arc)
	}
}
