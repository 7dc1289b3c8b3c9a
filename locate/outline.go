package locate

import "math"

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
	// Of each channel: see [boundTemplate].
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

// newOutline returns the outline of t for blocks of a side. With centered it is that of t less its means.
func newOutline(t *pattern, side int, centered bool) *outline {
	o := &outline{side: side, centered: centered}
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
	return o
}

// round sets the coefficients to means times the largest power of 2 with which they have 16 bits and
// sums of products 32.
func (o *outline) round(t *pattern, means [3][]float64, absolute float64) {
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
