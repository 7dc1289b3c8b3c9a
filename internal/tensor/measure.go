// Package tensor makes responses of structure tensors: what the detectors of packages
// harris and lococo have in common.
package tensor

import "math"

// A Kind is what a Measure makes of the elements A, B and C of a structure tensor: the
// sums of the squared gradients along x and y, and of their products.
type Kind uint8

// The kinds, with det for A*B - C*C and tr for A + B.
const (
	MinEigenvalue Kind = iota // the smaller eigenvalue
	Harris                    // det - k*tr*tr
	Noble                     // 2*det/(tr + 1e-6)
	DetOverTrace              // det/(tr + 1)
)

// A Measure makes responses of structure tensors.
type Measure struct {
	kind           Kind
	k, scale, bias float32
}

// New returns a Measure of tensors whose elements are to be multiplied by scale. Only
// Harris has k.
func New(kind Kind, k, scale float64) Measure {
	switch kind {
	case Harris:
		return Measure{kind: kind, k: float32(k), scale: float32(scale * scale)}
	case Noble:
		return Measure{kind: kind, scale: float32(2 * scale), bias: float32(1e-6 / scale)}
	case DetOverTrace:
		return Measure{kind: kind, scale: float32(scale), bias: float32(1 / scale)}
	}
	return Measure{kind: kind, scale: float32(scale / 2)}
}

// Respond makes dst the responses of tensors with these elements. Conversions of products
// keep them from being fused with what is added.
func (m *Measure) Respond(dst, a, b, c []float32) {
	a, b, c = a[:len(dst)], b[:len(dst)], c[:len(dst)]
	k, scale, bias := m.k, m.scale, m.bias
	switch m.kind {
	case Harris:
		for i, a := range a {
			b, c := b[i], c[i]
			t := a + b
			dst[i] = (float32(a*b) - float32(c*c) - float32(k*float32(t*t))) * scale
		}
	case MinEigenvalue:
		for i, a := range a {
			d, e := a-b[i], c[i]+c[i]
			root := float32(math.Sqrt(float64(float32(d*d) + float32(e*e))))
			dst[i] = (a + b[i] - root) * scale
		}
	default:
		for i, a := range a {
			b, c := b[i], c[i]
			dst[i] = float32((float32(a*b)-float32(c*c))*scale) / (a + b + bias)
		}
	}
}

// Vectors returns the number of m in assembly, where two kinds are one, and its
// constants.
func (m *Measure) Vectors() (number int, constants [2][16]float32) {
	values := [2]float32{m.scale, m.bias}
	switch m.kind {
	case MinEigenvalue:
	case Harris:
		number, values = 1, [2]float32{m.k, m.scale}
	default:
		number = 2
	}
	for i, v := range values {
		for j := range constants[i] {
			constants[i][j] = v
		}
	}
	return number, constants
}

// Order returns the bits of a response, which compare as responses do if one of the two
// is not negative.
func Order(response float32) int32 {
	return int32(math.Float32bits(response))
}
