package calibration

import (
	"image"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// targetOf returns the target that a command line asks for.
func targetOf(t *testing.T, args string) Target {
	t.Helper()
	f := new(Flags)
	flags := cli.New(f.Define)
	_, err := flags.Parse(strings.Fields(args))
	require.NoError(t, err)
	target, err := f.Target(flags, 1)
	require.NoError(t, err)
	return target
}

// TestMemory checks that as much memory is reserved as is used, for noise and for large targets.
func TestMemory(t *testing.T) {
	noise := image.NewGray(image.Rect(0, 0, 1000, 800))
	state := uint32(1)
	for i := range noise.Pix {
		state = state*1664525 + 1013904223
		noise.Pix[i] = uint8(state >> 24)
	}
	for args, target := range map[string]*image.Gray{
		"":                 calibrate.Chessboard{Columns: 80, Rows: 60}.Draw(12),
		"-aprilgrid 20x20": tag.NewAprilGrid(20, 20, 10, 3).Draw(4),
		"-charuco 30x20":   tag.Charuco{Family: tag.Family{Kind: tag.ArUco4x4}, Columns: 30, Rows: 20, Square: 4, Marker: 3}.Draw(4),
	} {
		for _, img := range []*image.Gray{noise, target} {
			found := targetOf(t, args)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			found.Find(img)
			runtime.ReadMemStats(&after)
			used := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(img.Pix))
			require.LessOrEqual(t, used, float64(found.Memory()))
		}
	}
}

// square returns what is seen of a board of 4 by 3 corners that are 10 pixels apart, from x on.
func square(x float64) Seen {
	s := Seen{Columns: 4, Rows: 3}
	for i := range 12 {
		column, row := float64(i%4), float64(i/4)
		s.World = append(s.World, pose.Vector{column, row})
		s.Image = append(s.Image, geometry.Point{X: x + 10*column, Y: 10 * row})
	}
	return s
}

// TestDistance checks how far apart two views are.
func TestDistance(t *testing.T) {
	a, b := square(0), square(3)
	require.InDelta(t, 3, distance(&a, &b), 1e-12)
	b.World, b.Image = b.World[6:], b.Image[6:]
	require.InDelta(t, 3, distance(&a, &b), 1e-12)
	b.World, b.Image = b.World[1:], b.Image[1:]
	require.True(t, math.IsInf(distance(&a, &b), 1), "less than half")
	b = square(0)
	b.Rows = 4
	require.True(t, math.IsInf(distance(&a, &b), 1))
	require.True(t, math.IsInf(distance(new(Seen), new(Seen)), 1))
}

// TestSelection checks which frames are taken, of 1000 pixels.
func TestSelection(t *testing.T) {
	s := Selection{Limit: 3}
	frame := 0
	show := func(places ...float64) {
		for _, x := range places {
			i := Image{Frame: frame, Size: image.Pt(1000, 800)}
			if x >= 0 {
				i.Seen = square(x)
			}
			s.Add(i)
			frame++
		}
	}
	taken := func() (list []int) {
		for _, i := range s.Taken() {
			list = append(list, i.Frame)
		}
		return list
	}
	show(100, 106, 112, 112, 112, 116) // it moves by more than 5 until frame 3
	require.Equal(t, []int{3}, taken())
	show(-1, 160, -1, 160, 160) // hidden, until frame 10
	require.Equal(t, []int{3, 10}, taken())
	show(140, 141, 200, 200) // as before, and then frame 14
	require.Equal(t, []int{3, 10, 14}, taken())
	require.Equal(t, []int{13, 6}, []int{s.Found, s.Still})
	show(400, 400) // those of 160 and 200 are most alike
	require.Equal(t, []int{3, 10, 16}, taken())
}

// TestChoose checks which images count, and what is said of others.
func TestChoose(t *testing.T) {
	image := func(width, columns int) Image {
		i := Image{Size: image.Pt(width, 480), Seen: square(0)}
		i.Columns = columns
		return i
	}
	images := []Image{image(640, 5), image(800, 4), image(640, 4), image(800, 4), image(640, 4), image(640, 5), {Size: image(640, 4).Size, Note: "no board"}}
	images[6].World = nil
	var used []bool
	var notes []string
	for _, i := range Choose(images) {
		require.True(t, i.Used)
	}
	for _, i := range images {
		used, notes = append(used, i.Used), append(notes, i.Note)
	}
	require.Equal(t, []bool{true, false, false, false, false, true, false}, used, "of 5 and 4 columns, the first one")
	require.Equal(t, []string{"", "not of 640 x 480 pixels", "not a board of 5x3", "not of 640 x 480 pixels", "not a board of 5x3", "", "no board"}, notes)
	require.Empty(t, Choose(nil))
}

// TestLean checks how it is said to hold a board.
func TestLean(t *testing.T) {
	for want, h := range map[string]calibrate.Hint{
		"facing the camera":                        {},
		"its top leaning away by 35 degrees":       {TiltX: 35},
		"its left side leaning away by 35 degrees": {TiltY: -35},
		"its bottom leaning away by 25 degrees and its right side leaning away by 25 degrees": {TiltX: -25, TiltY: 25},
	} {
		require.Equal(t, want, lean(h))
	}
}

// TestVerdict checks what is said of a camera that cannot be trusted.
func TestVerdict(t *testing.T) {
	r := &Result{
		Calibration: calibrate.Calibration{RMS: 1.5, Sigma: 1, Beyond: 3, Bend: [2]float64{0.5, -0.25}},
		Views: []*Image{
			{Name: "a", Influence: 5.1, Errors: make([]geometry.Point, 4)}, {Name: "b", Influence: 5}, {Name: "c", Influence: math.Inf(1)},
		},
		Middle: 0.123456, Worst: 12.3456, WorstAt: geometry.Point{X: 639},
		Halves: &calibrate.Halves{Difference: 3.1, Predicted: 1},
		Hint:   calibrate.Hint{At: geometry.Point{X: 320, Y: 240}, TiltX: 35, Size: 0.35, Before: 6.6, After: 0.72},
	}
	name := func(i *Image) string { return i.Name }
	require.Equal(t, []string{
		"errors: 1.500 px (rms) of 4 corners in 3 views; the noise (sigma) is 1.000 px",
		"uncertainty: 0.123 px in the middle, 12.3 px at worst, at 639,0",
		"the search has not converged: views contradict each other, or the model is wrong",
		"3 corners lie beyond the end of the model: fewer coefficients (-distortion) or another model suits better",
		"the middle of the board is above its edges by 0.5 along its rows, and -0.25 along its columns",
		"the cameras of the even and of the odd views differ by 3.1 px, 1 px predicted: the model is wrong, or a view",
		"look at a, without which the camera would be another one (influence over 5)",
		"the next view: the board's middle at 320,240, its width 35 % of the image's, its top leaning away by 35 degrees; the mean uncertainty falls from 6.6 to 0.72 px",
	}, r.Verdict(name))
	r.Halves.Difference, r.Hint.After = 3, r.Hint.Before
	lines := r.Verdict(name)
	require.Len(t, lines, 7)
	require.Contains(t, lines[5], ": that fits")
	r = &Result{Calibration: calibrate.Calibration{Converged: true}}
	require.Len(t, r.Verdict(name), 2)
}
