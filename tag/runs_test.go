package tag

import (
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patterns are images with as many runs, components and touches as there can be.
var patterns = map[string]func(x, y int) bool{
	"checkerboard": func(x, y int) bool { return (x+y)%2 == 0 },
	"points":       func(x, y int) bool { return x%2+y%2 == 0 },
	"stripes":      func(x, y int) bool { return x%2 == 0 },
	"comb":         func(x, y int) bool { return x%2 == 0 || y == 400 },
	"diagonals":    func(x, y int) bool { return (x+y)%3 == 0 },
	"spiral": func(x, y int) bool {
		return min(x, y+1, 499-x, 499-y)%2 == 0 || x == min(y, 499-y) && x%2 > 0 && y < 250
	},
}

// TestWorstCases checks that the time to find quads is in proportion to the pixels.
func TestWorstCases(t *testing.T) {
	d, err := New(Options{Families: []Family{{}, {Kind: Standard41h12}, {Border: 2}}})
	require.NoError(t, err)
	for name, set := range patterns {
		img := image.NewGray(image.Rect(0, 0, 500, 500))
		for i := range img.Pix {
			if set(i%500, i/500) {
				img.Pix[i] = 200
			}
		}
		begin := time.Now()
		require.Empty(t, d.Detect(img), name)
		// It takes some ten milliseconds. With a search through all components for each, it is seconds.
		require.Less(t, time.Since(begin), 2*time.Second, name)
	}
}
