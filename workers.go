package fast

import (
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// workerPixels is how many pixels an image has for each worker at least.
	// To wake another processor can take 0.1 ms, in which the assembly kernels
	// see a million pixels and more.
	workerPixels = 1_000_000
	// scalarPixels is the same for the Scalar kernel.
	scalarPixels = workerPixels / 32
	// partPixels is about how many pixels a worker takes at a time: few enough
	// that nobody waits long for the last part, even where the others start
	// late or find more corners.
	partPixels = 1 << 17
)

// appendShared is appendCorners with the rows shared among up to opts.Workers
// goroutines, the caller's among them.
func appendShared(dst []Corner, p plane, opts *Options) []Corner {
	share := int64(workerPixels)
	if opts.kernelFor(p) == Scalar {
		share = scalarPixels
	}
	pixels := int64(p.w) * int64(p.h)
	workers := int(min(int64(opts.Workers), pixels/share))
	if workers <= 1 {
		return appendCorners(dst, p, opts)
	}
	return appendParts(dst, p, opts, workers, int(max(int64(workers), min(pixels/partPixels, int64(p.h)))))
}

// appendParts is appendCorners by so many workers in so many parts.
func appendParts(dst []Corner, p plane, opts *Options, workers, parts int) []Corner {
	j := &job{plane: p, opts: *opts, found: make([][]Corner, min(parts, p.h-2*radius))}
	for range workers - 1 {
		j.wait.Add(1)
		go j.fromBack()
	}
	// The goroutine started last waits for the processor that the caller is on,
	// while others are taken by idle processors at once. So the last one has
	// nothing to do; without it the second worker would begin some 0.1 ms late.
	j.wait.Go(func() {})
	func() {
		// The others use the image, so they end before a panic goes on.
		defer j.wait.Wait()
		for i := 0; j.take(); i++ {
			dst = j.appendPart(dst, i)
		}
	}()
	if j.panicked != nil {
		panic(j.panicked) // of one worker, if there are several
	}
	n := 0
	for _, corners := range j.found {
		n += len(corners)
	}
	dst = slices.Grow(dst, n)
	for _, corners := range j.found {
		dst = append(dst, corners...)
	}
	for _, buffer := range j.buffers {
		bufferPool.Put(buffer)
	}
	return dst
}

// A job is an image whose rows are worked in parts. The caller takes parts from
// the first on, whose corners it can append at once, and the others from the
// last on.
type job struct {
	plane
	opts  Options
	taken atomic.Int32 // parts, from either end
	last  atomic.Int32 // parts taken from the end
	found [][]Corner   // the corners of those
	wait  sync.WaitGroup

	mu       sync.Mutex
	buffers  []*[]Corner // what found refers to
	panicked any
}

// bufferPool holds the memory for the corners that workers find.
var bufferPool = sync.Pool{New: func() any { return new([]Corner) }}

// take reports whether there is another part.
func (j *job) take() bool {
	return int(j.taken.Add(1)) <= len(j.found)
}

// fromBack works parts from the last on.
func (j *job) fromBack() {
	buffer := bufferPool.Get().(*[]Corner)
	corners := (*buffer)[:0]
	defer func() {
		*buffer = corners
		j.mu.Lock()
		j.buffers = append(j.buffers, buffer)
		if err := recover(); err != nil {
			j.panicked = err
		}
		j.mu.Unlock()
		j.wait.Done()
	}()
	for j.take() {
		i := len(j.found) - int(j.last.Add(1))
		n := len(corners)
		corners = j.appendPart(corners, i)
		j.found[i] = corners[n:]
	}
}

// appendPart appends the corners of part i to dst.
func (j *job) appendPart(dst []Corner, i int) []Corner {
	rows, parts := int64(j.h-2*radius), int64(len(j.found))
	begin := radius + int(rows*int64(i)/parts)
	end := radius + int(rows*int64(i+1)/parts)
	top, bottom := begin, end
	if j.opts.NonmaxSuppression {
		// The rows beside the part decide which of its corners stay.
		top, bottom = max(begin-1, radius), min(end+1, j.h-radius)
	}
	part := j.plane
	part.pix = j.pix[(top-radius)*j.stride:]
	part.h = bottom - top + 2*radius
	n := len(dst)
	dst = appendCorners(dst, part, &j.opts)
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
