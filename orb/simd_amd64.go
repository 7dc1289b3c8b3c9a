//go:build !purego

package orb

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./orb

var avx2Kernels = &kernels{
	needs:   cpu.AVX2FMA,
	moments: momentsAVX2,
	line:    lineAVX2,
	blend:   blendAVX2,
	smooth:  smoothAVX2,
	sample:  sampleAVX2,
	compare: compareAVX2,
}

//go:noescape
func momentsAVX2(r *momentRun)

//go:noescape
func lineAVX2(r *lineRun)

//go:noescape
func blendAVX2(r *blendRun)

//go:noescape
func smoothAVX2(r *smoothRun)

//go:noescape
func sampleAVX2(r *sampleRun)

//go:noescape
func compareAVX2(r *sampleRun)
