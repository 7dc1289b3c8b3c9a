package main

import (
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

// vpiCorners returns the corners that package vpi finds in the program's photo.
func vpiCorners(t *testing.T, opts vpi.Options) []vpi.Corner {
	t.Helper()
	d, err := vpi.New(opts)
	require.NoError(t, err)
	return d.Detect(fast.Gray(decodedPhoto(t)))
}

func TestVPITable(t *testing.T) {
	inTempDir(t)
	status, stdout, stderr := corners(t, "-method", "vpi")
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	list := vpiCorners(t, vpi.Options{})
	require.NotEmpty(t, list)
	lines := strings.Split(stdout, "\n")
	require.Equal(t, []string{"IMAGE", "SIZE", "CORNERS", "NS/PIXEL"}, strings.Fields(lines[0]))
	require.Regexp(t, fmt.Sprintf(`^%s +512x512 +%d +\d+\.\d{3}$`, files.PhotoName, len(list)), lines[1])
	require.Equal(t, "wrote corners.png", lines[2])
	strongest := slices.MaxFunc(list, func(a, b vpi.Corner) int { return int(a.Score) - int(b.Score) })
	require.Equal(t, color.RGBA{0xff, 0x20, 0x20, 0xff},
		color.RGBAModel.Convert(filetest.ReadPNG(t, "corners.png").At(int(strongest.X), int(strongest.Y))))
}

func TestVPICSV(t *testing.T) {
	inTempDir(t)
	status, stdout, stderr := corners(t, "-method=vpi", "-radius=2", "-threshold=30", "-strongest=60", "-format=csv")
	require.Zero(t, status, stderr)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"image", "x", "y", "score"}, rows[0])
	list := vpiCorners(t, vpi.Options{CircleRadius: 2, Threshold: 30, Strongest: true, MaxCorners: 60})
	require.Len(t, list, 60)
	require.Len(t, rows, 61)
	for i, c := range list {
		require.Equal(t, []string{files.PhotoName, fmt.Sprint(c.X), fmt.Sprint(c.Y), fmt.Sprint(c.Score)}, rows[1+i])
	}
}

// All flags arrive, and are in the report.
func TestVPIJSON(t *testing.T) {
	inTempDir(t)
	where := image.Rect(0, 0, 300, 512)
	writeMask(t, "mask.png", image.NewGray(image.Rect(0, 0, 512, 512)), where, color.White)
	for name, mode := range map[string]border.Mode{
		"limited": border.Limited, "constant": border.Constant, "replicate": border.Replicate, "reflect": border.Reflect, "reflect101": border.Reflect101,
	} {
		for radius, arc := range map[int]int{1: 5, 2: 7, 3: 9} {
			if testing.Short() && radius != 1+len(name)%3 {
				continue
			}
			given, nonmax := 0, true
			if (len(name)+radius)%2 == 0 {
				arc, given, nonmax = 6, 6, false
			}
			status, stdout, stderr := corners(t, "-method", "vpi", "-format", "json", "-mask", "mask.png", "-workers", "2",
				"-radius", fmt.Sprint(radius), "-arc", fmt.Sprint(given), "-threshold", "25.5", "-border", name, fmt.Sprint("-nonmax=", nonmax))
			require.Zero(t, status, stderr)
			require.Empty(t, stderr)
			want := vpiObject{
				imageObject: imageObject{Image: files.PhotoName, Width: 512, Height: 512, Method: "vpi"},
				Radius:      radius, Arc: arc, Threshold: 25.5, Border: name, Nonmax: nonmax,
			}
			for _, c := range vpiCorners(t, vpi.Options{
				CircleRadius: radius, ArcLength: arc, Threshold: 25.5, Border: mode, NoSuppression: !nonmax,
			}) {
				if c.Pt().In(where) {
					want.Corners = append(want.Corners, vpiCorner(c))
				}
			}
			require.NotEmpty(t, want.Corners)
			var objects []vpiObject
			decodeJSON(t, stdout, &objects)
			require.Equal(t, []vpiObject{want}, objects)
		}
	}
}

// What the program says without flags are the defaults of package vpi, and 0 is a threshold.
func TestVPIDefaults(t *testing.T) {
	inTempDir(t)
	for threshold, opts := range map[string]vpi.Options{"10": {}, "0": {Threshold: -1}} {
		status, stdout, _ := corners(t, "-method", "vpi", "-format", "json", "-threshold", threshold)
		require.Zero(t, status)
		var objects []vpiObject
		decodeJSON(t, stdout, &objects)
		list := vpiCorners(t, opts)
		require.Len(t, objects[0].Corners, len(list))
		for i, c := range objects[0].Corners {
			require.Equal(t, list[i], vpi.Corner(c))
		}
	}
}

func TestVPIUsageErrors(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	for _, test := range []struct{ args, says string }{
		{"-radius 4", "invalid value 4 for flag -radius: want 1 to 3"},
		{"-radius 0", "invalid value 0 for flag -radius: want 1 to 3"},
		{"-arc -1", "invalid value -1 for flag -arc: want 0 or more"},
		{"-radius 1 -arc 9", "invalid value 9 for flag -arc: want 1 to 8"},
		{"-threshold -1", "invalid value -1 for flag -threshold: want 0 to 255"},
		{"-threshold 256", "invalid value 256 for flag -threshold: want 0 to 255"},
		{"-threshold NaN", "invalid value NaN for flag -threshold"},
		{"-border wrap", `invalid value "wrap" for flag -border: want limited, constant, replicate, reflect or reflect101`},
		{"-border default", `invalid value "default" for flag -border: want limited, constant, `},
		{"-strongest -1", "invalid value -1 for flag -strongest: want 0 or more"},
		{"-spread 5", "flag -spread is not for method vpi"},
	} {
		status, stdout, stderr := corners(t, append(strings.Fields(test.args), "a.png", "-method", "vpi")...)
		require.Equal(t, 2, status, test.args)
		require.Empty(t, stdout, test.args)
		require.Contains(t, stderr, test.says)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}
