package fast

import (
	"encoding/binary"
	"math/bits"
)

// findScalar sets the hits of so many rows from y on: the segment test in
// portable Go. A prescreen of eight pixels at once makes the first two checks;
// the pixels that pass are tested one by one.
func findScalar(hits []uint64, width int, p plane, y, rows int, opts *Options) {
	offsets := ringOffsets(p.stride)
	classes := newClassifier(opts.Threshold)
	end := p.w - radius
	for ; rows > 0; rows, y = rows-1, y+1 {
		base := y * p.stride
		for x := radius; x < end; x += 8 {
			var passed uint64
			if x+8 <= end {
				passed = prescreen(p.pix[base+x-radius:], p.pix[base+x-radius*p.stride:], p.pix[base+x+radius*p.stride:], opts.Threshold)
			} else {
				passed = lanes8 >> (8 * (x + 8 - end)) // all that there are
			}
			for ; passed != 0; passed &= passed - 1 {
				x := x + bits.TrailingZeros64(passed)/8
				if isCorner(p.pix, base+x, offsets, classes, opts.ArcLength) {
					hits[(x-radius)/64] |= 1 << ((x - radius) % 64)
				}
			}
		}
		hits = hits[width:]
	}
}

const (
	lanes8    = 0x8080808080808080 // the top bits of 8 lanes of 8 bits
	lanes16   = 0x8000800080008000 // the top bits of 4 lanes of 16 bits
	ones16    = 0x0001000100010001
	evenBytes = 0x00ff00ff00ff00ff
)

// prescreen returns the pixels, of eight, that pass the first two checks: the
// top bit of byte i is set for pixel i. row begins 3 pixels before the eight,
// north and south 3 pixels above and below them.
func prescreen(row, north, south []byte, threshold uint8) uint64 {
	row = row[:8+2*radius]
	w := binary.LittleEndian.Uint64(row)
	c := binary.LittleEndian.Uint64(row[radius:])
	e := binary.LittleEndian.Uint64(row[2*radius:])
	n := binary.LittleEndian.Uint64(north)
	s := binary.LittleEndian.Uint64(south)
	t := ones16 * uint64(threshold)
	// In lanes of 16 bits nothing overflows, so the even and the odd pixels
	// are worked apart.
	even := prescreen4(c&evenBytes, w&evenBytes, e&evenBytes, n&evenBytes, s&evenBytes, t)
	odd := prescreen4(c>>8&evenBytes, w>>8&evenBytes, e>>8&evenBytes, n>>8&evenBytes, s>>8&evenBytes, t)
	return even>>8 | odd
}

// prescreen4 is prescreen for four pixels, in lanes of 16 bits; t is the
// threshold in each. It sets the top bits of the lanes.
func prescreen4(c, w, e, n, s, t uint64) uint64 {
	// The top bit of a lane of high-q is set where q is not bright, and of
	// low+q where q is not dark.
	high := lanes16 + c + t
	low := lanes16 + t - c
	notBright := (high-n)&(high-s) | (high-w)&(high-e)
	notDark := (low+n)&(low+s) | (low+w)&(low+e)
	return ^(notBright & notDark) & lanes16
}
