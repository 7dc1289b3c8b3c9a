package fast

import (
	"sync"
	"sync/atomic"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// partPixels is about the least number of pixels that a worker takes at a time. It is small
// enough that nobody waits long for the last part.
const partPixels = 1 << 16

// detect appends the corners of p to dst. p is large enough to have some, and the threshold low
// enough.
func detect(dst []Corner, p raster.Plane, opts *Options) []Corner {
	share := kernels[opts.Kernel].share
	workers := worker.For(opts.Workers, int64(p.W)*int64(p.H)/int64(share))
	if workers == 1 {
		return search(dst, p, opts)
	}
	return detectInParts(dst, p, opts, workers, max(min(partPixels, share)/p.W, 1))
}

// detectInParts is detect by a number of workers, in parts of at least the given number of rows.
func detectInParts(dst []Corner, p raster.Plane, opts *Options, workers, rows int) []Corner {
	j := jobPool.Get().(*job)
	j.Plane, j.opts = p, *opts
	j.divide(workers, rows)
	first := j.take() // which the caller can append at once
	worker.Run("fast", j, workers, func(j *job) { dst = j.work(dst, first) }, (*job).help)
	dst = j.collect(dst)
	j.release()
	return dst
}

// A job is the memory of a call with several workers. They share the rows of an image in parts, which
// they take from the first row on. The caller appends the corners of its part at once if those of all
// parts before are there, and what others have found in the meantime, so that little of it is left in
// the end.
type job struct {
	raster.Plane
	opts   Options
	parts  []part
	next   atomic.Int64 // the first part that nobody has taken
	joined int          // the number of parts whose corners the caller has appended
	found  [][]Corner   // by the workers, but for what the caller has appended at once
}

// A part is rows of a job.
type part struct {
	begin, end int
	corners    []Corner // that the caller has not appended at once
	done       atomic.Bool
}

// jobPool holds jobs that are over.
var jobPool = sync.Pool{New: func() any { return new(job) }}

// divide makes the parts, of at least the given number of rows, for a number of workers. Parts
// are large in the beginning, since starting in another place of the image takes time, and small in
// the end, where nobody is to wait long for the others.
func (j *job) divide(workers, rows int) {
	for begin, end := radius, j.H-radius; begin < end; {
		left := end - begin
		n := min(left, max(rows, left/(2*workers)))
		j.parts = append(j.parts, part{begin: begin, end: begin + n})
		begin += n
	}
	for len(j.found) < workers {
		j.found = append(j.found, nil)
	}
}

// release puts j and its memory back. After a panic it is not called.
func (j *job) release() {
	clear(j.parts)
	for w := range j.found {
		j.found[w] = j.found[w][:0]
	}
	*j = job{parts: j.parts[:0], found: j.found}
	jobPool.Put(j)
}

// take takes the first part that is left, or returns nil.
func (j *job) take() *part {
	if i := int(j.next.Add(1)) - 1; i < len(j.parts) {
		return &j.parts[i]
	}
	return nil
}

// work works on parts as the caller, beginning with the first one. It appends the corners of parts to
// dst, but for those that the others have not found when it returns.
func (j *job) work(dst []Corner, first *part) []Corner {
	for p := first; p != nil; p = j.take() {
		dst = j.collect(dst)
		if p == &j.parts[j.joined] {
			dst = j.searchRows(dst, p.begin, p.end)
			p.done.Store(true)
		} else {
			j.searchPart(p, 0)
		}
	}
	for dst = j.collect(dst); j.joined < len(j.parts) && worker.Wait(j.parts[j.joined].done.Load); {
		dst = j.collect(dst)
	}
	return dst
}

// help works on parts as one of the others.
func (j *job) help(worker int) {
	for p := j.take(); p != nil; p = j.take() {
		j.searchPart(p, worker)
	}
}

// collect appends the corners of the next parts to dst, as far as they have been found.
func (j *job) collect(dst []Corner) []Corner {
	for ; j.joined < len(j.parts) && j.parts[j.joined].done.Load(); j.joined++ {
		dst = append(dst, j.parts[j.joined].corners...)
	}
	return dst
}

// searchPart finds the corners of a part as a worker, for collect.
func (j *job) searchPart(p *part, worker int) {
	found := j.found[worker]
	n := len(found)
	found = j.searchRows(found, p.begin, p.end)
	p.corners, j.found[worker] = found[n:], found
	p.done.Store(true)
}

// searchRows appends the corners of the rows from begin to end to dst.
func (j *job) searchRows(dst []Corner, begin, end int) []Corner {
	top, bottom := begin, end
	if j.opts.NonmaxSuppression {
		// The rows beside the part decide which of its corners stay.
		top, bottom = max(begin-1, radius), min(end+1, j.H-radius)
	}
	rows := j.Plane
	rows.Pix = j.Pix[(top-radius)*j.Stride:]
	rows.H = bottom - top + 2*radius
	n := len(dst)
	dst = search(dst, rows, &j.opts)
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

// search is detect by one worker.
func search(dst []Corner, p raster.Plane, opts *Options) []Corner {
	k := &kernels[opts.Kernel]
	st := k.sieves.Best()
	before, suppressed := len(dst), false
	l := lanePool.Get().(*lane)
	if k.blocks == nil {
		dst, suppressed = l.searchBySieve(dst, p, st, opts)
	} else {
		dst = l.searchByBlocks(dst, p, st, k.blocks, opts)
	}
	l.release()
	if opts.NonmaxSuppression && !suppressed {
		dst = dst[:before+suppress(dst[before:], tie(opts))]
	}
	return dst
}
