package warp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"strings"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// A resizeGolden is an image that OpenCV 4.6 has resized.
type resizeGolden struct {
	Photo          string
	Crop           []int // width and height, from the upper left
	Channels, Bits int
	Interpolation  warp.Interpolation
	Width, Height  int
	Rule           string // the name of the step
	SHA256         string // of the rows, with the upper bytes of pixels of 16 bits first
	Rows           []string
}

// resizeGoldens reads the results of photos and those of a tiny picture.
func resizeGoldens(t testing.TB) (all struct{ Cases, Tiny []resizeGolden }) {
	t.Helper()
	data, err := os.ReadFile("testdata/resize.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &all))
	require.Len(t, all.Cases, 90)
	require.Len(t, all.Tiny, 36)
	return all
}

// source returns the photo of a case: gray, as four channels p(x, y), p(W-1-x, y), p(x, H-1-y) and
// 255-p(x, y), or as 16 bits 256*p(x, y) + p(W-1-x, y).
func (g *resizeGolden) source(t testing.TB) *picture {
	t.Helper()
	photo := imagetest.Photo(t, strings.TrimSuffix(g.Photo, ".png"))
	w, h := photo.Rect.Dx(), photo.Rect.Dy()
	if g.Crop != nil {
		w, h = g.Crop[0], g.Crop[1]
	}
	at := func(x, y int) int { return int(photo.Pix[y*photo.Stride+x]) }
	size := g.Channels * g.Bits / 8
	p := newPicture(size, image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			switch size {
			case 1:
				p.set(x, y, 0, at(x, y))
			case 2:
				p.set(x, y, 0, 256*at(x, y)+at(w-1-x, y))
			default:
				for c, v := range [4]int{at(x, y), at(w-1-x, y), at(x, h-1-y), 255 - at(x, y)} {
					p.set(x, y, c, v)
				}
			}
		}
	}
	return p
}

// TestResizeGolden compares photos with OpenCV's, and the definition with them.
func TestResizeGolden(t *testing.T) {
	rules := map[string]int{}
	for i, g := range resizeGoldens(t).Cases {
		src := g.source(t)
		if testing.Short() && i%3 > 0 && len(src.pix) > 1<<20 {
			continue
		}
		dst := newPicture(src.size, image.Rect(0, 0, g.Width, g.Height))
		check := func(by string) {
			sum := sha256.Sum256(dst.pix)
			require.Equal(t, g.SHA256, hex.EncodeToString(sum[:]), "%s, %s, %v, to %dx%d, %d bytes, %v", by, g.Photo, src.rect, g.Width, g.Height, src.size, g.Interpolation)
			clear(dst.pix)
		}
		for _, set := range cpu.InstructionSets("warp") {
			restore := cpu.Limit(set.Set)
			resize(t, warp.ResizerOptions{Interpolation: g.Interpolation}, dst, src)
			restore()
			check(set.Name)
		}
		if rules[g.Rule]++; testing.Short() && rules[g.Rule]%4 != 1 {
			continue // the oracle takes long
		}
		require.Equal(t, g.Rule, resizeOracle(g.Interpolation, dst, src))
		check("oracle")
	}
	require.Len(t, rules, 7)
}

// TestResizeGoldenTiny compares pictures made of 8 by 6 pixels with OpenCV's.
func TestResizeGoldenTiny(t *testing.T) {
	src := newPicture(1, image.Rect(0, 0, 8, 6))
	for i := range src.pix {
		src.pix[i] = uint8(5 * i)
	}
	for _, g := range resizeGoldens(t).Tiny {
		dst := newPicture(1, image.Rect(0, 0, g.Width, g.Height))
		for _, set := range cpu.InstructionSets("warp") {
			restore := cpu.Limit(set.Set)
			resize(t, warp.ResizerOptions{Interpolation: g.Interpolation}, dst, src)
			restore()
			for y, row := range g.Rows {
				require.Equal(t, row, strings.Trim(fmt.Sprint(dst.pix[g.Width*y:][:g.Width]), "[]"), "%s, to %dx%d, %v, row %d", set.Name, g.Width, g.Height, g.Interpolation, y)
			}
		}
	}
}
