package harris

import "math"

// weights are those of a filter that smooths and of one that differentiates, from the middle
// to one end.
type weights struct{ smooth, derive []float32 }

// sobelWeights are the weights for integer gradients, whose absolute values are less than
// 1<<24, so that sums of float32 are exact.
var sobelWeights = [...]weights{
	Sobel3: {[]float32{2, 1}, []float32{0, 1}},
	Sobel5: {[]float32{6, 4, 1}, []float32{0, 2, 1}},
	Sobel7: {[]float32{20, 15, 6, 1}, []float32{0, 5, 4, 1}},
	Scharr: {[]float32{10, 3}, []float32{0, 1}},
}

// gaussianWeights returns the weights of a Gaussian and of its derivative.
func gaussianWeights(sigma float64, radius int) (w weights) {
	// The square of a small sigma rounds to 0, but 0 divided by it must not.
	divisor := max(2*sigma*sigma, math.SmallestNonzeroFloat64)
	for i := range radius + 1 {
		weight := decay(float64(i*i) / divisor)
		w.smooth = append(w.smooth, float32(weight))
		w.derive = append(w.derive, float32(float64(i)*weight))
	}
	return w
}

// decay returns exp(-x) for x >= 0. Unlike math.Exp it returns the same on every platform.
func decay(x float64) float64 {
	if x > 200 {
		return 0 // which it is as a float32
	}
	// exp(-x) is the 256th power of exp(-x/256), whose series converges fast.
	x /= -256
	sum := 1.0
	for i := 16; i > 0; i-- {
		sum = 1 + float64(sum*x/float64(i))
	}
	for range 8 {
		sum *= sum
	}
	return sum
}
