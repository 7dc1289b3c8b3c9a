package warp

import "math"

// An axis is one direction of a resize, in which n samples of the source become m. The float64 and
// float32 operations of its methods are rounded one by one, as OpenCV's are.
type axis struct {
	n, m    int
	inverse float64 // m/n
	scale   float64 // 1/inverse, which is not always n/m
	whole   int     // scale, rounded
	exact   bool    // whether scale is whole, which it need not be if n is a multiple of m
}

func newAxis(n, m int) axis {
	a := axis{n: n, m: m, inverse: float64(m) / float64(n)}
	a.scale = 1 / a.inverse
	whole := math.RoundToEven(a.scale)
	a.whole = int(whole)
	a.exact = math.Abs(a.scale-whole) < 0x1p-52
	return a
}

// nearest returns the sample of the source that sample d of the destination is.
func (a *axis) nearest(d int) int {
	return min(int(math.Floor(float64(d)*a.scale)), a.n-1)
}

// A tap is the two samples of the source that a sample of the destination lies between.
type tap struct {
	at       int     // the first of the two
	fraction float32 // how far it is from the first to the second
}

// tap returns that of sample d. The samples may lie outside of the source.
func (a *axis) tap(d int) tap {
	f := float32(float64((float64(d)+0.5)*a.scale) - 0.5)
	at := math.Floor(float64(f))
	return tap{int(at), f - float32(at)}
}

// areaTap is tap for Area where a side grows.
func (a *axis) areaTap(d int) tap {
	at := math.Floor(float64(d) * a.scale)
	f := float32(float64(d+1) - float64((at+1)*a.inverse))
	if f <= 0 {
		f = 0
	} else {
		f -= float32(math.Floor(float64(f)))
	}
	return tap{int(at), f}
}

// inside returns t with samples of the source: outside of the outermost ones, and at the last one,
// there is no fraction.
func (a *axis) inside(t tap) tap {
	switch {
	case t.at < 0:
		return tap{}
	case t.at >= a.n-1:
		return tap{at: a.n - 1}
	}
	return t
}

// shares returns the weights of the two samples.
func (t tap) shares() (first, second float32) { return 1 - t.fraction, t.fraction }

// weights returns the weights of the two samples, in units of 1/2048. They add up to 2048.
func (t tap) weights() (first, second int32) {
	return int32(math.RoundToEven(float64((1 - t.fraction) * 2048))), int32(math.RoundToEven(float64(t.fraction * 2048)))
}

// A blend is two samples of the source, and their weights.
type blend[W int32 | float32] struct {
	first, second int32
	a, b          W
}

// appendBlends appends the blends of all samples of an axis, with weights that a function makes of
// their taps. Only along rows, where a pixel has that number of values, is there no fraction outside of
// the outermost samples. Down columns the number is 0.
func appendBlends[W int32 | float32](list []blend[W], a *axis, area bool, values int, weights func(tap) (W, W)) []blend[W] {
	for d := range a.m {
		t := a.tap(d)
		if area {
			t = a.areaTap(d)
		}
		if values > 0 {
			t = a.inside(t)
		}
		first, second := min(max(t.at, 0), a.n-1), min(max(t.at+1, 0), a.n-1)
		n := max(values, 1)
		var b blend[W]
		b.a, b.b = weights(t)
		for c := range n {
			b.first, b.second = int32(first*n+c), int32(second*n+c)
			list = append(list, b)
		}
	}
	return list
}

// A share is the part of the source that a sample of the destination covers: samples from at on,
// which have consecutive weights, that add up to about 1. They begin at first in a list of the axis.
type share struct{ at, first, n int32 }

// appendShares appends the shares of all samples, and their weights.
func (a *axis) appendShares(shares []share, weights []float32) ([]share, []float32) {
	for d := range a.m {
		begin := float64(float64(d) * a.scale)
		end := begin + a.scale
		length := min(a.scale, float64(a.n)-begin)
		last := min(int(math.Floor(end)), a.n-1)
		first := min(int(math.Ceil(begin)), last)
		s := share{at: int32(first), first: int32(len(weights))}
		const least = 1e-3
		if before := float64(first) - begin; before > least {
			s.at--
			weights = append(weights, float32(before/length))
		}
		for range last - first {
			weights = append(weights, float32(1/length))
		}
		if after := end - float64(last); after > least {
			weights = append(weights, float32(min(after, 1, length)/length))
		}
		s.n = int32(len(weights)) - s.first
		shares = append(shares, s)
	}
	return shares, weights
}

// appendBoxes is appendShares for boxes of whole samples, each of which has the weight 1.
func (a *axis) appendBoxes(shares []share, weights []float32) ([]share, []float32) {
	for range a.whole {
		weights = append(weights, 1)
	}
	for d := range a.m {
		shares = append(shares, share{int32(d * a.whole), 0, int32(a.whole)})
	}
	return shares, weights
}
