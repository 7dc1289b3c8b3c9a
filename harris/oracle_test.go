package harris_test

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// An oracle finds responses and corners by their definition, pixel by pixel.
type oracle struct {
	opts harris.Options
	w, h int
	luma []float32
}

func newOracle(opts harris.Options, img *image.Gray) *oracle {
	o := &oracle{opts: opts, w: img.Rect.Dx(), h: img.Rect.Dy()}
	for y := range o.h {
		for x := range o.w {
			o.luma = append(o.luma, float32(img.GrayAt(img.Rect.Min.X+x, img.Rect.Min.Y+y).Y))
		}
	}
	return o
}

// at returns the index of the pixel that stands at x, y, or -1 if there is 0.
func (o *oracle) at(x, y int) int {
	fold := func(i, n int) int {
		period := 2 * (n - 1)
		i = (i%period + period) % period
		return min(i, period-i)
	}
	if o.opts.Border == border.Constant && !image.Pt(x, y).In(image.Rect(0, 0, o.w, o.h)) {
		return -1
	}
	return fold(y, o.h)*o.w + fold(x, o.w)
}

// sample returns the element of a plane at a pixel that may be beyond its edges.
func sample[T int64 | float32](o *oracle, plane []T, x, y int) T {
	if i := o.at(x, y); i >= 0 {
		return plane[i]
	}
	return 0
}

// filters are those of the integer gradients, from end to end.
var filters = map[harris.Gradient]struct {
	derivative, smoothing []int64
	scale                 float64
}{
	harris.Sobel3: {[]int64{-1, 0, 1}, []int64{1, 2, 1}, 4},
	harris.Sobel5: {[]int64{-1, -2, 0, 2, 1}, []int64{1, 4, 6, 4, 1}, 16},
	harris.Sobel7: {[]int64{-1, -4, -5, 0, 5, 4, 1}, []int64{1, 6, 15, 20, 15, 6, 1}, 64},
	harris.Scharr: {[]int64{-1, 0, 1}, []int64{3, 10, 3}, 8},
}

// integerGradients returns the integer gradients.
func (o *oracle) integerGradients() (gx, gy []int64) {
	var pixels []int64
	for _, v := range o.luma {
		pixels = append(pixels, int64(v))
	}
	f := filters[o.opts.Gradient]
	half := len(f.derivative) / 2
	for y := range o.h {
		for x := range o.w {
			var sx, sy int64
			for j, s := range f.smoothing {
				for i, d := range f.derivative {
					sx += s * d * sample(o, pixels, x+i-half, y+j-half)
					sy += s * d * sample(o, pixels, x+j-half, y+i-half)
				}
			}
			gx, gy = append(gx, sx), append(gy, sy)
		}
	}
	return gx, gy
}

// gaussian returns the weights of a Gaussian at distances from 0 to radius, and those of
// its derivative.
func gaussian(sigma float64, radius int) (smoothing, derivative []float32) {
	for i := range radius + 1 {
		e := math.Exp(-float64(i*i) / (2 * sigma * sigma))
		smoothing = append(smoothing, float32(e))
		derivative = append(derivative, float32(float64(i)*e))
	}
	return smoothing, derivative
}

// convolve returns a plane convolved along its rows or columns, in the order that the
// package documents. With a sign of -1 pairs are differences.
func (o *oracle) convolve(plane, weights []float32, sign float32, dx, dy int, even bool) []float32 {
	var result []float32
	for y := range o.h {
		for x := range o.w {
			var sum float32
			for i, weight := range weights {
				before, after := sample(o, plane, x-i*dx, y-i*dy), sample(o, plane, x+i*dx, y+i*dy)
				switch {
				case i == 0 && sign > 0:
					sum = float32(weight * before)
				case i == 0:
					sum = 0
				case i == len(weights)-1 && even:
					sum += float32(weight * before)
				default:
					pair := after + float32(sign*before)
					sum += float32(weight * pair)
				}
			}
			result = append(result, sum)
		}
	}
	return result
}

// sums returns the sums of the products of gradients over windows, and the scale of
// gradients and windows.
func (o *oracle) sums() (a, b, c []float32, scale float64) {
	scale = 1
	box := o.opts.WindowSigma == 0
	if box {
		scale = 1 / float64(o.opts.BlockSize)
	}
	var gx, gy []float32
	if o.opts.Gradient == harris.Gaussian {
		s, d := gaussian(o.opts.GradientSigma, o.opts.GradientRadius)
		gx = o.convolve(o.convolve(o.luma, s, 1, 0, 1, false), d, -1, 1, 0, false)
		gy = o.convolve(o.convolve(o.luma, d, -1, 0, 1, false), s, 1, 1, 0, false)
	} else {
		scale = 1 / (filters[o.opts.Gradient].scale * 255)
		ix, iy := o.integerGradients()
		if box {
			scale = 1 / (filters[o.opts.Gradient].scale * 255 * float64(o.opts.BlockSize))
			return o.boxes(ix, ix), o.boxes(iy, iy), o.boxes(ix, iy), scale
		}
		for i := range ix {
			gx, gy = append(gx, float32(ix[i])), append(gy, float32(iy[i]))
		}
	}
	weights := slices.Repeat([]float32{1}, o.opts.BlockSize/2+1)
	even := o.opts.BlockSize%2 == 0
	if !box {
		weights, _ = gaussian(o.opts.WindowSigma, o.opts.WindowRadius)
		even = false
	}
	window := func(u, v []float32) []float32 {
		var products []float32
		for i := range u {
			products = append(products, u[i]*v[i])
		}
		return o.convolve(o.convolve(products, weights, 1, 0, 1, even), weights, 1, 1, 0, even)
	}
	return window(gx, gx), window(gy, gy), window(gx, gy), scale
}

// boxes returns the exact sums of the products of gradients over boxes.
func (o *oracle) boxes(u, v []int64) []float32 {
	var products []int64
	for i := range u {
		products = append(products, u[i]*v[i])
	}
	var result []float32
	n := o.opts.BlockSize
	for y := range o.h {
		for x := range o.w {
			var sum int64
			for j := y - n/2; j < y-n/2+n; j++ {
				for i := x - n/2; i < x-n/2+n; i++ {
					sum += sample(o, products, i, j)
				}
			}
			result = append(result, float32(sum))
		}
	}
	return result
}

// responses returns the responses of all pixels.
func (o *oracle) responses() []float32 {
	if o.w < 2 || o.h < 2 {
		return make([]float32, o.w*o.h)
	}
	as, bs, cs, scale := o.sums()
	s2 := scale * scale
	var result []float32
	for i := range as {
		a, b, c := as[i], bs[i], cs[i]
		trace := a + b
		ab, cc := float32(a*b), float32(c*c)
		det := ab - cc
		var r float32
		switch o.opts.Measure {
		case harris.Harris:
			t2 := float32(trace * trace)
			kt2 := float32(float32(o.opts.K) * t2)
			r = (det - kt2) * float32(s2*s2)
		case 0, harris.MinEigenvalue:
			d, e := a-b, c+c
			dd, ee := float32(d*d), float32(e*e)
			root := float32(math.Sqrt(float64(dd + ee)))
			r = (trace - root) * float32(s2/2)
		case harris.Noble:
			r = float32(det*float32(2*s2)) / (trace + float32(1e-6/s2))
		case harris.DetOverTrace:
			r = float32(det*float32(s2)) / (trace + float32(1/s2))
		}
		result = append(result, r)
	}
	return result
}

// corners returns the corners among pixels with these responses. It has no defaults: an option
// that is 0 is 0 or off.
func (o *oracle) corners(responses []float32, mask *image.Gray) []harris.Corner {
	whole := image.Rect(0, 0, o.w, o.h)
	masked := func(x, y int) bool { return mask != nil && mask.Pix[y*mask.Stride+x] == 0 }
	left := func(x, y int) bool { // out
		d := min(x, y, o.w-1-x, o.h-1-y)
		return d < o.opts.Margin
	}
	largest, smallest := float32(0), float32(math.Inf(1))
	for i, r := range responses {
		if x, y := i%o.w, i/o.w; !masked(x, y) && !left(x, y) {
			largest, smallest = max(largest, r), min(smallest, r)
		}
	}
	threshold := float32(float64(largest) * o.opts.Quality)
	if o.opts.QualityOfRange() {
		threshold = max(0, float32(float64(smallest)+float64(o.opts.Quality*(float64(largest)-float64(smallest)))))
	}
	if o.opts.MinResponse > 0 {
		threshold = float32(o.opts.MinResponse)
	}

	var found []harris.Corner
	half := o.opts.SuppressionRadius
	for i, r := range responses {
		x, y := i%o.w, i/o.w
		outermost := min(x, y, o.w-1-x, o.h-1-y) == 0
		if !(r > threshold) || masked(x, y) || left(x, y) || o.opts.Margin == 0 && outermost {
			continue
		}
		peak := true
		square := image.Rect(x-half, y-half, x+half+1, y+half+1).Intersect(whole)
		for v := square.Min.Y; v < square.Max.Y; v++ {
			for u := square.Min.X; u < square.Max.X; u++ {
				if !left(u, v) && responses[v*o.w+u] > r {
					peak = false
				}
			}
		}
		if peak {
			found = append(found, harris.Corner{X: int32(x), Y: int32(y), Response: r})
		}
	}
	slices.SortStableFunc(found, func(a, b harris.Corner) int {
		switch {
		case a.Response != b.Response && a.Response > b.Response:
			return -1
		case a.Response != b.Response:
			return 1
		}
		later := int(b.Y-a.Y)*o.w + int(b.X-a.X)
		if o.opts.TopFirst() {
			return -later
		}
		return later
	})
	var kept []harris.Corner
	for _, c := range found {
		near := slices.ContainsFunc(kept, func(k harris.Corner) bool {
			dx, dy := float64(c.X-k.X), float64(c.Y-k.Y)
			return o.opts.MinDistance >= 1 && dx*dx+dy*dy < o.opts.MinDistance*o.opts.MinDistance
		})
		if !near && (o.opts.MaxCorners == 0 || len(kept) < o.opts.MaxCorners) {
			kept = append(kept, c)
		}
	}
	return kept
}

// contents are the kinds of images that are compared with the oracle.
var contents = []func(rng *rand.Rand, x, y int) uint8{
	func(rng *rand.Rand, x, y int) uint8 { return uint8(rng.Uint32()) },
	func(rng *rand.Rand, x, y int) uint8 { return uint8(rng.IntN(2) * 255) },
	func(rng *rand.Rand, x, y int) uint8 { return uint8(x/5%2^y/4%2) * 200 },   // a checkerboard
	func(rng *rand.Rand, x, y int) uint8 { return []uint8{0, 90, 255}[x*y%3] }, // many equal responses
	func(rng *rand.Rand, x, y int) uint8 { return 77 },
	func(rng *rand.Rand, x, y int) uint8 { return uint8(x*x/9 + y*3) },
	func(rng *rand.Rand, x, y int) uint8 { return uint8(rng.IntN(30)/29) * 255 }, // few points
	func(rng *rand.Rand, x, y int) uint8 { return uint8(x/2%2) * 255 },           // the largest sums
}

// newImage returns an image with the given content, as part of a larger one, whose bounds begin
// anywhere.
func newImage(rng *rand.Rand, content, w, h int) *image.Gray {
	at := image.Pt(rng.IntN(20)-10, rng.IntN(20)-10)
	whole := image.NewGray(image.Rectangle{Min: at, Max: at.Add(image.Pt(w+rng.IntN(9), h+3))})
	for i := range whole.Pix {
		whole.Pix[i] = uint8(rng.Uint32())
	}
	x := rng.IntN(whole.Rect.Dx() - w + 1)
	img := whole.SubImage(image.Rect(0, 0, w, h).Add(at).Add(image.Pt(x, 1))).(*image.Gray)
	for y := range h {
		for x := range w {
			img.Pix[y*img.Stride+x] = contents[content](rng, x, y)
		}
	}
	return img
}

// newMask returns a mask that allows somewhat less than half of the pixels.
func newMask(rng *rand.Rand, bounds image.Rectangle) *image.Gray {
	mask := image.NewGray(bounds)
	for i := range mask.Pix {
		mask.Pix[i] = uint8(rng.IntN(2) * rng.IntN(256))
	}
	return mask
}

// windows returns options with all windows.
func windows() []harris.Options {
	var list []harris.Options
	for n := 1; n <= 31; n++ {
		list = append(list, harris.Options{BlockSize: n})
	}
	for r := 1; r <= 15; r++ {
		list = append(list, harris.Options{WindowSigma: float64(r) / 2.5, WindowRadius: r})
	}
	return list
}

// TestResponse checks that the responses with all gradients, windows, borders and measures
// equal the oracle's.
func TestResponse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	i := 0
	for gradient := harris.Sobel3; gradient <= harris.Gaussian; gradient++ {
		for _, mode := range []border.Mode{border.Reflect101, border.Constant} {
			for _, opts := range windows() {
				opts.Gradient, opts.Border = gradient, mode
				opts.Measure = harris.Measure(1 + i%4)
				opts.K = []float64{0.04, 0.06}[i/4%2]
				if gradient == harris.Gaussian {
					opts.GradientRadius = 1 + i%15
					opts.GradientSigma = float64(opts.GradientRadius) / 2.7
				}
				if !testing.Short() || i%3 == 0 {
					requireResponses(t, opts, newImage(rng, i%len(contents), 2+rng.IntN(22), 2+rng.IntN(18)))
				}
				i++
			}
		}
	}
}

// requireResponses fails the test unless the responses of img are the oracle's.
func requireResponses(t *testing.T, opts harris.Options, img *image.Gray) {
	t.Helper()
	got := detector(t, opts).AppendResponse([]float32{-1}, img)
	require.Equal(t, float32(-1), got[0])
	got = got[1:]
	want := newOracle(opts, img).responses()
	require.Len(t, got, len(want))
	for i := range want {
		if got[i] != want[i] { // NaN is not equal
			require.Equal(t, want[i], got[i], "%v, %d of %+v", img.Rect, i, opts)
		}
	}
}

// TestResponseSizes checks responses of images of all small sizes and of images that have
// several strips.
func TestResponseSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	sizes := []image.Point{{}, {X: 1, Y: 1}, {X: 1, Y: 9}, {X: 9, Y: 1}, {X: 640, Y: 5}, {X: 641, Y: 4}, {X: 1283, Y: 7}, {X: 2000, Y: 2}}
	sizes = append(sizes, image.Pt(19*640+1, 2)) // the last strip has one column
	for w := 2; w < 40; w++ {
		for h := 2; h < 9; h++ {
			sizes = append(sizes, image.Pt(w, h))
		}
	}
	for w := 60; w < 140; w += 3 {
		sizes = append(sizes, image.Pt(w, 2+w%7))
	}
	for i, size := range sizes {
		for measure := harris.MinEigenvalue; measure <= harris.DetOverTrace; measure++ {
			if testing.Short() && int(measure)%4 != (i+i/4)%4 {
				continue
			}
			opts := harris.Options{Measure: measure, K: 0.04, BlockSize: 3}
			requireResponses(t, opts, newImage(rng, (i+int(measure))%len(contents), size.X, size.Y))
		}
	}
	// Strips of other pipelines.
	for _, opts := range []harris.Options{
		{BlockSize: 31, Gradient: harris.Sobel7},
		{BlockSize: 4, Border: border.Constant, Gradient: harris.Scharr},
		{BlockSize: 30, Gradient: harris.Gaussian, GradientSigma: 4, GradientRadius: 15},
		{WindowSigma: 2, WindowRadius: 5, Border: border.Constant, Gradient: harris.Gaussian, GradientSigma: 1, GradientRadius: 3},
	} {
		requireResponses(t, opts, newImage(rng, 0, 1283, 3))
	}
	// More than 31 bits.
	requireResponses(t, harris.Options{BlockSize: 12, Gradient: harris.Scharr}, newImage(rng, 7, 40, 20))
}

// selection returns opts with random options for the selection of corners, given responses.
func selection(rng *rand.Rand, opts harris.Options, responses []float32) harris.Options {
	opts.SuppressionRadius = 1
	opts.Quality = []float64{0.01, 0.3, 1e-9, 1}[rng.IntN(4)]
	opts.MinDistance = []float64{0, 0.9, 1, 1.5, 4.3, 20, 1e300}[rng.IntN(7)]
	opts.MaxCorners = []int{0, 0, 1, 7}[rng.IntN(4)]
	if rng.IntN(2) == 0 {
		opts = opts.WithTopFirst()
	}
	if rng.IntN(2) == 0 {
		opts.SuppressionRadius = []int{2, 3, 4, 12, 49, math.MaxInt / 2}[rng.IntN(6)]
	}
	if rng.IntN(3) == 0 {
		opts.Margin = []int{-1, 1, 2, 6, 50, math.MaxInt}[rng.IntN(6)]
	}
	switch rng.IntN(3) {
	case 0:
		opts = opts.WithQualityOfRange()
	case 1:
		opts.Quality = 0
		response := responses[rng.IntN(len(responses))] * []float32{1, 0.01}[rng.IntN(2)]
		opts.MinResponse = max(float64(response), 1e-30)
	}
	return opts
}

// requireCorners fails the test unless the corners of img are the oracle's, with a random
// selection of them. It returns their number.
func requireCorners(t *testing.T, rng *rand.Rand, opts harris.Options, img *image.Gray) int {
	t.Helper()
	o := newOracle(opts, img)
	responses := o.responses()
	o.opts = selection(rng, opts, responses)
	var mask *image.Gray
	if rng.IntN(3) == 0 {
		mask = newMask(rng, img.Rect)
	}
	want := o.corners(responses, mask)
	for i := range want {
		want[i].X += int32(img.Rect.Min.X)
		want[i].Y += int32(img.Rect.Min.Y)
	}
	got := detector(t, o.opts).Append([]harris.Corner{{X: 1}}, img, mask)
	require.Equal(t, harris.Corner{X: 1}, got[0])
	imagetest.RequireSame(t, want, append([]harris.Corner(nil), got[1:]...), "%+v of %v", o.opts, img.Rect)
	return len(want)
}

// TestCorners compares corners with the oracle's, for all ways to select them.
func TestCorners(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	found, rounds := 0, 2000
	if testing.Short() {
		rounds = 500
	}
	for i := range rounds {
		opts := harris.Options{
			Measure:   harris.Measure(1 + rng.IntN(4)),
			K:         0.04,
			BlockSize: 1 + rng.IntN(4),
			Border:    []border.Mode{border.Default, border.Constant}[rng.IntN(2)],
		}
		img := newImage(rng, i%len(contents), 2+rng.IntN(70), 2+rng.IntN(30))
		switch {
		case i == 0:
			img = newImage(rng, 0, 20*638+3, 3) // the last strip has one column for corners
		case i%50 == 0:
			img = newImage(rng, i/50%len(contents), 638+rng.IntN(700), 2+rng.IntN(9))
		}
		found += requireCorners(t, rng, opts, img)
	}
	require.Greater(t, found, 4*rounds)
}

// TestMaskedPeaks checks that corners outside the mask, however strong, do not raise what those
// in it have to exceed, wherever they are.
func TestMaskedPeaks(t *testing.T) {
	square := func(img *image.Gray, x, y int, v uint8) {
		for i := range 25 {
			img.Pix[(y+i/5)*img.Stride+x+i%5] = v
		}
	}
	step := 1
	if testing.Short() {
		step = 3
	}
	for y := 2; y <= 41; y += step {
		img := image.NewGray(image.Rect(0, 0, 60, 46+y%2)) // also in the last rows
		square(img, 10, 20, 40)
		square(img, 40, y, 255)
		mask := image.NewGray(img.Rect)
		for i := range mask.Pix {
			mask.Pix[i] = uint8(min(1, max(30-i%mask.Stride, 0)))
		}
		for _, opts := range []harris.Options{
			{BlockSize: 3, SuppressionRadius: 1, Quality: 0.5},
			{BlockSize: 5, SuppressionRadius: 1, Quality: 0.5, Gradient: harris.Scharr},
			{BlockSize: 3, SuppressionRadius: 2, Quality: 0.5},
		} {
			o := newOracle(opts, img)
			want := o.corners(o.responses(), mask)
			require.NotEmpty(t, want)
			for _, set := range cpu.InstructionSets("harris", "tensor", "nms") {
				restore := cpu.Limit(set.Set)
				imagetest.RequireSame(t, want, detector(t, opts).Detect(img, mask), "%s, row %d, %+v", set.Name, y, opts)
				restore()
			}
		}
	}
}

// TestMargin compares corners of a wide image with the oracle's, whose margin leaves fewer
// columns of the first strip than of the second.
func TestMargin(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, content := range []int{0, 6} {
		if testing.Short() && content == 0 {
			continue
		}
		img := newImage(rng, content, 1400, 40)
		for _, opts := range []harris.Options{
			{BlockSize: 3, SuppressionRadius: 1, Quality: 0.1, Margin: 6},
			harris.Options{BlockSize: 3, SuppressionRadius: 12, Quality: 0.1, Margin: 6}.WithQualityOfRange(),
		} {
			o := newOracle(opts, img)
			want := o.corners(o.responses(), nil)
			for i := range want {
				want[i].X += int32(img.Rect.Min.X)
				want[i].Y += int32(img.Rect.Min.Y)
			}
			for _, set := range cpu.InstructionSets("harris", "tensor", "nms") {
				restore := cpu.Limit(set.Set)
				got := detector(t, opts).Detect(img, nil)
				restore()
				imagetest.RequireSame(t, want, got, "%s, content %d, %+v", set.Name, content, opts)
			}
		}
	}
}

// FuzzDetect compares responses and corners of any image and options with the oracle's.
func FuzzDetect(f *testing.F) {
	f.Add([]byte("\x00\x80\xff\x07\x70\x00"), uint8(1), uint64(1))
	f.Add([]byte("eight corners, or none"), uint8(5), uint64(2))
	f.Fuzz(func(t *testing.T, pix []byte, width uint8, seed uint64) {
		w := max(int(width), 1)
		h := min(len(pix)/w, 40)
		img := &image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, h)}
		rng := rand.New(rand.NewPCG(seed, 0))
		all := windows()
		opts := all[rng.IntN(len(all))]
		if rng.IntN(2) == 0 {
			opts = harris.Options{BlockSize: 3}
		}
		opts.Gradient = harris.Gradient(rng.IntN(5))
		opts.GradientRadius, opts.GradientSigma = 1+rng.IntN(15), 0.5+5*rng.Float64()
		opts.Measure, opts.K = harris.Measure(1+rng.IntN(4)), 0.04
		opts.Border = []border.Mode{border.Default, border.Constant}[rng.IntN(2)]
		requireResponses(t, opts, img)
		if min(w, h) > 1 {
			requireCorners(t, rng, opts, img)
		}
	})
}
