package lococo_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/lococo"
	"github.com/stretchr/testify/require"
)

// newStripes returns an image of black and white stripes, as wide as half of a kernel,
// whose gradients are as large as they can be.
func newStripes(rng *rand.Rand, kernel, w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	period := max(kernel/2+rng.IntN(3)-1, 1)
	dx, dy := rng.IntN(2), rng.IntN(2)
	for i := range img.Pix {
		img.Pix[i] = uint8((dx*(i%w)+dy*(i/w))/period%2) * 255
	}
	return img
}

// TestInstructionSets checks that every instruction set that this processor has gives what
// portable Go does, bit for bit, for all small kernels and windows, and some large ones.
func TestInstructionSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var sizes [][2]int
	for kernel := 3; kernel <= 11; kernel += 2 {
		for window := 3; window <= 11; window += 2 {
			sizes = append(sizes, [2]int{kernel, window})
		}
	}
	sizes = append(sizes, [2]int{31, 31}, [2]int{63, 63}, [2]int{3, 63}, [2]int{63, 3}, [2]int{15, 9})
	for i, size := range sizes {
		margin := (size[0]+size[1])/2 - 1
		for j := range 16 {
			w, h := 2*margin+1+rng.IntN(100), 2*margin+1+rng.IntN(30)
			if j == 0 {
				w += 1000
			}
			img := newImage(rng, (i+j)%contents, w, h)
			if j%3 == 0 {
				img = newStripes(rng, size[0], w, h)
			}
			opts := lococo.Options{
				KernelSizes: []int{size[0]}, BlockSize: size[1], Measure: harris.Measure(1 + j%4), K: 0.04,
				SuppressionRadius: 1 + rng.IntN(12), Quality: 0.01,
			}
			find := func(set cpu.Set) ([]float32, []lococo.Corner) {
				defer cpu.Limit(set)()
				d := detector(t, opts)
				return d.Response(img), d.Detect(img, nil)
			}
			responses, corners := find(0)
			for _, set := range cpu.InstructionSets() {
				gotResponses, gotCorners := find(set.Set)
				for k, v := range responses {
					if v != gotResponses[k] {
						require.Equal(t, v, gotResponses[k], "%s: %d of %v, %+v", set.Name, k, img.Rect, opts)
					}
				}
				imagetest.RequireSame(t, corners, gotCorners, "%s: %v, %+v", set.Name, img.Rect, opts)
			}
		}
	}
}
