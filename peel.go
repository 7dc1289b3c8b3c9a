package fast

// No kernel reads outside the image, and none falls back to single pixels at its edges: they are
// peeled. This file has all of that:
//
//   - The first block of a sieve would read ring pixels before the image, so it begins 3 pixels
//     later.
//   - The last block of a row may read beyond its end, into the next row. That of the last row, and
//     each one of a block kernel, is moved to the left to end with the row, and the pixels that it
//     shares with the block before it are masked off.
//   - Rows that are narrower than a block are copied, with room around them.
//
// Rows that are left below the last row of tall blocks go through flatter blocks; see findRows.

// peelFirst moves the image's first block, if it is the first one of the list, so that its ring lies
// in the image.
func (s *sieve) peelFirst() {
	if r := &s.run; r.origins[0] == s.gridOrigins[0] && !s.copied {
		r.masks[0] >>= radius
		r.origins[0] += radius
	}
}

// peelsLast reports whether the last block of a run would read beyond the image.
func (s *sieve) peelsLast(e extent) bool {
	return !s.copied && e.end == s.width && e.y+e.rows == s.H-radius && s.beyond() > 0
}

// peelLast lists, after n others, the block that ends with the image, in place of block i of the
// grid. It returns the number of masks in the list, and by how many pixels the last one was moved to
// the left.
func (s *sieve) peelLast(n, i int) (listed, shift int) {
	r, grid := &s.run, s.grid[i:i+1]
	r.first += int(s.gridOffsets[i]) - s.beyond()
	s.screenBlocks(grid, nil)
	mask := ^grid[0] & (allPixels >> (64 - s.block))
	if mask == 0 {
		return n, 0
	}
	r.masks[n], r.origins[n] = mask, s.gridOrigins[i]-uint32(s.beyond())
	return n + 1, s.beyond()
}

// beyond returns how many pixels of the last block of a row cannot be corners.
func (s *sieve) beyond() int {
	return s.width*s.block - (s.W - radius)
}

const (
	// copyMargin is how many bytes copies of runs have before and behind them, which
	// are read.
	copyMargin = maxBlock
	// copyPadding is how many bytes a row of a copy has besides its blocks: the ring,
	// and two more so that the rows do not follow each other without a gap.
	copyPadding = 2*radius + 2
)

// runStride returns the bytes from a row of a run to the next.
func (s *sieve) runStride() int {
	if s.copied {
		return s.runBlocks*s.block + copyPadding
	}
	return s.Stride
}

// copyRows returns how many rows of the given number of blocks a copy has room for.
func (s *sieve) copyRows(blocks int) int {
	return (len(s.padded)-2*copyMargin)/(blocks*s.block+copyPadding) - 2*radius
}

// copyRun makes the run work on a copy of its pixels, with the ring around them
// and anything where the image has none.
func (s *sieve) copyRun(e extent) {
	r := &s.run
	r.pix = s.padded
	r.first = copyMargin + radius*r.stride + radius
	left := e.begin*s.block - radius // the column of a copied row's first pixel
	right := min(left+r.stride, s.W)
	for i := range e.rows + 2*radius {
		row := s.Pix[(e.y-radius+i)*s.Stride:][max(left, 0):right]
		copy(s.padded[copyMargin+i*r.stride+max(-left, 0):], row)
	}
}

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
