package fast

import (
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// partPixels is about the least number of pixels that a worker takes at a time. It is small
// enough that nobody waits long for the last part.
const partPixels = 1 << 16

// appendShared is appendCorners with the rows shared among up to opts.Workers
// goroutines, the caller's among them.
func appendShared(dst []Corner, p raster.Plane, opts *Options) []Corner {
	share := kernels[opts.Kernel].share
	pixels := int64(p.W) * int64(p.H)
	workers := int(min(int64(opts.Workers), pixels/int64(share)))
	if workers <= 1 {
		return appendCorners(dst, p, opts)
	}
	return appendParts(dst, p, opts, workers, max(min(partPixels, share)/p.W, 1))
}

// appendCorners appends the corners of p to dst. p is large enough to have some,
// and the threshold low enough.
func appendCorners(dst []Corner, p raster.Plane, opts *Options) []Corner {
	k := &kernels[opts.Kernel]
	st := k.sieves.Best()
	before, suppressed := len(dst), false
	if k.blocks == nil {
		dst, suppressed = appendSieve(dst, p, st, opts)
	} else {
		dst = appendBlocks(dst, p, st, k.blocks, opts)
	}
	if opts.NonmaxSuppression && !suppressed {
		dst = dst[:before+suppress(dst[before:], tie(opts))]
	}
	return dst
}

// appendParts is appendCorners by a number of workers, in parts of at least the given
// number of rows.
func appendParts(dst []Corner, p raster.Plane, opts *Options, workers, rows int) []Corner {
	j := &job{Plane: p, opts: *opts, workers: workers, rows: rows, begin: radius, end: p.H - radius}
	worker.Run("fast", workers, func() {
		for begin, end, _ := j.take(true); begin < end; begin, end, _ = j.take(true) {
			dst = j.appendPart(dst, begin, end)
		}
	}, func(int) { j.fromBack() })
	n := 0
	for _, corners := range j.found {
		n += len(corners)
	}
	dst = slices.Grow(dst, n)
	for _, corners := range slices.Backward(j.found) {
		dst = append(dst, corners...)
	}
	for _, buffer := range j.buffers {
		bufferPool.Put(buffer)
	}
	return dst
}

// A job is an image whose rows are worked on in parts. The caller takes parts from
// the first row on, whose corners it can append at once, and the other workers take parts
// from the last row on. Parts are large in the beginning, since starting in another place
// of the image takes time, and small where the workers meet.
type job struct {
	raster.Plane
	opts    Options
	workers int
	rows    int // of a part, at least

	mu         sync.Mutex
	begin, end int         // the rows that nobody has taken
	found      [][]Corner  // what others than the caller have found, the last rows first
	buffers    []*[]Corner // what found refers to
}

// A part holds the corners that belong into an element of job.found.
type part struct {
	index   int
	corners []Corner
}

// bufferPool holds the memory for the corners that workers find.
var bufferPool = sync.Pool{New: func() any { return new([]Corner) }}

// take takes rows, the first or the last ones that are left. It returns an empty range
// when none are left. What is found in the last ones belongs into the last element of
// found, which has the given length.
func (j *job) take(first bool) (begin, end, length int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	left := j.end - j.begin
	n := min(left, max(j.rows, left/(2*j.workers)))
	if first {
		j.begin += n
		return j.begin - n, j.begin, 0
	}
	j.end -= n
	j.found = append(j.found, nil)
	return j.end, j.end + n, len(j.found)
}

// fromBack works on parts from the last one on.
func (j *job) fromBack() {
	buffer := bufferPool.Get().(*[]Corner)
	corners := (*buffer)[:0]
	var found []part
	defer func() {
		*buffer = corners
		j.mu.Lock()
		j.buffers = append(j.buffers, buffer)
		for _, part := range found {
			j.found[part.index] = part.corners
		}
		j.mu.Unlock()
	}()
	for begin, end, length := j.take(false); begin < end; begin, end, length = j.take(false) {
		n := len(corners)
		corners = j.appendPart(corners, begin, end)
		found = append(found, part{length - 1, corners[n:]})
	}
}

// appendPart appends the corners of the rows from begin to end to dst.
func (j *job) appendPart(dst []Corner, begin, end int) []Corner {
	top, bottom := begin, end
	if j.opts.NonmaxSuppression {
		// The rows beside the part decide which of its corners stay.
		top, bottom = max(begin-1, radius), min(end+1, j.H-radius)
	}
	rows := j.Plane
	rows.Pix = j.Pix[(top-radius)*j.Stride:]
	rows.H = bottom - top + 2*radius
	n := len(dst)
	dst = appendCorners(dst, rows, &j.opts)
	k := n
	for _, c := range dst[n:] {
		c.Y += int32(top - radius)
		if int(c.Y) >= begin && int(c.Y) < end {
			dst[k] = c
			k++
		}
	}
	return dst[:k]
}
