package main

import (
	. "github.com/fastcorners/fast/_asm/internal/wasm"
)

// corners emits the functions for gradients, and those that search responses.
func (b builder) corners() {
	b.gradientSums()
	b.gradient()
	b.responsePeaks()
	b.extremes()
}

// gradientSums emits the function that computes sums and differences down the columns of rows a,
// b, c and d: a+2b+c and c-a, b+2c+d and d-b. The last vector ends with the rows.
func (b builder) gradientSums() {
	f := b.kernel("sum", "sumRun")
	var rows, sums [4]Value
	for i := range rows {
		rows[i], sums[i] = f.Part("i32.load", "rows", 8*i), f.Part("i32.load", "sums", 8*i)
	}
	eachVector(f, f.Int("n"), 8, func(x Value) {
		var v [4]Value
		for i, row := range rows {
			v[i] = f.Let(Load("v128.load8x8_u", sum(row, x), 0))
		}
		middle := f.Let(Do("i16x8.add", v[1], v[2]))
		for i, s := range []Value{
			reduce("i16x8.add", v[0], v[1], middle), Do("i16x8.sub", v[2], v[0]),
			reduce("i16x8.add", v[2], v[3], middle), Do("i16x8.sub", v[3], v[1]),
		} {
			f.Store("v128.store", sum(sums[i], x.Times(2)), 0, s)
		}
	})
}

// gradient emits the function that computes Sobel's gradients from a row of sums and differences
// down the columns.
func (b builder) gradient() {
	f := b.kernel("gradient", "gradientRun")
	// The addresses of the columns before.
	sums, differences := f.Let(f.Int("sums").Plus(-2)), f.Let(f.Int("differences").Plus(-2))
	x, y, left := f.Int("out"), f.Part("i32.load", "out", 8), f.Int("n")
	f.While(left, func() {
		at := func(row Value, column int) Value { return f.Let(Load("v128.load", row, 2*column)) }
		middle := at(differences, 1)
		f.Store("v128.store", x, 0, Do("i16x8.sub", at(sums, 2), at(sums, 0)))
		f.Store("v128.store", y, 0, reduce("i16x8.add", middle, middle, at(differences, 0), at(differences, 2)))
		for _, p := range []Value{sums, differences, x, y} {
			f.Advance(p, 16)
		}
		f.Advance(left, -8)
	})
}

// responsePeaks emits the function that finds peaks in the second and the third of four rows of
// responses.
//
// It first takes the maximum of three neighbors in a row. Those of the first two rows were stored
// by the previous call, and those of the last two rows are stored for the next. Responses are
// compared by their bits, among which the threshold, which is positive, is in every maximum.
func (b builder) responsePeaks() {
	const columns, slice = 32, 24
	f := b.kernel("peaks", "peaksRun")
	var rows [3]Value // without the first one, from the column before the first one on
	for i := range rows {
		rows[i] = f.Let(f.Part("i32.load", "rows", slice*(1+i)).Plus(-4))
	}
	var threes [4]Value
	for i := range threes {
		threes[i] = f.Part("i32.load", "maxima", slice*i)
	}
	masks, left := f.Int("masks"), f.Len("masks")
	threshold := f.Field("v128.load", "threshold")
	highest := f.Let(zero)
	highestOf := func(v ...Value) Value { return f.Let(reduce("i32x4.max_s", v[0], v[1:]...)) }
	f.While(left, func() {
		var peaks [2][columns / 4]Value // all bits of peaks of the two rows
		for i := range columns / 4 {
			at := func(row Value, column int) Value { return f.Let(Load("v128.load", row, 16*i+4*column)) }
			// widest returns the values of a row, and their maxima with both neighbors.
			widest := func(row Value) (value, most Value) {
				value = at(row, 1)
				return value, highestOf(value, at(row, 0), at(row, 2))
			}
			second, below := widest(rows[1])
			_, last := widest(rows[2])
			f.Store("v128.store", threes[2], 16*i, below)
			f.Store("v128.store", threes[3], 16*i, last)
			both := highestOf(below, at(threes[1], 0))
			f.Set(highest, highestOf(highest, both))
			peaks[0][i] = f.Let(Do("i32x4.eq", at(rows[0], 1), highestOf(both, at(threes[0], 0), threshold)))
			peaks[1][i] = f.Let(Do("i32x4.eq", second, highestOf(both, last, threshold)))
		}
		for row := range peaks {
			for i := range columns / 16 {
				words := func(j int) Value {
					return Do("i16x8.narrow_i32x4_s", peaks[row][4*i+2*j], peaks[row][4*i+2*j+1])
				}
				bits := Do("i8x16.bitmask", Do("i8x16.narrow_i16x8_s", words(0), words(1)))
				f.Store("i32.store16", masks, 4*row+2*i, bits)
			}
		}
		for _, row := range rows {
			f.Advance(row, 4*columns)
		}
		for _, row := range threes {
			f.Advance(row, 4*columns)
		}
		f.Advance(masks, 8)
		f.Advance(left, -1)
	})
	f.SetPart("v128.store", "largest", 0, highest)
}

// extremes emits the function that updates maxima and minima with the values of a row.
func (b builder) extremes() {
	const vectors = 4
	f := b.kernel("extremes", "extremesRun")
	var largest, smallest [vectors]Value
	for i := range vectors {
		largest[i], smallest[i] = f.Part("v128.load", "largest", 16*i), f.Part("v128.load", "smallest", 16*i)
	}
	row := f.Int("row")
	eachVector(f, f.Len("row"), 4*vectors, func(x Value) {
		at := f.Let(sum(row, x.Times(4)))
		for i := range vectors {
			v := f.Let(Load("v128.load", at, 16*i))
			f.Set(largest[i], Do("f32x4.pmax", largest[i], v))
			f.Set(smallest[i], Do("f32x4.pmin", smallest[i], v))
		}
	})
	for i := range vectors {
		f.SetPart("v128.store", "largest", 16*i, largest[i])
		f.SetPart("v128.store", "smallest", 16*i, smallest[i])
	}
}
