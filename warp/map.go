package warp

import (
	"fmt"
	"math"
)

const (
	// maxSide is the largest width and height of sources and of Maps: a position in 1/1024 pixel, as
	// an Affine has it, fits in 32 bits, and so does one beside the source.
	maxSide = 1 << 20
	// maxFixedSide is that of FixedMaps, whose positions have 16 bits.
	maxFixedSide = 32766
)

// A Map specifies where each pixel of a destination comes from, for transforms that are not
// described by a matrix. The destination must have the size of the Map, at most 1<<20 by 1<<20; its
// bounds may begin anywhere.
type Map struct {
	Width, Height int
	// X and Y are the positions in the source, one for each pixel of the destination, row by row. A
	// coordinate that is NaN counts as far to the left or above, as does one that exceeds 1<<26
	// pixels, or 1<<31 with Nearest.
	X, Y []float32
}

// check panics if m is nil, too large, or has too few or too many places.
func (m *Map) check() {
	if m == nil {
		panic("warp: nil Map")
	}
	if err := m.err(); err != nil {
		panic(err.Error())
	}
}

// err returns an error if m is too large, or has too few or too many places.
func (m *Map) err() error {
	if err := sizeError("Map", m.Width, m.Height, maxSide); err != nil {
		return err
	}
	if n := int64(m.Width) * int64(m.Height); int64(len(m.X)) != n || int64(len(m.Y)) != n {
		return fmt.Errorf("warp: Map of %d by %d pixels with %d X and %d Y", m.Width, m.Height, len(m.X), len(m.Y))
	}
	return nil
}

// sizeError returns an error if a map of that name cannot have w by h pixels, since its sides have at
// most the given number.
func sizeError(name string, w, h, most int) error {
	if w < 0 || h < 0 || w > most || h > most {
		return fmt.Errorf("warp: %s of %d by %d pixels, sides are 0 to %d", name, w, h, most)
	}
	return nil
}

// checkFixed panics if a FixedMap cannot have w by h pixels.
func checkFixed(w, h int) {
	if err := sizeError("FixedMap", w, h, maxFixedSide); err != nil {
		panic(err.Error())
	}
}

// Fixed returns the map rounded to 1/32 pixel. With Linear it gives the same images, unless a position
// does not fit in 16 bits; the nearest one that does takes its place. Fixed fails if m is larger than
// 32766 by 32766 pixels, or has too few or too many positions.
func (m *Map) Fixed() (*FixedMap, error) {
	if err := m.err(); err != nil {
		return nil, err
	}
	if err := sizeError("FixedMap", m.Width, m.Height, maxFixedSide); err != nil {
		return nil, err
	}
	f := newFixedMap(m.Width, m.Height)
	for i := range m.X {
		f.put(i, round(float64(32*m.X[i])), round(float64(32*m.Y[i])))
	}
	return f, nil
}

// A FixedMap is a [Map] in steps of 1/32 pixel, which takes less memory. With Nearest, a position in
// the middle between two pixels is rounded up. It has at most 32766 by 32766 pixels.
type FixedMap struct {
	Width, Height int
	// XY are the columns and rows in the source, rounded down: two numbers for each pixel of the
	// destination, row by row.
	XY []int16
	// Fraction is the part of each position that was rounded off, in units of 1/32 pixel: that of
	// the row times 32, plus that of the column. Only the lower 10 bits are used.
	Fraction []uint16
}

func newFixedMap(w, h int) *FixedMap {
	return &FixedMap{w, h, make([]int16, 2*w*h), make([]uint16, w*h)}
}

// check panics if m is nil, too large, or has too few or too many places.
func (m *FixedMap) check() {
	if m == nil {
		panic("warp: nil FixedMap")
	}
	checkFixed(m.Width, m.Height)
	if n := m.Width * m.Height; len(m.XY) != 2*n || len(m.Fraction) != n {
		panic(fmt.Sprintf("warp: FixedMap of %d by %d pixels with %d numbers of XY and %d of Fraction", m.Width, m.Height, len(m.XY), len(m.Fraction)))
	}
}

// put sets place i to x, y, in 1/32 pixel.
func (m *FixedMap) put(i int, x, y int32) {
	m.XY[2*i], m.XY[2*i+1] = int16(sat16(int64(x>>5))), int16(sat16(int64(y>>5)))
	m.Fraction[i] = uint16(y&31<<5 | x&31)
}

// at returns place i in 1/32 pixel.
func (m *FixedMap) at(i int) (x, y int32) {
	f := int32(m.Fraction[i])
	return int32(m.XY[2*i])<<5 | f&31, int32(m.XY[2*i+1])<<5 | f>>5&31
}

// toInt is added to a number of magnitude up to 1<<51 to have it rounded, half to even, in the
// lower bits.
const toInt = 3 << 51

// round returns the nearest integer, half to even, or -1<<31 if that does not fit into 32 bits
// or v is not a number. If v is a product, the conversion keeps it from being fused with the sum.
func round(v float64) int32 {
	v = float64(v)
	if v >= -1<<31-0.5 && v < 1<<31-0.5 {
		return int32(uint32(math.Float64bits(v + toInt)))
	}
	return math.MinInt32
}

// sat16 returns the number of 16 bits that is nearest to v.
func sat16(v int64) int {
	return int(min(max(v, math.MinInt16), math.MaxInt16))
}
