package fft

import (
	"image"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
)

// A Scratch is the memory of Correlate. It is ready for use, grows as needed, and must not be used
// by two goroutines at once.
type Scratch struct {
	pass pass

	data  []float64 // strips of cells
	local []float64 // some rows, whose columns are being transformed

	tiles [2]tile
	bytes [2][]uint8 // copies of tiles that are not wholly in the picture
	words [2][]int16

	// Results of strips of which not all columns are wanted.
	ints  [2][]int32
	longs [2][]int64
}

// A tile has the pixels from its first one on, bytes or words.
type tile struct {
	bytes  []uint8
	words  []int16
	stride int
}

// resize makes the memory large enough for a plan.
func (c *Scratch) resize(p *plan) {
	c.data = raster.Resize(c.data, p.strips*p.stride)
	c.local = raster.Resize(c.local, p.strips*p.group*p.cell())
	c.pass.lanes = p.lanes
}

// forget drops what belongs to the caller.
func (c *Scratch) forget() {
	c.tiles, c.pass = [2]tile{}, pass{}
}

// load sets the tiles to those of a picture from the given places on. Where there is no picture,
// they are 0.
func (c *Scratch) load(p *plan, src Pixels, at [2]image.Point) {
	for i, at := range at {
		if src.Bytes != nil {
			c.tiles[i] = tile{}
			c.tiles[i].bytes, c.tiles[i].stride = window(src.Bytes, src, at, p.size, &c.bytes[i])
		} else {
			c.tiles[i] = tile{}
			c.tiles[i].words, c.tiles[i].stride = window(src.Words, src, at, p.size, &c.words[i])
		}
	}
}

// window returns the pixels of a tile and their stride. Those of a tile that is not wholly in the
// picture are in memory.
func window[E uint8 | int16](pixels []E, src Pixels, at, size image.Point, memory *[]E) ([]E, int) {
	w, h := min(size.X, src.W-at.X), min(size.Y, src.H-at.Y)
	if w == size.X && h == size.Y {
		return pixels[at.Y*src.Stride+at.X:], src.Stride
	}
	*memory = raster.Resize(*memory, size.X*size.Y)
	if w <= 0 || h <= 0 {
		clear((*memory)[:size.X])
		return *memory, 0
	}
	for y := range size.Y {
		row := (*memory)[y*size.X:][:size.X]
		if y < h {
			row = row[copy(row, pixels[(at.Y+y)*src.Stride+at.X:][:w]):]
		}
		clear(row)
	}
	return *memory, size.X
}

// strip returns the cells of a strip.
func (c *Scratch) strip(p *plan, i int) []float64 {
	return c.data[i*p.stride:][:p.size.Y*p.cell()]
}

// forwardRows transforms the first n strips of the tiles over the rows. The others are 0.
func (c *Scratch) forwardRows(p *plan, n int) {
	r := &c.pass
	first := p.firstBytes
	if c.tiles[0].bytes == nil {
		first = p.firstWords
	}
	for i := range p.strips {
		strip := c.strip(p, i)
		if i >= n {
			clear(strip)
			continue
		}
		for k := range c.tiles {
			t := &c.tiles[k]
			r.pixelStride[k] = t.stride
			if t.bytes != nil {
				r.bytes[k] = t.bytes[i*p.lanes:]
			} else {
				r.words[k] = t.words[i*p.lanes:]
			}
		}
		r.dst, r.dstStep = strip, p.cell()
		r.span, r.factors = p.rows[0].span, p.rows[0].factors
		first(r)
		r.srcStep, r.cells = p.cell(), 1
		for part := range slices.Chunk(strip, p.part) {
			r.src, r.dst = part, part
			for _, s := range p.rows[1:] {
				r.step(s, len(part))
				r.do(s, p.forward2, p.forward4, p.plain4)
			}
		}
	}
}

// step sets the pass to a step of data of n numbers.
func (r *pass) step(s step, n int) {
	r.span, r.factors = s.span, s.factors
	r.blocks = n / (2 * r.lanes * r.cells * s.radix * s.span)
}

// do calls the one of three kernels that does a step.
func (r *pass) do(s step, by2, by4, plain func(*pass)) {
	switch {
	case s.radix == 2:
		by2(r)
	case s.factors != nil:
		by4(r)
	default:
		plain(r)
	}
}

// columns transforms all data over the columns. Those of a template become its spectrum. Others are
// multiplied by it and transformed back.
func (c *Scratch) columns(p *plan, spectrum []float64, template bool) {
	r := &c.pass
	r.turns = p.turns
	r.cells = p.group
	step := p.group * p.cell()
	for i := range p.size.Y / p.group {
		rows := c.data[i*step:]
		r.spectrum = spectrum[i*p.strips*step:][:p.strips*step]
		r.src, r.srcStep = rows, p.stride
		for _, s := range p.columns {
			r.dst, r.dstStep = c.local, step
			r.step(s, p.strips*step)
			r.do(s, p.forward2, p.forward4, nil)
			r.src, r.srcStep = r.dst, r.dstStep
		}
		r.blocks, r.span = p.strips/4, 1
		if template {
			p.middleTemplate(r)
			continue
		}
		p.middleProduct(r)
		for k, s := range slices.Backward(p.columns) {
			if k == 0 {
				r.dst, r.dstStep = rows, p.stride
			}
			r.step(s, p.strips*step)
			r.do(s, p.back2, p.back4, nil)
		}
	}
}

// backRows transforms the data back over the rows, and stores the numbers of columns of each tile
// that widths says, of the given number of rows. In dst, the tiles are so far apart.
func (c *Scratch) backRows(p *plan, dst Sums, widths [2]int, height, apart int) {
	r := &c.pass
	last := p.lastInts
	if dst.Ints == nil {
		last = p.lastLongs
	}
	for i := range (max(widths[0], widths[1]) + p.lanes - 1) / p.lanes {
		strip := c.strip(p, i)
		r.srcStep, r.dstStep, r.cells = p.cell(), p.cell(), 1
		for part := range slices.Chunk(strip, p.part) {
			r.src, r.dst = part, part
			for _, s := range slices.Backward(p.rows[1:]) {
				r.step(s, len(part))
				r.do(s, p.back2, p.back4, p.backPlain4)
			}
		}
		r.src = strip
		r.span, r.factors = p.rows[0].span, p.rows[0].factors
		var wanted [2]int // columns
		for k, w := range widths {
			at := k*apart + i*p.lanes
			wanted[k] = min(p.lanes, w-i*p.lanes)
			r.counts[k] = height
			switch {
			case wanted[k] == p.lanes && dst.Ints != nil:
				r.ints[k], r.resultStride[k] = dst.Ints[at:], dst.Stride
			case wanted[k] == p.lanes:
				r.longs[k], r.resultStride[k] = dst.Longs[at:], dst.Stride
			case wanted[k] <= 0:
				r.counts[k] = 0
			case dst.Ints != nil:
				c.ints[k] = raster.Resize(c.ints[k], height*p.lanes)
				r.ints[k], r.resultStride[k] = c.ints[k], p.lanes
			default:
				c.longs[k] = raster.Resize(c.longs[k], height*p.lanes)
				r.longs[k], r.resultStride[k] = c.longs[k], p.lanes
			}
		}
		last(r)
		for k, n := range wanted {
			if n <= 0 || n == p.lanes {
				continue
			}
			at := k*apart + i*p.lanes
			if dst.Ints != nil {
				copyColumns(dst.Ints[at:], dst.Stride, c.ints[k], p.lanes, n, height)
			} else {
				copyColumns(dst.Longs[at:], dst.Stride, c.longs[k], p.lanes, n, height)
			}
		}
	}
}

// copyColumns copies the first n columns of rows.
func copyColumns[E int32 | int64](dst []E, dstStride int, src []E, srcStride, n, rows int) {
	for y := range rows {
		copy(dst[y*dstStride:][:n], src[y*srcStride:][:n])
	}
}
