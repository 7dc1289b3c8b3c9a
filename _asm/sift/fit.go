package main

import (
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// fit emits the function that fits a parabola. Its numbers are single floats.
func fit(isa ISA) {
	r := Func("fit" + isa.Name)
	at := func(name string) Mem { return Address(r.Field(name)) }
	load := func(name string) VecVirtual {
		v := XMM()
		VMOVSS(at(name), v)
		return v
	}
	number := func(bits uint32) VecVirtual {
		g, v := GP32(), XMM()
		MOVL(U32(bits), g)
		VMOVD(g, v)
		return v
	}
	mul := func(a, b VecVirtual) VecVirtual {
		v := XMM()
		VMULSS(a, b, v)
		return v
	}
	// fma returns a*b + c in the register of c.
	fma := func(a, b, c VecVirtual) VecVirtual {
		VFMADD231SS(a, b, c)
		return c
	}
	// fms returns a*b - c in the register of c, which is a product.
	fms := func(a, b, c VecVirtual) VecVirtual {
		VFMSUB231SS(a, b, c)
		return c
	}
	// sum returns what the named numbers add up to, the first with its sign and the others with
	// the given ones, times a factor.
	sum := func(factor VecVirtual, first, signs string, names ...string) VecVirtual {
		v := load(first)
		for i, name := range names {
			if signs[i] == '+' {
				VADDSS(at(name), v, v)
			} else {
				VSUBSS(at(name), v, v)
			}
		}
		VMULSS(factor, v, v)
		return v
	}
	unit := number(0x3b808081)   // 1/255
	half := number(0x3b008081)   // 0.5/255
	fourth := number(0x3a808081) // 0.25/255
	twice := load("center")
	VADDSS(twice, twice, twice)
	curvature := func(a, b string) VecVirtual {
		v := load(a)
		VADDSS(at(b), v, v)
		VSUBSS(twice, v, v)
		VMULSS(unit, v, v)
		return v
	}
	Comment("The Hessian, with the trace and the determinant of its part in the plane.")
	xx, yy, ss := curvature("right", "left"), curvature("down", "up"), curvature("after", "before")
	xy := sum(fourth, "rightDown", "--+", "leftDown", "rightUp", "leftUp")
	xs := sum(fourth, "rightAfter", "--+", "leftAfter", "rightBefore", "leftBefore")
	ys := sum(fourth, "downAfter", "--+", "upAfter", "downBefore", "upBefore")
	trace := XMM()
	VADDSS(xx, yy, trace)
	VMOVSS(trace, at("trace"))
	VMOVSS(fms(xx, yy, mul(xy, xy)), at("det"))

	Comment("The minors, and the determinant.")
	m0 := fms(yy, ss, mul(ys, ys))
	m1 := fms(xy, ss, mul(xs, ys))
	m2 := fms(xy, ys, mul(xs, yy))
	d := fma(xs, m2, fms(xx, m0, mul(xy, m1)))
	bx, by, bs := sum(half, "right", "-", "left"), sum(half, "down", "-", "up"), sum(half, "after", "-", "before")
	var x, y, layer VecVirtual
	Comment("Where there is no extremum, it is taken to be at the pixel.")
	places := []string{"x", "y", "layer"}
	place := XMM()
	VXORPS(place, place, place)
	for _, name := range places {
		VMOVSS(place, at(name))
	}
	VUCOMISS(place, d)
	JP(LabelRef("regular"))
	JEQ(LabelRef("singular"))
	Label("regular")
	VDIVSS(d, number(0x3f800000), d)
	Comment("Cramer's rule.")
	q1 := fms(by, ss, mul(ys, bs))
	q2 := fms(by, ys, mul(yy, bs))
	solve := func(v VecVirtual, name string) {
		VMULSS(d, v, v)
		VMOVSS(v, at(name))
	}
	solve(fma(xs, q2, fms(bx, m0, mul(xy, q1))), "x")
	q3 := fms(xy, bs, mul(by, xs))
	solve(fma(xs, q3, fms(xx, q1, mul(bx, m1))), "y")
	q4 := mul(yy, bs)
	VFNMADD231SS(by, ys, q4)
	solve(fma(bx, m2, fms(xx, q4, mul(xy, q3))), "layer")
	Label("singular")
	sign := number(0x80000000)
	for i, v := range []*VecVirtual{&x, &y, &layer} {
		*v = load(places[i])
		VXORPS(sign, *v, *v)
		VMOVSS(*v, at(places[i]))
	}
	Comment("The value there.")
	slope := fma(bs, layer, fma(by, y, mul(bx, x)))
	VMULSS(number(0x3f000000), slope, slope)
	VMOVSS(fma(load("center"), number(0x3b808081), slope), at("value"))
	isa.End()
}
