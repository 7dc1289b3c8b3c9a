package asmtest

import (
	"image"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
)

// Ends returns the first n elements of memory, and the last n.
func Ends[E any](mem []E, n int) [2][]E {
	return [2][]E{mem[:n:n], mem[len(mem)-n:]}
}

// Widths returns numbers from begin on up to end, each about 5 % larger than the one before.
func Widths(begin, end int) []int {
	var list []int
	for w := begin; w < end; w += 1 + w/20 {
		list = append(list, w)
	}
	return list
}

// RequireInBounds fails the test if a byte is read before the first pixel of an image or
// beyond the last one: the memory there faults. For each instruction set that the packages
// have kernels for, or all packages if none are given, create returns a function. The
// function is called with images of noise of all these widths and heights, with and without
// padding of their rows. The portable ones, whose bounds Go checks, are called with some of them;
// short tests leave them out if there are others, and every other pair of a width and a height.
func RequireInBounds(t *testing.T, widths, heights []int, create func() func(img *image.Gray), packages ...string) {
	t.Helper()
	const padding = 64
	mem := GuardedPages(t, (slices.Max(widths)+padding)*slices.Max(heights))
	rng := rand.New(rand.NewPCG(11, 12))
	for i := range mem {
		mem[i] = uint8(rng.Uint32())
	}
	sets := cpu.InstructionSets(packages...)
	if len(sets) == 0 {
		sets = []cpu.InstructionSet{{Name: cpu.Portable}}
	}
	if testing.Short() && len(sets) > 1 {
		sets = sets[1:]
	}
	for _, set := range sets {
		t.Run(set.Name, func(t *testing.T) {
			defer cpu.Limit(set.Set)()
			use := create()
			for i, w := range widths {
				if set.Name == cpu.Portable && i%4 > 0 {
					continue
				}
				for j, h := range heights {
					if testing.Short() && (i+j)%2 > 0 {
						continue
					}
					stride := w + rng.IntN(2)*rng.IntN(padding)
					for _, pix := range Ends(mem, (h-1)*stride+w) {
						img := &image.Gray{Pix: pix, Stride: stride, Rect: image.Rect(0, 0, w, h)}
						requireNoFault(t, img, use)
					}
				}
			}
		})
	}
}

// requireNoFault fails the test when use panics.
func requireNoFault(t *testing.T, img *image.Gray, use func(img *image.Gray)) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		t.Helper()
		if fault := recover(); fault != nil {
			t.Fatalf("bounds %v, stride %d: %v", img.Rect, img.Stride, fault)
		}
	}()
	use(img)
}
