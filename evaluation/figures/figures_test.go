package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fastcorners/fast/evaluation/internal/checks"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

func TestTiled(t *testing.T) {
	photos, err := tree.Photos()
	require.NoError(t, err)
	s := &session{photos: photos}
	// The pixels of 128 tiles, in two sizes, and the same again.
	histogram := func(c spec) (n [256]int) {
		list := s.tiled(c)
		require.Len(t, list, c.Frames)
		for _, img := range list {
			require.Equal(t, image.Rect(0, 0, c.W, c.H), img.Rect)
			for _, gray := range img.Pix {
				n[gray]++
			}
		}
		return n
	}
	small, large := histogram(spec{256, 256, 128, 1}), histogram(spec{1024, 512, 16, 1})
	require.Equal(t, small, large)
	require.Equal(t, s.tiled(spec{128, 128, 3, 1}), s.tiled(spec{128, 128, 3, 1}))
}

func TestNames(t *testing.T) {
	err := new(session).make([]string{"nothing"}, t.TempDir())
	require.ErrorContains(t, err, `no figure is called "nothing"; there are scaling, checks,`)
}

func TestTable(t *testing.T) {
	require.Equal(t, "| a | b |\n|---|--:|\n| x | 1 |\n| y | 2 |",
		table(1, []string{"a", "b"}, [][]string{{"x", "1"}, {"y", "2"}}))
}

func TestWriteFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for _, text := range []string{"old", "new"} {
		require.NoError(t, writeFiles(dir, map[string][]byte{"a": []byte(text), "b": nil}))
	}
	got, err := os.ReadFile(filepath.Join(dir, "a"))
	require.NoError(t, err)
	require.Equal(t, "new", string(got))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)

	require.NoError(t, os.Mkdir(filepath.Join(dir, "taken"), 0o777))
	require.Error(t, writeFiles(dir, map[string][]byte{"taken": nil}))
	entries, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 3)
}

func TestStamp(t *testing.T) {
	root, err := tree.Root()
	require.NoError(t, err)
	s := newStamp(root)
	require.Contains(t, s.line(4.1), "4.10 GHz")
	require.True(t, strings.HasPrefix(string(s.markdown("Title", 4.1, "One.", "Two.")), "# Title\n\n"+s.line(4.1)+"\n\nOne.\n\nTwo.\n"))
	require.Equal(t, "unknown", newStamp(t.TempDir()).commit)
}

func TestTicks(t *testing.T) {
	labels := func(ticks plot.ConstantTicks) (list []string) {
		for _, tick := range ticks {
			list = append(list, tick.Label)
		}
		return list
	}
	require.Equal(t, []string{"0.05", "0.1", "0.2", "0.5", "1", "2"}, labels(decades(.05, 2)))
	axis := plot.Axis{Max: 1.1}
	require.Equal(t, []string{"0", "0.5", "1", "1.5"}, labels(evenly(&axis, .5)))
	require.Equal(t, 1.5, axis.Max)
}

func TestSVG(t *testing.T) {
	c := newChart(newPlot("title", "x", "y"), newPlot("other", "", ""))
	c.note = "note"
	require.NoError(t, c.addLine("line", plotter.XYs{{X: 1, Y: 2}, {X: 3, Y: 4}}, look{blue, true, draw.CircleGlyph{}}))
	svg, err := c.svg(300, 200, 50)
	require.NoError(t, err)
	for _, text := range []string{"title", "other", "line", "note", "Arial"} {
		require.Contains(t, string(svg), text)
	}
}

func TestPicture(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 40, 30))
	data, err := picture([]panel{{"one", img}, {"two", img}, {"three", img}}, 2, []key{{color.Black, "key"}}, "note")
	require.NoError(t, err)
	got, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, 3*margin+2*40, got.Bounds().Dx())
	r, _, _, _ := got.At(margin, captionHeight).RGBA()
	require.Zero(t, r)
}

func TestHeat(t *testing.T) {
	one, all := heat(1), heat(checks.Max)
	require.Greater(t, one.G, one.R)
	require.Greater(t, all.R, all.G)
	require.Equal(t, all, heat(checks.Passed))
}

func TestStageOf(t *testing.T) {
	for name, want := range map[string]int{
		"github.com/fastcorners/fast.screenAVX512":       0,
		"github.com/fastcorners/fast.exact10SSE2":        1,
		"github.com/fastcorners/fast.compactAVX512":      2,
		"github.com/fastcorners/fast.packAVX2":           3,
		"github.com/fastcorners/fast.widenSSE2":          3,
		"github.com/fastcorners/fast.(*Detector).Append": 4,
		"github.com/fastcorners/fast.(*sieve).appendRun": 4,
		"runtime.exact": 4,
	} {
		require.Equal(t, want, stageOf(name), name)
	}
}

// TestSurvivors checks the shares of a frame with a single corner.
func TestSurvivors(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 70, 16)) // 64 by 10 pixels may be corners
	img.SetGray(20, 8, color.Gray{255})
	left := newSurvivors([]*image.Gray{img}, 25)
	require.Equal(t, []float64{1. / 640, 1. / 640}, left.of(shape{1, 1}))
	require.Equal(t, []float64{1. / 20, 1. / 20}, left.of(shape{64, 1}))
}
