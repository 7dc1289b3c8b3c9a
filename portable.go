package fast

import (
	"encoding/binary"
	"math/bits"
)

// portableStages are the stages in Go. They define what those in assembly do.
var portableStages = stages{
	kernel:   Scalar,
	block:    portableBlock,
	screen:   screenPortable,
	screen12: screenPortable,
	compact:  compactPortable,
	exact:    [4]func(*sieveRun){exactPortable(9), exactPortable(10), exactPortable(11), exactPortable(12)},
	peaks:    peaksPortable,
	wipe:     wipePortable,
	pack:     packPortable,
}

const portableBlock = 64

// screenPortable finds for each block pixels that cannot be corners. Any cheap test
// that lets all corners pass will do.
func screenPortable(r *sieveRun) {
	for i, offset := range r.offsets {
		r.grid[i] = ^screenBlock(r.pix, r.first+int(offset), r.stride, r.threshold)
	}
}

// Constants for words of eight pixels.
const (
	ones  = 0x0101010101010101
	tops  = 0x80 * ones // the top bits of the bytes
	halfs = 0x7f * ones // the largest half of a pixel
)

// screenBlock returns the mask of the block that begins at pix[at]: the pixels that pass
// the test of the ring pixels 1, 5, 9, 13, 3, 7, 11 and 15, and some more. Of each pair of
// these that lie opposite each other an arc holds at least one. The test compares halves of
// pixels, eight at a time, which leave the top bits of the bytes free, and lets those pass
// that are too close to tell.
func screenBlock(pix []byte, at, stride int, threshold uint8) uint64 {
	above := (*[portableBlock]byte)(pix[at-3*stride:])
	above2 := (*[portableBlock + 4]byte)(pix[at-2*stride-2:])
	row := (*[portableBlock + 6]byte)(pix[at-3:])
	below2 := (*[portableBlock + 4]byte)(pix[at+2*stride-2:])
	below := (*[portableBlock]byte)(pix[at+3*stride:])
	t := ones * uint64(min(threshold, 254)+1)
	mask := uint64(0)
	for x := 0; x < portableBlock; x += 8 {
		c := load(row[x+3:])
		// A half is bright from (c+threshold+1)/2 on. By the top bit of a byte,
		// bright-half tells that it is less. For dark ones the same holds of
		// the negatives.
		limit, negative := mean(c, t), mean(^c, t)
		bright := limit&halfs + halfs
		dark := negative & halfs

		a, b := half(above[x:]), half(below[x:])
		notBright := (bright - a) & (bright - b)
		notDark := (dark + a) & (dark + b)
		a, b = half(row[x:]), half(row[x+6:])
		notBright |= (bright-a)&(bright-b) | limit
		notDark |= (dark+a)&(dark+b) | negative

		a, b = half(above2[x+4:]), half(below2[x:])
		notBright |= (bright - a) & (bright - b)
		notDark |= (dark + a) & (dark + b)
		a, b = half(above2[x:]), half(below2[x+4:])
		notBright |= (bright - a) & (bright - b)
		notDark |= (dark + a) & (dark + b)

		// The top bits of the bytes become the bits of one.
		alive := ^(notBright & notDark) & tops
		mask |= alive >> 7 * 0x0102040810204080 >> 56 << x
	}
	return mask
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

// compactPortable lists the masks that are not zero, with their origins.
func compactPortable(r *sieveRun) {
	r.count = 0
	for i, mask := range r.from {
		if r.allowed != nil {
			mask = r.allowed[i] &^ mask
		}
		if mask != 0 {
			r.masks[r.count], r.origins[r.count] = mask, r.fromOrigins[i]
			r.count++
		}
	}
}

// exactPortable returns the stage that takes the pixels from the listed masks
// that are not corners. With scores it stores a byte for each pixel of the
// blocks: the score of a corner and 1, and 0 for others.
func exactPortable(arc int) func(*sieveRun) {
	return func(r *sieveRun) {
		offsets := ringOffsets(r.stride)
		classes := newClassifier(r.threshold)
		for i, mask := range r.masks[:r.count] {
			row, column := unpack(r.origins[i])
			at := r.base + row*r.stride + column
			var scores []byte
			if r.scores != nil {
				scores = r.scores[row*r.scoreStride+column:][:portableBlock]
				clear(scores)
			}
			for rest := mask; rest != 0; rest &= rest - 1 {
				x := bits.TrailingZeros64(rest)
				switch arcs := arcsAt(r.pix, at+x, &offsets, &classes, arc); {
				case arcs == 0:
					mask &^= rest & -rest
				case scores != nil:
					scores[x] = uint8(bestOfSign(r.pix, at+x, &offsets, arc, sign(arcs)))
				}
			}
			r.masks[i] = mask
		}
	}
}

// unpack returns the row and the column of a position.
func unpack(position uint32) (row, column int) {
	return int(position >> 16), int(position & 0xffff)
}

// peaksPortable takes the pixels from the listed masks whose scores are not
// greater than those of all eight pixels around them, those of the later ones less
// the tie.
func peaksPortable(r *sieveRun) {
	for i, mask := range r.masks[:r.count] {
		row, column := unpack(r.origins[i])
		for rest := mask; rest != 0; rest &= rest - 1 {
			at := row*r.scoreStride + column + bits.TrailingZeros64(rest)
			above := r.scores[at-r.scoreStride-1:][:3]
			here := r.scores[at-1:][:3]
			below := r.scores[at+r.scoreStride-1:][:3]
			earlier := max(above[0], above[1], above[2], here[0])
			later := max(here[2], below[0], below[1], below[2])
			if here[1] <= max(earlier, later-min(later, r.tie)) {
				mask &^= rest & -rest
			}
		}
		r.masks[i] = mask
	}
}

// wipePortable sets the scores of the listed blocks to 0.
func wipePortable(r *sieveRun) {
	for _, origin := range r.origins[:r.count] {
		row, column := unpack(origin)
		clear(r.scores[row*r.scoreStride+column:][:portableBlock])
	}
}

// packPortable lists the positions of the pixels of the listed masks and, where
// there are any, their scores.
func packPortable(r *sieveRun) {
	r.corners = 0
	for i, mask := range r.masks[:r.count] {
		row, column := unpack(r.origins[i])
		for ; mask != 0; mask &= mask - 1 {
			x := bits.TrailingZeros64(mask)
			r.packed[r.corners] = r.origins[i] + uint32(x)
			if r.packedScores != nil {
				r.packedScores[r.corners] = r.scores[row*r.scoreStride+column+x] - 1
			}
			r.corners++
		}
	}
}

// widenPortable makes Corners of the packed positions from number done on.
func widenPortable(dst []Corner, r *sieveRun, done int) {
	for i, position := range r.packed[done:r.corners] {
		row, column := unpack(position)
		c := Corner{X: r.x + int32(column), Y: r.y + int32(row)}
		if r.packedScores != nil {
			c.Score = r.packedScores[done+i]
		}
		dst[done+i] = c
	}
}
