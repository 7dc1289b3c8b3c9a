package match

import "encoding/binary"

// A bitLane is the share of a lane that descriptors of 256 bits need.
type bitLane struct {
	queries []Descriptor
	last    [maxBlock]Descriptor // of a chunk
	pack    packRun
}

// setTrains gives the run a chunk of train descriptors.
func (l *lane) setTrains(k *kernels, trains []Descriptor, m metric) {
	l.setBlocks(k.block, len(trains), len(Descriptor{}))
	l.pack(k, trains, m)
}

// pack makes the blocks of the run.
func (l *lane) pack(k *kernels, trains []Descriptor, m metric) {
	if k.pack == nil || m == hamming2 {
		k.place(l.packed, trains, m)
		return
	}
	b, n := &l.bits, len(trains)/k.block*k.block
	if n > 0 {
		b.pack = packRun{l.run.packed, trains[:n]}
		k.pack(&b.pack)
	}
	if n < len(trains) {
		// The last block is packed with descriptors of earlier ones.
		copy(b.last[:], trains[n:])
		b.pack = packRun{l.run.packed[n*len(Descriptor{}):], b.last[:k.block]}
		k.pack(&b.pack)
	}
}

// setQueries gives the run up to group query descriptors, and the last one twice if their number is
// odd.
func (l *lane) setQueries(queries []Descriptor, m metric) {
	copy(l.bits.queries, queries)
	l.run.queries = padded(l.bits.queries, len(queries), 2)
	if m == hamming2 {
		for i := range l.run.queries {
			l.run.queries[i] = split(&l.run.queries[i])
		}
	}
	l.setResults(len(l.run.queries), keyGroup)
}

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
