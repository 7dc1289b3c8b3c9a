//go:build !purego

package match

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./match

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.VPOPCNTDQ | cpu.AVX512VNNI, Kernels: kernels{
		block:     16,
		places:    [maxBlock]int{0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60},
		words:     [8]int{0, 64, 128, 192, 256, 320, 384, 448},
		flat:      [maxBlock]int{0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60},
		find:      [metrics]func(*findRun){findAVX512, find2AVX512, findFlatAVX512, findL2AVX512, find32AVX512},
		keys:      [listed]func(*findRun){keysAVX512, keys2AVX512, keysFlatAVX512, keysL2AVX512},
		vectors:   layout{block: 32, atOnce: 8, middle: 128},
		pack:      packAVX512,
		packL2:    packL2AVX512,
		distances: distancesAVX512,
		share:     1 << 20,
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		block:     8,
		places:    [maxBlock]int{0, 128, 8, 136, 16, 144, 24, 152},
		words:     [8]int{0, 4, 32, 36, 64, 68, 96, 100},
		flat:      [maxBlock]int{0, 32, 8, 40, 16, 48, 24, 56},
		find:      [metrics]func(*findRun){findAVX2, find2AVX2, findFlatAVX2, findL2AVX2, find32AVX2},
		keys:      [listed]func(*findRun){keysAVX2, keys2AVX2, keysFlatAVX2, keysL2AVX2},
		vectors:   layout{block: 16, atOnce: 4, middle: 128},
		slice:     sliceAVX2,
		pack:      packAVX2,
		packL2:    packL2AVX2,
		distances: distancesAVX2,
		share:     1 << 18,
	}},
	{Name: "popcnt", Needs: cpu.POPCNT, Kernels: kernels{
		block:     2,
		places:    [maxBlock]int{0, 32},
		words:     inOrder,
		flat:      [maxBlock]int{0, 8},
		find:      [metrics]func(*findRun){findPOPCNT, find2POPCNT, findFlatPOPCNT, findL2Portable, find32POPCNT},
		keys:      [listed]func(*findRun){keysPOPCNT, keys2POPCNT, keysFlatPOPCNT, keysL2Portable},
		vectors:   inRows,
		packL2:    inRows.packRun,
		distances: distancesPortable,
		share:     1 << 17,
	}},
}

// findAVX512, findAVX2 and findPOPCNT replace the loops of [findPortable]:
//
//	for i, q := range r.queries {
//		for j, t := range trains {
//			key := distance(q, t)<<indexBits | r.index[j]
//			r.second[i] = min(r.second[i], max(r.best[i], key))
//			r.best[i] = min(r.best[i], key)
//			r.columns[j] = min(r.columns[j], key&^(1<<indexBits-1)|(r.firstQuery+i))
//		}
//	}
//
//go:noescape
func findAVX512(r *findRun)

//go:noescape
func findAVX2(r *findRun)

//go:noescape
func findPOPCNT(r *findRun)

// find2AVX512, find2AVX2 and find2POPCNT replace the loops of [find2Portable], which count cells
// of two bits.
//
//go:noescape
func find2AVX512(r *findRun)

//go:noescape
func find2AVX2(r *findRun)

//go:noescape
func find2POPCNT(r *findRun)

// find32AVX512, find32AVX2 and find32POPCNT replace the loops of [find32Portable], which count
// the first 32 bits.
//
//go:noescape
func find32AVX512(r *findRun)

//go:noescape
func find32AVX2(r *findRun)

//go:noescape
func find32POPCNT(r *findRun)

// findFlatAVX512, findFlatAVX2 and findFlatPOPCNT replace the loops of [findFlatPortable], for
// descriptors of any length.
//
//go:noescape
func findFlatAVX512(r *findRun)

//go:noescape
func findFlatAVX2(r *findRun)

//go:noescape
func findFlatPOPCNT(r *findRun)

// keysAVX512, keysAVX2 and keysPOPCNT replace the loops of [keysPortable]:
//
//	for _, q := range r.queries {
//		for j, t := range trains {
//			keys = append(keys, distance(q, t)<<indexBits|r.index[j])
//		}
//	}
//
//go:noescape
func keysAVX512(r *findRun)

//go:noescape
func keysAVX2(r *findRun)

//go:noescape
func keysPOPCNT(r *findRun)

// keys2AVX512, keys2AVX2 and keys2POPCNT replace the loops of [keys2Portable].
//
//go:noescape
func keys2AVX512(r *findRun)

//go:noescape
func keys2AVX2(r *findRun)

//go:noescape
func keys2POPCNT(r *findRun)

// keysFlatAVX512, keysFlatAVX2 and keysFlatPOPCNT replace the loops of [keysFlatPortable].
//
//go:noescape
func keysFlatAVX512(r *findRun)

//go:noescape
func keysFlatAVX2(r *findRun)

//go:noescape
func keysFlatPOPCNT(r *findRun)

// findL2AVX512 and findL2AVX2 replace the loops of [findL2Portable]: those of [findPortable] with
//
//	distance(q, t)<<vectorIndexBits = r.queryNorms[i] + r.trainNorms[j] - product(q, t)<<(vectorIndexBits+1)
//
//go:noescape
func findL2AVX512(r *findRun)

//go:noescape
func findL2AVX2(r *findRun)

// keysL2AVX512 and keysL2AVX2 replace the loops of [keysL2Portable].
//
//go:noescape
func keysL2AVX512(r *findRun)

//go:noescape
func keysL2AVX2(r *findRun)

// packAVX512 and packAVX2 replace the loops of kernels.place for r.packed and r.trains.
//
//go:noescape
func packAVX512(r *packRun)

//go:noescape
func packAVX2(r *packRun)

// packL2AVX512 and packL2AVX2 replace the loops of layout.pack for r.packed and r.vectors.
//
//go:noescape
func packL2AVX512(r *packVectorsRun)

//go:noescape
func packL2AVX2(r *packVectorsRun)

// distancesAVX512 and distancesAVX2 replace the loops of [distancesPortable]:
//
//	for i, c := range r.candidates {
//		r.list[i] = 0
//		for k, v := range r.center {
//			d := int(v) - int(r.others[c][k])
//			r.list[i] += d * d
//		}
//	}
//
//go:noescape
func distancesAVX512(r *distancesRun)

//go:noescape
func distancesAVX2(r *distancesRun)

// sliceAVX2 replaces the loops of [slicePortable].
//
//go:noescape
func sliceAVX2(r *sliceRun)
