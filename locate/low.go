package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// foldPlaces and lowPlaces are the numbers of places in a row, multiples of group, whose products of 32 bits are
// made one row after the other, with folds and without: what they are made of stays in the first cache.
const foldPlaces, lowPlaces = 256, 512

// A lowLane is the memory of a worker for products and sums of 32 bits.
type lowLane struct {
	products []int32 // of blockRows rows, apart numbers apart
	apart    int
	scored   bool // whether scoreRun, too, has numbers of 32 bits
	scoreRun lowScoreRun
	last     []float32 // the responses of a group

	// The folds of rows of the scene, of each channel. The first one is that of the rows from place row
	// first on, and until is that of the rows after them.
	foldRun      foldRun
	folds        [3][]int16
	first, until int
}

// release drops what belongs to others.
func (l *lowLane) release() {
	l.foldRun.pix, l.foldRun.coefficients = nil, nil
	l.scoreRun.responses = nil
}

// low reports whether products and sums of squares have 31 bits, and there are kernels for them.
func (j *job) low() bool {
	return (j.kernels.multiplyLow != nil || j.kernels.fold != nil) && j.template.area*255*255 < 1<<31
}

// lowScores reports whether that is true of numerators and of what windows vary, too: n times the sum of
// squares of n pixels, less the square of their sum, is at most (n*255/2)^2. No numerator is larger than the
// root of the product of what the template and the window vary.
func (j *job) lowScores() bool {
	switch t := j.template; j.opts.Similarity {
	case Correlation:
		return t.n*t.area*255*255/4 < 1<<31
	case Cosine:
		return true
	}
	return false
}

// directLow makes the scores of a part of the places by products of 32 bits, strip by strip.
func (j *job) directLow(l *lane, part image.Rectangle, centers [3]int64) {
	places := lowPlaces
	if j.kernels.fold != nil {
		places = foldPlaces
	}
	for x := part.Min.X; x < part.Max.X; x += places {
		j.strip(l, image.Rect(x, part.Min.Y, min(x+places, part.Max.X), part.Max.Y), centers)
	}
}

// strip makes the scores of a strip.
func (j *job) strip(l *lane, part image.Rectangle, centers [3]int64) {
	w, t := &l.low, j.template
	l.begin(j, part, centers)
	l.windows.beginLow(j.kernels, j.scene, &t.shape, part, false)
	w.begin(&l.scoreRun, j, part)
	w.scored = j.lowScores()
	for y := part.Min.Y; y < part.Max.Y; y += blockRows {
		rows := min(blockRows, part.Max.Y-y)
		clear(w.products)
		if j.kernels.fold != nil {
			for i := 0; i < rows; i += 2 {
				w.multiplyFolds(j, part, y+i, w.products[i*w.apart:])
			}
		} else {
			l.multiplyRun.lows, l.multiplyRun.apart = w.products, w.apart
			l.multiply(j, y, j.kernels.multiplyLow)
		}
		for i := range rows {
			l.windows.advance(j.kernels, y+i)
			l.windows.sum(j.kernels, y+i)
			r := &w.scoreRun
			r.products, r.sums, r.sums2 = w.products[i*w.apart:][:l.n], l.windows.sums, l.windows.low
			switch {
			case !w.scored:
				l.widen(&l.scoreRun, 0, l.n)
				l.scoreRow(j, y+i)
			case j.goal == toRespond:
				w.respond(j, j.response[(y+i)*j.w+part.Min.X:][:part.Dx()])
			default:
				l.seek(j, y+i)
			}
		}
	}
}

// begin prepares for a part of the places, and for the formula of a scoreRun.
func (l *lowLane) begin(s *scoreRun, j *job, part image.Rectangle) {
	r := &l.scoreRun
	r.channels, r.n, r.factor, r.centered, r.variation = s.channels, s.n, int32(s.factor), -int32(s.centered), s.variation
	for c, v := range s.offsets {
		r.offsets[c] = int32(v)
	}
	l.last = raster.Resize(l.last, group)
	f, t := &l.foldRun, j.template
	f.n = s.n
	f.rows, f.quads = t.foldSize()
	l.apart = (f.n + foldGroup - 1) / foldGroup * foldGroup
	f.apart, f.length = l.apart, padded(l.apart/2+2*f.quads)
	f.stride = j.scene.stride
	l.products = raster.Resize(l.products, blockRows*l.apart)
	l.first, l.until = part.Min.Y, part.Min.Y
	for c := range r.channels {
		l.folds[c] = raster.Resize(l.folds[c], (f.rows+moreFolds)*foldLists*f.length)
	}
}

const (
	// foldLists is the number of lists of a fold.
	foldLists = 9
	// moreFolds is the number of folds for which there is room behind those that a row of places needs.
	moreFolds = 4
)

// multiplyFolds adds the products of two rows of places, y and the next one.
func (l *lowLane) multiplyFolds(j *job, part image.Rectangle, y int, products []int32) {
	f := &l.foldRun
	size, end := foldLists*f.length, y+2*f.rows
	if (end-l.first)/2 > f.rows+moreFolds {
		used, n := (y-l.first)/2*size, (l.until-y)/2*size
		for c := range j.template.channels {
			copy(l.folds[c], l.folds[c][used:][:n])
		}
		l.first = y
	}
	for c := range j.template.channels {
		for row := l.until; row < end; row += 2 {
			f.pix, f.folded = j.scene.row(c, part.Min.X, row), l.folds[c][(row-l.first)/2*size:][:size]
			j.kernels.fold(f)
		}
		f.folds, f.coefficients, f.products = l.folds[c][(y-l.first)/2*size:], j.template.foldedValues(c), products
		j.kernels.multiplyFolds(f)
	}
	l.until = end
}

// respond sets the responses of a row of places. The last ones, which are no group, are made elsewhere.
func (l *lowLane) respond(j *job, to []float32) {
	r := &l.scoreRun
	all := r.n
	r.n, r.responses = len(to)/group*group, to
	if r.n > 0 {
		j.kernels.respondLow(r)
	}
	if whole := r.n; whole < len(to) {
		last := *r
		last.part(whole)
		*r, r.responses, r.n = last, l.last, group
		j.kernels.respondLow(r)
		copy(to[whole:], l.last)
	}
	r.n = all
}

// part makes r begin with a place.
func (r *lowScoreRun) part(from int) {
	r.products, r.sums2 = r.products[from:], r.sums2[from:]
	for c := range r.channels {
		r.sums[c] = r.sums[c][from:]
	}
}

// seek moves place on to that of a score that may be least, more than 0, or more.
func (r *lowScoreRun) seek(k *kernels, least float64) {
	// Two roundings of squares, and one of each factor, are less than lowSlack.
	r.least = float32(least * least * r.variation * (1 - lowSlack))
	k.seekLow(r)
}

// lowSlack is more than what rounding makes of squares in seekLow.
const lowSlack = 1. / (1 << 20)

// widen sets the products and sums of n places, from one on, to those of 32 bits.
func (l *lane) widen(r *scoreRun, from, n int) {
	low := &l.low.scoreRun
	r.products, r.sums2 = raster.Resize(l.products, n), raster.Resize(l.windows.sums2, n)
	products, sums2 := low.products[from:][:n], low.sums2[from:][:n]
	for i, v := range products {
		r.products[i], r.sums2[i] = int64(v), int64(sums2[i])
	}
	for c := range low.channels {
		r.sums[c] = low.sums[c][from:]
	}
	r.n = n
}

// foldSize returns the number of pairs of rows of t, and of groups of four columns.
func (t *Template) foldSize() (rows, quads int) { return (t.h + 1) / 2, (t.w + 3) / 4 }

// foldedValues returns the values of a channel as [foldRun] has them.
func (t *Template) foldedValues(c int) []int16 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.folds[c] != nil {
		return t.folds[c]
	}
	// parts are which of two neighbors are added up.
	parts := [...][2]int16{{1, 1}, {1, 0}, {0, 1}}
	rows, quads := t.foldSize()
	var list []int16
	for _, down := range parts {
		for _, right := range parts {
			for y := range rows {
				for x := range 2 * quads {
					var v int16
					for i, k := range down {
						if 2*y+i < t.h {
							row := t.values[c][(2*y+i)*t.stride+2*x:]
							v += k * (right[0]*row[0] + right[1]*row[1])
						}
					}
					list = append(list, v)
				}
			}
		}
	}
	t.folds[c] = list
	return list
}
