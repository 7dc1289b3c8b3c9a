package vpi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

func detector(t testing.TB, opts vpi.Options) *vpi.Detector {
	t.Helper()
	d, err := vpi.New(opts)
	require.NoError(t, err)
	return d
}

// threshold returns the option that stands for a threshold.
func threshold(t float32) float32 {
	if t == 0 {
		return -1
	}
	return t
}

// convert returns the pixels of a photo as those of the golden results: of a type that
// VPI calls u8, s8, u16 or s16.
func convert(photo *image.Gray, kind string) vpi.Image {
	n := len(photo.Pix)
	s8, s16 := make([]int8, n), make([]int16, n)
	u16 := image.NewGray16(photo.Rect)
	for i, p := range photo.Pix {
		s8[i] = int8(int(p) - 128)
		s16[i] = int16(257*int(p) + math.MinInt16)
		u16.Pix[2*i], u16.Pix[2*i+1] = p, p
	}
	switch kind {
	case "u8":
		return vpi.Of(photo)
	case "s8":
		return vpi.Plane(s8, photo.Stride, photo.Rect)
	case "u16":
		return vpi.Of(u16)
	case "s16":
		return vpi.Plane(s16, photo.Stride, photo.Rect)
	}
	panic(kind)
}

// TestGolden compares corners with those of an independent implementation.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var results []struct {
		Photo, Type string
		Border      string
		Radius, Arc int
		Threshold   float32
		Suppression bool
		Corners     int
		SHA256      string
	}
	require.NoError(t, json.Unmarshal(data, &results))
	require.Len(t, results, 282)
	modes := map[string]border.Mode{ // by NVIDIA's names
		"limited": border.Limited, "zero": border.Constant, "clamp": border.Replicate, "reflect": border.Reflect, "mirror": border.Reflect101,
	}
	for i, r := range results {
		require.Contains(t, modes, r.Border)
		if testing.Short() && i%13 != 0 {
			continue
		}
		d := detector(t, vpi.Options{
			CircleRadius: r.Radius, ArcLength: r.Arc, Threshold: threshold(r.Threshold), Border: modes[r.Border], NoSuppression: !r.Suppression,
		})
		corners, total := d.DetectImage(convert(imagetest.Photo(t, r.Photo), r.Type))
		require.Len(t, corners, r.Corners, "%+v", r)
		require.Equal(t, r.Corners, total)
		var lines []byte
		for _, c := range corners {
			lines = append(strconv.AppendInt(lines, int64(c.X), 10), ' ')
			lines = append(strconv.AppendInt(lines, int64(c.Y), 10), ' ')
			lines = append(strconv.AppendInt(lines, int64(c.Score), 10), '\n')
		}
		sum := sha256.Sum256(lines)
		require.Equal(t, r.SHA256, hex.EncodeToString(sum[:]), "%+v", r)
	}
}
