package fast

import (
	"sync"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// partPixels is about the least number of pixels that a worker takes at a time. It is small
// enough that nobody waits long for the last part.
const partPixels = 1 << 16

// coldShares is for how many workers an image after a pause must be enough to get any. Dividing it
// costs a tenth of the time, and two that begin late save no more up to twice the usual number.
const coldShares = 2 * worker.ColdShares

// appendShared is appendCorners with the rows shared among up to opts.Workers
// goroutines, the caller's among them.
func appendShared(dst []Corner, p raster.Plane, opts *Options) []Corner {
	share := kernels[opts.Kernel].share
	workers := worker.Limit(opts.Workers, int64(p.W)*int64(p.H)/int64(share), coldShares)
	if workers == 1 {
		dst = appendCorners(dst, p, opts)
		worker.Done()
		return dst
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
	j := jobPool.Get().(*job)
	j.Plane, j.opts, j.workers, j.rows, j.begin, j.end = p, *opts, workers, rows, radius, p.H-radius
	first := j.take()
	worker.Run("fast", workers, func() { dst = j.appendOwn(dst, first) }, func(int) { j.help() })
	dst = j.appendDone(dst)
	j.release()
	return dst
}

// A job is an image whose rows are worked on in parts. All workers take parts from the first row
// on. The caller appends the corners of its part at once if those of all parts before are there,
// and what others have found in the meantime, so that little of it is left in the end. Parts are
// large in the beginning, since starting in another place of the image takes time, and small in
// the end, where nobody is to wait long for the others.
type job struct {
	raster.Plane
	opts    Options
	workers int
	rows    int // of a part, at least
	joined  int // the number of parts whose corners the caller has appended

	mu         sync.Mutex
	begin, end int         // the rows that nobody has taken
	parts      []part      // those that have been taken
	buffers    []*[]Corner // what parts refer to
}

// A part is rows of a job. The caller and what it has started know it by its index.
type part struct {
	index      int
	begin, end int
	done       bool
	corners    []Corner // what others than the caller have found
}

// jobPool holds jobs that are over.
var jobPool = sync.Pool{New: func() any { return new(job) }}

// release puts j and its memory back. After a panic it is not called.
func (j *job) release() {
	for _, buffer := range j.buffers {
		bufferPool.Put(buffer)
	}
	clear(j.parts)
	clear(j.buffers)
	*j = job{parts: j.parts[:0], buffers: j.buffers[:0]}
	jobPool.Put(j)
}

// bufferPool holds the memory for the corners that workers find.
var bufferPool = sync.Pool{New: func() any { return new([]Corner) }}

// take takes the first rows that are left, as a part, which is empty when none are left.
func (j *job) take() part {
	j.mu.Lock()
	defer j.mu.Unlock()
	left := j.end - j.begin
	p := part{index: len(j.parts), begin: j.begin}
	j.begin += min(left, max(j.rows, left/(2*j.workers)))
	p.end = j.begin
	if p.begin < p.end {
		j.parts = append(j.parts, p)
	}
	return p
}

// finish says that the corners of a part have been found.
func (j *job) finish(index int, corners []Corner) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.parts[index].done, j.parts[index].corners = true, corners
}

// appendOwn works on parts as the caller, beginning with the first one.
func (j *job) appendOwn(dst []Corner, first part) []Corner {
	buffer := j.newBuffer()
	corners := (*buffer)[:0]
	defer func() { *buffer = corners }()
	for p := first; p.begin < p.end; p = j.take() {
		dst = j.appendDone(dst)
		if p.index == j.joined {
			dst = j.appendPart(dst, p.begin, p.end)
			j.finish(p.index, nil)
			continue
		}
		n := len(corners)
		corners = j.appendPart(corners, p.begin, p.end)
		j.finish(p.index, corners[n:])
	}
	return dst
}

// help works on parts as one of the others.
func (j *job) help() {
	buffer := j.newBuffer()
	corners := (*buffer)[:0]
	defer func() { *buffer = corners }()
	for p := j.take(); p.begin < p.end; p = j.take() {
		n := len(corners)
		corners = j.appendPart(corners, p.begin, p.end)
		j.finish(p.index, corners[n:])
	}
}

// newBuffer returns memory for corners, which is put back when all have been appended.
func (j *job) newBuffer() *[]Corner {
	buffer := bufferPool.Get().(*[]Corner)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.buffers = append(j.buffers, buffer)
	return buffer
}

// appendDone appends the corners of the next parts to dst, as far as they have been found.
func (j *job) appendDone(dst []Corner) []Corner {
	for corners, ok := j.next(); ok; corners, ok = j.next() {
		dst = append(dst, corners...)
	}
	return dst
}

// next returns the corners of the next part to append, if they have been found.
func (j *job) next() (corners []Corner, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.joined == len(j.parts) || !j.parts[j.joined].done {
		return nil, false
	}
	j.joined++
	return j.parts[j.joined-1].corners, true
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
