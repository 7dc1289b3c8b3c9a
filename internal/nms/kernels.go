package nms

import (
	"image"
	"math"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/tensor"
)

// kernels are the functions of an instruction set. Their arguments live on the heap, so
// that nothing escapes by a call through a function value.
type kernels struct {
	elements int // of a vector: the minimum width of rows and squares
	maximize func(*maximizeRun)
	peaks    func(*peaksRun)
}

var table = cpu.NewTable("nms", kernels{maximize: maximize, peaks: peaks}, assembly...)

// kernelsFor returns the fastest kernels for rows or squares of n values.
func kernelsFor(n int) *kernels {
	for i := range table {
		if k := &table[i].Kernels; cpu.Has(table[i].Needs) && k.elements <= n {
			return k
		}
	}
	panic("nms: no kernels") // portable Go is for all
}

// A maximizeRun is a row of blocks whose largest values are to be found.
type maximizeRun struct {
	values []float32 // from the first row on
	stride int
	rows   int
	tops   []float32 // the largest values of the columns, to be found

	// The blocks whose first column at least three others follow.
	side    int
	mask    [4]int32   // for each of four columns, all bits if the column is in the block
	largest []int32    // the largest values of the blocks, to be found
	most    [4]float32 // one of them is the largest value of all blocks, or 0 if that is negative
}

// maximize is the kernel in Go.
func maximize(r *maximizeRun) {
	tops := r.tops
	copy(tops, r.values)
	for y := 1; y < r.rows; y++ {
		for x, v := range r.values[y*r.stride:][:len(tops)] {
			tops[x] = math.Float32frombits(uint32(max(tensor.Order(tops[x]), tensor.Order(v))))
		}
	}
	most := int32(0)
	for i := range r.largest {
		r.largest[i] = maximum(tops[i*r.side : (i+1)*r.side])
		most = max(most, r.largest[i])
	}
	r.most[0] = math.Float32frombits(uint32(most))
}

// maximum returns the largest one of the values, by its order.
func maximum(values []float32) int32 {
	most := tensor.Order(values[0])
	for _, v := range values[1:] {
		most = max(most, tensor.Order(v))
	}
	return most
}

// A peaksRun is at most manyBlocks blocks of a row, whose largest values are to be compared
// with a limit and with the squares around them.
type peaksRun struct {
	limit   float32
	largest []int32
	blocks  uint64 // a bit for each block, and then for each that exceeds the limit and is left
	inner   uint64 // the blocks whose squares lie in the map: others are left, as are those with several largest values

	// Of the first block, in the map.
	tops   *float32
	bottom *float32 // the last row
	x, y   int      // the first column, and the row above

	stride       int // in bytes
	side, radius int
	columns      uint64   // a bit for each column of a block
	corner       int      // bytes from the first value of a square to that in its middle
	earlier      [8]int32 // what is subtracted from a value before it is compared with earlier ones
	beside       [8]int32 // for each of the 8 values before one, all bits if it is in the square

	places []image.Point // room for one in each block
	found  int
}

// manyBlocks is the number of blocks that a word has bits for.
const manyBlocks = 64

// peaks is the kernel in Go, which leaves all blocks that exceed the limit.
func peaks(r *peaksRun) {
	for i, largest := range r.largest {
		if largest <= tensor.Order(r.limit) {
			r.blocks &^= 1 << i
		}
	}
}
