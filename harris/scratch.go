package harris

import (
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/worker"
)

// A scratch is the memory for one image. It is reused.
type scratch struct {
	detector  *Detector
	plane     plane
	mask      *image.Gray       // nil where all pixels count
	responses []float32         // of all pixels, if they are wanted
	parts     []image.Rectangle // of the image, for the workers
	lanes     []*lane           // of the workers
	ranking   ranking
}

func newScratch(d *Detector) *scratch {
	return &scratch{detector: d, lanes: []*lane{newLane(d)}}
}

// A lane is the memory of a worker.
type lane struct {
	source  source
	fused   *fused // or nil
	run     peakRun
	maxima  maximaRing
	rings   [4][]float32 // with padding
	largest float32      // response so far
}

func newLane(d *Detector) *lane {
	l := &lane{source: d.newSource()}
	if d.fusible() {
		l.fused = newFused(d.opts.BlockSize, d.measure)
	}
	for i := range l.rings {
		l.rings[i] = make([]float32, ringPadding+maxStrip+ringPadding)
	}
	return l
}

// sourceOf returns the source for an image.
func (l *lane) sourceOf(p *plane) source {
	if k := bestKernels(); l.fused != nil && k.serves(p.w, l.fused.side) {
		l.fused.kernels = k
		return l.fused
	}
	return l.source
}

// setGray makes img the image. Coordinates begin with 0.
func (s *scratch) setGray(img *image.Gray) {
	s.plane = plane{w: img.Rect.Dx(), h: img.Rect.Dy(), pix: img.Pix, stride: img.Stride}
}

// release puts s back. It keeps nothing that belongs to the caller.
func (s *scratch) release() {
	s.plane = plane{}
	s.mask, s.responses = nil, nil
	for _, l := range s.lanes {
		l.source.release()
		if l.fused != nil {
			l.fused.release()
		}
	}
	s.detector.pool.Put(s)
}

// workerPixels is how many pixels an image has for each worker at least. To wake
// another processor can take 0.1 ms.
const workerPixels = 1 << 17

// workers returns how many goroutines share the image.
func (s *scratch) workers() int {
	pixels := int64(s.plane.w) * int64(s.plane.h)
	return int(max(min(int64(s.detector.opts.Workers), pixels/workerPixels), 1))
}

// partition divides the image into parts for the workers, whose columns overlap, and
// whose rows begin at multiples of align.
func (s *scratch) partition(overlap, align int) {
	rows := s.plane.h
	if workers := s.workers(); workers > 1 {
		// Several for each, so that nobody waits long for the last ones.
		rows = max(rows/(4*workers), 2*maxBlock)
	}
	rows = (rows + align - 1) / align * align
	s.parts = appendParts(s.parts[:0], s.plane.w, s.plane.h, overlap, rows)
}

// each calls do with all parts, in as many goroutines as the options say.
func (s *scratch) each(do func(s *scratch, l *lane, part image.Rectangle)) {
	workers := min(s.workers(), len(s.parts))
	if workers <= 1 {
		for _, part := range s.parts {
			do(s, s.lanes[0], part)
		}
		return
	}
	for len(s.lanes) < workers {
		s.lanes = append(s.lanes, newLane(s.detector))
	}
	worker.Share("harris", workers, len(s.parts), func(worker, i int) {
		do(s, s.lanes[worker], s.parts[i])
	})
}

// appendResponses appends the responses of all pixels to dst.
func (s *scratch) appendResponses(dst []float32) []float32 {
	n := len(dst)
	size := s.plane.w * s.plane.h
	dst = slices.Grow(dst, size)[:n+size]
	s.responses = dst[n:]
	if min(s.plane.w, s.plane.h) < 2 {
		clear(s.responses)
		return dst
	}
	s.partition(0, 2)
	s.each((*scratch).respond)
	return dst
}

// respond makes the responses of a part.
func (s *scratch) respond(l *lane, part image.Rectangle) {
	row := func(y int) []float32 {
		if y < part.Min.Y || y >= part.Max.Y {
			return nil
		}
		return s.responses[y*s.plane.w:][part.Min.X:part.Max.X]
	}
	y := part.Min.Y - 1
	source := l.sourceOf(&s.plane)
	source.start(&s.plane, part.Min.X, part.Max.X, y)
	for ; y < part.Max.Y; y += 2 {
		source.pair(row(y), row(y+1))
	}
}

// appendCorners appends the corners to dst.
func (s *scratch) appendCorners(dst []Corner, mask *image.Gray, origin image.Point) []Corner {
	if min(s.plane.w, s.plane.h) < 2 {
		return dst
	}
	s.mask = mask
	for _, l := range s.lanes {
		l.largest, l.run.n = 0, 0
	}
	s.partition(2, 2)
	s.each((*scratch).findPeaks)
	return s.appendBest(dst, origin)
}

// findPeaks finds the corners of a part, but for those of its first and last columns,
// whose responses it does not keep. Some are below the threshold, which is not known
// before the end.
func (s *scratch) findPeaks(l *lane, part image.Rectangle) {
	w, h := s.plane.w, s.plane.h
	r := &l.run
	for i, ring := range l.rings {
		clear(ring)
		r.rows[i] = ring[ringPadding:][:part.Dx()]
	}
	l.maxima.reset()
	r.largest = l.largest
	r.stride = uint32(w)
	// Those of the outermost rows are none.
	inner := image.Rect(0, max(part.Min.Y, 1), w, min(part.Max.Y, h-1))

	y := part.Min.Y - 1
	kernels := bestKernels()
	source := l.sourceOf(&s.plane)
	source.start(&s.plane, part.Min.X, part.Max.X, y)
	for ; y <= part.Max.Y; y += 2 {
		r.rows[0], r.rows[1], r.rows[2], r.rows[3] = r.rows[2], r.rows[3], r.rows[0], r.rows[1]
		upper, lower := r.rows[2], r.rows[3]
		if y < 0 || y >= h {
			clear(upper)
			upper = nil
		}
		if y+1 >= h {
			clear(lower)
			lower = nil
		}
		if upper != nil || lower != nil {
			source.pair(upper, lower)
		}
		if s.mask != nil {
			l.largest = max(l.largest, s.largestInMask(upper, part.Min.X, y), s.largestInMask(lower, part.Min.X, y+1))
		}
		r.threshold = max(s.threshold(l.largest), math.SmallestNonzeroFloat32)
		if room := r.n + 2*part.Dx() + keyRoom; room > len(r.keys) {
			r.keys = append(r.keys, make([]uint64, room)...)
		}
		n := r.n
		r.index = uint32((y-1)*w + part.Min.X)
		if kernels != nil {
			l.maxima.peaks(kernels, r)
		} else {
			peaks(r)
		}
		if y-1 < inner.Min.Y || y >= inner.Max.Y || s.mask != nil {
			r.n = n + s.keep(r.keys[n:r.n], inner)
		}
		if s.mask == nil {
			l.largest = r.largest
		}
	}
}

// largestInMask returns the largest of the responses of row y from column x on that are
// in the mask and above 0.
func (s *scratch) largestInMask(responses []float32, x, y int) float32 {
	largest := float32(0)
	if responses == nil {
		return largest
	}
	mask := s.mask.Pix[y*s.mask.Stride+x:][:len(responses)]
	for i, v := range responses {
		if v > largest && mask[i] != 0 {
			largest = v
		}
	}
	return largest
}

// keep keeps only those keys, at the beginning, that are in the mask and the rectangle,
// and returns how many they are.
func (s *scratch) keep(keys []uint64, inner image.Rectangle) int {
	n := 0
	for _, key := range keys {
		x, y := s.place(key)
		if image.Pt(x, y).In(inner) && (s.mask == nil || s.mask.Pix[y*s.mask.Stride+x] != 0) {
			keys[n] = key
			n++
		}
	}
	return n
}

// place returns the pixel of a key.
func (s *scratch) place(key uint64) (x, y int) {
	index, w := uint32(key), uint32(s.plane.w)
	return int(index % w), int(index / w)
}
