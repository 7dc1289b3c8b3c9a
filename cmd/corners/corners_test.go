package main

import (
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

// harrisMeasures are the measures of the methods of package harris.
var harrisMeasures = map[string]harris.Measure{"harris": harris.Harris, "shi-tomasi": harris.MinEigenvalue}

// harrisCorners returns the corners that package harris finds in the program's photo.
func harrisCorners(t *testing.T, opts harris.Options, mask *image.Gray) []harris.Corner {
	t.Helper()
	d, err := harris.New(opts)
	require.NoError(t, err)
	return d.Detect(fast.Gray(decodedPhoto(t)), mask)
}

func TestHarrisTable(t *testing.T) {
	for name, measure := range harrisMeasures {
		inTempDir(t)
		filetest.WriteSquare(t, "a.png")
		filetest.Write(t, "b.png", files.OwnPhoto)
		status, stdout, stderr := corners(t, "-method", name, "-o", "out", "a.png", "b.png")
		require.Zero(t, status, stderr)
		require.Empty(t, stderr)
		list := harrisCorners(t, harris.Options{Measure: measure, MinDistance: 10}, nil)
		lines := strings.Split(stdout, "\n")
		require.Len(t, lines, 5)
		require.Equal(t, []string{"IMAGE", "SIZE", "CORNERS", "NS/PIXEL"}, strings.Fields(lines[0]))
		require.Regexp(t, `^a\.png +40x30 +4 +\d+\.\d{3}$`, lines[1])
		require.Regexp(t, fmt.Sprintf(`^b\.png +512x512 +%d +\d+\.\d{3}$`, len(list)), lines[2])
		require.Equal(t, "wrote 2 pictures into out", lines[3])
		require.Equal(t, []string{"a.png", "b.png", "out/a-corners.png", "out/b-corners.png"}, filetest.List(t))

		// In the middle of each ring there is a dot, red for the strongest corner.
		picture := filetest.ReadPNG(t, "out/b-corners.png")
		require.Equal(t, image.Rect(0, 0, 512, 512), picture.Bounds())
		for i, c := range list {
			dot := color.NRGBAModel.Convert(picture.At(int(c.X), int(c.Y))).(color.NRGBA)
			require.False(t, dot.R == dot.G && dot.G == dot.B, "corner %d, on a gray photo", i)
			require.Equal(t, i == 0, dot == color.NRGBA{0xff, 0x20, 0x20, 0xff}, "corner %d", i)
		}
	}
}

func TestHarrisCSV(t *testing.T) {
	inTempDir(t)
	for name, measure := range harrisMeasures {
		status, stdout, stderr := corners(t, "-method", name, "-corners=90", "-format=csv", "-no-picture")
		require.Zero(t, status, stderr)
		require.Empty(t, stderr)
		rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"image", "x", "y", "response"}, rows[0])
		list := harrisCorners(t, harris.Options{Measure: measure, MaxCorners: 90, MinDistance: 10}, nil)
		require.Len(t, list, 90)
		require.Len(t, rows, 1+len(list))
		for i, row := range rows[1:] {
			require.Equal(t, []string{files.PhotoName, fmt.Sprint(list[i].X), fmt.Sprint(list[i].Y)}, row[:3])
			response, err := strconv.ParseFloat(row[3], 32)
			require.NoError(t, err)
			require.Equal(t, list[i].Response, float32(response))
		}
	}
}

// All flags arrive, and are in the report.
func TestHarrisJSON(t *testing.T) {
	inTempDir(t)
	where := image.Rect(0, 0, 512, 250) // not where the strongest corners are
	writeMask(t, "mask.png", image.NewGray(image.Rect(0, 0, 512, 512)), where, color.White)
	mask := image.NewGray(image.Rect(0, 0, 512, 512))
	for y := range 250 {
		for x := range 512 {
			mask.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	for i, gradient := range []string{"sobel3", "sobel5", "sobel7", "scharr", "gaussian"} {
		for name, measure := range harrisMeasures {
			if testing.Short() && (name == "harris") != (i%2 == 0) {
				continue
			}
			args := []string{
				"-format", "json", "-method", name, "-mask", "mask.png", "-workers", "2", "-corners", "80",
				"-quality", "0.1", "-distance", "4.5", "-block", "5", "-gradient", gradient,
			}
			want := harrisObject{
				imageObject: imageObject{Image: files.PhotoName, Width: 512, Height: 512, Method: name},
				MaxCorners:  80, Quality: 0.1, Distance: 4.5, Block: 5, Gradient: gradient,
			}
			opts := harris.Options{
				Measure: measure, Gradient: harris.Gradient(i), BlockSize: 5,
				Quality: 0.1, MinDistance: 4.5, MaxCorners: 80,
			}
			if name == "harris" {
				args = append(args, "-k", "0.06")
				want.K, opts.K = 0.06, 0.06
			}
			said := ""
			if i == 0 {
				args = append(args, "-o", ".")
				want.Picture, said = "corners.png", "wrote corners.png\n"
			}
			status, stdout, stderr := corners(t, args...)
			require.Zero(t, status, stderr)
			require.Equal(t, said, stderr)
			for _, c := range harrisCorners(t, opts, mask) {
				want.Corners = append(want.Corners, harrisCorner(c))
			}
			require.NotEmpty(t, want.Corners)
			var objects []harrisObject
			decodeJSON(t, stdout, &objects)
			require.Equal(t, []harrisObject{want}, objects)
			require.Contains(t, stdout, `"gradient":"`+gradient+`"`)
			require.Equal(t, name == "harris", strings.Contains(stdout, `"k":`))
		}
	}
}

// What the program says without flags are the defaults of package harris, but for the
// distance.
func TestHarrisDefaults(t *testing.T) {
	inTempDir(t)
	for name, measure := range harrisMeasures {
		for args, distance := range map[string]float64{"-workers 1": 10, "-distance 0": 0} {
			args := append(strings.Fields(args), "-method", name, "-format", "json", "-no-picture")
			status, stdout, _ := corners(t, args...)
			require.Zero(t, status)
			var objects []harrisObject
			decodeJSON(t, stdout, &objects)
			list := harrisCorners(t, harris.Options{Measure: measure, MinDistance: distance}, nil)
			require.Len(t, objects[0].Corners, len(list))
			for i, c := range objects[0].Corners {
				require.Equal(t, list[i], harris.Corner(c))
			}
		}
	}
}

// Responses where there is nothing to be found do not raise the threshold for others.
func TestHarrisMask(t *testing.T) {
	inTempDir(t)
	left := image.Rect(0, 0, 60, 120)
	img := image.NewGray(image.Rect(0, 0, 120, 120))
	for y := 40; y < 80; y++ {
		for x := 20; x < 40; x++ {
			img.SetGray(x, y, color.Gray{Y: 10})
			img.SetGray(x+60, y, color.Gray{Y: 250})
		}
	}
	writeMask(t, "a.png", img, image.Rectangle{}, color.Black)
	writeMask(t, "mask.png", image.NewGray(img.Rect), left, color.White)
	for name := range harrisMeasures {
		for _, test := range []struct {
			args  string
			right bool
		}{{"a.png", true}, {"-mask mask.png a.png", false}} {
			args := append([]string{"-method", name, "-format=json", "-no-picture"}, strings.Fields(test.args)...)
			status, stdout, stderr := corners(t, args...)
			require.Zero(t, status, stderr)
			var objects []harrisObject
			decodeJSON(t, stdout, &objects)
			require.Len(t, objects[0].Corners, 4)
			for _, c := range objects[0].Corners {
				require.Equal(t, test.right, c.X >= 60)
			}
		}
	}
}

func TestHarrisBadFiles(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.Write(t, "text.png", []byte("not an image\n"))
	for name := range harrisMeasures {
		for format, want := range map[string]string{"table": "", "csv": "image,x,y,response\n", "json": "[]\n"} {
			status, stdout, stderr := corners(t, "-method", name, "-format", format, "text.png")
			require.Equal(t, 1, status)
			require.Equal(t, want, stdout)
			require.Equal(t, "corners: text.png: not an image, or of a format that is not read\n", stderr)
		}
		status, stdout, stderr := corners(t, "-method", name, "-no-picture", "-mask", "a.png")
		require.Equal(t, 1, status)
		require.Empty(t, stdout)
		require.Equal(t, "corners: "+files.PhotoName+": 512 x 512 pixels, but the mask a.png has 40 x 30\n", stderr)
	}
}

func TestHarrisHelp(t *testing.T) {
	for name := range harrisMeasures {
		_, stdout, _ := corners(t, "-method", name, "-h")
		for gradient := range harris.Gaussian + 1 {
			require.Contains(t, stdout, gradient.String())
		}
		require.Equal(t, name == "harris", strings.Contains(stdout, "\n  -k K "))
		require.Contains(t, stdout, "\n  corners -method "+name+" -corners 500 ")
	}
}

func TestHarrisUsageErrors(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	for _, test := range []struct{ method, args, says string }{
		{"harris", "-corners -1", "invalid value -1 for flag -corners: want 0 or more"},
		{"harris", "-quality 0", "invalid value 0 for flag -quality: want more than 0, up to 1"},
		{"harris", "-quality 1.5", "invalid value 1.5 for flag -quality: want more than 0, up to 1"},
		{"harris", "-quality NaN", "invalid value NaN for flag -quality"},
		{"harris", "-distance -1", "invalid value -1 for flag -distance: want 0 or more"},
		{"harris", "-distance NaN", "invalid value NaN for flag -distance: want 0 or more"},
		{"harris", "-distance Inf", "invalid value +Inf for flag -distance: want 0 or more"},
		{"harris", "-block 0", "invalid value 0 for flag -block: want 1 to 31"},
		{"harris", "-block 32", "invalid value 32 for flag -block: want 1 to 31"},
		{"harris", "-k 0", "invalid value 0 for flag -k: want more than 0, up to 1"},
		{"harris", "-k 2", "invalid value 2 for flag -k: want more than 0, up to 1"},
		{
			"harris", "-gradient prewitt",
			`invalid value "prewitt" for flag -gradient: unknown Gradient "prewitt", not one of sobel3, sobel5, sobel7, scharr, gaussian`,
		},
		{"harris", "-threshold 9", "flag -threshold is not for method harris"},
		{"shi-tomasi", "-quality -1", "invalid value -1 for flag -quality: want more than 0, up to 1"},
		{"shi-tomasi", "-k 0.04", "flag -k is not for method shi-tomasi"},
		{"shi-tomasi", "-features 9", "flag -features is not for method shi-tomasi"},
		{"orb", "-quality 0.1", "flag -quality is not for method orb"},
		{"harris", "-radius 3", "flag -radius is not for method harris"},
	} {
		args := append([]string{"-no-picture", "-method", test.method}, strings.Fields(test.args)...)
		status, stdout, stderr := corners(t, append(args, "a.png")...)
		require.Equal(t, 2, status, args)
		require.Empty(t, stdout, args)
		require.Contains(t, stderr, test.says)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

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
