package main

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/stretchr/testify/require"
)

// TestSets checks that the good set of photos leads to the camera that has taken them, that the bad
// one does not, which its uncertainty says, and that docs/calibration.md shows what is drawn of both.
func TestSets(t *testing.T) {
	if testing.Short() {
		t.Skip("renders photos, which takes seconds")
	}
	page, err := os.ReadFile("../../docs/calibration.md")
	require.NoError(t, err)
	for name, good := range map[string]bool{"good": true, "bad": false} {
		t.Run(name, func(t *testing.T) {
			s, _ := visit(name)
			require.Len(t, s.views, len(sets[name]))
			c, err := s.calibrate(calibrate.Options{})
			require.NoError(t, err)
			require.Less(t, c.RMS, 0.15)
			require.Equal(t, good, calibrate.Difference(c.Camera, roomLens, photoSize) < 0.2)
			uncertain := c.Suggest(boardColumns, boardRows).Before
			require.Equal(t, good, uncertain < 0.2)
			require.Contains(t, string(page), fmt.Sprintf("errors of %.2f pixels, uncertain by %.2f on average", c.RMS, uncertain))
			drawn := picture(&c).(*image.RGBA)
			shown := pictures.Load("../images/views-" + name + ".png")
			require.Equal(t, drawn.Rect, shown.Bounds())
			different := 0
			for y := range photoSize.Y {
				for x := range photoSize.X {
					if drawn.At(x, y) != drawn.ColorModel().Convert(shown.At(x, y)) {
						different++
					}
				}
			}
			// Other versions of Go may round sines otherwise.
			require.LessOrEqual(t, different, photoSize.X*photoSize.Y/1000)
		})
	}
}

// TestSave checks that a camera is the same after it is read again.
func TestSave(t *testing.T) {
	name := filepath.Join(t.TempDir(), "camera.yaml")
	want := camera.Info{Camera: roomLens, Width: photoSize.X, Height: photoSize.Y}
	save(name, want)
	file, err := os.ReadFile(name)
	require.NoError(t, err)
	got, err := camera.ReadInfo(bytes.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, want, got)
}
