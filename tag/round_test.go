package tag

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomRun returns a run with pixels in and around a marker. Some are exactly on lines between cells, and
// far away.
func randomRun(rng *rand.Rand, pixels int) *fitRun {
	f := fitter{cells: 8, half: math.Exp(2 + 3*rng.Float64())}
	f.unit = 2 * f.half / f.cells
	family := newPlan(Family{Kind: Tag36h11}, 0)
	r := &f.run
	family.draw(&r.drawing, rng.IntN(587))
	r.start, r.last = float32(-family.margin), float32(family.total()-1)
	r.side, r.stride = float32(f.cells/2), maxCells
	r.half, r.unit = float32(f.half), float32(f.unit)
	random := func(scale float64) float64 { return scale * rng.NormFloat64() }
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	if rng.IntN(4) == 0 {
		sin, cos = 0, 1
	}
	f.unknown = unknown{
		homography: homography{cos, -sin, random(.01), sin * .6, cos * .6, random(.01), random(.1), random(.1), 1},
		black:      shade{30, random(5), random(5)},
		contrast:   shade{100, random(5), random(5)},
		blur:       .1 + 1.5*rng.Float64(),
	}
	for range pixels {
		at := f.unknown.homography.at(3*rng.Float64()-1.5, 3*rng.Float64()-1.5)
		if rng.IntN(10) == 0 {
			at = f.unknown.homography.at(float64(rng.IntN(11)-5)/4, float64(rng.IntN(11)-5)/4)
		}
		r.add(at.X, at.Y, uint8(rng.Uint32()), rng.Float64())
	}
	r.fill()
	f.setRun(1 / (.15 * 100))
	r.weights[3], r.squares[7], r.products[20][lanes-1] = 1, 2, 3
	return r
}

// TestRoundKernels compares the kernels of a round with portable Go, in all that they tell.
func TestRoundKernels(t *testing.T) {
	lists := func(r *fitRun) []*[]float32 {
		return []*[]float32{&r.column, &r.row, &r.residual, &r.margin, &r.byU, &r.byV}
	}
	told := func(r *fitRun) *fitRun {
		s := *r
		clear(s.collected[:])
		for _, list := range lists(&s) {
			*list = slices.Clone(*list)
			for i := range *list {
				if r.masks[i/lanes]>>(i%lanes)&1 == 0 {
					(*list)[i] = 0
				}
			}
		}
		return &s
	}
	for row := range table.Available() {
		t.Run(row.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 9))
			runs := 300
			if testing.Short() {
				runs = 100
			}
			for i := range runs {
				want := randomRun(rng, rng.IntN(min(40*i, 900)+1))
				got := *want
				got.fill()
				got.masks = slices.Clone(got.masks)
				for _, list := range lists(&got) {
					*list = slices.Clone(*list)
				}
				fitRound(want)
				row.Kernels.round(&got)
				require.Equal(t, told(want), told(&got))
			}
		})
	}
}
