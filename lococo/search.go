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

// A search is the memory for the search of one image. It is reused for others. Coordinates
// are those of the plane.
type search struct {
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

func newSearch(d *Detector) *search {
	return &search{
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

// release puts s back into the pool, without what belongs to the caller.
func (s *search) release() {
	s.plane, s.mask, s.responses = raster.Plane{}, raster.Plane{}, nil
	for _, l := range s.lanes.All() {
		for _, scanner := range l.scanners {
			scanner.release()
		}
	}
	s.detector.pool.Put(s)
}

// setSize makes size i the current one, and reports whether the image has room for it.
func (s *search) setSize(i int) bool {
	s.size = i
	s.region = image.Rect(0, 0, s.plane.W, s.plane.H).Inset(s.detector.sizes[i].margin())
	return !s.region.Empty()
}

// appendResponses appends the responses of all pixels, for all kernels.
func (s *search) appendResponses(dst []float32) []float32 {
	for i := range s.detector.sizes {
		n, size := len(dst), s.plane.W*s.plane.H
		dst = slices.Grow(dst, size)[:n+size]
		clear(dst[n:])
		if s.setSize(i) {
			s.stride = s.plane.W
			s.responses = dst[n+s.region.Min.Y*s.stride+s.region.Min.X:]
			s.share(1, (*search).respond)
		}
	}
	return dst
}

// appendCorners appends the corners to dst. The plane's first pixel is at origin.
func (s *search) appendCorners(dst []Corner, origin image.Point) []Corner {
	for _, l := range s.lanes.All() {
		l.corners = l.corners[:0]
	}
	for i := range s.detector.sizes {
		if s.setSize(i) {
			s.findCorners()
		}
	}
	// Join all corners in the memory of the first worker.
	first := s.lanes.All()[0]
	for _, l := range s.lanes.All()[1:] {
		first.corners = append(first.corners, l.corners...)
	}
	n := len(dst)
	dst = s.appendBest(dst, first.corners)
	for i := range dst[n:] {
		dst[n+i].X += int32(origin.X)
		dst[n+i].Y += int32(origin.Y)
	}
	return dst
}

// findCorners appends the corners that the current size finds to those of the workers.
func (s *search) findCorners() {
	o := &s.detector.opts
	s.stride = s.region.Dx()
	s.memory = raster.Resize(s.memory, s.stride*s.region.Dy())
	s.responses = s.memory
	for _, l := range s.lanes.All() {
		l.largest = 0
	}
	s.grid.Reset(s.responses, s.region.Dx(), s.region.Dy(), s.stride, o.SuppressionRadius, true)
	s.share(s.side(), (*search).maximize)
	largest := int32(0)
	for _, l := range s.lanes.All() {
		largest = max(largest, l.largest)
	}
	s.limit = o.limit(math.Float32frombits(uint32(largest)))
	if largest > tensor.Order(s.limit) {
		s.share(s.side(), (*search).findLargest)
	}
}

// appendBest appends the strongest corners, as many as the options ask for, to dst.
func (s *search) appendBest(dst, corners []Corner) []Corner {
	if len(corners) == 0 {
		return dst
	}
	s.keys = raster.Resize(s.keys, len(corners))
	low, high := uint32(math.MaxUint32), uint32(0)
	for i, c := range corners {
		response := math.Float32bits(c.Response)
		low, high = min(low, response), max(high, response)
		s.keys[i] = uint64(response)<<32 | uint64(i)
	}
	const flip = math.MaxUint32 << 32
	s.lists[0] = s.keys
	s.buckets.Fill(s.detector.opts.Workers, s.lists[:], low-1, high, flip, s.detector.opts.MaxCorners)
	left := s.detector.opts.MaxCorners // 0 for all
	for bucket := range s.buckets.Sorted() {
		s.ties.corners = corners
		for rest := bucket; len(rest) > 1; rest = rest[len(s.ties.keys):] {
			n := 1
			for n < len(rest) && rest[n]>>32 == rest[0]>>32 {
				n++
			}
			if s.ties.keys = rest[:n]; n > 1 {
				sort.Sort(&s.ties)
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
func (s *search) share(side int, do func(s *search, l *lane, part int)) {
	size := &s.detector.sizes[s.size]
	workers := worker.For(s.detector.opts.Workers, raster.Shares(s.plane.W, s.plane.H))
	rows := raster.BandRows(s.region.Dy(), workers, 4*size.margin(), side)
	s.parts = raster.AppendParts(s.parts[:0], s.region, rows, size.maxStrip()/side*side, side, 0)
	worker.Each(s, &s.lanes, workers, len(s.parts), do)
}

// row returns the responses of a row in the columns from begin up to end.
func (s *search) row(y, begin, end int) []float32 {
	return s.responses[(y-s.region.Min.Y)*s.stride:][begin-s.region.Min.X : end-s.region.Min.X]
}

// respond computes the responses of part i.
func (s *search) respond(l *lane, i int) {
	part := s.parts[i]
	scanner := l.scanners[s.size]
	scanner.start(&s.plane, part)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		scanner.row(s.row(y, part.Min.X, part.Max.X))
	}
}

// maximize computes the responses of part i and prepares its blocks for findLargest while
// the responses are in a cache. It also finds the largest response that counts.
func (s *search) maximize(l *lane, i int) {
	part := s.parts[i]
	scanner := l.scanners[s.size]
	scanner.start(&s.plane, part)
	y := part.Min.Y
	blocks := s.blocks(part)
	for row := blocks.Min.Y; row < blocks.Max.Y; row++ {
		for end := min(y+s.side(), part.Max.Y); y < end; y++ {
			responses := s.row(y, part.Min.X, part.Max.X)
			scanner.row(responses)
			if s.mask.Pix != nil {
				mask := s.mask.Row(y)[part.Min.X:part.Max.X]
				for i, v := range responses {
					if mask[i] != 0 {
						l.largest = max(l.largest, tensor.Order(v))
					}
				}
			}
		}
		largest := l.finder.Maximize(&s.grid, row, blocks.Min.X, blocks.Max.X)
		if s.mask.Pix == nil {
			l.largest = max(l.largest, largest)
		}
	}
}

// findLargest finds the corners of part i.
func (s *search) findLargest(l *lane, i int) {
	part := s.parts[i]
	l.places = l.places[:0]
	blocks := s.blocks(part)
	for row := blocks.Min.Y; row < blocks.Max.Y; row++ {
		l.places = l.finder.Append(l.places, &s.grid, row, blocks.Min.X, blocks.Max.X, s.limit)
	}
	for _, p := range l.places {
		at := s.region.Min.Add(p)
		if s.mask.Pix == nil || s.mask.Row(at.Y)[at.X] != 0 {
			l.corners = append(l.corners, s.corner(at))
		}
	}
}

// side returns the side of the blocks of the grid.
func (s *search) side() int {
	return s.detector.opts.SuppressionRadius + 1
}

// blocks returns the columns and rows of the blocks of a part, which begins with a block.
func (s *search) blocks(part image.Rectangle) image.Rectangle {
	r, side := part.Sub(s.region.Min), s.side()
	return image.Rect(r.Min.X/side, r.Min.Y/side, (r.Max.X+side-1)/side, (r.Max.Y+side-1)/side)
}

// corner returns the corner at a pixel.
func (s *search) corner(at image.Point) Corner {
	response := s.row(at.Y, at.X, at.X+1)[0]
	c := Corner{
		X:          int32(at.X),
		Y:          int32(at.Y),
		Response:   response,
		KernelSize: int32(2*s.detector.sizes[s.size].r + 1),
	}
	if s.detector.opts.Subpixel {
		if at.X > s.region.Min.X && at.X < s.region.Max.X-1 {
			beside := s.row(at.Y, at.X-1, at.X+2)
			c.DX = vertex(beside[0], response, beside[2])
		}
		if at.Y > s.region.Min.Y && at.Y < s.region.Max.Y-1 {
			c.DY = vertex(s.row(at.Y-1, at.X, at.X+1)[0], response, s.row(at.Y+1, at.X, at.X+1)[0])
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
