package main

import (
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// The kernel extrema searches so many differences, and reads one before and one after.
const searched = 3

// A neighborhood is what the kernel extrema has of a row of the differences that it goes through at
// the same time: these themselves, and the greatest and the least values of each and those before
// and after it.
type neighborhood struct {
	centers  []VecVirtual
	extremes [][2]VecVirtual
}

// An extremaSearch emits the kernel extrema.
type extremaSearch struct {
	ISA
	r        Component
	together int // differences at the same time
	kinds    [2]func(ops ...Op)
	limits   [2]VecVirtual
	layers   []Register
	stride   Register
	x, from  Register   // the places of the column and of the next row to read, in bytes
	left     Register   // the rows that are left
	before   Register   // the differences that were searched before
	inside   Register   // a mask of the lanes that have neighbors, with AVX-512
	toLeft   VecVirtual // the lanes of the neighbors to the left, with AVX2
	toRight  VecVirtual // and to the right
}

// extrema emits the function that marks the extrema of three differences. It goes down columns of
// vectors, which overlap by two pixels: the first lane and the last one only serve the others as
// neighbors. So nothing has to be kept but the last two rows, in registers, and what is read of a
// layer comes from the second-level cache once. The registers of AVX2 have room for only one
// difference at a time.
func extrema(isa ISA) {
	s := &extremaSearch{ISA: isa, together: 1, kinds: [2]func(ops ...Op){VMAXPS, VMINPS}}
	if isa == AVX512 {
		s.together = searched
	}
	s.r = Func("extrema" + isa.Name)
	s.stride = Load(s.r.Field("stride"), GP64())
	SHLQ(U8(2), s.stride)
	for i := range s.limits {
		s.limits[i] = isa.Vec()
	}
	VBROADCASTSS(Address(s.r.Field("limit")), s.limits[0])
	VXORPS(s.limits[1].AsX(), s.limits[1].AsX(), s.limits[1].AsX())
	VSUBPS(s.limits[0], s.limits[1], s.limits[1])
	if isa == AVX512 {
		inside := GP32()
		MOVL(U32(s.inner()), inside)
		s.inside = K()
		KMOVW(inside, s.inside)
	} else {
		table := ByteTable("turns", 4*(isa.Bytes/4+2), func(i int) uint8 {
			if i%4 != 0 {
				return 0
			}
			return uint8((i/4 + 7) % 8)
		})
		s.toLeft, s.toRight = isa.Load(table()), isa.Load(table().Offset(8))
	}
	s.layers = make([]Register, s.together+3)
	for i := range s.layers {
		s.layers[i] = GP64()
	}
	s.x, s.from, s.left, s.before = Counter(), GP64(), GP64(), Counter()
	if s.together == searched {
		s.locate()
	}
	Comment("A vector of all rows.")
	Align()
	Label("column")
	if s.together < searched {
		XORQ(s.before, s.before)
		Label("difference")
		s.locate()
	}
	s.search()
	if s.together < searched {
		INCQ(s.before)
		CMPQ(s.before, U8(searched))
		JLT(LabelRef("difference"))
	}
	ADDQ(U8(isa.Bytes-8), s.x)
	MOVQ(s.x, s.from)
	SHRQ(U8(2), s.from)
	CMPQ(s.from, Address(s.r.Field("columns")))
	JLT(LabelRef("column"))
	isa.End()
}

// inner returns a mask of the lanes that have neighbors.
func (s *extremaSearch) inner() int { return 1<<(s.Bytes/4-1) - 2 }

// locate loads where the layers are.
func (s *extremaSearch) locate() {
	const words = 3 // of a slice
	LEAQ(Mem{Base: s.before, Index: s.before, Scale: words - 1}, s.from)
	for i, layer := range s.layers {
		at := Address(s.r.Field("layers").Index(i).Base())
		at.Index, at.Scale = s.from, 8
		MOVQ(at, layer)
	}
}

// search emits what goes down a column.
func (s *extremaSearch) search() {
	MOVQ(s.x, s.from)
	Load(s.r.Field("rows"), s.left)
	above := s.read().extremes
	here := s.read()
	Comment("Two rows at a time.")
	Align()
	Label("rows")
	below := s.read()
	for i := range above {
		for k, of := range s.kinds {
			of(here.extremes[i][k], below.extremes[i][k], here.extremes[i][k])
			of(here.extremes[i][k], above[i][k], above[i][k])
		}
	}
	s.mark("first", here.centers, above)
	DECQ(s.left)
	JEQ(LabelRef("searched"))
	last := s.read()
	for i := range above {
		for k, of := range s.kinds {
			of(here.extremes[i][k], last.extremes[i][k], here.extremes[i][k])
		}
	}
	s.mark("second", below.centers, here.extremes)
	for i := range above {
		for k := range s.kinds {
			VMOVAPS(below.extremes[i][k], above[i][k])
			VMOVAPS(last.extremes[i][k], here.extremes[i][k])
		}
		VMOVAPS(last.centers[i], here.centers[i])
	}
	DECQ(s.left)
	JNE(LabelRef("rows"))
	Label("searched")
}

// read emits what reads the next row.
func (s *extremaSearch) read() neighborhood {
	at := func(i int) Mem { return Mem{Base: s.layers[i], Index: s.from, Scale: 1} }
	differences := make([]VecVirtual, s.together+2)
	lower := s.Load(at(0))
	for i := range differences {
		upper := s.Load(at(i + 1))
		PREFETCHT0(at(i + 1).Offset(layerAhead))
		VSUBPS(lower, upper, lower)
		differences[i], lower = lower, upper
	}
	PREFETCHT0(at(0).Offset(layerAhead))
	ADDQ(s.stride, s.from)
	n := neighborhood{differences[1:][:s.together], make([][2]VecVirtual, s.together)}
	for k, of := range s.kinds {
		for i := 0; i < s.together; i += 2 {
			// Two differences share what they have in common.
			pair := s.Vec()
			of(differences[i+1], differences[i+2], pair)
			if i+1 < s.together {
				n.extremes[i+1][k] = s.Vec()
				of(differences[i+3], pair, n.extremes[i+1][k])
			}
			of(differences[i], pair, pair)
			n.extremes[i][k] = pair
		}
	}
	return n
}

// mark emits what marks the extrema of a row, given the extremes of three rows, which it overwrites.
func (s *extremaSearch) mark(label string, centers []VecVirtual, extremes [][2]VecVirtual) {
	lanes := s.Bytes / 4
	found := make([]Register, s.together)
	for i, kinds := range extremes {
		var is [2]Register
		for k, v := range kinds {
			of, left, right := s.kinds[k], s.Vec(), s.Vec()
			of(s.limits[k], v, v)
			predicate := U8([...]uint8{ordAtLeast, ordAtMost}[k])
			if s.ISA == AVX512 {
				VALIGND(U8(lanes-1), v, v, left)
				VALIGND(U8(1), v, v, right)
				is[k] = K()
			} else {
				VPERMPS(v, s.toLeft, left)
				VPERMPS(v, s.toRight, right)
				is[k] = v
			}
			of(left, v, v)
			of(right, v, v)
			VCMPPS(predicate, v, centers[i], is[k])
		}
		found[i] = is[0]
		if s.ISA == AVX512 {
			KORW(is[0], is[1], is[0])
		} else {
			VORPS(is[0], is[1], is[0])
			bits := GP32()
			VMOVMSKPS(is[0], bits)
			found[i] = bits
		}
	}
	if s.ISA == AVX512 {
		some := K()
		KORW(found[0], found[1], some)
		KORW(found[2], some, some)
		KTESTW(s.inside, some)
	} else {
		TESTL(U32(s.inner()), found[0])
	}
	JEQ(LabelRef(label + "Marked"))
	marks, bits, shift := Load(s.r.Field("rows"), GP64()), GP64(), GP64()
	SUBQ(s.left, marks)
	LEAQ(Mem{Base: marks, Index: marks, Scale: searched - 1}, marks)
	if s.together < searched {
		ADDQ(s.before, marks)
	}
	IMULQ(Address(s.r.Field("markStride")), marks)
	ADDQ(Address(s.r.Field("marks").Base()), marks)
	MOVQ(s.x, bits)
	SHRQ(U8(5), bits)
	ADDQ(bits, marks)
	MOVQ(s.x, shift)
	SHRQ(U8(2), shift)
	ANDQ(U8(7), shift)
	places, moved := XMM(), XMM()
	VMOVD(shift.As32(), places)
	for _, mask := range found {
		if s.ISA == AVX512 {
			KMOVW(mask, bits.As32())
		} else {
			MOVL(mask, bits.As32())
		}
		ANDL(U32(s.inner()), bits.As32())
		SHRL(U8(1), bits.As32())
		VMOVD(bits.As32(), moved)
		VPSLLD(places, moved, moved)
		VMOVD(moved, bits.As32())
		ORL(bits.As32(), Mem{Base: marks})
		ADDQ(Address(s.r.Field("markStride")), marks)
	}
	Label(label + "Marked")
}

// Predicates of VCMPPS.
const (
	ordAtMost  = 0x12
	ordAtLeast = 0x1d
)
