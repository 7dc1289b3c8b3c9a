package sift

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions that an instruction set has. The portable ones define what they
// do. Their arguments live on the heap, so that nothing escapes by a call through a function
// value.
type kernels struct {
	double  func(*doubleRun)
	halve   func(*halveRun)
	rows    func(*rowRun)
	columns func(*columnRun)
	extrema func(*extremaRun)
	fit     func(*fitRun)

	// The samples of orientations, and their sum.
	surroundings func(*samplesRun)
	directions   func(*samplesRun)
	// The samples of descriptors, their sums, and the numbers that are rounded.
	patch     func(*samplesRun)
	cells     func(*samplesRun)
	pairs     func(*pairRun)
	cut       func(*samplesRun)
	normalize func(*normalizeRun)
}

// portable are the kernels in Go.
var portable = kernels{
	double:  double,
	halve:   halve,
	rows:    filterRow,
	columns: filterColumns,
	extrema: markExtrema,
	fit:     fitPeak,

	surroundings: surroundings,
	directions:   addDirections,
	patch:        patch,
	cells:        addCells,
	pairs:        addInTurn(addCells),
	cut:          cut,
	normalize:    normalize,
}

// table has the kernels for each instruction set.
var table = cpu.NewTable("sift", portable, assembly...)

// Vectors of all instruction sets divide into vectorWidth pixels, and the kernels work on
// multiples of it.
const vectorWidth = 16

// batch is the number of rows that the kernel columns makes at a time.
const batch = 8
