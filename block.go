package fast

// appendHits appends the corners of p, in raster order and without scores, to
// dst. The rows are worked in bands; a kernel sets the hits of a band, and they
// are emitted before the next one.
func appendHits(dst []Corner, p plane, opts *Options) []Corner {
	// Bit 0 of a row of hits is the first pixel that can be a corner.
	width := (p.w - 2*radius + 63) / 64
	bandRows := max(runWords/width/maxBlockRows, 1) * maxBlockRows
	s := scratchPool.Get().(*scratch)
	for y := radius; y < p.h-radius; y += bandRows {
		rows := min(bandRows, p.h-radius-y)
		hits := s.zeroHits(rows * width)
		if opts.Kernel == Scalar {
			findScalar(hits, width, p, y, rows, opts)
		} else {
			findBlocks(hits, width, p, y, rows, opts)
		}
		dst = s.emit(dst, hits, width, radius, y)
	}
	scratchPool.Put(s)
	return dst
}

// findScalar sets the hits of rows rows from y on.
func findScalar(hits []uint64, width int, p plane, y, rows int, opts *Options) {
	offsets := ringOffsets(p.stride)
	for ; rows > 0; rows, y = rows-1, y+1 {
		for x := radius; x < p.w-radius; x++ {
			i := y*p.stride + x
			var corner bool
			if opts.ArcLength == 10 {
				corner = isCorner10(p.pix, i, offsets, opts.Threshold)
			} else {
				corner = isCorner(p.pix, i, offsets, opts.Threshold, opts.ArcLength)
			}
			if corner {
				hits[(x-radius)/64] |= 1 << ((x - radius) % 64)
			}
		}
		hits = hits[width:]
	}
}

const maxBlockRows = 8

func findBlocks(hits []uint64, width int, p plane, y, rows int, opts *Options) {}
