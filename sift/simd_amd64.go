//go:build !purego

package sift

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./sift

// Only rows of pixels gain from wider vectors than those of AVX2.
var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512 | cpu.AVX2FMA, Kernels: kernels{
		double:       doubleAVX2,
		halve:        halveAVX2,
		rows:         rowsAVX512,
		columns:      columnsAVX512,
		extrema:      extremaAVX512,
		fit:          fitAVX2,
		surroundings: surroundingsAVX512,
		directions:   directionsAVX512,
		patch:        patchAVX512,
		cells:        cellsAVX512,
		pairs:        pairsAVX512,
		cut:          cutAVX2,
		normalize:    normalizeAVX2,
	}},
	{Name: "avx2", Needs: cpu.AVX2FMA, Kernels: kernels{
		double:       doubleAVX2,
		halve:        halveAVX2,
		rows:         rowsAVX2,
		columns:      columnsAVX2,
		extrema:      extremaAVX2,
		fit:          fitAVX2,
		surroundings: surroundingsAVX2,
		directions:   directionsAVX2,
		patch:        patchAVX2,
		cells:        cellsAVX2,
		pairs:        pairsAVX2,
		cut:          cutAVX2,
		normalize:    normalizeAVX2,
	}},
}

// doubleAVX2 replaces the loop of [double].
//
//go:noescape
func doubleAVX2(r *doubleRun)

// halveAVX2 replaces the loop of [halve]:
//
//	for i := range r.dst {
//		r.dst[i] = r.src[2*i]
//	}
//
//go:noescape
func halveAVX2(r *halveRun)

// rowsAVX2 and rowsAVX512 replace the loops of [filterRow]:
//
//	for x := range r.dst {
//		r.dst[x] = r.src[x] * r.weights[0]
//		for j := 1; j < len(r.weights); j++ {
//			r.dst[x] = fma32(r.src[x+j], r.weights[j], r.dst[x])
//		}
//	}
//
//go:noescape
func rowsAVX2(r *rowRun)

//go:noescape
func rowsAVX512(r *rowRun)

// columnsAVX2 and columnsAVX512 replace the loops of [filterColumns].
//
//go:noescape
func columnsAVX2(r *columnRun)

//go:noescape
func columnsAVX512(r *columnRun)

// extremaAVX2 and extremaAVX512 replace the loops of [markExtrema].
//
//go:noescape
func extremaAVX2(r *extremaRun)

//go:noescape
func extremaAVX512(r *extremaRun)

// fitAVX2 replaces [fitPeak].
//
//go:noescape
func fitAVX2(r *fitRun)

// surroundingsAVX2 and surroundingsAVX512 replace the loops of [surroundings].
//
//go:noescape
func surroundingsAVX2(r *samplesRun)

//go:noescape
func surroundingsAVX512(r *samplesRun)

// directionsAVX2 and directionsAVX512 replace the loop of [addDirections].
//
//go:noescape
func directionsAVX2(r *samplesRun)

//go:noescape
func directionsAVX512(r *samplesRun)

// patchAVX2 and patchAVX512 replace the loops of [patch].
//
//go:noescape
func patchAVX2(r *samplesRun)

//go:noescape
func patchAVX512(r *samplesRun)

// cellsAVX2 and cellsAVX512 replace the loop of [addCells].
//
//go:noescape
func cellsAVX2(r *samplesRun)

//go:noescape
func cellsAVX512(r *samplesRun)

// pairsAVX2 and pairsAVX512 replace what addInTurn returns, except that they do not change the
// samples' counts. They add a sample of the one and then one of the other.
//
//go:noescape
func pairsAVX2(r *pairRun)

//go:noescape
func pairsAVX512(r *pairRun)

// cutAVX2 replaces the loops of [cut].
//
//go:noescape
func cutAVX2(r *samplesRun)

// normalizeAVX2 replaces the loops of [normalize].
//
//go:noescape
func normalizeAVX2(r *normalizeRun)
