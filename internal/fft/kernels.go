package fft

import (
	"math"

	"github.com/fastcorners/fast/internal/cpu"
)

// kernels are the functions that an instruction set has, and the number of columns that they work
// on together. The portable ones define what they do, but for the rounding of sums and products.
//
// A cell has the complex numbers of lanes adjacent columns: their real parts, followed by their
// imaginary parts. All functions but the middle ones do one step of the transforms of as many
// columns as there are lanes, for a number of cells that lie side by side.
type kernels struct {
	lanes int

	// The first step of the transform over the rows, by 4, from pixels.
	firstBytes, firstWords func(*pass)
	// A step by 4 or 2. The plain one is the last step, which has no factors.
	forward4, forward2, plain4 func(*pass)
	// middleTemplate ends the transform of a template over the columns, with the step by 4 and that
	// over lanes, and stores the spectrum. middleProduct does so for a picture, multiplies by the
	// spectrum and begins the transform back.
	middleTemplate, middleProduct func(*pass)
	// The steps back undo those above.
	backPlain4, back4, back2 func(*pass)
	// The last step back over the rows, by 4, which rounds to integers.
	lastInts, lastLongs func(*pass)
}

// table has the kernels for each instruction set.
var table = cpu.NewTable("fft", kernels{
	4, firstPixels((*pass).bytesAt), firstPixels((*pass).wordsAt),
	forward4, forward2, plain4, middleTemplate, middleProduct, backPlain4, back4, back2,
	lastNumbers((*pass).storeInts), lastNumbers((*pass).storeLongs),
}, assembly...)

// maxLanes is the largest number of lanes.
const maxLanes = 8

// A pass is the argument of the kernels: one step of a transform. It lives on the heap.
//
// The data are blocks of some positions, 4 or 2 parts of span positions each. A butterfly takes
// one position of each part.
type pass struct {
	src, dst         []float64
	srcStep, dstStep int // from a position to the next one, in numbers
	cells            int // of each position, side by side
	blocks, span     int
	lanes            int
	factors          []float64 // 3 or 1 complex numbers for each of the span positions

	// turns has, for each position, a cell of the factors before the step over lanes, and spectrum
	// has a cell for each of the data, in the order in which the middle kernels read them.
	turns, spectrum []float64
	scale           float64 // of the spectrum

	// The pixels of the two tiles and the results, from the first of the columns on. They have rows
	// of those lengths. The results have counts rows; the kernels do not touch others.
	bytes        [2][]uint8
	words        [2][]int16
	pixelStride  [2]int
	ints         [2][]int32
	longs        [2][]int64
	resultStride [2]int
	counts       [2]int

	memory [4][2 * maxLanes]float64 // of the portable middle kernels
}

// butterfly4 is the transform of 4 numbers.
func butterfly4(x0, x1, x2, x3 complex128) (y0, y1, y2, y3 complex128) {
	a, b, c, d := x0+x2, x0-x2, x1+x3, x1-x3
	d = complex(imag(d), -real(d)) // times -i
	return a + c, b + d, a - c, b - d
}

// butterflyBack4 is that of the transform back.
func butterflyBack4(y0, y1, y2, y3 complex128) (x0, x1, x2, x3 complex128) {
	a, c, b, d := y0+y2, y0-y2, y1+y3, y1-y3
	d = complex(-imag(d), real(d)) // times i
	return a + b, c + d, a - b, c - d
}

// conjugate returns the conjugate of x.
func conjugate(x complex128) complex128 { return complex(real(x), -imag(x)) }

// each calls do for each cell of each butterfly, with the cell's places in src and in dst and the
// butterfly's number. The cells have that many parts.
func (r *pass) each(parts int, do func(at, to, k int)) {
	for b := range r.blocks {
		for k := range r.span {
			position := parts*b*r.span + k
			for c := range r.cells {
				do(position*r.srcStep+2*r.lanes*c, position*r.dstStep+2*r.lanes*c, k)
			}
		}
	}
}

// A quad has the cells that are of a butterfly of 4.
type quad [4][]float64

// quad returns those from at on in a list of cells.
func (r *pass) quad(list []float64, at, step int) quad {
	n, step := 2*r.lanes, step*r.span
	return quad{list[at:][:n], list[at+step:][:n], list[at+2*step:][:n], list[at+3*step:][:n]}
}

// get and set are for the complex numbers of a lane.
func (q *quad) get(l, lanes int) (x0, x1, x2, x3 complex128) {
	return complex(q[0][l], q[0][l+lanes]), complex(q[1][l], q[1][l+lanes]), complex(q[2][l], q[2][l+lanes]), complex(q[3][l], q[3][l+lanes])
}

func (q *quad) set(l, lanes int, x0, x1, x2, x3 complex128) {
	q[0][l], q[0][l+lanes] = real(x0), imag(x0)
	q[1][l], q[1][l+lanes] = real(x1), imag(x1)
	q[2][l], q[2][l+lanes] = real(x2), imag(x2)
	q[3][l], q[3][l+lanes] = real(x3), imag(x3)
}

// factors4 returns the factors of butterfly k.
func (r *pass) factors4(k int) (f1, f2, f3 complex128) {
	f := r.factors[6*k:][:6]
	return complex(f[0], f[1]), complex(f[2], f[3]), complex(f[4], f[5])
}

// bytesAt and wordsAt return the pixel at i of a tile.
func (r *pass) bytesAt(tile, i int) float64 { return float64(r.bytes[tile][i]) }
func (r *pass) wordsAt(tile, i int) float64 { return float64(r.words[tile][i]) }

// firstPixels returns a first step. Its only block has the tile's rows.
func firstPixels(pixel func(r *pass, tile, i int) float64) func(*pass) {
	return func(r *pass) {
		for k := range r.span {
			f1, f2, f3 := r.factors4(k)
			to := r.quad(r.dst, k*r.dstStep, r.dstStep)
			for l := range r.lanes {
				var x [4]complex128
				for i := range x {
					y := k + i*r.span
					x[i] = complex(pixel(r, 0, y*r.pixelStride[0]+l), pixel(r, 1, y*r.pixelStride[1]+l))
				}
				y0, y1, y2, y3 := butterfly4(x[0], x[1], x[2], x[3])
				to.set(l, r.lanes, y0, y1*f1, y2*f2, y3*f3)
			}
		}
	}
}

// forward4 does a step by 4: a butterfly, and then factors.
func forward4(r *pass) {
	r.each(4, func(at, to, k int) {
		f1, f2, f3 := r.factors4(k)
		src, dst := r.quad(r.src, at, r.srcStep), r.quad(r.dst, to, r.dstStep)
		for l := range r.lanes {
			y0, y1, y2, y3 := butterfly4(src.get(l, r.lanes))
			dst.set(l, r.lanes, y0, y1*f1, y2*f2, y3*f3)
		}
	})
}

// plain4 does the last step by 4, which has no factors.
func plain4(r *pass) {
	r.each(4, func(at, to, _ int) {
		src, dst := r.quad(r.src, at, r.srcStep), r.quad(r.dst, to, r.dstStep)
		for l := range r.lanes {
			y0, y1, y2, y3 := butterfly4(src.get(l, r.lanes))
			dst.set(l, r.lanes, y0, y1, y2, y3)
		}
	})
}

// back4 undoes forward4, except for a factor of 4: the conjugate factors, and then a butterfly.
func back4(r *pass) {
	r.each(4, func(at, to, k int) {
		f1, f2, f3 := r.factors4(k)
		src, dst := r.quad(r.src, at, r.srcStep), r.quad(r.dst, to, r.dstStep)
		for l := range r.lanes {
			y0, y1, y2, y3 := src.get(l, r.lanes)
			x0, x1, x2, x3 := butterflyBack4(y0, y1*conjugate(f1), y2*conjugate(f2), y3*conjugate(f3))
			dst.set(l, r.lanes, x0, x1, x2, x3)
		}
	})
}

// backPlain4 undoes plain4, except for a factor of 4.
func backPlain4(r *pass) {
	r.each(4, func(at, to, _ int) {
		src, dst := r.quad(r.src, at, r.srcStep), r.quad(r.dst, to, r.dstStep)
		for l := range r.lanes {
			x0, x1, x2, x3 := butterflyBack4(src.get(l, r.lanes))
			dst.set(l, r.lanes, x0, x1, x2, x3)
		}
	})
}

// forward2 does a step by 2: a butterfly, and then a factor.
func forward2(r *pass) {
	n := r.lanes
	r.each(2, func(at, to, k int) {
		f := complex(r.factors[2*k], r.factors[2*k+1])
		a, b := r.src[at:][:2*n], r.src[at+r.span*r.srcStep:][:2*n]
		c, d := r.dst[to:][:2*n], r.dst[to+r.span*r.dstStep:][:2*n]
		for l := range n {
			x0, x1 := complex(a[l], a[l+n]), complex(b[l], b[l+n])
			y0, y1 := x0+x1, (x0-x1)*f
			c[l], c[l+n], d[l], d[l+n] = real(y0), imag(y0), real(y1), imag(y1)
		}
	})
}

// back2 undoes forward2, except for a factor of 2.
func back2(r *pass) {
	n := r.lanes
	r.each(2, func(at, to, k int) {
		f := complex(r.factors[2*k], -r.factors[2*k+1])
		a, b := r.src[at:][:2*n], r.src[at+r.span*r.srcStep:][:2*n]
		c, d := r.dst[to:][:2*n], r.dst[to+r.span*r.dstStep:][:2*n]
		for l := range n {
			y0, y1 := complex(a[l], a[l+n]), complex(b[l], b[l+n])*f
			x0, x1 := y0+y1, y0-y1
			c[l], c[l+n], d[l], d[l+n] = real(x0), imag(x0), real(x1), imag(x1)
		}
	})
}

// The transform over lanes leaves its numbers in the order of reversed bits.

// lanesForward transforms the numbers of a cell, after the multiplication by their turns.
func lanesForward(cell, turns []float64, lanes int) {
	re, im := cell[:lanes], cell[lanes:]
	for l := range lanes {
		x := complex(re[l], im[l]) * complex(turns[l], turns[l+lanes])
		re[l], im[l] = real(x), imag(x)
	}
	for n := lanes; n > 1; n /= 2 {
		for l := range lanes {
			if l&(n/2) > 0 {
				continue
			}
			m := l + n/2
			x, y := complex(re[l], im[l]), complex(re[m], im[m])
			d := (x - y) * laneFactors[maxLanes/n*(l%n)]
			re[l], im[l] = real(x+y), imag(x+y)
			re[m], im[m] = real(d), imag(d)
		}
	}
}

// lanesBack undoes that, but for the factor lanes.
func lanesBack(cell, turns []float64, lanes int) {
	re, im := cell[:lanes], cell[lanes:]
	for n := 2; n <= lanes; n *= 2 {
		for l := range lanes {
			if l&(n/2) > 0 {
				continue
			}
			m := l + n/2
			x, y := complex(re[l], im[l]), complex(re[m], im[m])*conjugate(laneFactors[maxLanes/n*(l%n)])
			re[l], im[l] = real(x+y), imag(x+y)
			re[m], im[m] = real(x-y), imag(x-y)
		}
	}
	for l := range lanes {
		x := complex(re[l], im[l]) * complex(turns[l], -turns[l+lanes])
		re[l], im[l] = real(x), imag(x)
	}
}

// laneFactors are the powers of the first root of 1 of that order.
var laneFactors = [4]complex128{1, complex(math.Sqrt2/2, -math.Sqrt2/2), -1i, complex(-math.Sqrt2/2, -math.Sqrt2/2)}

// middle calls do for the cells of each quad after the last step forward, with their turns and their
// part of the spectrum, and with their places in dst.
func (r *pass) middle(do func(cells quad, turns, spectrum []float64, to int)) {
	n := 2 * r.lanes
	var cells quad
	for i := range cells {
		cells[i] = r.memory[i][:n]
	}
	spectrum := r.spectrum
	r.each(4, func(at, to, _ int) {
		src := r.quad(r.src, at, r.srcStep)
		for l := range r.lanes {
			y0, y1, y2, y3 := butterfly4(src.get(l, r.lanes))
			cells.set(l, r.lanes, y0, y1, y2, y3)
		}
		do(cells, r.turns[at/r.srcStep*n:][:4*n], spectrum[:4*n], to)
		spectrum = spectrum[4*n:]
	})
}

// middleTemplate ends the transform of a template over the columns, and stores its spectrum,
// conjugated and scaled.
func middleTemplate(r *pass) {
	n := 2 * r.lanes
	r.middle(func(cells quad, turns, spectrum []float64, _ int) {
		for i, cell := range cells {
			lanesForward(cell, turns[i*n:][:n], r.lanes)
			s := spectrum[i*n:][:n]
			for l := range r.lanes {
				s[l], s[l+r.lanes] = cell[l]*r.scale, -cell[l+r.lanes]*r.scale
			}
		}
	})
}

// middleProduct ends the transform of a picture over the columns, multiplies it by the spectrum, and
// begins the transform back.
func middleProduct(r *pass) {
	n := 2 * r.lanes
	r.middle(func(cells quad, turns, spectrum []float64, to int) {
		for i, cell := range cells {
			lanesForward(cell, turns[i*n:][:n], r.lanes)
			s := spectrum[i*n:][:n]
			for l := range r.lanes {
				x := complex(cell[l], cell[l+r.lanes]) * complex(s[l], s[l+r.lanes])
				cell[l], cell[l+r.lanes] = real(x), imag(x)
			}
			lanesBack(cell, turns[i*n:][:n], r.lanes)
		}
		dst := r.quad(r.dst, to, r.dstStep)
		for l := range r.lanes {
			x0, x1, x2, x3 := butterflyBack4(cells.get(l, r.lanes))
			dst.set(l, r.lanes, x0, x1, x2, x3)
		}
	})
}

// storeInts and storeLongs store a result of a tile at i.
func (r *pass) storeInts(tile, i int, v float64)  { r.ints[tile][i] = int32(math.RoundToEven(v)) }
func (r *pass) storeLongs(tile, i int, v float64) { r.longs[tile][i] = int64(math.RoundToEven(v)) }

// lastNumbers returns a last step.
func lastNumbers(store func(r *pass, tile, i int, v float64)) func(*pass) {
	return func(r *pass) {
		for k := range r.span {
			f1, f2, f3 := r.factors4(k)
			src := r.quad(r.src, k*r.srcStep, r.srcStep)
			for l := range r.lanes {
				y0, y1, y2, y3 := src.get(l, r.lanes)
				var x [4]complex128
				x[0], x[1], x[2], x[3] = butterflyBack4(y0, y1*conjugate(f1), y2*conjugate(f2), y3*conjugate(f3))
				for i, v := range x {
					y := k + i*r.span
					if y < r.counts[0] {
						store(r, 0, y*r.resultStride[0]+l, real(v))
					}
					if y < r.counts[1] {
						store(r, 1, y*r.resultStride[1]+l, imag(v))
					}
				}
			}
		}
	}
}
