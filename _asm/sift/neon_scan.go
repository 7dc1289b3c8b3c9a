package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// A neonExtreme is one of the two kinds, as neonExtremes goes along a row: greatest values or
// least ones.
type neonExtreme struct {
	of                 neon.Product // MaxFloats or MinFloats
	dst                neon.R
	before, here, next neon.V // of three vectors
}

// neonExtremes emits the function that computes the difference of two layers, and the greatest and
// least of nine differences.
func neonExtremes(a *neon.Assembler) {
	f := &neon.Function{Assembler: a}
	f.Begin("extremes")
	var layers [4]neon.R
	for i := range layers {
		layers[i] = f.Index("layers", i)
	}
	center, n := f.Field("center"), f.Len("center")
	kinds := []*neonExtreme{
		{of: neon.MaxFloats, dst: f.Field("greatest")},
		{of: neon.MinFloats, dst: f.Field("least")},
	}
	for _, k := range kinds {
		k.before, k.here, k.next = f.V(), f.V(), f.V()
	}
	// read computes the differences of a vector, and their extremes.
	read := func(dst func(k *neonExtreme) neon.V) {
		f.Scope(func() {
			var v [4]neon.V
			for i := range v {
				v[i] = f.V()
				f.FMOVQ(layers[i].Post(neon.Bytes), v[i])
			}
			for i := range 3 {
				f.DoTo(op.SubFloat, v[i+1], v[i], v[i])
			}
			f.FMOVQ(v[1], center.Post(neon.Bytes))
			for _, k := range kinds {
				f.Multiply(k.of, v[0], v[1], dst(k))
				f.Multiply(k.of, dst(k), v[2], dst(k))
			}
		})
	}
	// write stores the extremes of the vector before the one that was read, and of what is beside
	// its pixels.
	left, right := f.V(), f.V()
	write := func() {
		for _, k := range kinds {
			f.VEXT(12, k.here, k.before, left)
			f.VEXT(4, k.next, k.here, right)
			f.VMOV(k.here, k.before)
			f.Multiply(k.of, left, k.here, left)
			f.Multiply(k.of, left, right, left)
			f.FMOVQ(left, k.dst.Post(neon.Bytes))
			f.VMOV(k.next, k.here)
		}
	}
	read(func(k *neonExtreme) neon.V { return k.here })
	for _, k := range kinds {
		f.VMOV(k.here, k.before)
	}
	f.SUB(neon.Imm(neon.Bytes/4), n)
	f.Comment("The differences of a vector, and the extremes of the one before it.")
	f.Loop("vector")
	read(func(k *neonExtreme) neon.V { return k.next })
	write()
	f.Repeat("vector", n, neon.Bytes/4)
	write()
	f.RET()
}

// neonCandidates emits the function that marks extrema.
func neonCandidates(a *neon.Assembler) {
	const vectors = 4 // of a number of marks
	f := &neon.Function{Assembler: a}
	f.Begin("candidates")
	center := f.Field("center")
	var greatest, least [3]neon.R
	for i := range greatest {
		greatest[i], least[i] = f.Index("greatest", i), f.Index("least", i)
	}
	marks, n, found := f.Field("marks"), f.Len("marks"), f.R()
	threshold, negative := f.Broadcast("threshold"), f.Zero()
	f.DoTo(op.SubFloat, negative, threshold, negative)
	a.Table("bits", []byte{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128})
	bits := f.LoadTable("bits")
	// extreme returns a new register with the extremes of all rows.
	extreme := func(of neon.Product, rows [3]neon.R) neon.V {
		e, v := f.V(), f.V()
		f.FMOVQ(rows[0].Post(neon.Bytes), e)
		for _, row := range rows[1:] {
			f.FMOVQ(row.Post(neon.Bytes), v)
			f.Multiply(of, e, v, e)
		}
		f.FreeV(v)
		return e
	}
	f.Comment("Sixteen pixels.")
	f.Loop("pixels")
	var all [vectors]neon.V
	for i := range all {
		all[i] = f.V()
		f.Scope(func() {
			v := f.V()
			f.FMOVQ(center.Post(neon.Bytes), v)
			above, below := f.Do(op.GreaterFloat, v, threshold), f.Do(op.GreaterFloat, negative, v)
			f.DoTo(op.And, above, f.Do(op.NotLessFloat, v, extreme(neon.MaxFloats, greatest)), above)
			f.DoTo(op.And, below, f.Do(op.NotLessFloat, extreme(neon.MinFloats, least), v), below)
			f.DoTo(op.Or, above, below, all[i])
		})
	}
	f.Comment("A bit of each pixel.")
	f.VUZP1(neon.H8, all[1], all[0], all[0])
	f.VUZP1(neon.H8, all[3], all[2], all[2])
	f.VUZP1(neon.B16, all[2], all[0], all[0])
	f.DoTo(op.And, all[0], bits, all[0])
	for range 3 {
		f.VADDP(neon.B16, all[0], all[0], all[0])
	}
	f.VMOVElement(all[0].Element(neon.H8, 0), found)
	f.MOVH(found, marks.Post(2))
	f.Repeat("pixels", n, 1)
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
