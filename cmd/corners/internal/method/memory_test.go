package method

import (
	"bytes"
	"image"
	"image/draw"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/test/phototest"
	"github.com/fastcorners/fast/overlay"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/webp"
)

// No more memory is used than is reserved.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes images of some size")
	}
	r := image.Rect(0, 0, 1600, 1200)
	gray := image.NewGray(r)
	tile, err := webp.Decode(bytes.NewReader(files.OwnPhoto))
	require.NoError(t, err)
	for x := 0; x < r.Max.X; x += 512 {
		for y := 0; y < r.Max.Y; y += 512 {
			draw.Draw(gray, image.Rect(x, y, x+512, y+512), tile, image.Point{}, draw.Src)
		}
	}
	for _, info := range All {
		m := info.New()
		cli.New(m.Define)
		limit := int64(cli.Memory(r.Size(), m.Memory())) + 1<<21
		if info.Name == "sift" { // which finds many keypoints
			require.NoError(t, m.Prepare(1))
			limit += m.Lists(gray, false)
		}
		require.Less(t, phototest.Least(limit, func() int64 {
			require.NoError(t, m.Prepare(1))
			return phototest.Peak(func() {
				m.Find(gray, nil)
				m.Repeater()(gray)
			})
		}), limit, info.Name)
	}
}

// However many corners there are, no more memory is used than is reserved.
func TestMemoryOfLists(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes images of some size")
	}
	noise := image.NewGray(image.Rect(0, 0, 700, 560))
	rand.NewChaCha8([32]byte{}).Read(noise.Pix)
	canvas := overlay.Canvas(noise)
	tiny := image.NewGray(image.Rect(0, 0, 41, 33))
	copy(tiny.Pix, noise.Pix)
	for _, args := range []string{
		"fast -threshold 0 -arc 9",
		"fast -threshold 0 -arc 9 -spread 1000",
		"fast -threshold 0 -arc 9 -nonmax",
		"vpi -arc 1",
		"vpi -arc 1 -nonmax=false -strongest 10000000",
		"vpi -radius 1 -arc 1 -nonmax=false",
		"vpi -arc 9 -threshold 0 -nonmax=false",
		"harris",
		"shi-tomasi -distance 0 -quality 0.0001",
		"lococo -radius 1 -quality 0.0001 -kernel-size 3",
		"lococo -radius 1 -quality 0.0001 -kernel-size 3,5,7,9 -subpixel",
		"orb",
		"orb -features 10000000 -threshold 1",
		"orb -features 10000000 -threshold 1 -scale 1.05 -levels 20 -score fast",
		"sift",
		"sift -contrast 0 -edge-ratio 1000000",
		"sift -features 100 -contrast 0 -layers 5 -sigma 1.4 -doubling=false",
	} {
		for _, workers := range []int{1, 4} {
			name, rest, _ := strings.Cut(args, " ")
			m := Named(name).New()
			_, err := cli.New(m.Define).Parse(strings.Fields(rest))
			require.NoError(t, err)
			require.NoError(t, m.Prepare(workers))
			limit := int64(cli.Memory(noise.Rect.Size(), m.Memory()+1)) + m.Lists(noise, false) + 3<<19
			require.Less(t, phototest.Least(limit, func() int64 {
				require.NoError(t, m.Prepare(workers))
				return phototest.Peak(func() {
					f := m.Find(noise, nil)
					m.Repeater()(noise)
					if workers == 1 && !strings.Contains(args, "-levels") { // drawing is the same for all
						f.Draw(canvas)
					}
				})
			}), limit, "%s, %d workers", args, workers)
			require.LessOrEqual(t, m.Lists(tiny, false), m.Lists(tiny, true), args)
		}
	}
}
