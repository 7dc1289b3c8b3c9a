package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/pairs"
	. "github.com/fastcorners/fast/_asm/internal/vec"
)

// A function is the kernel of a round of a fit.
type function struct {
	*Kernel
	Roots
}

// kept is the number of vectors that are kept at once.
const kept = 23

// round emits the function that computes the sums of a round of a fit. It does to vectors what the
// portable one does to a pixel.
func round(k *Kernel) {
	f := &function{k, k.Machine.(Roots)}
	f.Collect(f.R.Field("collected"), Products{Sums: f.R.Field("products"), Factors: 9, Unit: true, Finite: true})
	f.Groups([]string{"x", "y", "value"}, kept, f.pixels)
}

// field returns a vector of a field.
func (f *function) field(name string) Op { return f.Field(f.R.Field(name)) }

func (f *function) one() Op { return f.Number("one", 1) }

// A distance is that of a place from a line, the place along the line, and how much the line's
// direction has turned there, all kept.
type distance struct {
	line                  string
	distance, along, bent Op
}

// from returns the distance of a place from a line.
func (f *function) from(line string, dx, dy Op) (d distance) {
	d.line = line
	field := func(name string) Op { return f.Field(f.R.Field(line).Field(name)) }
	d.along = f.Keep(f.Sub(f.Mul(field("ny"), f.Kept(dx)), f.Mul(field("nx"), f.Kept(dy))))
	d.bent = f.Keep(f.Mul(field("bend"), f.Kept(d.along)))
	d.distance = f.Add(f.Mul(field("nx"), f.Kept(dx)), f.Mul(field("ny"), f.Kept(dy)))
	d.distance = f.Keep(f.Sub(d.distance, f.Mul(f.Mul(f.Kept(d.bent), f.Kept(d.along)), f.Number("half", 0.5))))
	return d
}

// byX and byY return how the distance changes along x and y.
func (f *function) byX(d distance) Op {
	line := f.R.Field(d.line)
	return f.Sub(f.Field(line.Field("nx")), f.Mul(f.Kept(d.bent), f.Field(line.Field("ny"))))
}

func (f *function) byY(d distance) Op {
	line := f.R.Field(d.line)
	return f.Add(f.Field(line.Field("ny")), f.Mul(f.Kept(d.bent), f.Field(line.Field("nx"))))
}

// pixels emits what is done with a vector of pixels.
func (f *function) pixels(p []Op) {
	value := f.Keep(p[2])
	dx, dy := f.Keep(f.Sub(p[0], f.field("placeX"))), f.Keep(f.Sub(p[1], f.field("placeY")))
	weight := f.Mul(f.Squares(f.Kept(dx), f.Kept(dy)), f.field("inverse"))
	weight = f.Keep(f.Do(op.MinDouble, f.Sub(f.one(), weight), f.Number("mostWeight", 0.3)))
	f.Restrict(Less, f.Kept(f.Zero()), f.Kept(weight))
	f.Leave()

	f.Comment("The distances from the lines.")
	first, second := f.from("first", dx, dy), f.from("second", dx, dy)

	f.Comment("How light the pixel is, and how fast that changes across the lines.")
	// scaled returns a distance in widths of the edges, and 1 more than its square.
	scaled := func(d distance) (t, more Op) {
		t = f.Keep(f.Mul(f.Kept(d.distance), f.field("sharpness")))
		return t, f.Keep(f.Add(f.one(), f.Mul(f.Kept(t), f.Kept(t))))
	}
	t1, a := scaled(first)
	t2, b := scaled(second)
	root := f.Div(f.one(), f.Sqrt(f.Mul(f.Kept(a), f.Kept(b))))
	white := f.Keep(f.Mul(f.Mul(root, f.Kept(t1)), f.Kept(t2)))
	slope := f.Mul(f.field("steepness"), f.Mul(f.Mul(root, root), root))
	k1 := f.Keep(f.Mul(slope, f.Mul(f.Kept(t2), f.Kept(b))))
	k2 := f.Keep(f.Mul(slope, f.Mul(f.Kept(t1), f.Kept(a))))

	f.Comment("The derivatives, the residual, and the sums.")
	both := func(x1, x2 Op) Op { return f.Add(f.Mul(f.Kept(k1), x1), f.Mul(f.Kept(k2), x2)) }
	derivatives := []Op{
		f.Keep(f.Add(both(f.byX(first), f.byX(second)), f.field("slopeX"))),
		f.Keep(f.Add(both(f.byY(first), f.byY(second)), f.field("slopeY"))),
		f.Keep(f.Mul(f.Kept(k1), f.Kept(first.along))),
		f.Keep(f.Mul(f.Kept(k2), f.Kept(second.along))),
		white, dx, dy,
		f.Keep(f.Mul(both(f.Kept(first.distance), f.Kept(second.distance)), f.field("sharpness"))),
	}
	predicted := f.Add(f.field("mean"), f.Mul(f.field("contrast"), f.Kept(white)))
	predicted = f.Add(predicted, f.Mul(f.field("slopeX"), f.Kept(dx)))
	predicted = f.Add(predicted, f.Mul(f.field("slopeY"), f.Kept(dy)))
	residual := f.Keep(f.Sub(f.Kept(value), predicted))
	f.Accumulate(f.R.Field("squares"), f.Mul(f.Only(f.Mul(f.Kept(weight), f.Kept(residual))), f.Kept(residual)))
	f.AddProducts(weight, append(derivatives, residual))
}
