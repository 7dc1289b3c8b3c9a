package warp_test

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// A picture is an image whose pixels have one byte, four, which are channels, or two, which are a
// number of 16 bits.
type picture struct {
	pix    []byte
	stride int
	size   int // the bytes of a pixel
	rect   image.Rectangle
}

func newPicture(size int, r image.Rectangle) *picture {
	return &picture{make([]byte, size*r.Dx()*r.Dy()), size * r.Dx(), size, r}
}

// pixelSizes are the sizes of the pixels of pictures.
var pixelSizes = []int{1, 2, 4}

// channels returns the number of channels of p.
func (p *picture) channels() int {
	if p.size == 2 {
		return 1
	}
	return p.size
}

// at returns a channel of a pixel, whose column and row are counted from the first ones.
func (p *picture) at(column, row, channel int) int {
	i := row*p.stride + column*p.size + channel
	if p.size == 2 {
		return 256*int(p.pix[i]) + int(p.pix[i+1])
	}
	return int(p.pix[i])
}

// set sets what at returns.
func (p *picture) set(column, row, channel, v int) {
	i := row*p.stride + column*p.size + channel
	if p.size == 2 {
		p.pix[i], p.pix[i+1] = uint8(v/256), uint8(v%256)
		return
	}
	p.pix[i] = uint8(v)
}

// warper returns a new Warper.
func warper(t testing.TB, opts warp.Options) *warp.Warper {
	t.Helper()
	w, err := warp.New(opts)
	require.NoError(t, err)
	return w
}

// apply warps src to dst with a new Warper.
func apply(t testing.TB, opts warp.Options, dst, src *picture, transform warp.Transform) {
	t.Helper()
	w := warper(t, opts)
	switch dst.size {
	case 1:
		w.Gray(&image.Gray{Pix: dst.pix, Stride: dst.stride, Rect: dst.rect}, &image.Gray{Pix: src.pix, Stride: src.stride, Rect: src.rect}, transform)
	case 2:
		w.Gray16(&image.Gray16{Pix: dst.pix, Stride: dst.stride, Rect: dst.rect}, &image.Gray16{Pix: src.pix, Stride: src.stride, Rect: src.rect}, transform)
	default:
		w.RGBA(&image.RGBA{Pix: dst.pix, Stride: dst.stride, Rect: dst.rect}, &image.RGBA{Pix: src.pix, Stride: src.stride, Rect: src.rect}, transform)
	}
}

// transforms returns transforms for a destination of w by h pixels of a source with these
// bounds: shifts, rotations, mirrors, perspectives, random ones and extreme ones, and maps of
// places inside, around and far outside of the source.
func transforms(rng *rand.Rand, dst, src image.Rectangle, interpolation warp.Interpolation) []warp.Transform {
	extreme := []float64{0, 1e9, -1e9, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 1 << 21, -1 << 21, 0.5, 1e-300, math.Copysign(0, -1)}
	number := func(size float64) float64 { return size * (rng.Float64() - 0.5) }
	sx, sy := float64(src.Dx()), float64(src.Dy())
	// To the middle of the source, from that of the destination.
	affine := func(a, b, c, d float64) warp.Affine {
		mx, my := float64(dst.Min.X+dst.Max.X)/2, float64(dst.Min.Y+dst.Max.Y)/2
		return warp.Affine{
			a, b, float64(src.Min.X) + sx/2 - a*mx - b*my + number(4),
			c, d, float64(src.Min.Y) + sy/2 - c*mx - d*my + number(4),
		}
	}
	sin, cos := math.Sincos(number(0.2))
	wild := affine(number(3), number(3), number(3), number(3))
	turned := affine(cos, -sin, sin, cos)
	list := []warp.Transform{
		warp.Affine{1, 0, float64(src.Min.X - dst.Min.X), 0, 1, float64(src.Min.Y - dst.Min.Y)},
		affine(1, 0, 0, 1), affine(-1, 0, 0, 1), affine(0, 1, -1, 0), affine(0.1, 0, 0, 0.1), turned, wild,
		warp.Homography{turned[0], turned[1], turned[2], turned[3], turned[4], turned[5], number(1e-3), number(1e-3), 1 + number(0.1)},
		warp.Homography{wild[0], wild[1], wild[2], wild[3], wild[4], wild[5], number(0.1), number(0.1), number(3)},
		warp.Homography{1, 0, 0, 0, 1, 0, 1, 0, -float64(dst.Min.X + dst.Dx()/2)}, // a column with W = 0
	}
	for range 3 {
		a, h := wild, warp.Homography{}
		copy(h[:], turned[:])
		h[8] = 1
		a[rng.IntN(6)] = extreme[rng.IntN(len(extreme))]
		h[rng.IntN(9)] = extreme[rng.IntN(len(extreme))]
		list = append(list, a, h)
	}
	for _, jitter := range []float64{0, 3, sx + sy} {
		n := dst.Dx() * dst.Dy()
		m := &warp.Map{Width: dst.Dx(), Height: dst.Dy(), X: make([]float32, n), Y: make([]float32, n)}
		for i := range m.X {
			m.X[i] = float32(float64(src.Min.X) + float64(i%m.Width) + number(jitter) + 0.3)
			m.Y[i] = float32(float64(src.Min.Y) + float64(i/m.Width) + number(jitter) + 0.3)
			if jitter > 3 && rng.IntN(9) == 0 {
				m.X[i] = float32(extreme[rng.IntN(len(extreme))])
				m.Y[rng.IntN(i+1)] = float32(extreme[rng.IntN(len(extreme))])
			}
		}
		list = append(list, m)
		if interpolation == warp.Linear {
			f, err := m.Fixed()
			if err != nil {
				panic(err)
			}
			f.Fraction[rng.IntN(n)] |= 0xfc00 // bits that do not count
			list = append(list, f)
		}
	}
	return list
}

// randomPicture returns a picture of noise whose rows may be longer than they need be, with the
// pixels in mem, or in new memory if that is nil.
func randomPicture(rng *rand.Rand, size, w, h int, mem []byte) *picture {
	p := &picture{size: size, stride: size*w + rng.IntN(2)*rng.IntN(70)}
	p.rect = image.Rect(0, 0, w, h).Add(image.Pt(rng.IntN(2)*(rng.IntN(300)-150), rng.IntN(2)*(rng.IntN(300)-150)))
	n := (h-1)*p.stride + size*w
	if mem == nil {
		mem = make([]byte, n)
	}
	p.pix = asmtest.Ends(mem, n)[rng.IntN(2)]
	for i := range p.pix {
		p.pix[i] = uint8(rng.Uint32())
	}
	return p
}

// TestOracle compares warps of all kinds with the definition, with every instruction set. The
// pixels lie between pages that fault.
func TestOracle(t *testing.T) {
	const side = 70
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	room := side*(4*side+70) + 4*side
	from, to := guarded(t, room), guarded(t, room)
	rng := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		size := pixelSizes[rng.IntN(3)]
		src := randomPicture(rng, size, 1+rng.IntN(side), 1+rng.IntN(side), from)
		dst := randomPicture(rng, size, 1+rng.IntN(side), 1+rng.IntN(side), to)
		opts := warp.Options{
			Interpolation: warp.Linear + warp.Interpolation(rng.IntN(2)),
			Border:        borders[rng.IntN(len(borders))],
			Value:         [4]uint8{uint8(rng.Uint32()), uint8(rng.Uint32()), uint8(rng.Uint32()), uint8(rng.Uint32())},
		}
		for _, transform := range transforms(rng, dst.rect, src.rect, opts.Interpolation) {
			requireOracle(t, opts, dst, src, transform)
		}
	}
}

// TestEdges compares rows of pixels of which the first ones or the last ones are outside of the
// source, any number of them, with the definition: groups that have pixels on both sides of
// each border. The rows of the destination are rows or columns of the source.
func TestEdges(t *testing.T) {
	const w, h = 83, 79 // of the source
	const n = 67        // pixels in a row of the destination
	from, to := guarded(t, 4*w*h), guarded(t, 4*n*3)
	rng := rand.New(rand.NewPCG(4, 4))
	step := 1
	if testing.Short() {
		step = 3
	}
	for _, size := range pixelSizes {
		src := &picture{asmtest.Ends(from, size*w*h)[1], size * w, size, image.Rect(0, 0, w, h)}
		dst := &picture{asmtest.Ends(to, size*n*3)[1], size * n, size, image.Rect(0, 0, n, 3)}
		for i := range src.pix {
			src.pix[i] = uint8(rng.Uint32())
		}
		for _, mode := range borders {
			for _, interpolation := range []warp.Interpolation{warp.Linear, warp.Nearest} {
				opts := warp.Options{Interpolation: interpolation, Border: mode, Value: [4]uint8{200, 3, 77, 140}}
				for outside := rng.IntN(step); outside <= 35; outside += step {
					k := float64(outside) - rng.Float64()
					for _, transform := range []warp.Affine{
						{1, 0.1, -k, 0, 1, 30.3},
						{1, 0.1, w - n + k, 0, 1, 30.3},
						{0, 1, 40.3, 1, 0.1, -k},
						{0, 1, 40.3, 1, 0.1, h - n + k},
					} {
						for i := range dst.pix {
							dst.pix[i] = uint8(rng.Uint32())
						}
						requireOracle(t, opts, dst, src, transform)
					}
				}
			}
		}
	}
}

// TestWindows compares pixels that come from small parts of the source, of all sizes and
// wherever they are, with the definition: kernels load such parts as a whole.
func TestWindows(t *testing.T) {
	const side = 80
	rounds := 2000
	if testing.Short() {
		rounds = 400
	}
	from, to := guarded(t, 4*side*side), guarded(t, 4*67)
	rng := rand.New(rand.NewPCG(5, 5))
	for range rounds {
		size := pixelSizes[rng.IntN(3)]
		w, h := 2+rng.IntN(side-1), 2+rng.IntN(side-1)
		src := &picture{asmtest.Ends(from, size*w*h)[rng.IntN(2)], size * w, size, image.Rect(0, 0, w, h)}
		for i := range src.pix {
			src.pix[i] = uint8(rng.Uint32())
		}
		n := 32 + rng.IntN(36)
		dst := &picture{asmtest.Ends(to, size*n)[rng.IntN(2)], size * n, size, image.Rect(0, 0, n, 1)}
		for range 10 {
			m := &warp.Map{Width: n, Height: 1}
			// The last column and row have no neighbors, but are the last ones to be loaded.
			columns, rows := 1+rng.IntN(w-1), 1+rng.IntN(h-1)
			if rng.IntN(2) == 0 {
				columns = min(columns, []int{8, 16, 32, 64}[rng.IntN(4)]-2+rng.IntN(5))
			}
			if rng.IntN(2) == 0 {
				rows = min(rows, []int{4, 8, 16, 24}[rng.IntN(4)]-3+rng.IntN(6))
			}
			left, top := rng.IntN(w-columns), rng.IntN(h-rows)
			switch rng.IntN(3) {
			case 0:
				left, top = w-1-columns, h-1-rows
			case 1:
				left, top = 0, 0
			}
			slope, wave := rng.Float64(), rng.IntN(3)
			for i := range n {
				x, y := rng.Float64(), rng.Float64()
				if wave > 0 { // along a line, most of it or all
					x = float64(i%16) / 15.01
					y = x * slope
					if wave == 2 && rng.IntN(20) == 0 {
						y = rng.Float64()
					}
				}
				m.X = append(m.X, float32(float64(left)+x*float64(columns)))
				m.Y = append(m.Y, float32(float64(top)+y*float64(rows)))
			}
			requireOracle(t, warp.Options{}, dst, src, m)
		}
	}
}

// TestSteep compares steep rows of a large source, which are made in strips, with the
// definition.
func TestSteep(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	src := newPicture(1, image.Rect(0, 0, 2100, 2050))
	for i := range src.pix {
		src.pix[i] = uint8(rng.Uint32())
	}
	for _, h := range []int{15, 19} {
		dst := newPicture(1, image.Rect(0, 0, 1031, h))
		m := &warp.Map{Width: 1031, Height: h}
		for i := range 1031 * h {
			m.X, m.Y = append(m.X, float32(600+i%97)+0.3), append(m.Y, float32(i%1031)+0.6)
		}
		for _, transform := range []warp.Transform{
			warp.Affine{0.1, 1, 700, -1.2, 0.1, 1249},
			warp.Affine{0.9, 0.4, 3, 0.8, 1, 20},
			warp.Homography{0.6, 0.5, 30, 0.9, 1, 20, 1e-5, -3e-5, 1.1},
			warp.Homography{0.6, 0.5, 30, math.NaN(), 1, 20, 0, 0, 1}, // its blocks show
			m,
		} {
			for _, interpolation := range []warp.Interpolation{warp.Linear, warp.Nearest} {
				requireOracle(t, warp.Options{Interpolation: interpolation, Border: border.Replicate}, dst, src, transform)
			}
		}
	}
}

// TestSmallSources compares shifts, turns and changes of size with the definition for sources that
// windows barely fit into, and for bounds around those that kernels have windows for. The pixels
// lie between pages that fault.
func TestSmallSources(t *testing.T) {
	const w, h = 45, 7 // of the destination
	from := guarded(t, 2*35*21)
	rng := rand.New(rand.NewPCG(5, 5))
	for i, columns := range []int{15, 16, 17, 35, 7, 8, 9, 35} {
		size := 1 + i/4
		for _, rows := range [][]int{{8, 9, 10, 21}, {2, 3, 4, 21}}[i/4] {
			for _, origin := range []int{0, 1<<20 - 1, 1 << 20, -1 << 20, -1<<20 - 1} {
				r := image.Rect(origin, -origin, origin+columns, rows-origin)
				src := &picture{asmtest.Ends(from, size*columns*rows)[rng.IntN(2)], size * columns, size, r}
				for i := range src.pix {
					src.pix[i] = uint8(rng.Uint32())
				}
				dst := newPicture(size, image.Rect(0, 0, w, h))
				for k, degrees := range []float64{0, 2, 15, 45, 100, 180} {
					for l, scale := range []float64{0.3, 0.6, 1, 2.1, 2.2} {
						if testing.Short() && (i+k+l)%3 > 0 {
							continue
						}
						sin, cos := math.Sincos(degrees * math.Pi / 180)
						sin, cos = scale*sin, scale*cos
						// The middle of the destination shows that of the source.
						x, y := float64(origin)+float64(columns)/2, float64(rows)/2-float64(origin)
						requireOracle(t, warp.Options{Border: border.Replicate}, dst, src, warp.Affine{
							cos, -sin, x - cos*w/2 + sin*h/2, sin, cos, y - sin*w/2 - cos*h/2,
						})
					}
				}
			}
		}
	}
}

// TestStrides compares sources whose rows share pixels, down to a stride of 0, with the
// definition, and a destination of one row, which needs no stride. The pixels lie between pages
// that fault.
func TestStrides(t *testing.T) {
	from := guarded(t, 400)
	rng := rand.New(rand.NewPCG(8, 8))
	for _, bytes := range []int{1, 2} {
		dst := &picture{make([]byte, 67*bytes), 0, bytes, image.Rect(0, 0, 67, 1)}
		for stride := range 4 {
			for _, size := range []image.Point{{2, 2}, {2, 40}, {5, 9}, {40, 2}, {70, 70}} {
				n := (size.Y-1)*stride + size.X*bytes
				for _, pix := range asmtest.Ends(from, n) {
					for i := range pix {
						pix[i] = uint8(rng.Uint32())
					}
					src := &picture{pix, stride, bytes, image.Rectangle{Max: size}}
					for _, interpolation := range []warp.Interpolation{warp.Linear, warp.Nearest} {
						opts := warp.Options{Interpolation: interpolation, Border: border.Replicate}
						sx, sy := float64(size.X-1)/66, float64(size.Y-1)/66
						requireOracle(t, opts, dst, src, warp.Affine{sx, 0, 0, sy, 0, 0})
						requireOracle(t, opts, dst, src, warp.Homography{sx, 0, 0, sy, 0, 0.3, 0, 0, 1})
					}
				}
			}
		}
	}
}

// requireOracle checks that all instruction sets make of dst what the oracle makes.
func requireOracle(t testing.TB, opts warp.Options, dst, src *picture, transform warp.Transform) {
	t.Helper()
	want, before := *dst, bytes.Clone(dst.pix)
	want.pix = bytes.Clone(before)
	oracle(opts, &want, src, transform)
	for _, set := range cpu.InstructionSets("warp") {
		restore := cpu.Limit(set.Set)
		copy(dst.pix, before)
		apply(t, opts, dst, src, transform)
		restore()
		requirePixels(t, &want, dst, "%s, %+v, %v stride %d from %v stride %d, %#v", set.Name, opts, dst.rect, dst.stride, src.rect, src.stride, transform)
	}
}

// guarded returns n bytes between pages that fault, or on systems without them any bytes.
func guarded(t *testing.T, n int) []byte {
	t.Helper()
	if runtime.GOOS != "linux" {
		return make([]byte, n)
	}
	return asmtest.GuardedPages(t, n)
}

// requirePixels fails the test unless all bytes are equal, also those between the rows.
func requirePixels(t testing.TB, want, got *picture, message string, args ...any) {
	t.Helper()
	for i := range want.pix {
		if want.pix[i] != got.pix[i] {
			t.Fatalf("byte %d of row %d is %d, want %d: %s", i%want.stride, i/want.stride, got.pix[i], want.pix[i], fmt.Sprintf(message, args...))
		}
	}
}
