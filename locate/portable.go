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
