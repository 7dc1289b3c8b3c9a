package overlay

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/stretchr/testify/require"
)

// paint draws corners as Corners does, one after the other.
func paint(dst draw.Image, corners []fast.Corner) {
	order := slices.SortedStableFunc(slices.Values(corners), func(a, b fast.Corner) int { return cmp.Compare(a.Score, b.Score) })
	low, high := float64(order[0].Score), float64(order[len(order)-1].Score)
	withRims(dst, func(p *pen) {
		for _, c := range order {
			p.mark(c.Pt(), levelOf(float64(c.Score), low, high))
		}
	})
}

// scattered returns random corners in a rectangle, of which most are weak.
func scattered(random *rand.Rand, n int, r image.Rectangle) []fast.Corner {
	list := make([]fast.Corner, n)
	for i := range list {
		list[i] = fast.Corner{
			X:     int32(r.Min.X + random.IntN(r.Dx())),
			Y:     int32(r.Min.Y + random.IntN(r.Dy())),
			Score: uint8(1 + min(random.ExpFloat64()*40, 250)),
		}
	}
	return list
}

// What others cover is left out, and nothing else, in any number of bands.
func TestCoveredMarks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i, n := range []int{1, 2, 30, 300, 20_000} {
		for j, size := range []image.Point{{1, 1}, {40, 30}, {9, 300}, {800, 700}, {3100, 100}} {
			r := image.Rectangle{Max: size}.Add(image.Pt(random.IntN(99)+1000, -random.IntN(99)-2000))
			corners := scattered(random, n, r.Inset(-20))
			for k, dst := range []func() draw.Image{
				func() draw.Image { return filled(r, color.RGBA{9, 100, 200, 255}) },
				func() draw.Image { return filled(r.Inset(-9), color.RGBA{9, 100, 200, 255}).SubImage(r).(draw.Image) },
				func() draw.Image { return image.NewGray(r) },
			} {
				if testing.Short() && (i+j)%3 != k {
					continue
				}
				got, want := dst(), dst()
				Corners(got, corners)
				paint(want, corners)
				require.True(t, slices.Equal(Canvas(want).Pix, Canvas(got).Pix), "%d corners in %v", n, r)
			}
		}
	}
}

// A counter counts how often its pixels are set.
type counter struct {
	*image.RGBA
	sets int
}

func (c *counter) Set(x, y int, v color.Color) {
	c.sets++
	c.RGBA.Set(x, y, v)
}

// Pixels that several corners cover are set once, after the rims, which are set once, too.
func TestManyMarks(t *testing.T) {
	picture := &counter{RGBA: filled(image.Rect(0, 0, 160, 90), white)}
	corners := scattered(rand.New(rand.NewPCG(3, 4)), 20_000, picture.Rect)
	Corners(picture, corners)
	require.LessOrEqual(t, picture.sets, 2*160*90)
	before := picture.sets
	paint(picture, corners)
	require.Greater(t, picture.sets-before, 20*160*90)
}

// A row that has been marked in parts is passed over at once.
func TestMarkedRow(t *testing.T) {
	const n = 1000
	row := newMarkedRow(n)
	for x := range n {
		row.mark(x, x+1, toneFirst)
	}
	require.Zero(t, row.free)
	row.mark(0, n, toneRim)
	require.EqualValues(t, n, row.next[0])
	require.NotContains(t, row.tones, uint8(toneRim))
}
