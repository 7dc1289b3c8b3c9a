package warp_test

import (
	"image"
	"image/color"
	"math"
	"math/bits"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/warp"
)

// borders are the modes that the package supports.
var borders = []border.Mode{border.Constant, border.Replicate, border.Reflect, border.Reflect101, border.Wrap, border.Transparent}

// oracle makes the pixels of dst, one after the other, from the definition.
func oracle(opts warp.Options, dst, src *picture, t warp.Transform) {
	oracleOf(opts, dst, src, t, false)
}

// oracleOf is oracle with positions that saturate at 16 bits, as those of OpenCV do, or do not.
func oracleOf(opts warp.Options, dst, src *picture, t warp.Transform, saturated bool) {
	if isFar(dst.rect) || isFar(src.rect) {
		if moved, ok := moveBounds(t, dst.rect.Min, src.rect.Min); ok {
			to, from := *dst, *src
			to.rect, from.rect = to.rect.Sub(to.rect.Min), from.rect.Sub(from.rect.Min)
			dst, src, t = &to, &from, moved
		}
	}
	for y := dst.rect.Min.Y; y < dst.rect.Max.Y; y++ {
		for x := dst.rect.Min.X; x < dst.rect.Max.X; x++ {
			px, py := place(t, dst.rect, x, y, opts.Interpolation == warp.Nearest)
			for c := range dst.channels() {
				if v, ok := value(opts, src, c, px, py, saturated); ok {
					dst.set(x-dst.rect.Min.X, y-dst.rect.Min.Y, c, v)
				}
			}
		}
	}
}

// isFar reports whether a coordinate exceeds 1<<20 in magnitude.
func isFar(r image.Rectangle) bool {
	return !r.In(image.Rect(-1<<20, -1<<20, 1<<20, 1<<20))
}

// moveBounds returns a matrix for bounds that begin at 0, 0 instead of at to and from.
func moveBounds(t warp.Transform, to, from image.Point) (warp.Transform, bool) {
	x, y := float64(to.X), float64(to.Y)
	switch t := t.(type) {
	case warp.Affine:
		t[2] = (float64(t[0]*x) + float64(t[1]*y) + t[2]) - float64(from.X)
		t[5] = (float64(t[3]*x) + float64(t[4]*y) + t[5]) - float64(from.Y)
		return t, true
	case warp.Homography:
		t[2] = float64(t[0]*x) + float64(t[1]*y) + t[2]
		t[5] = float64(t[3]*x) + float64(t[4]*y) + t[5]
		t[8] = float64(t[6]*x) + float64(t[7]*y) + t[8]
		for k := range 3 {
			t[k] -= float64(t[6+k] * float64(from.X))
			t[3+k] -= float64(t[6+k] * float64(from.Y))
		}
		return t, true
	}
	return nil, false
}

// place returns where pixel x, y comes from, in pixels with nearest, otherwise in 1/32 pixel.
func place(t warp.Transform, r image.Rectangle, x, y int, nearest bool) (px, py int64) {
	units := 32.0
	if nearest {
		units = 1
	}
	fx, fy := float64(x), float64(y)
	i := (y-r.Min.Y)*r.Dx() + x - r.Min.X
	switch t := t.(type) {
	case warp.Affine:
		add, shift := int32(16), 5
		if nearest {
			add, shift = 512, 10
		}
		px = int64(int32(nearestInt(1024*(float64(t[1]*fy)+t[2])) + int64(add) + nearestInt(1024*float64(t[0]*fx))))
		py = int64(int32(nearestInt(1024*(float64(t[4]*fy)+t[5])) + int64(add) + nearestInt(1024*float64(t[3]*fx))))
		return px >> shift, py >> shift
	case warp.Homography:
		high := 16
		if r.Dy() < high {
			high = r.Dy()
		}
		wide := 1024 / high
		if r.Dx() < wide {
			wide = r.Dx()
		}
		first := (x - r.Min.X) / wide * wide
		begin := float64(first + r.Min.X)
		along := float64(x-r.Min.X) - float64(first)
		n := r.Dx() - first
		if n > wide {
			n = wide
		}
		numerator := func(k int) float64 {
			v := float64(t[k]*begin) + float64(t[k+1]*fy)
			v += t[k+2]
			return v + float64(t[k]*along)
		}
		w := numerator(6)
		if w != 0 {
			w = units / w
		}
		limited := func(v float64) int64 {
			if math.IsNaN(v) {
				if int(along) < n/16*16 {
					return math.MinInt32
				}
				return math.MaxInt32
			}
			return nearestInt(math.Max(math.MinInt32, math.Min(math.MaxInt32, v)))
		}
		return limited(numerator(0) * w), limited(numerator(3) * w)
	case *warp.Map:
		return nearestInt(float64(float32(units) * t.X[i])), nearestInt(float64(float32(units) * t.Y[i]))
	case *warp.FixedMap:
		px, py = int64(t.XY[2*i])*32+int64(t.Fraction[i]%32), int64(t.XY[2*i+1])*32+int64(t.Fraction[i]/32%32)
		if nearest {
			px, py = (px+16)>>5, (py+16)>>5
		}
		return px, py
	}
	panic("unknown transform")
}

// nearestInt rounds as a processor converts to 32 bits.
func nearestInt(v float64) int64 {
	r := math.RoundToEven(v)
	if math.IsNaN(r) || math.Abs(r) > 1<<31 || r == 1<<31 {
		return math.MinInt32
	}
	return int64(r)
}

// value returns a channel of what src has at a place, which may saturate. It reports false if the
// pixel is kept.
func value(opts warp.Options, src *picture, channel int, px, py int64, saturated bool) (int, bool) {
	w, h := src.rect.Dx(), src.rect.Dy()
	short := func(v int64) int {
		if saturated {
			v = max(-32768, min(v, 32767))
		}
		return int(v)
	}
	pixel := func(x, y int) int {
		if opts.Border == border.Constant && (x < 0 || x >= w || y < 0 || y >= h) {
			if src.size == 2 {
				return int(color.Gray16Model.Convert(color.Gray{Y: opts.Value[0]}).(color.Gray16).Y)
			}
			return int(opts.Value[channel])
		}
		return src.at(fold(opts.Border, x, w), fold(opts.Border, y, h), channel)
	}
	if opts.Interpolation == warp.Nearest {
		x, y := short(px-int64(src.rect.Min.X)), short(py-int64(src.rect.Min.Y))
		if opts.Border == border.Transparent && (x < 0 || x >= w || y < 0 || y >= h) {
			return 0, false
		}
		return pixel(x, y), true
	}
	x, y := short(px>>5-int64(src.rect.Min.X)), short(py>>5-int64(src.rect.Min.Y))
	if opts.Border == border.Transparent && (x < 0 || x+1 >= w || y < 0 || y+1 >= h) {
		return 0, false
	}
	// In 1/1024. With 8 bits all sums are exact.
	fx, fy := int(px&31), int(py&31)
	sum := 0
	for _, product := range [4]int{
		(32 - fx) * (32 - fy) * pixel(x, y), fx * (32 - fy) * pixel(x+1, y),
		(32 - fx) * fy * pixel(x, y+1), fx * fy * pixel(x+1, y+1),
	} {
		sum = significant(sum + significant(product))
	}
	if src.size == 2 {
		return halfToEven(sum, 10), true
	}
	return (sum + 512) / 1024, true
}

// significant returns v, which is not negative, rounded to the 24 bits that a float32 has.
func significant(v int) int {
	n := max(bits.Len(uint(v))-24, 0)
	return halfToEven(v, n) << n
}

// halfToEven returns v, which is not negative, over 1<<n, rounded half to even.
func halfToEven(v, n int) int {
	q, rest := v>>n, 2*(v%(1<<n))
	if rest > 1<<n || rest == 1<<n && q%2 == 1 {
		q++
	}
	return q
}

// fold returns which of n pixels in a row stands at i, walking from i toward the row.
func fold(mode border.Mode, i, n int) int {
	// Two reflections move by a period. From far away there would be too many of them.
	switch {
	case mode == border.Reflect:
		i %= 2 * n
	case mode == border.Reflect101 && n > 1:
		i %= 2*n - 2
	case mode == border.Wrap:
		i %= n
	}
	for i < 0 || i >= n {
		switch {
		case mode == border.Replicate && i < 0:
			i = 0
		case mode == border.Replicate:
			i = n - 1
		case mode == border.Reflect && i < 0:
			i = -1 - i
		case mode == border.Reflect:
			i = 2*n - 1 - i
		case mode == border.Wrap && i < 0:
			i += n
		case mode == border.Wrap:
			i -= n
		case n == 1:
			i = 0
		case i < 0:
			i = -i
		default:
			i = 2*n - 2 - i
		}
	}
	return i
}
