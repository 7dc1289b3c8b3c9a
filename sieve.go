package fast

// appendSieve appends the corners of p, in raster order, to dst.
//
// A row is worked in blocks, one vector each, from x = 0 on. The first stage,
// screen, tests four ring pixels of every pixel and stores one mask a block.
// The masks that are not zero are listed; the second stage, exact, does the
// whole test on the blocks of the list. What is left of them is listed again
// and emitted. With suppression a third stage, peaks, comes between.
//
// The rows of p must not overlap: a read beyond the end of one, other than the
// last, stays in the image.
func appendSieve(dst []Corner, p plane, opts *Options) []Corner {
	s := sieve{
		plane:     p,
		scratch:   newScratch(opts.Kernel),
		arc:       opts.ArcLength,
		threshold: opts.Threshold,
		score:     opts.Score || opts.NonmaxSuppression,
		// Where a row takes several runs it is simpler to suppress at the end.
		nonmax: opts.NonmaxSuppression && p.w <= callPixels,
	}
	n := len(dst)
	if p.w < s.isa.pixels()+2*radius {
		dst = s.appendNarrow(dst)
	} else {
		dst = s.appendWide(dst)
	}
	scratchPool.Put(s.scratch)
	if opts.NonmaxSuppression && !s.nonmax {
		dst = dst[:n+suppress(dst[n:])]
	}
	return dst
}

// allPixels is the mask of a whole word.
const allPixels uint64 = 1<<64 - 1

// A sieve is the work on one image.
type sieve struct {
	plane
	*scratch
	arc           int
	threshold     uint8
	score, nonmax bool
}

// start prepares for runs of so many blocks to a row.
func (s *sieve) start(width int) {
	if s.score {
		s.scoreRows.start(width, s.isa.pixels(), s.nonmax)
	}
	s.setOrigins(originTable{width, s.isa.pixels(), s.rowsAbove()})
}

// rowsAbove returns how many rows of scores lie before those of a run.
func (s *sieve) rowsAbove() int {
	if s.nonmax {
		return carriedRows
	}
	return 0
}

// appendWide does images in which a block fits with the ring around it. Blocks
// may read beyond the end of their row, where the next rows lie.
func (s *sieve) appendWide(dst []Corner) []Corner {
	size := s.isa.pixels()
	width := (s.w - radius + size - 1) / size // blocks to a row
	maxRun := callPixels / size
	s.start(min(width, maxRun))
	bandRows := max(maxRun/width, 1)
	for y := radius; y < s.h-radius; y += bandRows {
		rows := min(bandRows, s.h-radius-y)
		for begin, end := 0, 0; begin < width; begin = end {
			end = min(begin+maxRun, width)
			if end == width-1 {
				end-- // no run consists of the last block alone
			}
			dst = s.appendRun(dst, y, rows, begin, end)
		}
	}
	return dst
}

// appendRun does the blocks from begin to end of so many rows from y on.
func (s *sieve) appendRun(dst []Corner, y, rows, begin, end int) []Corner {
	size := s.isa.pixels()
	x, n := begin*size, end-begin
	masks := s.growBand(rows * n)
	r := run{
		pix:    &s.pix[(y-s.rowsAbove())*s.stride+x],
		stride: s.stride,
		x:      x,
		y:      y,
		rows:   rows,
		final:  len(masks) - 1,
		keep:   allPixels,
	}
	finalOrigin := s.origins[r.final]

	first, last := allPixels, allPixels
	if begin == 0 {
		first <<= radius
	}
	beyond := end*size - (s.w - radius) // pixels of the last block that cannot be corners
	if beyond >= 0 {
		last >>= beyond + 64 - size
	}
	if beyond < 0 || y+rows < s.h-radius {
		s.screen(masks, x, y, rows, n, first, last)
	} else {
		// The last block of the image's last row would read beyond the image.
		// In its place comes the one that ends with the row, of which those
		// pixels are dropped later that the block before has, too.
		if rows > 1 {
			s.screen(masks, x, y, rows-1, n, first, last)
		}
		bottom := y + rows - 1
		s.screen(masks[r.final-n+1:], x, bottom, 1, n-1, first, allPixels)
		s.screen(masks[r.final:], s.w-radius-size, bottom, 1, 1, allPixels, allPixels)
		s.origins[r.final] -= uint32(beyond)
		r.keep = allPixels << beyond
	}
	if y == radius && begin == 0 {
		// A ring pixel of the image's first block lies before the image. The
		// block at x = 3 takes its place.
		masks[0] >>= radius
		s.origins[0] += radius
	}
	corners := s.finish(dst, masks, r)
	if y == radius && begin == 0 {
		s.origins[0] -= radius
	}
	s.origins[r.final] = finalOrigin
	return corners
}

// appendNarrow does images that are narrower than a block with the ring around
// it: one block a row, from x = 3 on, in a copy with enough room behind.
func (s *sieve) appendNarrow(dst []Corner) []Corner {
	size := s.isa.pixels()
	stride := size + 8 // a block with the ring around it
	bandRows := callPixels / stride
	s.start(1)
	// There is room for a band, the rows of the ring and, behind the last
	// pixel, the 64 bytes that the first stage reads beyond a block.
	var padded [callPixels + 2*radius*(64+8) + 64]byte
	for y := radius; y < s.h-radius; y += bandRows {
		rows := min(bandRows, s.h-radius-y)
		for i := range rows + 2*radius {
			copy(padded[i*stride:], s.pix[(y-radius+i)*s.stride:][:s.w])
		}
		masks := s.growBand(rows)
		screen(s.isa, s.arc, &masks[0], &padded[radius*stride+radius], stride, rows, 1,
			allPixels>>(64+2*radius-s.w), allPixels, s.threshold)
		dst = s.finish(dst, masks, run{
			pix:    &padded[(radius-s.rowsAbove())*stride+radius],
			stride: stride,
			x:      radius,
			y:      y,
			rows:   rows,
			final:  rows - 1,
			keep:   allPixels,
		})
	}
	return dst
}

// screen runs the first stage on so many rows of blocks from the pixel x, y on.
func (s *sieve) screen(masks []uint64, x, y, rows, blocks int, first, last uint64) {
	screen(s.isa, s.arc, &masks[0], &s.pix[y*s.stride+x], s.stride, rows, blocks, first, last, s.threshold)
}

// A run is what finish has to know of a run of blocks.
type run struct {
	pix        *byte // the pixel that origins count from
	stride     int
	x, y, rows int
	final      int    // the index of the last block
	keep       uint64 // the pixels of the last block that no other block has
}

// finish runs the other stages on the masks of a run.
func (s *sieve) finish(dst []Corner, masks []uint64, r run) []Corner {
	c := s.carried
	scores := s.scoreRows.first()
	n := s.compact(c, masks, s.origins[:])
	if n > 0 {
		exact(s.isa, s.arc, &s.hits[c], &s.hitOrigins[c], n, r.pix, r.stride, s.threshold, scores, s.scoreRows.stride)
		// In the smallest images the first and the last block have the same
		// origin; then the last one is left whenever the first is.
		if last := c + n - 1; s.hitOrigins[last] == s.origins[r.final] {
			s.hits[last] &= r.keep
		}
		n = s.compact(c, s.hits[c:c+n], s.hitOrigins[c:])
	}
	if !s.nonmax {
		return s.emit(dst, n, r.x, r.y)
	}

	// The last row waits for the one below it, in the next run.
	all, ready := c+n, c+n
	bottom := uint32(carriedRows + r.rows - 1)
	more := r.y+r.rows < s.h-radius
	if more {
		for ready > 0 && s.hitOrigins[ready-1]>>16 == bottom {
			ready--
		}
	}
	if ready > 0 {
		peaks(s.isa, &s.hits[0], &s.hitOrigins[0], ready, scores, s.scoreRows.stride)
		dst = s.emit(dst, ready, r.x, r.y-carriedRows)
	}
	s.scoreRows.advance(r.rows, more)
	if n > 0 {
		wipe(s.isa, &s.hitOrigins[c], n, scores, s.scoreRows.stride)
	}
	for i := range s.hitOrigins[ready:all] {
		s.hits[i] = s.hits[ready+i]
		s.hitOrigins[i] = s.hitOrigins[ready+i] - uint32(r.rows)<<16
	}
	s.carried = all - ready
	return dst
}

// carriedRows is how many rows of scores are carried from a run to the next:
// one that is not settled yet and the one above it.
const carriedRows = 2

// scoreRows holds a byte for each pixel of a run's rows: 0, or the score of a
// corner and 1. Before each row, and behind the last, lie zeros.
type scoreRows struct {
	// The longest row needs the most: itself, those carried and one below.
	bytes   [5 * callPixels]byte
	dirty   bool // bytes are not all 0 between two images
	stride  int  // 0 where there are no scores
	pixels  int  // of a block, and of the zeros before a row
	carried int  // blocks in the row that is not settled yet
}

// start prepares for rows of so many blocks of so many pixels. With suppression
// all bytes are 0 to begin with.
func (r *scoreRows) start(width, pixels int, nonmax bool) {
	r.stride = (width + 1) * pixels
	r.pixels = pixels
	if nonmax && r.dirty {
		clear(r.bytes[:])
	}
	r.dirty = !nonmax
}

// first returns the place of the first pixel, or nil where there are no scores.
func (r *scoreRows) first() *byte {
	if r.stride == 0 {
		return nil
	}
	return &r.bytes[r.pixels]
}

// advance moves the last rows of a run with so many rows to the front, or clears
// those in front when no more come.
func (r *scoreRows) advance(rows int, more bool) {
	front := r.bytes[:carriedRows*r.stride]
	if more {
		copy(front, r.bytes[rows*r.stride:])
	} else {
		clear(front)
	}
}
