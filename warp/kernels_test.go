package warp

import (
	"image"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// guarded returns n numbers that are followed by memory that must not be touched.
func guarded[E any](t *testing.T, n int) []E {
	t.Helper()
	mem := asmtest.GuardedMemory(t, n*int(unsafe.Sizeof(*new(E))))
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(mem))), n)
}

// TestPlaces compares the kernels that make places of maps with the portable ones, in memory
// that is guarded at its end.
func TestPlaces(t *testing.T) {
	const most = 70
	from, xy, fraction := guarded[float32](t, most), guarded[int16](t, 2*most), guarded[uint16](t, most)
	x, y := guarded[int32](t, most), guarded[int32](t, most)
	extreme := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1 << 26, -1 << 26, 0.5 / 32, -1e30}
	rng := rand.New(rand.NewPCG(6, 6))
	for row := range table.Available() {
		k := &row.Kernels
		for n := k.group; n <= most; n++ {
			from, xy, fraction, x, y := from[most-n:], xy[2*(most-n):], fraction[most-n:], x[most-n:], y[most-n:]
			for i := range n {
				from[i] = float32(rng.NormFloat64() * 1000)
				if rng.IntN(4) == 0 {
					from[i] = extreme[rng.IntN(len(extreme))]
				}
				xy[2*i], xy[2*i+1], fraction[i] = int16(rng.Uint32()), int16(rng.Uint32()), uint16(rng.Uint32())
			}
			want, other := make([]int32, n), make([]int32, n)
			scale(&scaleRun{from, want, n, 32})
			k.scale(&scaleRun{from, x, n, 32})
			require.True(t, slices.Equal(want, x), "%s, scale, %d places", row.Name, n)

			clear(x)
			unpack(&unpackRun{xy, fraction, want, other, n})
			k.unpack(&unpackRun{xy, fraction, x, y, n})
			require.True(t, slices.Equal(want, x) && slices.Equal(other, y), "%s, unpack, %d places", row.Name, n)
		}
	}
}

// inGuarded returns a copy of s that is followed by memory that must not be touched.
func inGuarded[E any](t *testing.T, s []E) []E {
	t.Helper()
	c := guarded[E](t, len(s))[:len(s):len(s)]
	copy(c, s)
	return c
}

// TestResizeKernels compares the kernels that resize images with the portable ones, for each layout on
// its own. Pixels, tables and what is kept of rows lie in memory that is guarded at its end.
func TestResizeKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	rounds := 120
	if testing.Short() {
		rounds = 50
	}
	used := map[string]int{}
	for row := range table.Available() {
		for round := range rounds {
			size := []int{1, 2, 4}[rng.IntN(3)]
			k := row.Kernels.resize[size/2]
			// One layout at a time, so that the others do not serve.
			switch rng.IntN(3) {
			case 0:
				k.boxes, k.areas = areaKernel{}, areaKernel{}
			case 1:
				k.farther = areaKernel{}
			}
			if n := len(k.linear); n > 0 {
				k.linear = k.linear[rng.IntN(n):]
			}
			if n := len(k.nearest); n > 0 {
				k.nearest = k.nearest[rng.IntN(n):]
			}
			to := image.Pt(1+rng.IntN(150), 1+rng.IntN(20))
			var from image.Point
			switch round % 5 {
			case 0:
				from = image.Pt(2*to.X, 2*to.Y)
			case 1:
				from = image.Pt((1+rng.IntN(5))*to.X, (1+rng.IntN(9))*to.Y)
			case 2:
				from = image.Pt(to.X+rng.IntN(2*to.X), to.Y+rng.IntN(30))
			default:
				from = image.Pt(1+rng.IntN(40*to.X), 1+rng.IntN(40))
			}
			for _, how := range []Interpolation{Linear, Nearest, Area} {
				for _, method := range resizeWith(t, rng, &k, to, from, size, how) {
					used[row.Name+" "+method]++
				}
			}
		}
	}
	for row := range table.Available() {
		for _, method := range []string{"half", "boxes", "areas", "linear", "nearest"} {
			require.NotZero(t, used[row.Name+" "+method], "%s, %s", row.Name, method)
		}
	}
}

// TestResizePlan checks that a plan is for the instruction set that is allowed, and made anew for another
// one.
func TestResizePlan(t *testing.T) {
	p := new(plan)
	for row := range table.Available() {
		restore := cpu.Limit(row.Needs)
		p.prepare(planned{image.Pt(320, 240), image.Pt(640, 480), 1, table.Best()}, Area)
		restore()
		require.Equal(t, reflect.ValueOf(row.Kernels.resize[0].half.make).Pointer(), reflect.ValueOf(p.half.kernel).Pointer(), row.Name)
	}
}

// resizeWith compares kernels with the portable ones, and returns the names of the methods that they
// serve.
func resizeWith(t *testing.T, rng *rand.Rand, k *resizeKernels, to, from image.Point, size int, how Interpolation) (names []string) {
	t.Helper()
	pixels := func(p image.Point) *plane {
		pix := guarded[byte](t, p.X*p.Y*size)
		for i := range pix {
			pix[i] = uint8(rng.Uint32())
		}
		return &plane{pix, p.X * size, image.Rectangle{Max: p}}
	}
	src, got, want := pixels(from), pixels(to), pixels(to)
	var p, q plan
	p.planned = planned{to: to, from: from, size: size}
	q.planned = p.planned
	portable := q.methods(how)[0]
	require.True(t, portable.use(&portableResize[size/2]))
	portable.fill(new(resizeLane), want, src, 0, to.Y)
	for _, m := range p.methods(how) {
		if !m.use(k) {
			continue
		}
		l := new(resizeLane)
		name := ""
		switch m := m.(type) {
		case *halfMethod:
			name = "half"
		case *nearestMethod:
			name = "nearest"
			r := &m.tables
			r.bases, r.shuffle, r.columns = inGuarded(t, r.bases), inGuarded(t, r.shuffle), inGuarded(t, r.columns)
		case *boxMethod:
			name = "boxes"
			guardAreas(t, &m.tables)
		case *areaMethod:
			name = "areas"
			guardAreas(t, &m.tables)
			n := m.kernel.total(to.X * size)
			l.sums, l.along = guarded[float32](t, n)[:n:n], guarded[float32](t, n)[:n:n]
		case *linearMethod:
			name = "linear"
			r := &m.tables
			r.bases, r.shuffle, r.high, r.low = inGuarded(t, r.bases), inGuarded(t, r.shuffle), inGuarded(t, r.high), inGuarded(t, r.low)
			for i := range l.lines.lines {
				n := m.kernel.total(to.X * size)
				l.lines.lines[i] = guarded[int16](t, n)[:n:n]
			}
		}
		m.fill(l, got, src, 0, to.Y)
		require.True(t, slices.Equal(want.pix, got.pix), "%s, %v to %v, %d bytes, %v", name, from, to, size, how)
		names = append(names, name)
	}
	return names
}

// guardAreas moves the tables of areas to memory that is guarded.
func guardAreas(t *testing.T, r *areaRun) {
	t.Helper()
	r.bases, r.shuffle, r.spread, r.rounds = inGuarded(t, r.bases), inGuarded(t, r.shuffle), inGuarded(t, r.spread), inGuarded(t, r.rounds)
}
