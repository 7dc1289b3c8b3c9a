package flow

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// TestDown compares levels with those of portable Go, and checks that no more is read and
// written than the pixels of a level.
func TestDown(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, w := range append(asmtest.Widths(narrowColumns, wideColumns), asmtest.Widths(wideColumns, 300)...) {
		for _, h := range []int{4, 5, 6, 7, 8, 33} {
			from := raster.Plane{Stride: w + rng.IntN(2)*rng.IntN(70), W: w, H: h}
			from.Pix = asmtest.GuardedMemory(t, (h-1)*from.Stride+w)
			for i := range from.Pix {
				from.Pix[i] = uint8(rng.Uint32())
			}
			to := raster.Plane{Stride: half(w) + rng.IntN(2)*rng.IntN(40), W: half(w), H: half(h)}
			size := (to.H-1)*to.Stride + to.W
			run := func() []byte {
				to.Pix = asmtest.GuardedMemory(t, size)
				r := new(downRun)
				r.make(to, from, 0, to.H)
				r.sums = guarded(t, r.sums)
				r.make(to, from, 0, to.H)
				return to.Pix
			}
			restore := cpu.Limit(0)
			want := run()
			restore()
			for row := range table.Available() {
				restore := cpu.Limit(row.Needs)
				require.Equal(t, want, run(), "%s, %d by %d", row.Name, w, h)
				restore()
			}
		}
	}
}

// guarded returns as many numbers as the list has, which are followed by memory that must not be
// touched.
func guarded[E any](t *testing.T, list []E) []E {
	t.Helper()
	if len(list) == 0 {
		return nil
	}
	memory := asmtest.GuardedMemory(t, len(list)*int(unsafe.Sizeof(list[0])))
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(memory))), len(list))
}

// TestLevels checks that a level is larger than the window in both directions.
func TestLevels(t *testing.T) {
	tracker, err := New(Options{Window: image.Pt(15, 11), Levels: 3})
	require.NoError(t, err)
	for size, want := range map[image.Point]int{{30, 90}: 1, {31, 90}: 2, {90, 22}: 1, {90, 23}: 2, {61, 45}: 3, {60, 45}: 2, {61, 44}: 2, {900, 900}: 3} {
		require.Equal(t, want, tracker.levels(size.X, size.Y), "%v", size)
	}
}

// TestFill checks that levels do not depend on how many workers make them, and that their
// margins are mirrored.
func TestFill(t *testing.T) {
	tracker, err := New(Options{Window: image.Pt(3, 3), Levels: 6})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range []image.Point{{X: 8, Y: 8}, {X: 150, Y: 31}, {X: 33, Y: 90}, {X: 300, Y: 301}} {
		img := image.NewGray(image.Rectangle{Max: size})
		for i := range img.Pix {
			img.Pix[i] = uint8(rng.Uint32())
		}
		want := tracker.Pyramid(img)
		for i := range want.levels {
			l := &want.levels[i]
			require.Equal(t, i > 0 && min(l.W, l.H) > 8, l.margin > 0)
			for y := -l.margin; y < l.H+l.margin; y++ {
				for x := -l.margin; x < l.W+l.margin; x++ {
					at := (y+l.margin)*l.Stride + x + l.margin
					require.Equal(t, l.Row(raster.Mirror(y, l.H))[raster.Mirror(x, l.W)], l.pix[at], "level %d, %v", i, size)
				}
			}
		}
		for workers := 2; workers < 20; workers++ {
			got := tracker.Pyramid(img)
			clear(got.memory)
			got.fill(workers)
			require.Equal(t, want.levels, got.levels, "%d workers, %v", workers, size)
		}
	}
}

// TestPyramidWorkers checks that workers share large images only.
func TestPyramidWorkers(t *testing.T) {
	tracker, err := New(Options{Workers: 3})
	require.NoError(t, err)
	for h, workers := range map[int]int{1: 1, 511: 1, 512: 2, 1024: 3} {
		require.Len(t, tracker.Pyramid(image.NewGray(image.Rect(0, 0, 1024, h))).lanes.All(), workers)
	}
}

// TestWindows compares what the kernels make of windows with portable Go, and checks that no
// more is read than may be.
func TestWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for w := 3; w <= 31; w++ {
		for range 6 {
			h := 3 + rng.IntN(30)
			level := level{Plane: raster.Plane{W: 80, H: 80}}
			var place image.Point
			switch rng.IntN(3) {
			case 0: // within the level
				place = image.Pt(1+rng.IntN(80-w-2), 1+rng.IntN(80-h-2))
			case 1: // at its edges
				place = image.Pt(rng.IntN(2)*80-1-rng.IntN(w), rng.IntN(2)*80-1-rng.IntN(h))
			case 2: // around it
				level.W, level.H = 1+rng.IntN(w), 1+rng.IntN(h)
				place = image.Pt(-rng.IntN(w-level.W+1), -rng.IntN(h-level.H+1))
			}
			stride := 40 + rng.IntN(40)
			pixels := make([]byte, (h+3)*stride)
			for i := range pixels {
				pixels[i] = uint8(rng.IntN(256))
			}
			var at [2]Point
			for i := range at {
				at[i] = Point{float32(place.X) + rng.Float32(), float32(place.Y) + rng.Float32()}
			}
			// start makes the template, the tensor and the differences.
			start := func(k *windowKernels, first, second Point) *windowRun {
				r := new(windowRun)
				r.prepare(k, w, h)
				r.values, r.derivatives, r.deltas = guarded(t, r.values), guarded(t, k.derivatives(w, h)), guarded(t, r.deltas)
				// pixelsOf sets the pixels of a window, with as many rows and columns more as it needs.
				pixelsOf := func(to *window, more int, p Point) {
					n := (h+more-1)*stride + w + more + r.over
					to.pix, to.stride = asmtest.GuardedMemory(t, n), stride
					copy(to.pix, pixels)
					to.weights = weightsAt(p)
				}
				pixelsOf(&r.template, 3, first)
				pixelsOf(&r.window, 1, second)
				r.setBounds(place.X, place.Y, &level)
				k.template(r)
				k.tensor(r)
				if k.exact != nil {
					k.exact(r)
				}
				k.difference(r)
				return r
			}
			// run steps from one position to the other and back, as twins if the kernel is to
			// be that for two.
			run := func(k *windowKernels, twins bool) (list [2]*windowRun) {
				for i := range list {
					list[i] = start(k, at[i], at[1-i])
				}
				if twins {
					list[0].twin = list[1]
					k.stepTwins(list[0])
					return list
				}
				for _, r := range list {
					k.step(r)
				}
				return list
			}
			want := run(&portable.windows[0], false)
			for row := range table.Available() {
				k := row.Kernels.serving(&Options{Window: image.Pt(w, h)})
				got := [][2]*windowRun{run(k, false)}
				if k.stepTwins != nil {
					got = append(got, run(k, true))
				}
				for _, list := range got {
					for i, r := range list {
						require.Equal(t, want[i].tensor, r.tensor, "%s, %d by %d", row.Name, w, h)
						require.Equal(t, want[i].products, r.products, "%s, %d by %d", row.Name, w, h)
						require.Equal(t, want[i].difference, r.difference, "%s, %d by %d", row.Name, w, h)
					}
				}
			}
		}
	}
}

// TestMoves compares how windows are placed and moved, and the equations of that, with portable Go.
func TestMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	// number returns any number, many of which are special.
	number := func(scale float32) float32 {
		switch rng.IntN(24) {
		case 0:
			return 0
		case 1:
			return float32(math.Inf(1 - 2*rng.IntN(2)))
		case 2:
			return float32(math.NaN())
		case 3:
			return math.MinInt32 * float32(1-2*rng.IntN(2))
		case 4:
			return math.Float32frombits(rng.Uint32())
		case 5:
			return float32(rng.IntN(9) - 4)
		}
		return (rng.Float32() - 0.5) * scale
	}
	for range 1000 {
		start := moveRun{
			half: Point{10, 7.5}, epsilon: 1e-4, pixels: 882, eigenvalue: 1e-4,
			moving: rng.Uint32N(1 << block),
		}
		for i := range block {
			for k := range start.tensors[i] {
				start.tensors[i][k] = number(1 << 30)
			}
			start.positions[i] = Point{number(1000), number(1000)}
			start.results[i] = Point{number(1000), number(1000)}
			start.products[i] = [2]float32{number(1 << 28), number(1 << 28)}
			if rng.IntN(2) == 0 { // a short step
				start.products[i] = [2]float32{number(1 << 22), number(1 << 22)}
			}
		}
		// run returns what the kernels make of start: the equations, a step, and another one whose
		// products are nearly the negative ones.
		run := func(k *kernels) (list [4]moveRun) {
			r := start
			k.place(&r)
			list[0] = r
			r.moving = 1<<block - 1
			k.equate(&r)
			list[1] = r
			r.moving = start.moving
			for i := range r.steps {
				r.steps[i] = noStep
			}
			k.move(&r)
			list[2] = r
			for i := range r.products {
				r.products[i] = [2]float32{-r.products[i][0] * 1.001, -r.products[i][1]}
			}
			k.move(&r)
			list[3] = r
			return list
		}
		want := run(&portable)
		for row := range table.Available() {
			for n, got := range run(&row.Kernels) {
				want := want[n]
				about := func() string { return fmt.Sprintf("%s, %d of %+v", row.Name, n, start) }
				equalNumbers(t, want.moving, got.moving, about)
				for i := range block {
					equalNumbers(t, want.results[i], got.results[i], about)
					if n == 1 {
						equalNumbers(t, want.mixed[i], got.mixed[i], about)
						equalNumbers(t, want.squares[i], got.squares[i], about)
					}
					if n > 1 && want.moving>>i&1 == 0 {
						continue
					}
					equalNumbers(t, want.positions[i], got.positions[i], about)
					equalNumbers(t, want.steps[i], got.steps[i], about)
					equalNumbers(t, want.at[i], got.at[i], about)
					if fits(want.positions[i].X) && fits(want.positions[i].Y) {
						equalNumbers(t, want.weights[i], got.weights[i], about)
					}
				}
			}
		}
	}
}

// equalNumbers checks that two numbers, or structs and arrays of them, are equal or print alike, as
// NaN does.
func equalNumbers[T comparable](t *testing.T, want, got T, about func() string) {
	t.Helper()
	if want != got {
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), about())
	}
}

// weightsAt returns the weights of a window at a position.
func weightsAt(p Point) [4]int16 {
	r := moveRun{positions: [block]Point{p}}
	place(&r)
	return r.weights[0]
}
