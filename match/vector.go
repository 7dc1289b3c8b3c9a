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

// packRun is pack for the vectors of a run.
func (l layout) packRun(r *run) { l.pack(r.packed, r.others) }

// setVectors gives the run a chunk of train vectors.
func (s *scratch) setVectors(k *kernels, trains []Vector) {
	l := &k.vectors
	s.setBlocks(l.block, len(trains), len(Vector{}))
	s.run.others = trains
	k.packL2(&s.run)
	s.run.trainNorms, s.run.room = s.trainNorms[:len(s.run.index)], s.room
	s.setNorms(k, s.run.trainNorms, trains, 0)
	for i := range s.run.trainNorms {
		s.run.trainNorms[i] -= uint32(len(Vector{})) * uint32(l.middle) * uint32(l.middle) << vectorIndexBits
	}
}

// setNorms sets norms to the squared distances of vectors from the one whose numbers all are
// center, as the upper bits of keys.
//
// With m in place of layout.middle, the distance of the vectors q and t is the sum over their
// numbers of (q-t)² = (q-m)² + t² - m² - 2q(t-m). So the norms of query vectors have the center m, and
// those of train vectors have the center 0 and are less by m² for each number.
func (s *scratch) setNorms(k *kernels, norms []uint32, vectors []Vector, center uint8) {
	fill(s.center[:], center)
	r := &s.run
	r.center = &s.center
	for at := 0; at < len(vectors); at += len(r.others) {
		r.others = vectors[at:min(at+len(s.all), len(vectors))]
		r.candidates, r.list = s.all[:len(r.others)], norms[at:][:len(r.others)]
		k.distances(r)
		for i := range r.list {
			r.list[i] <<= vectorIndexBits
		}
	}
}

// setQueryVectors gives the run query vectors, whose norms are given, and the last one again to
// make them a multiple of what kernels take at once.
func (s *scratch) setQueryVectors(k *kernels, vectors []Vector, norms []uint32) {
	copy(s.vectors, vectors)
	copy(s.queryNorms, norms)
	s.run.vectors = padded(s.vectors, len(vectors), k.vectors.atOnce)
	s.run.queryNorms = padded(s.queryNorms, len(vectors), k.vectors.atOnce)
	s.setResults(len(s.run.vectors), maxAtOnce)
}
