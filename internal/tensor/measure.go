// Package tensor computes the responses of structure tensors, which the detectors of
// packages harris and lococo have in common.
package tensor

import "math"

// A Kind is how a Measure computes a response from the elements A, B and C of a structure
// tensor: the sums of the squares of the gradients along x and along y, and of their products.
type Kind uint8

// The kinds, with the numbers of harris.Measure, where det is A*B - C*C and tr is A + B.
const (
	MinEigenvalue Kind = 1 + iota // the smaller eigenvalue
	Harris                        // det - k*tr*tr
	Noble                         // 2*det/(tr + 1e-6)
	DetOverTrace                  // det/(tr + 1)
)

// A Measure computes responses of structure tensors.
type Measure struct {
	formula   int // by its number in package response of the generators
	constants [2]float32
}

// The formulas.
const (
	eigenvalue = iota // (A + B - sqrt((A-B)*(A-B) + (2*C)*(2*C))) * constant 0
	difference        // (det - constant 0*tr*tr) * constant 1
	quotient          // det*constant 0 / (tr + constant 1)
)

// New returns a Measure of tensors whose elements are to be multiplied by scale. Only the
// kind Harris uses k.
func New(kind Kind, k, scale float64) Measure {
	switch kind {
	case Harris:
		return Measure{difference, [2]float32{float32(k), float32(scale * scale)}}
	case Noble:
		return Measure{quotient, [2]float32{float32(2 * scale), float32(1e-6 / scale)}}
	case DetOverTrace:
		return Measure{quotient, [2]float32{float32(scale), float32(1 / scale)}}
	}
	return Measure{eigenvalue, [2]float32{float32(scale / 2)}}
}

// Respond sets dst to the responses of tensors with the given elements. The conversions of
// products keep them from being fused with additions.
func (m *Measure) Respond(dst, a, b, c []float32) {
	a, b, c = a[:len(dst)], b[:len(dst)], c[:len(dst)]
	first, second := m.constants[0], m.constants[1]
	switch m.formula {
	case eigenvalue:
		for i, a := range a {
			d, e := a-b[i], c[i]+c[i]
			root := float32(math.Sqrt(float64(float32(d*d) + float32(e*e))))
			dst[i] = (a + b[i] - root) * first
		}
	case difference:
		for i, a := range a {
			b, c := b[i], c[i]
			t := a + b
			dst[i] = (float32(a*b) - float32(c*c) - float32(first*float32(t*t))) * second
		}
	case quotient:
		for i, a := range a {
			b, c := b[i], c[i]
			dst[i] = float32((float32(a*b)-float32(c*c))*first) / (a + b + second)
		}
	}
}

// Formula returns the number of the formula and its constants, as kernels read them.
func (m *Measure) Formula() (number int, constants [2]float32) {
	return m.formula, m.constants
}

// Order returns the bits of a response. They compare as responses do unless both of the two
// are negative.
func Order(response float32) int32 {
	return int32(math.Float32bits(response))
}
