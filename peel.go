package fast

// peel makes the masks of the end of a row of blocks: of the pixels from candidate
// number done on, which are too few for a block. It takes the block that ends with the
// row and drops the pixels that are done already.
func (f *blockFinder) peel(masks []uint64, y, done int, k *blockKernel) {
	candidates := f.W - 2*radius
	shift := done - (candidates - k.w) // pixels of the block that are done
	pix, stride := f.Pix[y*f.Stride:], f.Stride
	if candidates < k.w {
		// The row is narrower than a block. A copy is wide enough; its pixels
		// beyond the row are dropped.
		shift = 0
		stride = k.w + 2*radius
		for row := range k.h + 2*radius {
			start := (y + row - radius) * f.Stride
			copy(f.padded[row*stride:], f.Pix[start:start+f.W])
		}
		pix = f.padded[radius*stride:]
	}
	clear(f.ends[:])
	f.find(k, &f.ends[0], 1, &pix[radius+done-shift], stride, 1)
	keep := uint64(1)<<(candidates-done) - 1
	for row, end := range f.ends[:k.h] {
		// The bits lie in one mask: they are fewer than a block has, and the
		// width of a block divides 64.
		masks[row*f.width+done/64] |= end >> shift & keep << (done % 64)
	}
}

// maxPadded is the size of a padded copy: a block and the ring around it. That
// of 64 by 1 pixels is the largest.
const maxPadded = (64 + 2*radius) * (1 + 2*radius)
