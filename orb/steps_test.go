package orb

import (
	"image"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/degrees"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/stretchr/testify/require"
)

// TestTable checks that a limit chooses the kernels.
func TestTable(t *testing.T) {
	for row := range table.Available() {
		restore := cpu.Limit(row.Needs)
		require.Same(t, &row.Kernels, table.Best())
		restore()
	}
}

// TestFMA compares fma with arithmetic that does not round, on random values and
// near ties.
func TestFMA(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ties := 0
	rounds := 300_000
	if testing.Short() {
		rounds = 30_000
	}
	for range rounds {
		x := float32(math.Ldexp(float64(rng.Uint32()>>8), -rng.IntN(30)))
		y := float32(math.Ldexp(float64(rng.Uint32()>>8), -rng.IntN(30)))
		z := float32(math.Ldexp(float64(rng.Uint32()>>8), -rng.IntN(90)+20))
		if rng.IntN(2) == 0 {
			// Products of few bits, and a small third: the sum is close to a tie.
			x = float32(1<<12 + rng.IntN(1<<12))
			y = float32(1<<12 + rng.IntN(1<<12)*2 + 1)
			z = float32(math.Ldexp(1, -rng.IntN(60))) * float32(1-2*rng.IntN(2))
		}
		exact := new(big.Float).SetPrec(400).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
		exact.Add(exact, new(big.Float).SetPrec(400).SetFloat64(float64(z)))
		want, _ := exact.Float32()
		require.Equal(t, want, fma(x, y, z), "%v*%v+%v", x, y, z)
		if math.Float64bits(float64(x)*float64(y)+float64(z))&(1<<29-1) == 1<<28 {
			ties++
		}
	}
	require.Greater(t, ties, rounds/300)
}

// TestSmooth compares what is smoothed where it is wanted with the definition, for
// which the level is mirrored beyond its edges. The memory behind the level faults.
func TestSmooth(t *testing.T) {
	for row := range table.Available() {
		testSmooth(t, row.Name, &row.Kernels)
	}
}

func testSmooth(t *testing.T, name string, k *kernels) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range []image.Point{{X: 70, Y: 63}, {X: 64, Y: 9}, {X: 17, Y: 40}, {X: 5, Y: 4}, {X: 83, Y: 40}} {
		img := &image.Gray{Pix: asmtest.GuardedMemory(t, size.X*size.Y), Stride: size.X, Rect: image.Rectangle{Max: size}}
		for i := range img.Pix {
			img.Pix[i] = uint8(rng.IntN(2) * rng.IntN(256))
		}
		pixel := func(x, y int) float32 {
			fold := func(i, n int) int {
				for i < 0 || i >= n {
					if i < 0 {
						i = -i
					} else {
						i = 2*(n-1) - i
					}
				}
				return i
			}
			return float32(img.GrayAt(fold(x, size.X), fold(y, size.Y)).Y)
		}
		round := func(x, y, z float32) float32 { // x*y+z, with one rounding
			exact := new(big.Float).SetPrec(400).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
			v, _ := exact.Add(exact, big.NewFloat(float64(z))).Float32()
			return v
		}
		row := func(x, y int) float32 {
			v := float32(smoothWeights[0] * pixel(x-3, y))
			for i := 1; i < 7; i++ {
				v = round(pixel(x-3+i, y), smoothWeights[i], v)
			}
			return v
		}
		var s smoother
		for i := range 12 {
			plane := newPlane(img)
			x, y, reach := rng.IntN(size.X), rng.IntN(size.Y), rng.IntN(12)
			if i >= 6 && size.X == 83 {
				x, y = size.X-smoothReach-1-reach, size.Y-smoothReach-1-reach // just far enough from the end
			}
			s.reset(&plane, k, max(y-reach-i, 0), min(y+reach+1+i, size.Y))
			s.want(x, y, slices.Repeat([]int{reach}, reach+1))
			s.smooth()
			wanted := image.Rect(x-reach, y-reach, x+reach+1, y+reach+1).Intersect(img.Rect)
			for y := wanted.Min.Y; y < wanted.Max.Y; y++ {
				for x := wanted.Min.X; x < wanted.Max.X; x++ {
					v := float32(smoothWeights[3] * row(x, y))
					for d := 1; d <= 3; d++ {
						v = round(row(x, y+d)+row(x, y-d), smoothWeights[3+d], v)
					}
					require.Equal(t, uint8(min(math.RoundToEven(float64(v)), 255)), s.pix[(y-s.top)*s.stride+x], "%s, %v: %d,%d", name, size, x, y)
				}
			}
		}
	}
}

// TestSmoothMiddle compares many smoothed pixels with those computed one by one. Some of
// their sums lie so close to the middle between two pixels that rounding them otherwise
// would give another pixel.
func TestSmoothMiddle(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	const rows = 64
	for i := range 300 {
		for row := range table.Available() {
			strip := row.Kernels.strip
			stride := strip + 2*smoothReach
			src, dst := make([]byte, (rows+2*smoothReach)*stride), make([]byte, rows*strip)
			contrast := 2 + rng.IntN(255)
			for j := range src {
				src[j] = uint8(rng.IntN(contrast))
				if i%2 == 0 {
					src[j] = uint8(rng.IntN(2) * 255)
				}
			}
			r := &smoothRun{src: src, dst: dst, stride: stride, dstStride: strip, rows: rows, weights: &smoothWeights}
			row.Kernels.smooth(r)
			for j, got := range dst {
				if want := smoothPixel(src[j/strip*stride+j%strip:], stride); got != want {
					require.Equal(t, want, got, "%s, %d", row.Name, j)
				}
			}
		}
	}
}

// TestSmoothWeights checks the weights of the Gaussian.
func TestSmoothWeights(t *testing.T) {
	sum := 0.0
	for i := -3; i <= 3; i++ {
		sum += math.Exp(-float64(i*i) / 8)
	}
	for i, weight := range smoothWeights {
		d := float64(i - 3)
		require.Equal(t, float32(math.Exp(-d*d/8)/sum), weight)
	}
}

// TestMoments compares the direction to the centroid of a disc with the definition, on an
// image whose moments are as large as can be.
func TestMoments(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 1100, 1100))
	for i := range img.Pix {
		if i%img.Stride+i/img.Stride > 1100 {
			img.Pix[i] = 255 - uint8(i%7)
		}
	}
	l := level{img: newPlane(img)}
	for _, patch := range []int{2, 10, 31, 32, 1000} {
		d := newDisc(patch, 550)
		half := patch / 2
		rows := discRows(half)
		for _, at := range []image.Point{{X: 550, Y: 551}, {X: 560, Y: 540}, {X: 530, Y: 535}} {
			var m10, m01 int64
			for v := -half; v <= half; v++ {
				for u := -half; u <= half; u++ {
					if max(u, -u) <= rows[max(v, -v)] {
						p := int64(img.GrayAt(at.X+u, at.Y+v).Y)
						m10, m01 = m10+int64(u)*p, m01+int64(v)*p
					}
				}
			}
			for row := range table.Available() {
				l.kernels = &row.Kernels
				require.Equal(t, degrees.Direction(m10, m01), l.angle(&d, new(lane), at.X, at.Y), "%s, patch of %d at %v", row.Name, patch, at)
			}
		}
	}
}

// TestGuess checks that a level has the same keypoints whatever is guessed about the
// scores of its corners.
func TestGuess(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	img := image.NewGray(image.Rect(0, 0, 400, 300))
	for i := range img.Pix {
		x, y := i%img.Stride, i/img.Stride
		img.Pix[i] = uint8(x/8%2^y/8%2)*uint8(x/2) + uint8(rng.IntN(20))
	}
	for _, score := range []ScoreType{HarrisScore, FASTScore} {
		e, err := New(Options{ScoreType: score, Features: 300})
		require.NoError(t, err)
		j := e.job()
		j.build(img, nil, e.opts.EdgeThreshold)
		repeated := 0
		for i := range j.levels {
			l := &j.levels[i]
			l.guess = 0
			l.search(e, j.lanes.All()[0])
			l.choose(e)
			want := slices.Clone(l.found)
			require.NotEmpty(t, want)
			lowest := l.lowest
			for _, guess := range []int{1, 20, 21, lowest - 1, lowest, lowest + 1, 100, 200, 254} {
				l.guess = guess
				l.search(e, j.lanes.All()[0])
				l.choose(e)
				imagetest.RequireSame(t, want, l.found, "level %d, guess %d", i, guess)
				if l.lowest < guess {
					repeated++
				}
			}
		}
		require.Greater(t, repeated, len(j.levels))
	}
}

// TestQuotas checks how features are shared among the levels.
func TestQuotas(t *testing.T) {
	_, quotas := levels(Options{Features: 500, ScaleFactor: 1.2, Levels: 8})
	require.Equal(t, []int{109, 90, 75, 63, 52, 44, 36, 31}, quotas)
	_, quotas = levels(Options{Features: 1, ScaleFactor: 1.2, Levels: 3})
	require.Len(t, quotas, 3)
	require.GreaterOrEqual(t, quotas[2], 0)
	// Few features: rounding leaves none for the last level, or fewer.
	for i, want := range [][]int{
		{1, 1, 1, 1, 0, 0, 0, 0},
		{1, 1, 1, 1, 1, 0, 0, 0},
		{1, 1, 1, 1, 1, 1, 0, 0},
		{2, 1, 1, 1, 1, 1, 1, 0},
		{2, 1, 1, 1, 1, 1, 1, 0},
		{2, 2, 1, 1, 1, 1, 1, 0},
		{2, 2, 2, 1, 1, 1, 1, 0},
		{2, 2, 2, 1, 1, 1, 1, 1},
		{3, 2, 2, 2, 1, 1, 1, 0},
	} {
		_, quotas := levels(Options{Features: 4 + i, ScaleFactor: 1.2, Levels: 8})
		require.Equal(t, want, quotas, "%d features", 4+i)
	}
}

// TestDisc checks the disc that moments are taken of.
func TestDisc(t *testing.T) {
	require.Equal(t, []int{15, 15, 15, 15, 14, 14, 14, 13, 13, 12, 11, 10, 9, 8, 6, 3}, discRows(15))
	for half := 1; half < 60; half++ {
		rows := discRows(half)
		require.Len(t, rows, half+1)
		for v, width := range rows { // it is the same when it is turned
			for u := range half + 1 {
				require.Equal(t, u <= width, v <= rows[u], "half %d, %d,%d", half, u, v)
			}
		}
	}
}

// TestResize compares a resized image with the definition: weights of 256 parts,
// and one rounding.
func TestResize(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, size := range [][2]image.Point{{{X: 64, Y: 48}, {X: 53, Y: 40}}, {{X: 50, Y: 31}, {X: 77, Y: 90}}, {{X: 9, Y: 7}, {X: 1, Y: 1}}, {{X: 1, Y: 1}, {X: 5, Y: 3}}, {{X: 300, Y: 5}, {X: 33, Y: 5}}} {
		src := image.NewGray(image.Rectangle{Max: size[0]})
		for i := range src.Pix {
			src.Pix[i] = uint8(rng.Uint32())
		}
		for row := range table.Available() {
			var memory []byte
			dst := newLevelPlane(&memory, size[1].X, size[1].Y)
			var r resizer
			r.prepare(size[1], size[0], &row.Kernels)
			for _, rows := range []int{dst.H, 4} { // all at once, and in bands
				clear(dst.Pix)
				for y := 0; y < dst.H; y += rows {
					r.apply(new(resizerMemory), dst, newPlane(src), y, min(y+rows, dst.H))
				}
				requireResized(t, src, &image.Gray{Pix: dst.Pix, Stride: dst.Stride, Rect: image.Rectangle{Max: size[1]}})
			}
		}
	}
}

// requireResized fails the test unless dst is src, resized.
func requireResized(t *testing.T, src, dst *image.Gray) {
	t.Helper()
	from, to := src.Rect.Max, dst.Rect.Max
	part := func(i, n, from int) (at int, weight int) {
		f := (float64(i)+0.5)*(1/(float64(n)/float64(from))) - 0.5
		at = int(math.Floor(f))
		if at < 0 {
			return 0, 0
		}
		if at >= from-1 {
			return from - 1, 0
		}
		return at, int(math.RoundToEven((f - math.Floor(f)) * 256))
	}
	for y := range to.Y {
		for x := range to.X {
			x0, a := part(x, to.X, from.X)
			y0, b := part(y, to.Y, from.Y)
			sum := (256-a)*(256-b)*int(src.GrayAt(x0, y0).Y) + a*(256-b)*int(src.GrayAt(x0+1, y0).Y) +
				(256-a)*b*int(src.GrayAt(x0, y0+1).Y) + a*b*int(src.GrayAt(x0+1, y0+1).Y)
			require.Equal(t, uint8((sum+1<<15)>>16), dst.GrayAt(x, y).Y, "%v to %v: %d,%d", from, to, x, y)
		}
	}
}

// TestAreaQuotas checks that quotas in proportion to areas are nearly that, and that
// none is lost.
func TestAreaQuotas(t *testing.T) {
	for _, test := range []struct {
		features, levels int
		factor           float64
	}{{500, 8, 1.2}, {1, 8, 1.2}, {7, 1, 1.2}, {1000, 64, 1.01}, {2000, 4, 2}, {12345, 64, 100}, {100, 5, math.Nextafter(1, 2)}} {
		_, quotas := levels(Options{Features: test.features, ScaleFactor: test.factor, Levels: test.levels, areaQuotas: true})
		require.Len(t, quotas, test.levels)
		area := func(l int) float64 { return math.Pow(float64(float32(test.factor)), float64(-2*l)) }
		areas, sum := 0.0, 0
		for l := range quotas {
			areas += area(l)
		}
		for l, q := range quotas {
			require.InDelta(t, float64(test.features)*area(l)/areas, q, 1)
			require.GreaterOrEqual(t, q, 0)
			sum += q
		}
		require.Equal(t, test.features, sum)
	}
}

// TestMasks compares the masks of levels with the definition: that of an image holds 0 and
// 255, that of a larger level counts wherever it is not 0, and that of a smaller one, which is
// made from the level before, where it is 255.
func TestMasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	mask := image.NewGray(image.Rect(-5, 7, 135, 127))
	for i := range mask.Pix {
		x, y := i%mask.Stride, i/mask.Stride
		if (x/9*y/7)%3 > 0 {
			mask.Pix[i] = uint8(1 + rng.IntN(255))
		}
	}
	img := image.NewGray(mask.Rect)
	e, err := New(Options{FirstLevel: 2, Levels: 5})
	require.NoError(t, err)
	j := e.job()
	j.build(img, mask, 0)
	require.Len(t, j.levels, 5)
	binary := func(src *image.Gray, limit uint8) *image.Gray {
		dst := image.NewGray(image.Rectangle{Max: src.Rect.Size()})
		for i := range dst.Pix {
			if src.Pix[i/dst.Stride*src.Stride+i%dst.Stride] > limit {
				dst.Pix[i] = 255
			}
		}
		return dst
	}
	original := binary(mask, 0)
	from, limit := original, uint8(0)
	for i := range j.levels {
		got := j.levels[i].mask
		want := original
		if i != e.opts.FirstLevel {
			var memory []byte
			dst := newLevelPlane(&memory, got.W, got.H)
			var r resizer
			r.prepare(image.Pt(got.W, got.H), from.Rect.Max, &portable)
			r.apply(new(resizerMemory), dst, newPlane(from), 0, dst.H)
			resized := &image.Gray{Pix: dst.Pix, Stride: dst.Stride, Rect: image.Rect(0, 0, dst.W, dst.H)}
			requireResized(t, from, resized)
			want = binary(resized, limit)
		}
		for y := range got.H {
			require.True(t, slices.Equal(want.Pix[y*want.Stride:][:got.W], got.Row(y)), "level %d, row %d", i, y)
		}
		if i >= e.opts.FirstLevel {
			from, limit = want, 254
		}
	}
}

// TestWide checks patches whose pixels lie far apart: assembly takes them as long as their
// offsets have 32 bits, and finds what portable Go does, and beyond that portable Go does.
func TestWide(t *testing.T) {
	e, err := New(Options{PatchSize: maxPatch, EdgeThreshold: maxPatch})
	require.NoError(t, err)
	reach := len(e.pattern.heights)
	widest := math.MaxInt32/2/reach - portableStrip
	memory := make([]byte, widest+1)
	for row := range table.Available() {
		for w, want := range map[int]*kernels{1000: &row.Kernels, widest: &row.Kernels, widest + 1: &portable} {
			l := level{img: raster.Plane{Pix: memory, Stride: w, W: w, H: 1}, kernels: &row.Kernels}
			lane := new(lane)
			l.describe(e, lane, 0, 1)
			require.Same(t, want, lane.smoother.kernels, "%s, width %d", row.Name, w)
		}
	}

	rng := rand.New(rand.NewPCG(13, 14))
	r := sampleRun{stride: widest, xs: e.pattern.xs, ys: e.pattern.ys, values: make([]byte, len(e.pattern.xs)), desc: new(match.Descriptor)}
	r.at = reach*widest + widest/2
	r.pix = asmtest.ReservedMemory(t, int64(2*reach+1)*int64(widest))
	for range 5 {
		r.sin, r.cos = degrees.SinCos(360 * rng.Float32())
		for i, x := range r.xs { // where the pattern is when it is turned, more or less
			y := r.ys[i]
			column, row := int(x*r.cos-y*r.sin), int(x*r.sin+y*r.cos)
			for d := -1; d <= 1; d++ {
				around := r.pix[r.at+(row+d)*r.stride+column-1:][:3]
				for j := range around {
					around[j] = uint8(rng.Uint32())
				}
			}
		}
		want := r
		want.desc = new(match.Descriptor)
		portable.compare(&want)
		require.NotZero(t, *want.desc)
		for row := range table.Available() {
			row.Kernels.compare(&r)
			require.Equal(t, *want.desc, *r.desc, row.Name)
		}
	}
}
