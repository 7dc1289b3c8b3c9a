//go:build !purego

package warp

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./warp

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.VBMI2, Kernels: kernels{
		linear:  [2]func(*sampling){linearGrayAVX512, linearColorAVX512},
		nearest: [2]func(*sampling){nearestGrayAVX512, nearestColorAVX512},
		turned:  linearColorAVX2,
		group:   16,
		project: projectAVX512,
		scale:   scaleAVX512,
		unpack:  unpackAVX512,
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		linear:  [2]func(*sampling){linearGrayAVX2, linearColorAVX2},
		nearest: [2]func(*sampling){nearestGrayAVX2, nearestColorAVX2},
		turned:  linearColorAVX2,
		group:   8,
		project: projectAVX2,
		scale:   scaleAVX2,
		unpack:  unpackAVX2,
	}},
}

//go:noescape
func linearGrayAVX2(r *sampling)

//go:noescape
func linearGrayAVX512(r *sampling)

//go:noescape
func linearColorAVX2(r *sampling)

//go:noescape
func linearColorAVX512(r *sampling)

//go:noescape
func nearestGrayAVX2(r *sampling)

//go:noescape
func nearestGrayAVX512(r *sampling)

//go:noescape
func nearestColorAVX2(r *sampling)

//go:noescape
func nearestColorAVX512(r *sampling)

//go:noescape
func projectAVX2(r *projection)

//go:noescape
func projectAVX512(r *projection)

//go:noescape
func scaleAVX2(r *scaling)

//go:noescape
func scaleAVX512(r *scaling)

//go:noescape
func unpackAVX2(r *unpacking)

//go:noescape
func unpackAVX512(r *unpacking)
