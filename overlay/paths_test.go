package overlay

import (
	"image"
	"image/draw"
	"testing"

	"github.com/fastcorners/fast/flow"
	"github.com/stretchr/testify/require"
)

// TestLines checks which pixels lines and polygons have, and their colors.
func TestLines(t *testing.T) {
	r := image.Rect(10, 20, 60, 70)
	corner := []flow.Point{{X: 20, Y: 30}, {X: 40, Y: 30}, {X: 40, Y: 50}}
	column := []flow.Point{{X: 50, Y: 30}, {X: 50, Y: 60}}
	want := map[image.Point]int{}
	for i := 20; i <= 40; i++ {
		want[image.Pt(i, 30)], want[image.Pt(40, i+10)] = 0, 0
	}
	for y := 30; y <= 60; y++ {
		want[image.Pt(50, y)] = 1
	}
	paths := [][]flow.Point{corner, column, {{X: 15, Y: 25}}, nil, {{X: 15, Y: 65}, {X: nan, Y: 65}, {X: 15, Y: inf}}}
	picture := filled(r, black)
	Lines(picture, paths)
	got := drawn(picture)
	require.Len(t, got, len(want))
	for p, i := range want {
		require.Equal(t, warm[i], got[p], p)
	}

	for i := 21; i < 40; i++ {
		want[image.Pt(i, i+10)] = 0 // the line that closes the path
	}
	picture = filled(r, black)
	Polygons(picture, paths)
	for p, i := range want {
		require.Equal(t, warm[i], picture.RGBAAt(p.X, p.Y), p)
	}
}

// TestTracks checks that there is a dot at the end of each track.
func TestTracks(t *testing.T) {
	picture := filled(image.Rect(0, 0, 60, 40), black)
	Tracks(picture, [][]flow.Point{{{X: 10, Y: 20}, {X: 30, Y: 20}}, {{X: 50, Y: 20}}, {}, {{X: nan, Y: 3}}})
	require.Equal(t, warm[0], picture.RGBAAt(10, 20))
	require.NotContains(t, drawn(picture), image.Pt(10, 19), "there is no dot where it begins")
	require.Equal(t, warm[0], picture.RGBAAt(30, 21))
	require.Equal(t, warm[1], picture.RGBAAt(50, 19))
	require.NotContains(t, drawn(picture), image.Pt(0, 3))
}

// TestNilPathDestination checks that what has nothing to draw on panics.
func TestNilPathDestination(t *testing.T) {
	for _, draw := range []func(draw.Image, [][]flow.Point){Lines[flow.Point], Polygons[flow.Point], Tracks[flow.Point]} {
		require.PanicsWithValue(t, "overlay: nil destination", func() { draw(nil, nil) })
	}
}
