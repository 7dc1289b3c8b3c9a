package sift_test

import (
	"fmt"
	"image"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/sift"
	"github.com/stretchr/testify/require"
)

// photos returns images to measure with.
func photos(b *testing.B) map[string]*image.Gray {
	list := make(map[string]*image.Gray)
	for _, name := range []string{"chelsea_451x300", "camera_512x512", "aitzgorri_752x480", "life_640x480", "picos_1280x720"} {
		list[name] = imagetest.Photo(b, name)
	}
	return list
}

// BenchmarkExtract measures all of the work, and the parts of it.
func BenchmarkExtract(b *testing.B) {
	for _, workers := range []int{1, 2} {
		e, err := sift.New(sift.Options{Workers: workers})
		require.NoError(b, err)
		var kps []sift.Keypoint
		var descs []match.Vector
		for name, img := range photos(b) {
			for _, set := range cpu.InstructionSets("sift") {
				if set.Name == cpu.Portable {
					continue // takes seconds
				}
				b.Run(fmt.Sprintf("photo=%s/kernel=%s/workers=%d", name, set.Name, workers), func(b *testing.B) {
					defer cpu.Limit(set.Set)()
					b.ReportAllocs()
					for b.Loop() {
						kps, descs = e.Append(kps[:0], descs[:0], img, nil)
					}
				})
			}
		}
	}
}

// BenchmarkDetect measures the search for keypoints.
func BenchmarkDetect(b *testing.B) {
	e, err := sift.New(sift.Options{})
	require.NoError(b, err)
	for name, img := range photos(b) {
		for _, set := range cpu.InstructionSets("sift") {
			if set.Name == cpu.Portable {
				continue
			}
			b.Run(fmt.Sprintf("photo=%s/kernel=%s", name, set.Name), func(b *testing.B) {
				defer cpu.Limit(set.Set)()
				for b.Loop() {
					e.Detect(img, nil)
				}
			})
		}
	}
}
