package harris

// A weighRun is a weighted sum of rows: of one, and of the sums or the differences of pairs
// of others.
type weighRun struct {
	out    []float32
	middle []float32
	weight float32
	taps   []weighTap // at least one, from the inside to the outside
}

// A weighTap is a pair of rows with its weight. In a difference, first is subtracted from
// second.
type weighTap struct {
	first, second []float32
	weight        float32
}

// tap returns tap i, with a weight of 0 if there is none.
func (r *weighRun) tap(i int) (weight float32, first, second []float32) {
	if n := len(r.out); i < len(r.taps) {
		t := &r.taps[i]
		return t.weight, t.first[:n], t.second[:n]
	}
	return 0, r.middle, r.middle
}

// weighSums is the kernel in Go. However many taps there are, they are added in one order:
// three in one pass, and then two at a time, since loads and stores cost more than the
// arithmetic. Conversions of products keep them from being fused.
func weighSums(r *weighRun) {
	dst := r.out
	n := len(dst)
	middle, w0 := r.middle[:n], r.weight
	w1, a1, b1 := r.tap(0)
	a1, b1 = a1[:n], b1[:n]
	if len(r.taps) == 1 {
		for i := range dst {
			dst[i] = float32(w0*middle[i]) + float32(w1*(a1[i]+b1[i]))
		}
		return
	}
	w2, a2, b2 := r.tap(1)
	a2, b2 = a2[:n], b2[:n]
	w3, a3, b3 := r.tap(2)
	a3, b3 = a3[:n], b3[:n]
	for i := range dst {
		dst[i] = float32(w0*middle[i]) + float32(w1*(a1[i]+b1[i])) + float32(w2*(a2[i]+b2[i])) + float32(w3*(a3[i]+b3[i]))
	}
	for k := 3; k < len(r.taps); k += 2 {
		w1, a1, b1 := r.tap(k)
		a1, b1 = a1[:n], b1[:n]
		w2, a2, b2 := r.tap(k + 1)
		a2, b2 = a2[:n], b2[:n]
		for i, sum := range dst {
			dst[i] = sum + float32(w1*(a1[i]+b1[i])) + float32(w2*(a2[i]+b2[i]))
		}
	}
}

// weighDifferences is the kernel in Go. The middle has no part in it.
func weighDifferences(r *weighRun) {
	dst := r.out
	n := len(dst)
	w1, a1, b1 := r.tap(0)
	a1, b1 = a1[:n], b1[:n]
	if len(r.taps) == 1 {
		for i := range dst {
			dst[i] = w1 * (b1[i] - a1[i])
		}
		return
	}
	w2, a2, b2 := r.tap(1)
	a2, b2 = a2[:n], b2[:n]
	w3, a3, b3 := r.tap(2)
	a3, b3 = a3[:n], b3[:n]
	for i := range dst {
		dst[i] = float32(w1*(b1[i]-a1[i])) + float32(w2*(b2[i]-a2[i])) + float32(w3*(b3[i]-a3[i]))
	}
	for k := 3; k < len(r.taps); k += 2 {
		w1, a1, b1 := r.tap(k)
		a1, b1 = a1[:n], b1[:n]
		w2, a2, b2 := r.tap(k + 1)
		a2, b2 = a2[:n], b2[:n]
		for i, sum := range dst {
			dst[i] = sum + float32(w1*(b1[i]-a1[i])) + float32(w2*(b2[i]-a2[i]))
		}
	}
}
