package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/pairs"
	. "github.com/fastcorners/fast/_asm/internal/vec"
)

// columns is the number of columns of derivatives, the residual included.
const columns = 16

// A function is the kernel of a round of a fit.
type function struct {
	*Kernel
	Floats
}

// round emits the function that computes the sums of a round of a fit. It does to vectors what method
// derive of the portable one does to a pixel.
func round(k *Kernel) {
	f := &function{k, k.Machine.(Floats)}
	f.Collect(f.R.Field("collected"), Products{Sums: f.R.Field("products"), Factors: columns})
	f.Groups([]string{"x", "y", "value", "weight"}, kept, f.pixels)
}

// kept is the number of vectors that are kept at once.
const kept = 160

// field returns a vector of a field, and element one of an element of a field.
func (f *function) field(name string) Op { return f.Field(f.R.Field(name)) }

func (f *function) element(name string, i int) Op { return f.Field(f.R.Field(name).Index(i)) }

func (f *function) one() Op  { return f.Number("one", 1) }
func (f *function) half() Op { return f.Number("half", 0.5) }

// products returns the sum of products of pairs.
func (f *function) products(first Op, pairs ...[2]Op) Op {
	for _, p := range pairs {
		first = f.add(first, f.Mul(f.Kept(p[0]), p[1]))
	}
	return first
}

// add is Add, where x may be nil.
func (f *function) add(x, y Op) Op {
	if x == nil {
		return y
	}
	return f.Add(x, y)
}

// pixels emits what is done with a vector of pixels.
func (f *function) pixels(p []Op) {
	x, y, value, weight := f.Keep(p[0]), f.Keep(p[1]), f.Keep(p[2]), f.Keep(p[3])
	f.Comment("The place in the tag, in cells, and the cell.")
	row := func(i int) Op { return f.Row(f.R.Field("inverse"), [3]int{i, i + 1, i + 2}, f.Kept(x), f.Kept(y)) }
	scale := f.Keep(f.Div(f.one(), row(6)))
	u := f.Keep(f.Mul(row(0), f.Kept(scale)))
	v := f.Keep(f.Mul(row(3), f.Kept(scale)))
	place := func(u Op) Op { return f.Mul(f.Add(f.Kept(u), f.one()), f.field("side")) }
	columnAt, rowAt := f.Keep(place(u)), f.Keep(place(v))
	left, top := f.Keep(f.Floor(f.Kept(columnAt))), f.Keep(f.Floor(f.Kept(rowAt)))
	column, line := f.Keep(f.Sub(f.Kept(left), f.field("start"))), f.Keep(f.Sub(f.Kept(top), f.field("start")))
	for _, at := range []Op{column, line} {
		f.Restrict(AtMost, f.Kept(f.Zero()), f.Kept(at))
		f.Restrict(AtMost, f.Kept(at), f.field("last"))
	}
	f.Found()
	at := f.Add(f.Mul(f.Kept(line), f.field("stride")), f.Kept(column))
	cells := f.Keep(f.Gather(f.R.Field("drawing"), at))

	f.Comment("The directions of the gradients of u and v, and the pixels of a cell along them.")
	var directions [2][2]Op
	var perCell [2]Op
	for i, w := range []Op{u, v} {
		var d [2]Op
		for k := range d {
			d[k] = f.Mul(f.Sub(f.element("inverse", 3*i+k), f.Mul(f.Kept(w), f.element("inverse", 6+k))), f.Kept(scale))
		}
		inverse := f.Div(f.one(), f.Sqrt(f.Squares(d[0], d[1])))
		perCell[i] = f.Keep(f.Mul(inverse, f.field("unit")))
		directions[i] = [2]Op{f.Keep(f.Mul(d[0], inverse)), f.Keep(f.Mul(d[1], inverse))}
	}

	f.Comment("The responses to the lines around the cell.")
	distance := func(place, from, perCell Op) (near, far Op) {
		d := f.Sub(f.Kept(place), f.Kept(from))
		near = f.Keep(f.Mul(d, f.Kept(perCell)))
		return near, f.Keep(f.Mul(f.Sub(d, f.one()), f.Kept(perCell)))
	}
	leftOf, rightOf := distance(columnAt, left, perCell[0])
	topOf, bottomOf := distance(rowAt, top, perCell[1])
	first, second := f.edge("u", leftOf), f.edge("u", rightOf)
	above, below := f.edge("v", topOf), f.edge("v", bottomOf)

	f.Comment("The responses of three rows of three cells, and their derivatives along the row.")
	var z [3][3]Op // by derivatives and rows
	for k := range 3 {
		bit := func(i int) Op { return f.Bit(f.Kept(cells), 3*k+i) }
		a, m := f.Keep(bit(0)), f.Keep(bit(1))
		one := f.Keep(f.Sub(f.Kept(m), f.Kept(a)))
		two := f.Keep(f.Sub(bit(2), f.Kept(m)))
		for d := range z {
			var start Op
			if d == 0 {
				start = f.Kept(a)
			}
			z[d][k] = f.Keep(f.products(start, [2]Op{one, f.Kept(first[d])}, [2]Op{two, f.Kept(second[d])}))
		}
	}
	var up, down [3]Op
	for d := range z {
		up[d] = f.Keep(f.Sub(f.Kept(z[d][1]), f.Kept(z[d][0])))
		down[d] = f.Keep(f.Sub(f.Kept(z[d][2]), f.Kept(z[d][1])))
	}
	// blend returns z0 and the products of differences with responses to the lines above and below.
	blend := func(z0 Op, d, response int) Op {
		if z0 != nil {
			z0 = f.Kept(z0)
		}
		return f.products(z0, [2]Op{up[d], f.Kept(above[response])}, [2]Op{down[d], f.Kept(below[response])})
	}

	f.Comment("The drawing there, and its derivatives.")
	angle := f.products(nil, [2]Op{directions[0][0], f.Kept(directions[1][0])}, [2]Op{directions[0][1], f.Kept(directions[1][1])})
	covariance := f.Keep(f.Mul(f.field("covariance"), angle))
	bent := blend(nil, 2, 2)
	crossing := f.Add(blend(nil, 1, 1), f.Mul(f.Mul(f.Kept(covariance), f.half()), bent))
	crossing = f.Mul(f.Kept(covariance), crossing)
	white := f.Keep(f.Add(blend(z[0][0], 0, 0), crossing))
	byU, byV := f.Keep(blend(z[1][0], 1, 0)), f.Keep(blend(nil, 0, 1))
	byBlur := blend(z[2][0], 2, 0)
	byBlur = f.products(byBlur, [2]Op{up[0], f.Kept(above[2])}, [2]Op{down[0], f.Kept(below[2])})
	byBlur = f.Keep(byBlur)

	f.Comment("The residual.")
	shade := func(name string) Op {
		s := f.Add(f.element(name, 0), f.Mul(f.element(name, 1), f.Kept(u)))
		return f.Add(s, f.Mul(f.element(name, 2), f.Kept(v)))
	}
	contrast := f.Keep(shade("contrast"))
	predicted := f.Add(shade("black"), f.Mul(f.Kept(contrast), f.Kept(white)))
	residual := f.Keep(f.Sub(f.Kept(value), predicted))
	f.Put("column", f.Kept(columnAt))
	f.Put("row", f.Kept(rowAt))
	f.Put("residual", f.Kept(residual))
	f.Put("margin", f.Kept(contrast))
	f.Put("byU", f.Kept(byU))
	f.Put("byV", f.Kept(byV))

	f.Comment("The derivatives.")
	depth := f.Add(f.Add(f.Mul(f.field("h6"), f.Kept(u)), f.Mul(f.field("h7"), f.Kept(v))), f.one())
	factor := f.Keep(f.Sub(f.Kept(f.Zero()), f.Div(f.Mul(f.Kept(contrast), f.field("half")), depth)))
	var g [2]Op
	for k := range g {
		s := f.products(nil, [2]Op{byU, f.Kept(directions[0][k])}, [2]Op{byV, f.Kept(directions[1][k])})
		g[k] = f.Keep(f.Mul(f.Kept(factor), s))
	}
	t := f.Sub(f.Kept(f.Zero()), f.products(nil, [2]Op{g[0], f.Kept(x)}, [2]Op{g[1], f.Kept(y)}))
	t = f.Keep(t)
	times := func(a, b Op) Op { return f.Keep(f.Mul(f.Kept(a), f.Kept(b))) }
	derivatives := []Op{
		times(g[0], u), times(g[0], v), g[0], times(g[1], u), times(g[1], v), g[1], times(t, u), times(t, v),
		f.Keep(f.one()), u, v, white, times(u, white), times(v, white),
		f.Keep(f.Mul(f.Mul(f.Kept(contrast), f.field("blur")), f.Kept(byBlur))),
	}

	f.Comment("The weight, and the sums.")
	q := f.Mul(f.Kept(residual), f.field("tune"))
	q = f.Div(f.one(), f.Add(f.one(), f.Mul(q, q)))
	w := f.Keep(f.Mul(f.Mul(q, q), f.Kept(weight)))
	f.Accumulate(f.R.Field("weights"), f.Only(f.Kept(w)))
	f.Accumulate(f.R.Field("squares"), f.Mul(f.Only(f.Mul(f.Kept(w), f.Kept(residual))), f.Kept(residual)))
	f.AddProducts(w, append(derivatives, residual))
}

// edge returns the response to an edge, its first and its second derivative, all kept.
func (f *function) edge(name string, distance Op) (response [3]Op) {
	field := func(name2 string) Op { return f.Field(f.R.Field(name).Field(name2)) }
	s := f.Keep(f.Mul(f.Kept(distance), field("scale")))
	keep := func(v [3]Op) [3]Op {
		for k := range v {
			v[k] = f.Keep(v[k])
		}
		return v
	}
	sub := func(x, y [3]Op) [3]Op {
		for k := range x {
			x[k] = f.Sub(f.Kept(x[k]), y[k])
		}
		return x
	}
	left := keep(f.blurred(f.Add(f.Kept(s), field("far"))))
	left = keep(sub(left, f.blurred(f.Add(f.Kept(s), field("near")))))
	right := keep(f.blurred(f.Sub(f.Kept(s), field("near"))))
	right = sub(right, f.blurred(f.Sub(f.Kept(s), field("far"))))

	inside := func(v Op) Op {
		v = f.Masked(f.Mask(Less, f.Kept(distance), field("reach")), v)
		return f.Masked(f.Mask(Greater, f.Kept(distance), f.Sub(f.Kept(f.Zero()), field("reach"))), v)
	}
	for k, factor := range []string{"value", "slope", "bend"} {
		response[k] = f.Mul(f.Sub(f.Kept(left[k]), right[k]), field(factor))
		if k == 0 {
			response[k] = f.Add(f.half(), response[k])
		}
		response[k] = inside(response[k])
		if k == 0 {
			beyond := f.Masked(f.Mask(AtMost, field("reach"), f.Kept(distance)), f.one())
			response[k] = f.Do(op.Or, response[k], beyond)
		}
		response[k] = f.Keep(response[k])
	}
	return response
}

// blurred returns a part of the kernel of the blur, integrated three times, two times and once.
func (f *function) blurred(s Op) [3]Op {
	c := f.Do(op.MaxFloat, f.Do(op.MinFloat, s, f.one()), f.Number("minusOne", -1))
	beyond, y := f.Sub(s, c), f.Mul(c, c)
	// series returns v0 - y*(v1 - y*(v2 - y*v3)).
	series := func(names [4]string, v [4]float64) Op {
		sum := f.Number(names[3], v[3])
		for k := 2; k >= 0; k-- {
			sum = f.Sub(f.Number(names[k], v[k]), f.Mul(y, sum))
		}
		return sum
	}
	once := f.Mul(c, series([4]string{"one", "one", "once2", "once3"}, [4]float64{1, 1, .6, 1. / 7}))
	twice := f.Mul(y, series([4]string{"half", "quarter", "twice2", "twice3"}, [4]float64{.5, .25, .1, 1. / 56}))
	thrice := f.Mul(f.Mul(c, y), series([4]string{"thrice0", "thrice1", "thrice2", "thrice3"}, [4]float64{1. / 6, .05, 1. / 70, 1. / 504}))
	more := f.Mul(beyond, once)
	thrice = f.Add(thrice, f.Mul(beyond, f.Add(twice, f.Mul(more, f.half()))))
	return [3]Op{thrice, f.Add(twice, more), once}
}
