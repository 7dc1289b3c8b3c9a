package consensus

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// Block is the number of pairs after which a sample may be given up. Masks have bits for so many,
// or for a multiple of it.
const Block = 64

// MaskSize returns the number of bytes for the masks of n pairs, a multiple of 8.
func MaskSize(n int) int {
	return (n + Block - 1) / Block * (Block / 8)
}

// Count returns how many bits are set. The length is a multiple of 8.
func Count(masks []byte) int {
	n := 0
	for ; len(masks) >= 8; masks = masks[8:] {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(masks))
	}
	return n
}

// Members returns the numbers of the first n bits that are set.
func Members(masks []byte, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, mask := range masks[:(n+7)/8] {
			for ; mask != 0; mask &= mask - 1 {
				if !yield(8*i + bits.TrailingZeros8(mask)) {
					return
				}
			}
		}
	}
}
