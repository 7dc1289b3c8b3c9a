package sift_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/sift"
	"github.com/stretchr/testify/require"
)

// TestUpright compares keypoints without angles with the oracle's.
func TestUpright(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(100, 60, 211, 143)).(*image.Gray)
	for _, opts := range []sift.Options{
		{}, {NoDoubling: true, Contrast: 0.01}, {Layers: 1}, {Layers: 5, Sigma: 3}, {Edge: 1.5}, {Contrast: -1, Layers: 2}, {Features: 10},
		{Layers: 1, Sigma: 8, Contrast: -1},
	} {
		opts.Upright = true
		e, err := sift.New(opts)
		require.NoError(t, err)
		imagetest.RequireSame(t, oracleDetect(opts, img, nil), e.Detect(img, nil), "%+v", opts)
	}
}
