package main

import (
	"fmt"
	"iter"
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// samples emits the kernels for orientations and descriptors.
func samples(isa ISA) {
	surroundings(isa)
	directions(isa)
	patch(isa)
	cells(isa)
	pairs(isa)
	if isa == AVX2 {
		cut(isa)
		normalize(isa)
	}
}

// A sampler emits one of the kernels.
type sampler struct {
	ISA
	r         Component
	math      Component // the coefficients
	constants map[string]VecVirtual
	powers    [4]VecVirtual // with AVX-512
	pause     func()        // lets other operations be emitted between those of a group
}

// newSampler begins the function of that name.
func newSampler(isa ISA, name string) *sampler {
	return &sampler{ISA: isa, r: Func(name + isa.Name), constants: map[string]VecVirtual{}, pause: func() {}}
}

// lanes is the number of floats of a vector.
func (s *sampler) lanes() int { return s.Bytes / 4 }

// hold lets the registers with constants be loaded here. AVX2 has too few for that.
func (s *sampler) hold(constants ...Mem) {
	if s.ISA != AVX512 {
		return
	}
	for _, m := range constants {
		s.constants[m.Asm()] = s.BroadcastFloat(m)
	}
}

// constant returns a register with the float at m in every place.
func (s *sampler) constant(m Mem) VecVirtual {
	if v, ok := s.constants[m.Asm()]; ok {
		return v
	}
	return s.BroadcastFloat(m)
}

// float returns the place of a constant.
func float(v float64) Mem { return bits(math.Float32bits(float32(v))) }

// tables are the constants that have a place.
var tables = map[uint32]Mem{}

// bits returns the place of the float with those bits.
func bits(v uint32) Mem {
	m, ok := tables[v]
	if !ok {
		m = GLOBL(fmt.Sprintf("float%08x", v), RODATA|NOPTR)
		DATA(0, U32(v))
		tables[v] = m
	}
	return m
}

const magnitude = 1<<31 - 1 // the bits of a float but for its sign

// field returns the place of a field of the argument.
func (s *sampler) field(name string) Mem { return Address(s.r.Field(name)) }

// coefficient returns the place of a field of the coefficients, or of an element of it.
func (s *sampler) coefficient(name string, i ...int) Mem {
	if s.math == nil {
		s.math = Dereference(s.r.Field("math"))
	}
	c := s.math.Field(name)
	for _, i := range i {
		c = c.Index(i)
	}
	return Address(c)
}

// number returns a register with a field that is an int.
func (s *sampler) number(name string) GPVirtual { return Load(s.r.Field(name), GP64()).(GPVirtual) }

// base returns a register with the address of a slice.
func (s *sampler) base(name string) GPVirtual {
	return Load(s.r.Field(name).Base(), GP64()).(GPVirtual)
}

// holdMath loads what angle and exp need.
func (s *sampler) holdMath() {
	constants := []Mem{float(multiplesOf(64)), s.coefficient("atanLeast"), bits(magnitude), float(90), float(180), float(360)}
	for i := range 4 {
		constants = append(constants, s.coefficient("expTerms", i), s.coefficient("atanTerms", i))
	}
	s.hold(constants...)
	if s.ISA == AVX512 {
		for i := range s.powers {
			s.powers[i] = s.Load(s.coefficient("powers", 16*i))
		}
	}
}

// Predicates of VCMPPS: the last one is that of not at least.
const (
	less      = 1
	atMost    = 2
	notLeast  = 9
	greater   = 14
	roundDown = 9 // of VROUNDPS and VRNDSCALEPS
)

// subtractWhere replaces v by the constant less v where x and y compare like that. It changes
// nothing else. v is from 0 up to the constant, so that AVX2 can replace it by |v - constant| there
// and by |v - 0| elsewhere, in fewer operations than a blend takes.
func (s *sampler) subtractWhere(predicate int, x, y Register, constant Mem, v VecVirtual) {
	if s.ISA == AVX512 {
		k := K()
		VCMPPS(U8(predicate), y, x, k)
		VSUBPS(v, s.constant(constant), k, v)
		return
	}
	where := s.Vec()
	VCMPPS(U8(predicate), y, x, where)
	VANDPS(s.constant(constant), where, where)
	s.DoTo(op.SubFloat, v, where, v)
	VANDPS(s.constant(bits(magnitude)), v, v)
}

// angle returns the angles of vectors.
func (s *sampler) angle(x, y Register) VecVirtual {
	Comment("The angles.")
	mask := s.constant(bits(magnitude))
	ax, ay := s.Vec(), s.Vec()
	VANDPS(mask, x, ax)
	VANDPS(mask, y, ay)
	v, high := s.Do(op.MinFloat, ax, ay), s.Do(op.MaxFloat, ax, ay)
	s.DoTo(op.AddFloat, high, s.constant(s.coefficient("atanLeast")), high)
	s.DoTo(op.DivFloat, v, high, v)
	s.pause()
	square, angle := s.Do(op.MulFloat, v, v), s.BroadcastFloat(s.coefficient("atanTerms", 0))
	for i := 1; i < 4; i++ {
		VFMADD213PS(s.constant(s.coefficient("atanTerms", i)), square, angle)
	}
	s.pause()
	s.DoTo(op.MulFloat, angle, v, angle)
	s.subtractWhere(notLeast, ax, ay, float(90), angle)
	zero := s.Zero()
	s.subtractWhere(less, x, zero, float(180), angle)
	s.subtractWhere(less, y, zero, float(360), angle)
	s.pause()
	return angle
}

// expFactor is the coefficient of that name, divided by 64.
const expFactor = 0x1.715476p+0

// exp replaces x by e to the power of x/expFactor. The sum with a large number is rounded to a
// multiple of 1/64 and has it in its lowest bits.
func (s *sampler) exp(x VecVirtual) {
	Comment("The weights.")
	large := s.constant(float(multiplesOf(64)))
	whole, v := s.Do(op.AddFloat, x, large), s.Vec()
	s.DoTo(op.SubFloat, whole, large, v)
	s.DoTo(op.SubFloat, x, v, x)
	s.DoTo(op.AddFloat, x, s.constant(s.coefficient("expTerms", 0)), v)
	for i := 1; i < 4; i++ {
		VFMADD213PS(s.constant(s.coefficient("expTerms", i)), x, v)
	}
	s.pause()
	power := s.power(whole)
	VPSRAD(U8(6), whole, whole)
	VPSLLD(U8(23), whole, whole)
	s.DoTo(op.AddLong, power, whole, power)
	s.DoTo(op.MulFloat, v, power, x)
	s.pause()
}

// multiplesOf returns a number for which the sums with much smaller numbers are multiples of 1/n, for a
// power n of two. The sum with k/n has k in its lowest bits, which are 0 in this number.
func multiplesOf(n int) float64 { return 0x1.8p23 / float64(n) }

// power returns the powers in the table for the lowest 6 bits.
func (s *sampler) power(index VecVirtual) VecVirtual {
	if s.ISA == AVX512 {
		var halves [2]VecVirtual
		for i := range halves {
			halves[i] = s.Vec()
			VMOVDQA32(index, halves[i])
			VPERMI2PS(s.powers[2*i+1], s.powers[2*i], halves[i])
		}
		upper := K()
		VPTESTMD(s.constant(bits(32)), index, upper)
		VMOVAPS(halves[1], upper, halves[0])
		return halves[0]
	}
	low, all, power := s.Vec(), s.Vec(), s.Zero().(VecVirtual)
	VPAND(s.constant(bits(63)), index, low)
	VPCMPEQD(low, low, all)
	VGATHERDPS(all, s.coefficient("powers", 0).Idx(low, 4), power)
	return power
}

// length returns the lengths of vectors.
func (s *sampler) length(x, y Register) VecVirtual {
	v := s.Do(op.MulFloat, y, y)
	VFMADD231PS(x, x, v)
	s.Sqrt(v)
	return v
}

// rowsAhead is the number of rows that are prefetched.
const rowsAhead = 8

// batchSize is the constant of that name in the package.
const batchSize = 1024

// gradient returns the differences of the pixels around those from x on.
func (s *sampler) gradient(at, stride, x GPVirtual) (dx, dy VecVirtual) {
	dx, dy = s.Vec(), s.Vec()
	s.Move(Mem{Base: at, Index: x, Scale: 4, Disp: 4}, dx)
	VSUBPS(Mem{Base: at, Index: x, Scale: 4, Disp: -4}, dx, dx)
	other := GP64()
	MOVQ(at, other)
	SUBQ(stride, other)
	s.Move(Mem{Base: other, Index: x, Scale: 4}, dy)
	LEAQ(Mem{Base: other, Index: stride, Scale: 2}, other)
	VSUBPS(Mem{Base: other, Index: x, Scale: 4}, dy, dy)
	return dx, dy
}

// iota returns a table of the floats from 0 to 15.
var iota = ByteTable("floatIota", 64, func(i int) uint8 { return uint8(math.Float32bits(float32(i/4)) >> (8 * (i % 4))) })

// surroundings emits the function that gathers the samples of a square. Squared distances are
// exact.
func surroundings(isa ISA) {
	s := newSampler(isa, "surroundings")
	dx, dy, columns := s.base("dx"), s.base("dy"), s.base("columns")
	row, stride, count, at := s.number("row"), s.number("stride"), s.number("count"), GP64()
	s.rowAt(row, stride, at)
	SHLQ(U8(2), stride)
	ahead := GP64()
	Label("row")
	CMPQ(row, s.field("end"))
	JGE(LabelRef("done"))
	CMPQ(count, U32(batchSize))
	JGE(LabelRef("done"))
	LEAQ(Mem{Base: at, Index: stride, Scale: rowsAhead}, ahead)
	x, left := s.number("left"), s.number("right")
	SUBQ(x, left)
	INCQ(left)
	scalar, square, column := XMM(), s.Vec(), s.Vec()
	VXORPS(scalar, scalar, scalar)
	VCVTSI2SSQ(row, scalar, scalar)
	VMULSS(scalar, scalar, scalar)
	VBROADCASTSS(scalar, square)
	VCVTSI2SSQ(x, scalar, scalar)
	VBROADCASTSS(scalar, column)
	s.DoTo(op.AddFloat, column, iota(), column)
	Label("pixels")
	PREFETCHT0(Mem{Base: ahead, Index: x, Scale: 4})
	vx, vy := s.gradient(at, stride, x)
	s.Store(vx, Mem{Base: dx, Index: count, Scale: 4})
	s.Store(vy, Mem{Base: dy, Index: count, Scale: 4})
	distance := s.Do(op.MulFloat, column, column)
	s.DoTo(op.AddFloat, distance, square, distance)
	s.Store(distance, Mem{Base: columns, Index: count, Scale: 4})
	s.DoTo(op.AddFloat, column, s.constant(float(float64(s.lanes()))), column)
	ADDQ(U8(s.lanes()), x)
	ADDQ(U8(s.lanes()), count)
	SUBQ(U8(s.lanes()), left)
	JG(LabelRef("pixels"))
	Comment("The last vector reached beyond the row.")
	ADDQ(left, count)
	ADDQ(stride, at)
	INCQ(row)
	JMP(LabelRef("row"))
	Label("done")
	Store(row, s.r.Field("row"))
	Store(count, s.r.Field("count"))
	s.End()
}

// rowAt sets at to where the pixel in the keypoint's column is in a row. The stride is in pixels.
func (s *sampler) rowAt(row, stride, at GPVirtual) {
	MOVQ(row, at)
	IMULQ(stride, at)
	ADDQ(s.field("center"), at)
	SHLQ(U8(2), at)
	ADDQ(s.base("pix"), at)
}

// patchRows is the number of rows of which patch computes the ends together. They and what belongs to a
// row are in the memory for turns, each kind at a distance of patchBytes from the one before.
const (
	patchRows  = 16
	patchBytes = 4 * patchRows
)

// patch emits the function that gathers the samples of a turned square. The ends of the parts of some
// rows that lie in it are computed with a margin of a hundredth of a cell, and then each pixel is
// tested. The loop goes through the vectors of all these rows, since branches at the ends of rows would
// be mispredicted.
func patch(isa ISA) {
	s := newSampler(isa, "patch")
	lists := [4]GPVirtual{s.base("dx"), s.base("dy"), s.base("columns"), s.base("rows")}
	stride, count, x, at := s.number("stride"), s.number("count"), GP64(), GP64()
	cos, sin := s.BroadcastFloat(s.field("cos")), s.BroadcastFloat(s.field("sin"))
	s.hold(float(2), float(.5), float(-1), float(4))
	numbers := s.Load(longIota())
	row, last := GP64(), GP64() // what belongs to the row, and to the last one of some
	begin := func(at GPVirtual) Mem { return Mem{Base: at} }
	end := func(at GPVirtual) Mem { return Mem{Base: at, Disp: patchBytes} }
	bySin, byCos := Mem{Base: row, Disp: 2 * patchBytes}, Mem{Base: row, Disp: 3 * patchBytes}

	Label("rows")
	MOVQ(s.field("row"), x)
	CMPQ(x, s.field("end"))
	JGE(LabelRef("done"))
	CMPQ(count, U32(batchSize))
	JGE(LabelRef("done"))
	Comment("Where the lines of rows cross the sides of the square.")
	s.rowAt(x, stride, at)
	LEAQ(s.turns(), row)
	s.patchEnds(row, cos, sin, x)
	Comment("The first and the last row that has pixels.")
	BSRQ(x, last)
	JEQ(LabelRef("next"))
	TZCNTL(x.As32(), x.As32())
	LEAQ(Mem{Base: row, Index: last, Scale: 4}, last)
	LEAQ(Mem{Base: row, Index: x, Scale: 4}, row)
	SHLQ(U8(2), stride)
	IMULQ(stride, x)
	ADDQ(x, at)
	MOVLQSX(begin(row), x)

	Align()
	Label("pixels")
	number, column := s.Vec(), s.Vec()
	if s.ISA == AVX512 {
		VPBROADCASTD(x.As32(), number)
	} else {
		VMOVD(x.As32(), number.AsX())
		VPBROADCASTD(number.AsX(), number)
	}
	VPADDD(numbers, number, number)
	VCVTDQ2PS(number, column)
	c, r := s.Vec(), s.BroadcastFloat(byCos)
	s.Move(s.BroadcastFloat(bySin), c)
	VFMSUB231PS(cos, column, c)
	VFMADD231PS(sin, column, r)
	cellColumn, cellRow := s.cell(c), s.cell(r)
	least, most := s.Do(op.MinFloat, cellColumn, cellRow), s.Do(op.MaxFloat, cellColumn, cellRow)
	ahead := GP64()
	LEAQ(Mem{Base: at, Index: stride, Scale: rowsAhead}, ahead)
	PREFETCHT0(Mem{Base: ahead, Index: x, Scale: 4})
	vx, vy := s.gradient(at, stride, x)
	s.keep(least, most, number, end(row), lists, [4]VecVirtual{vx, vy, c, r}, count)
	Comment("The next vector is in the next row if this one has no more.")
	ADDQ(U8(s.lanes()), x)
	to, nextRow, nextX, nextAt := GP64(), GP64(), GP64(), GP64()
	MOVLQSX(end(row), to)
	LEAQ(Mem{Base: row, Disp: 4}, nextRow)
	MOVLQSX(begin(nextRow), nextX)
	LEAQ(Mem{Base: at, Index: stride, Scale: 1}, nextAt)
	CMPQ(x, to)
	CMOVQGT(nextX, x)
	CMOVQGT(nextRow, row)
	CMOVQGT(nextAt, at)
	CMPQ(count, U32(batchSize))
	JGE(LabelRef("full"))
	Label("more")
	CMPQ(row, last)
	JLE(LabelRef("pixels"))
	SHRQ(U8(2), stride)
	Label("next")
	ADDQ(U8(patchRows), s.field("row"))
	JMP(LabelRef("rows"))
	Comment("The lists are full, and this row is done if another one begins.")
	Label("full")
	CMPQ(row, last)
	JGT(LabelRef("stop"))
	MOVLQSX(begin(row), to)
	CMPQ(x, to)
	JNE(LabelRef("more"))
	Label("stop")
	LEAQ(s.turns(), to)
	SUBQ(to, row)
	SHRQ(U8(2), row)
	ADDQ(row, s.field("row"))
	Label("done")
	Store(count, s.r.Field("count"))
	Load(s.r.Field("row"), x)
	CMPQ(x, s.field("end"))
	JLE(LabelRef("counted"))
	Comment("The last rows were fewer.")
	Load(s.r.Field("end"), x)
	Store(x, s.r.Field("row"))
	Label("counted")
	s.End()
}

// patchEnds stores what belongs to patchRows rows, the first of which is row, and sets bits to those of
// them that have pixels in the patch. These are neighbors.
func (s *sampler) patchEnds(to GPVirtual, cos, sin VecVirtual, bits GPVirtual) {
	const margin = 2.51
	XORQ(bits, bits)
	for part := range patchRows / s.lanes() {
		number, y := s.Vec(), s.Vec()
		VPBROADCASTD(s.field("row"), number)
		VPADDD(longIota().Offset(part*s.Bytes), number, number)
		VCVTDQ2PS(number, y)
		at := func(kind int) Mem { return Mem{Base: to, Disp: kind*patchBytes + part*s.Bytes} }
		bySin, byCos := s.Do(op.MulFloat, y, sin), s.Do(op.MulFloat, y, cos)
		s.Store(bySin, at(2))
		s.Store(byCos, at(3))
		var limits [2]VecVirtual // the least and the greatest column
		for i, name := range [2]string{"left", "right"} {
			limits[i] = s.Vec()
			VPBROADCASTD(s.field(name), limits[i])
			VCVTDQ2PS(limits[i], limits[i])
		}
		begin, end := s.Vec(), s.Vec()
		s.Move(limits[0], begin)
		s.Move(limits[1], end)
		for i, name := range [2]string{"inverseCos", "inverseSin"} {
			var ends [2]VecVirtual
			for j, sign := range [2]float64{-1, 1} {
				v := s.BroadcastFloat(float(sign * margin))
				if i == 0 {
					VADDPS(bySin, v, v)
				} else {
					VSUBPS(byCos, v, v)
				}
				VMULPS(s.BroadcastFloat(s.field(name)), v, v)
				ends[j] = v
			}
			low, high := s.Do(op.MinFloat, ends[0], ends[1]), s.Do(op.MaxFloat, ends[0], ends[1])
			// The second operand, which comes first here, is taken if the other one is NaN.
			VMAXPS(begin, low, begin)
			VMINPS(end, high, end)
		}
		if s.ISA == AVX512 {
			VRNDSCALEPS(U8(roundDown+1), begin, begin)
			VRNDSCALEPS(U8(roundDown), end, end)
			in := K()
			VCMPPS(U8(atMost), end, begin, in)
			VPCMPD_BCST(U8(less), s.field("end"), number, in, in)
			KMOVW(in, bits.As32())
		} else {
			VROUNDPS(U8(roundDown+1), begin, begin)
			VROUNDPS(U8(roundDown), end, end)
			in, rows, some := s.Vec(), s.Vec(), GP64()
			VCMPPS(U8(atMost), end, begin, in)
			VPBROADCASTD(s.field("end"), rows)
			VPCMPGTD(number, rows, rows)
			VANDPS(rows, in, in)
			VMOVMSKPS(in, some.As32())
			SHLL(U8(part*s.lanes()), some.As32())
			ORL(some.As32(), bits.As32())
		}
		Comment("Pixels are read also where there are none.")
		VMINPS(limits[1], begin, begin)
		VCVTPS2DQ(begin, begin)
		VCVTPS2DQ(end, end)
		s.Store(begin, at(0))
		s.Store(end, at(1))
	}
}

// turns returns where the memory for turns is.
func (s *sampler) turns() Mem { return Address(s.r.Field("turns").Index(0)) }

// longIota returns a table of the numbers from 0 to 15.
var longIota = ByteTable("longIota", 64, func(i int) uint8 {
	if i%4 > 0 {
		return 0
	}
	return uint8(i / 4)
})

// cell returns places among cells.
func (s *sampler) cell(v Register) VecVirtual {
	c := s.Do(op.AddFloat, v, s.constant(float(2)))
	s.DoTo(op.SubFloat, c, s.constant(float(.5)), c)
	return c
}

// keep stores those of the vectors whose pixels are in the patch, which are neighbors, and counts
// them.
func (s *sampler) keep(least, most, number Register, last Mem, lists [4]GPVirtual, vectors [4]VecVirtual, count GPVirtual) {
	low, high := s.constant(float(-1)), s.constant(float(4))
	n := GP64()
	store := func(i int, v VecVirtual) { s.Store(v, Mem{Base: lists[i], Index: count, Scale: 4}) }
	if s.ISA == AVX512 {
		in := K()
		VCMPPS(U8(greater), low, least, in)
		VCMPPS(U8(less), high, most, in, in)
		VPCMPD_BCST(U8(atMost), last, number, in, in)
		KMOVW(in, n.As32())
		for i, v := range vectors {
			VCOMPRESSPS_Z(v, in, v)
			store(i, v)
		}
	} else {
		in := s.Vec()
		VCMPPS(U8(greater), low, least, in)
		VCMPPS(U8(less), high, most, most)
		VANDPS(most, in, in)
		VPBROADCASTD(last, most)
		VPCMPGTD(most, number, most)
		VANDNPS(in, most, in)
		VMOVMSKPS(in, n.As32())
		first, table, order := GP64(), GP64(), s.Vec()
		MOVL(n.As32(), first.As32())
		ORL(U32(1<<s.lanes()), first.As32())
		TZCNTL(first.As32(), first.As32())
		LEAQ(rotation(), table)
		VMOVDQU(Mem{Base: table, Index: first, Scale: 4}, order)
		for i, v := range vectors {
			VPERMPS(v, order, v)
			store(i, v)
		}
	}
	POPCNTL(n.As32(), n.As32())
	ADDQ(n, count)
}

// rotation returns a table of the indices of VPERMPS, of which eight from i on move float i to the
// front.
var rotation = ByteTable("rotation", 64, func(i int) uint8 {
	if i%4 > 0 {
		return 0
	}
	return uint8(i / 4 % 8)
})

// eachGroup emits the loops over the samples. group emits what computes a vector of them, which lie
// at an offset in the lists, and puts it into memory, from block on, which is in bytes. add emits
// what adds sample i, of eight from a block on, to the histogram. Those at the end are added with
// fused operations.
func (s *sampler) eachGroup(group func(offset, block GPVirtual, fused bool), add func(i int, block GPVirtual, fused bool)) {
	left := s.number("count")
	SUBQ(s.number("done"), left)
	fused := GP64()
	SUBQ(s.field("fused"), left)
	offset := s.number("done")
	SHLQ(U8(2), offset)
	s.inTurns(left, "rest", []GPVirtual{offset}, func(_ int, block GPVirtual) {
		group(offset, block, false)
	}, func(i int, block GPVirtual) {
		add(i, block, false)
	})
	Load(s.r.Field("fused"), fused)
	TESTQ(fused, fused)
	JEQ(LabelRef("done"))
	block := GP64()
	XORQ(block, block)
	group(offset, block, true)
	for i := range 7 {
		add(i, block, true)
		DECQ(fused)
		JEQ(LabelRef("done"))
	}
	Label("done")
	s.End()
}

// inTurns emits the loop over the samples that are left, of each of the lists that the offsets
// belong to, and then a label. group emits what is computed of a vector of the samples of list i,
// and add what adds sample i, of eight from a block on, of all lists. What computes a vector stands
// between what adds the samples of the vector before it, so that the processor, which looks ahead
// no further than some ten samples, does both together.
func (s *sampler) inTurns(left GPVirtual, done string, offsets []GPVirtual, group func(i int, block GPVirtual), add func(i int, block GPVirtual)) {
	block, next := GP64(), GP64()
	XORQ(block, block)
	MOVQ(U32(turnBytes), next)
	TESTQ(left, left)
	JLE(LabelRef(done))
	groups := func(block GPVirtual) {
		for i := range offsets {
			group(i, block)
			ADDQ(U8(s.Bytes), offsets[i])
		}
	}
	groups(block)
	SUBQ(U8(s.lanes()), left)
	JLE(LabelRef("last"))
	Align()
	Label("group")
	s.between(len(offsets), func() { groups(next) }, func(i int) {
		add(i%8, block)
		if i%8 == 7 {
			ADDQ(U8(32), block)
		}
	})
	SUBQ(U8(s.Bytes), block)
	XCHGQ(block, next)
	SUBQ(U8(s.lanes()), left)
	JG(LabelRef("group"))
	Label("last")
	for _, offset := range offsets {
		SUBQ(U8(s.Bytes), offset)
	}
	ADDQ(U8(s.lanes()), left)
	Label("eight")
	for i := range 8 {
		add(i, block)
	}
	ADDQ(U8(32), block)
	for _, offset := range offsets {
		ADDQ(U8(32), offset)
	}
	SUBQ(U8(8), left)
	JG(LabelRef("eight"))
	Label(done)
}

// between emits what add does of each of the samples of a vector, and between them, in parts, what
// compute does of some groups.
func (s *sampler) between(groups int, compute func(), add func(i int)) {
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		s.pause = func() { yield(struct{}{}) }
		compute()
	})
	defer stop()
	done := 0
	for i := range s.lanes() {
		add(i)
		for ; done < (i+1)*pauses*groups/s.lanes(); done++ {
			next()
		}
	}
	for more := true; more; {
		_, more = next()
	}
	s.pause = func() {}
}

// pauses is the number of parts of what is computed of a group.
const pauses = 8

// turnBytes is the distance of the two parts of the memory, which take turns.
const turnBytes = 512

// sample returns a register with the samples of a list at an offset.
func (s *sampler) sample(list, offset GPVirtual) VecVirtual {
	return s.Load(Mem{Base: list, Index: offset, Scale: 1})
}

// directions emits the function that adds samples to the histogram of an orientation.
func directions(isa ISA) {
	s := newSampler(isa, "directions")
	dx, dy, distances, histogram := s.base("dx"), s.base("dy"), s.base("columns"), s.base("histogram")
	memory := s.turnMemory()
	bins, weights, lengths := memory[0], memory[1], memory[2]
	s.holdMath()
	falloff, tenth := s.field("falloff"), float(.1)
	s.hold(falloff, tenth, bits(36), float(expFactor))
	s.eachGroup(func(offset, block GPVirtual, fused bool) {
		x, y := s.sample(dx, offset), s.sample(dy, offset)
		angle, bin := s.angle(x, y), s.Vec()
		s.DoTo(op.MulFloat, angle, s.constant(tenth), angle)
		VCVTPS2DQ(angle, bin)
		if s.ISA == AVX512 {
			inside := K()
			VPCMPD(U8(less), s.constant(bits(36)), bin, inside)
			VMOVDQA32_Z(bin, inside, bin)
		} else {
			outside := s.Vec()
			VPCMPEQD(s.constant(bits(36)), bin, outside)
			VPANDN(bin, outside, bin)
		}
		s.Store(bin, bins.Idx(block, 1))
		weight := s.Do(op.MulFloat, s.sample(distances, offset), s.constant(falloff))
		s.DoTo(op.MulFloat, weight, s.constant(float(expFactor)), weight)
		s.exp(weight)
		length := s.length(x, y)
		if fused {
			s.Store(length, lengths.Idx(block, 1))
		} else {
			s.DoTo(op.MulFloat, weight, length, weight)
		}
		s.Store(weight, weights.Idx(block, 1))
	}, func(i int, block GPVirtual, fused bool) {
		bin, v := GP64(), XMM()
		MOVL(bins.Offset(4*i).Idx(block, 1), bin.As32())
		at := Mem{Base: histogram, Index: bin, Scale: 4, Disp: 8}
		weight := weights.Offset(4*i).Idx(block, 1)
		if fused {
			sum := XMM()
			VMOVSS(weight, v)
			VMOVSS(at, sum)
			VFMADD231SS(lengths.Offset(4*i).Idx(block, 1), v, sum)
			VMOVSS(sum, at)
		} else {
			VMOVSS(weight, v)
			VADDSS(at, v, v)
			VMOVSS(v, at)
		}
	})
}

// Where the cells of the descriptor are in the histogram, in bytes: those of the first row, and the
// distances to the next row and the next direction.
const (
	firstRow      = 64
	nextRow       = 16
	nextDirection = 128
)

// cells emits the function that adds samples to the histogram of a descriptor.
func cells(isa ISA) {
	s := newSampler(isa, "cells")
	memory, histogram := s.turnMemory(), s.base("histogram")
	c := newCellAdder(s)
	s.eachGroup(func(offset, block GPVirtual, _ bool) {
		c.compute(memory, offset, block)
	}, func(i int, block GPVirtual, fused bool) {
		c.add(memory, histogram, i, block, fused)
	})
}

// pairs emits the function that does the same for two descriptors, and adds a sample of the one
// and one of the other by turns: a sum of the one does not have to wait until a sum of the other
// one is stored.
func pairs(isa ISA) {
	s := newSampler(isa, "pairs")
	pair := s.r
	var sides [2]struct {
		memory            []Mem
		histogram, offset GPVirtual
	}
	side := func(i int) { s.r = Dereference(pair.Field("samples").Index(i)) }
	for i := range sides {
		side(i)
		sides[i].memory, sides[i].histogram, sides[i].offset = s.turnMemory(), s.base("histogram"), s.number("done")
		SHLQ(U8(2), sides[i].offset)
	}
	c := newCellAdder(s)
	left := Load(pair.Field("count"), GP64()).(GPVirtual)
	s.inTurns(left, "done", []GPVirtual{sides[0].offset, sides[1].offset}, func(i int, block GPVirtual) {
		side(i)
		c.compute(sides[i].memory, sides[i].offset, block)
	}, func(i int, block GPVirtual) {
		for _, of := range sides {
			c.add(of.memory, of.histogram, i, block, false)
		}
	})
	isa.End()
}

// A cellAdder emits what adds samples to the histogram of a descriptor: all cells of the two rows
// that a sample belongs to, or with AVX-512 of all rows, at once. A permutation moves the four parts
// of the sample to their places, and zero to the others. No sum changes when 0 is added.
type cellAdder struct {
	*sampler
	table GPVirtual // of the permutations
	part  VecVirtual
}

// turnMemory returns places for vectors of a group of samples. Those of cells are the places with
// the orders, the turns and four kinds of parts. A second group has its places turnBytes further.
func (s *sampler) turnMemory() []Mem {
	base := GP64()
	LEAQ(s.turns(), base)
	ADDQ(U8(s.Bytes-1), base)
	ANDQ(I8(-s.Bytes), base)
	memory := make([]Mem, 6)
	for i := range memory {
		memory[i] = Mem{Base: base, Disp: i * s.Bytes}
	}
	return memory
}

// newCellAdder loads what all samples need.
func newCellAdder(s *sampler) *cellAdder {
	s.holdMath()
	c := &cellAdder{sampler: s, table: GP64()}
	if s.ISA == AVX512 {
		LEAQ(ordersOfAll(), c.table)
	} else {
		LEAQ(ordersOfTwo(), c.table)
	}
	// Loads of 128 bits set the rest to 0, which the register allocator does not know.
	c.part = s.Zero().(VecVirtual)
	return c
}

// compute puts into memory, from block on, what is to be added of the samples from an offset on.
func (c *cellAdder) compute(memory []Mem, offset, block GPVirtual) {
	s := c.sampler
	list := func(name string) VecVirtual { return s.sample(s.base(name), offset) }
	x, y := list("dx"), list("dy")
	turn := s.angle(x, y)
	s.DoTo(op.SubFloat, turn, s.constant(s.field("angle")), turn)
	s.DoTo(op.MulFloat, turn, s.constant(bits(math.Float32bits(float32(8)/360))), turn)
	direction := s.split(turn)
	s.Store(turn, memory[1].Idx(block, 1))
	length := s.length(x, y)
	s.pause()

	column, row := list("columns"), list("rows")
	weight := s.Do(op.MulFloat, row, row)
	VFMADD231PS(column, column, weight)
	s.DoTo(op.MulFloat, weight, s.constant(float(-expFactor/8)), weight)
	s.exp(weight)
	s.DoTo(op.MulFloat, weight, length, weight)

	Comment("The nearest cells and directions.")
	column, row = s.cell(column), s.cell(row)
	wholeColumn, wholeRow := s.split(column), s.split(row)
	// The place in the histogram and the order, of which add takes 8 times as much, become one number,
	// for a single load: the order in the lowest byte, the place above it. With AVX2, the two rows are
	// both of the descriptor, since one beside it would be in another line.
	n, unit := s.Bytes/8, nextDirection
	if s.ISA == AVX2 {
		unit = nextRow
		clamped := s.Do(op.MinFloat, wholeRow, s.constant(float(2)))
		s.DoTo(op.MaxFloat, clamped, s.Zero(), clamped)
		s.DoTo(op.SubFloat, wholeRow, clamped, wholeRow)
		VFMADD132PS(s.constant(float(nextDirection/nextRow)), clamped, direction)
	}
	VFMADD231PS(s.constant(float(5)), wholeRow, wholeColumn)
	VFMADD231PS(s.constant(float(float64(32*unit/n))), direction, wholeColumn)
	s.DoTo(op.AddFloat, wholeColumn, s.constant(float(multiplesOf(n)+6)), wholeColumn)
	VANDPS(s.constant(bits(1<<15-1)), wholeColumn, wholeColumn)
	s.Store(wholeColumn, memory[0].Idx(block, 1))

	s.pause()
	Comment("The parts of the cells.")
	lower := s.Do(op.MulFloat, weight, row)
	upper := s.Do(op.SubFloat, weight, lower)
	lowerRight, upperRight := s.Do(op.MulFloat, lower, column), s.Do(op.MulFloat, upper, column)
	lowerLeft, upperLeft := s.Do(op.SubFloat, lower, lowerRight), s.Do(op.SubFloat, upper, upperRight)
	s.storeParts([4]VecVirtual{upperLeft, upperRight, lowerLeft, lowerRight}, memory[2:], block)
}

// add adds sample i of eight from a block on.
func (c *cellAdder) add(memory []Mem, histogram GPVirtual, i int, block GPVirtual, fused bool) {
	s, part := c.sampler, c.part
	places, turns, parts := memory[0], memory[1], memory[2:]
	place, order, turn := GP64(), GP64(), s.Vec()
	MOVL(places.Offset(4*i).Idx(block, 1), place.As32())
	MOVBLZX(place.As8(), order.As32())
	SHRL(U8(8), place.As32())
	index := s.Load(Mem{Base: c.table, Index: order, Scale: 8})
	VMOVUPS(parts[i%4].Offset(16*(i/4)).Idx(block, 1), part.AsX())
	VPERMPS(part, index, part)
	VBROADCASTSS(turns.Offset(4*i).Idx(block, 1), turn)
	near := Mem{Base: histogram, Index: place, Scale: 8, Disp: firstRow}
	far := near.Offset(nextDirection)
	if fused {
		v := s.Vec()
		VMOVUPS(part, v)
		VFNMADD231PS(turn, part, v)
		VADDPS(near, v, v)
		s.Store(v, near)
		VFMADD213PS(far, turn, part)
		s.Store(part, far)
		return
	}
	s.DoTo(op.MulFloat, part, turn, turn)
	s.DoTo(op.SubFloat, part, turn, part)
	s.DoTo(op.AddFloat, part, near, part)
	s.Store(part, near)
	s.DoTo(op.AddFloat, turn, far, turn)
	s.Store(turn, far)
}

// split returns the largest integers that are at most v, and leaves the rest in v.
func (s *sampler) split(v VecVirtual) VecVirtual {
	whole := s.Vec()
	if s.ISA == AVX512 {
		VRNDSCALEPS(U8(roundDown), v, whole)
	} else {
		VROUNDPS(U8(roundDown), v, whole)
	}
	s.DoTo(op.SubFloat, v, whole, v)
	return whole
}

// storeParts stores four vectors so that the numbers of a sample are neighbors: those of samples
// 0, 4, 8 and 12 in the first vector, and so on.
func (s *sampler) storeParts(v [4]VecVirtual, places []Mem, block GPVirtual) {
	var pairs [4]VecVirtual
	for i := range 2 {
		low, high := s.Vec(), s.Vec()
		VUNPCKLPS(v[2*i+1], v[2*i], low)
		VUNPCKHPS(v[2*i+1], v[2*i], high)
		pairs[i], pairs[2+i] = low, high
	}
	for i := range 4 {
		w := s.Vec()
		order := U8(0x44) // the lower halves
		if i%2 > 0 {
			order = 0xee
		}
		VSHUFPS(order, pairs[i/2*2+1], pairs[i/2*2], w)
		s.Store(w, places[i].Idx(block, 1))
	}
}

// ordersOfTwo returns a table of the indices of VPERMPS: for each row and column of a sample, -1 to 1
// and -1 to 3, where the cells of two rows take their parts from. The fifth is 0.
var ordersOfTwo = ordersTable("ordersOfTwo", 15, 8)

// ordersOfAll is that for all cells, and for rows from -1 to 3.
var ordersOfAll = ordersTable("ordersOfAll", 25, 16)

// ordersTable returns a function that returns the table for a number of samples and of cells.
func ordersTable(name string, samples, cells int) func() Mem {
	return ByteTable(name, 4*samples*cells, func(i int) uint8 {
		cell, sample := i/4%cells, i/4/cells
		row, column := cell/4-(sample/5-1), cell%4-(sample%5-1)
		switch {
		case i%4 > 0:
			return 0
		case row < 0 || row > 1 || column < 0 || column > 1:
			return 4
		}
		return uint8(2*row + column)
	})
}

// cut emits the function that makes the vector of a descriptor.
func cut(isa ISA) {
	s := newSampler(isa, "cut")
	histogram, vector := s.base("histogram"), Mem{Base: s.base("vector")}
	sums := s.Zero()
	for half := range 2 {
		Comment("Eight cells.")
		at := func(o int) Mem { return Mem{Base: histogram, Disp: firstRow + 32*half + nextDirection*o} }
		var v [8]Register
		for o := range v {
			v[o] = s.Load(at(o))
		}
		s.DoTo(op.AddFloat, v[0], at(8), v[0])
		transpose(&v)
		for i, cell := range v {
			s.Store(cell, vector.Offset(32*(8*half+i)))
			VFMADD231PS(cell, cell, sums)
		}
	}
	Comment("The greatest component.")
	sum, upper, most := sums.(VecVirtual).AsX(), XMM(), s.Vec()
	VHADDPS(sums, sums, sums)
	VHADDPS(sums, sums, sums)
	VEXTRACTF128(U8(1), sums, upper)
	VADDSS(upper, sum, sum)
	VSQRTSS(sum, sum, sum)
	VMULSS(float(.2), sum, sum)
	VBROADCASTSS(sum, most)
	for i := range 16 {
		v := s.Do(op.MinFloat, most, vector.Offset(32*i))
		s.Store(v, vector.Offset(32*i))
	}
	s.End()
}

// normalize emits the function that makes eight descriptors. Each one's squares are summed in the
// order of the components, in a lane of its own.
func normalize(isa ISA) {
	s := newSampler(isa, "normalize")
	vectors, descriptors := GP64(), GP64()
	LEAQ(Address(s.r.Field("vectors").Index(0).Index(0)), vectors)
	LEAQ(Address(s.r.Field("descriptors").Index(0).Index(0)), descriptors)
	squares := s.Zero()
	at, n := GP64(), GP64()
	MOVQ(vectors, at)
	MOVQ(U32(components/8), n)
	Label("sum")
	var v [8]Register
	for i := range v {
		v[i] = s.Load(Mem{Base: at, Disp: 4 * components * i})
	}
	transpose(&v)
	for _, component := range v {
		VFMADD231PS(component, component, squares)
	}
	ADDQ(U8(32), at)
	DECQ(n)
	JNE(LabelRef("sum"))
	Comment("What makes the lengths 512.")
	scales := s.BroadcastFloat(float(512))
	VSQRTPS(squares, squares)
	s.DoTo(op.MaxFloat, squares, s.BroadcastFloat(float(0x1p-23)), squares)
	VDIVPS(squares, scales, scales)
	order := s.Load(packOrder())
	next := s.Load(turnOrder())
	MOVQ(U32(len(v)), n)
	Label("descriptor")
	scale := s.Vec()
	VBROADCASTSS(scales.AsX(), scale)
	VPERMPS(scales, next, scales)
	for i := range 4 {
		var v [4]VecVirtual
		for j := range v {
			v[j] = s.Do(op.MulFloat, scale, Mem{Base: vectors, Disp: 32 * (4*i + j)})
			VCVTPS2DQ(v[j], v[j])
		}
		VPACKSSDW(v[1], v[0], v[0])
		VPACKSSDW(v[3], v[2], v[2])
		VPACKUSWB(v[2], v[0], v[0])
		VPERMD(v[0], order, v[0])
		s.Store(v[0], Mem{Base: descriptors, Disp: 32 * i})
	}
	ADDQ(U32(4*components), vectors)
	SUBQ(I8(-components), descriptors)
	DECQ(n)
	JNE(LabelRef("descriptor"))
	s.End()
}

// turnOrder returns the indices of VPERMPS that bring each lane to the one before it.
var turnOrder = ByteTable("turnOrder", 32, func(i int) uint8 {
	if i%4 > 0 {
		return 0
	}
	return uint8((i/4 + 1) % 8)
})

// packOrder returns the indices of VPERMD that undo the order of packed vectors.
var packOrder = ByteTable("packOrder", 32, func(i int) uint8 {
	if i%4 > 0 {
		return 0
	}
	return uint8(i/4/2 + i/4%2*4)
})

// transpose replaces the rows of a matrix of 8 by 8 floats by its columns.
func transpose(v *[8]Register) {
	var pairs, fours [8]VecVirtual
	for i := range 4 {
		pairs[i], pairs[4+i] = YMM(), YMM()
		VUNPCKLPS(v[2*i+1], v[2*i], pairs[i])
		VUNPCKHPS(v[2*i+1], v[2*i], pairs[4+i])
	}
	for i := range 4 { // columns i and i+4 of the rows from 0 and from 4 on
		for j := range 2 {
			order := U8(0x44)
			if i%2 > 0 {
				order = 0xee
			}
			w := YMM()
			VSHUFPS(order, pairs[i/2*4+2*j+1], pairs[i/2*4+2*j], w)
			fours[2*i+j] = w
		}
	}
	for i := range 4 {
		low, high := YMM(), YMM()
		VPERM2F128(U8(0x20), fours[2*i+1], fours[2*i], low)
		VPERM2F128(U8(0x31), fours[2*i+1], fours[2*i], high)
		v[i], v[4+i] = low, high
	}
}
