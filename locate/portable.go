package locate

import "math"

// multiply adds the products of all rows to those of r, in each row of places.
func multiply(r *multiplyRun) {
	const taps = 2 * blockRows // numbers of a pair
	sums := r.sums[:r.n]
	for row := range blockRows {
		clear(sums)
		for j := range r.rows {
			pix := r.pix[j*r.stride:]
			v := r.values[j*r.pairs*taps:][:r.pairs*taps]
			p := 0
			for ; p+4 <= r.pairs; p += 4 {
				k := v[p*taps+2*row:]
				_ = k[3*taps+1]
				k0, k1, k2, k3 := int32(k[0]), int32(k[1]), int32(k[taps]), int32(k[taps+1])
				k4, k5, k6, k7 := int32(k[2*taps]), int32(k[2*taps+1]), int32(k[3*taps]), int32(k[3*taps+1])
				if k0|k1|k2|k3|k4|k5|k6|k7 == 0 {
					continue
				}
				q := pix[2*p:]
				q0, q1, q2, q3 := int32(q[0]), int32(q[1]), int32(q[2]), int32(q[3])
				q4, q5, q6 := int32(q[4]), int32(q[5]), int32(q[6])
				q = q[7:][:len(sums)]
				for x, v := range q {
					q7 := int32(v)
					sums[x] += k0*q0 + k1*q1 + k2*q2 + k3*q3 + k4*q4 + k5*q5 + k6*q6 + k7*q7
					q0, q1, q2, q3, q4, q5, q6 = q1, q2, q3, q4, q5, q6, q7
				}
			}
			for ; p < r.pairs; p++ {
				k0, k1 := int32(v[p*taps+2*row]), int32(v[p*taps+2*row+1])
				if k0|k1 == 0 {
					continue
				}
				q := pix[2*p:]
				q0 := int32(q[0])
				q = q[1:][:len(sums)]
				for x, v := range q {
					q1 := int32(v)
					sums[x] += k0*q0 + k1*q1
					q0 = q1
				}
			}
		}
		to := r.products[row*r.apart:][:len(sums)]
		for x, v := range sums {
			to[x] += int64(v)
		}
	}
}

// slide adds the entering pixels to the sums of columns and subtracts the leaving ones.
func slide(r *windowRun) {
	for c := range r.channels {
		in, out := r.entering[c][:r.count], r.leaving[c][:r.count]
		if r.alone != 0 {
			squares := r.squares[:len(in)]
			for x, v := range in {
				a, b := uint32(v), uint32(out[x])
				squares[x] += (a - b) * (a + b)
			}
			continue
		}
		columns := r.columns[c][:len(in)]
		if len(r.squares) == 0 {
			for x, v := range in {
				columns[x] += uint32(v) - uint32(out[x])
			}
			continue
		}
		squares := r.squares[:len(in)]
		for x, v := range in {
			a, b := uint32(v), uint32(out[x])
			columns[x] += a - b
			squares[x] += (a - b) * (a + b)
		}
	}
}

// window sets the sums of windows to those of width columns.
func window(r *windowRun) {
	for c := range r.channels {
		if r.alone == 0 {
			sumColumns(r.columns[c], r.width, r.sums[c][:r.n])
		}
	}
	if len(r.low) > 0 {
		sumColumns(r.squares, r.width, r.low[:r.n])
	} else {
		sumColumns(r.squares, r.width, r.sums2[:r.n])
	}
}

// sumColumns sets sums to those of width columns, those from i on for each i, whatever overflows.
func sumColumns[T int32 | uint32 | int64](columns []uint32, width int, sums []T) {
	var sum T
	for _, v := range columns[:width-1] {
		sum += T(v)
	}
	last := columns[width-1:][:len(sums)]
	columns = columns[:len(sums)]
	for x := range sums {
		sum += T(last[x])
		sums[x] = sum
		sum -= T(columns[x])
	}
}

// accumulate sums up pixels and their squares from the beginning of a row.
func accumulate(r *spanRun) {
	until2 := r.until2[:r.count+1]
	clear(until2)
	for c := range r.channels {
		var sum, sum2 uint32
		until := r.until[c][:len(until2)]
		until[0] = 0
		for x, v := range r.pix[c][:r.count] {
			sum += uint32(v)
			sum2 += uint32(v) * uint32(v)
			until[x+1] = sum
			until2[x+1] += sum2
		}
	}
}

// addSpans adds the sums of spans to those of windows.
func addSpans(r *spanRun) {
	for _, s := range r.spans {
		for c := range r.channels {
			addSpan(r.sums[c][:r.n], r.until[c], s)
		}
		addSpan(r.low[:r.n], r.until2, s)
	}
}

// addSpan adds the sums of a span.
func addSpan[T int32 | uint32](sums []T, until []uint32, s interval) {
	from, to := until[s.begin:][:len(sums)], until[s.end:][:len(sums)]
	for x := range sums {
		sums[x] += T(to[x] - from[x])
	}
}

// at returns the numerator of the score of place x, and the variation of its window.
func (r *scoreRun) at(x int) (numerator, variation int64) {
	numerator, variation = r.factor*r.products[x], r.factor*r.sums2[x]
	for c := range r.channels {
		s := int64(r.sums[c][x])
		numerator += r.offsets[c] * s
		variation -= r.centered * (s * s)
	}
	return numerator, variation
}

// normalize sets the scores of Correlation and Cosine.
func normalize(r *scoreRun) {
	for x := range r.scores[:r.n] {
		numerator, variation := r.at(x)
		r.scores[x] = ratio(numerator, r.variation, variation)
	}
}

// ratio returns the score of a numerator and two variations, or 0 if the window has none.
func ratio(numerator int64, template float64, window int64) float64 {
	if window == 0 {
		return 0
	}
	return max(-1, min(float64(numerator)/math.Sqrt(template*float64(window)), 1))
}

// differ sets the scores of Difference.
func differ(r *scoreRun) {
	for x := range r.scores[:r.n] {
		numerator, _ := r.at(x)
		r.scores[x] = 1 - float64(r.sum2+r.sums2[x]-2*numerator)/r.largest
	}
}

// place adds the sums of a place to those of r.
func place(r *placeRun) {
	for y := range r.rows {
		pix := r.pix[y*r.stride:][:r.columns]
		values, mask := r.values[y*r.columns:][:len(pix)], r.mask[y*r.maskStride:][:len(pix)]
		var product, sum, sum2 int64
		for x, v := range pix {
			p := int64(int16(v) & mask[x])
			product += p * int64(values[x])
			sum += p
			sum2 += p * p
		}
		r.product += product
		r.sum += sum
		r.sum2 += sum2
	}
}

// blocks makes a row of the planes of blocks.
func blocks(r *blockRun) {
	sumColumns(r.columns, r.side, r.sums[:r.n+r.side])
	pairs := r.pairs[:r.n]
	sums, next := r.sums[:len(pairs)], r.sums[r.side:][:len(pairs)]
	for x, sum := range sums {
		pairs[x] = (sum>>r.shift | next[x]>>r.shift<<16) ^ signs
	}
}

// multiplyBlocks makes the products of all blocks.
func multiplyBlocks(r *blockProductRun) {
	products := r.products[:r.n]
	copy(products, r.more)
	for j := range r.rows {
		multiplyRow(products, r.coefficients[2*r.columns*j:][:2*r.columns], r.pairs[r.down*j:], r.step)
	}
}

// multiplyRow adds the products of a row of blocks.
func multiplyRow(products []int32, k []int16, pairs []uint32, step int) {
	for ; len(k) >= 8; k = k[8:] {
		k0, k1, k2, k3 := int32(k[0]), int32(k[1]), int32(k[2]), int32(k[3])
		k4, k5, k6, k7 := int32(k[4]), int32(k[5]), int32(k[6]), int32(k[7])
		a, b := pairs[:len(products)], pairs[step:][:len(products)]
		c, d := pairs[2*step:][:len(products)], pairs[3*step:][:len(products)]
		for x := range products {
			products[x] += k0*int32(int16(a[x])) + k1*(int32(a[x])>>16) + k2*int32(int16(b[x])) + k3*(int32(b[x])>>16) +
				k4*int32(int16(c[x])) + k5*(int32(c[x])>>16) + k6*int32(int16(d[x])) + k7*(int32(d[x])>>16)
		}
		if len(k) > 8 {
			pairs = pairs[4*step:]
		}
	}
	for ; len(k) > 0; k = k[2:] {
		k0, k1 := int32(k[0]), int32(k[1])
		for x, v := range pairs[:len(products)] {
			products[x] += k0*int32(int16(v)) + k1*(int32(v)>>16)
		}
		if len(k) > 2 {
			pairs = pairs[step:]
		}
	}
}

// stride makes the sums of blocks.
func stride(r *strideRun) {
	columns := r.columns[:r.count]
	for c := range r.channels {
		in, out := r.entering[c][:len(columns)], r.leaving[c][:len(columns)]
		for x := range columns {
			columns[x] += square(in[x], r.reciprocal) - square(out[x], r.reciprocal)
		}
	}
	sumStrides(columns, r.side, r.blocks, r.sums[:r.n])
}

// sumStrides sets sums to those of columns that are step apart, whatever overflows.
func sumStrides[T int32 | uint32](columns []uint32, step, count int, sums []T) {
	for x := range min(step, len(sums)) {
		var sum uint32
		for i := range count {
			sum += columns[x+i*step]
		}
		sums[x] = T(sum)
	}
	last := columns[(count-1)*step:]
	for x := step; x < len(sums); x++ {
		sums[x] = sums[x-step] + T(last[x]-columns[x-step])
	}
}

// sumBlocks makes the sums of blocks and of their squares.
func sumBlocks(r *blockSumRun) {
	squares := r.squares[:r.count]
	for c := range r.channels {
		columns := r.columns[c][:len(squares)]
		in, out := r.entering[c][:len(squares)], r.leaving[c][:len(squares)]
		for x := range columns {
			a, b := in[x]&r.words, out[x]&r.words
			// Of numbers that are kept less 1<<15, sums of two have 1<<16 less, which are 0.
			difference, difference2 := int32(int16(a-b)), int32(int16(a>>16-b>>16))
			columns[x] += uint32(difference + difference2)
			squares[x] += uint32(difference*int32(int16(a+b)) + difference2*int32(int16(a>>16+b>>16)))
		}
	}
	for c := range r.channels {
		sumStrides(r.columns[c], r.step, r.strides, r.sums[c][:r.n])
	}
	sumStrides(squares, r.step, r.strides, r.sums2[:r.n])
}

// square returns the square of the first one of a pair of shifted sums, times a reciprocal, without what is
// behind the point. Each operation is rounded to float32.
func square(pair uint32, reciprocal float32) uint32 {
	v := float32(int32((pair ^ signs) & 0xffff))
	return uint32(int32(float32(v*v) * reciprocal))
}

// measure makes what bounds need to know of windows.
//
// Let s be the sum of n integers, m their mean, rounded, and d = s - m*n its lack. The sum of the squares
// of the integers less m is that of the squares less m*(s+d). It is at least |d|, since squares are at
// least their integers, so that d*d/n, what it has more than that of the integers less their mean, is not
// more than about half of it: their difference may be rounded to float32.
func measure(r *measureRun) {
	for x := range r.n {
		varied, left := r.sums2[x], r.sums2[x]
		var all, less, leftLess float32
		for c := range r.channels {
			s := r.sums[c][x]
			m := roundMean(s, r.reciprocal)
			d := s - m*r.pixels
			lack := float32(d)
			r.means[c][x] = uint8(m)
			varied -= uint32(m * (s + d))
			all += float32(float32(m) * float32(s+d))
			less += float32(float32(lack*lack) * r.reciprocal)
			if r.rest == 0 {
				continue
			}
			s -= r.inner[c][x]
			r.lacks[c][x] = float32(s - m*r.rest)
			m = roundMean(s, r.restReciprocal)
			d = s - m*r.rest
			lack = float32(d)
			left -= uint32(m * (s + d))
			leftLess += float32(float32(lack*lack) * r.restReciprocal)
		}
		norm := float32(int32(varied))
		if r.raw != 0 {
			norm += all
		} else {
			norm -= less
		}
		r.norms[x] = norm
		// The squares of blocks lack what is behind the point, which is much of the variation of an almost flat window.
		left = (left*uint32(r.factor)-r.squares[x])>>1 + 1
		r.rests[x] = min(max(float32(r.unit*float32(int32(left)))-leftLess, 0), norm) + 1e-3 // which is more than what rounding takes
	}
}

// roundMean returns a sum times the reciprocal of a number as an integer, ties to even.
func roundMean(sum int32, reciprocal float32) int32 {
	return int32(math.RoundToEven(float64(float32(sum) * reciprocal)))
}

// bound makes upper bounds of scores, by the inequality of Cauchy and Schwarz.
func bound(r *boundRun) {
	r.most, r.estimate, r.at = -2, -2, -1
	for x := range r.bounds[:r.n] {
		w := r.window(x)
		q := float32(r.q * sqrt(w.rest))
		b := r.slack
		flat := w.norm == 0 && r.largest == 0
		if !flat {
			b += r.score(&w, w.numerator+q)
		}
		r.bounds[x] = b
		r.most = max(r.most, b)
		if b <= r.bar || flat {
			continue
		}
		// Squares of blocks may lack that much, and what is left have as much more.
		rest := max(w.rest-r.lost, 0)
		means := sqrt(max(w.norm-rest, 1))
		q = float32(r.q * sqrt(rest))
		// No larger than the bound: most places need no estimate, since there is a larger one.
		if e := min(r.score(&w, float32(w.numerator*(1+q/float32(r.p*means)))), b); e > r.estimate {
			r.estimate, r.at = e, x
		}
	}
}

// sqrt returns the root of x, rounded once.
func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// A boundWindow is what bounds are made of.
type boundWindow struct {
	numerator float32 // of the means
	norm      float32 // squared
	root      float32 // of that
	rest      float32 // the squared norm of what is left without means
}

// window returns what the bound of place x is made of.
func (r *boundRun) window(x int) boundWindow {
	product, numerator := r.products[x], r.margin
	for c := range r.channels {
		m := int32(r.means[c][x])
		product += m * r.meanProducts[c]
		numerator += float32(r.meanOffsets[c] * float32(m))
		if r.rest != 0 {
			numerator += float32(r.restMeans[c] * r.lacks[c][x])
		}
	}
	norm := r.norms[x]
	return boundWindow{float32(r.scale*float32(product)) + numerator, norm, sqrt(norm), r.rests[x]}
}

// score returns the score of a window with another numerator.
func (r *boundRun) score(w *boundWindow, numerator float32) float32 {
	if r.largest != 0 {
		return 1 - (r.sum2+w.norm-2*(numerator+float32(r.error*w.root)))/r.largest
	}
	return numerator / w.root
}
