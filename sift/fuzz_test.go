package sift_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/sift"
	"github.com/stretchr/testify/require"
)

// FuzzExtract compares the results of all instruction sets with the oracle's.
func FuzzExtract(f *testing.F) {
	f.Add([]byte("a few pixels, which are repeated"), uint8(30), uint8(3), uint8(16), false)
	f.Add([]byte{0, 255, 255, 0, 7, 9}, uint8(17), uint8(1), uint8(20), true)
	f.Fuzz(func(t *testing.T, pix []byte, width, layers, sigma uint8, plain bool) {
		if len(pix) == 0 || width == 0 {
			return
		}
		img := image.NewGray(image.Rect(0, 0, min(int(width), 40), 40))
		for i := range img.Pix {
			// Blocks of 3 by 3 pixels, which are found.
			x, y := i%img.Stride/3, i/img.Stride/3
			img.Pix[i] = pix[(x+y*13)%len(pix)]
		}
		opts := sift.Options{Layers: int(layers % 6), Sigma: float64(sigma) / 10, NoDoubling: plain, Contrast: -1}
		if _, err := sift.New(opts); err != nil {
			return
		}
		want := oracleDetect(opts, img, nil)
		o := newOracle(opts, img, !plain, 0)
		var wantDescs []match.Vector
		for _, k := range want {
			wantDescs = append(wantDescs, o.describe(k))
		}
		for _, set := range cpu.InstructionSets("sift") {
			restore := cpu.Limit(set.Set)
			kps, descs := extractor(t, opts).Extract(img, nil)
			restore()
			imagetest.RequireSame(t, want, kps, set.Name)
			require.Equal(t, len(wantDescs), len(descs))
			imagetest.RequireSame(t, wantDescs, descs, set.Name)
		}
	})
}
