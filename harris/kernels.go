package harris

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the stages of the most used responses, those of Sobel's gradients of 3 by
// 3 and a mirrored box of 3 by 3, and of the corners of any responses in squares of 3 by
// 3. Their arguments live on the heap, so that nothing escapes by a call through a
// function value.
type kernels struct {
	needs     cpu.Set // every feature that they use
	gradients func(*run)
	respond   func(*run)
	peaks     func(*peakRun)
}

// portable are the kernels in Go. What others leave in the fields of a run is the same
// but for those that say otherwise.
var portable = kernels{gradients: gradients, respond: respond, peaks: peaks}

// bestKernels returns the kernels for this processor.
func bestKernels() *kernels {
	for _, k := range instructionSets {
		if cpu.Has(k.needs) {
			return k
		}
	}
	return &portable
}
