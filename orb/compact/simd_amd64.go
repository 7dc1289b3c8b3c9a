//go:build !purego

package compact

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../../_asm run ./compact

var assembly = []cpu.Row[kernels]{
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		readPatch:    readPatchAVX2,
		comparePatch: comparePatchAVX2,
	}},
}

// readPatchAVX2 replaces the loop of [readPatchPortable], which copies a patch and adds up its
// moments.
//
//go:noescape
func readPatchAVX2(r *patchRun)

// comparePatchAVX2 replaces the loop of [comparePatchPortable]:
//
//	for i := range 32 {
//		if patch[places[i]] > patch[places[32+i]] {
//			r.bits |= 1 << i
//		}
//	}
//
//go:noescape
func comparePatchAVX2(r *comparisonRun)
