package flow_test

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/internal/cpu"
)

// FuzzTrack compares tracks with those of the definition, with every instruction set.
func FuzzTrack(f *testing.F) {
	f.Add(uint64(1), uint8(21), uint8(21), uint8(40), uint8(30), uint8(0), uint8(1), float32(3), float32(5.5), float32(4), float32(5))
	f.Add(uint64(2), uint8(5), uint8(30), uint8(3), uint8(9), uint8(7), uint8(3), float32(-1), float32(2), float32(0), float32(1))
	f.Fuzz(func(t *testing.T, seed uint64, windowX, windowY, w, h, flags, levels uint8, x, y, guessX, guessY float32) {
		opts := flow.Options{
			Window:        image.Pt(3+int(windowX)%38, 3+int(windowY)%38),
			Levels:        int(levels % 6),
			Iterations:    5,
			RemoveMean:    flags&1 > 0,
			KeepInside:    flags&2 > 0,
			Confirm:       float64(flags >> 3 & 1),
			MinEigenvalue: -float64(flags >> 4 & 1),
			Epsilon:       -float64(flags >> 5 & 1),
		}
		a, b := pair(rand.New(rand.NewPCG(seed, 1)), 1+int(w)%70, 1+int(h)%70)
		points := []flow.Point{{X: x, Y: y}, {X: y, Y: x}, {X: guessX, Y: y}}
		guesses := []flow.Point{{X: guessX, Y: guessY}, {X: x, Y: y}, {X: float32(math.Mod(float64(guessX), 70)), Y: guessX}}
		want := newOracle(opts, a, b).track(a.Rect.Min, b.Rect.Min, points, guesses)
		for _, set := range cpu.InstructionSets("flow") {
			restore := cpu.Limit(set.Set)
			requireTracks(t, want, track(t, opts, a, b, points, guesses), "%s, %+v", set.Name, opts)
			restore()
		}
	})
}
