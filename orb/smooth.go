package orb

import (
	"image"
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/raster"
)

// A smoother smooths the parts of a level that descriptors look at, by a Gaussian of 7 by
// 7 pixels with a standard deviation of 2, in float32 with fused operations, as OpenCV
// does.
type smoother struct {
	img    *raster.Plane
	pix    []byte // the smoothed pixels, in the order of those of img, from row top on
	top    int
	stride int // of pix
	strips int
	wanted []uint64 // a bit for each row of each strip
	words  int      // of a strip in wanted
	edges  bool     // whether pixels beyond the edges are needed
	padded []byte   // the surroundings of a strip at an edge

	kernels *kernels
	run     smoothRun
}

// smoothReach is the distance of the outermost pixels that a smoothed pixel depends on.
const smoothReach = 3

// The Gaussian from the middle on, exp(-d*d/8), and the sum of all seven values.
const (
	gauss1 = 0.88249690258459540286
	gauss2 = 0.60653065971263342360
	gauss3 = 0.32465246735834973510
	gauss  = 1 + 2*(gauss1+gauss2+gauss3)
)

// smoothWeights are the weights of seven pixels in a row or column.
var smoothWeights = [2*smoothReach + 1]float32{gauss3 / gauss, gauss2 / gauss, gauss1 / gauss, 1 / gauss, gauss1 / gauss, gauss2 / gauss, gauss3 / gauss}

// smoothWeights64 are smoothWeights in float64.
var smoothWeights64 = func() (weights [len(smoothWeights)]float64) {
	for i, v := range smoothWeights {
		weights[i] = float64(v)
	}
	return weights
}()

// reset prepares s for the rows from top up to bottom of another level, of which nothing is wanted
// yet.
func (s *smoother) reset(img *raster.Plane, k *kernels, top, bottom int) {
	s.img, s.kernels, s.edges = img, k, false
	s.strips = (img.W + k.strip - 1) / k.strip
	s.stride = s.strips * k.strip
	s.top = top
	s.pix = raster.Resize(s.pix, (bottom-top)*s.stride)
	s.words = (img.H + 63) / 64
	s.wanted = raster.Resize(s.wanted, s.strips*s.words)
	clear(s.wanted)
}

// want asks for the pixels around x, y: in columns at a distance of i from x, those up to
// heights[i] above and below y.
func (s *smoother) want(x, y int, heights []int) {
	all, reach, strip := image.Rect(0, 0, s.img.W, s.img.H), len(heights)-1, s.kernels.strip
	around := image.Rect(x-reach, y-reach, x+reach+1, y+reach+1)
	s.edges = s.edges || !around.In(all.Inset(smoothReach))
	around = around.Intersect(all)
	for i := around.Min.X / strip; i*strip < around.Max.X; i++ {
		left := i * strip
		height := heights[max(left-x, x-(left+strip-1), 0)]
		setBits(s.wanted[i*s.words:][:s.words], max(y-height, 0), min(y+height, s.img.H-1))
	}
}

// setBits sets the bits from first to last.
func setBits(words []uint64, first, last int) {
	mask := ^uint64(0) << (first % 64)
	for i := first / 64; i < last/64; i++ {
		words[i] |= mask
		mask = ^uint64(0)
	}
	words[last/64] |= mask & (^uint64(0) >> (63 - last%64))
}

// nextBit returns the first of n bits, from i on, that has a value, or n if none has.
func nextBit(words []uint64, i, n int, value uint64) int {
	for i < n {
		// If value is 0, all bits are flipped.
		if word := (words[i/64] ^ (value - 1)) >> (i % 64); word != 0 {
			return min(i+bits.TrailingZeros64(word), n)
		}
		i = (i/64 + 1) * 64
	}
	return n
}

// smooth smooths what is wanted.
func (s *smoother) smooth() {
	for strip := range s.strips {
		rows := s.wanted[strip*s.words:][:s.words]
		for begin := nextBit(rows, 0, s.img.H, 1); begin < s.img.H; {
			end := nextBit(rows, begin, s.img.H, 0)
			next := nextBit(rows, end, s.img.H, 1)
			for next < s.img.H && next-end < 2*smoothReach { // beginning again costs as much
				end = nextBit(rows, next, s.img.H, 0)
				next = nextBit(rows, end, s.img.H, 1)
			}
			s.smoothStrip(strip*s.kernels.strip, begin, end)
			begin = next
		}
	}
}

// A smoothRun is rows of a strip to smooth. src also holds the 3 pixels to the left and
// right of each row, and the 3 rows above and below.
type smoothRun struct {
	src, dst                []byte
	stride, dstStride, rows int
	weights                 *[2*smoothReach + 1]float32
}

// smoothStrip smooths the rows from begin to end of the strip that begins at x.
func (s *smoother) smoothStrip(x, begin, end int) {
	w, h, stride := s.img.W, s.img.H, s.img.Stride
	first := (begin-smoothReach)*stride + x - smoothReach
	last := (end-1+smoothReach)*stride + x + s.kernels.strip - 1 + smoothReach
	s.run = smoothRun{
		dst: s.pix[(begin-s.top)*s.stride+x:], stride: stride, dstStride: s.stride,
		rows: end - begin, weights: &smoothWeights,
	}
	// If no wanted pixel depends on what lies beyond the edges, any bytes of the image may
	// stand for it.
	beyond := x < smoothReach || x+s.kernels.strip > w-smoothReach
	if begin < smoothReach || end > h-smoothReach || beyond && (s.edges || first < 0 || last > (h-1)*stride+w-1) {
		s.run.src, s.run.stride = s.pad(x, begin, end)
	} else {
		s.run.src = s.img.Pix[first:]
	}
	s.kernels.smooth(&s.run)
}

// pad returns the src and the stride of a smoothRun, for which it mirrors the level beyond
// its edges.
func (s *smoother) pad(x, begin, end int) (src []byte, stride int) {
	stride = s.kernels.strip + 2*smoothReach
	s.padded = raster.Resize(s.padded, (end-begin+2*smoothReach)*stride)
	for y := begin - smoothReach; y < end+smoothReach; y++ {
		row := s.img.Row(raster.Mirror(y, s.img.H))
		out := s.padded[(y-begin+smoothReach)*stride:][:stride]
		for i := range out {
			out[i] = row[raster.Mirror(x-smoothReach+i, s.img.W)]
		}
	}
	return s.padded, stride
}

// release forgets the image.
func (s *smoother) release() {
	s.img, s.run = nil, smoothRun{}
}

// portableStrip is the width of a strip in Go.
const portableStrip = 16

// fixedWeights are smoothWeights from the middle on, times 1<<24. All seven add up to that.
var fixedWeights = func() (weights [smoothReach + 1]uint32) {
	weights[0] = 1 << 24
	for i := 1; i <= smoothReach; i++ {
		weights[i] = uint32(math.Round(smoothWeights64[smoothReach+i] * (1 << 24)))
		weights[0] -= 2 * weights[i]
	}
	return weights
}()

// smoothPortable works with integers, whose sums are not rounded. Sums that lie so close
// to the middle between two pixels that rounding might matter are computed once more.
//
// The rounded weights change a sum by at most 2 * 255 * 6 * 2^-24 = 0.0002, and rounding as
// smoothPixel does by at most 13 * 2^-17 = 0.0001: its intermediate values are less than
// 256, or else less than 512 and weighted with less than 1/4.
func smoothPortable(r *smoothRun) {
	const one, tolerance = 1 << 48, 1 << 37 // 0.0005
	w0, w1, w2, w3 := fixedWeights[0], fixedWeights[1], fixedWeights[2], fixedWeights[3]
	var lines [2*smoothReach + 1][portableStrip]uint32 // of the rows around, row y in y%7
	for y := range r.rows + 2*smoothReach {
		p := (*[portableStrip + 2*smoothReach]byte)(r.src[y*r.stride:])
		line := &lines[y%len(lines)]
		for i := range line {
			line[i] = w0*uint32(p[i+3]) + w1*(uint32(p[i+2])+uint32(p[i+4])) +
				w2*(uint32(p[i+1])+uint32(p[i+5])) + w3*(uint32(p[i])+uint32(p[i+6]))
		}
		if y < 2*smoothReach {
			continue
		}
		row := func(d int) *[portableStrip]uint32 { return &lines[(y-smoothReach+d)%len(lines)] }
		middle, above1, below1 := row(0), row(-1), row(1)
		above2, below2, above3, below3 := row(-2), row(2), row(-3), row(3)
		out := (*[portableStrip]byte)(r.dst[(y-2*smoothReach)*r.dstStride:])
		for i := range out {
			sum := uint64(w0)*uint64(middle[i]) + uint64(w1)*(uint64(above1[i])+uint64(below1[i])) +
				uint64(w2)*(uint64(above2[i])+uint64(below2[i])) + uint64(w3)*(uint64(above3[i])+uint64(below3[i]))
			out[i] = uint8((sum + one/2) / one)
			if (sum+one/2+tolerance)%one < 2*tolerance {
				out[i] = smoothPixel(r.src[(y-2*smoothReach)*r.stride+i:], r.stride)
			}
		}
	}
}

// smoothPixel returns a smoothed pixel. src begins 3 rows above it and 3 pixels to its left.
func smoothPixel(src []byte, stride int) uint8 {
	var lines [2*smoothReach + 1]float32
	for i := range lines {
		// The weights are multiples of 1>>27, and pixels are integers, so all these
		// sums are exact in a float64. The conversions round once.
		for j, p := range src[i*stride:][:len(lines)] {
			lines[i] = float32(float64(lines[i]) + smoothWeights64[j]*float64(p))
		}
	}
	v := float32(smoothWeights[smoothReach] * lines[smoothReach])
	for i := 1; i <= smoothReach; i++ {
		v = fma(lines[smoothReach-i]+lines[smoothReach+i], smoothWeights[smoothReach+i], v)
	}
	return uint8(min(math.RoundToEven(float64(v)), 255))
}

// fma returns x*y+z, rounded once.
func fma(x, y, z float32) float32 {
	// The product has 48 bits, which fit into a float64. Rounding the sum again is wrong
	// only if it was rounded to a tie.
	sum := float64(x)*float64(y) + float64(z)
	if math.Float64bits(sum)&(1<<29-1) == 1<<28 {
		return fmaTie(x, y, z)
	}
	return float32(sum)
}

// fmaTie is fma for sums that in float64 lie in the middle between two float32.
func fmaTie(x, y, z float32) float32 {
	product := float64(x) * float64(y)
	sum := product + float64(z)
	part := sum - product
	err := (product - (sum - part)) + (float64(z) - part)
	switch {
	case err > 0:
		sum = math.Nextafter(sum, math.Inf(1))
	case err < 0:
		sum = math.Nextafter(sum, math.Inf(-1))
	}
	return float32(sum)
}
