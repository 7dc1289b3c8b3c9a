package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/layout"
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// neonExtrema emits the function that marks the extrema of three differences. It goes down columns of
// three vectors, which overlap by two pixels, as those for amd64 do.
func neonExtrema(a *neon.Assembler) {
	const (
		vectors = 3
		columns = 4*vectors - 2
	)
	f := &neon.Function{Assembler: a}
	f.Begin("extrema")
	stride, width, markStride, marks := f.Field("stride"), f.Field("columns"), f.Field("markStride"), f.Field("marks")
	rows, x, before, slices, left, place, bits, shift := f.R(), f.R(), f.R(), f.R(), f.R(), f.R(), f.R(), f.R()
	var layers [4]neon.R
	for i := range layers {
		layers[i] = f.R()
	}
	f.MOVD(f.Place("rows"), rows)
	f.MOVD(neon.Imm(0), x)
	f.LSL(neon.Imm(2), stride)
	kinds := [2]neon.Product{neon.MaxFloats, neon.MinFloats}
	limits := [2]neon.V{f.Broadcast("limit"), f.Zero()}
	f.DoTo(op.SubFloat, limits[1], limits[0], limits[1])
	a.Table("bits", []byte{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128})
	table := f.LoadTable("bits")
	var extremes [3][vectors][2]neon.V // of three rows, by turns
	var held, center [vectors]neon.V
	for v := range vectors {
		held[v], center[v] = f.V(), f.V()
		for row := range extremes {
			extremes[row][v] = [2]neon.V{f.V(), f.V()}
		}
	}
	// read computes the differences of the next row, and their extremes.
	read := func(to *[vectors][2]neon.V) {
		f.Scope(func() {
			first, last, layer := f.V(), f.V(), f.V()
			for v := range vectors {
				at := neon.Bytes * v
				f.FMOVQ(layers[0].At(at), first)
				f.FMOVQ(layers[1].At(at), layer)
				f.FMOVQ(layers[2].At(at), center[v])
				f.FMOVQ(layers[3].At(at), last)
				f.DoTo(op.SubFloat, layer, first, first)
				f.DoTo(op.SubFloat, last, center[v], last)
				f.DoTo(op.SubFloat, center[v], layer, center[v])
				for k, of := range kinds {
					f.Multiply(of, first, center[v], to[v][k])
					f.Multiply(of, last, to[v][k], to[v][k])
				}
			}
		})
		for _, layer := range layers {
			f.ADD(stride, layer)
		}
	}
	hold := func() {
		for v := range vectors {
			f.VMOV(center[v], held[v])
		}
	}
	f.Comment("The vectors of all rows.")
	f.Loop("column")
	f.MOVD(neon.Imm(0), before)
	f.MOVD(f.Run, slices)
	f.Label("difference")
	for i, layer := range layers {
		from := slices.Field(f.Argument.Name() + "_layers").Offset(i * layout.Size(f.Element("layers")))
		f.MOVD(from, layer)
		f.ADD(x.LSL(2), layer)
	}
	f.MOVD(rows, left)
	read(&extremes[0])
	read(&extremes[1])
	hold()
	f.Comment("Three rows, so that the registers are in turn.")
	f.Loop("rows")
	for step := range 3 {
		above, here, below := &extremes[step], &extremes[(step+1)%3], &extremes[(step+2)%3]
		read(below)
		f.Scope(func() {
			var found [vectors]neon.V
			for k, of := range kinds {
				for v := range vectors {
					// The neighbors of the first lane and of the last one do not matter.
					f.Multiply(of, above[v][k], here[v][k], above[v][k])
					f.Multiply(of, above[v][k], below[v][k], above[v][k])
					f.Multiply(of, above[v][k], limits[k], above[v][k])
				}
				beside, most := f.V(), f.V()
				for v := range vectors {
					f.VEXT(12, above[v][k], above[max(v-1, 0)][k], beside)
					f.Multiply(of, above[v][k], beside, most)
					f.VEXT(4, above[min(v+1, vectors-1)][k], above[v][k], beside)
					f.Multiply(of, most, beside, most)
					if k == 0 {
						found[v] = f.Do(op.NotLessFloat, held[v], most)
					} else {
						f.DoTo(op.NotLessFloat, most, held[v], most)
						f.DoTo(op.Or, most, found[v], found[v])
					}
				}
				f.FreeV(beside, most)
			}
			f.VUZP1(neon.H8, found[1], found[0], found[0])
			f.VUZP1(neon.H8, found[2], found[2], found[2])
			f.VUZP1(neon.B16, found[2], found[0], found[0])
			f.DoTo(op.And, found[0], table, found[0])
			for range 3 {
				f.VADDP(neon.B16, found[0], found[0], found[0])
			}
			f.VMOVElement(found[0].Element(neon.H8, 0), bits)
		})
		hold()
		marked := fmt.Sprint("marked", step)
		f.AND(neon.Imm(1<<(columns+1)-2), bits)
		f.CBZ(bits, marked)
		f.SUB(left, rows, place)
		f.ADD(place.LSL(1), place)
		f.ADD(before, place)
		f.MADD(place, marks, markStride, place)
		f.ADD(x.LSR(3), place)
		f.LSR(neon.Imm(1), bits)
		f.AND(neon.Imm(7), x, shift)
		f.LSL(shift, bits)
		f.MOVWU(place.At(0), shift)
		f.ORR(shift, bits)
		f.MOVW(bits, place.At(0))
		f.Label(marked)
		f.SUB(neon.Imm(1), left)
		f.CBZ(left, "searched")
	}
	f.JMP("rows")
	f.Label("searched")
	f.ADD(neon.Imm(layout.Size(f.Element("layers"))), slices)
	f.ADD(neon.Imm(1), before)
	f.CMP(neon.Imm(searched), before)
	f.BLT("difference")
	f.ADD(neon.Imm(columns), x)
	f.CMP(width, x)
	f.BLT("column")
	f.RET()
}

// neonFit emits the function that fits a parabola. Its numbers are single floats.
func neonFit(a *neon.Assembler) {
	f := &neon.Function{Assembler: a}
	f.Begin("fit")
	load := func(name string) neon.V {
		v := f.V()
		f.FMOVS(f.Place(name), v)
		return v
	}
	number := func(bits uint64) neon.V { return f.Spread(neon.S4, bits) }
	mul := func(x, y neon.V) neon.V {
		v := f.V()
		f.FMULS(x, y, v)
		return v
	}
	// fma returns x*y + z, fms x*y - z, and fnma z - x*y, in the register of z.
	fma := func(x, y, z neon.V) neon.V {
		f.FMADDS(x, z, y, z)
		return z
	}
	fms := func(x, y, z neon.V) neon.V {
		f.FNMSUBS(x, z, y, z)
		return z
	}
	fnma := func(x, y, z neon.V) neon.V {
		f.FMSUBS(x, z, y, z)
		return z
	}
	// sum returns what the named numbers add up to, the first with its sign and the others with
	// the given ones, times a factor.
	sum := func(factor neon.V, first, signs string, names ...string) neon.V {
		v := load(first)
		for i, name := range names {
			x := load(name)
			if signs[i] == '+' {
				f.FADDS(x, v, v)
			} else {
				f.FSUBS(x, v, v)
			}
			f.FreeV(x)
		}
		f.FMULS(factor, v, v)
		return v
	}
	unit := number(0x3b808081)   // 1/255
	half := number(0x3b008081)   // 0.5/255
	fourth := number(0x3a808081) // 0.25/255
	twice := load("center")
	f.FADDS(twice, twice, twice)
	curvature := func(x, y string) neon.V {
		v, other := load(x), load(y)
		f.FADDS(other, v, v)
		f.FSUBS(twice, v, v)
		f.FMULS(unit, v, v)
		f.FreeV(other)
		return v
	}
	f.Comment("The Hessian, with the trace and the determinant of its part in the plane.")
	xx, yy, ss := curvature("right", "left"), curvature("down", "up"), curvature("after", "before")
	xy := sum(fourth, "rightDown", "--+", "leftDown", "rightUp", "leftUp")
	xs := sum(fourth, "rightAfter", "--+", "leftAfter", "rightBefore", "leftBefore")
	ys := sum(fourth, "downAfter", "--+", "upAfter", "downBefore", "upBefore")
	trace := f.V()
	f.FADDS(xx, yy, trace)
	f.FMOVS(trace, f.Place("trace"))
	det := fms(xx, yy, mul(xy, xy))
	f.FMOVS(det, f.Place("det"))
	f.FreeV(trace, det, twice, fourth)

	f.Comment("The minors, and the determinant.")
	m0 := fms(yy, ss, mul(ys, ys))
	m1 := fms(xy, ss, mul(xs, ys))
	m2 := fms(xy, ys, mul(xs, yy))
	d := fma(xs, m2, fms(xx, m0, mul(xy, m1)))
	bx, by, bs := sum(half, "right", "-", "left"), sum(half, "down", "-", "up"), sum(half, "after", "-", "before")
	f.Comment("Where there is no extremum, it is taken to be at the pixel.")
	places := []string{"x", "y", "layer"}
	var at [3]neon.V
	for i := range at {
		at[i] = f.Zero()
	}
	f.FCMPZeroS(d)
	f.BEQ("singular")
	one := number(0x3f800000)
	f.FDIVS(d, one, d)
	f.Comment("Cramer's rule.")
	q1 := fms(by, ss, mul(ys, bs))
	q2 := fms(by, ys, mul(yy, bs))
	f.FMULS(d, fma(xs, q2, fms(bx, m0, mul(xy, q1))), at[0])
	q3 := fms(xy, bs, mul(by, xs))
	f.FMULS(d, fma(xs, q3, fms(xx, q1, mul(bx, m1))), at[1])
	q4 := fnma(by, ys, mul(yy, bs))
	f.FMULS(d, fma(bx, m2, fms(xx, q4, mul(xy, q3))), at[2])
	f.Label("singular")
	for i, v := range at {
		f.FNEGS(v, v)
		f.FMOVS(v, f.Place(places[i]))
	}
	f.Comment("The value there.")
	slope := fma(bs, at[2], fma(by, at[1], mul(bx, at[0])))
	f.FMULS(number(0x3f000000), slope, slope)
	f.FMOVS(fma(load("center"), unit, slope), f.Place("value"))
	f.RET()
}
