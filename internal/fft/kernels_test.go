package fft

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// A memory gives out slices that end where a page begins that cannot be read or written.
type memory struct {
	t     *testing.T
	pages [][]byte
	used  int
}

// guarded returns a copy of list in memory of its own.
func guarded[E number | float64](m *memory, list []E) []E {
	if m.used == len(m.pages) {
		m.pages = append(m.pages, asmtest.GuardedMemory(m.t, 1<<16))
	}
	page := m.pages[m.used]
	m.used++
	size := len(list) * int(unsafe.Sizeof(*new(E)))
	if len(list) == 0 {
		return []E{}
	}
	copied := unsafe.Slice((*E)(unsafe.Pointer(&page[len(page)-size])), len(list))
	copy(copied, list)
	return copied
}

// guard returns a copy of r with all its data in memory of their own.
func (m *memory) guard(r *pass) *pass {
	c := *r
	m.used = 0
	c.src = guarded(m, r.src)
	c.dst = c.src
	if &r.dst[0] != &r.src[0] {
		c.dst = guarded(m, r.dst)
	}
	c.factors, c.turns, c.spectrum = guarded(m, r.factors), guarded(m, r.turns), guarded(m, r.spectrum)
	for i := range 2 {
		c.bytes[i], c.words[i] = guarded(m, r.bytes[i]), guarded(m, r.words[i])
		c.ints[i], c.longs[i] = guarded(m, r.ints[i]), guarded(m, r.longs[i])
	}
	return &c
}

// numbers returns n random numbers.
func numbers(random *rand.Rand, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1000 * random.NormFloat64()
	}
	return list
}

// newPass returns the argument of kernels for cells of a number of lanes, with data of random
// numbers. Parts of butterflies are as many as radix. Some steps are done in place.
func newPass(random *rand.Rand, lanes, radix int) *pass {
	r := &pass{cells: 1 + random.IntN(4), blocks: 1 + random.IntN(3), span: 1 + random.IntN(5), lanes: lanes, scale: random.Float64()}
	n := 2 * lanes * r.cells
	r.srcStep, r.dstStep = n+random.IntN(9), n+random.IntN(9)
	positions := radix * r.blocks * r.span
	r.src = numbers(random, (positions-1)*r.srcStep+n)
	r.dst = numbers(random, (positions-1)*r.dstStep+n)
	for range (radix - 1) * r.span {
		a := 7 * random.Float64()
		r.factors = append(r.factors, math.Cos(a), math.Sin(a))
	}
	if random.IntN(2) > 0 {
		r.dst, r.dstStep = r.src, r.srcStep
	}
	return r
}

// newMiddle returns the argument of the middle kernels.
func newMiddle(random *rand.Rand, lanes int) *pass {
	r := newPass(random, lanes, 4)
	r.blocks *= r.span
	r.span, r.factors = 1, nil
	r.turns = numbers(random, 2*lanes*4*r.blocks)
	for i := range r.turns {
		r.turns[i] /= 1000
	}
	r.spectrum = numbers(random, 2*lanes*4*r.blocks*r.cells)
	return r
}

// newFirst and newLast return the arguments of the first and of the last steps. Numbers of results
// are wholly, partly or not wanted.
func newFirst(random *rand.Rand, lanes int) *pass {
	r := newRows(random, lanes)
	for i := range 2 {
		r.pixelStride[i] = random.IntN(4) * (lanes + random.IntN(9))
		n := (4*r.span-1)*r.pixelStride[i] + lanes
		r.bytes[i] = fill[uint8](random, n, 0, 255, false)
		r.words[i] = fill[int16](random, n, -32768, 32767, false)
	}
	return r
}

func newLast(random *rand.Rand, lanes int) *pass {
	r := newRows(random, lanes)
	for i := range 2 {
		r.resultStride[i] = lanes + random.IntN(9)
		r.counts[i] = random.IntN(4*r.span + 1)
		n := max(0, (r.counts[i]-1)*r.resultStride[i]+lanes)
		r.ints[i], r.longs[i] = negative[int32](n), negative[int64](n)
	}
	return r
}

// newRows returns the argument of a step of which the cells of one strip are one block.
func newRows(random *rand.Rand, lanes int) *pass {
	r := newPass(random, lanes, 4)
	r.cells, r.blocks = 1, 1
	r.srcStep, r.dstStep = 2*lanes, 2*lanes
	r.src, r.dst = numbers(random, 8*lanes*r.span), numbers(random, 8*lanes*r.span)
	return r
}

// allKernels are the functions of kernels with what makes their arguments.
var allKernels = []struct {
	name   string
	choose func(*kernels) func(*pass)
	create func(random *rand.Rand, lanes int) *pass
}{
	{"firstBytes", func(k *kernels) func(*pass) { return k.firstBytes }, newFirst},
	{"firstWords", func(k *kernels) func(*pass) { return k.firstWords }, newFirst},
	{"forward4", func(k *kernels) func(*pass) { return k.forward4 }, by(4)},
	{"forward2", func(k *kernels) func(*pass) { return k.forward2 }, by(2)},
	{"plain4", func(k *kernels) func(*pass) { return k.plain4 }, by(4)},
	{"middleTemplate", func(k *kernels) func(*pass) { return k.middleTemplate }, newMiddle},
	{"middleProduct", func(k *kernels) func(*pass) { return k.middleProduct }, newMiddle},
	{"backPlain4", func(k *kernels) func(*pass) { return k.backPlain4 }, by(4)},
	{"back4", func(k *kernels) func(*pass) { return k.back4 }, by(4)},
	{"back2", func(k *kernels) func(*pass) { return k.back2 }, by(2)},
	{"lastInts", func(k *kernels) func(*pass) { return k.lastInts }, newLast},
	{"lastLongs", func(k *kernels) func(*pass) { return k.lastLongs }, newLast},
}

// by returns newPass with a radix.
func by(radix int) func(random *rand.Rand, lanes int) *pass {
	return func(random *rand.Rand, lanes int) *pass { return newPass(random, lanes, radix) }
}

// TestKernels compares the kernels with those of portable Go, all that they store, in memory
// between pages that cannot be touched. Doubles may differ by roundings, and integers if what is
// rounded is half of one.
func TestKernels(t *testing.T) {
	const tolerance = 1e-6 // for products of numbers of some 1000
	portable := &table[len(table)-1].Kernels
	m := &memory{t: t}
	rounds := 400
	if testing.Short() {
		rounds = 60
	}
	for row := range table.Available() {
		random := rand.New(rand.NewPCG(2, 1))
		lanes := row.Kernels.lanes
		for _, k := range allKernels {
			for round := range rounds {
				message := fmt.Sprintf("%s, %s, round %d", row.Name, k.name, round)
				want := k.create(random, lanes)
				got := m.guard(want)
				k.choose(portable)(want)
				k.choose(&row.Kernels)(got)
				for _, pair := range [][2][]float64{{want.src, got.src}, {want.dst, got.dst}, {want.spectrum, got.spectrum}} {
					for i, v := range pair[0] {
						if d := math.Abs(v - pair[1][i]); !(d <= tolerance) {
							require.LessOrEqual(t, d, tolerance, "%s, number %d", message, i)
						}
					}
				}
				for i := range 2 {
					require.True(t, slices.Equal(want.ints[i], got.ints[i]), message)
					require.True(t, slices.Equal(want.longs[i], got.longs[i]), message)
				}
			}
		}
	}
}
