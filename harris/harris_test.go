package harris_test

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// cases are the options for OpenCV's lists of corners, by the suffixes of their file names.
var cases = map[string]harris.Options{
	"mineig":         harris.GoodFeatures(1000, 0.01, 10),
	"harris":         {Measure: harris.Harris, MaxCorners: 1000, MinDistance: 10},
	"mineig-all-d1":  harris.GoodFeatures(0, 0.05, 1),
	"mineig-b2-d5.5": {BlockSize: 2, MaxCorners: 500, MinDistance: 5.5},
	"harris-b5":      {Measure: harris.Harris, BlockSize: 5, MaxCorners: 500, Quality: 0.001, MinDistance: 10},
	"mineig-b7-g5":   {BlockSize: 7, Gradient: harris.Sobel5, MaxCorners: 500, MinDistance: 10},
	"harris-b3-g7":   {Measure: harris.Harris, Gradient: harris.Sobel7, MaxCorners: 500, MinDistance: 7},
	"mineig-mask":    harris.GoodFeatures(300, 0.01, 10),
}

func detector(t testing.TB, opts harris.Options) *harris.Detector {
	t.Helper()
	d, err := harris.New(opts)
	require.NoError(t, err)
	return d
}

// TestGolden compares lists of corners with OpenCV's. Few differ, and only in the order of
// corners whose responses agree to six digits.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.good-*")
	require.NoError(t, err)
	require.Len(t, files, 40)
	differ := 0
	for _, file := range files {
		if testing.Short() && !strings.Contains(file, "chelsea") {
			continue
		}
		name, kind, _ := strings.Cut(filepath.Base(file), ".good-")
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		opts, ok := cases[kind]
		require.True(t, ok, kind)
		img := imagetest.Photo(t, name)
		var mask *image.Gray
		if kind == "mineig-mask" {
			mask = imagetest.Disc(img.Rect)
		}
		corners := detector(t, opts).Detect(img, mask)
		byPlace := map[string]harris.Corner{}
		var got strings.Builder
		for _, c := range corners {
			line := fmt.Sprintf("%d %d\n", c.X, c.Y)
			byPlace[line] = c
			got.WriteString(line)
		}
		if got.String() == string(data) {
			continue
		}
		differ++
		t.Log(file)
		want := strings.SplitAfter(string(data), "\n")
		require.Len(t, corners, len(want)-1, file)
		for i, c := range corners {
			other, ok := byPlace[want[i]]
			require.True(t, ok, "%s lacks %s", file, want[i])
			require.InEpsilon(t, c.Response, other.Response, 1e-6, file)
		}
	}
	require.LessOrEqual(t, differ, 3)
}

// TestDilated compares the corners of the preset IRGPU with those of an implementation in
// float64.
func TestDilated(t *testing.T) {
	files, err := filepath.Glob("testdata/*.dilated")
	require.NoError(t, err)
	require.Len(t, files, 4)
	d := detector(t, harris.IRGPU(border.Reflect101))
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		corners := d.Detect(imagetest.Photo(t, strings.TrimSuffix(filepath.Base(file), ".dilated")), nil)
		want := strings.Split(strings.TrimSpace(string(data)), "\n")
		require.Len(t, corners, len(want), file)
		for i, line := range want {
			var x, y int32
			var response float64
			_, err := fmt.Sscan(line, &x, &y, &response)
			require.NoError(t, err)
			require.Equal(t, image.Pt(int(x), int(y)), corners[i].Pt(), "%s: corner %d", file, i)
			require.InEpsilon(t, response, corners[i].Response, 1e-5, file)
		}
	}
}
