package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// words returns a function that returns a table of words that equal n.
func words(name string, n int) func() Mem {
	return ByteTable(name, 64, func(i int) uint8 { return uint8(n >> (i % 2 * 8)) })
}

// longs is words for numbers of 32 bits.
func longs(name string, n int) func() Mem {
	return ByteTable(name, 64, func(i int) uint8 { return uint8(n >> (i % 4 * 8)) })
}

var (
	wordOne = words("wordOne", 1)

	// From a fraction f of a column, f times 255 plus 32 has the bytes 32-f and f.
	wordFraction = words("wordFraction", 31)
	wordFactor   = words("wordFactor", 255)
	wordWhole    = words("wordWhole", 32)
)

// wordWeights is columnWeights of places that are words.
func (s *sampler) wordWeights(px Register) Register {
	wx := s.isa.Vec()
	s.isa.DoTo(op.And, px, wordFraction(), wx)
	VPMULLW(wordFactor(), wx, wx)
	VPADDW(wordWhole(), wx, wx)
	return wx
}

// wordShares is shares of places that are words.
func (s *sampler) wordShares(py Register) Register {
	part := s.isa.Vec()
	VPSLLW(U8(10), py, part)
	s.isa.DoTo(op.And, part, share(), part)
	return part
}
