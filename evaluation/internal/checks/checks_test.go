package checks

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/stretchr/testify/require"
)

// TestCount compares with a count that decides anew after each check, from the
// sets of bright and dark ring pixels.
func TestCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	img := image.NewGray(image.Rect(5, 7, 65, 47))
	var seen [Passed + 1]int
	for _, levels := range []int{2, 4, 256} {
		for i := range img.Pix {
			img.Pix[i] = uint8(rng.IntN(levels) * 255 / (levels - 1))
		}
		for _, threshold := range []uint8{0, 25, 100, 255} {
			counts := Count(img, threshold)
			for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
				for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
					n := slowCount(img, image.Pt(x, y), int(threshold))
					require.Equal(t, n, int(counts.GrayAt(x, y).Y), "pixel %d, %d at %d", x, y, threshold)
					seen[n]++
				}
			}
		}
	}
	for n := range seen {
		require.NotZero(t, seen[n], "pixels with %d checks", n)
	}
}

func slowCount(img *image.Gray, p image.Point, threshold int) int {
	if !p.In(img.Rect.Inset(3)) {
		return 0
	}
	speaks := func(n, sign int) bool {
		q := p.Add(ring[n-1])
		return sign*(int(img.GrayAt(q.X, q.Y).Y)-int(img.GrayAt(p.X, p.Y).Y)) > threshold
	}
	alive := func(checks, sign int) bool {
		for _, c := range order[:checks] {
			a, b := speaks(c[0], sign), speaks(c[1], sign)
			if c[2] == 0 && !a && !b || c[2] != 0 && !(a && b) && !speaks(c[2], sign) {
				return false
			}
		}
		return true
	}
	n := 1
	for n <= Max && (alive(n, 1) || alive(n, -1)) {
		n++
	}
	return n
}

// TestCorners checks that no corner is given up, and that the checks leave few
// other pixels.
func TestCorners(t *testing.T) {
	photos, err := tree.Photos()
	require.NoError(t, err)
	photo := photos[0]
	counts := Count(photo, 25)
	passed := 0
	for _, n := range counts.Pix {
		if n == Passed {
			passed++
		}
	}
	corners := fast.Detect(photo, 25)
	require.NotEmpty(t, corners)
	for _, c := range corners {
		require.EqualValues(t, Passed, counts.GrayAt(int(c.X), int(c.Y)).Y)
	}
	require.Less(t, passed, 3*len(corners))
}

func TestBlocks(t *testing.T) {
	counts := image.NewGray(image.Rect(0, 0, 12, 9)) // 6 by 3 of which may be corners
	for i := range counts.Pix {
		counts.Pix[i] = 1
	}
	counts.Pix[counts.PixOffset(5, 4)] = 7
	type block struct {
		image.Rectangle
		most uint8
	}
	var list []block
	Blocks(counts, First(counts), 4, 2, func(r image.Rectangle, most uint8) { list = append(list, block{r, most}) })
	require.Equal(t, []block{
		{image.Rect(3, 3, 7, 5), 7},
		{image.Rect(7, 3, 9, 5), 1},
		{image.Rect(3, 5, 7, 6), 1},
		{image.Rect(7, 5, 9, 6), 1},
	}, list)
	require.Equal(t, [Passed + 1]float64{1, 1, .25, .25, .25, .25, .25, .25}, Shares(counts, First(counts), 4, 2))

	list = nil
	Blocks(counts, image.Pt(0, 3), 2, 8, func(r image.Rectangle, most uint8) { list = append(list, block{r, most}) })
	require.Equal(t, block{image.Rect(3, 3, 4, 6), 1}, list[0])
	require.Len(t, list, 4)
}
