package warp_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/warp"
)

// FuzzWarp compares warps by arbitrary matrices with the definition, with every instruction
// set.
func FuzzWarp(f *testing.F) {
	f.Add(uint64(1), uint8(40), uint8(30), uint8(50), uint8(33), uint8(0), 1.0, 0.1, -3.5, -0.1, 1.0, 2.5, 0.0, 0.0, 1.0)
	f.Add(uint64(2), uint8(1), uint8(1), uint8(69), uint8(2), uint8(7), 0.5, 2.0, 3e9, 1e-9, 1.0, -40.0, 0.1, -0.1, 0.0)
	f.Fuzz(func(t *testing.T, seed uint64, w, h, dw, dh, flags uint8, a, b, c, d, e, g, i, j, k float64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		size, rest := pixelSizes[flags%3], flags/3
		opts := warp.Options{Interpolation: warp.Linear + warp.Interpolation(rest&1), Border: borders[int(rest>>1)%len(borders)], Value: [4]uint8{flags, 7, 99, 200}}
		src := randomPicture(rng, size, 1+int(w)%70, 1+int(h)%70, nil)
		dst := randomPicture(rng, size, 1+int(dw)%70, 1+int(dh)%70, nil)
		affine, homography := warp.Affine{a, b, c, d, e, g}, warp.Homography{a, b, c, d, e, g, i, j, k}
		// Where there is no inverse, it is some matrix.
		backward, _ := affine.Inverse()
		back, _ := homography.Inverse()
		for _, transform := range []warp.Transform{affine, backward, homography, back} {
			requireOracle(t, opts, dst, src, transform)
		}
	})
}

// FuzzResize compares images of any sizes with the definition, with every instruction set.
func FuzzResize(f *testing.F) {
	f.Add(uint64(1), uint16(40), uint8(30), uint8(50), uint8(33), uint8(0))
	f.Add(uint64(2), uint16(192), uint8(108), uint8(64), uint8(36), uint8(3))
	f.Add(uint64(3), uint16(64), uint8(36), uint8(192), uint8(108), uint8(5))
	f.Add(uint64(4), uint16(599), uint8(9), uint8(66), uint8(3), uint8(11))
	f.Fuzz(func(t *testing.T, seed uint64, w uint16, h, dw, dh, flags uint8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		size, how := pixelSizes[flags%3], resizings[flags/3%4]
		src := randomPicture(rng, size, 1+int(w)%600, 1+int(h), nil)
		dst := randomPicture(rng, size, 1+int(dw), 1+int(dh), nil)
		requireResize(t, how, dst, src)
	})
}
