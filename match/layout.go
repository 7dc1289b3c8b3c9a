package match

import "encoding/binary"

// maxVectorDistance is the largest distance of two vectors. It has vectorIndexBits bits less
// than a key.
const maxVectorDistance = len(Vector{}) * 255 * 255

const (
	// vectorChunk is the largest number of train vectors of a chunk. They take 64 KB, which is more
	// than the first cache has, but each query vector takes long enough with a chunk.
	vectorChunk = 1 << vectorIndexBits
	// maxAtOnce is the largest number of query vectors that kernels take at once.
	maxAtOnce = 8
	// vectorShare is by how much fewer pairs of vectors than of descriptors make a worker pay.
	vectorShare = 4
	// roomBytes is how much room kernels have.
	roomBytes = 4096
)

// A layout is how train vectors lie in blocks, and how many query vectors kernels take at once.
// Word i of four bytes of vector j is at byte 4*(i*block+j) of the block.
type layout struct {
	block  int
	atOnce int
	// middle is subtracted from each number.
	middle uint8
}

// inRows is the layout of vectors that are not mixed with others.
var inRows = layout{block: 1, atOnce: 1}

// pack makes blocks of trains, one after the other. What fills up the last one may have any
// values.
func (l *layout) pack(packed []byte, trains []Vector) {
	const (
		words = len(Vector{}) / 4
		ones  = 0x01010101
	)
	middle, next := ones*uint32(l.middle), 4*l.block
	for len(trains) > 0 {
		n := min(l.block, len(trains))
		for j := range trains[:n] {
			v, place := &trains[j], packed[4*j:]
			for i := range words {
				word := binary.LittleEndian.Uint32(v[4*i:])
				// Numbers of eight bits that differ by 128 differ in a bit.
				binary.LittleEndian.PutUint32(place[i*next:], word^middle)
			}
		}
		packed, trains = packed[l.block*len(Vector{}):], trains[n:]
	}
}

// packRun is pack for the argument of a kernel.
func (l layout) packRun(r *packVectorsRun) { l.pack(r.packed, r.vectors) }
