package warp

// The methods pack of the arguments of kernels set what is in the order of a layout, for a row of n
// pixels of the source. They report false if the layout does not serve.

// none is the number of a byte of a window that stands for 0.
const none = 0x80

// pack sets the tables of areas of at most four pixels. Those of the values of a window always fit in it.
func (r *areaRun) pack(l *layout, n int) bool {
	row := len(r.shares) * r.size
	if l.sections == 0 {
		return l.serves(row)
	}
	r.taps = 3
	for _, s := range r.shares {
		r.taps = max(r.taps, int(s.n))
	}
	if r.taps > 4 {
		return false
	}
	r.bases, r.shuffle, r.spread = r.bases[:0], r.shuffle[:0], r.spread[:0]
	vector, each := l.sections*l.each(), l.each()
	return l.vectors(row, func(begins []int) bool {
		weights := r.extend(r.taps * vector)
		for section, begin := range begins {
			base := min(int(r.shares[begin/r.size].at), n-l.window/r.size) * r.size
			if base < 0 {
				return false
			}
			r.bases = append(r.bases, int32(base))
			for i := range each {
				s, channel := &r.shares[(begin+i)/r.size], (begin+i)%r.size
				for k := range 4 {
					if k >= int(s.n) {
						r.shuffle = append(r.shuffle, none)
						continue
					}
					r.shuffle = append(r.shuffle, uint8((int(s.at)+k)*r.size+channel-base))
					weights[k*vector+section*each+i] = r.weights[int(s.first)+k]
				}
			}
		}
		return true
	})
}

// extend returns n more weights, which are 0.
func (r *areaRun) extend(n int) []float32 {
	for range n {
		r.spread = append(r.spread, 0)
	}
	return r.spread[len(r.spread)-n:]
}

// packFarther sets the tables of areas of any number of pixels, of which each round takes four. A window
// has the pixels of one pixel, and others follow it.
func (r *areaRun) packFarther(l *layout, n int) bool {
	row := len(r.shares) * r.size
	if l.sections == 0 {
		return l.serves(row)
	}
	r.bases, r.rounds, r.spread = r.bases[:0], r.rounds[:0], r.spread[:0]
	pixels := l.window / r.size
	vector, each := l.sections*l.each(), l.each()
	return l.vectors(row, func(begins []int) bool {
		// from returns where the first window of a value is, so that the last one is in the row.
		from := func(s *share, rounds int) int {
			return min(int(s.at), n-(4*rounds+pixels-1)/pixels*pixels)
		}
		rounds := 1
		for before := 0; before < rounds; {
			before = rounds
			for _, begin := range begins {
				for i := range each {
					s := &r.shares[(begin+i)/r.size]
					f := from(s, before)
					if f < 0 {
						return false
					}
					rounds = max(rounds, (int(s.at)-f+int(s.n)+3)/4)
				}
			}
		}
		r.rounds = append(r.rounds, int32(rounds))
		weights := r.extend(4 * rounds * vector / l.values)
		for section, begin := range begins {
			for i := 0; i < each; i += l.values {
				s := &r.shares[(begin+i)/r.size]
				f := from(s, rounds)
				r.bases = append(r.bases, int32(f*r.size))
				for k, w := range r.weights[s.first:][:s.n] {
					k += int(s.at) - f
					if l.values == 1 {
						weights[k*vector+section*each+i] = w
					} else {
						weights[k/4*4*l.sections+4*section+k%4] = w
					}
				}
			}
		}
		return true
	})
}

// pack sets the tables of columns. n is the number of bytes of a row of the source.
func (r *linearRun) pack(l *layout, n int) bool {
	row := len(r.columns)
	if l.sections == 0 {
		return l.serves(row)
	}
	r.bases, r.shuffle, r.high, r.low = r.bases[:0], r.shuffle[:0], r.high[:0], r.low[:0]
	each := l.each()
	return l.vectors(row, func(begins []int) bool {
		for part := 0; part < each; part += l.values {
			for _, begin := range begins {
				base := min(int(r.columns[begin+part].first), n-l.window)
				r.bases = append(r.bases, int32(base))
				for i := range each {
					if i < part || i >= part+l.values {
						r.shuffle = append(r.shuffle, none, none)
						continue
					}
					b := &r.columns[begin+i]
					p, q := int(b.first)-base, int(b.second)-base
					if base < 0 || q >= l.window {
						return false
					}
					r.shuffle = append(r.shuffle, uint8(p), uint8(q))
				}
			}
		}
		for _, begin := range begins {
			for i := range each {
				b := &r.columns[begin+i]
				for _, w := range [2]int32{b.a, b.b} {
					// Both fit in bytes: high, which has a sign, is at most 127.
					high := min(w>>4, 127)
					r.high, r.low = append(r.high, uint8(high)), append(r.low, uint8(w-16*high))
				}
			}
		}
		return true
	})
}

// pack sets the tables of columns.
func (r *nearestRun) pack(k *nearestKernel, n int) bool {
	l, per := &k.layout, r.size/max(k.size, 1) // the number of values of a pixel
	row := len(r.columns) * per
	if l.sections == 0 {
		return l.serves(row)
	}
	r.bases, r.shuffle = r.bases[:0], r.shuffle[:0]
	return l.vectors(row, func(begins []int) bool {
		for _, begin := range begins {
			base := min(int(r.columns[begin/per]), n*r.size-l.window*k.size)
			r.bases = append(r.bases, int32(base))
			for i := range l.each() {
				p := (int(r.columns[(begin+i)/per]) + (begin+i)%per*k.size - base) / k.size
				if base < 0 || p >= l.window {
					return false
				}
				number := [4]uint8{uint8(p)} // as many bytes as a value
				r.shuffle = append(r.shuffle, number[:k.size]...)
			}
		}
		return true
	})
}
