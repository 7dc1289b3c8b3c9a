package orb

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap,
// so that nothing escapes by a call through a function value.
type kernels struct {
	needs        cpu.Set // every feature that they use
	window       int     // pixels of a line that lie in a window
	strip        int     // width of a strip that is smoothed
	resize       func(*resizeRun)
	harris       func(*harrisRun)
	moments      func(*momentRun)
	smooth       func(*smoothRun)
	sample       func(*sampleRun)
	compare      func(*sampleRun)
	readPatch    func(*patchRun)
	comparePatch func(*comparisonRun)
}

// bestKernels returns the kernels for this processor, or nil where Go does the work.
func bestKernels() *kernels {
	return cpu.Best(instructionSets, func(k *kernels) cpu.Set { return k.needs })
}
