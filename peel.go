package fast

import "unsafe"

// peel sets the hits of the end of a row of blocks: the pixels from the
// candidate done on, too few for a block. It takes the block that ends with the
// row and drops what is done already.
func peel(hits []uint64, width int, p plane, y, done int, k Kernel, threshold uint8) {
	block := kernels[k].block
	candidates := p.w - 2*radius
	shift := done - (candidates - block.w) // pixels of the block that are done
	pix, stride := p.pix[y*p.stride:], p.stride
	if candidates < block.w {
		// The row is narrower than a block. A copy, with zeros at its end, is
		// wide enough; its pixels beyond the row are dropped.
		var padded [maxPadded]byte
		shift = 0
		stride = block.w + 2*radius
		for row := range block.h + 2*radius {
			start := (y + row - radius) * p.stride
			copy(padded[row*stride:], p.pix[start:start+p.w])
		}
		pix = padded[radius*stride:]
	}
	var ends [maxBlockRows]uint64
	x := radius + done - shift
	blocks(k, &ends[0], int(unsafe.Sizeof(ends[0])), &pix[x], stride, 1, threshold)
	keep := uint64(1)<<(candidates-done) - 1
	for row, end := range ends[:block.h] {
		// The bits lie in one word: they are fewer than a block has, and the
		// width of a block divides 64.
		hits[row*width+done/64] |= end >> shift & keep << (done % 64)
	}
}

// maxPadded is the size of a padded copy: a block and the ring around it. That
// of 64 by 1 pixels is the largest.
const maxPadded = (64 + 2*radius) * (1 + 2*radius)
