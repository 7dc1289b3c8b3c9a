package fft

import (
	"fmt"
	"image"
	"math"
	"math/bits"
	"sync"
)

// A plan has what transforms of tiles of one size need.
type plan struct {
	*kernels
	size image.Point

	strips int // of lanes columns
	stride int // of a strip, in numbers
	group  int // of rows whose columns are transformed together
	part   int // of a strip, in numbers: all its steps but the one with pixels are done at once

	rows    []step // the first is from pixels, and the last has no factors
	columns []step // those before the middle
	turns   []float64
}

// A step is one by 4 or 2 of a transform.
type step struct {
	radix, span int
	factors     []float64 // of a pass
}

// cache is the size in bytes of what should stay in the first cache of the processor while steps are
// done one after the other.
const cache = 16 << 10

// planKey is the key of a plan.
type planKey struct {
	size    image.Point
	kernels *kernels
}

var plans sync.Map // of *plan by planKey

// planOf returns the plan for tiles of a size.
func planOf(size image.Point) *plan {
	for _, n := range [2]int{size.X, size.Y} {
		if n < MinSide || n > MaxSide || n&(n-1) > 0 {
			panic(fmt.Sprintf("fft: tiles of %v", size))
		}
	}
	key := planKey{size, table.Best()}
	if p, ok := plans.Load(key); ok {
		return p.(*plan)
	}
	p, _ := plans.LoadOrStore(key, newPlan(size, key.kernels))
	return p.(*plan)
}

// newPlan returns a new plan for tiles of a size.
func newPlan(size image.Point, k *kernels) *plan {
	p := &plan{kernels: k, size: size, strips: size.X / k.lanes}
	// One cell more, so that the cells of a row are not all in the same few places of caches.
	p.stride = (size.Y + 1) * 2 * k.lanes
	p.part = size.Y * p.cell()
	if p.part*8 > cache {
		p.part /= 4
	}
	p.group = 4
	for p.group > 1 && p.group*p.strips*p.cell()*8 > cache {
		p.group /= 2
	}
	p.rows = steps(size.Y, append([]int{4}, radices(size.Y/4)...))
	columns := steps(p.strips, radices(p.strips))
	p.columns = columns[:len(columns)-1] // the middle does the last one
	p.turns = make([]float64, 2*size.X)
	for i := range p.strips {
		f := frequency(i, columns)
		for l := range k.lanes {
			cell := p.turns[i*p.cell()+l:]
			cell[0], cell[k.lanes] = root(f*l, size.X)
		}
	}
	return p
}

// cell returns how many numbers a cell has.
func (p *plan) cell() int { return 2 * p.lanes }

// radices returns those of the steps of a transform of n numbers.
func radices(n int) (list []int) {
	log := bits.TrailingZeros(uint(n))
	if log%2 > 0 {
		list = append(list, 2)
	}
	for range log / 2 {
		list = append(list, 4)
	}
	return list
}

// steps returns the steps of a transform of n numbers. The last one has no factors.
func steps(n int, radices []int) []step {
	var list []step
	for _, radix := range radices {
		s := step{radix: radix, span: n / radix}
		if s.span > 1 {
			for k := range s.span {
				for j := 1; j < radix; j++ {
					re, im := root(j*k, n)
					s.factors = append(s.factors, re, im)
				}
			}
		}
		list = append(list, s)
		n = s.span
	}
	return list
}

// frequency returns whose number lies at a position after the steps of a transform.
func frequency(position int, steps []step) int {
	f, unit := 0, 1
	for _, s := range steps {
		f += unit * (position / s.span)
		position %= s.span
		unit *= s.radix
	}
	return f
}

// root returns the real and the imaginary part of exp(-2 pi i k/n), each within 2^-52. n is a power of
// two.
func root(k, n int) (re, im float64) {
	quarter, rest := 4*(k%n)/n, 4*(k%n)%n
	s, c := math.Sincos(math.Pi / 2 * (float64(min(rest, n-rest)) / float64(n)))
	if 2*rest > n {
		s, c = c, s
	}
	for range quarter {
		s, c = c, -s
	}
	return c, -s
}
