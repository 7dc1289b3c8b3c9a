package marker

import (
	"image"
	"math"
	"runtime"
	"testing"

	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// TestMemory checks that as much memory is reserved as is used for noise.
func TestMemory(t *testing.T) {
	m := new(Method)
	_, err := cli.New(m.Define).Parse([]string{"-family", "tag36h11,standard41h12"})
	require.NoError(t, err)
	require.NoError(t, m.Prepare(1))
	noise := image.NewGray(image.Rect(0, 0, 1000, 800))
	state := uint32(1)
	for i := range noise.Pix {
		state = state*1664525 + 1013904223
		noise.Pix[i] = uint8(state >> 24)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m.Find(noise, nil)
	runtime.ReadMemStats(&after)
	require.LessOrEqual(t, float64(after.TotalAlloc-before.TotalAlloc), float64(m.Memory()*int64(len(noise.Pix))))

	sheet := tag.Sheet{Family: tag.Family{Kind: tag.Tag36h11}, Columns: 20, Rows: 20, Side: 1}.Draw(2)
	found := m.Find(sheet, nil)
	require.Equal(t, 400, found.Count)
	require.LessOrEqual(t, found.Bytes, m.Lists(sheet, true))
	require.False(t, math.Signbit(float64(found.Bytes)))
}
