package fast

import (
	"encoding/binary"
	"math/bits"
)

// findScalar sets the hits of so many rows from y on: the segment test in
// portable Go. As in the sieve kernels, a prescreen without branches on the
// pixels' values finds what may be a corner, and that gets the whole test. The
// last pixels of a row, fewer than eight, are tested one by one.
func findScalar(hits []uint64, width int, p plane, y, rows int, opts *Options) {
	offsets := ringOffsets(p.stride)
	classes := newClassifier(opts.Threshold)
	n := p.w - 2*radius
	for ; rows > 0; rows, y = rows-1, y+1 {
		row := hits[:width]
		first := y*p.stride + radius
		prescreen(row, p, y, opts.Threshold)
		for i, word := range row {
			for rest := word; rest != 0; rest &= rest - 1 {
				x := 64*i + bits.TrailingZeros64(rest)
				if !isCornerByRing(p.pix, first+x, offsets, classes, opts.ArcLength) {
					word &^= rest & -rest
				}
			}
			row[i] = word
		}
		for x := n &^ 7; x < n; x++ {
			if isCorner(p.pix, first+x, offsets, classes, opts.ArcLength) {
				row[x/64] |= 1 << (x % 64)
			}
		}
		hits = hits[width:]
	}
}

// Constants for words of eight pixels.
const (
	ones  = 0x0101010101010101
	tops  = 0x80 * ones // the top bits of the bytes
	halfs = 0x7f * ones // the largest half of a pixel
)

// prescreen sets the bits of row y that pass the first four checks, as far as
// there are eight pixels at once, and some more: it compares the halves of the
// pixels, which leave the top bits of the bytes free, and lets those pass that
// are too close to tell.
func prescreen(row []uint64, p plane, y int, threshold uint8) {
	at := func(dy int) []byte { return p.pix[(y+dy)*p.stride:][:p.w] }
	above, above2, centre, below2, below := at(-radius), at(-2), at(0), at(2), at(radius)
	n := p.w - 2*radius
	t := ones * uint64(min(threshold, 254)+1)
	x, word := 0, uint64(0)
	for ; x+8 <= n; x += 8 {
		c := load(centre[x+radius:])
		// A half is bright from (c+threshold+1)/2 on. By the top bit of a byte,
		// bright-half tells that it is less. For dark ones the same holds of
		// the negatives.
		limit, negative := mean(c, t), mean(^c, t)
		bright := limit&halfs + halfs
		dark := negative & halfs

		a, b := half(above[x+radius:]), half(below[x+radius:])
		notBright := (bright - a) & (bright - b)
		notDark := (dark + a) & (dark + b)
		a, b = half(centre[x:]), half(centre[x+2*radius:])
		notBright |= (bright-a)&(bright-b) | limit
		notDark |= (dark+a)&(dark+b) | negative

		a, b = half(above2[x+5:]), half(below2[x+1:])
		notBright |= (bright - a) & (bright - b)
		notDark |= (dark + a) & (dark + b)
		a, b = half(above2[x+1:]), half(below2[x+5:])
		notBright |= (bright - a) & (bright - b)
		notDark |= (dark + a) & (dark + b)

		// The top bits of the bytes become the bits of one.
		alive := ^(notBright & notDark) & tops
		word |= alive >> 7 * 0x0102040810204080 >> 56 << (x & 56)
		if x&56 == 56 {
			row[x/64] = word
			word = 0
		}
	}
	if x%64 != 0 {
		row[x/64] = word
	}
}

// load returns eight pixels.
func load(row []byte) uint64 {
	return binary.LittleEndian.Uint64(row)
}

// half returns the halves of eight pixels, rounded down.
func half(row []byte) uint64 {
	return load(row) >> 1 & halfs
}

// mean returns the means of eight bytes of a and b, rounded down.
func mean(a, b uint64) uint64 {
	return a&b + (a^b)>>1&halfs
}
