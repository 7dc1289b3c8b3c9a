package harris_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// TestInstructionSets checks that the kernels of all instruction sets that the processor has
// find the same responses and corners as portable Go.
func TestInstructionSets(t *testing.T) {
	sets := cpu.InstructionSets("harris", "tensor", "nms")
	if len(sets) == 1 {
		t.Skip("there is only portable Go on this processor")
	}
	rng := rand.New(rand.NewPCG(7, 8))
	list := []harris.Options{
		{BlockSize: 1, Measure: harris.Noble},
		{BlockSize: 2, Measure: harris.Harris, MinDistance: 2},
		{BlockSize: 3, Measure: harris.DetOverTrace},
		{BlockSize: 3, Measure: harris.Harris, Workers: 3},
		{BlockSize: 5, Workers: 2},
		{BlockSize: 7, Measure: harris.Noble, Quality: 1e-6},
		{BlockSize: 7, Border: border.Constant},
		{WindowSigma: 0.99, WindowRadius: 3, Gradient: harris.Gaussian, GradientSigma: 0.99, GradientRadius: 3, Measure: harris.Harris},
	}
	for _, opts := range variants {
		list = append(list, opts)
	}
	rounds := 40
	if testing.Short() {
		rounds = 7
	}
	for i, opts := range list {
		for j := range rounds {
			w, h := 2+rng.IntN(130), 2+rng.IntN(40)
			if j%10 == 0 {
				w = 600 + rng.IntN(800)
			}
			if j == 1 && (opts.Workers > 1 || !testing.Short()) {
				w, h = 500, 700 // for several workers
			}
			img := newImage(rng, (i+j)%len(contents), w, h)
			mask := newMask(rng, img.Rect)
			find := func(set cpu.Set) ([]float32, []harris.Corner, []harris.Corner) {
				defer cpu.Limit(set)()
				d := detector(t, opts)
				return d.Response(img), d.Detect(img, nil), d.Detect(img, mask)
			}
			responses, corners, masked := find(0)
			for _, set := range sets[1:] {
				gotResponses, gotCorners, gotMasked := find(set.Set)
				for k, v := range responses {
					if v != gotResponses[k] {
						require.Equal(t, v, gotResponses[k], "%s: %d of %v, %+v", set.Name, k, img.Rect, opts)
					}
				}
				imagetest.RequireSame(t, corners, gotCorners, "%s: %v, %+v", set.Name, img.Rect, opts)
				imagetest.RequireSame(t, masked, gotMasked, "%s: %v with a mask, %+v", set.Name, img.Rect, opts)
			}
		}
	}
}
