package overlay

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// marker returns one with its center at x, y and sides of 80 pixels.
func marker(id int, x, y float64) tag.Tag {
	return tag.Tag{
		ID:        id,
		Corners:   [4]geometry.Point{{X: x - 40, Y: y - 40}, {X: x + 40, Y: y - 40}, {X: x + 40, Y: y + 40}, {X: x - 40, Y: y + 40}},
		Transform: geometry.Transform{40, 0, x, 0, 40, y, 0, 0, 1},
	}
}

// TestTags checks the outlines, the dots and the numbers.
func TestTags(t *testing.T) {
	picture := filled(image.Rect(0, 0, 200, 100), black)
	Tags(picture, []tag.Tag{marker(2470, 50, 50), marker(13, 150, 50)})
	got := drawn(picture)
	for p, i := range map[image.Point]int{{10, 50}: 0, {50, 10}: 0, {90, 50}: 0, {50, 90}: 0, {12, 12}: 0, {110, 50}: 1, {112, 12}: 1} {
		require.Equal(t, warm[i], got[p], p)
	}
	for _, p := range []image.Point{{88, 12}, {88, 88}, {12, 88}} {
		require.NotContains(t, got, p, "a dot is only at the first corner")
	}
	var text strings.Builder
	for y := 44; y <= 56; y += 3 {
		for x := 30; x <= 70; x++ {
			if _, ok := got[image.Pt(x, y)]; ok {
				text.WriteByte('#')
			} else {
				text.WriteByte('.')
			}
		}
		text.WriteByte('\n')
	}
	require.Equal(t, ""+
		".#######....#.....#....#######....#######\n"+
		".......#....#.....#..........#....#.....#\n"+
		".#######....#######..........#....#.....#\n"+
		".#................#..........#....#.....#\n"+
		".#######..........#..........#....#######\n", text.String())
}

// TestOddTags draws markers that are nowhere, and one whose ID has one digit.
func TestOddTags(t *testing.T) {
	picture := filled(image.Rect(0, 0, 100, 100), black)
	Tags(picture, []tag.Tag{{}, marker(5, math.NaN(), 50), marker(5, 50, math.Inf(1))}, Pen{Color: color.White})
	require.LessOrEqual(t, len(drawn(picture)), 30, "the dot of a marker at 0, 0")
	require.PanicsWithValue(t, "overlay: nil destination", func() { Tags(nil, nil) })
}

// TestAxes checks the directions and the colors of axes.
func TestAxes(t *testing.T) {
	picture := filled(image.Rect(0, 0, 200, 200), black)
	c := camera.Camera{Fx: 100, Fy: 100, Cx: 100, Cy: 100}
	at := pose.FromQuaternion(1, 0.3, 0.3, 0, pose.Vector{0, 0, 2})
	behind := pose.Pose{R: pose.Identity().R, T: pose.Vector{0, 0, -2}}
	Axes(picture, c, []pose.Pose{at, behind}, 1)
	for k, want := range []color.RGBA{{0xff, 0x20, 0x20, 0xff}, {0x20, 0xff, 0x40, 0xff}, {0x40, 0x80, 0xff, 0xff}} {
		var end pose.Vector
		end[k] = 1
		for _, share := range []float64{0.5, 0.95} {
			tip, ok := c.Project(at.Apply(end.Scale(share)))
			require.True(t, ok)
			require.Equal(t, want, picture.RGBAAt(tip.Pt().X, tip.Pt().Y), k)
		}
		beyond, ok := c.Project(at.Apply(end.Scale(-0.3)))
		require.True(t, ok)
		require.Equal(t, black, picture.RGBAAt(beyond.Pt().X, beyond.Pt().Y), k)
	}
	require.PanicsWithValue(t, "overlay: nil destination", func() { Axes(nil, c, nil, 1) })
	require.Panics(t, func() { Axes(picture, camera.Camera{}, []pose.Pose{at}, 1) })
}
