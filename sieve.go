package fast

// appendSieve appends the corners of p, in raster order and without scores, to
// dst.
//
// A row is worked in blocks, one vector each, from x = 0 on. The first stage,
// screen, tests four ring pixels of every pixel and stores one mask a block.
// The masks that are not zero are listed; the second stage, exact, does the
// whole test on the blocks of the list. What is left of them is listed again
// and emitted.
func appendSieve(dst []Corner, p plane, opts *Options) []Corner {
	if p.stride < p.w {
		// The rows overlap: a read beyond the end of one may leave the image.
		return appendHits(dst, p, &Options{ArcLength: opts.ArcLength, Threshold: opts.Threshold, Kernel: Scalar})
	}
	s := sieve{
		plane:     p,
		scratch:   newScratch(opts.Kernel),
		arc:       opts.ArcLength,
		threshold: opts.Threshold,
	}
	if p.w < s.isa.pixels()+2*radius {
		dst = s.appendNarrow(dst)
	} else {
		dst = s.appendWide(dst)
	}
	scratchPool.Put(s.scratch)
	return dst
}

type sieve struct {
	plane
	*scratch
	arc       int
	threshold uint8
}

const allPixels = ^uint64(0)

// appendWide does images in which a block fits with the ring around it. Blocks
// may read beyond the end of their row, where the next rows lie.
func (s *sieve) appendWide(dst []Corner) []Corner {
	size := s.isa.pixels()
	width := (s.w - radius + size - 1) / size // blocks to a row
	maxRun := callPixels / size
	s.setOrigins(min(width, maxRun), size)
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
	final := len(masks) - 1 // the last block of the last row
	origins := &s.scratch.origins
	finalOrigin := origins[final]

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
		// In its place comes the one that ends with the row, without the
		// pixels that the two have in common with the block before.
		if rows > 1 {
			s.screen(masks, x, y, rows-1, n, first, last)
		}
		bottom := y + rows - 1
		s.screen(masks[final-n+1:], x, bottom, 1, n-1, first, allPixels)
		s.screen(masks[final:], s.w-radius-size, bottom, 1, 1, allPixels<<beyond, allPixels)
		origins[final] -= uint32(beyond)
	}
	if y == radius && begin == 0 {
		// A ring pixel of the image's first block lies before the image. The
		// block at x = 3 takes its place.
		masks[0] >>= radius
		origins[0] = radius
	}
	dst = s.finish(dst, masks, &s.pix[y*s.stride+x], s.stride, x, y)
	origins[0], origins[final] = 0, finalOrigin
	return dst
}

// appendNarrow does images that are narrower than a block with the ring around
// it: one block a row, from x = 3 on, in a copy with enough room behind.
func (s *sieve) appendNarrow(dst []Corner) []Corner {
	size := s.isa.pixels()
	stride := size + 8 // a block with the ring around it
	bandRows := callPixels / stride
	s.setOrigins(1, size)
	var padded [callPixels + 64 + 2*radius*(64+8)]byte
	for y := radius; y < s.h-radius; y += bandRows {
		rows := min(bandRows, s.h-radius-y)
		for i := range rows + 2*radius {
			copy(padded[i*stride:], s.pix[(y-radius+i)*s.stride:][:s.w])
		}
		copied := *s
		copied.plane = plane{padded[:], stride, stride, rows + 2*radius}
		masks := s.growBand(rows)
		copied.screen(masks, radius, radius, rows, 1, allPixels>>(64+2*radius-s.w), allPixels)
		dst = copied.finish(dst, masks, &padded[radius*stride+radius], stride, radius, y)
	}
	return dst
}

// screen runs the first stage on blocks blocks from the pixel x, y on, in so
// many rows.
func (s *sieve) screen(masks []uint64, x, y, rows, blocks int, first, last uint64) {
	screen(s.isa, s.arc, &masks[0], &s.pix[y*s.stride+x], s.stride, rows, blocks, first, last, s.threshold)
}

// finish runs the other stages on the masks of a run that begins at pix, the
// pixel x, y.
func (s *sieve) finish(dst []Corner, masks []uint64, pix *byte, stride, x, y int) []Corner {
	n := s.compact(masks, &s.origins)
	if n == 0 {
		return dst
	}
	exact(s.isa, s.arc, &s.hits[0], &s.hitOrigins[0], n, pix, stride, s.threshold)
	n = s.compact(s.hits[:n], &s.hitOrigins)
	return s.emit(dst, n, x, y)
}
