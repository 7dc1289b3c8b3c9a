package harris

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap,
// so that nothing escapes by a call through a function value.
type kernels struct {
	needs  cpu.Set // every feature that they use
	maxima func(*maximaRun)

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
	return cpu.Best(instructionSets, func(k *kernels) cpu.Set { return k.needs })
}

// fusedKernels are the functions of an instruction set for a fused.
type fusedKernels struct {
	needs    cpu.Set // every feature that they use
	sum      func(*sumRun)
	gradient func(*gradientRun)

	// For boxes of 3 by 3. Without them these are done as others are.
	columns int // of a block: the words of a vector
	respond func(*respondRun)
}

// bestFusedKernels returns those for this processor, or nil where there are none.
func bestFusedKernels() *fusedKernels {
	return cpu.Best(fusedSets, func(k *fusedKernels) cpu.Set { return k.needs })
}
