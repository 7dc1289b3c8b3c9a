// Package prefix emits prefix sums.
package prefix

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A Summer emits the prefix sums of the numbers of a row, vector by vector.
type Summer struct {
	isa   ISA
	add   op.Binary
	bytes int      // of a number
	zero  Register // zeros
	last  Register // with AVX-512, the indices of the last number
}

// NewSummer returns a Summer of numbers of the given size in bytes.
func NewSummer(isa ISA, add op.Binary, bytes int) *Summer {
	s := &Summer{isa: isa, add: add, bytes: bytes, zero: isa.Zero()}
	if isa == AVX512 {
		g := GP32()
		s.last = isa.Vec()
		MOVL(U32(isa.Bytes/bytes-1), g)
		if bytes == 8 {
			VPBROADCASTQ(g.As64(), s.last)
		} else {
			VPBROADCASTD(g, s.last)
		}
	}
	return s
}

// Sum returns the prefix sums of a vector. It adds the last of them to carry, which has the
// sum of the vectors before in all places. The next vector waits for nothing else.
func (s *Summer) Sum(v, carry Register) Register {
	const lane = 16
	for n := s.bytes; n < s.isa.Bytes; n *= 2 {
		shifted := s.isa.Vec()
		switch {
		case s.isa == AVX512 && s.bytes == 8:
			VALIGNQ(U8((s.isa.Bytes-n)/8), s.zero, v, shifted)
		case s.isa == AVX512:
			VALIGND(U8((s.isa.Bytes-n)/4), s.zero, v, shifted)
		case s.isa == SSE2:
			MOVOU(v, shifted)
			PSLLO(U8(n), shifted)
		case n < lane:
			VPSLLDQ(U8(n), v, shifted)
		default:
			// The last number of the lower half, in every place of the upper one.
			if s.bytes == 8 {
				VPERMPD(U8(0b01_01_01_01), v, shifted)
			} else {
				VPSHUFD(U8(0xff), v, shifted)
				VPERMQ(U8(0b01_01_01_01), shifted, shifted)
			}
			VPBLENDD(U8(0x0f), s.zero, shifted, shifted)
		}
		v = s.isa.Do(s.add, v, shifted)
	}
	total := s.isa.Vec()
	switch {
	case s.isa == SSE2 && s.bytes == 8:
		PSHUFD(U8(0b11_10_11_10), v, total)
	case s.isa == SSE2:
		PSHUFD(U8(0xff), v, total)
	case s.isa == AVX2 && s.bytes == 8:
		VPERMPD(U8(0xff), v, total)
	case s.isa == AVX2:
		VPSHUFD(U8(0xff), v, total)
		VPERMQ(U8(0xff), total, total)
	case s.bytes == 8:
		VPERMPD(v, s.last, total)
	default:
		VPERMD(v, s.last, total)
	}
	v = s.isa.Do(s.add, v, carry)
	s.isa.DoTo(s.add, carry, total, carry)
	return v
}
