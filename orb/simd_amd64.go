//go:build !purego

package orb

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./orb

// Only rows of pixels gain from wider vectors than those of AVX2.
var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.VBMI2 | cpu.AVX2FMA, Kernels: kernels{
		window:       32,
		strip:        16,
		resize:       resizeAVX512,
		harris:       harrisAVX2,
		moments:      momentsAVX2,
		smooth:       smoothAVX512,
		sample:       sampleAVX2,
		compare:      compareAVX2,
		readPatch:    readPatchAVX2,
		comparePatch: comparePatchAVX2,
	}},
	{Name: "avx2", Needs: cpu.AVX2FMA, Kernels: kernels{
		window:       8,
		strip:        8,
		resize:       resizeAVX2,
		harris:       harrisAVX2,
		moments:      momentsAVX2,
		smooth:       smoothAVX2,
		sample:       sampleAVX2,
		compare:      compareAVX2,
		readPatch:    readPatchAVX2,
		comparePatch: comparePatchAVX2,
	}},
}

//go:noescape
func resizeAVX2(r *resizeRun)

//go:noescape
func resizeAVX512(r *resizeRun)

//go:noescape
func harrisAVX2(r *harrisRun)

//go:noescape
func momentsAVX2(r *momentRun)

//go:noescape
func smoothAVX2(r *smoothRun)

//go:noescape
func smoothAVX512(r *smoothRun)

//go:noescape
func sampleAVX2(r *sampleRun)

//go:noescape
func compareAVX2(r *sampleRun)

//go:noescape
func readPatchAVX2(r *patchRun)

//go:noescape
func comparePatchAVX2(r *comparisonRun)
