package match

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// A descriptor is an element of a set: a descriptor, or a part of one of Options.Length bytes.
type descriptor interface {
	Descriptor | Descriptor32 | Vector | byte | uint64
}

// A kind has what distinguishes types of descriptors.
type kind struct {
	name        string
	metric      metric // flat if there is Options.Length
	maxDistance int    // the largest distance of two descriptors, unless flat
	element     int    // the number of bytes of an element of a set, if flat
}

// kindOf returns the kind of descriptors of type D.
func kindOf[D descriptor]() kind {
	switch any(*new(D)).(type) {
	case Descriptor32:
		return kind{name: "Descriptor32", metric: hamming32, maxDistance: 32}
	case Vector:
		return kind{name: "Vector", metric: l2, maxDistance: maxVectorDistance}
	case byte:
		return kind{name: "byte", metric: flat, element: 1}
	case uint64:
		return kind{name: "uint64", metric: flat, element: 8}
	}
	return kind{name: "Descriptor", metric: hamming, maxDistance: descriptorBits}
}

// A set has n descriptors, in one of four forms.
type set struct {
	n       int
	long    []Descriptor
	vectors []Vector
	bytes   []byte   // flat descriptors, one after the other
	words   []uint64 // the same in words of eight bytes
	size    int      // the number of bytes or words of a flat descriptor
}

// setSets gives j its sets, of which flat descriptors have the given number of bytes. It panics if
// those are not whole numbers of descriptors.
func setSets[D descriptor](j *job, query, train []D, length int) {
	q, t := &j.query, &j.train
	q.n, t.n = len(query), len(train)
	switch query := any(query).(type) {
	case []Descriptor:
		q.long, t.long = query, any(train).([]Descriptor)
	case []Descriptor32:
		j.long = appendLong(appendLong(j.long[:0], query), any(train).([]Descriptor32))
		q.long, t.long = j.long[:q.n], j.long[q.n:]
	case []Vector:
		q.vectors, t.vectors = query, any(train).([]Vector)
	case []byte:
		q.bytes, t.bytes = query, any(train).([]byte)
		j.setSize(length, 1)
	case []uint64:
		q.words, t.words = query, any(train).([]uint64)
		j.setSize(length, 8)
	}
}

// setSize divides the flat sets, whose elements have the given number of bytes, into descriptors.
func (j *job) setSize(length, element int) {
	q, t, size := &j.query, &j.train, length/element
	if q.n%size != 0 || t.n%size != 0 {
		panic(fmt.Sprintf("match: sets of %d and %d bytes, not multiples of Options.Length, which is %d", q.n*element, t.n*element, length))
	}
	q.n, q.size = q.n/size, size
	t.n, t.size = t.n/size, size
}

// appendLong appends descriptors to dst that have the same distances as the short ones.
func appendLong(dst []Descriptor, short []Descriptor32) []Descriptor {
	n := len(dst)
	dst = slices.Grow(dst, len(short))[:n+len(short)]
	clear(dst[n:])
	for i, d := range short {
		binary.LittleEndian.PutUint32(dst[n+i][:], uint32(d))
	}
	return dst
}

// flatWords returns the number of words of eight bytes that a flat descriptor fills.
func (s *set) flatWords() int {
	if s.bytes != nil {
		return (s.size + 7) / 8
	}
	return s.size
}

// flatBytes returns flat descriptor i of a set of bytes.
func (s *set) flatBytes(i int) []byte { return s.bytes[i*s.size:][:s.size] }

// flatWord returns flat descriptor i of a set of words.
func (s *set) flatWord(i int) []uint64 { return s.words[i*s.size:][:s.size] }

// setDistances sets the list of w to the distances of its candidates, which are indices of descriptors
// of s, from descriptor i of another set. For the few of them, packing for the kernels would take
// longer than what they save, except for vectors, which one of them takes as they are.
func (s *set) setDistances(w *scratch, k *kernels, m metric, other *set, i int) {
	candidates := w.candidates
	list := w.list[:len(candidates)]
	switch {
	case m == l2:
		r := &w.run
		r.center, r.others, r.candidates, r.list = &other.vectors[i], s.vectors, candidates, list
		k.distances(r)
	case m == hamming2:
		q0, q1, q2, q3 := other.long[i].words()
		for k, c := range candidates {
			t0, t1, t2, t3 := s.long[c].words()
			list[k] = uint32(differentCells(q0^t0, q1^t1) + differentCells(q2^t2, q3^t3))
		}
	case m != flat:
		q0, q1, q2, q3 := other.long[i].words()
		for k, c := range candidates {
			t0, t1, t2, t3 := s.long[c].words()
			list[k] = uint32(bits.OnesCount64(q0^t0) + bits.OnesCount64(q1^t1) + bits.OnesCount64(q2^t2) + bits.OnesCount64(q3^t3))
		}
	case s.words != nil:
		q := other.flatWord(i)
		for k, c := range candidates {
			d := 0
			for at, t := range s.flatWord(int(c)) {
				d += bits.OnesCount64(q[at] ^ t)
			}
			list[k] = uint32(d)
		}
	default:
		q := other.flatBytes(i)
		for k, c := range candidates {
			list[k] = uint32(differentBits(q, s.flatBytes(int(c))))
		}
	}
}

// differentCells returns the number of cells of two bits that are not 0 in two words.
func differentCells(a, b uint64) int {
	const lower = 0x5555555555555555
	return bits.OnesCount64((a|a>>1)&lower | (b|b<<1)&^lower)
}

// differentBits returns the number of bits that differ.
func differentBits(a, b []byte) (n int) {
	for ; len(a) >= 8; a, b = a[8:], b[8:] {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(a) ^ binary.LittleEndian.Uint64(b))
	}
	return n + bits.OnesCount64(littleEndian(a)^littleEndian(b))
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
