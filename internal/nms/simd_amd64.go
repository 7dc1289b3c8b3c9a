//go:build !purego

package nms

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../../_asm run ./nms

// Where vectors of 256 bits do not fit, those of 128 may.
var assembly = []cpu.Row[kernels]{
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{elements: 8, maximize: maximizeAVX2, peaks: peaksAVX2}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: kernels{elements: 4, maximize: maximizeSSE2, peaks: peaksSSE2}},
}

// maximizeSSE2 and maximizeAVX2 replace the loops of [maximize]:
//
//	for y := range r.rows {
//		for x := range r.tops {
//			r.tops[x] = max(r.tops[x], r.values[y*r.stride+x])
//		}
//	}
//	for i := range r.largest {
//		r.largest[i] = maximum(r.tops[i*r.side:][:r.side])
//	}
//
//go:noescape
func maximizeSSE2(r *maximizeRun)

//go:noescape
func maximizeAVX2(r *maximizeRun)

// peaksSSE2 and peaksAVX2 replace the loop of [peaks], and find the places of most of the blocks
// that [peaks] leaves:
//
//	for i, largest := range r.largest {
//		if x, y := place(i); largest > limit && largest > earlier(x, y) && largest >= later(x, y) {
//			r.places[r.found] = image.Pt(x, y)
//			r.found++
//		}
//	}
//
//go:noescape
func peaksSSE2(r *peaksRun)

//go:noescape
func peaksAVX2(r *peaksRun)
