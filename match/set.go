package match

import "encoding/binary"

// A set has n descriptors, in one of four forms.
type set struct {
	n       int
	long    []Descriptor
	bytes   []byte   // flat descriptors, one after the other
	words   []uint64 // the same in words of eight bytes
	size    int      // the number of bytes or words of a flat descriptor
	vectors []Vector
}

// newSet returns a set of descriptors.
func newSet(list []Descriptor) set {
	return set{n: len(list), long: list}
}

// newVectorSet returns a set of vectors.
func newVectorSet(list []Vector) set {
	return set{n: len(list), vectors: list}
}

// newFlatSet returns a set of flat descriptors of size elements each.
func newFlatSet[E byte | uint64](list []E, size int) set {
	s := set{n: len(list) / size, size: size}
	switch list := any(list).(type) {
	case []byte:
		s.bytes = list
	case []uint64:
		s.words = list
	}
	return s
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
