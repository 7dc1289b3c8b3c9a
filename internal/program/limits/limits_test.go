package limits_test

import (
	"fmt"
	"image"
	"math"
	"strings"
	"testing"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/locate"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/tag"
	"github.com/fastcorners/fast/vpi"
	"github.com/fastcorners/fast/warp"
	"github.com/fastcorners/fast/y4m"
	"github.com/stretchr/testify/require"
)

// blank returns an image whose rows share their memory.
func blank(w, h int) *image.Gray {
	return &image.Gray{Pix: make([]byte, w), Rect: image.Rect(0, 0, w, h)}
}

// thrown returns what f panics with, as text, or nothing.
func thrown(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// TestLimits checks that each package takes what it documents, that more makes it panic, and that
// programs refuse just that.
func TestLimits(t *testing.T) {
	sifts, err := sift.New(sift.Options{NoDoubling: true})
	require.NoError(t, err)
	warper, err := warp.New(warp.Options{})
	require.NoError(t, err)
	dot := image.NewGray(image.Rect(0, 0, 1, 1))
	for name, c := range map[string]struct {
		limit limits.Limit
		use   func(img *image.Gray)
	}{
		"sift": {limits.SIFT, func(img *image.Gray) { sifts.Detect(img, nil) }},
		"warp": {limits.Warp, func(img *image.Gray) { warper.Gray(dot, img, warp.Affine{1, 0, 0, 0, 1, 0}) }},
		"locate": {limits.Template, func(img *image.Gray) {
			if _, err := locate.NewTemplate(img, nil); err != nil {
				panic(err)
			}
		}},
	} {
		side := c.limit.Side
		for _, size := range []image.Point{{side, 1}, {1, side}} {
			require.NoError(t, c.limit.Check(name, size))
			require.Empty(t, thrown(func() { c.use(image.NewGray(image.Rectangle{Max: size})) }), name)
		}
		for _, size := range []image.Point{{side + 1, 1}, {1, side + 1}} {
			require.EqualError(t, c.limit.Check(name, size), fmt.Sprintf("%d x %d pixels, but %s takes sides of up to %d", size.X, size.Y, name, side))
			require.Contains(t, thrown(func() { c.use(image.NewGray(image.Rectangle{Max: size})) }), fmt.Sprint(side), name)
		}
	}

	harrises, err := harris.New(harris.Options{})
	require.NoError(t, err)
	lococos, err := lococo.New(lococo.Options{})
	require.NoError(t, err)
	tags, err := tag.New(tag.Options{})
	require.NoError(t, err)
	vpis, err := vpi.New(vpi.Options{})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		limit limits.Limit
		most  image.Point
		use   func(img *image.Gray)
	}{
		"harris": {limits.Harris, image.Pt(1<<16, 1<<16), func(img *image.Gray) { harrises.Detect(img, nil) }},
		"lococo": {limits.LoCoCo, image.Pt(1<<16-1, 1<<15), func(img *image.Gray) { lococos.Detect(img, nil) }},
		"locate": {limits.Scene, image.Pt(1, math.MaxInt32), func(img *image.Gray) { locate.NewScene(img) }},
		"tag":    {limits.Tag, image.Pt(1<<16-1, 1<<15), func(img *image.Gray) { tags.Detect(img) }},
		"vpi":    {limits.VPI, image.Pt(1<<16-6, 1<<15-7), func(img *image.Gray) { vpis.Detect(img) }},
	} {
		require.NoError(t, c.limit.Check(name, c.most))
		more := c.most.Add(image.Pt(0, 1))
		if name == "locate" {
			more = image.Pt(2, math.MaxInt32/2+1)
		}
		require.EqualError(t, c.limit.Check(name, more), fmt.Sprintf("%d x %d pixels, but %s takes up to %d of them", more.X, more.Y, name, c.limit.Pixels))
		require.Contains(t, thrown(func() { c.use(blank(more.X, more.Y)) }), fmt.Sprint(c.limit.Pixels), name)
	}
	require.NoError(t, limits.Limit{}.Check("", image.Pt(math.MaxInt32, math.MaxInt32)))
}

// TestVideos checks that package y4m refuses just the frames that package stabilize does not take, so
// that programs need not.
func TestVideos(t *testing.T) {
	const side = 65535
	for _, size := range []image.Point{{side, 1}, {1, side}} {
		_, err := y4m.NewReader(strings.NewReader(fmt.Sprintf("YUV4MPEG2 W%d H%d Cmono\n", size.X, size.Y)))
		require.NoError(t, err)
		s, err := stabilize.New(stabilize.Options{})
		require.NoError(t, err)
		require.Empty(t, thrown(func() { s.Push(image.NewGray(image.Rectangle{Max: size})) }))
	}
	for _, size := range []image.Point{{side + 1, 1}, {1, side + 1}} {
		_, err := y4m.NewReader(strings.NewReader(fmt.Sprintf("YUV4MPEG2 W%d H%d Cmono\n", size.X, size.Y)))
		require.ErrorContains(t, err, "is not from 1 to 65535")
		s, err := stabilize.New(stabilize.Options{})
		require.NoError(t, err)
		require.Contains(t, thrown(func() { s.Push(image.NewGray(image.Rectangle{Max: size})) }), "more than 65535")
	}
}

// TestORB checks that an image that package orb would enlarge too much is refused, and that one with
// a few pixels less is not.
func TestORB(t *testing.T) {
	for first, scale := range map[int]float64{3: 2, 10: 1.3, 5: 1.7} {
		opts := orb.Options{FirstLevel: first, ScaleFactor: scale, Levels: first + 1}
		e, err := orb.New(opts)
		require.NoError(t, err)
		limit := limits.ORB(&opts)
		side := math.Sqrt(float64(1<<30)) / math.Pow(scale, float64(first))
		large, small := image.Pt(int(side), int(side)+2), image.Pt(int(side*0.9998), int(side*0.9998))
		require.Error(t, limit.Check("orb", large))
		require.Contains(t, thrown(func() { e.Detect(image.NewGray(image.Rectangle{Max: large}), nil) }), "has more than 1073741824")
		require.NoError(t, limit.Check("orb", small))
	}
	require.Zero(t, limits.ORB(&orb.Options{ScaleFactor: 1.2, Levels: 8}))
}
