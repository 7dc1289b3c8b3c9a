package locate

import (
	"image"
	"math"
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// blockPlanes are the sums of blocks of side by side pixels, at each place of a scene.
type blockPlanes struct {
	side   int
	shift  int // how many bits the sums of pairs lack
	stride int // numbers from a row of blocks to the next one
	// pairs are, of each channel, the sum of the block at a place, in the lower 16 bits, and that of
	// the block side columns farther. They are shifted to have 16 bits, and less by 1<<15, so that they are
	// signed. Behind the last row there is one of pairs of sums that are 0.
	pairs [3][]uint32
	// reciprocal makes squares of shifted sums those of the sums over the number of a block's pixels, or
	// less.
	reciprocal float32
	made       bool // of the scene's present picture
	parts      []image.Rectangle
	lanes      worker.Lanes[planeLane]
}

// A planeLane is the memory of a worker that makes planes of blocks.
type planeLane struct {
	blockRun  blockRun
	windowRun windowRun // of the columns of blocks
}

// signs are the differences of a pair of shifted sums and of what is kept of them.
const signs = 1<<31 | 1<<15

// shiftOf returns how many bits must be dropped of the sum of a block for 16 bits to be left.
func shiftOf(side int) int {
	shift := 0
	for 255*side*side>>shift > math.MaxUint16 {
		shift++
	}
	return shift
}

// cache has the block planes of a scene, the measures of windows, and the squares of its pixels less 128.
type cache struct {
	mu      sync.Mutex
	planes  []*blockPlanes
	kept    []kept // up to mostKept
	squares [3][]int16
	squared bool // for the scene's present picture
}

// forget marks all of them as those of another picture.
func (c *cache) forget() {
	c.squared = false
	c.forgetMeasures()
	for _, p := range c.planes {
		p.made = false
	}
}

// blocks returns the sums of blocks of a side, not larger than the scene, which the given number of
// workers make.
func (s *Scene) blocks(k *kernels, side, workers int) *blockPlanes {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	i := slices.IndexFunc(s.cache.planes, func(p *blockPlanes) bool { return p.side == side })
	if i < 0 {
		i = len(s.cache.planes)
		s.cache.planes = append(s.cache.planes, &blockPlanes{
			side: side, shift: shiftOf(side), lanes: worker.NewLanes("locate", func() *planeLane { return new(planeLane) }),
		})
	}
	p := s.cache.planes[i]
	if !p.made {
		p.make(k, s, workers)
		p.made = true
	}
	return p
}

// squares returns the squares of the pixels less 128, in rows as those of pixels.
func (s *Scene) squares() [3][]int16 {
	c := &s.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.squared {
		for i := range s.channels {
			c.squares[i] = raster.Resize(c.squares[i], len(s.planes[i]))
			to := c.squares[i]
			for k, v := range s.planes[i] {
				d := int16(v) - 128
				to[k] = d * d
			}
		}
		c.squared = true
	}
	return c.squares
}

// make makes the planes of a scene.
func (p *blockPlanes) make(k *kernels, s *Scene, workers int) {
	w, h := s.bounds.Dx()-p.side+1, s.bounds.Dy()-p.side+1
	// Beyond the last block of a row, places up to a group and pairs are read.
	p.stride = padded(w) + 2*group
	for c := range s.channels {
		p.pairs[c] = raster.Resize(p.pairs[c], p.stride*(h+1))
		zero := p.pairs[c][p.stride*h:]
		for x := range zero {
			zero[x] = signs
		}
	}
	// Two operations with float32 may round a square up, and so may the reciprocal itself.
	p.reciprocal = (1 - 0x1p-21) * float32(int(1)<<(2*p.shift)) / float32(p.side*p.side)
	p.parts = raster.AppendParts(p.parts[:0], image.Rect(0, 0, w, h), raster.BandRows(h, workers, max(minRows, p.side), 1), w, 1, 0)
	worker.Each(planesOf{p, s, k}, &p.lanes, workers, len(p.parts), planesOf.makePart)
}

// planesOf are planes that are being made of a scene.
type planesOf struct {
	*blockPlanes
	scene   *Scene
	kernels *kernels
}

// makePart makes part i of the planes.
func (p planesOf) makePart(l *planeLane, i int) {
	part, s, r, columns := p.parts[i], p.scene, &l.blockRun, &l.windowRun
	r.side, r.shift, r.n = p.side, p.shift, padded(part.Dx())
	r.sums = raster.Resize(r.sums, padded(r.n+p.side))
	columns.channels, columns.count = 1, padded(s.bounds.Dx())
	for c := range s.channels {
		r.columns = zeros(r.columns, len(r.sums)+p.side)
		columns.columns[0] = r.columns
		for in := part.Min.Y; in < part.Max.Y+p.side-1; in++ {
			out := s.bounds.Dy() // zeros
			if in >= part.Min.Y+p.side {
				out = in - p.side
			}
			columns.entering[0], columns.leaving[0] = s.row(c, 0, in), s.row(c, 0, out)
			p.kernels.slide(columns)
			if y := in - p.side + 1; y >= part.Min.Y {
				r.pairs = p.pairs[c][y*p.stride:]
				clear(r.pairs[r.n:p.stride])
				p.kernels.blocks(r)
			}
		}
	}
	r.pairs, columns.entering, columns.leaving = nil, [3][]byte{}, [3][]byte{}
}

// outline is what bounds need to know of a template for blocks of a side: its means in blocks.
// Those of its pixels that are in no whole block, of the rectangle or of the mask, are one more.
type outline struct {
	side     int
	centered bool

	columns, rows int // of blocks
	pairs         int // of columns
	// coefficients are, of each channel, those of pairs of blocks: the means of the template times a
	// power of 2.
	coefficients [3][]int16
	// blocks are the offsets of the whole blocks within a mask, in blocks, or nil if all are.
	blocks []blockPlace
	inner  shape // the pixels of all whole blocks
	rest   int64 // the number of the other pixels

	scale  float64 // what a product of coefficients and sums is to be multiplied with
	margin float64 // how much more the products may be, because the sums of blocks were shifted
	// base is what the products are less than those with the shifted sums.
	base int32
	// Of each channel: see [boundRun].
	meanProducts [3]int32
	meanOffsets  [3]float64
	restMeans    [3]float64
	error        float64 // the norm of what the coefficients lack
	p, q, t      float64 // the norms of the means, of the rest, and of both
}

// A blockPlace is a block of a template, counted in blocks.
type blockPlace struct {
	x, y int
}

// outline returns the outline of t for blocks of a side. With centered it is that of t less its
// means.
func (t *Template) outline(side int, centered bool) *outline {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range t.outlines {
		if o.side == side && o.centered == centered {
			return o
		}
	}
	o := &outline{side: side, centered: centered}
	o.make(t)
	t.outlines = append(t.outlines, o)
	return o
}

// make sets what o knows of t.
func (o *outline) make(t *Template) {
	o.columns, o.rows = t.w/o.side, t.h/o.side
	o.pairs = (o.columns + 1) / 2
	o.inner = shape{w: o.columns * o.side, h: o.rows * o.side}
	whole := make([]bool, o.columns*o.rows)
	o.blocks = []blockPlace{}
	for i := range whole {
		whole[i] = t.has(i%o.columns*o.side, i/o.columns*o.side, o.side)
		if whole[i] {
			o.blocks = append(o.blocks, blockPlace{i % o.columns, i / o.columns})
		}
	}
	pixels := o.side * o.side
	o.rest = t.n - int64(len(o.blocks)*pixels)
	if len(o.blocks) == len(whole) {
		o.blocks = nil
	} else {
		o.setInner(whole)
	}
	var p, q, absolute float64
	all := [3][]float64{}
	for c := range t.channels {
		mean := 0.0
		if o.centered {
			mean = float64(t.sum1[c]) / float64(t.n)
		}
		value := func(x, y int) float64 { return float64(int64(t.values[c][y*t.stride+x])+t.mean[c]) - mean }
		var total, restMean float64
		means := make([]float64, len(whole))
		all[c] = means
		for i := range whole {
			if !whole[i] {
				continue
			}
			var sum int64
			t.each(i%o.columns*o.side, i/o.columns*o.side, o.side, func(x, y int) {
				sum += int64(t.values[c][y*t.stride+x]) + t.mean[c]
			})
			means[i] = float64(sum)/float64(pixels) - mean
			total += float64(sum)
			p += means[i] * means[i] * float64(pixels)
			absolute += math.Abs(means[i])
		}
		if o.rest > 0 {
			restMean = (float64(t.sum1[c])-total)/float64(o.rest) - mean
			p += restMean * restMean * float64(o.rest)
			o.restMeans[c] = restMean
		}
		for y := range t.h {
			for x := range t.w {
				if t.mask[y*t.maskStride+x] == 0 {
					continue
				}
				m := restMean
				if i := y/o.side*o.columns + x/o.side; x < o.inner.w && y < o.inner.h && whole[i] {
					m = means[i]
				}
				d := value(x, y) - m
				q += d * d
			}
		}
	}
	o.p, o.q, o.t = math.Sqrt(p), math.Sqrt(q)+1e-3, math.Sqrt(p+q)
	o.round(t, all, absolute)
}

// round sets the coefficients to means times the largest power of 2 with which they have 16 bits and
// sums of products 32.
func (o *outline) round(t *Template, means [3][]float64, absolute float64) {
	shift := shiftOf(o.side)
	largest := float64(255 * o.side * o.side >> shift)
	var most float64
	for _, list := range means {
		for _, m := range list {
			most = max(most, math.Abs(m))
		}
	}
	blocks := float64(t.channels * o.columns * o.rows)
	factor := 128.0
	for most*factor > math.MaxInt16-1 || (absolute*factor+blocks)*largest > math.MaxInt32 {
		factor /= 2
	}
	o.scale = float64(int(1)<<shift) / factor
	pixels := float64(o.side * o.side)
	var missing float64
	for c := range t.channels {
		o.coefficients[c] = make([]int16, 2*o.pairs*o.rows)
		var sum, lacks float64
		for i, m := range means[c] {
			a := math.Floor(m*factor + 0.5)
			o.coefficients[c][i/o.columns*2*o.pairs+i%o.columns] = int16(a)
			lack := m - a/factor
			missing += lack * lack * pixels
			lacks += lack * pixels
			sum += a
			if a > 0 {
				o.margin += a / factor * float64(int(1)<<shift-1)
			}
		}
		// From a window its rounded mean is subtracted. What the coefficients lack is a picture like the
		// template. Its products with such a window are those of its mean, with about half a gray level at
		// most, and of the rest at most its norm times that of the window.
		product := -sum * pixels / float64(int(1)<<shift)
		o.meanProducts[c] = int32(math.Round(product))
		o.base += int32(int64(sum) << 15)
		o.meanOffsets[c] = o.scale * (product - math.Round(product))
		if !o.centered {
			o.meanOffsets[c] += float64(t.sum1[c])
		}
		o.margin += 0.501 * math.Abs(lacks)
	}
	o.error = math.Sqrt(missing)
}

// setInner makes the shape of the whole blocks of a mask.
func (o *outline) setInner(whole []bool) {
	o.inner.spans = []span{}
	for y := range o.inner.h {
		o.inner.rows = append(o.inner.rows, int32(len(o.inner.spans)))
		for x := range o.columns {
			if whole[y/o.side*o.columns+x] {
				o.inner.spans = append(o.inner.spans, span{int32(x * o.side), int32((x + 1) * o.side)})
			}
		}
	}
	o.inner.rows = append(o.inner.rows, int32(len(o.inner.spans)))
}

// has reports whether the mask has all pixels of the block at x, y.
func (t *Template) has(x, y, side int) bool {
	all := true
	t.each(x, y, side, func(x, y int) { all = all && t.mask[y*t.maskStride+x] != 0 })
	return all
}

// each calls f for the pixels of the block at x, y.
func (t *Template) each(x, y, side int, f func(x, y int)) {
	for j := range side {
		for i := range side {
			f(x+i, y+j)
		}
	}
}
