package match

import (
	"encoding/binary"
	"math/bits"
)

// Sliced descriptors are blocks of lanes, one for each train descriptor. A block has a plane for each
// bit of a descriptor, and a plane has a bit for each lane. The similarity of a query descriptor q
// and a lane t is
//
//	257 - |t| + 2*|q & t| = 257 + |q| - distance
//
// where |x| is the number of bits set in x. So only the planes of the bits that are set in q are
// added, by full adders: logic on vectors adds three bits of each lane at once. There are planes of
// the numbers 257 - |t|, too, with which the sums begin. Lanes without a descriptor have 0 in
// their place, so that all others are more similar.
const (
	lanes          = 256                   // of a block
	laneWords      = lanes / 64            // of a plane
	descriptorBits = 8 * len(Descriptor{}) // and as many planes
	zeroPlane      = descriptorBits + 9    // has no bits set, behind those of 257 - |t|
	planes         = zeroPlane + 1         // of a block
	similarityBits = 10                    // of a similarity
	planesAtOnce   = 16                    // that are added
	slicedBlocks   = 4                     // of a chunk
	noDistance     = descriptorBits + 1    // greater than all
)

// A plane has a bit for each lane.
type plane [laneWords]uint64

// A sliceRun is blocks of lanes that are compared with a query descriptor.
type sliceRun struct {
	blocks [][planes]plane
	// list has two bytes for each plane to be added, where it is in a block. The number of these is a
	// multiple of planesAtOnce.
	list []byte
	// limit has a word for each bit of what similarities must exceed: 0 where the bit is 1, and
	// otherwise ones.
	limit [similarityBits]uint64

	// For the first block in which a lane is more similar than the limit: those lanes, and the
	// bits of the similarities of all lanes.
	found        int // the number of the block, or that of blocks
	above        plane
	similarities [similarityBits]plane
}

// A slicedLane is the share of a lane that sliced descriptors need.
type slicedLane struct {
	blocks [][planes]plane
	places []byte
	run    sliceRun
}

// slicePortable compares blocks in Go.
func slicePortable(r *sliceRun) {
	for r.found = 0; r.found < len(r.blocks); r.found++ {
		block := &r.blocks[r.found]
		r.similarities = [similarityBits]plane{}
		copy(r.similarities[:], block[descriptorBits:zeroPlane])
		for i := 0; i < len(r.list); i += 2 {
			at := binary.LittleEndian.Uint16(r.list[i:])
			for word, carry := range block[at/(8*laneWords)] {
				for bit := 1; carry != 0; bit++ {
					sum := &r.similarities[bit][word]
					*sum, carry = *sum^carry, *sum&carry
				}
			}
		}
		r.above = plane{}
		for bit, limit := range r.limit {
			for word, v := range r.similarities[bit] {
				r.above[word] = v&r.above[word] | limit&(v|r.above[word])
			}
		}
		if r.above != (plane{}) {
			return
		}
	}
}

// setBlocks makes the blocks of up to slicedBlocks*lanes train descriptors, in memory.
func (r *sliceRun) setBlocks(memory [][planes]plane, trains []Descriptor) {
	r.blocks = memory[:(len(trains)+lanes-1)/lanes]
	const words = len(Descriptor{}) / 8
	var columns [words + 1][64]uint64 // of some descriptors, and of what their similarities begin with
	for i := range r.blocks {
		for word := range laneWords {
			n := min(64, len(trains))
			for k := range n {
				w0, w1, w2, w3 := trains[k].words()
				columns[0][k], columns[1][k], columns[2][k], columns[3][k] = w0, w1, w2, w3
				ones := bits.OnesCount64(w0) + bits.OnesCount64(w1) + bits.OnesCount64(w2) + bits.OnesCount64(w3)
				columns[words][k] = uint64(descriptorBits + 1 - ones)
			}
			trains = trains[n:]
			for k := range columns {
				clear(columns[k][n:])
				transpose(&columns[k])
				for bit, row := range columns[k][:min(64, planes-64*k)] {
					r.blocks[i][64*k+bit][word] = row
				}
			}
		}
	}
}

// transpose exchanges the rows and columns of bits (H. Warren, "Hacker's Delight", 2nd edition,
// 2012, section 7-3).
func transpose(m *[64]uint64) {
	for n, mask := 32, ^uint64(0)>>32; n > 0; n, mask = n/2, mask^mask<<(n/2) {
		for i := 0; i < 64; i = (i + n + 1) &^ n {
			differ := (m[i]>>n ^ m[i+n]) & mask
			m[i] ^= differ << n
			m[i+n] ^= differ
		}
	}
}

// bitPlaces holds, for each byte, the places of the bits that are set, in 16 bits each.
var bitPlaces = func() (table [256][2]uint64) {
	for b := range table {
		n := 0
		for rest := uint(b); rest != 0; rest &= rest - 1 {
			table[b][n/4] |= uint64(bits.TrailingZeros(rest)) << (n % 4 * 16)
			n++
		}
	}
	return table
}()

// setQuery lists the planes of the bits that are set in q, and returns their number.
func (r *sliceRun) setQuery(memory []byte, q *Descriptor) (n int) {
	const (
		each = 1<<48 | 1<<32 | 1<<16 | 1
		size = 8 * laneWords
	)
	for i, b := range q {
		to := memory[2*n:][:16]
		binary.LittleEndian.PutUint64(to, (bitPlaces[b][0]+uint64(8*i)*each)*size)
		binary.LittleEndian.PutUint64(to[8:], (bitPlaces[b][1]+uint64(8*i)*each)*size)
		n += bits.OnesCount8(b)
	}
	end := (n + planesAtOnce - 1) / planesAtOnce * planesAtOnce
	for i := n; i < end; i++ {
		binary.LittleEndian.PutUint16(memory[2*i:], uint16(zeroPlane*size))
	}
	r.list = memory[:2*end]
	return n
}

// setLimit sets what similarities must exceed.
func (r *sliceRun) setLimit(limit int) {
	for bit := range r.limit {
		r.limit[bit] = uint64(limit>>bit&1) - 1
	}
}

// largest returns the largest similarity of the lanes above the limit, and the first lane with it.
func (r *sliceRun) largest() (similarity, lane int) {
	a, b, c, d := r.above[0], r.above[1], r.above[2], r.above[3]
	for bit := similarityBits - 1; bit >= 0; bit-- {
		p := &r.similarities[bit]
		some := a&p[0] | b&p[1] | c&p[2] | d&p[3]
		set := uint64(int64(some|-some) >> 63) // ones if a lane has the bit
		a, b, c, d = a&(p[0]|^set), b&(p[1]|^set), c&(p[2]|^set), d&(p[3]|^set)
		similarity = similarity<<1 | int(set&1)
	}
	for i, word := range [laneWords]uint64{a, b, c, d} {
		if word != 0 {
			return similarity, 64*i + bits.TrailingZeros64(word)
		}
	}
	panic("match: no lane is above the limit")
}
