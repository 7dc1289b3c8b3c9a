package match

import "encoding/binary"

// A flatLane is the share of a lane that flat descriptors need.
type flatLane struct{ queries []flatDescriptor }

// setFlat gives the run a chunk of flat train descriptors, those from begin to end-1 of a set.
func (l *lane) setFlat(k *kernels, trains *set, begin, end int) {
	k.packFlat(l.packed, trains, begin, end)
	l.run.words = trains.flatWords()
	l.setBlocks(k.block, end-begin, 8*l.run.words)
}

// setFlatQueries gives the run up to group flat query descriptors, those from begin to end-1 of a set,
// with zeros behind their last bytes, and the last one twice if their number is odd.
func (l *lane) setFlatQueries(queries *set, begin, end int) {
	for i := begin; i < end; i++ {
		q := l.flat.queries[i-begin][:8*l.run.words]
		if queries.words == nil {
			clear(q[copy(q, queries.flatBytes(i)):])
			continue
		}
		for at, word := range queries.flatWord(i) {
			binary.LittleEndian.PutUint64(q[8*at:], word)
		}
	}
	l.run.flat = padded(l.flat.queries, end-begin, 2)
	l.setResults(len(l.run.flat), keyGroup)
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

// littleEndian returns the number that up to eight bytes are.
func littleEndian(b []byte) (word uint64) {
	if len(b) == 8 {
		return binary.LittleEndian.Uint64(b)
	}
	for i, v := range b {
		word |= uint64(v) << (8 * i)
	}
	return word
}
