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
	j.Plane, j.opts = p, *opts
	j.divide(workers, rows)
	first := j.take() // which the caller can append at once
	worker.Run("fast", workers, func() { dst = j.appendOwn(dst, first) }, j.help)
	dst = j.appendDone(dst)
	j.release()
	return dst
}

// A job is an image whose rows are worked on in parts. All workers take parts from the first row
// on. The caller appends the corners of its part at once if those of all parts before are there,
// and what others have found in the meantime, so that little of it is left in the end.
type job struct {
	raster.Plane
	opts   Options
	parts  []part
	next   atomic.Int64 // the first part that nobody has taken
	joined int          // the number of parts whose corners the caller has appended
	lanes  []*lane      // of the workers
}

// A part is rows of a job.
type part struct {
	begin, end int
	corners    []Corner // that the caller has not appended at once
	done       atomic.Bool
}

// A lane is the memory of a worker for corners.
type lane struct {
	corners []Corner
	_       [104]byte // keeps lanes in cache lines of their own
}

var (
	// jobPool holds jobs that are over.
	jobPool = sync.Pool{New: func() any { return new(job) }}
	// lanePool holds lanes that no job has.
	lanePool = sync.Pool{New: func() any { return new(lane) }}
)

// divide makes the parts, of at least the given number of rows, and gets lanes for the workers. Parts
// are large in the beginning, since starting in another place of the image takes time, and small in
// the end, where nobody is to wait long for the others.
func (j *job) divide(workers, rows int) {
	for begin, end := radius, j.H-radius; begin < end; {
		left := end - begin
		n := min(left, max(rows, left/(2*workers)))
		j.parts = append(j.parts, part{begin: begin, end: begin + n})
		begin += n
	}
	for range workers {
		l := lanePool.Get().(*lane)
		l.corners = l.corners[:0]
		j.lanes = append(j.lanes, l)
	}
}

// release puts j and its memory back. After a panic it is not called.
func (j *job) release() {
	for _, l := range j.lanes {
		lanePool.Put(l)
	}
	clear(j.lanes)
	clear(j.parts)
	*j = job{parts: j.parts[:0], lanes: j.lanes[:0]}
	jobPool.Put(j)
}

// take takes the first part that is left, or returns nil.
func (j *job) take() *part {
	if i := int(j.next.Add(1)) - 1; i < len(j.parts) {
		return &j.parts[i]
	}
	return nil
}

// appendOwn works on parts as the caller, beginning with the first one. What the others have not
// found when it returns is for appendDone.
func (j *job) appendOwn(dst []Corner, first *part) []Corner {
	for p := first; p != nil; p = j.take() {
		dst = j.appendDone(dst)
		if p == &j.parts[j.joined] {
			dst = j.appendPart(dst, p.begin, p.end)
			p.done.Store(true)
		} else {
			j.find(p, j.lanes[0])
		}
	}
	for dst = j.appendDone(dst); j.joined < len(j.parts) && worker.Wait(j.parts[j.joined].done.Load); {
		dst = j.appendDone(dst)
	}
	return dst
}

// help works on parts as one of the others.
func (j *job) help(worker int) {
	for p := j.take(); p != nil; p = j.take() {
		j.find(p, j.lanes[worker])
	}
}

// find finds the corners of a part, for appendDone.
func (j *job) find(p *part, l *lane) {
	n := len(l.corners)
	l.corners = j.appendPart(l.corners, p.begin, p.end)
	p.corners = l.corners[n:]
	p.done.Store(true)
}

// appendDone appends the corners of the next parts to dst, as far as they have been found.
func (j *job) appendDone(dst []Corner) []Corner {
	for ; j.joined < len(j.parts) && j.parts[j.joined].done.Load(); j.joined++ {
		dst = append(dst, j.parts[j.joined].corners...)
	}
	return dst
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
