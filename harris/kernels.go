package harris

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap, so
// that nothing escapes by a call through a function value.
type kernels struct {
	peaks    func(*peaksRun)
	extremes func(*extremesRun)

	// Of rows of floats and of doubles.
	widen                       func(*widenRun)
	weighSums, weighDifferences func(*weighRun)
	multiply                    func(*multiplyRun)
	slideDoubles                func(*slideDoublesRun)
	boxDoubles                  func(*boxRun)

	// Of a fused, and those for boxes of 3 by 3 with the columns of a block, the words
	// of a vector. Where they are nil, other sources are faster.
	sum      func(*sumRun)
	gradient func(*gradientRun)
	respond  func(*respondRun)
	columns  int

	// Of a seven, or nil.
	gradients7, products7, columns7, respond7 func(*sevenRun)
}

var portable = kernels{
	peaks:            peaks,
	extremes:         extremes,
	widen:            widen,
	weighSums:        weighSums,
	weighDifferences: weighDifferences,
	multiply:         multiply,
	slideDoubles:     slideDoubles,
	boxDoubles:       boxDoubles,
}

var table = cpu.NewTable("harris", portable, assembly...)
