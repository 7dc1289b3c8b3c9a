package harris

import "math"

// A measure makes responses of structure tensors.
type measure struct {
	kind           Measure
	k, scale, bias float32
}

// newMeasure returns the measure that the options ask for.
func newMeasure(o *Options) measure {
	s2 := float64(o.scale() * o.scale()) // fused with nothing, as all products here
	switch o.Measure {
	case Harris:
		return measure{kind: Harris, k: float32(o.K), scale: float32(s2 * s2)}
	case Noble:
		return measure{kind: Noble, scale: float32(2 * s2), bias: float32(1e-6 / s2)}
	case DetOverTrace:
		return measure{kind: DetOverTrace, scale: float32(s2), bias: float32(1 / s2)}
	}
	return measure{kind: MinEigenvalue, scale: float32(s2 / 2)}
}

// scale returns what gradients are multiplied by, so that those of Sobel and Scharr are
// per pixel and of gray values from 0 to 1, and a box is a mean.
func (o *Options) scale() float64 {
	scale := 1.0
	switch o.Gradient {
	case Sobel3:
		scale = 4 * 255
	case Sobel5:
		scale = 16 * 255
	case Sobel7:
		scale = 64 * 255
	case Scharr:
		scale = 8 * 255
	}
	if o.WindowSigma == 0 {
		scale *= float64(o.BlockSize)
	}
	return 1 / scale
}

// respond makes the responses of the first tensors of t. Conversions of products keep
// them from being fused with what is added.
func (m *measure) respond(dst []float32, t *tensors) {
	a, b, c := t.a[:len(dst)], t.b[:len(dst)], t.c[:len(dst)]
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
