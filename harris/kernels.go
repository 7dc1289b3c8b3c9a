package harris

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments are on the heap anyway,
// because arguments of a call through a function value escape.
type kernels struct {
	peaks    func(*peaksRun)
	extremes func(*extremesRun)

	// For rows of floats and of doubles.
	widen                       func(*widenRun)
	weighSums, weighDifferences func(*weighRun)
	multiply                    func(*multiplyRun)
	slideDoubles                func(*slideDoublesRun)
	boxDoubles                  func(*boxRun)

	refineSample   func(*sampleRun)
	refineMoments  func(*momentsRun)
	refineElements int // of refineMoments

	// The others are for pipelines that would not be faster in portable Go. They are nil
	// in rows of the table without such a pipeline.
	sum      func(*sumRun)      // of sobelBlocks and sobelWindows
	gradient func(*gradientRun) // of sobelWindows
	respond  func(*respondRun)  // of sobelBlocks
	columns  int                // of a block of respond: the number of words in a vector

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
	refineSample:     sample,
	refineMoments:    moments,
	refineElements:   1,
}

var table = cpu.NewTable("harris", portable, assembly...)
