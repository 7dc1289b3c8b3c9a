package fft

import (
	"fmt"
	"image"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// number is a pixel or a sum.
type number interface{ uint8 | int16 | int32 | int64 }

// correlate stores all sums of a template, by blocks, in rows of stride numbers.
func correlate(dst Sums, src Pixels, s *Spectrum) {
	var c Scratch
	step := s.Block()
	for y := 0; y <= src.H-s.h; y += step.Y {
		for x := 0; x <= src.W-s.w; x += step.X {
			part := dst
			if dst.Ints != nil {
				part.Ints = dst.Ints[y*dst.Stride+x:]
			} else {
				part.Longs = dst.Longs[y*dst.Stride+x:]
			}
			s.Correlate(part, src, x, y, &c)
		}
	}
}

// requireSums compares sums with their definition, and what lies between their rows with -1.
func requireSums[P, S number](t *testing.T, got []S, stride int, pixels []P, src Pixels, template []int16, w, h int, message ...any) {
	t.Helper()
	for i, d := range got {
		x, y := i%stride, i/stride
		want := int64(-1)
		if x <= src.W-w && y <= src.H-h {
			want = 0
			for v := range h {
				row := pixels[(y+v)*src.Stride+x:]
				for u, f := range template[v*w:][:w] {
					want += int64(f) * int64(row[u])
				}
			}
		}
		if want != int64(d) {
			require.Equal(t, want, int64(d), "%v: (%d, %d)", message, x, y)
		}
	}
}

// fill returns n numbers from least to most: random, or one of these two only.
func fill[E number](random *rand.Rand, n, least, most int, two bool) []E {
	list := make([]E, n)
	for i := range list {
		v := least + random.IntN(most-least+1)
		if two {
			v = least
			if random.IntN(2) > 0 {
				v = most
			}
		}
		list[i] = E(v)
	}
	return list
}

// negative returns n numbers that are -1.
func negative[E int32 | int64](n int) []E {
	list := make([]E, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

// TestCorrelate compares sums with their definition: all sizes of tiles that are not large, pictures
// of one tile and of several, with edges everywhere, pixels of 8 and 16 bits and sums of 32 and 64.
func TestCorrelate(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	most := 512
	if testing.Short() {
		most = 128
	}
	for set := range table.Available() {
		t.Run(set.Name, func(t *testing.T) {
			defer cpu.Limit(set.Needs)()
			for height := MinSide; height <= most; height *= 2 {
				for width := MinSide; width <= most; width *= 2 {
					for round := range 3 {
						w, h := 1+random.IntN(12), 1+random.IntN(12)
						switch round {
						case 1: // a place in each tile
							w, h = width, height-random.IntN(2)
						case 2: // fewer columns than a vector has
							w, h = width-3, 2
						}
						src := Pixels{W: w + random.IntN(3*(width-w+1)), H: h + random.IntN(2*(height-h+1))}
						src.W, src.H = min(src.W, w+400), min(src.H, h+100)
						if w*h > 500 {
							src.W, src.H = min(src.W, w+30), min(src.H, h+6)
						}
						src.Stride = src.W + random.IntN(4)
						stride := src.W - w + 1 + random.IntN(3)
						places := stride * (src.H - h + 1)
						template := fill[int16](random, w*h, -255, 255, round == 1)
						size := image.Pt(width, height)
						message := fmt.Sprintf("tiles of %v, %d x %d in %d x %d", size, w, h, src.W, src.H)
						s := NewSpectrum(size, template, w, w, h)

						src.Bytes = fill[uint8](random, src.Stride*(src.H-1)+src.W, 0, 255, round == 1)
						ints := negative[int32](places)
						correlate(Sums{Ints: ints, Stride: stride}, src, s)
						requireSums(t, ints, stride, src.Bytes, src, template, w, h, message)
						if round > 0 {
							continue
						}
						src.Bytes, src.Words = nil, fill[int16](random, len(src.Bytes), -16384, 16384, false)
						longs := negative[int64](places)
						correlate(Sums{Longs: longs, Stride: stride}, src, s)
						requireSums(t, longs, stride, src.Words, src, template, w, h, message)
					}
				}
			}
		})
	}
}

// TestLanes checks portable Go with cells as large as any kernels have them, which it defines.
func TestLanes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 5))
	k := table[len(table)-1].Kernels
	k.lanes = maxLanes
	const w, h = 21, 11
	src := Pixels{Bytes: fill[uint8](random, 200*150, 0, 255, false), Stride: 200, W: 200, H: 150}
	template := fill[int16](random, w*h, -255, 255, false)
	for _, size := range []image.Point{{64, 128}, {128, 64}, {256, 64}} {
		s := newSpectrum(newPlan(size, &k), template, w, w, h)
		ints := negative[int32](180 * 140)
		correlate(Sums{Ints: ints, Stride: 180}, src, s)
		requireSums(t, ints, 180, src.Bytes, src, template, w, h, size)
	}
}

// TestDistance checks how far results are from integers before they are rounded, with tiles of
// all sizes and with the numbers that make it large: extreme ones, random or of two values.
func TestDistance(t *testing.T) {
	most := MaxSide
	if testing.Short() {
		most = 512
	}
	random := rand.New(rand.NewPCG(1, 2))
	for set := range table.Available() {
		t.Run(set.Name, func(t *testing.T) {
			k := set.Kernels
			var farthest float64
			measure := lastNumbers(func(_ *pass, _, _ int, v float64) {
				farthest = max(farthest, math.Abs(v-math.RoundToEven(v)))
			})
			k.lastInts, k.lastLongs = measure, measure
			for n := MinSide; n <= most; n *= 2 {
				p := newPlan(image.Pt(n, n), &k)
				for round := range 4 {
					if n > 512 && round < 3 {
						continue // numbers of two values are the farthest from integers
					}
					side := min(n/2, 1024)
					template := fill[int16](random, side*side, -255, 255, round%2 > 0)
					src := Pixels{Stride: 2 * n, W: 2 * n, H: n}
					if round < 2 {
						src.Bytes = fill[uint8](random, 2*n*n, 0, 255, round%2 > 0)
					} else {
						src.Words = fill[int16](random, 2*n*n, -16384, 16384, round%2 > 0)
					}
					s := newSpectrum(p, template, side, side, side)
					farthest = 0
					s.Correlate(Sums{Longs: make([]int64, 4*n*n), Stride: 2 * n}, src, 0, 0, new(Scratch))
					require.Less(t, farthest, 0x1p-10)
					require.NotZero(t, farthest)
					t.Logf("tiles of %d, round %d: %.1e", n, round, farthest)
				}
			}
		})
	}
}

// TestRoots compares the factors with sums of 200 bits: the proof of the error takes them to be within
// 2^-52 in each part.
func TestRoots(t *testing.T) {
	const precision = 200
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }
	product := func(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Mul(x, y) }
	// The root of the largest transform, by Taylor's series of an angle that is small.
	pi, _, err := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798", 10, precision, big.ToNearestEven)
	require.NoError(t, err)
	angle := new(big.Float).SetPrec(precision).Quo(product(number(2), pi), number(MaxSide))
	step := [2]*big.Float{number(1), number(0)}
	term := number(1)
	for i := 1; i < 40; i++ {
		term = new(big.Float).SetPrec(precision).Quo(product(term, angle), number(float64(i)))
		if i%4 > 1 {
			step[i%2] = new(big.Float).SetPrec(precision).Sub(step[i%2], term)
		} else {
			step[i%2] = new(big.Float).SetPrec(precision).Add(step[i%2], term)
		}
	}
	cos, sin := number(1), number(0)
	for k := range MaxSide {
		re, im := root(k, MaxSide)
		for _, part := range [2]struct {
			want *big.Float
			got  float64
		}{{cos, re}, {sin, -im}} {
			d, _ := new(big.Float).Sub(part.want, number(part.got)).Float64()
			require.LessOrEqual(t, math.Abs(d), 0x1p-52, "%d", k)
		}
		cos, sin = new(big.Float).SetPrec(precision).Sub(product(cos, step[0]), product(sin, step[1])),
			new(big.Float).SetPrec(precision).Add(product(sin, step[0]), product(cos, step[1]))
	}
	for n := 4; n < MaxSide; n *= 2 {
		for k := range n {
			re, im := root(k, n)
			wantRe, wantIm := root(k*(MaxSide/n), MaxSide)
			require.Equal(t, wantRe, re)
			require.Equal(t, wantIm, im)
		}
	}
}

// TestNoAllocation checks that a Scratch that has served once serves again.
func TestNoAllocation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	s := NewSpectrum(image.Pt(64, 64), fill[int16](random, 100, -255, 255, false), 10, 10, 10)
	src := Pixels{Bytes: fill[uint8](random, 100*90, 0, 255, false), Stride: 100, W: 100, H: 90}
	dst := Sums{Ints: make([]int32, 91*81), Stride: 91}
	var c Scratch
	require.Zero(t, testing.AllocsPerRun(3, func() { s.Correlate(dst, src, 0, 0, &c) }))
}

// TestReleased checks that neither pixels nor a spectrum are kept.
func TestReleased(t *testing.T) {
	var c Scratch
	imagetest.RequireReleased(t, func(m imagetest.Memory) {
		const n = MinSide
		template, picture, sums := make([]int16, n*n), make([]uint8, 2*n*n), make([]int64, n+1)
		s := NewSpectrum(image.Pt(n, n), template, n, n, n)
		s.Correlate(Sums{Longs: sums, Stride: n + 1}, Pixels{Bytes: picture, Stride: 2 * n, W: 2 * n, H: n}, 0, 0, &c)
		imagetest.Watch(m, "template", &template[0])
		imagetest.Watch(m, "spectrum", &s.cells[0])
		imagetest.Watch(m, "picture", &picture[0])
		imagetest.Watch(m, "sums", &sums[0])
	})
	runtime.KeepAlive(&c)
}

// TestChoose checks that tiles are large enough for all templates, and that small tiles are for small
// pictures.
func TestChoose(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 300, 1024} {
		size, time := Choose(image.Pt(1000, 500), n, 1025-n)
		require.GreaterOrEqual(t, size.X, n)
		require.GreaterOrEqual(t, size.Y, 1025-n)
		require.Positive(t, time)
	}
	size, few := Choose(image.Pt(20, 20), 32, 32)
	require.Equal(t, image.Pt(64, 64), size)
	_, many := Choose(image.Pt(1889, 1049), 32, 32)
	require.Greater(t, many, 50*few)
}

// BenchmarkCorrelate makes all sums of pictures of 1920 x 1080.
func BenchmarkCorrelate(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 4))
	src := Pixels{Bytes: fill[uint8](random, 1920*1080, 0, 255, false), Stride: 1920, W: 1920, H: 1080}
	ints := make([]int32, 1920*1080)
	for set := range table.Available() {
		for _, side := range []image.Point{{32, 32}, {64, 64}, {128, 128}, {300, 200}} {
			b.Run(fmt.Sprintf("kernel=%s/%dx%d", set.Name, side.X, side.Y), func(b *testing.B) {
				defer cpu.Limit(set.Needs)()
				places := image.Pt(src.W-side.X+1, src.H-side.Y+1)
				template := fill[int16](random, side.X*side.Y, -127, 128, false)
				size, _ := Choose(places, side.X, side.Y)
				s := NewSpectrum(size, template, side.X, side.X, side.Y)
				for b.Loop() {
					correlate(Sums{Ints: ints, Stride: places.X}, src, s)
				}
			})
		}
	}
}
