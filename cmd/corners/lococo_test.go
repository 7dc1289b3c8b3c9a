package main

import (
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/stretchr/testify/require"
)

// lococoCorners returns the corners that package lococo finds in the program's photo.
func lococoCorners(t *testing.T, opts lococo.Options, mask *image.Gray) []lococo.Corner {
	t.Helper()
	d, err := lococo.New(opts)
	require.NoError(t, err)
	return d.Detect(fast.Gray(decodedPhoto(t)), mask)
}

func TestLoCoCoTable(t *testing.T) {
	inTempDir(t)
	status, stdout, stderr := corners(t, "-method", "lococo")
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	list := lococoCorners(t, lococo.Options{}, nil)
	require.NotEmpty(t, list)
	lines := strings.Split(stdout, "\n")
	require.Equal(t, []string{"IMAGE", "SIZE", "CORNERS", "NS/PIXEL"}, strings.Fields(lines[0]))
	require.Regexp(t, fmt.Sprintf(`^%s +512x512 +%d +\d+\.\d{3}$`, files.PhotoName, len(list)), lines[1])
	require.Equal(t, "wrote corners.png", lines[2])
	strongest := filetest.ReadPNG(t, "corners.png").At(int(list[0].X), int(list[0].Y))
	require.Equal(t, color.RGBA{0xff, 0x20, 0x20, 0xff}, color.RGBAModel.Convert(strongest))
}

func TestLoCoCoCSV(t *testing.T) {
	inTempDir(t)
	for _, subpixel := range []bool{false, true} {
		status, stdout, stderr := corners(t, "-method=lococo", "-corners=50", "-format=csv", fmt.Sprint("-subpixel=", subpixel))
		require.Zero(t, status, stderr)
		rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"image", "x", "y", "response", "kernel_size"}, rows[0])
		list := lococoCorners(t, lococo.Options{MaxCorners: 50, Subpixel: subpixel}, nil)
		require.Len(t, list, 50)
		require.Len(t, rows, 51)
		fractions := 0
		for i, c := range list {
			row := rows[1+i]
			require.Equal(t, []string{
				files.PhotoName, fmt.Sprint(float32(c.X) + c.DX), fmt.Sprint(float32(c.Y) + c.DY), fmt.Sprint(c.Response), "9",
			}, row)
			fractions += strings.Count(row[1]+row[2], ".")
		}
		require.Equal(t, subpixel, fractions > 50)
	}
}

// All flags arrive, and are in the report.
func TestLoCoCoJSON(t *testing.T) {
	inTempDir(t)
	where := image.Rect(0, 0, 300, 512)
	writeMask(t, "mask.png", image.NewGray(image.Rect(0, 0, 512, 512)), where, color.White)
	mask := image.NewGray(image.Rect(0, 0, 512, 512))
	for y := range 512 {
		for x := range 300 {
			mask.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	for name, measure := range map[string]harris.Measure{
		"harris":         harris.Harris,
		"min-eigenvalue": harris.MinEigenvalue,
		"noble":          harris.Noble,
		"det-over-trace": harris.DetOverTrace,
	} {
		status, stdout, stderr := corners(t, "-method", "lococo", "-format", "json", "-mask", "mask.png", "-workers", "2",
			"-kernel-size", "5, 13", "-window", "7", "-measure", name, "-k", "0.06", "-quality", "0.02", "-radius", "6", "-corners", "70", "-subpixel")
		require.Zero(t, status, stderr)
		require.Empty(t, stderr)
		want := lococoObject{
			imageObject: imageObject{Image: files.PhotoName, Width: 512, Height: 512, Method: "lococo"},
			MaxCorners:  70, KernelSizes: []int{5, 13}, Window: 7, Measure: name, K: 0.06, Quality: 0.02, Radius: 6, Subpixel: true,
		}
		for _, c := range lococoCorners(t, lococo.Options{
			KernelSizes: []int{5, 13}, BlockSize: 7, Measure: measure, K: 0.06, Quality: 0.02, SuppressionRadius: 6, MaxCorners: 70, Subpixel: true,
		}, mask) {
			want.Corners = append(want.Corners, lococoCorner{float32(c.X) + c.DX, float32(c.Y) + c.DY, c.Response, c.KernelSize})
		}
		require.NotEmpty(t, want.Corners)
		var objects []lococoObject
		decodeJSON(t, stdout, &objects)
		require.Equal(t, []lococoObject{want}, objects)
	}
}

// What the program says without flags are the defaults of package lococo.
func TestLoCoCoDefaults(t *testing.T) {
	inTempDir(t)
	status, stdout, _ := corners(t, "-method", "lococo", "-format", "json")
	require.Zero(t, status)
	var objects []lococoObject
	decodeJSON(t, stdout, &objects)
	list := lococoCorners(t, lococo.Options{}, nil)
	require.Len(t, objects[0].Corners, len(list))
	for i, c := range objects[0].Corners {
		require.Equal(t, list[i], lococo.Corner{X: int32(c.X), Y: int32(c.Y), Response: c.Response, KernelSize: c.KernelSize})
	}
}

func TestLoCoCoUsageErrors(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	for _, test := range []struct{ args, says string }{
		{"-corners -1", "invalid value -1 for flag -corners: want 0 or more"},
		{"-kernel-size nine", `invalid value "nine" for flag -kernel-size: want numbers with commas between them`},
		{"-kernel-size 5,", "-kernel-size"},
		{"-kernel-size 8", "invalid value [8] for flag -kernel-size: want different odd numbers from 3 to 63"},
		{"-kernel-size 5,5", "invalid value [5 5] for flag -kernel-size: want different odd numbers from 3 to 63"},
		{"-window 4", "invalid value 4 for flag -window: want an odd number from 3 to 63"},
		{"-measure trace", `invalid value "trace" for flag -measure: want min-eigenvalue, harris, noble or det-over-trace`},
		{"-measure default", `invalid value "default" for flag -measure: want min-eigenvalue, `},
		{"-k 0", "invalid value 0 for flag -k: want more than 0, up to 1"},
		{"-quality 2", "invalid value 2 for flag -quality: want more than 0, up to 1"},
		{"-radius 0", "invalid value 0 for flag -radius: want 1 to 32"},
		{"-block 3", "flag -block is not for method lococo"},
	} {
		status, stdout, stderr := corners(t, append(strings.Fields(test.args), "a.png", "-method", "lococo")...)
		require.Equal(t, 2, status, test.args)
		require.Empty(t, stdout, test.args)
		require.Contains(t, stderr, test.says)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}
