package main

import (
	"math"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	neonIota(a)
	neonDouble(a)
	neonHalve(a)
	neonRows(a)
	neonColumns(a)
	neonExtrema(a)
	neonFit(a)
	neonSurroundings(a)
	neonDirections(a)
	neonPatch(a)
	neonCells(a)
	neonCut(a)
	neonNormalize(a)
}

// A neonSampler emits a kernel for orientations or descriptors.
type neonSampler struct {
	neon.Function
	math    neon.R // points to the coefficients
	powers  neon.R
	lists   []neon.R
	sums    neon.R // the histogram
	sign    neon.V // all bits but it
	least   neon.V
	angles  [4]neon.V // the terms
	factor  neon.V
	scale   neon.V // 1/64
	terms   [4]neon.V
	indices neon.V // the bits of an index
}

// newNEONSampler begins the function of that name.
func newNEONSampler(a *neon.Assembler, name string, lists ...string) *neonSampler {
	s := &neonSampler{Function: neon.Function{Assembler: a}}
	s.Begin(name)
	s.math, s.powers, s.sums = s.Field("math"), s.R(), s.Field("histogram")
	s.ADD(neon.Const("coefficients_powers"), s.math, s.powers)
	for _, list := range lists {
		s.lists = append(s.lists, s.Field(list))
	}
	s.sign, s.indices = s.Spread(neon.S4, magnitude), s.Spread(neon.S4, 63)
	s.scale = s.float(1. / 64)
	s.least, s.factor = s.coefficient("atanLeast", 0), s.coefficient("expFactor", 0)
	for i := range s.terms {
		s.angles[i], s.terms[i] = s.coefficient("atanTerms", i), s.coefficient("expTerms", i)
	}
	return s
}

// float returns a new register with the same float in every place.
func (s *neonSampler) float(v float64) neon.V {
	return s.Spread(neon.S4, uint64(math.Float32bits(float32(v))))
}

// coefficient returns a new register with a coefficient in every place.
func (s *neonSampler) coefficient(name string, i int) neon.V {
	r, v := s.R(), s.V()
	s.MOVWU(s.math.Field("coefficients_"+name).Offset(4*i), r)
	s.VDUP(neon.S4, r, v)
	s.FreeR(r)
	return v
}

// next returns a new register with the next four samples of a list.
func (s *neonSampler) next(list int) neon.V {
	v := s.V()
	s.FMOVQ(s.lists[list].Post(neon.Bytes), v)
	return v
}

// by replaces x by x op a constant.
func (s *neonSampler) by(o op.Binary, x neon.V, constant float64) {
	c := s.float(constant)
	s.DoTo(o, x, c, x)
	s.FreeV(c)
}

// polynomial returns a new register with a polynomial in x. It begins with first, which it gives
// back.
func (s *neonSampler) polynomial(first, x neon.V, terms []neon.V) neon.V {
	for _, term := range terms {
		v := s.V()
		s.VMOV(term, v)
		s.VFMLA(neon.S4, first, x, v)
		s.FreeV(first)
		first = v
	}
	return first
}

// subtractWhere replaces v by the constant less v, where the bits of where are set, which it gives
// back.
func (s *neonSampler) subtractWhere(where neon.V, constant float64, v neon.V) {
	other := s.float(constant)
	s.DoTo(op.SubFloat, other, v, other)
	s.VBIT(where, other, v)
	s.FreeV(other, where)
}

// angle returns a new register with the angles of vectors.
func (s *neonSampler) angle(x, y neon.V) neon.V {
	s.Comment("The angles.")
	high, low, other := s.Do(op.And, x, s.sign), s.Do(op.And, y, s.sign), s.V()
	flat := s.Do(op.NotLessFloat, high, low)
	s.VMOV(high, other)
	s.VBIF(flat, low, high)
	s.VBIF(flat, other, low)
	s.DoTo(op.AddFloat, high, s.least, high)
	s.DoTo(op.DivFloat, low, high, low)
	s.DoTo(op.MulFloat, low, low, high)
	s.VMOV(s.angles[0], other)
	angle := s.polynomial(other, high, s.angles[1:])
	s.DoTo(op.MulFloat, angle, low, angle)
	s.FreeV(high, low)
	steep := s.float(90)
	s.DoTo(op.SubFloat, steep, angle, steep)
	s.VBIF(flat, steep, angle)
	s.FreeV(flat, steep)
	zero := s.Zero()
	s.subtractWhere(s.Do(op.GreaterFloat, zero, x), 180, angle)
	s.subtractWhere(s.Do(op.GreaterFloat, zero, y), 360, angle)
	s.FreeV(zero)
	return angle
}

// exp returns a new register with e to the x, which it changes.
func (s *neonSampler) exp(x neon.V) neon.V {
	s.Comment("The weights.")
	s.DoTo(op.MulFloat, x, s.factor, x)
	whole, v := s.V(), s.V()
	s.ChangeTo(neon.Round, x, whole)
	s.ChangeTo(neon.ToFloat, whole, v)
	s.DoTo(op.SubFloat, x, v, x)
	s.DoTo(op.MulFloat, x, s.scale, x)
	s.DoTo(op.AddFloat, x, s.terms[0], v)
	v = s.polynomial(v, x, s.terms[1:])
	index, power, r := s.Do(op.And, whole, s.indices), s.V(), s.R()
	for i := range 4 {
		s.VMOVElement(index.Element(neon.S4, i), r)
		s.ADD(r.LSL(2), s.powers, r)
		s.VLD1(r.At(0), power.Element(neon.S4, i))
	}
	s.DoTo(op.SubLong, whole, index, whole)
	s.VSHL(neon.S4, 23-6, whole, whole)
	s.DoTo(op.AddLong, power, whole, power)
	s.DoTo(op.MulFloat, v, power, v)
	s.FreeV(whole, index, power)
	s.FreeR(r)
	return v
}

// length returns a new register with the lengths of vectors.
func (s *neonSampler) length(x, y neon.V) neon.V {
	v := s.Do(op.MulFloat, y, y)
	s.VFMLA(neon.S4, x, x, v)
	s.ChangeTo(neon.Sqrt, v, v)
	return v
}

// eachGroup emits the loops over the samples: group computes what is to be added of four of them,
// and returns a function that emits how sample i is added. Those at the end are added with fused
// operations.
func (s *neonSampler) eachGroup(group func(fused bool) (add func(i int))) {
	left, fused, done := s.Field("count"), s.Field("fused"), s.Field("done")
	for _, list := range s.lists {
		s.ADD(done.LSL(2), list)
	}
	s.SUB(done, left)
	s.SUBS(fused, left, left)
	s.BEQ("rest")
	s.Loop("group")
	s.Scope(func() {
		add := group(false)
		for i := range 4 {
			add(i)
		}
	})
	s.Repeat("group", left, 4)
	s.Label("rest")
	s.CBZ(fused, "done")
	s.Scope(func() {
		add := group(true)
		for i := range 4 {
			add(i)
			s.SUBS(neon.Imm(1), fused, fused)
			s.BEQ("done")
		}
	})
	s.JMP("rest")
	s.Label("done")
	s.RET()
}

// neonDirections emits the function that adds samples to the histogram of an orientation.
func neonDirections(a *neon.Assembler) {
	s := newNEONSampler(a, "directions", "dx", "dy", "columns")
	falloff := s.Broadcast("falloff")
	s.eachGroup(func(fused bool) func(i int) {
		x, y, distance := s.next(0), s.next(1), s.next(2)
		bin := s.angle(x, y)
		s.by(op.MulFloat, bin, .1)
		s.ChangeTo(neon.Round, bin, bin)
		s.Comment("Bin 36 is bin 0.")
		last := s.Spread(neon.S4, 35)
		inside := s.Do(op.HigherLong, bin, last)
		s.VMOVI(0, last)
		s.VBIT(inside, last, bin)
		s.DoTo(op.MulFloat, distance, falloff, distance)
		weight, length := s.exp(distance), s.length(x, y)
		if !fused {
			s.DoTo(op.MulFloat, weight, length, weight)
		}
		at, sum, v := s.R(), s.V(), s.V()
		return func(i int) {
			s.VMOVElement(bin.Element(neon.S4, i), at)
			s.ADD(at.LSL(2), s.sums, at)
			s.FMOVS(at.At(8), sum)
			s.VDUPElement(neon.S4, weight.Element(neon.S4, i), v)
			if fused {
				s.VDUPElement(neon.S4, length.Element(neon.S4, i), x)
				s.VFMLA(neon.S4, v, x, sum)
			} else {
				s.FADDS(sum, v, sum)
			}
			s.FMOVS(sum, at.At(8))
		}
	})
}

// neonCells emits the function that adds samples to the histogram of a descriptor: all cells of the
// two rows that a sample belongs to at once. A permutation moves the four parts of the sample to
// their places, and zero to the others. No sum changes when 0 is added.
func neonCells(a *neon.Assembler) {
	s := newNEONSampler(a, "cells", "dx", "dy", "columns", "rows")
	var orders []byte // for each column of a sample, -1 to 3, where two rows of cells take their parts from
	for column := -1; column < cellCount; column++ {
		for row := range 2 {
			for cell := range cellCount {
				for b := range 4 {
					from := byte(0xff)
					if part := cell - column; part == 0 || part == 1 {
						from = byte(8*row + 4*part + b)
					}
					orders = append(orders, from)
				}
			}
		}
	}
	a.Table("partOrders", orders)
	table := s.R()
	s.MOVD(neon.Address("partOrders"), table)
	angle := s.Broadcast("angle")
	s.eachGroup(func(fused bool) func(i int) {
		x, y, column, row := s.next(0), s.next(1), s.next(2), s.next(3)
		turn := s.angle(x, y)
		s.DoTo(op.SubFloat, turn, angle, turn)
		s.by(op.MulFloat, turn, float64(float32(8)/360))
		place := s.split(turn)
		length := s.length(x, y)
		s.FreeV(x, y)
		square := s.Do(op.MulFloat, row, row)
		s.VFMLA(neon.S4, column, column, square)
		s.by(op.MulFloat, square, -1./8)
		weight := s.exp(square)
		s.DoTo(op.MulFloat, weight, length, weight)
		s.FreeV(square, length)

		s.Comment("The nearest cells and directions.")
		for _, v := range []neon.V{column, row} {
			s.by(op.AddFloat, v, 2)
			s.by(op.SubFloat, v, .5)
		}
		order, rows := s.split(column), s.split(row)
		seven := s.Spread(neon.S4, 7)
		s.DoTo(op.And, place, seven, place)
		s.VSHL(neon.S4, 3, place, place)
		s.DoTo(op.AddLong, place, rows, place)
		s.VSHL(neon.S4, 4, place, place)
		s.VSHL(neon.S4, 5, order, order)
		s.FreeV(seven, rows)

		s.Comment("The parts of the cells.")
		lower := s.Do(op.MulFloat, weight, row)
		s.DoTo(op.SubFloat, weight, lower, weight)
		lowerRight, upperRight := s.Do(op.MulFloat, lower, column), s.Do(op.MulFloat, weight, column)
		s.DoTo(op.SubFloat, lower, lowerRight, lower)
		s.DoTo(op.SubFloat, weight, upperRight, weight)
		var parts [4]neon.V
		s.VZIP1(neon.S4, upperRight, weight, column)
		s.VZIP2(neon.S4, upperRight, weight, row)
		s.VZIP1(neon.S4, lowerRight, lower, upperRight)
		s.VZIP2(neon.S4, lowerRight, lower, weight)
		for i, pair := range [2][2]neon.V{{column, upperRight}, {row, weight}} {
			parts[2*i], parts[2*i+1] = s.V(), s.V()
			s.VZIP1(neon.D2, pair[1], pair[0], parts[2*i])
			s.VZIP2(neon.D2, pair[1], pair[0], parts[2*i+1])
		}
		s.FreeV(column, row, weight, lower, lowerRight, upperRight)
		at, from := s.R(), s.R()
		return func(i int) {
			s.Scope(func() {
				s.addParts(at, from, place.Element(neon.S4, i), order.Element(neon.S4, i), turn.Element(neon.S4, i), parts[i], table, fused)
			})
		}
	})
}

// cellCount is the number of cells in a row of the descriptor.
const cellCount = 4

// split returns a new register with the largest integers that are at most v, and leaves the rest in v.
func (s *neonSampler) split(v neon.V) neon.V {
	whole, number := s.V(), s.V()
	s.ChangeTo(neon.Round, v, whole)
	s.ChangeTo(neon.ToFloat, whole, number)
	s.DoTo(op.GreaterFloat, number, v, number)
	s.Comment("Where that is more, -1 is added.")
	s.DoTo(op.AddLong, whole, number, whole)
	s.ChangeTo(neon.ToFloat, whole, number)
	s.DoTo(op.SubFloat, v, number, v)
	s.FreeV(number)
	return whole
}

// addParts adds a sample.
func (s *neonSampler) addParts(at, from neon.R, place, order, turn neon.Element, parts neon.V, table neon.R, fused bool) {
	s.VMOVElement(place, at)
	s.VMOVElement(order, from)
	s.ADD(at.SXTW(), s.sums, at)
	s.ADD(from.SXTW(), table, from)
	upper, lower, by := s.V(), s.V(), s.V()
	s.FLDPQ(from.At(2*neon.Bytes), upper, lower)
	s.VTBL(neon.B16, upper, []neon.V{parts}, upper)
	s.VTBL(neon.B16, lower, []neon.V{parts}, lower)
	s.VDUPElement(neon.S4, turn, by)
	near, far := [2]neon.V{s.V(), s.V()}, [2]neon.V{s.V(), s.V()}
	s.FLDPQ(at.At(firstRow), near[0], near[1])
	s.FLDPQ(at.At(firstRow+nextDirection), far[0], far[1])
	for i, part := range [2]neon.V{upper, lower} {
		next := s.V()
		if fused {
			s.VFMLA(neon.S4, part, by, far[i])
			negative := s.Zero()
			s.DoTo(op.SubFloat, negative, by, negative)
			s.VMOV(part, next)
			s.VFMLA(neon.S4, part, negative, next)
			s.DoTo(op.AddFloat, near[i], next, near[i])
			continue
		}
		s.DoTo(op.MulFloat, part, by, next)
		s.DoTo(op.AddFloat, far[i], next, far[i])
		s.DoTo(op.SubFloat, part, next, part)
		s.DoTo(op.AddFloat, near[i], part, near[i])
	}
	s.FSTPQ(near[0], near[1], at.At(firstRow))
	s.FSTPQ(far[0], far[1], at.At(firstRow+nextDirection))
}
