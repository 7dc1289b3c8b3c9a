package harris

// A weighRun holds the arguments of the kernels weighSums and weighDifferences, which compute
// weighted sums of lines. Weight 0 is that of the middle line, and weight i is that of the two
// lines at distance i from it, which are added, or the first subtracted from the second. For a
// convolution along columns the lines are rows; for one along a row they are that row, from
// different columns on.
type weighRun struct {
	out     []float32
	lines   [][]float32
	weights []float32
}

// pair returns the two lines at distance i from the middle one and their weight. If there are
// none, the weight is 0.
func (r *weighRun) pair(i int) (weight float32, first, second []float32) {
	radius, n := len(r.weights)-1, len(r.out)
	if i > radius {
		return 0, r.lines[radius][:n], r.lines[radius][:n]
	}
	return r.weights[i], r.lines[radius-i][:n], r.lines[radius+i][:n]
}

// weighSums is the kernel in Go. Pairs are added from the inside to the outside: three in
// one pass, and then two at a time, because loads and stores cost more than the arithmetic.
// Conversions of products keep them from being fused.
func weighSums(r *weighRun) {
	dst := r.out
	n := len(dst)
	w0, middle, _ := r.pair(0)
	middle = middle[:n]
	w1, a1, b1 := r.pair(1)
	a1, b1 = a1[:n], b1[:n]
	if len(r.weights) == 2 {
		for i := range dst {
			dst[i] = float32(w0*middle[i]) + float32(w1*(a1[i]+b1[i]))
		}
		return
	}
	w2, a2, b2 := r.pair(2)
	a2, b2 = a2[:n], b2[:n]
	w3, a3, b3 := r.pair(3)
	a3, b3 = a3[:n], b3[:n]
	for i := range dst {
		dst[i] = float32(w0*middle[i]) + float32(w1*(a1[i]+b1[i])) + float32(w2*(a2[i]+b2[i])) + float32(w3*(a3[i]+b3[i]))
	}
	for k := 4; k < len(r.weights); k += 2 {
		w1, a1, b1 := r.pair(k)
		a1, b1 = a1[:n], b1[:n]
		w2, a2, b2 := r.pair(k + 1)
		a2, b2 = a2[:n], b2[:n]
		for i, sum := range dst {
			dst[i] = sum + float32(w1*(a1[i]+b1[i])) + float32(w2*(a2[i]+b2[i]))
		}
	}
}

// weighDifferences is the kernel in Go, for a middle line with a weight of 0.
func weighDifferences(r *weighRun) {
	dst := r.out
	n := len(dst)
	w1, a1, b1 := r.pair(1)
	a1, b1 = a1[:n], b1[:n]
	if len(r.weights) == 2 {
		for i := range dst {
			dst[i] = w1 * (b1[i] - a1[i])
		}
		return
	}
	w2, a2, b2 := r.pair(2)
	a2, b2 = a2[:n], b2[:n]
	w3, a3, b3 := r.pair(3)
	a3, b3 = a3[:n], b3[:n]
	for i := range dst {
		dst[i] = float32(w1*(b1[i]-a1[i])) + float32(w2*(b2[i]-a2[i])) + float32(w3*(b3[i]-a3[i]))
	}
	for k := 4; k < len(r.weights); k += 2 {
		w1, a1, b1 := r.pair(k)
		a1, b1 = a1[:n], b1[:n]
		w2, a2, b2 := r.pair(k + 1)
		a2, b2 = a2[:n], b2[:n]
		for i, sum := range dst {
			dst[i] = sum + float32(w1*(b1[i]-a1[i])) + float32(w2*(b2[i]-a2[i]))
		}
	}
}
