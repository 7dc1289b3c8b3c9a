package lococo_test

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/lococo"
	"github.com/stretchr/testify/require"
)

// An oracle finds responses and corners by their definition, pixel by pixel. Its options
// have no zero values but those that mean themselves.
type oracle struct {
	opts   lococo.Options
	img    *image.Gray
	kernel int
}

// box returns the sum of the pixels in a rectangle with both corners, relative to at.
func (o *oracle) box(at image.Point, x0, y0, x1, y1 int) int64 {
	var sum int64
	for y := at.Y + y0; y <= at.Y+y1; y++ {
		for x := at.X + x0; x <= at.X+x1; x++ {
			sum += int64(o.img.GrayAt(x, y).Y)
		}
	}
	return sum
}

// region returns where responses are defined, for a kernel and the window.
func (o *oracle) region() image.Rectangle {
	r := o.img.Rect
	margin := o.kernel/2 + o.window()/2
	r.Min, r.Max = r.Min.Add(image.Pt(margin, margin)), r.Max.Sub(image.Pt(margin, margin))
	return r
}

func (o *oracle) window() int {
	if o.opts.BlockSize == 0 {
		return o.kernel
	}
	return o.opts.BlockSize
}

// A field holds a value for each pixel of a rectangle.
type field[T any] struct {
	rect   image.Rectangle
	values []T
}

func newField[T any](rect image.Rectangle) *field[T] {
	return &field[T]{rect, make([]T, max(0, rect.Dx())*max(0, rect.Dy()))}
}

// at returns a place for the value of a pixel of the rectangle.
func (f *field[T]) at(x, y int) *T {
	return &f.values[(y-f.rect.Min.Y)*f.rect.Dx()+x-f.rect.Min.X]
}

// get returns the value of a pixel, or none outside of the rectangle.
func (f *field[T]) get(p image.Point) (v T, ok bool) {
	if !p.In(f.rect) {
		return v, false
	}
	return *f.at(p.X, p.Y), true
}

// all calls yield with the pixels and their values.
func (f *field[T]) all(yield func(image.Point, T) bool) {
	for i, v := range f.values {
		if !yield(f.rect.Min.Add(image.Pt(i%f.rect.Dx(), i/f.rect.Dx())), v) {
			return
		}
	}
}

// responses returns those of the pixels where they are defined.
func (o *oracle) responses() *field[float32] {
	r, q := o.kernel/2, o.window()/2
	region := o.region()
	type gradient struct{ x, y int64 }
	if region.Empty() {
		return newField[float32](image.Rectangle{})
	}
	gradients := newField[gradient](region.Inset(-q))
	result := newField[float32](region)
	for y := region.Min.Y - q; y < region.Max.Y+q; y++ {
		for x := region.Min.X - q; x < region.Max.X+q; x++ {
			at := image.Pt(x, y)
			*gradients.at(x, y) = gradient{
				x: o.box(at, 1, 1-r, r, r-1) - o.box(at, -r, 1-r, -1, r-1),
				y: o.box(at, 1-r, 1, r-1, r) - o.box(at, 1-r, -r, r-1, -1),
			}
		}
	}
	for y := region.Min.Y; y < region.Max.Y; y++ {
		for x := region.Min.X; x < region.Max.X; x++ {
			var xx, yy, xy int64
			for dy := -q; dy <= q; dy++ {
				for dx := -q; dx <= q; dx++ {
					g := gradients.at(x+dx, y+dy)
					xx += g.x * g.x
					yy += g.y * g.y
					xy += g.x * g.y
				}
			}
			*result.at(x, y) = o.measure(rounded(xx), rounded(yy), rounded(xy))
		}
	}
	return result
}

// rounded rounds an integer of less than 53 bits to float32.
func rounded(v int64) float32 {
	return float32(float64(v))
}

// measure makes a response of the sums.
func (o *oracle) measure(a, b, c float32) float32 {
	r := float64(o.kernel / 2)
	largest := r * (2*r - 1) * 255
	scale := 1 / (largest * largest * float64(o.window()*o.window()))
	ab, cc := float32(a*b), float32(c*c)
	det, trace := float32(ab-cc), float32(a+b)
	switch o.opts.Measure {
	case harris.Harris:
		square := float32(trace * trace)
		weighted := float32(float32(o.opts.K) * square)
		return float32(float32(det-weighted) * float32(scale*scale))
	case harris.MinEigenvalue:
		d, e := float32(a-b), float32(c+c)
		dd, ee := float32(d*d), float32(e*e)
		root := float32(math.Sqrt(float64(float32(dd + ee))))
		return float32(float32(trace-root) * float32(scale/2))
	case harris.Noble:
		return float32(float32(det*float32(2*scale)) / float32(trace+float32(1e-6/scale)))
	}
	return float32(float32(det*float32(scale)) / float32(trace+float32(1/scale)))
}

// corners returns those that the responses have, in the order of the package.
func (o *oracle) corners(responses *field[float32], mask *image.Gray) []lococo.Corner {
	counts := func(p image.Point) bool { return mask == nil || mask.GrayAt(p.X, p.Y).Y != 0 }
	limit := float32(o.opts.MinResponse)
	if o.opts.MinResponse == 0 {
		largest := float32(0)
		for p, v := range responses.all {
			if counts(p) && v > largest {
				largest = v
			}
		}
		limit = float32(float64(largest) * o.opts.Quality)
	}
	var corners []lococo.Corner
	for p, v := range responses.all {
		if v > limit && counts(p) && o.stays(responses, p) {
			c := lococo.Corner{X: int32(p.X), Y: int32(p.Y), Response: v, KernelSize: int32(o.kernel)}
			if o.opts.Subpixel {
				c.DX, c.DY = fraction(responses, p, image.Pt(1, 0)), fraction(responses, p, image.Pt(0, 1))
			}
			corners = append(corners, c)
		}
	}
	return corners
}

// stays reports whether a response is the largest one around it, and the first of those.
func (o *oracle) stays(responses *field[float32], p image.Point) bool {
	n := o.opts.SuppressionRadius
	center := *responses.at(p.X, p.Y)
	for dy := -n; dy <= n; dy++ {
		for dx := -n; dx <= n; dx++ {
			v, ok := responses.get(p.Add(image.Pt(dx, dy)))
			earlier := dy < 0 || dy == 0 && dx < 0
			if ok && (v > center || v == center && earlier) {
				return false
			}
		}
	}
	return true
}

// fraction returns where the parabola through the responses of a pixel and its neighbors
// has its top.
func fraction(responses *field[float32], p, step image.Point) float32 {
	before, ok := responses.get(p.Sub(step))
	after, ok2 := responses.get(p.Add(step))
	if !ok || !ok2 {
		return 0
	}
	v := *responses.at(p.X, p.Y)
	bend := float32(float32(v-before) + float32(v-after))
	return max(-0.5, min(float32(float32(after-before)/float32(2*bend)), 0.5))
}

// compare orders corners as the package does.
func compare(a, b lococo.Corner) int {
	less := func(a, b lococo.Corner) bool {
		switch {
		case a.Response != b.Response:
			return a.Response > b.Response
		case a.KernelSize != b.KernelSize:
			return a.KernelSize < b.KernelSize
		case a.Y != b.Y:
			return a.Y < b.Y
		}
		return a.X < b.X
	}
	switch {
	case less(a, b):
		return -1
	case less(b, a):
		return 1
	}
	return 0
}

// contents is how many kinds of images newImage makes.
const contents = 4

// newImage returns an image, with bounds and a stride of any kind: of noise, of black and
// white, of a pattern whose responses repeat, or of rectangles.
func newImage(rng *rand.Rand, content, w, h int) *image.Gray {
	at := image.Pt(rng.IntN(20)-10, rng.IntN(20)-10)
	img := image.NewGray(image.Rect(at.X-rng.IntN(3), at.Y-rng.IntN(3), at.X+w+rng.IntN(3), at.Y+h))
	img = img.SubImage(image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}).(*image.Gray)
	periodX, periodY := 1+rng.IntN(9), 1+rng.IntN(9)
	for i := range img.Pix {
		x, y := i%img.Stride, i/img.Stride
		switch content {
		case 0:
			img.Pix[i] = uint8(rng.Uint32())
		case 1:
			img.Pix[i] = uint8(rng.IntN(2) * 255)
		case 2:
			img.Pix[i] = uint8((x/periodX + y/periodY) % 2 * 200)
		}
	}
	if content == 3 && w > 0 && h > 0 {
		for range 5 {
			r := image.Rect(rng.IntN(w), rng.IntN(h), rng.IntN(w), rng.IntN(h)).Add(at)
			gray := uint8(rng.Uint32())
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					img.Pix[img.PixOffset(x, y)] = gray
				}
			}
		}
	}
	return img
}

// requireEqual compares responses and corners of an image with the oracle's, for options
// without zero values. It returns how many corners there are.
func requireEqual(t *testing.T, opts lococo.Options, img, mask *image.Gray) int {
	t.Helper()
	o := &oracle{opts: opts, img: img}
	responses := []float32{7}
	corners := []lococo.Corner{{X: 7}}
	for _, o.kernel = range slices.Sorted(slices.Values(opts.KernelSizes)) {
		defined := o.responses()
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
				v, _ := defined.get(image.Pt(x, y))
				responses = append(responses, v)
			}
		}
		corners = append(corners, o.corners(defined, mask)...)
	}
	slices.SortFunc(corners[1:], compare)
	if opts.MaxCorners > 0 {
		corners = corners[:min(1+opts.MaxCorners, len(corners))]
	}
	d := detector(t, opts)
	imagetest.RequireSame(t, responses, d.AppendResponse([]float32{7}, img), "%+v of %v", opts, img.Rect)
	imagetest.RequireSame(t, corners, d.Append([]lococo.Corner{{X: 7}}, img, mask), "%+v of %v", opts, img.Rect)
	return len(corners) - 1
}

// newOptions returns options of any kind, without zero values, for kernels and windows up
// to a size.
func newOptions(rng *rand.Rand, largest int) lococo.Options {
	side := func() int { return 3 + 2*rng.IntN((largest-1)/2) }
	opts := lococo.Options{
		KernelSizes:       []int{side()},
		BlockSize:         side(),
		Measure:           harris.Measure(1 + rng.IntN(4)),
		K:                 0.2 * (1 - rng.Float64()),
		SuppressionRadius: 1 + rng.IntN(6),
		MaxCorners:        max(rng.IntN(40)-20, 0),
		Subpixel:          rng.IntN(2) == 0,
	}
	if rng.IntN(2) == 0 {
		opts.Quality = 0.1 * (1 - rng.Float64())
	} else {
		opts.MinResponse = math.Pow(10, -8*rng.Float64())
	}
	if rng.IntN(3) == 0 {
		opts.KernelSizes = []int{5, 3, 7}[:1+rng.IntN(3)]
		if rng.IntN(2) == 0 {
			opts.BlockSize = 0
		}
	}
	return opts
}

// newMask returns a mask, or none.
func newMask(rng *rand.Rand, bounds image.Rectangle) *image.Gray {
	if rng.IntN(3) > 0 {
		return nil
	}
	mask := image.NewGray(bounds)
	for i := range mask.Pix {
		mask.Pix[i] = uint8(rng.IntN(2) * (1 + rng.IntN(255)))
	}
	return mask
}

// TestOracle compares responses and corners with the oracle's.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	for i := range 2000 {
		opts := newOptions(rng, 9)
		img := newImage(rng, i%contents, rng.IntN(50), rng.IntN(30))
		found += requireEqual(t, opts, img, newMask(rng, img.Rect))
	}
	require.Greater(t, found, 4000)
}

// TestLarge does so for the largest kernels, windows, radii and widths.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	found := 0
	for _, test := range []struct{ kernel, window, radius, w, h int }{
		{63, 3, 32, 80, 80},
		{3, 63, 32, 100, 80},
		{61, 5, 32, 66, 66},
		{61, 5, 32, 65, 66},
		{31, 31, 15, 70, 64},
		{3, 3, 31, 1029, 7},
		{3, 3, 1, 2053, 6},
	} {
		opts := lococo.Options{KernelSizes: []int{test.kernel}, BlockSize: test.window, SuppressionRadius: test.radius, Measure: harris.Harris, K: 0.04, Quality: 0.01}
		found += requireEqual(t, opts, newImage(rng, 0, test.w, test.h), nil)
	}
	require.Greater(t, found, 100)
}

// FuzzDetect compares responses and corners of any image and options with the oracle's.
func FuzzDetect(f *testing.F) {
	f.Add([]byte("\x00\x80\xff\x07\x70\x00\x33\x10\x99\x50\x00\xff\xf0\x00\x00\x00\x80\xff\x07\x70\x00\x33\x10\x99\x50"), uint8(5), uint64(1))
	f.Add([]byte("forty-nine bytes are enough for a corner by this r"), uint8(7), uint64(2))
	f.Fuzz(func(t *testing.T, pix []byte, width uint8, seed uint64) {
		w := max(int(width), 1)
		img := &image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, min(len(pix)/w, 40))}
		rng := rand.New(rand.NewPCG(seed, 0))
		requireEqual(t, newOptions(rng, 5), img, newMask(rng, img.Rect))
	})
}
