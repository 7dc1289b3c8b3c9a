package sift

import "math"

// gaussian returns the weights of a Gaussian filter as OpenCV's getGaussianKernel computes
// them: 8*sigma+1 taps, rounded to an odd number, whose sum is 1 but for rounding.
func gaussian(sigma float64) []float32 {
	n := taps(sigma)
	factor := -0.125 / float64(sigma*sigma)
	values := make([]float64, n/2)
	sum := 0.0
	for i := range values {
		x := 2*i + 1 - n // twice the distance from the center
		values[i] = exp(float64(x*x) * factor)
		sum += values[i]
	}
	scale := 1 / (float64(2*sum) + 1)
	weights := make([]float32, n)
	for i, v := range values {
		weights[i] = float32(v * scale)
		weights[n-1-i] = weights[i]
	}
	weights[n/2] = float32(scale)
	return weights
}

// taps returns the number of weights of a Gaussian filter.
func taps(sigma float64) int {
	return int(math.RoundToEven(float64(8*sigma)+1)) | 1
}

// exp returns e to the power of x, which is not positive, but for an error of about the last
// place. Unlike that of math.Exp, the result is the same on every platform.
func exp(x float64) float64 {
	const (
		ln2High = 6.93147180369123816490e-01 // with 21 bits less than a float64
		ln2Low  = 1.90821492927058770002e-10
		terms   = 14 // of the Taylor series: the next one is below 2^-60
	)
	k := math.RoundToEven(x / math.Ln2)
	r := (x - float64(k*ln2High)) - float64(k*ln2Low)
	sum := 1.0
	for i := terms; i > 0; i-- {
		sum = 1 + float64(sum*r)/float64(i)
	}
	return math.Ldexp(sum, int(k))
}

// roots are 2 to the power of 1/L, for each number L of layers.
var roots = [...]float64{
	1: 2, 1.4142135623730951, 1.2599210498948732, 1.189207115002721, 1.1486983549970351, 1.122462048309373,
	1.1040895136738123, 1.0905077326652577, 1.080059738892306, 1.0717734625362931, 1.0650410894399627,
}

const maxLayers = len(roots) - 1

// baseSigma returns the sigma of the filter that makes the first layer of the pyramid of an
// image, which is taken to be blurred by a sigma of 0.5 already.
func baseSigma(sigma float64, doubled bool) float64 {
	s := float32(sigma)
	before := float32(0.25)
	if doubled {
		before = 1
	}
	return float64(float32(math.Sqrt(float64(max(float32(s*s)-before, 0.01)))))
}

// layerSigma returns the sigma of the filter that makes layer i, at least 1, of the one
// before it.
func layerSigma(sigma float64, layers, i int) float64 {
	k := roots[layers]
	power := 1.0
	for range i - 1 {
		power *= k
	}
	before := power * sigma
	after := before * k
	return math.Sqrt(float64(after*after) - float64(before*before))
}
