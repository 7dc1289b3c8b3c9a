package fast

import "unsafe"

// maxBlockRows is the height of the tallest block. Bands have a multiple of it.
const maxBlockRows = 8

// appendHits appends the corners of p, in raster order and without scores, to
// dst. The rows are worked in bands; a kernel sets the hits of a band, and they
// are emitted before the next one.
func appendHits(dst []Corner, p plane, kernel Kernel, opts *Options) []Corner {
	// Bit 0 of a row of hits is the first pixel that can be a corner.
	width := (p.w - 2*radius + 63) / 64
	bandRows := max(callPixels/64/width/maxBlockRows, 1) * maxBlockRows
	s := newScratch(kernel)
	for y := radius; y < p.h-radius; y += bandRows {
		rows := min(bandRows, p.h-radius-y)
		hits := s.growBand(rows * width)
		clear(hits)
		if kernel.isBlock() {
			findBlocks(hits, width, p, y, rows, kernel, opts.Threshold)
		} else {
			findScalar(hits, width, p, y, rows, opts)
		}
		dst = s.emitRows(dst, hits, width, radius, y)
	}
	scratchPool.Put(s)
	return dst
}

// findBlocks sets the hits of so many rows from y on, in rows of blocks. The
// last rows, too few for a block, are left to the next flatter shape.
func findBlocks(hits []uint64, width int, p plane, y, rows int, k Kernel, threshold uint8) {
	block := kernels[k].block
	for ; rows >= block.h; rows -= block.h {
		findBlockRow(hits, width, p, y, k, threshold)
		hits = hits[block.h*width:]
		y += block.h
	}
	if rows > 0 {
		findBlocks(hits, width, p, y, rows, k-1, threshold)
	}
}

// findBlockRow sets the hits of one row of blocks.
func findBlockRow(hits []uint64, width int, p plane, y int, k Kernel, threshold uint8) {
	const wordBytes = int(unsafe.Sizeof(hits[0]))
	block := kernels[k].block
	candidates := p.w - 2*radius
	// Whole blocks, not too many at a time.
	n := candidates / block.w
	maxBlocks := callPixels / (block.w * block.h)
	for i := 0; i < n; i += maxBlocks {
		first := i * block.w
		blocks(k, &hits[first/64], width*wordBytes, &p.pix[y*p.stride+radius+first], p.stride, min(maxBlocks, n-i), threshold)
	}
	if n*block.w < candidates {
		peel(hits, width, p, y, n*block.w, k, threshold)
	}
}
