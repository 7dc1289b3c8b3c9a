package main

import (
	"fmt"
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/pairs"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// Predicates of VCMPPD besides those of package pairs: those with not are true if an operand is NaN.
const (
	equal      Predicate = 0x00
	notAtMost  Predicate = 0x16
	notAtLeast Predicate = 0x19
	notGreater Predicate = 0x1a
)

// Numbers are one of each lane: a vector, in a register or in memory, for each part.
type numbers []Op

// A mask is a register for each part: with AVX2 a vector, and otherwise of a bit for each lane.
type mask []Register

// lanesSize is the number of bytes of a number of each lane.
const lanesSize = Lanes * doubleSize

// An inLanes is a function that works on a number of each lane at once. What it computes lies in its
// argument, as registers hold little of that. With AVX2 the lanes are in two parts. Both are worked
// at once where each instruction waits for the one before, and one after the other where that needs
// too many registers.
type inLanes struct {
	ISA
	argument Component
	start    Register // where the argument is
	base     Register // start plus the offset of the part that is worked
	parts    int      // how many are worked at once
}

// newInLanes begins the function of that name. first is one of the numbers of its argument.
func newInLanes(isa ISA, name string, first func(r Component) Component) inLanes {
	r := Func(name + isa.Name)
	return inLanes{ISA: isa, argument: r, start: Address(first(r)).Base}
}

// atOnce emits work on all parts at once.
func (s *inLanes) atOnce(body func()) {
	s.base, s.parts = s.start, lanesSize/s.Bytes
	body()
}

// inTurn emits work on one part after the other, the last one first.
func (s *inLanes) inTurn(label string, body func()) {
	last := lanesSize - s.Bytes
	s.base, s.parts = s.start, 1
	if last == 0 {
		body()
		return
	}
	s.base = GP64()
	LEAQ(Mem{Base: s.start, Disp: last}, s.base)
	Align()
	Label(label)
	body()
	SUBQ(U8(s.Bytes), s.base)
	CMPQ(s.base, s.start)
	JGE(LabelRef(label))
}

// at returns the numbers of an array of the argument.
func (s *inLanes) at(c Component) numbers {
	offset := Address(c.Index(0)).Disp
	return s.all(func(part int) Op { return Mem{Base: s.base, Disp: offset + part*s.Bytes} })
}

// alike returns a number of the argument that all lanes share.
func (s *inLanes) alike(c Component) numbers {
	m := Address(c)
	return s.everywhere(Mem{Base: s.start, Disp: m.Disp})
}

// everywhere returns the number at m for all lanes.
func (s *inLanes) everywhere(m Mem) numbers {
	v := s.Vec()
	VBROADCASTSD(m, v)
	return s.all(func(int) Op { return v })
}

// all returns what part returns for each part.
func (s *inLanes) all(part func(part int) Op) numbers {
	n := make(numbers, s.parts)
	for i := range n {
		n[i] = part(i)
	}
	return n
}

// constants has the vectors of 64 equal bits that were defined.
var constants = map[uint64]Mem{}

// bits returns the same 64 bits for all lanes.
func (s *inLanes) bits(bits uint64) numbers {
	m, ok := constants[bits]
	if !ok {
		m = GLOBL(fmt.Sprintf("all%x", bits), RODATA|NOPTR)
		for i := range Lanes {
			DATA(i*doubleSize, U64(bits))
		}
		constants[bits] = m
	}
	return s.all(func(int) Op { return m })
}

// number returns the same number for all lanes.
func (s *inLanes) number(v float64) numbers { return s.bits(math.Float64bits(v)) }

func (s *inLanes) sign() numbers   { return s.bits(1 << 63) }
func (s *inLanes) noSign() numbers { return s.bits(1<<63 - 1) }
func (s *inLanes) nan() numbers    { return s.bits(math.MaxUint64) }

// load returns x in registers.
func (s *inLanes) load(x numbers) numbers {
	return s.all(func(part int) Op { return s.Register(x[part]) })
}

// store stores x at m.
func (s *inLanes) store(x, m numbers) {
	for part := range x {
		s.Move(x[part], m[part])
	}
}

func (s *inLanes) do(o op.Binary, x, y numbers) numbers {
	return s.all(func(part int) Op { return s.Do(o, s.Register(x[part]), y[part]) })
}

func (s *inLanes) add(x, y numbers) numbers { return s.do(op.AddDouble, x, y) }
func (s *inLanes) sub(x, y numbers) numbers { return s.do(op.SubDouble, x, y) }
func (s *inLanes) mul(x, y numbers) numbers { return s.do(op.MulDouble, x, y) }
func (s *inLanes) div(x, y numbers) numbers { return s.do(op.DivDouble, x, y) }
func (s *inLanes) and(x, y numbers) numbers { return s.do(op.And, x, y) }
func (s *inLanes) or(x, y numbers) numbers  { return s.do(op.Or, x, y) }
func (s *inLanes) xor(x, y numbers) numbers { return s.do(op.Xor, x, y) }

func (s *inLanes) sqrt(x numbers) numbers {
	return s.all(func(part int) Op {
		v := s.Vec()
		VSQRTPD(x[part], v)
		return v
	})
}

// shift shifts numbers of 64 bits to the left, or to the right.
func (s *inLanes) shift(x numbers, left int) numbers {
	return s.all(func(part int) Op {
		v := s.Vec()
		if left > 0 {
			VPSLLQ(U8(left), x[part], v)
		} else {
			VPSRLQ(U8(-left), x[part], v)
		}
		return v
	})
}

// mask returns a mask that emit sets.
func (s *inLanes) mask(emit func(part int, m Register)) mask {
	list := make(mask, s.parts)
	for part := range list {
		if s.ISA == AVX2 {
			list[part] = YMM()
		} else {
			list[part] = K()
		}
		emit(part, list[part])
	}
	return list
}

// compare returns where a comparison is true.
func (s *inLanes) compare(p Predicate, x, y numbers) mask {
	return s.mask(func(part int, m Register) { VCMPPD(U8(p), y[part], s.Register(x[part]), m) })
}

// same returns where integers are equal.
func (s *inLanes) same(x, y numbers) mask {
	return s.mask(func(part int, m Register) { VPCMPEQQ(y[part], x[part], m) })
}

// exceeds returns where the integers x are greater than y.
func (s *inLanes) exceeds(x, y numbers) mask {
	return s.mask(func(part int, m Register) { VPCMPGTQ(y[part], s.Register(x[part]), m) })
}

// both returns where both masks are set.
func (s *inLanes) both(m, n mask) mask {
	return s.mask(func(part int, both Register) {
		if s.ISA == AVX2 {
			VANDPD(m[part], n[part], both)
		} else {
			KANDB(m[part], n[part], both)
		}
	})
}

// choose returns x where m is set, and otherwise y.
func (s *inLanes) choose(m mask, x, y numbers) numbers {
	return s.all(func(part int) Op {
		v := s.Vec()
		if s.ISA == AVX2 {
			VBLENDVPD(m[part], x[part], s.Register(y[part]), v)
		} else {
			VMOVUPD(y[part], v)
			VMOVUPD(x[part], m[part], v)
		}
		return v
	})
}

// only returns x where m is set, and otherwise 0.
func (s *inLanes) only(m mask, x numbers) numbers {
	return s.all(func(part int) Op {
		v := s.Vec()
		if s.ISA == AVX2 {
			VANDPD(x[part], m[part], v)
		} else {
			VMOVUPD_Z(x[part], m[part], v)
		}
		return v
	})
}

// differing returns the bits in which x and y differ, where m is set, and otherwise 0. With XOR
// that swaps them.
func (s *inLanes) differing(m mask, x, y numbers) numbers {
	if s.ISA == AVX2 {
		return s.only(m, s.xor(x, y))
	}
	return s.all(func(part int) Op {
		v := s.Vec()
		VPXORQ_Z(y[part], s.Register(x[part]), m[part], v)
		return v
	})
}

// swap swaps x and y, in registers, where m is set.
func (s *inLanes) swap(m mask, x, y numbers) (numbers, numbers) {
	d := s.differing(m, x, y)
	return s.xor(x, d), s.xor(y, d)
}

// leave emits a jump if a mask is set nowhere.
func (s *inLanes) leave(m mask, label string) {
	var all Register
	for _, part := range m {
		bits := s.maskBits(part)
		if all == nil {
			all = bits
		} else {
			ORL(bits, all)
		}
	}
	TESTL(all, all)
	JEQ(LabelRef(label))
}

// maskBits returns a general register with a bit for each lane of a part.
func (s *inLanes) maskBits(m Register) Register {
	bits := GP32()
	if s.ISA == AVX2 {
		VMOVMSKPD(m, bits)
	} else {
		KMOVB(m, bits)
	}
	return bits
}

// signs returns a general register with the signs of a part.
func (s *inLanes) signs(x Op) Register {
	if s.ISA == AVX2 {
		return s.maskBits(x.(Register))
	}
	k := K()
	VPMOVQ2M(x, k)
	return s.maskBits(k)
}

// increment adds 1 to integers in registers.
func (s *inLanes) increment(x numbers) {
	for part, v := range s.bits(1) {
		VPADDQ(v, x[part], x[part])
	}
}

// update replaces x, in registers, by x XOR d.
func (s *inLanes) update(x, d numbers) {
	for part := range x {
		s.DoTo(op.Xor, x[part], d[part], x[part].(Register))
	}
}

// set sets registers.
func (s *inLanes) set(x, y numbers) { s.store(y, x) }

// setMask sets the registers of a mask.
func (s *inLanes) setMask(m, n mask) {
	for part := range m {
		if s.ISA == AVX2 {
			VMOVAPD(n[part], m[part])
		} else {
			KMOVB(n[part], m[part])
		}
	}
}
