//go:build !purego

package orb

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./orb

// canResize and canSmooth tell whether this processor can run the functions below.
func canResize() bool { return cpu.Has(cpu.AVX2) }
func canSmooth() bool { return cpu.Has(cpu.AVX2FMA) }

func interpolateLine(r *lineRun) { lineAVX2(r) }
func blendRows(r *blendRun)      { blendAVX2(r) }
func smoothColumn(r *smoothRun)  { smoothAVX2(r) }

//go:noescape
func lineAVX2(r *lineRun)

//go:noescape
func blendAVX2(r *blendRun)

//go:noescape
func smoothAVX2(r *smoothRun)
