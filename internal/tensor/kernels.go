package tensor

import "github.com/fastcorners/fast/internal/cpu"

// A kernels is the functions of an instruction set. Their arguments live on the heap, so
// that nothing escapes by a call through a function value.
type kernels struct {
	needs   cpu.Set // every feature that they use
	columns int     // of a block of windows: the words of a vector
	slide   [maxWindow + 1]func(*slideRun)
	respond func(*respondRun)
}

// bestKernels returns the kernels for this processor, or nil where Go does the work.
func bestKernels() *kernels {
	return cpu.Best(instructionSets, func(k *kernels) cpu.Set { return k.needs })
}
