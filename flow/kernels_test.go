package flow

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/stretchr/testify/require"
)

// TestDown compares levels with those of portable Go, and checks that no more is read and
// written than the pixels of a level.
func TestDown(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, w := range asmtest.Widths(downColumns, 300) {
		for _, h := range []int{4, 5, 6, 7, 8, 33} {
			from := raster.Plane{Stride: w + rng.IntN(2)*rng.IntN(70), W: w, H: h}
			from.Pix = asmtest.GuardedMemory(t, (h-1)*from.Stride+w)
			for i := range from.Pix {
				from.Pix[i] = uint8(rng.Uint32())
			}
			to := raster.Plane{Stride: half(w), W: half(w), H: half(h)}
			size := to.W * to.H
			run := func() []byte {
				to.Pix = asmtest.GuardedMemory(t, size)
				new(downRun).make(to, from, 0, to.H)
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

// TestFill checks that levels do not depend on how many workers make them.
func TestFill(t *testing.T) {
	tracker, err := New(Options{Window: image.Pt(3, 3), Levels: 5})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range []image.Point{{X: 8, Y: 8}, {X: 150, Y: 31}, {X: 33, Y: 90}, {X: 300, Y: 301}} {
		img := image.NewGray(image.Rectangle{Max: size})
		for i := range img.Pix {
			img.Pix[i] = uint8(rng.Uint32())
		}
		want := tracker.Pyramid(img)
		for workers := 2; workers < 20; workers++ {
			got := tracker.Pyramid(img)
			clear(got.memory)
			got.fill(workers)
			require.Equal(t, want.levels, got.levels, "%d workers, %v", workers, size)
		}
	}
}
