package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// A neonDeriver makes the derivatives of a chunk of the template.
type neonDeriver struct {
	*neonFunction
	at, stride neon.R // the next row of pixels, and the distance of rows
	to, row    neon.R // the next row of the template, and the distance of rows
	// inside is -1 or points to a mask of the columns that are in the image, and then y is the
	// next row relative to the first one in the image, and rows the number of those.
	inside, y, rows neon.R
	weights         [4]neon.V
	ten, tenWords   neon.V
	tail            bool
	columns         neon.V // a mask of those of the tail
}

// A neonLine is of the chunk's columns and of those one further to the right: the differences
// of the neighbors of the pixels in a row and the smoothed row, or derivatives along x and y.
type neonLine [4]neon.V

// derive emits the derivatives of a chunk of the template. inside is -1 or points to a mask of
// the columns that are in the image.
func (f *neonFunction) derive(pix, stride, values, row, inside neon.R, tail bool) {
	d := &neonDeriver{neonFunction: f, stride: stride, row: row, inside: inside, tail: tail}
	d.at, d.to = f.R(), f.R()
	n := f.Field("h")
	d.y = f.R()
	f.MOVD(pix, d.at)
	f.ADD(neon.Imm(neon.Bytes), values, d.to)
	if inside >= 0 {
		top := f.Field("top")
		d.rows = f.Field("bottom")
		f.SUB(top, d.rows)
		f.NEG(top, d.y)
	}
	d.weights = f.weights("template")
	d.ten, d.tenWords = f.Fill(10), f.Spread(neon.H8, 10)
	if tail {
		d.columns = f.tailMask()
	}
	var lines [4]neonLine
	for i := range lines {
		for k := range lines[i] {
			lines[i][k] = f.V()
		}
	}
	f.Comment("The derivatives of the first row need three rows of pixels.")
	d.load(lines[0])
	d.load(lines[1])
	d.load(lines[2])
	d.derive(lines[0], lines[1], lines[2])
	f.Loop(f.prefix + "Derive")
	for i := range lines {
		line := func(k int) neonLine { return lines[(i+k)%len(lines)] }
		d.load(line(3))
		d.derive(line(1), line(2), line(3))
		d.interpolate(line(0), line(1))
		f.SUBS(neon.Imm(1), n, n)
		if i < len(lines)-1 {
			f.BEQ(f.prefix + "Derived")
		}
	}
	f.BNE(f.prefix + "Derive")
	f.Label(f.prefix + "Derived")
}

// triple emits v = 3*v.
func (d *neonDeriver) triple(v neon.V) {
	twice := d.Do(op.AddWord, v, v)
	d.DoTo(op.AddWord, v, twice, v)
	d.FreeV(twice)
}

// load makes a line of the next row of pixels.
func (d *neonDeriver) load(line neonLine) {
	d.Scope(func() {
		var p [4]neon.V
		for i := range p {
			p[i] = d.V()
			d.pixels(d.at, i, p[i])
		}
		d.ADD(d.stride, d.at)
		for i := range 2 {
			d.Multiply(neon.ByteDifferences, p[i+2], p[i], line[i])
			d.Multiply(neon.ByteSums, p[i], p[i+2], line[2+i])
			d.triple(line[2+i])
			d.Multiply(neon.AddByteProducts, p[i+1], d.ten, line[2+i])
		}
	})
}

// derive makes derivatives of three lines, in place of the first one.
func (d *neonDeriver) derive(a, b, c neonLine) {
	for i := range 2 {
		d.DoTo(op.AddWord, a[i], c[i], a[i])
		d.triple(a[i])
		d.Multiply(neon.AddWordProducts, b[i], d.tenWords, a[i])
		d.DoTo(op.SubWord, c[2+i], a[2+i], a[2+i])
	}
	if d.inside >= 0 {
		d.clearOutside(a)
	}
}

// clearOutside makes derivatives 0 that are not in the image, and goes to the next row.
func (d *neonDeriver) clearOutside(line neonLine) {
	d.Scope(func() {
		r, all := d.R(), d.V()
		d.CMP(d.rows, d.y)
		d.CSETM(neon.LO, r)
		d.VDUP(neon.D2, r, all)
		d.ADD(neon.Imm(1), d.y)
		for i := range 2 {
			d.Scope(func() {
				mask := d.Load(d.inside, 2*i)
				d.DoTo(op.And, mask, all, mask)
				d.DoTo(op.And, line[i], mask, line[i])
				d.DoTo(op.And, line[2+i], mask, line[2+i])
			})
		}
	})
}

// interpolate stores the derivatives between an upper line and the next one. It overwrites the
// upper line.
func (d *neonDeriver) interpolate(upper, lower neonLine) {
	var made [2]neon.V
	for i := range made {
		d.Scope(func() {
			sums := [2]neon.V{d.V(), d.V()}
			for k, v := range []neon.V{upper[2*i], upper[2*i+1], lower[2*i], lower[2*i+1]} {
				first, last := neon.AddProducts, neon.AddLastProducts
				if k == 0 {
					first, last = neon.Products, neon.LastProducts
				}
				d.Multiply(first, v, d.weights[k], sums[0])
				d.Multiply(last, v, d.weights[k], sums[1])
			}
			made[i] = upper[2*i]
			d.ChangeTo(neon.Without14, sums[0], made[i])
			d.ChangeTo(neon.LastWithout14, sums[1], made[i])
		})
		if d.tail {
			d.DoTo(op.And, made[i], d.columns, made[i])
		}
	}
	if d.tail {
		x, y := made[0], made[1]
		made = [2]neon.V{upper[1], upper[3]}
		d.VZIP1(neon.H8, y, x, made[0])
		d.VZIP2(neon.H8, y, x, made[1])
	}
	d.FSTPQ(made[0], made[1], d.to.At(0))
	d.ADD(d.row, d.to)
}
