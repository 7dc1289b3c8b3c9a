//go:build !purego

package nms

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../../_asm run ./nms

// run does the work in assembly, and reports whether it could.
func (r *topsRun) run() bool {
	switch {
	case cpu.Has(cpu.AVX2) && r.n >= 8:
		topsAVX2(r)
	case cpu.Has(cpu.SSE2) && r.n >= 4:
		topsSSE2(r)
	default:
		return false
	}
	return true
}

// run does the work in assembly, and reports whether it could.
func (r *squareRun) run() bool {
	switch {
	case cpu.Has(cpu.AVX2) && r.side >= 8:
		squareAVX2(r)
	case cpu.Has(cpu.SSE2) && r.side >= 4:
		squareSSE2(r)
	default:
		return false
	}
	return true
}

//go:noescape
func topsSSE2(r *topsRun)

//go:noescape
func topsAVX2(r *topsRun)

//go:noescape
func squareSSE2(r *squareRun)

//go:noescape
func squareAVX2(r *squareRun)
