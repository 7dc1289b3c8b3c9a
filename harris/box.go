package harris

import "math"

// A box is the source for gradients of integers and a box as window. Its sums are exact,
// in integers of S.
type box[S int32 | int64] struct {
	before, after int // what the window reaches to the left and up, and to the right and down
	border        Border
	measure       measure

	gradient gradient[int32]
	rows     []gradientRow[int32] // of gradients, a ring
	blank    gradientRow[int32]   // what is beyond the image, if that is 0
	next     int                  // row of gradients that will be there

	plane      *plane
	begin, end int         // the columns of the strip
	left       int         // first column of gradients
	y          int         // next row of responses
	columns    []tensor[S] // sums over the columns of windows, for those of the strip and beside it
	tensors    tensors
}

// A tensor holds sums of products of gradients.
type tensor[S int32 | int64] struct{ xx, yy, xy S }

// exact32 reports whether integers of 32 bits hold all sums that the options ask for.
func (o *Options) exact32() bool {
	var smoothing, derivative int64
	w := sobelWeights[o.Gradient]
	for i := range w.smooth {
		smoothing += 2 * int64(w.smooth[i])
		derivative += int64(w.derive[i])
	}
	largest := (smoothing - int64(w.smooth[0])) * derivative * math.MaxUint8 * int64(o.BlockSize)
	return largest*largest <= math.MaxInt32
}

func newBox[S int32 | int64](o *Options, m measure) *box[S] {
	b := &box[S]{
		before:   o.BlockSize / 2,
		after:    (o.BlockSize - 1) / 2,
		border:   o.Border,
		measure:  m,
		gradient: newGradient(sobelWeights[o.Gradient], o.Border),
		tensors:  newTensors(),
		// One row more than windows have, since the first one leaves when the last
		// one is there.
		rows: make([]gradientRow[int32], o.BlockSize+1),
	}
	width := maxStrip + o.BlockSize
	for i := range b.rows {
		b.rows[i] = newGradientRow[int32](width)
	}
	b.blank = newGradientRow[int32](width)
	b.columns = make([]tensor[S], width)
	return b
}

func (b *box[S]) start(p *plane, begin, end, y int) {
	b.plane, b.begin, b.end = p, begin, end
	b.y = max(y, 0)
	b.left = max(begin-b.before, 0)
	// The first step is from the window above.
	first := b.y - 1 - b.before
	b.next = max(first, 0)
	b.gradient.start(p, b.left, min(end+b.after, p.w), b.next)
	clear(b.columns)
	for i := range b.before + 1 + b.after {
		add(b.inside(), b.row(first+i))
	}
}

func (b *box[S]) pair(upper, lower []float32) {
	for _, dst := range [][]float32{upper, lower} {
		if dst == nil {
			continue
		}
		slide(b.inside(), b.row(b.y+b.after), b.row(b.y-1-b.before))
		if b.border == Mirrored {
			extend(b.columns[:b.end-b.begin+b.before+b.after], b.begin-b.before, b.plane.w)
		}
		b.sum()
		b.measure.respond(dst, &b.tensors)
		b.y++
	}
}

func (b *box[S]) release() {
	b.plane, b.gradient.plane = nil, nil
}

// row returns the gradients of a row that may be beyond the image.
func (b *box[S]) row(y int) gradientRow[int32] {
	if b.border == Zero && (y < 0 || y >= b.plane.h) {
		return b.blank
	}
	y = mirror(y, b.plane.h)
	for ; b.next <= y; b.next++ {
		b.gradient.row(b.next, b.rows[b.next%len(b.rows)])
	}
	return b.rows[y%len(b.rows)]
}

// inside returns the columns that are in the image.
func (b *box[S]) inside() []tensor[S] {
	return b.columns[b.left-(b.begin-b.before):][:b.gradient.end-b.left]
}

// add adds the products of a row to sums.
func add[S int32 | int64](sums []tensor[S], row gradientRow[int32]) {
	gx, gy := row.x[:len(sums)], row.y[:len(sums)]
	for i := range sums {
		t := &sums[i]
		x, y := S(gx[i]), S(gy[i])
		t.xx += x * x
		t.yy += y * y
		t.xy += x * y
	}
}

// slide adds the products of one row to sums and subtracts those of another one.
func slide[S int32 | int64](sums []tensor[S], added, removed gradientRow[int32]) {
	n := len(sums)
	gx, gy, ox, oy := added.x[:n], added.y[:n], removed.x[:n], removed.y[:n]
	for i := range sums {
		t := &sums[i]
		x, y, u, v := S(gx[i]), S(gy[i]), S(ox[i]), S(oy[i])
		t.xx += (x - u) * (x + u)
		t.yy += (y - v) * (y + v)
		t.xy += x*y - u*v
	}
}

// sum makes the tensors of the strip.
func (b *box[S]) sum() {
	n, side := b.end-b.begin, b.before+1+b.after
	var t tensor[S]
	for _, c := range b.columns[:side-1] {
		t.xx += c.xx
		t.yy += c.yy
		t.xy += c.xy
	}
	added, removed := b.columns[side-1:][:n], b.columns[:n]
	xx, yy, xy := b.tensors.a[:n], b.tensors.b[:n], b.tensors.c[:n]
	for i := range added {
		c := &added[i]
		t.xx += c.xx
		t.yy += c.yy
		t.xy += c.xy
		xx[i], yy[i], xy[i] = float32(t.xx), float32(t.yy), float32(t.xy)
		c = &removed[i]
		t.xx -= c.xx
		t.yy -= c.yy
		t.xy -= c.xy
	}
}
