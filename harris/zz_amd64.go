package harris

import "image"

type fk struct {
	name    string
	columns int
	sum     func(*sumRun)
	respond [3]func(*respondRun)
}

var fusedKernels = []*fk{
	{"avx512", 32, sumAVX512, [3]func(*respondRun){respondHarrisAVX512, respondMinEigenvalueAVX512, respondRatioAVX512}},
	{"avx2", 16, sumAVX2, [3]func(*respondRun){respondHarrisAVX2, respondMinEigenvalueAVX2, respondRatioAVX2}},
	{"sse2", 8, sumSSE2, [3]func(*respondRun){respondHarrisSSE2, respondMinEigenvalueSSE2, respondRatioSSE2}},
}

type fused struct {
	k      *fk
	m      int
	sums   [4][]int16
	junk   [2][]int16
	state  []int16
	tail   [2][64]float32
	dump   []float32
	sumRun sumRun
	respondRun
	spanList [4]span
}

const x0 = 64

var noMap bool

func newFused(k *fk, m int, c [2]float32) *fused {
	f := &fused{k: k, m: m}
	for i := range f.sums {
		f.sums[i] = make([]int16, x0+stripColumns+128)
	}
	for i := range f.junk {
		f.junk[i] = make([]int16, x0+stripColumns+128)
	}
	f.state = make([]int16, (stripColumns/8+3)*8*64)
	f.dump = make([]float32, stripColumns+128)
	for i := range c {
		for j := range 16 {
			f.constants[i][j] = c[i]
		}
	}
	return f
}

func mirror(i, n int) int {
	for i < 0 || i >= n {
		if i < 0 {
			i = -i
		} else {
			i = 2*n - 2 - i
		}
	}
	return i
}

func (f *fused) run(img *image.Gray, out []float32) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	strips := (w + stripColumns - 1) / stripColumns
	width := ((w+strips-1)/strips + 31) / 32 * 32
	for c0 := 0; c0 < w; c0 += width {
		n := min(width, w-c0)
		row := func(y int) []float32 {
			if y < 0 || noMap {
				return f.dump[:n]
			}
			return out[y*w+c0:][:n]
		}
		f.step(img, 0, c0, n, row(-1), row(-1))
		f.step(img, 0, c0, n, row(-1), row(0))
		y := 2
		for ; y < h; y += 2 {
			f.step(img, y, c0, n, row(y-1), row(y))
		}
		if y == h {
			f.step(img, h-2, c0, n, row(h-1), row(-1))
		}
	}
}

func (f *fused) step(img *image.Gray, y, c0, n int, out0, out1 []float32) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	left, right := c0 == 0, c0+n == w
	begin, end := c0, c0+n
	if !left {
		begin -= 32
	}
	if !right {
		end += 2
	}
	r := &f.sumRun
	for i := range r.rows {
		r.rows[i] = &img.Pix[mirror(y-1+i, h)*img.Stride+begin]
		r.sums[i] = &f.sums[i][x0+begin-c0]
	}
	r.n = end - begin
	for i := range r.ahead {
		r.ahead[i] = &img.Pix[min(y+6+i, h-1)*img.Stride+begin]
	}
	f.k.sum(r)
	if y == h-1 {
		// mirrored row
		for i := range 3 {
			r.rows[i] = &img.Pix[mirror(h-3+i, h)*img.Stride+begin]
		}
		r.rows[3] = r.rows[2]
		r.sums = [4]*int16{r.sums[2], r.sums[3], &f.junk[0][x0], &f.junk[1][x0]}
		if !left {
			r.sums[2], r.sums[3] = &f.junk[0][x0-32], &f.junk[1][x0-32]
		}
		f.k.sum(r)
	}
	for i, s := range f.sums {
		if left {
			s[x0-1] = s[x0+1]
			s[x0-2] = s[x0+mirror(-2, w)]
			if i%2 == 0 {
				s[x0-2] = 2*s[x0] - s[x0+mirror(-2, w)]
			}
		}
		if right {
			s[x0+n] = s[x0+n-2]
			s[x0+n+1] = s[x0+mirror(w+1, w)-c0]
			if i%2 == 0 {
				s[x0+n+1] = 2*s[x0+n-1] - s[x0+mirror(w+1, w)-c0]
			}
		}
	}
	q := &f.respondRun
	for i := range q.sums {
		q.sums[i] = &f.sums[i][x0+1-f.k.columns]
	}
	q.state = &f.state[0]
	N := f.k.columns
	q.spans = append(f.spanList[:0], span{[2]*float32{&f.tail[0][0], &f.tail[1][0]}, 1})
	if full := n / N; full > 0 {
		q.spans = append(q.spans, span{[2]*float32{&out0[0], &out1[0]}, full})
	}
	if n%N > 0 {
		q.spans = append(q.spans, span{[2]*float32{&f.tail[0][0], &f.tail[1][0]}, 1})
	}
	f.k.respond[f.m](q)
	if t := n % N; t > 0 {
		copy(out0[n-t:], f.tail[0][:t])
		copy(out1[n-t:], f.tail[1][:t])
	}
}
