package harris

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap,
// so that nothing escapes by a call through a function value.
type kernels struct {
	needs    cpu.Set // every feature that they use
	columns  int     // of a block: the words of a vector
	sum      func(*sumRun)
	respond  func(*respondRun)
	gradient func(*gradientRun)
	maxima   func(*maximaRun)

	// Of rows of floats.
	widen                       func(*widenRun)
	weighSums, weighDifferences func(*weighRun)
	multiply                    func(*rowRun)
	extremes                    func(*rowRun)
	slideDoubles                func(*slideDoublesRun)
	boxDoubles                  func(*boxRun)

	// For Gaussians that reach 3 pixels.
	gradients7, products7, columns7, respond7 func(*sevenRun)
}

// bestKernels returns the kernels for this processor, or nil where Go does the work.
func bestKernels() *kernels {
	for _, k := range instructionSets {
		if cpu.Has(k.needs) {
			return k
		}
	}
	return nil
}
