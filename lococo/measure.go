package lococo

import "math"

// A size is what the options ask for, for one of the kernels.
type size struct {
	r, q    int // what the kernel and the window reach in each direction
	measure measure
}

func newSize(o *Options, kernel int) size {
	window := kernel
	if o.Window > 0 {
		window = o.Window
	}
	r := kernel / 2
	// The square is an integer of less than 53 bits.
	n := float64(window * r * (2*r - 1) * 255)
	return size{r: r, q: window / 2, measure: newMeasure(o, 1/float64(n*n))}
}

// margin returns how many pixels at each edge of the image have no response.
func (s *size) margin() int {
	return s.r + s.q
}

// A measure makes responses of structure tensors.
type measure struct {
	kind           Measure
	k, scale, bias float32
}

// newMeasure returns the measure that the options ask for, for tensors with this scale.
func newMeasure(o *Options, scale float64) measure {
	switch o.Measure {
	case Harris:
		return measure{kind: Harris, k: float32(o.K), scale: float32(scale * scale)}
	case MinEigenvalue:
		return measure{kind: MinEigenvalue, scale: float32(scale / 2)}
	}
	return measure{kind: DetOverTrace, scale: float32(scale), bias: float32(1 / scale)}
}

// respond makes the responses of the first tensors of t. Conversions of products keep
// them from being fused with what is added.
func (m *measure) respond(dst []float32, t *[3][]float32) {
	a, b, c := t[0][:len(dst)], t[1][:len(dst)], t[2][:len(dst)]
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
