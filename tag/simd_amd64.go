//go:build !purego

package tag

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./tag

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512, Kernels: kernels{extremesAVX512, bitsAVX512, roundAVX512, sampleAVX512}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{extremesAVX2, bitsAVX2, roundAVX2, sampleAVX2}},
}

// extremesAVX2 and extremesAVX512 replace the loop of [extremesOfTiles]:
//
//	for x := range r.low {
//		first := x &^ 3
//		r.low[x], r.high[x] = r.rows[0][first], r.rows[0][first]
//		for _, row := range r.rows {
//			for _, p := range row[first : first+4] {
//				r.low[x], r.high[x] = min(r.low[x], p), max(r.high[x], p)
//			}
//		}
//	}
//
//go:noescape
func extremesAVX2(r *tilesRun)

//go:noescape
func extremesAVX512(r *tilesRun)

// bitsAVX2 and bitsAVX512 replace the loop of [bitsOfTiles]:
//
//	for x := range r.rows[0] {
//		low, high := r.low[0][x+margin], r.high[0][x+margin]
//		for i := range 3 {
//			for _, at := range [3]int{x - 4, x, x + 4} {
//				low, high = min(low, r.low[i][at+margin]), max(high, r.high[i][at+margin])
//			}
//		}
//		mean := low&high + (low^high)>>1
//		for k := range r.rows {
//			if high-low >= r.contrast && r.rows[k][x] <= mean {
//				r.dark[k][x/64] |= 1 << (x % 64)
//			} else if high-low >= r.contrast {
//				r.light[k][x/64] |= 1 << (x % 64)
//			}
//		}
//	}
//
//go:noescape
func bitsAVX2(r *bitsRun)

//go:noescape
func bitsAVX512(r *bitsRun)

// roundAVX2 and roundAVX512 replace the loop of [fitRound] over the pixels, and method derive in it. The
// products are added when those of some lanes have been collected.
//
//go:noescape
func roundAVX2(r *fitRun)

//go:noescape
func roundAVX512(r *fitRun)

// sampleAVX2 and sampleAVX512 replace the loop of [sampleImage].
//
//go:noescape
func sampleAVX2(r *sampleRun)

//go:noescape
func sampleAVX512(r *sampleRun)
