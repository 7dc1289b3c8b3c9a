package match

import (
	"encoding/binary"
	"slices"
)

// A set has n descriptors, in one of four forms.
type set struct {
	n       int
	long    []Descriptor
	vectors []Vector
	bytes   []byte   // flat descriptors, one after the other
	words   []uint64 // the same in words of eight bytes
	size    int      // the number of bytes or words of a flat descriptor
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
