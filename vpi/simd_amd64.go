//go:build !purego

package vpi

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./vpi

var assembly = []cpu.Row[kernels]{
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{sift: siftAVX2}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: kernels{sift: siftSSE2}},
}

// siftAVX2 and siftSSE2 replace the loops of [sift]. A pixel is marked unless two pixels side by
// side on the circle, and both opposite to them, have one each that is not bright, and one each
// that is not dark:
//
//	for i := range r.opposite {
//		not |= (ring[i] | ring[i+1]) & (ring[i+r.opposite] | ring[i+1+r.opposite])
//	}
//
//go:noescape
func siftAVX2(r *siftRun)

//go:noescape
func siftSSE2(r *siftRun)
