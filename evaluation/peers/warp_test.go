package peers

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// TestWarp checks that OpenCV makes the images that package warp makes, bit for bit, for all
// cases that are compared and all borders.
func TestWarp(t *testing.T) {
	peers := openPeers(t)
	in := MakeWarpInputs(flowPhotos(t)[:1])[0]
	w, h := 200, 140
	for i, c := range WarpCases() {
		transform := c.Transform(w, h)
		for mode := border.Constant; mode <= border.Transparent; mode++ {
			opts := c.Options
			opts.Border, opts.Value = mode, [4]uint8{50, 60, 70, 80}
			r := image.Rect(0, 0, w, h)
			gray, color := image.NewGray(r), image.NewRGBA(r)
			peers.Warp(opts, GrayPixels(gray), GrayPixels(in.Gray), transform)
			peers.Warp(opts, ColorPixels(color), ColorPixels(in.Color), transform)
			for _, set := range cpu.InstructionSets(WarpPackages...) {
				restore := cpu.Limit(set.Set)
				made := Must(warp.New(opts))
				ours, colors := image.NewGray(r), image.NewRGBA(r)
				made.Gray(ours, in.Gray, transform)
				made.RGBA(colors, in.Color, transform)
				restore()
				require.Equal(t, gray.Pix, ours.Pix, "%s, case %d, %v", set.Name, i, mode)
				require.Equal(t, color.Pix, colors.Pix, "%s, case %d, %v, four channels", set.Name, i, mode)
			}
		}
	}
}

// TestWarpTests checks that all tests of package warp have a peer and begin with this library.
func TestWarpTests(t *testing.T) {
	peers := openPeers(t)
	in := MakeWarpInputs(flowPhotos(t)[:1])[0]
	size := in.Gray.Rect.Size()
	c := WarpCases()[0]
	for _, test := range c.Tests(peers, size.X, size.Y) {
		require.False(t, test.contenders[0].peer)
		require.True(t, test.contenders[len(test.contenders)-1].peer)
		for _, c := range test.contenders {
			c.do(in)
		}
	}
}
