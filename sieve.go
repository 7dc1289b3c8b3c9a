package fast

import (
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

// searchBySieve appends the corners of p, in raster order, to dst. It reports whether it has
// suppressed those that Options.NonmaxSuppression drops.
//
// A row is worked on in blocks from x = 0 on. The first stage, screen, tests some
// ring pixels of every pixel and makes a mask for each block. The masks that are
// not empty are listed; the second stage, exact, does the whole test on the
// blocks of the list. The masks that are left are listed again, and their corners
// emitted. With suppression a third stage, peaks, comes before that.
func (l *lane) searchBySieve(dst []Corner, p raster.Plane, st *stages, opts *Options) (corners []Corner, suppressed bool) {
	s := l.newSieve(p, st, opts)
	for y := radius; y < p.H-radius; y += s.runRows {
		rows := min(s.runRows, p.H-radius-y)
		for begin, end := 0, 0; begin < s.width; begin = end {
			end = min(begin+s.runBlocks, s.width)
			if end == s.width-1 && !s.copied {
				end-- // the last block of a row has one before it
			}
			dst = s.searchRun(dst, extent{y, rows, begin, end})
		}
	}
	return dst, s.nonmax
}

// A sieve is the work on one image.
type sieve struct {
	raster.Plane
	*stages
	*lane
	arc    int
	nonmax bool // suppression is done run by run
	copied bool // runs work on copies of their pixels

	width              int // blocks to a row of the image
	runBlocks, runRows int // of a run at most
	carried            int // masks at the front of the list that are not settled yet
}

// newSieve prepares for an image.
func (l *lane) newSieve(p raster.Plane, st *stages, opts *Options) sieve {
	s := sieve{
		Plane:  p,
		stages: st,
		lane:   l,
		arc:    opts.ArcLength,
		width:  (p.W - radius + st.block - 1) / st.block,
		// Blocks may read beyond the end of their row, into the next ones, but
		// not beyond the image.
		copied: p.W < st.block+2*radius || p.Stride < st.block,
	}
	blocks := s.room / st.block
	s.runRows = max(blocks/s.width, 1)
	if s.copied {
		blocks = max(blocks/8, 1) // the ring makes 7 rows of one
		s.runRows = min(s.runRows, s.copyRows(min(s.width, blocks)))
	}
	s.runBlocks = min(s.width, blocks)
	if s.runBlocks < s.width {
		s.runRows = 1
	}
	// Where a row takes several runs it is simpler to suppress at the end.
	s.nonmax = opts.NonmaxSuppression && s.runBlocks == s.width

	// No offset in a run exceeds 31 bits.
	s.runRows = min(s.runRows, 1+math.MaxInt32/2/s.runStride())
	s.setLayout(layout{
		block: st.block, rows: s.runRows, blocks: s.runBlocks, stride: s.runStride(),
		width: s.width, left: allPixels &^ (1<<radius - 1), right: allPixels >> (s.beyond() + 64 - st.block),
	})
	s.run.threshold = opts.Threshold
	s.run.tie = tie(opts)
	if opts.Score || opts.NonmaxSuppression {
		s.startScores(s.runRows, s.nonmax)
	}
	return s
}

// An extent is the place of a run in the image: the blocks from begin to end of
// rows from y on.
type extent struct{ y, rows, begin, end int }

// searchRun appends the corners of a run to dst.
func (s *sieve) searchRun(dst []Corner, e extent) []Corner {
	r := &s.run
	r.stride = s.runStride()
	if s.copied {
		s.copyRun(e)
	} else {
		r.pix = s.Pix
		r.first = e.y*s.Stride + e.begin*s.block
	}
	r.base = r.first - carriedRows*r.stride
	n := s.test(e)
	if s.nonmax {
		return s.settle(dst, e, n)
	}
	return s.emit(dst, s.stages, n, n*s.block, e.begin*s.block, e.y)
}

// test lists the masks of a run, takes the pixels from them that are not corners,
// and lists again. It returns how many masks are left. They follow those carried.
func (s *sieve) test(e extent) int {
	r := &s.run
	n, shift := s.listCandidates(e)
	if n == 0 {
		return 0
	}
	r.count = n
	s.exact[s.arc-9](r)
	r.masks[n-1] &= allPixels << shift // the block before has the others, too
	return s.listMasks(s.stages, s.carried, r.masks[:n], nil, r.origins)
}

// listCandidates lists the masks of what may be corners, and returns how many there
// are and by how many pixels the block of the last one has been moved to the left.
func (s *sieve) listCandidates(e extent) (n, shift int) {
	r := &s.run
	r.blocks = e.end - e.begin
	grid, last := s.grid[:e.rows*r.blocks], s.peelsLast(e)
	if last {
		grid = grid[:len(grid)-1]
	}
	allowed := s.allowed[e.begin:]
	s.screenBlocks(grid, allowed)
	n = s.listMasks(s.stages, s.carried, grid, allowed, s.gridOrigins)
	if n > 0 && e.y == radius && e.begin == 0 {
		s.peelFirst()
	}
	if last {
		return s.peelLast(n, len(grid))
	}
	return n, 0
}

// screenBlocks makes the masks of blocks from pix[first] on.
func (s *sieve) screenBlocks(grid, allowed []uint64) {
	r := &s.run
	r.grid, r.allowed, r.offsets = grid, allowed, s.gridOffsets[:len(grid)]
	if s.arc == 12 {
		s.screen12(r)
	} else {
		s.screen(r)
	}
}

// settle appends those corners to dst whose neighbors are all known: of the
// list, which ends with n masks of this run, all but those of the last row, which
// are carried to the next run if there is one.
func (s *sieve) settle(dst []Corner, e extent, n int) []Corner {
	r := &s.run
	all, ready := s.carried+n, s.carried+n
	more := e.y+e.rows < s.H-radius
	if more {
		for bottom := uint32(carriedRows + e.rows - 1); ready > 0 && s.listOrigins[ready-1]>>16 == bottom; {
			ready--
		}
	}
	if ready > 0 {
		r.masks, r.origins, r.count = s.list, s.listOrigins, ready
		s.peaks(r)
		// Of two neighbors one at most is left.
		dst = s.emit(dst, s.stages, ready, ready*s.block/2, e.begin*s.block, e.y)
	}
	s.advanceScores(e.rows, more)
	if n > 0 {
		r.origins, r.count = s.listOrigins[s.carried:], n
		s.wipe(r)
	}
	for i := range all - ready {
		s.list[i] = s.list[ready+i]
		s.listOrigins[i] = s.listOrigins[ready+i] - uint32(e.rows)<<16
	}
	s.carried = all - ready
	return dst
}

// startScores prepares the scores for runs of the given number of rows.
func (s *sieve) startScores(rows int, nonmax bool) {
	r := &s.run
	// Before each row, and behind the last, lie zeros.
	r.scoreStride = (s.runBlocks + 1) * s.block
	r.scores = s.scores[maxBlock:]
	_ = r.scores[(carriedRows+rows+1)*r.scoreStride+maxBlock-1]
	if nonmax && s.dirty {
		clear(s.scores)
	}
	s.dirty = !nonmax
}

// advanceScores moves the last ones of a run's rows to the front, or clears those in
// front when no more come.
func (s *sieve) advanceScores(rows int, more bool) {
	r := &s.run
	front := r.scores[:carriedRows*r.scoreStride]
	if more {
		copy(front, r.scores[rows*r.scoreStride:])
	} else {
		clear(front)
	}
}
