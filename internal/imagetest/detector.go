package imagetest

import (
	"image"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A Detector finds corners by their responses.
type Detector[C any] interface {
	Detect(img, mask *image.Gray) []C
	Response(img *image.Gray) []float32
}

// RequireWorkers fails the test unless detectors with the given numbers of workers find in
// an image what a detector with a single worker finds. create returns a detector with that
// number of workers.
func RequireWorkers[C any, D Detector[C]](t testing.TB, name string, img *image.Gray, create func(workers int) D, workers ...int) {
	t.Helper()
	mask := Disc(img.Rect)
	one := create(0)
	corners, masked, responses := one.Detect(img, nil), one.Detect(img, mask), one.Response(img)
	require.NotEmpty(t, masked, name)
	require.NotEqual(t, corners, masked, name)
	for _, n := range workers {
		d := create(n)
		require.Equal(t, corners, d.Detect(img, nil), "%s, %d workers", name, n)
		require.Equal(t, masked, d.Detect(img, mask), "%s, %d workers", name, n)
		require.True(t, slices.Equal(responses, d.Response(img)), "%s, %d workers", name, n)
	}
}

// RequireConcurrent fails the test unless goroutines that share a detector find what a
// detector of their own finds, in images of different sizes and contrast. create returns a
// new detector.
func RequireConcurrent[C comparable, D Detector[C]](t testing.TB, name string, create func() D) {
	t.Helper()
	bright := Photo(t, "coffee_600x400").SubImage(image.Rect(200, 100, 400, 252)).(*image.Gray)
	dim := image.NewGray(image.Rect(0, 0, 200, 140))
	for i := range dim.Pix {
		dim.Pix[i] = bright.Pix[i%dim.Stride+i/dim.Stride*bright.Stride] / 8
	}
	images := []*image.Gray{bright, dim, Photo(t, "chelsea_451x300"), image.NewGray(image.Rect(0, 0, 90, 70))}
	var wants [][]C
	for _, img := range images {
		wants = append(wants, create().Detect(img, nil))
	}
	shared := create()
	var wait sync.WaitGroup
	for g := range 3 {
		wait.Go(func() {
			for i := range images {
				i = (i + g) % len(images)
				if !slices.Equal(wants[i], shared.Detect(images[i], nil)) {
					t.Errorf("%s, image %d: other corners", name, i)
				}
			}
		})
	}
	wait.Wait()
}

// Malformed returns images that lack pixels or have an invalid stride.
func Malformed() []*image.Gray {
	rect := image.Rect(0, 0, 100, 90)
	pix := make([]byte, 100*90)
	return []*image.Gray{
		{Pix: pix[1:], Stride: 100, Rect: rect},
		{Pix: pix, Stride: -100, Rect: rect},
		{Pix: pix, Stride: 100, Rect: image.Rect(0, 0, math.MaxInt32, math.MaxInt32)},
		{Pix: pix, Stride: 0, Rect: image.Rect(0, 0, 3, math.MaxInt32)},
	}
}
