package calibrate

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// textures are kinds of pixels, by the number of their row and column.
var textures = []func(rng *rand.Rand, x, y int) uint8{
	func(rng *rand.Rand, _, _ int) uint8 { return uint8(rng.Uint32()) },
	func(rng *rand.Rand, _, _ int) uint8 { return uint8(rng.Uint32() & 1 * 255) },
	func(*rand.Rand, int, int) uint8 { return 200 },
	func(rng *rand.Rand, x, y int) uint8 { return uint8((x/9+y/9)&1*200) + uint8(rng.Uint32()%20) },
	func(_ *rand.Rand, x, y int) uint8 { return uint8((x/7 + y/8) & 1 * 255) },
	func(rng *rand.Rand, x, _ int) uint8 { return uint8(x + int(rng.Uint32()%3)) },
}

// TestResponseKernels compares the kernels of responses with portable Go, for rows of all lengths,
// at both ends of memory that faults beyond, and with rows that are apart or overlap.
func TestResponseKernels(t *testing.T) {
	const most = 150
	pixels := asmtest.GuardedMemory(t, (2*ringRadius+1)*2*(most+2*ringRadius))
	to := asmtest.GuardedMemory(t, 2*most)
	for row := range table.Available() {
		t.Run(row.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 1))
			positive := 0
			for n := leastRow; n < most; n++ {
				for k, texture := range textures {
					w := n + 2*ringRadius
					stride := []int{w, w + rng.IntN(w), rng.IntN(w)}[k%3]
					for i, pix := range asmtest.Ends(pixels, 2*ringRadius*stride+w) {
						x0, y0 := rng.IntN(20), rng.IntN(20)
						for p := range pix {
							pix[p] = texture(rng, x0+p%max(stride, 1), y0+p/max(stride, 1))
						}
						want := responseRun{pix: pix, stride: stride, responses: make([]int16, n), largest: 77}
						got := want
						got.responses = words(asmtest.Ends(to, 2*n)[i])
						for x := range got.responses {
							got.responses[x] = 99
						}
						responsesOfRow(&want)
						row.Kernels.responses(&got)
						require.Equal(t, want, got)
						require.Equal(t, slices.Max(want.responses), want.largest)
						if want.largest > 0 {
							positive++
						}
					}
				}
			}
			require.Greater(t, positive, 500)
		})
	}
}

// words returns memory as words.
func words(memory []byte) []int16 {
	return unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/2)
}

// randomFit returns a run with pixels around a place.
func randomFit(rng *rand.Rand) *fitRun {
	r := &fitRun{placeX: rng.Float64() - 0.5, placeY: rng.Float64() - 0.5, mean: 100 + rng.NormFloat64()}
	radius := leastRadius + (mostRadius-leastRadius)*rng.Float64()
	m := int(math.Ceil(radius))
	columns, rows := 2*m+1-rng.IntN(m), 2*m+1-rng.IntN(m)
	for y := range rows {
		for x := range columns {
			r.x, r.y = append(r.x, float64(x-m)), append(r.y, float64(y-m))
		}
		for len(r.x)%lanes > 0 {
			r.x, r.y = append(r.x, beyond), append(r.y, 0)
		}
	}
	r.end = len(r.x)
	for range r.end {
		r.value = append(r.value, float64(rng.IntN(256)))
	}
	for _, l := range []*line{&r.first, &r.second} {
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		if rng.IntN(4) == 0 {
			sin, cos = 0, 1
		}
		*l = line{sin, cos, rng.NormFloat64() * float64(rng.IntN(2)) / 10}
	}
	r.contrast = 100 * rng.NormFloat64()
	r.slopeX, r.slopeY = rng.NormFloat64()*float64(rng.IntN(2)), rng.NormFloat64()
	r.edge = 0.4 + 3*rng.Float64()
	r.sharpness = 1 / r.edge
	r.steepness = r.contrast * r.sharpness
	r.inverse = 1 / (radius * radius)
	r.products[3][5], r.products[53][lanes-1], r.squares[2] = 1, -2, 3
	return r
}

// TestFitKernels compares the kernels of a round of a fit with portable Go.
func TestFitKernels(t *testing.T) {
	for row := range table.Available() {
		t.Run(row.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 2))
			for i := range 300 {
				want := randomFit(rng)
				if i%10 == 0 {
					want.begin = lanes * rng.IntN(want.end/lanes+1)
				}
				got := *want
				fitRound(want)
				row.Kernels.fit(&got)
				got.collected = want.collected
				require.Equal(t, want, &got)
			}
		})
	}
}

// TestInBounds checks that nothing is read beyond the pixels.
func TestInBounds(t *testing.T) {
	asmtest.RequireInBounds(t, asmtest.Widths(1, 300), []int{1, 11, 12, 50, 130}, func() func(img *image.Gray) {
		f := newFinder(t, FinderOptions{MinCorners: 6, Threshold: 1})
		return func(img *image.Gray) { f.Find(img) }
	}, "calibrate")
}

// TestInstructionSets checks that boards are the same to the bit with all instruction sets.
func TestInstructionSets(t *testing.T) {
	images := scenes(t, 640, 480, 8)
	find := func() (all []Board) {
		f := newFinder(t, FinderOptions{MinCorners: 6})
		for _, img := range images {
			all = f.AppendFind(all, img)
		}
		return all
	}
	var want []Board
	for _, set := range slices.Backward(cpu.InstructionSets("calibrate")) {
		restore := cpu.Limit(set.Set)
		got := find()
		restore()
		if want == nil {
			want = got
		}
		requireSameBoards(t, want, got)
	}
	require.NotEmpty(t, want)
}
