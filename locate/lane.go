package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// A lane is the memory of a worker, which makes the scores of a part of the places after the
// other.
type lane struct {
	part image.Rectangle
	n    int // places in a row, padded

	multiplying multiplying
	summing     summing
	masking     masking
	scoring     scoring
	products    []int64 // of blockRows rows

	// Rows of sums from the beginning, of each channel: those of the h rows of pixels below a row of
	// places, that of row y in row y%h.
	until  [3][]uint32
	until2 []uint32

	best  candidate
	found []candidate
}

// forget drops the results of other jobs.
func (l *lane) forget() {
	l.best = candidate{score: -2}
	l.found = l.found[:0]
}

// release drops what belongs to others.
func (l *lane) release() {
	l.multiplying.pix, l.multiplying.values = nil, nil
	l.summing.entering, l.summing.leaving = [3][]byte{}, [3][]byte{}
	l.masking.pix, l.masking.spans = [3][]byte{}, nil
}

// begin prepares for a part of the places.
func (l *lane) begin(j *job, part image.Rectangle) {
	t := j.template
	l.part, l.n = part, padded(part.Dx())
	m, s, r := &l.multiplying, &l.summing, &l.scoring
	l.products = raster.Resize(l.products, blockRows*l.n)
	m.stride, m.apart, m.n, m.pairs = j.scene.stride, l.n, l.n, (t.w+1)/2
	m.products, m.sums = l.products, raster.Resize(m.sums, l.n)

	r.set(j.opts.Similarity, t)
	r.n, r.scores, r.sums2 = l.n, raster.Resize(r.scores, l.n), raster.Resize(r.sums2, l.n)
	for c := range t.channels {
		r.sums[c] = raster.Resize(r.sums[c], l.n)
	}
	s.channels, s.width, s.n, s.sums, s.sums2 = t.channels, t.w, l.n, r.sums, r.sums2
	if t.spans == nil {
		l.beginColumns(j)
	} else {
		l.beginSpans(j)
	}
}

// beginColumns prepares the sums of columns for the first row of places.
func (l *lane) beginColumns(j *job) {
	s := &l.summing
	s.count = padded(l.n + s.width)
	s.squares = zeros(s.squares, s.count)
	for c := range s.channels {
		s.columns[c] = zeros(s.columns[c], s.count)
	}
	last := l.part.Min.Y + j.template.h - 1
	for y := l.part.Min.Y; y < last; y++ {
		l.slide(j, y, j.scene.bounds.Dy())
	}
}

// slide adds row in of the scene to the sums of columns, and subtracts row out.
func (l *lane) slide(j *job, in, out int) {
	s := &l.summing
	for c := range s.channels {
		s.entering[c] = l.row(j, c, in)
		s.leaving[c] = l.row(j, c, out)
	}
	j.kernels.slide(s)
}

// row returns the pixels of a channel in row y, from the first column of the part on.
func (l *lane) row(j *job, c, y int) []byte {
	return j.scene.planes[c][y*j.scene.stride+l.part.Min.X:]
}

// beginSpans prepares the sums from the beginning of rows for the first row of places.
func (l *lane) beginSpans(j *job) {
	t, m := j.template, &l.masking
	m.channels, m.n, m.sums, m.sums2 = t.channels, l.n, l.scoring.sums, l.scoring.sums2
	m.count = padded(l.n + t.w)
	for c := range m.channels {
		l.until[c] = raster.Resize(l.until[c], t.h*(m.count+1))
	}
	l.until2 = raster.Resize(l.until2, t.h*(m.count+1))
	for y := l.part.Min.Y; y < l.part.Min.Y+t.h-1; y++ {
		l.accumulate(j, y)
	}
}

// accumulate makes the sums from the beginning of row y of the scene.
func (l *lane) accumulate(j *job, y int) {
	m := &l.masking
	l.setUntil(j, y)
	for c := range m.channels {
		m.pix[c] = l.row(j, c, y)
	}
	j.kernels.accumulate(m)
}

// setUntil selects the sums from the beginning of row y of the scene.
func (l *lane) setUntil(j *job, y int) {
	m := &l.masking
	at, n := y%j.template.h*(m.count+1), m.count+1
	for c := range m.channels {
		m.until[c] = l.until[c][at:][:n]
	}
	m.until2 = l.until2[at:][:n]
}

// sum makes the sums of windows in row y of places. Rows of a part are summed up one after the
// other.
func (l *lane) sum(j *job, y int) {
	t := j.template
	if t.spans == nil {
		out := j.scene.bounds.Dy() // zeros
		if y > l.part.Min.Y {
			out = y - 1
		}
		l.slide(j, y+t.h-1, out)
		j.kernels.window(&l.summing)
		return
	}
	m := &l.masking
	l.accumulate(j, y+t.h-1)
	for c := range m.channels {
		clear(m.sums[c])
	}
	clear(m.sums2)
	for row := range t.h {
		if m.spans = t.spans[t.rows[row]:t.rows[row+1]]; len(m.spans) > 0 {
			l.setUntil(j, y+row)
			j.kernels.span(m)
		}
	}
}

// multiply makes the products of blockRows rows of places, from row y on.
func (l *lane) multiply(j *job, y int) {
	t, m := j.template, &l.multiplying
	clear(l.products)
	// As many rows of pixels as their products have room in 31 bits.
	most := productPixels / (2 * m.pairs)
	for c := range t.channels {
		values := t.products(c)
		for row := 0; row < t.h+blockRows-1; row += m.rows {
			m.rows = min(most, t.h+blockRows-1-row)
			m.pix = l.row(j, c, y+row)
			m.values = values[row*m.pairs*2*blockRows:]
			j.kernels.multiply(m)
		}
	}
}

// score makes the scores of row y of places, whose products are set.
func (l *lane) score(j *job, y int) {
	l.sum(j, y)
	j.makeScores(&l.scoring)
	j.take(l, l.part.Min.X, y, l.scoring.scores[:l.part.Dx()])
}
