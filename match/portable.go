package match

import (
	"encoding/binary"
	"math/bits"

	"github.com/fastcorners/fast/internal/cpu"
)

// table holds the kernels of this platform. It is a variable for tests.
var table = cpu.NewTable("match", kernels{
	block:     1,
	words:     inOrder,
	vectors:   inRows,
	packL2:    inRows.packRun,
	find:      [metrics]func(*findRun){findPortable, find2Portable, findFlatPortable, findL2Portable, find32Portable},
	keys:      [listed]func(*findRun){keysPortable, keys2Portable, keysFlatPortable, keysL2Portable},
	distances: distancesPortable,
	share:     1 << 17,
}, assembly...)

// findPortable finds the nearest train descriptors by the bits that differ.
func findPortable(r *findRun) { findEach(r, r.queries, bitKeys, indexBits) }

// find2Portable finds the nearest train descriptors by the cells that differ.
func find2Portable(r *findRun) { findEach(r, r.queries, cellKeys, indexBits) }

// findFlatPortable finds the nearest flat train descriptors.
func findFlatPortable(r *findRun) { findEach(r, r.flat, flatKeys, indexBits) }

// find32Portable finds the nearest train descriptors by the first 32 bits that differ.
func find32Portable(r *findRun) { findEach(r, r.queries, shortKeys, indexBits) }

// findL2Portable finds the nearest train vectors.
func findL2Portable(r *findRun) { findEach(r, r.vectors, vectorKeys, vectorIndexBits) }

// keysPortable lists all keys by the bits that differ.
func keysPortable(r *findRun) { keysEach(r, r.queries, bitKeys) }

// keys2Portable lists all keys by the cells that differ.
func keys2Portable(r *findRun) { keysEach(r, r.queries, cellKeys) }

// keysFlatPortable lists all keys of flat descriptors.
func keysFlatPortable(r *findRun) { keysEach(r, r.flat, flatKeys) }

// keysL2Portable lists all keys of vectors.
func keysL2Portable(r *findRun) { keysEach(r, r.vectors, vectorKeys) }

// keysEach lists the keys of each query descriptor, which list makes.
func keysEach[D any](r *findRun, queries []D, list func(keys []uint32, q *D, r *findRun)) {
	for i := range queries {
		list(r.keys[i*len(r.index):], &queries[i], r)
	}
}

// findEach finds the least of the keys of each query descriptor, which list makes. Of their bits
// the given number are an index.
func findEach[D any](r *findRun, queries []D, list func(keys []uint32, q *D, r *findRun), indexBits int) {
	keys := r.keys[:len(r.index)]
	distance := ^uint32(0) << indexBits // of a key
	for i := range queries {
		list(keys, &queries[i], r)
		best, second := uint32(noKey), uint32(noKey)
		for _, k := range keys {
			second = min(second, max(best, k))
			best = min(best, k)
		}
		r.best[i] = best
		if r.second != nil {
			r.second[i] = second
		}
		if r.columns != nil {
			column := r.firstQuery + uint32(i)
			columns := r.columns[:len(keys)]
			for j, k := range keys {
				columns[j] = min(columns[j], k&distance|column)
			}
		}
	}
}

// bitKeys lists the keys of q by the bits that differ.
func bitKeys(keys []uint32, q *Descriptor, r *findRun) {
	q0, q1, q2, q3 := q.words()
	keys = keys[:len(r.index)]
	for i, index := range r.index {
		t0, t1, t2, t3 := (*Descriptor)(r.packed[i*len(q):]).words()
		d := bits.OnesCount64(q0^t0) + bits.OnesCount64(q1^t1) + bits.OnesCount64(q2^t2) + bits.OnesCount64(q3^t3)
		keys[i] = uint32(d)<<indexBits | index
	}
}

// cellKeys lists the keys of q by the cells that differ. The descriptors are split.
func cellKeys(keys []uint32, q *Descriptor, r *findRun) {
	q0, q1, q2, q3 := q.words()
	keys = keys[:len(r.index)]
	for i, index := range r.index {
		t0, t1, t2, t3 := (*Descriptor)(r.packed[i*len(q):]).words()
		d := bits.OnesCount64((q0^t0)|(q1^t1)) + bits.OnesCount64((q2^t2)|(q3^t3))
		keys[i] = uint32(d)<<indexBits | index
	}
}

// flatKeys lists the keys of q, a flat descriptor.
func flatKeys(keys []uint32, q *flatDescriptor, r *findRun) {
	keys = keys[:len(r.index)]
	words, packed := q[:8*r.words], r.packed
	for i, index := range r.index {
		t := packed[:len(words)]
		packed = packed[len(words):]
		d := 0
		for k := 0; k < len(words); k += 8 {
			d += bits.OnesCount64(binary.LittleEndian.Uint64(words[k:]) ^ binary.LittleEndian.Uint64(t[k:]))
		}
		keys[i] = uint32(d)<<indexBits | index
	}
}

// shortKeys lists the keys of q by the first 32 bits that differ.
func shortKeys(keys []uint32, q *Descriptor, r *findRun) {
	word := binary.LittleEndian.Uint32(q[:])
	keys = keys[:len(r.index)]
	for i, index := range r.index {
		d := bits.OnesCount32(word ^ binary.LittleEndian.Uint32(r.packed[i*len(q):]))
		keys[i] = uint32(d)<<indexBits | index
	}
}

// vectorKeys lists the keys of q by the squared differences.
func vectorKeys(keys []uint32, q *Vector, r *findRun) {
	keys = keys[:len(r.index)]
	for i, index := range r.index {
		keys[i] = squaredDistance(q, (*Vector)(r.packed[i*len(q):]))<<vectorIndexBits | index
	}
}

// distancesPortable lists the distances of a vector and some others.
func distancesPortable(r *distancesRun) {
	for i, c := range r.candidates {
		r.list[i] = squaredDistance(r.center, &r.others[c])
	}
}

// squaredDistance returns the sum of the squared differences.
func squaredDistance(a, b *Vector) (sum uint32) {
	for i, v := range a {
		d := int32(v) - int32(b[i])
		sum += uint32(d * d)
	}
	return sum
}
