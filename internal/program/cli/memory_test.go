package cli

import (
	"image"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestByteSize(t *testing.T) {
	for text, want := range map[string]struct {
		size  ByteSize
		shown string
	}{
		"1":        {1, "1 B"},
		"1023b":    {1023, "1023 B"},
		"1k":       {1024, "1 KiB"},
		"1.5KiB":   {1536, "1.5 KiB"},
		"500 MiB":  {500 << 20, "500 MiB"},
		"500m":     {500 << 20, "500 MiB"},
		"2G":       {2 << 30, "2 GiB"},
		"2.25gib":  {9 << 28, "2.25 GiB"},
		"2000 GiB": {2000 << 30, "2000 GiB"},
		"2GB":      {2e9, "1.863 GiB"},
		"1.5 mb":   {1.5e6, "1.431 MiB"},
		"3kB":      {3000, "2.93 KiB"},
	} {
		var b ByteSize
		require.NoError(t, b.Set(text), text)
		require.Equal(t, want.size, b, text)
		require.Equal(t, want.shown, b.String())
	}
	for _, text := range []string{"", "G", "x", "1X", "1GG", "-1G", "0", "NaN", "Inf", "1e40", "1 2", "2GBB", "2 GB B", "GB", "2BiB"} {
		require.Error(t, new(ByteSize).Set(text), text)
	}
	require.Equal(t, ByteSize(math.MaxInt64), Memory(image.Pt(math.MaxInt32, math.MaxInt32), 8))
}
