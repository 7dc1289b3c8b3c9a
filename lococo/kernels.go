package lococo

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap,
// so that nothing escapes by a call through a function value.
type kernels struct {
	needs     cpu.Set // every feature that they use
	bands     func(*bandsRun)
	gradients [maxNarrow + 1]func(*gradientsRun) // by how far the kernel reaches

	// For kernels of any size.
	sumBands      func(*sumBandsRun)
	differentiate func(*differentiateRun)
	columns       func(*columnsRun)
	windows       func(*windowsRun)

	integral func(*integralRun)
}

// bestKernels returns the kernels for this processor, or nil where Go does the work.
func bestKernels() *kernels {
	return cpu.Best(instructionSets, func(k *kernels) cpu.Set { return k.needs })
}
