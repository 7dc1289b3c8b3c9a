package fast

import (
	"slices"

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

// A blockMemory is the memory of a lane for a band of rows.
type blockMemory struct {
	run    blockRun
	band   []uint64 // masks of 64 pixels, of which bit 0 of a row's first can be a corner
	ends   [maxBlockRows]uint64
	padded [maxPadded]byte
}

// A blockFinder is the work of a block kernel on one image.
type blockFinder struct {
	raster.Plane
	*blockMemory
	width     int // masks to a row
	room      int // pixels of a blockRun at most
	threshold uint8
}

// searchByBlocks appends the corners of p, in raster order and without suppression, to dst. The
// rows are worked in bands, whose corners are emitted before the next by the stages of a sieve.
func (l *lane) searchByBlocks(dst []Corner, p raster.Plane, st *stages, kernels []blockKernel, opts *Options) []Corner {
	before := len(dst)
	f := blockFinder{p, &l.blocks, (p.W - 2*radius + 63) / 64, l.room, opts.Threshold}
	bandRows := max(l.room/64/f.width/maxBlockRows, 1) * maxBlockRows
	for y := radius; y < p.H-radius; y += bandRows {
		rows := min(bandRows, p.H-radius-y)
		n := rows * f.width
		f.band = resizeMasks(f.band, n)
		clear(f.band)
		f.findRows(f.band, y, rows, kernels)
		dst = l.emitBand(dst, st, f.band, f.width, y)
	}
	f.run = blockRun{}
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
