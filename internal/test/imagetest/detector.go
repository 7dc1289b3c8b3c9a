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
func RequireWorkers[C comparable, D Detector[C]](t testing.TB, name string, img *image.Gray, create func(workers int) D, workers ...int) {
	t.Helper()
	mask := Disc(img.Rect)
	one := create(0)
	corners, masked, responses := one.Detect(img, nil), one.Detect(img, mask), one.Response(img)
	require.NotEmpty(t, masked, name)
	require.NotEqual(t, corners, masked, name)
	for _, n := range workers {
		d := create(n)
		RequireSame(t, corners, d.Detect(img, nil), "%s, %d workers", name, n)
		RequireSame(t, masked, d.Detect(img, mask), "%s, %d workers", name, n)
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
	wide := Photo(t, "chelsea_451x300").SubImage(image.Rect(0, 70, 451, 190)).(*image.Gray)
	images := []*image.Gray{bright, dim, wide, image.NewGray(image.Rect(0, 0, 90, 70))}
	var wants [][]C
	for _, img := range images {
		wants = append(wants, create().Detect(img, nil))
	}
	shared := create()
	var wait sync.WaitGroup
	for g := range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range images {
				i = (i + g) % len(images)
				if !slices.Equal(wants[i], shared.Detect(images[i], nil)) {
					t.Errorf("%s, image %d: other corners", name, i)
				}
			}
		}()
	}
	wait.Wait()
}

// Malformed returns images that lack pixels, have an invalid stride, or have coordinates of
// more than 32 bits.
func Malformed() []*image.Gray {
	rect := image.Rect(0, 0, 100, 90)
	pix := make([]byte, 100*90)
	list := []*image.Gray{
		{Pix: pix[1:], Stride: 100, Rect: rect},
		{Pix: pix, Stride: -100, Rect: rect},
		{Pix: pix, Stride: 100, Rect: image.Rect(0, 0, math.MaxInt32, math.MaxInt32)},
		{Pix: pix, Stride: 0, Rect: image.Rect(0, 0, 3, math.MaxInt32)},
	}
	if far := math.MaxInt; far > math.MaxInt32 {
		last := math.MaxInt32 // of the coordinates with 32 bits
		for _, origin := range []image.Point{{X: far - 100}, {Y: far - 90}, {X: math.MinInt}, {Y: math.MinInt}, {X: last - 99}, {Y: -last - 2}} {
			list = append(list, &image.Gray{Pix: pix, Stride: 100, Rect: rect.Add(origin)})
		}
	}
	return list
}

// Empty returns images without pixels, whose bounds are inverted. Some of their sides
// overflow.
func Empty() []*image.Gray {
	var list []*image.Gray
	for _, bounds := range [][4]int{
		{0, 0, 0, 0},
		{5, -5, 5, 100},
		{100, 100, 0, 0},
		{0, 100, 100, 0},
		{math.MaxInt, math.MaxInt, math.MinInt, math.MinInt},
		{math.MaxInt, 0, math.MinInt + 100, 100},
		{math.MinInt, math.MinInt, math.MinInt, math.MaxInt},
	} {
		r := image.Rectangle{image.Pt(bounds[0], bounds[1]), image.Pt(bounds[2], bounds[3])}
		list = append(list, &image.Gray{Rect: r}, &image.Gray{Stride: -1, Rect: r}, &image.Gray{Pix: make([]byte, 100), Stride: 10, Rect: r})
	}
	return list
}
