package views

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// TestMotions checks that second images are those of the golden files of package flow.
func TestMotions(t *testing.T) {
	const name = "chelsea_451x300"
	root, err := tree.Root()
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(root, "flow", "testdata", "second.json"))
	require.NoError(t, err)
	var want map[string]string
	require.NoError(t, json.Unmarshal(data, &want))
	photo, err := tree.Photo(name + ".png")
	require.NoError(t, err)
	for _, m := range Motions {
		sum := sha256.Sum256(m.Of(photo).Pix)
		require.Equal(t, want[name+"."+m.Name], hex.EncodeToString(sum[:]), m.Name)
	}
}

// TestWhere checks that a bright square is where Where says.
func TestWhere(t *testing.T) {
	photo := image.NewGray(image.Rect(0, 0, 201, 140))
	for y := 78; y <= 82; y++ {
		for x := 88; x <= 92; x++ {
			photo.SetGray(x, y, color.Gray{200})
		}
	}
	for _, m := range Motions {
		img := m.Of(photo)
		var x, y, sum float64
		for i, v := range img.Pix {
			if v > 20 {
				x, y, sum = x+float64(v)*float64(i%img.Stride), y+float64(v)*float64(i/img.Stride), sum+float64(v)
			}
		}
		p := m.Where(photo.Rect.Size()).Apply(geometry.Point{X: 90, Y: 80})
		require.InDelta(t, p.X, x/sum, .1, m.Name)
		require.InDelta(t, p.Y, y/sum, .1, m.Name)
	}
}
