package orb

import (
	"image"
	"math"
	"math/bits"
	"slices"
)

// A blur smooths the parts of a level that descriptors look at: by a Gaussian of 7
// by 7 pixels with a standard deviation of 2, in float32 with fused operations, as
// OpenCV does.
type blur struct {
	img    *image.Gray
	pix    []byte // what is smooth, like the pixels of img with another stride
	stride int
	width  int      // of a strip, a column of so many pixels that are smoothed at once
	strips int      // number of them
	wanted []uint64 // for each strip, a bit for each row
	words  int      // of a strip in wanted
	edges  bool     // pixels beyond the edges are needed
	values []byte   // that a descriptor compares

	kernels   *kernels // nil for those in Go
	smoothRun smoothRun
	sampleRun sampleRun
}

// blurWidth is the width of a strip at most, and in Go.
const blurWidth = 16

// blurHalf is how far the smoothing reaches.
const blurHalf = 3

// The Gaussian, from the middle on: exp(-d*d/8), divided by the sum of all seven.
const (
	gauss1 = 0.88249690258459540286
	gauss2 = 0.60653065971263342360
	gauss3 = 0.32465246735834973510
	gauss  = 1 + 2*(gauss1+gauss2+gauss3)
)

// kernel holds the weights of the seven pixels.
var kernel = [2*blurHalf + 1]float32{gauss3 / gauss, gauss2 / gauss, gauss1 / gauss, 1 / gauss, gauss1 / gauss, gauss2 / gauss, gauss3 / gauss}

// kernel64 is kernel in float64.
var kernel64 = func() (k [len(kernel)]float64) {
	for i, v := range kernel {
		k[i] = float64(v)
	}
	return k
}()

// reset prepares for another level, of which nothing is wanted yet.
func (b *blur) reset(img *image.Gray, k *kernels) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	b.img, b.kernels, b.width, b.edges = img, k, blurWidth, false
	if k != nil {
		b.width = k.strip
	}
	b.strips = (w + b.width - 1) / b.width
	b.stride = b.strips * b.width
	b.pix = slices.Grow(b.pix[:0], h*b.stride)[:h*b.stride]
	b.words = (h + 63) / 64
	b.wanted = slices.Grow(b.wanted[:0], b.strips*b.words)[:b.strips*b.words]
	clear(b.wanted)
	b.values = slices.Grow(b.values[:0], maxPlaces)
}

// maxPlaces is how many places a pattern has at most.
const maxPlaces = descriptorBits / 2 * 4

// want asks for the pixels around x, y: of a column i pixels to the left or right of
// x, up to heights[i] pixels above and below y.
func (b *blur) want(x, y int, heights []int) {
	h, reach := b.img.Rect.Dy(), len(heights)-1
	around := image.Rect(x-reach, y-reach, x+reach+1, y+reach+1)
	b.edges = b.edges || !around.In(b.img.Rect.Inset(blurHalf))
	around = around.Intersect(b.img.Rect)
	for strip := around.Min.X / b.width; strip*b.width < around.Max.X; strip++ {
		left := strip * b.width
		height := heights[max(left-x, x-(left+b.width-1), 0)]
		setBits(b.wanted[strip*b.words:][:b.words], max(y-height, 0), min(y+height, h-1))
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

// nextBit returns the first bit of a value from i on, or n, the number of bits.
func nextBit(words []uint64, i, n int, value uint64) int {
	for i < n {
		// With value 0 the bits are turned over.
		if word := (words[i/64] ^ (value - 1)) >> (i % 64); word != 0 {
			return min(i+bits.TrailingZeros64(word), n)
		}
		i = (i/64 + 1) * 64
	}
	return n
}

// run smooths what is wanted.
func (b *blur) run() {
	h := b.img.Rect.Dy()
	for strip := range b.strips {
		rows := b.wanted[strip*b.words:][:b.words]
		for begin := nextBit(rows, 0, h, 1); begin < h; {
			end := nextBit(rows, begin, h, 0)
			next := nextBit(rows, end, h, 1)
			for next < h && next-end < 2*blurHalf { // it costs as much to begin again
				end = nextBit(rows, next, h, 0)
				next = nextBit(rows, end, h, 1)
			}
			b.smooth(strip*b.width, begin, end)
			begin = next
		}
	}
}

// A smoothRun is a strip to smooth: the pixels 3 to the left and right of it, and the
// 3 rows above and below, are in memory of the image.
type smoothRun struct {
	src             *byte // the first pixel of all these
	stride          int
	dst             *byte
	dstStride, rows int
	kernel          *[7]float32
}

// smooth smooths the rows from begin to end of the strip that begins at x.
func (b *blur) smooth(x, begin, end int) {
	w, h, stride := b.img.Rect.Dx(), b.img.Rect.Dy(), b.img.Stride
	// Where the edges of the level do not matter, neither does what is taken for
	// pixels beyond them.
	first := (begin-blurHalf)*stride + x - blurHalf
	last := (end-1+blurHalf)*stride + x + b.width - 1 + blurHalf
	beyond := x < blurHalf || x+b.width > w-blurHalf
	if b.kernels == nil || begin < blurHalf || end > h-blurHalf || beyond && (b.edges || first < 0 || last > (h-1)*stride+w-1) {
		b.smoothPortable(x, begin, end)
		return
	}
	b.smoothRun = smoothRun{
		src: &b.img.Pix[first], stride: stride,
		dst: &b.pix[begin*b.stride+x], dstStride: b.stride,
		rows: end - begin, kernel: &kernel,
	}
	b.kernels.smooth(&b.smoothRun)
}

// release forgets the image.
func (b *blur) release() {
	b.img, b.smoothRun = nil, smoothRun{}
}

// smoothPortable is smooth in Go, and at the edges of the level.
func (b *blur) smoothPortable(x, begin, end int) {
	var lines [2*blurHalf + 1][blurWidth]float32 // of the rows around, the row y in y%7
	for y := begin - blurHalf; y < end+blurHalf; y++ {
		b.line(lines[(y+len(lines))%len(lines)][:b.width], x, y)
		if y-blurHalf < begin {
			continue
		}
		row := func(d int) *[blurWidth]float32 { return &lines[(y-blurHalf+d+len(lines))%len(lines)] }
		middle, above1, below1 := row(0), row(-1), row(1)
		above2, below2, above3, below3 := row(-2), row(2), row(-3), row(3)
		out := b.pix[(y-blurHalf)*b.stride+x:][:b.width]
		for i := range min(len(out), blurWidth) {
			v := float32(kernel[blurHalf] * middle[i])
			v = fma(above1[i]+below1[i], kernel[blurHalf+1], v)
			v = fma(above2[i]+below2[i], kernel[blurHalf+2], v)
			v = fma(above3[i]+below3[i], kernel[blurHalf+3], v)
			out[i] = uint8(min(math.RoundToEven(float64(v)), 255))
		}
	}
}

// line smooths a row of a strip sideways. Beyond the edges the level is mirrored.
func (b *blur) line(out []float32, x, y int) {
	w := b.img.Rect.Dx()
	row := b.img.Pix[mirror(y, b.img.Rect.Dy())*b.img.Stride:][:w]
	var pixels [blurWidth + 2*blurHalf]float64
	n := len(out) + 2*blurHalf
	if left := x - blurHalf; left >= 0 && left+n <= w {
		for i, p := range row[left:][:n] {
			pixels[i] = float64(p)
		}
	} else {
		for i := range n {
			pixels[i] = float64(row[mirror(left+i, w)])
		}
	}
	for i := range out {
		// The weights are multiples of 1>>27, and pixels whole numbers, so that all
		// these sums are exact in a float64. The conversions round once.
		p := (*[len(kernel)]float64)(pixels[i:])
		v := float32(kernel64[0] * p[0])
		v = float32(float64(v) + kernel64[1]*p[1])
		v = float32(float64(v) + kernel64[2]*p[2])
		v = float32(float64(v) + kernel64[3]*p[3])
		v = float32(float64(v) + kernel64[4]*p[4])
		v = float32(float64(v) + kernel64[5]*p[5])
		v = float32(float64(v) + kernel64[6]*p[6])
		out[i] = v
	}
}

// mirror returns the pixel of a side of n pixels, 4 at least, that stands for one
// beyond its ends: the edge itself is not repeated. What is far beyond does not
// matter and becomes the last one.
func mirror(i, n int) int {
	if i < 0 {
		i = -i
	}
	if i >= n {
		i = max(2*(n-1)-i, 0)
	}
	return i
}

// fma returns x*y+z, rounded once.
func fma(x, y, z float32) float32 {
	// The product has 48 bits, which a float64 holds. To round the sum again is
	// wrong only where it has been rounded to a tie.
	sum := float64(x)*float64(y) + float64(z)
	if math.Float64bits(sum)&(1<<29-1) == 1<<28 {
		return fmaTie(x, y, z)
	}
	return float32(sum)
}

// fmaTie is fma where the sum in float64 lies in the middle between two float32.
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
