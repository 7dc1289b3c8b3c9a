//go:build !purego

package fft

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../../_asm run ./fft

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512 | cpu.AVX2FMA, Kernels: kernels{
		8, firstBytesAVX512, firstWordsAVX512,
		forward4AVX512, forward2AVX512, plain4AVX512, middleTemplateAVX512, middleProductAVX512,
		backPlain4AVX512, back4AVX512, back2AVX512,
		lastIntsAVX512, lastLongsAVX512,
	}},
	{Name: "avx2", Needs: cpu.AVX2FMA, Kernels: kernels{
		4, firstBytesAVX2, firstWordsAVX2,
		forward4AVX2, forward2AVX2, plain4AVX2, middleTemplateAVX2, middleProductAVX2,
		backPlain4AVX2, back4AVX2, back2AVX2,
		lastIntsAVX2, lastLongsAVX2,
	}},
}

// firstBytesAVX2 and firstBytesAVX512 do what kernels says.
//
//go:noescape
func firstBytesAVX2(r *pass)

//go:noescape
func firstBytesAVX512(r *pass)

// firstWordsAVX2 and firstWordsAVX512 do what kernels says.
//
//go:noescape
func firstWordsAVX2(r *pass)

//go:noescape
func firstWordsAVX512(r *pass)

// forward4AVX2 and forward4AVX512 do what kernels says.
//
//go:noescape
func forward4AVX2(r *pass)

//go:noescape
func forward4AVX512(r *pass)

// forward2AVX2 and forward2AVX512 do what kernels says.
//
//go:noescape
func forward2AVX2(r *pass)

//go:noescape
func forward2AVX512(r *pass)

// plain4AVX2 and plain4AVX512 do what kernels says.
//
//go:noescape
func plain4AVX2(r *pass)

//go:noescape
func plain4AVX512(r *pass)

// middleTemplateAVX2 and middleTemplateAVX512 do what kernels says.
//
//go:noescape
func middleTemplateAVX2(r *pass)

//go:noescape
func middleTemplateAVX512(r *pass)

// middleProductAVX2 and middleProductAVX512 do what kernels says.
//
//go:noescape
func middleProductAVX2(r *pass)

//go:noescape
func middleProductAVX512(r *pass)

// backPlain4AVX2 and backPlain4AVX512 do what kernels says.
//
//go:noescape
func backPlain4AVX2(r *pass)

//go:noescape
func backPlain4AVX512(r *pass)

// back4AVX2 and back4AVX512 do what kernels says.
//
//go:noescape
func back4AVX2(r *pass)

//go:noescape
func back4AVX512(r *pass)

// back2AVX2 and back2AVX512 do what kernels says.
//
//go:noescape
func back2AVX2(r *pass)

//go:noescape
func back2AVX512(r *pass)

// lastIntsAVX2 and lastIntsAVX512 do what kernels says.
//
//go:noescape
func lastIntsAVX2(r *pass)

//go:noescape
func lastIntsAVX512(r *pass)

// lastLongsAVX2 and lastLongsAVX512 do what kernels says.
//
//go:noescape
func lastLongsAVX2(r *pass)

//go:noescape
func lastLongsAVX512(r *pass)
