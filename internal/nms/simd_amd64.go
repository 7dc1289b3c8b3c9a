//go:build !purego

package nms

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../../_asm run ./nms

// run does the work in assembly, and reports whether it could.
func (r *maximizeRun) run() bool {
	switch {
	case cpu.Has(cpu.AVX2) && r.n >= 8:
		maximizeAVX2(r)
	case cpu.Has(cpu.SSE2) && r.n >= 4:
		maximizeSSE2(r)
	default:
		return false
	}
	return true
}

// run does the work in assembly, and reports whether it could.
func (r *peaksRun) run() bool {
	switch side := 2*r.radius + 1; {
	case r.side > 64:
		return false // words have no bits for the columns of a block
	case cpu.Has(cpu.AVX2) && side >= 8:
		peaksAVX2(r)
	case cpu.Has(cpu.SSE2) && side >= 4:
		peaksSSE2(r)
	default:
		return false
	}
	return true
}

//go:noescape
func maximizeSSE2(r *maximizeRun)

//go:noescape
func maximizeAVX2(r *maximizeRun)

//go:noescape
func peaksSSE2(r *peaksRun)

//go:noescape
func peaksAVX2(r *peaksRun)
