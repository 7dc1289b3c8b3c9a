package locate

import "math"

// multiply adds the products of all rows to those of r, in each row of places.
func multiply(r *multiplying) {
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
func slide(r *summing) {
	squares := r.squares[:r.count]
	for c := range r.channels {
		in, out, columns := r.entering[c][:len(squares)], r.leaving[c][:len(squares)], r.columns[c][:len(squares)]
		for x, v := range in {
			a, b := uint32(v), uint32(out[x])
			columns[x] += a - b
			squares[x] += (a - b) * (a + b)
		}
	}
}

// window sets the sums of windows to those of width columns.
func window(r *summing) {
	for c := range r.channels {
		var sum uint32
		columns, sums := r.columns[c], r.sums[c][:r.n]
		for _, v := range columns[:r.width-1] {
			sum += v
		}
		last := columns[r.width-1:][:len(sums)]
		columns = columns[:len(sums)]
		for x := range sums {
			sum += last[x]
			sums[x] = int32(sum)
			sum -= columns[x]
		}
	}
	var sum uint64
	squares, sums := r.squares, r.sums2[:r.n]
	for _, v := range squares[:r.width-1] {
		sum += uint64(v)
	}
	last := squares[r.width-1:][:len(sums)]
	squares = squares[:len(sums)]
	for x := range sums {
		sum += uint64(last[x])
		sums[x] = int64(sum)
		sum -= uint64(squares[x])
	}
}

// accumulate sums up pixels and their squares from the beginning of a row.
func accumulate(r *masking) {
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
func addSpans(r *masking) {
	for _, s := range r.spans {
		for c := range r.channels {
			sums := r.sums[c][:r.n]
			from, to := r.until[c][s.begin:][:len(sums)], r.until[c][s.end:][:len(sums)]
			for x := range sums {
				sums[x] += int32(to[x] - from[x])
			}
		}
		sums := r.sums2[:r.n]
		from, to := r.until2[s.begin:][:len(sums)], r.until2[s.end:][:len(sums)]
		for x := range sums {
			sums[x] += int64(to[x] - from[x])
		}
	}
}

// at returns the numerator of the score of place x, and what its window varies.
func (r *scoring) at(x int) (numerator, variation int64) {
	numerator, variation = r.factor*r.products[x], r.factor*r.sums2[x]
	for c := range r.channels {
		s := int64(r.sums[c][x])
		numerator += r.offsets[c] * s
		variation -= r.centered * (s * s)
	}
	return numerator, variation
}

// normalize sets the scores of Correlation and Cosine.
func normalize(r *scoring) {
	for x := range r.scores[:r.n] {
		numerator, variation := r.at(x)
		r.scores[x] = ratio(numerator, r.variation, variation)
	}
}

// ratio returns the score of a place that varies, or 0.
func ratio(numerator int64, template float64, window int64) float64 {
	if window == 0 {
		return 0
	}
	return max(-1, min(float64(numerator)/math.Sqrt(template*float64(window)), 1))
}

// differ sets the scores of Difference.
func differ(r *scoring) {
	for x := range r.scores[:r.n] {
		numerator, _ := r.at(x)
		r.scores[x] = 1 - float64(r.sum2+r.sums2[x]-2*numerator)/r.largest
	}
}

// place adds the sums of a place to those of r.
func place(r *placing) {
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
func blocks(r *blocking) {
	var sum, next uint32
	for _, v := range r.columns[:r.side-1] {
		sum += v
	}
	for _, v := range r.columns[r.side:][:r.side-1] {
		next += v
	}
	pairs, squares := r.pairs[:r.n], r.squares[:r.n]
	first, second, third := r.columns[:len(pairs)+r.side], r.columns[r.side-1:], r.columns[2*r.side-1:][:len(pairs)]
	for x := range pairs {
		sum += second[x]
		next += third[x]
		pairs[x] = sum>>r.shift | next>>r.shift<<16
		squares[x] += uint32(int64(float64(sum) * float64(sum) * r.reciprocal))
		sum -= first[x]
		next -= first[x+r.side]
	}
}

// multiplyBlocks adds the products of a row of blocks.
func multiplyBlocks(r *blockMultiplying) {
	products := r.products[:r.n]
	k, pairs := r.coefficients, r.pairs
	for ; len(k) >= 8; k = k[8:] {
		k0, k1, k2, k3 := int32(k[0]), int32(k[1]), int32(k[2]), int32(k[3])
		k4, k5, k6, k7 := int32(k[4]), int32(k[5]), int32(k[6]), int32(k[7])
		a, b := pairs[:len(products)], pairs[r.step:][:len(products)]
		c, d := pairs[2*r.step:][:len(products)], pairs[3*r.step:][:len(products)]
		for x := range products {
			products[x] += k0*int32(a[x]&0xffff) + k1*int32(a[x]>>16) + k2*int32(b[x]&0xffff) + k3*int32(b[x]>>16) +
				k4*int32(c[x]&0xffff) + k5*int32(c[x]>>16) + k6*int32(d[x]&0xffff) + k7*int32(d[x]>>16)
		}
		if len(k) > 8 {
			pairs = pairs[4*r.step:]
		}
	}
	for ; len(k) > 0; k = k[2:] {
		k0, k1 := int32(k[0]), int32(k[1])
		for x, v := range pairs[:len(products)] {
			products[x] += k0*int32(v&0xffff) + k1*int32(v>>16)
		}
		if len(k) > 2 {
			pairs = pairs[r.step:]
		}
	}
}

// stride makes the sums of blocks.
func stride(r *striding) {
	columns := r.columns[:r.count]
	in, out := r.entering[:len(columns)], r.leaving[:len(columns)]
	for x := range columns {
		columns[x] += in[x] - out[x]
	}
	sums := r.sums[:r.n]
	for x := range min(r.side, r.n) {
		var sum int64
		for i := range r.blocks {
			sum += int64(columns[x+i*r.side])
		}
		sums[x] = sum
	}
	last := columns[(r.blocks-1)*r.side:]
	for x := r.side; x < len(sums); x++ {
		sums[x] = sums[x-r.side] + int64(last[x]) - int64(columns[x-r.side])
	}
}

// bound makes upper bounds of scores, by the inequality of Cauchy and Schwarz. Integers and their
// products have less than 53 bits.
func bound(r *bounding) {
	r.most, r.estimate, r.at = -2, -2, -1
	for x := range r.bounds[:r.n] {
		numerator := float64(r.scale*float64(r.products[x])) + r.margin
		all := float64(r.sums2[x]) // the squares of the window's pixels
		variation, left := r.factor*all, all-float64(r.squares[x])
		for c := range r.channels {
			s := float64(r.sums[c][x])
			numerator += float64(r.offsets[c] * s)
			variation -= float64(s * float64(s*r.centered))
			if r.rest != 0 {
				d := float64(r.sums[c][x] - r.inner[c][x])
				left -= float64(float64(d*d) * r.rest)
			}
		}
		norm := float32(variation * r.unit)
		rest := float32(max(left, 0) + 1e-3) // which is more than what rounding takes
		w := boundWindow{float32(numerator), float32(all), sqrt(norm)}
		w.numerator += float32(r.error * w.norm)
		q := float32(r.q * sqrt(rest))
		b := r.slack
		if norm != 0 || r.largest != 0 {
			b += r.score(&w, w.numerator+q)
		}
		r.bounds[x] = b
		r.most = max(r.most, b)
		if b < r.least || norm == 0 && r.largest == 0 {
			continue
		}
		means := sqrt(max(norm-rest, 1))
		// No larger than the bound: most places need no estimate, since there is a larger one.
		if e := min(r.score(&w, w.numerator*(1+q/float32(r.p*means))), b); e > r.estimate {
			r.estimate, r.at = e, x
		}
	}
}

// sqrt returns the root of x, rounded once.
func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// A boundWindow is what bounds are made of.
type boundWindow struct {
	numerator float32 // of the means
	squares   float32 // the sum of the squares of the pixels
	norm      float32
}

// score returns the score of a window with another numerator.
func (r *bounding) score(w *boundWindow, numerator float32) float32 {
	if r.largest != 0 {
		return 1 - (r.sum2+w.squares-2*numerator)/r.largest
	}
	return numerator / float32(r.t*w.norm)
}
