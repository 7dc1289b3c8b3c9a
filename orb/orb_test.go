package orb_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// cases are the options of the golden results, by the ends of their names.
var cases = map[string]orb.Options{
	"default":   {},
	"n2000":     {Features: 2000},
	"scale2":    {ScaleFactor: 2, Levels: 4},
	"scale15":   {ScaleFactor: 1.5, Levels: 5, FASTThreshold: 7},
	"onelevel":  {Features: 300, Levels: 1},
	"fastscore": {Score: orb.FASTScore},
	"wta3":      {PointsPerBit: 3},
	"wta4":      {PointsPerBit: 4},
	"edge40":    {EdgeThreshold: 40},
	"patch21":   {PatchSize: 21},
	"first2":    {FirstLevel: 2},
	"mask":      {},
}

// A result is a keypoint with its descriptor, as the golden files hold it.
type result struct {
	orb.Keypoint
	Descriptor match.Descriptor
}

// photo returns a photo of package fast's testdata.
func photo(t testing.TB, name string) *image.Gray {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "photos", name+".png"))
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	return img.(*image.Gray)
}

// disc returns the mask of the golden results.
func disc(bounds image.Rectangle) *image.Gray {
	mask := image.NewGray(bounds)
	w, h := bounds.Dx(), bounds.Dy()
	r := 2 * (min(w, h) / 3)
	for y := range h {
		for x := range w {
			if dx, dy := 2*x-w, 2*y-h; dx*dx+dy*dy <= r*r {
				mask.Pix[y*mask.Stride+x] = 255
			}
		}
	}
	return mask
}

func extractor(t testing.TB, opts orb.Options) *orb.Extractor {
	t.Helper()
	e, err := orb.New(opts)
	require.NoError(t, err)
	return e
}

// results decodes a golden file.
func results(t *testing.T, data []byte) []result {
	t.Helper()
	type record struct {
		X, Y, Size, Angle, Response, Octave float32
		Descriptor                          match.Descriptor
	}
	records := make([]record, len(data)/binary.Size(record{}))
	_, err := binary.Decode(data, binary.LittleEndian, records)
	require.NoError(t, err)
	var list []result
	for _, r := range records {
		list = append(list, result{orb.Keypoint{X: r.X, Y: r.Y, Size: r.Size, Angle: r.Angle, Response: r.Response, Octave: int32(r.Octave)}, r.Descriptor})
	}
	return list
}

// golden calls test with what OpenCV found in a photo, for each file.
func golden(t *testing.T, test func(t *testing.T, e *orb.Extractor, img, mask *image.Gray, want []result)) {
	files, err := filepath.Glob("testdata/*.orb-*")
	require.NoError(t, err)
	require.Len(t, files, 44)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			name, kind, _ := strings.Cut(filepath.Base(file), ".orb-")
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			want := results(t, data)
			require.NotEmpty(t, want)
			opts, ok := cases[kind]
			require.True(t, ok, kind)
			img := photo(t, name)
			var mask *image.Gray
			if kind == "mask" {
				mask = disc(img.Rect)
			}
			test(t, extractor(t, opts), img, mask, want)
		})
	}
}

// TestGolden compares the results with OpenCV's, bit for bit.
func TestGolden(t *testing.T) {
	golden(t, func(t *testing.T, e *orb.Extractor, img, mask *image.Gray, want []result) {
		kps, descs := e.Extract(img, mask)
		require.Len(t, descs, len(kps))
		for i := range min(len(kps), len(want)) {
			if kps[i] != want[i].Keypoint || descs[i] != want[i].Descriptor {
				require.Equal(t, want[i], result{kps[i], descs[i]}, "keypoint %d", i)
			}
		}
		require.Len(t, kps, len(want))
		require.True(t, slices.Equal(kps, e.Detect(img, mask)))
	})
}
