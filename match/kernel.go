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
	flat                    // bits that differ, of descriptors of any number of words
	l2                      // sums of the squared differences of vectors
	hamming32               // bits that differ, where only the first 32 may be set; lists use hamming
	metrics

	listed = hamming32 // the number of metrics that have keys, which come first
)

// words returns the number of words of four bytes that are packed, which is even. The
// others are not compared.
func (m metric) words() int {
	if m == hamming32 {
		return 2
	}
	return len(Descriptor{}) / 4
}

// indexBits returns how many of the lower bits of a key are an index.
func (m metric) indexBits() int {
	if m == l2 {
		return vectorIndexBits
	}
	return indexBits
}

// keyGroup returns the largest number of query descriptors in a call of keys.
func (m metric) keyGroup() int {
	if m == l2 {
		return maxAtOnce
	}
	return keyGroup
}

// kernels are the functions of an instruction set, which compare some query descriptors
// with a chunk of train descriptors. Those of portable Go define what the others do.
//
// Their argument lives on the heap, so that nothing escapes by a call through a
// function value. Assembly stores into no pointer of a run.
type kernels struct {
	// A block is a number of train descriptors whose words of four bytes lie side by
	// side in the way that suits the functions: word i of descriptor j is at byte
	// places[j]+words[i].
	block  int
	places [maxBlock]int
	words  [8]int
	// In a block of flat descriptors, word i of eight bytes of descriptor j has its lower
	// half at byte flat[j]+i*block*8, and its upper half words[1] behind.
	flat [maxBlock]int
	// vectors is how vectors lie in their blocks.
	vectors layout

	// find finds the nearest train descriptor of each query descriptor, and keys lists
	// the distances of all.
	find [metrics]func(*run)
	keys [listed]func(*run)
	// slice compares sliced descriptors with a query descriptor. It is nil where find is faster.
	slice func(*sliceRun)
	// pack makes one or more blocks of packed of trains, which are as many as fill them. It is nil
	// where method place does that.
	pack func(*run)
	// packL2 makes the blocks of packed of the vectors of others, of which there is one or more,
	// in the layout of vectors. What fills up the last block may have any values.
	packL2 func(*run)
	// distances lists the distances of a vector and some others.
	distances func(*run)

	// share is the least number of pairs for each worker. To wake another processor
	// can take 0.1 ms.
	share int
}

// table holds the kernels of this platform. It is a variable for tests.
var table = cpu.NewTable("match", kernels{
	block:     1,
	words:     inOrder,
	vectors:   inRows,
	packL2:    inRows.packRun,
	find:      [metrics]func(*run){findPortable, find2Portable, findFlatPortable, findL2Portable, find32Portable},
	keys:      [listed]func(*run){keysPortable, keys2Portable, keysFlatPortable, keysL2Portable},
	distances: distancesPortable,
	share:     1 << 17,
}, assembly...)

// inOrder is where the words are of a descriptor that is not mixed with others.
var inOrder = [8]int{0, 4, 8, 12, 16, 20, 24, 28}

const (
	// chunk is the number of train descriptors that are compared with many query
	// descriptors before the next ones are. They take 24 KB, which fit into the first
	// cache. Of long flat ones there are fewer, which take as much.
	chunk = 48 * maxBlock
	// maxBlock is the size of the largest block but those of vectors.
	maxBlock = 16
	// group is the largest number of query descriptors in a call of find. With a chunk
	// they make some 25,000 pairs. Assembly cannot be preempted, so a call must not
	// take long.
	group = 32
	// keyGroup is the largest number of query descriptors in a call of keys, whose
	// results must fit into the first cache, too. Of vectors it is maxAtOnce.
	keyGroup = 2
)

// A key is a distance and, in the lower bits, an index. The least key is that of the
// smallest distance and, among equal distances, of the lowest index.
const (
	indexBits       = 21
	vectorIndexBits = 9         // of vectors, since their distances have 23 bits
	noKey           = 1<<32 - 1 // greater than all keys
)

// A run is what a call of a kernel works on.
type run struct {
	// packed holds the blocks of train descriptors. index holds the index of each
	// descriptor in the chunk, and noKey for those that fill up the last block.
	packed []byte
	index  []uint32
	trains []Descriptor // which pack takes

	// queries is an even number of descriptors: kernels may take two at once.
	queries []Descriptor

	// find stores the least key of each query descriptor, whose index is that of a
	// train descriptor, and the next one in second unless second is nil: noKey if there
	// is none.
	best, second []uint32

	// Unless columns is nil, it has a key for each descriptor of the blocks, which find
	// lowers to the least one whose index is that of a query descriptor. Indices of
	// query descriptors count from firstQuery.
	columns    []uint32
	firstQuery uint32

	// keys stores the keys of each query descriptor here, in the order of index, and
	// noKey where index is noKey.
	keys []uint32

	// Flat descriptors are words of eight bytes: here are query descriptors in place of
	// queries, with zeros behind their last bytes, and the number of words of all.
	flat  []flatDescriptor
	words int

	// Vectors in place of queries, a multiple of layout.atOnce. The distance of a query and
	// a train vector is the sum of what both have here, which counts in units of the index's
	// last bit, less twice the product of the query vector and the packed train vector.
	vectors                []Vector
	queryNorms, trainNorms []uint32
	room                   []byte // for what kernels want to keep

	// packL2 takes others; distances stores the distances of center and others[candidates[i]] in list[i].
	center     *Vector
	others     []Vector
	candidates []int32
	list       []uint32
}

// A flatDescriptor has room for the longest descriptor.
type flatDescriptor [MaxLength]byte

// place makes blocks of trains, one after the other. What fills up the last one may have
// any values.
func (k *kernels) place(packed []byte, trains []Descriptor, m metric) {
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

// packFlat is place for flat descriptors, those from begin to end-1 of a set.
func (k *kernels) packFlat(packed []byte, trains *set, begin, end int) {
	words := trains.flatWords()
	for i := begin; i < end; packed = packed[k.block*words*8:] {
		for j := 0; j < k.block && i < end; j++ {
			place := packed[k.flat[j]:]
			if trains.words != nil {
				for at, word := range trains.flatWord(i) {
					k.putFlat(place[at*8*k.block:], word)
				}
			} else {
				d := trains.flatBytes(i)
				for at := 0; at < len(d); at += 8 {
					k.putFlat(place[at*k.block:], littleEndian(d[at:min(at+8, len(d))]))
				}
			}
			i++
		}
	}
}

// putFlat puts both halves of a word of a flat descriptor where they are in a block.
func (k *kernels) putFlat(place []byte, word uint64) {
	binary.LittleEndian.PutUint32(place, uint32(word))
	binary.LittleEndian.PutUint32(place[k.words[1]:], uint32(word>>32))
}

// split takes the cells of two bits apart. Of every two words of eight bytes, the first
// one then holds the upper bits of the cells of both, and the second one the lower bits
// at the same places. A cell differs when one of its bits does, so only half as many
// bits are left to count.
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
