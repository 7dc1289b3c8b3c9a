package lococo

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap,
// so that nothing escapes by a call through a function value.
type kernels struct {
	needs    cpu.Set // every feature that they use
	integral func(*integralRun)
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
