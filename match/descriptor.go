package match

import "encoding/binary"

// A Descriptor is 256 bits that describe a keypoint.
type Descriptor [32]byte

// A Descriptor32 is 32 bits that describe a keypoint.
type Descriptor32 uint32

// A Vector is 128 numbers that describe a keypoint, such as a SIFT descriptor.
type Vector [128]uint8

// MaxLength is the largest Options.Length, in bytes.
const MaxLength = 128

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

// words returns the words of eight bytes of d.
func (d *Descriptor) words() (w0, w1, w2, w3 uint64) {
	return binary.LittleEndian.Uint64(d[0:]), binary.LittleEndian.Uint64(d[8:]),
		binary.LittleEndian.Uint64(d[16:]), binary.LittleEndian.Uint64(d[24:])
}
