package fast

// radius is the distance of the ring from its center. No pixel nearer than
// that to an edge of the image is a corner.
const radius = 3

// ringOffsets returns the distances in bytes from a pixel to its ring pixels. The
// literature counts these from 1, the one straight above, clockwise; ring pixel n
// is number n-1 here.
func ringOffsets(stride int) [16]int {
	one, two, three := stride, 2*stride, 3*stride
	return [16]int{
		-three, -three + 1, -two + 2, -one + 3,
		3, one + 3, two + 2, three + 1,
		three, three - 1, two - 2, one - 3,
		-3, -one - 3, -two - 2, -three - 1,
	}
}

// The classes of a ring pixel with respect to the center p and the threshold t.
const (
	bright = 1 << iota // above p+t
	dark               // below p-t
)

// A classifier holds the classes of all differences of two gray values.
type classifier [511]uint8

func newClassifier(threshold uint8) classifier {
	var c classifier
	for i := range c {
		switch difference := i - 255; {
		case difference > int(threshold):
			c[i] = bright
		case difference < -int(threshold):
			c[i] = dark
		}
	}
	return c
}

// around returns the classes of the ring pixels of a center p by their values.
func (c *classifier) around(p uint8) *[256]uint8 {
	return (*[256]uint8)(c[255-int(p):])
}

// arcsAt returns the arcs of the given length, 9 to 12, around the pixel pix[i], as arcs
// does: if there are any, the pixel is a corner.
func arcsAt(pix []byte, i int, offsets *[16]int, c *classifier, length int) uint32 {
	class := c.around(pix[i])
	ring := func(n int) uint64 { return uint64(class[pix[i+offsets[n-1]]]) }
	return arcs(ring(1)|ring(2)<<2|ring(3)<<4|ring(4)<<6|
		ring(5)<<8|ring(6)<<10|ring(7)<<12|ring(8)<<14|
		ring(9)<<16|ring(10)<<18|ring(11)<<20|ring(12)<<22|
		ring(13)<<24|ring(14)<<26|ring(15)<<28|ring(16)<<30, length)
}

// arcs returns the arcs of the given length, 8 to 16, among the classes of a ring, two
// bits a pixel and ring pixel 1 lowest: the classes that the given number of contiguous
// pixels share, counted around the ring from that pixel on.
func arcs(classes uint64, length int) uint32 {
	arcs := classes | classes<<32 // unrolls the ring: arcs across its seam are contiguous
	arcs &= arcs >> 2             // 2 contiguous pixels, bright or dark, from a pixel on
	arcs &= arcs >> 4             // 4
	arcs &= arcs >> 8             // 8
	arcs &= arcs >> (2 * (length - 8))
	return uint32(arcs)
}

// sign returns 1 if arcs, of 9 pixels or more, are bright, and -1 if they are dark. Such
// arcs overlap, so all are alike.
func sign(arcs uint32) int {
	const allBright = 0x55555555 * bright
	if arcs&allBright != 0 {
		return 1
	}
	return -1
}

// bestDifference returns the smallest difference on the best arc of the given
// length: pix[i] is a corner at all thresholds below that.
func bestDifference(pix []byte, i int, offsets *[16]int, arc int) int {
	return max(bestOfSign(pix, i, offsets, arc, 1), bestOfSign(pix, i, offsets, arc, -1))
}

// bestOfSign is bestDifference for the bright arcs alone if sign is 1, or for the dark ones
// if it is -1.
func bestOfSign(pix []byte, i int, offsets *[16]int, arc, sign int) int {
	var differences [16]int
	for n, offset := range offsets {
		differences[n] = sign * (int(pix[i+offset]) - int(pix[i]))
	}
	return bestArc(&differences, arc)
}

// bestArc returns the largest of the minima over the arcs of the given length,
// 9 to 12.
func bestArc(diff *[16]int, arc int) int {
	// Minima over 2 and 4 contiguous pixels from n on. Two arcs that begin side by side
	// share all but one pixel each, 8 or more, so only odd n are needed.
	var m2, m4 [16]int
	for n := 1; n < 16; n += 2 {
		m2[n] = min(diff[n], diff[(n+1)&15])
	}
	for n := 1; n < 16; n += 2 {
		m4[n] = min(m2[n], m2[(n+2)&15])
	}
	best := -255
	for n := 0; n < 16; n += 2 {
		shared := min(m4[n+1], m4[(n+5)&15])
		for i := n + 9; i < n+arc; i++ {
			shared = min(shared, diff[i&15])
		}
		best = max(best, min(shared, max(diff[n], diff[(n+arc)&15])))
	}
	return best
}
