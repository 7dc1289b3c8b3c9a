package lococo_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/lococo"
	"github.com/stretchr/testify/require"
)

// cases are the options of the golden lists of corners, by the ends of their names.
var cases = map[string]lococo.Options{
	"k9":      {},
	"k9-klt":  {Measure: harris.MinEigenvalue},
	"k5":      {KernelSizes: []int{5}},
	"k9w5-n1": {BlockSize: 5, SuppressionRadius: 1},
	"k9-n8":   lococo.Phull(),
	"k31":     {KernelSizes: []int{31}, SuppressionRadius: 15},
	"k31w9":   {KernelSizes: []int{31}, BlockSize: 9, Measure: harris.MinEigenvalue},
	"k63":     {KernelSizes: []int{63}, SuppressionRadius: 32},
	"k3":      {KernelSizes: []int{3}, SuppressionRadius: 2},
}

func detector(t testing.TB, opts lococo.Options) *lococo.Detector {
	t.Helper()
	d, err := lococo.New(opts)
	require.NoError(t, err)
	return d
}

// TestGolden compares lists of corners with those of an independent implementation, bit
// for bit.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.lococo-*")
	require.NoError(t, err)
	require.Len(t, files, 35)
	for _, file := range files {
		if testing.Short() && !strings.Contains(file, "chelsea") {
			continue
		}
		name, kind, _ := strings.Cut(filepath.Base(file), ".lococo-")
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		opts, ok := cases[kind]
		require.True(t, ok, kind)
		d := detector(t, opts)
		side := d.Options().KernelSizes[0]
		var got strings.Builder
		for _, c := range d.Detect(imagetest.Photo(t, name), nil) {
			fmt.Fprintf(&got, "%d %d %08x\n", c.X, c.Y, math.Float32bits(c.Response))
			require.EqualValues(t, side, c.KernelSize)
			require.Zero(t, c.DX)
			require.Zero(t, c.DY)
		}
		require.Equal(t, string(want), got.String(), file)
	}
}
