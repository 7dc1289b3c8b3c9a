package orb

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap,
// so that nothing escapes by a call through a function value.
type kernels struct {
	needs   cpu.Set // every feature that they use
	moments func(*momentRun)
	line    func(*lineRun)
	blend   func(*blendRun)
	smooth  func(*smoothRun)
	sample  func(*sampleRun)
	compare func(*sampleRun)
}

// bestKernels returns the kernels for this processor, or nil where Go does the work.
func bestKernels() *kernels {
	if avx2Kernels != nil && cpu.Has(avx2Kernels.needs) {
		return avx2Kernels
	}
	return nil
}
