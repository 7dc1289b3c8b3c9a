package lococo

import (
	"cmp"
	"image"
	"math"
	"slices"
	"sort"

	"github.com/fastcorners/fast/internal/nms"
	"github.com/fastcorners/fast/internal/rank"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
	"github.com/fastcorners/fast/internal/worker"
)

// A job is the memory of a call, which searches an image. It is used again for others. Coordinates
// are those of the plane.
type job struct {
	detector *Detector
	plane    raster.Plane
	mask     raster.Plane // without pixels if all pixels of the image count
	parts    []image.Rectangle
	lanes    worker.Lanes[lane]

	size      int             // index of the current size
	region    image.Rectangle // where its responses are defined
	responses []float32       // those of the region
	stride    int             // of responses
	limit     float32         // that the responses of corners exceed
	grid      nms.Grid        // of the responses
	memory    []float32       // for responses that the caller does not get
	keys      []uint64        // of the corners
	ties      ties
	lists     [1][]uint64
	buckets   *rank.Buckets
}

func newJob(d *Detector) *job {
	return &job{
		detector: d,
		lanes:    worker.NewLanes("lococo", func() *lane { return newLane(d) }),
		buckets:  rank.NewBuckets("lococo"),
	}
}

// A lane is the memory of a worker.
type lane struct {
	scanners []*scanner // for the sizes
	largest  int32      // response that counts, by its order, or 0 if none is positive
	finder   nms.Finder
	places   []image.Point
	corners  []Corner
}

func newLane(d *Detector) *lane {
	l := &lane{}
	for _, s := range d.sizes {
		l.scanners = append(l.scanners, newScanner(s))
	}
	return l
}

// release puts j back into the pool, without what belongs to the caller.
func (j *job) release() {
	j.plane, j.mask, j.responses = raster.Plane{}, raster.Plane{}, nil
	for _, l := range j.lanes.All() {
		for _, scanner := range l.scanners {
			scanner.release()
		}
	}
	j.detector.pool.Put(j)
}

// setSize makes size i the current one, and reports whether the image has room for it.
func (j *job) setSize(i int) bool {
	j.size = i
	j.region = image.Rect(0, 0, j.plane.W, j.plane.H).Inset(j.detector.sizes[i].margin())
	return !j.region.Empty()
}

// appendResponses appends the responses of all pixels, for all kernels.
func (j *job) appendResponses(dst []float32) []float32 {
	for i := range j.detector.sizes {
		n, size := len(dst), j.plane.W*j.plane.H
		dst = slices.Grow(dst, size)[:n+size]
		clear(dst[n:])
		if j.setSize(i) {
			j.stride = j.plane.W
			j.responses = dst[n+j.region.Min.Y*j.stride+j.region.Min.X:]
			j.share(1, (*job).respond)
		}
	}
	return dst
}

// appendCorners appends the corners to dst. The plane's first pixel is at origin.
func (j *job) appendCorners(dst []Corner, origin image.Point) []Corner {
	for _, l := range j.lanes.All() {
		l.corners = l.corners[:0]
	}
	for i := range j.detector.sizes {
		if j.setSize(i) {
			j.findCorners()
		}
	}
	// Join all corners in the memory of the first worker.
	first := j.lanes.All()[0]
	for _, l := range j.lanes.All()[1:] {
		first.corners = append(first.corners, l.corners...)
	}
	n := len(dst)
	dst = j.appendBest(dst, first.corners)
	for i := range dst[n:] {
		dst[n+i].X += int32(origin.X)
		dst[n+i].Y += int32(origin.Y)
	}
	return dst
}

// findCorners appends the corners that the current size finds to those of the workers.
func (j *job) findCorners() {
	o := &j.detector.opts
	j.stride = j.region.Dx()
	j.memory = raster.Resize(j.memory, j.stride*j.region.Dy())
	j.responses = j.memory
	for _, l := range j.lanes.All() {
		l.largest = 0
	}
	j.grid.Reset(j.responses, j.region.Dx(), j.region.Dy(), j.stride, o.SuppressionRadius, true)
	j.share(j.side(), (*job).maximize)
	largest := int32(0)
	for _, l := range j.lanes.All() {
		largest = max(largest, l.largest)
	}
	j.limit = o.limit(math.Float32frombits(uint32(largest)))
	if largest > tensor.Order(j.limit) {
		j.share(j.side(), (*job).findLargest)
	}
}

// appendBest appends the strongest corners, as many as the options ask for, to dst.
func (j *job) appendBest(dst, corners []Corner) []Corner {
	if len(corners) == 0 {
		return dst
	}
	j.keys = raster.Resize(j.keys, len(corners))
	low, high := uint32(math.MaxUint32), uint32(0)
	for i, c := range corners {
		response := math.Float32bits(c.Response)
		low, high = min(low, response), max(high, response)
		j.keys[i] = uint64(response)<<32 | uint64(i)
	}
	const flip = math.MaxUint32 << 32
	j.lists[0] = j.keys
	j.buckets.Fill(j.detector.opts.Workers, j.lists[:], low-1, high, flip, j.detector.opts.MaxCorners)
	left := j.detector.opts.MaxCorners // 0 for all
	for bucket := range j.buckets.Sorted() {
		j.ties.corners = corners
		for rest := bucket; len(rest) > 1; rest = rest[len(j.ties.keys):] {
			n := 1
			for n < len(rest) && rest[n]>>32 == rest[0]>>32 {
				n++
			}
			if j.ties.keys = rest[:n]; n > 1 {
				sort.Sort(&j.ties)
			}
		}
		for _, key := range bucket {
			dst = append(dst, corners[uint32(key)])
			if left--; left == 0 {
				return dst
			}
		}
	}
	return dst
}

// Ties are keys of corners with equal responses. They are sorted by kernels, in raster order.
type ties struct {
	keys    []uint64
	corners []Corner
}

func (t *ties) Len() int      { return len(t.keys) }
func (t *ties) Swap(i, j int) { t.keys[i], t.keys[j] = t.keys[j], t.keys[i] }

func (t *ties) Less(i, j int) bool {
	c, d := &t.corners[uint32(t.keys[i])], &t.corners[uint32(t.keys[j])]
	return cmp.Or(cmp.Compare(c.KernelSize, d.KernelSize), cmp.Compare(c.Y, d.Y), cmp.Compare(c.X, d.X)) < 0
}

// maxStrip is the maximum number of columns of a strip of responses. The rows around them
// stay in a cache.
const maxStrip = 1024

// share calls do with parts of the region, in as many goroutines as the options say. Parts
// consist of squares with the given side, except at the ends of the region.
func (j *job) share(side int, do func(j *job, l *lane, part int)) {
	size := &j.detector.sizes[j.size]
	workers := worker.For(j.detector.opts.Workers, raster.Shares(j.plane.W, j.plane.H))
	rows := raster.BandRows(j.region.Dy(), workers, 4*size.margin(), side)
	j.parts = raster.AppendParts(j.parts[:0], j.region, rows, size.maxStrip()/side*side, side, 0)
	worker.Each(j, &j.lanes, workers, len(j.parts), do)
}

// row returns the responses of a row in the columns from begin up to end.
func (j *job) row(y, begin, end int) []float32 {
	return j.responses[(y-j.region.Min.Y)*j.stride:][begin-j.region.Min.X : end-j.region.Min.X]
}

// respond computes the responses of part i.
func (j *job) respond(l *lane, i int) {
	part := j.parts[i]
	scanner := l.scanners[j.size]
	scanner.start(&j.plane, part)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		scanner.row(j.row(y, part.Min.X, part.Max.X))
	}
}

// maximize computes the responses of part i and prepares its blocks for findLargest while
// the responses are in a cache. It also finds the largest response that counts.
func (j *job) maximize(l *lane, i int) {
	part := j.parts[i]
	scanner := l.scanners[j.size]
	scanner.start(&j.plane, part)
	y := part.Min.Y
	blocks := j.blocks(part)
	for row := blocks.Min.Y; row < blocks.Max.Y; row++ {
		for end := min(y+j.side(), part.Max.Y); y < end; y++ {
			responses := j.row(y, part.Min.X, part.Max.X)
			scanner.row(responses)
			if j.mask.Pix != nil {
				mask := j.mask.Row(y)[part.Min.X:part.Max.X]
				for i, v := range responses {
					if mask[i] != 0 {
						l.largest = max(l.largest, tensor.Order(v))
					}
				}
			}
		}
		largest := l.finder.Maximize(&j.grid, row, blocks.Min.X, blocks.Max.X)
		if j.mask.Pix == nil {
			l.largest = max(l.largest, largest)
		}
	}
}

// findLargest finds the corners of part i.
func (j *job) findLargest(l *lane, i int) {
	part := j.parts[i]
	l.places = l.places[:0]
	blocks := j.blocks(part)
	for row := blocks.Min.Y; row < blocks.Max.Y; row++ {
		l.places = l.finder.Append(l.places, &j.grid, row, blocks.Min.X, blocks.Max.X, j.limit)
	}
	for _, p := range l.places {
		at := j.region.Min.Add(p)
		if j.mask.Pix == nil || j.mask.Row(at.Y)[at.X] != 0 {
			l.corners = append(l.corners, j.corner(at))
		}
	}
}

// side returns the side of the blocks of the grid.
func (j *job) side() int {
	return j.detector.opts.SuppressionRadius + 1
}

// blocks returns the columns and rows of the blocks of a part, which begins with a block.
func (j *job) blocks(part image.Rectangle) image.Rectangle {
	r, side := part.Sub(j.region.Min), j.side()
	return image.Rect(r.Min.X/side, r.Min.Y/side, (r.Max.X+side-1)/side, (r.Max.Y+side-1)/side)
}

// corner returns the corner at a pixel.
func (j *job) corner(at image.Point) Corner {
	response := j.row(at.Y, at.X, at.X+1)[0]
	c := Corner{
		X:          int32(at.X),
		Y:          int32(at.Y),
		Response:   response,
		KernelSize: int32(2*j.detector.sizes[j.size].r + 1),
	}
	if j.detector.opts.Subpixel {
		if at.X > j.region.Min.X && at.X < j.region.Max.X-1 {
			beside := j.row(at.Y, at.X-1, at.X+2)
			c.DX = vertex(beside[0], response, beside[2])
		}
		if at.Y > j.region.Min.Y && at.Y < j.region.Max.Y-1 {
			c.DY = vertex(j.row(at.Y-1, at.X, at.X+1)[0], response, j.row(at.Y+1, at.X, at.X+1)[0])
		}
	}
	return c
}

// vertex returns where the parabola through three values at -1, 0 and 1 has its vertex. The
// first value is less than the second one, and the third value does not exceed it.
func vertex(before, value, after float32) float32 {
	bend := (value - before) + (value - after)
	return max(-0.5, min((after-before)/(bend+bend), 0.5))
}
