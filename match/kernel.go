package match

import (
	"encoding/binary"

	"github.com/fastcorners/fast/internal/cpu"
)

// A metric is a way to measure distances.
type metric int

const (
	hamming   metric = iota // bits that differ
	hamming2                // cells of two bits that differ
	hamming32               // bits that differ, where none are set but the first 32
	metrics

	listed = hamming32 // how many metrics, the first ones, list keys
)

// words returns how many words of four bytes are packed, which are an even number.
// The others are not compared.
func (m metric) words() int {
	if m == hamming32 {
		return 2
	}
	return len(Descriptor{}) / 4
}

// A kernel is a row of the table of kernels: what an instruction set does to compare
// some query descriptors with a chunk of train descriptors, and what it needs for
// that. The functions of portableKernel define what the others do.
//
// Their argument lives on the heap, so that nothing escapes by a call through a
// function value. Assembly stores into no pointer of a run.
type kernel struct {
	needs cpu.Set // every feature that the functions use

	// A block is so many train descriptors, whose words of four bytes lie side by
	// side in the way that suits the functions: word i of descriptor j is at
	// places[j]+words[i] in bytes.
	block  int
	places [maxBlock]int
	words  [8]int

	// find finds the nearest of each query descriptor, and keys lists all.
	find [metrics]func(*run)
	keys [listed]func(*run)

	// share is how many pairs there are for each worker at least. To wake another
	// processor can take 0.1 ms.
	share int
}

// kernels are the rows of the table, the fastest first.
var kernels = []*kernel{avx512Kernel, avx2Kernel, popcntKernel, neonKernel, portableKernel}

// bestKernel returns the fastest kernel that the processor can run.
func bestKernel() *kernel {
	for _, k := range kernels {
		if k != nil && cpu.Has(k.needs) {
			return k
		}
	}
	return portableKernel
}

const (
	// chunk is how many train descriptors are compared with many query descriptors
	// before the next ones are. They take 24 KB, which stay in the first cache.
	chunk = 48 * maxBlock
	// maxBlock is the size of the largest block.
	maxBlock = 16
	// group is how many query descriptors a call of a kernel works on at most. With
	// the chunk it makes some 25,000 pairs. Assembly cannot be preempted, so a call
	// must not take long.
	group = 32
	// keyGroup is the same where there is a key for each pair, which must stay in
	// the first cache, too.
	keyGroup = 2
)

// A key of a run is a distance and, in the lower bits, an index, so that the least
// key is the one of the lowest index among those of the smallest distance.
const (
	indexBits = 23
	noKey     = 1<<32 - 1 // greater than all keys
)

// A run is what a call of a kernel works on.
type run struct {
	// packed are the blocks of train descriptors. index has for each of them its
	// index in the chunk, and noKey for those that fill up the last block.
	packed []byte
	index  []uint32

	// queries are an even number of descriptors: kernels may take two at once.
	queries []Descriptor

	// find stores for each query the least key with an index of a train descriptor,
	// and in second, unless that is nil, the one after it, or noKey.
	best, second []uint32

	// Unless columns is nil, find lowers each of its keys, one for each of the
	// blocks' descriptors, to the least key with an index of a query descriptor. The
	// first one has the index firstQuery.
	columns    []uint32
	firstQuery uint32

	// keys stores here the keys of each query descriptor, in the order of index,
	// and noKey where index is noKey.
	keys []uint32
}

// pack makes a block after the other of trains. Those that would fill up the last one
// may be anything.
func (k *kernel) pack(packed []byte, trains []Descriptor, m metric) {
	for len(trains) > 0 {
		block := packed[:k.block*len(Descriptor{})]
		n := min(k.block, len(trains))
		for j := range trains[:n] {
			d := &trains[j]
			if m == hamming2 {
				halves := split(d)
				d = &halves
			}
			place := block[k.places[j]:]
			for i, at := range k.words[:m.words()] {
				binary.LittleEndian.PutUint32(place[at:], binary.LittleEndian.Uint32(d[4*i:]))
			}
		}
		packed, trains = packed[len(block):], trains[n:]
	}
}

// split takes the cells of two bits apart: for each two words of eight bytes, the
// first word then has the upper bits of the cells of both, and the second one the
// lower bits at the same places. A cell differs when one of its bits does, so there
// are half as many bits to count as in the descriptor.
func split(d *Descriptor) Descriptor {
	const lower = 0x5555555555555555
	var out Descriptor
	for i := 0; i < len(d); i += 16 {
		a, b := binary.LittleEndian.Uint64(d[i:]), binary.LittleEndian.Uint64(d[i+8:])
		binary.LittleEndian.PutUint64(out[i:], a&^lower|b>>1&lower)
		binary.LittleEndian.PutUint64(out[i+8:], a&lower<<1|b&lower)
	}
	return out
}
