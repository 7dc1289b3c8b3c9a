package overlay

import (
	"image"
	"image/color"
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

// TestRectangles checks that the pixels at the rims are drawn, and that pens take turns.
func TestRectangles(t *testing.T) {
	picture := filled(image.Rect(0, 0, 60, 50), black)
	Rectangles(picture, []image.Rectangle{image.Rect(10, 20, 30, 40), {}, image.Rect(40, 20, 41, 21), image.Rect(50, 30, 70, 60)})
	got := drawn(picture)
	for p, i := range map[image.Point]int{
		{10, 20}: 0, {29, 20}: 0, {10, 39}: 0, {29, 39}: 0, {20, 20}: 0, {20, 39}: 0, {10, 30}: 0, {29, 30}: 0,
		{40, 20}: 2, {50, 30}: 3, {59, 30}: 3, {50, 49}: 3,
	} {
		require.Equal(t, warm[i], got[p], p)
	}
	for _, p := range []image.Point{{9, 20}, {30, 39}, {20, 30}, {11, 21}, {0, 0}, {55, 40}, {59, 49}} {
		require.NotContains(t, got, p)
	}
	require.Panics(t, func() { Rectangles(nil, nil) })
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

// TestPens checks that pens take turns, and what their zero values mean.
func TestPens(t *testing.T) {
	row := func(y float32) []flow.Point { return []flow.Point{{X: 10, Y: y}, {X: 50, Y: y}} }
	rows := [][]flow.Point{row(20), row(40), row(60), row(80)}
	clear := color.NRGBA{R: 200, B: 100, A: 50}
	picture := filled(image.Rect(0, 0, 60, 100), black)
	Lines(picture, rows, Pen{Color: clear, Width: 5}, Pen{}, Pen{Width: 3})
	for y, want := range map[int]color.RGBA{
		17: black, 18: {200, 0, 100, 255}, 22: {200, 0, 100, 255}, 23: black,
		39: black, 40: warm[1], 41: black,
		58: black, 59: warm[2], 61: warm[2], 62: black,
		78: {200, 0, 100, 255},
	} {
		require.Equal(t, want, picture.At(30, y), y)
	}

	for _, pens := range [][]Pen{{{}}, {{Width: 1}}, {{Width: -1}, {}}} {
		want, got := filled(picture.Rect, white), filled(picture.Rect, white)
		Tracks(want, rows)
		Tracks(got, rows, pens...)
		require.Equal(t, want, got)
	}

	// Dots and rings grow with the width, and rims do not.
	picture = filled(image.Rect(0, 0, 60, 60), white)
	Tracks(picture, [][]flow.Point{{{X: 30, Y: 30}}}, Pen{Color: black, Width: 4})
	require.Equal(t, black, picture.At(37, 30))
	require.NotEqual(t, white, picture.At(38, 30))
	require.Equal(t, white, picture.At(39, 30))
}

// TestNilPathDestination checks that what has nothing to draw on panics.
func TestNilPathDestination(t *testing.T) {
	for _, draw := range []func(draw.Image, [][]flow.Point, ...Pen){Lines[flow.Point], Polygons[flow.Point], Tracks[flow.Point]} {
		require.PanicsWithValue(t, "overlay: nil destination", func() { draw(nil, nil) })
	}
}
