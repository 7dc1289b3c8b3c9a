package harris

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap, so
// that nothing escapes by a call through a function value.
type kernels struct {
	peaks    func(*peaksRun)
	extremes func(*extremesRun)

	// For rows of floats and of doubles.
	widen                       func(*widenRun)
	weighSums, weighDifferences func(*weighRun)
	multiply                    func(*multiplyRun)
	slideDoubles                func(*slideDoublesRun)
	boxDoubles                  func(*boxRun)

	// The others belong to pipelines that portable Go has no use for. They are nil if
	// there is no such pipeline for the instruction set.
	sum      func(*sumRun)      // of sobelBlocks and sobelWindows
	gradient func(*gradientRun) // of sobelWindows
	respond  func(*respondRun)  // of sobelBlocks
	columns  int                // of a block of respond, the words of a vector

	gradients7, products7, columns7, respond7 func(*gaussian7Run)
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
