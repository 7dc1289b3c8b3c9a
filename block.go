package fast

import (
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/raster"
)

// A blockKernel finds FAST-10 corners in blocks of w by h pixels, the method of
// the paper that the library began with.
type blockKernel struct {
	kernel Kernel // that it is
	w, h   int
	find   func(*blockRun)
}

// A blockRun is some blocks side by side.
type blockRun struct {
	pix        *byte // the first pixel of the first block
	stride     int
	masks      *uint64 // with bit 0 for that pixel, zero before
	maskStride int     // bytes from the masks of a row to those of the next
	blocks     int     // how many, at least 1
	threshold  uint8
}

// maxBlockRows is the height of the tallest block. Bands have a multiple of it.
const maxBlockRows = 8

// A blockScratch is the memory for a band of rows, reused like a scratch.
type blockScratch struct {
	run    blockRun
	band   []uint64 // masks of 64 pixels, of which bit 0 of a row's first can be a corner
	ends   [maxBlockRows]uint64
	padded [maxPadded]byte
}

var blockScratchPool = sync.Pool{New: func() any { return new(blockScratch) }}

// A blockFinder is the work of a block kernel on one image.
type blockFinder struct {
	raster.Plane
	*blockScratch
	width     int // masks to a row
	room      int // pixels of a blockRun at most
	threshold uint8
}

// appendBlocks appends the corners of p, in raster order and without suppression, to dst. The
// rows are worked in bands, whose corners are emitted before the next by the stages of a sieve.
func appendBlocks(dst []Corner, p raster.Plane, st *stages, kernels []blockKernel, opts *Options) []Corner {
	before := len(dst)
	s := scratchPool.Get().(*scratch)
	f := blockFinder{p, blockScratchPool.Get().(*blockScratch), (p.W - 2*radius + 63) / 64, s.room, opts.Threshold}
	bandRows := max(s.room/64/f.width/maxBlockRows, 1) * maxBlockRows
	for y := radius; y < p.H-radius; y += bandRows {
		rows := min(bandRows, p.H-radius-y)
		n := rows * f.width
		f.band = resizeMasks(f.band, n)
		clear(f.band)
		f.findRows(f.band, y, rows, kernels)
		dst = s.emitBand(dst, st, f.band, f.width, y)
	}
	s.release()
	f.run = blockRun{}
	blockScratchPool.Put(f.blockScratch)
	if opts.Score || opts.NonmaxSuppression {
		scoreCorners(dst[before:], p, opts.ArcLength)
	}
	return dst
}

// scoreCorners fills in the scores of the corners of p.
func scoreCorners(corners []Corner, p raster.Plane, arc int) {
	offsets := ringOffsets(p.Stride)
	for i := range corners {
		c := &corners[i]
		c.Score = uint8(bestDifference(p.Pix, int(c.Y)*p.Stride+int(c.X), &offsets, arc) - 1)
	}
}

// findRows makes the masks of rows from y on, in rows of blocks: of those of the last
// kernel, and of the others, which are flatter, where too few rows are left.
func (f *blockFinder) findRows(masks []uint64, y, rows int, kernels []blockKernel) {
	for i := range slices.Backward(kernels) {
		k := &kernels[i]
		for ; rows >= k.h; rows -= k.h {
			f.findRow(masks, y, k)
			masks = masks[k.h*f.width:]
			y += k.h
		}
	}
}

// findRow makes the masks of one row of blocks.
func (f *blockFinder) findRow(masks []uint64, y int, k *blockKernel) {
	candidates := f.W - 2*radius
	// Whole blocks, not too many at a time, but always whole masks.
	n := candidates / k.w
	most := max(f.room/(64*k.h), 1) * (64 / k.w)
	for i := 0; i < n; i += most {
		first := i * k.w
		f.find(k, &masks[first/64], f.width, &f.Pix[y*f.Stride+radius+first], f.Stride, min(most, n-i))
	}
	if n*k.w < candidates {
		f.peel(masks, y, n*k.w, k)
	}
}

// find calls the kernel. maskStride counts masks.
func (f *blockFinder) find(k *blockKernel, masks *uint64, maskStride int, pix *byte, stride, blocks int) {
	r := &f.run
	r.pix, r.stride = pix, stride
	r.masks, r.maskStride = masks, 8*maskStride
	r.blocks = blocks
	r.threshold = f.threshold
	k.find(r)
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

// emitBand appends the corners of a band, whose first row is y, to dst. The width
// counts the masks of a row.
func (s *scratch) emitBand(dst []Corner, st *stages, band []uint64, width, y int) []Corner {
	most := s.room / 64
	s.setLayout(layout{block: 64, rows: max(most/width, 1), blocks: min(width, most), width: width})
	if width <= most {
		for rows := most / width; len(band) > 0; y += rows {
			n := min(rows*width, len(band))
			dst = s.emitMasks(dst, st, band[:n], radius, y)
			band = band[n:]
		}
		return dst
	}
	for ; len(band) > 0; y++ {
		for i := 0; i < width; i += most {
			dst = s.emitMasks(dst, st, band[i:min(i+most, width)], radius+64*i, y)
		}
		band = band[width:]
	}
	return dst
}

// emitMasks appends the corners of a run of masks, whose first pixel is x, y, to
// dst.
func (s *scratch) emitMasks(dst []Corner, st *stages, masks []uint64, x, y int) []Corner {
	n := s.listMasks(st, 0, masks, nil, s.gridOrigins)
	return s.emit(dst, st, n, 64*n, x, y)
}
