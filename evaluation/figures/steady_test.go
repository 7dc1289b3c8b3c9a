package main

import (
	"image"
	"math"
	"sync"
	"testing"

	"github.com/fastcorners/fast/evaluation/internal/shaky"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/fastcorners/fast/evaluation/internal/views"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/stabilize"
	"github.com/stretchr/testify/require"
)

// kindOf returns the kind of clips of a name.
func kindOf(t *testing.T, name string) shaky.Kind {
	for _, k := range shaky.Kinds {
		if k.Name == name {
			return k
		}
	}
	require.Fail(t, name)
	return shaky.Kind{}
}

// clipOf returns a small clip of a kind, of one photo or of several.
func clipOf(t *testing.T, name string, frames int) *shaky.Clip {
	photos, err := tree.Photos()
	require.NoError(t, err)
	return shaky.New(kindOf(t, name), photos[1:4], 0, 1, image.Pt(160, 120), frames)
}

// TestTraced checks what is known of paths that are made up: those that undo the camera's motion
// but for a motion of their own.
func TestTraced(t *testing.T) {
	c := clipOf(t, "cuts", 40)
	require.Len(t, c.Begins, 4)
	middle := geometry.Point{X: 159. / 2, Y: 119. / 2}
	shown := func(path func(frame int) geometry.Point) (list []geometry.Transform) {
		for i := range c.Frames {
			// The place of the frame's pixels is a similarity.
			o, x := c.Place(i, geometry.Point{}), c.Place(i, geometry.Point{X: 1})
			place := geometry.Transform{x.X - o.X, o.Y - x.Y, o.X, x.Y - o.Y, x.X - o.X, o.Y, 0, 0, 1}
			back, ok := place.Inverse()
			require.True(t, ok)
			p := path(i)
			list = append(list, back.Mul(views.Translation(p.X, p.Y)))
		}
		return list
	}
	still := traced(c, shown(func(int) geometry.Point { return geometry.Point{X: 100, Y: 50} }), 0)
	require.Len(t, still.changes, c.Frames-2*len(c.Begins))
	require.InDelta(t, 0, still.three()[2], 1e-9)
	require.Len(t, still.bends, c.Frames)
	require.InDelta(t, 0, quantile(still.bends, 1), 1e-4)
	require.Equal(t, c.Frames, still.edges)

	// A pan that stops and goes up, in the first scene.
	kinked := traced(c, shown(func(i int) geometry.Point {
		return geometry.Point{X: 3 * min(float64(i), 5), Y: -4 * max(float64(i), 5)}
	}), 0)
	require.InDelta(t, 5, kinked.three()[2], 1e-9)
	require.InDelta(t, 0, kinked.three()[1], 1e-9)

	// What is inside by a pixel.
	inside := geometry.Transform{.9, 0, 1, 0, .9, 1, 0, 0, 1}
	list := make([]geometry.Transform, c.Frames)
	for i := range list {
		list[i] = inside
	}
	require.Zero(t, traced(c, list, 0).edges)
	list[3], list[5] = views.Translation(-1.5, 0).Mul(inside), views.Translation(0, 12).Mul(inside)
	require.Equal(t, 2, traced(c, list, 0).edges)
	require.Equal(t, 1, traced(c, list, .6).edges)

	// The camera itself.
	at := c.Place(1, middle)
	a, b := c.Place(0, middle), c.Place(2, middle)
	for i := range list {
		list[i] = geometry.Identity()
	}
	require.InDelta(t, math.Hypot(a.X-2*at.X+b.X, a.Y-2*at.Y+b.Y), traced(c, list, 0).changes[0], 1e-9)
}

// TestBend checks how far points are from a similarity: a shear is, by what can be computed.
func TestBend(t *testing.T) {
	square := []geometry.Point{{X: -1, Y: -1}, {X: 1, Y: -1}, {X: -1, Y: 1}, {X: 1, Y: 1}}
	after := func(m geometry.Transform) float64 {
		to := make([]geometry.Point, len(square))
		m.ApplyAll(to, square)
		return bend(square, to)
	}
	require.InDelta(t, 0, after(views.Rotation(30).Mul(views.Scaling(3)).Mul(views.Translation(5, 7))), 1e-6)
	// Half of a shear is a rotation; the rest moves each point by half of it, along both axes.
	require.InDelta(t, .1*math.Sqrt2, after(geometry.Transform{1, .2, 3, 0, 1, 4, 0, 0, 1}), 1e-6)
	require.InDelta(t, .1*math.Sqrt2, after(geometry.Transform{1.2, 0, 3, 0, 1, 4, 0, 0, 1}), 1e-6)
}

// TestSeen checks that a pixel of what is beyond a frame is seen.
func TestSeen(t *testing.T) {
	size := image.Pt(20, 10)
	inside := stabilize.Result{Source: geometry.Transform{.9, 0, 0, 0, .9, 0, 0, 0, 1}}
	beyond := stabilize.Result{Source: geometry.Transform{1, 0, .125, 0, .9, 0, 0, 0, 1}}
	require.Equal(t, 0, seen(size, []stabilize.Result{inside}))
	require.Equal(t, 10, seen(size, []stabilize.Result{inside, beyond}))
}

// TestSteady checks that marks are not looked at, and what all ways make of a small clip: package
// stabilize shows no edge, and what marks tell of its frames is what it told.
func TestSteady(t *testing.T) {
	p, err := peers.Open()
	if err != nil {
		t.Skip(err)
	}
	c := clipOf(t, "strong shake", 16)
	var lock sync.Mutex
	done, err := steady(c, p, &lock)
	require.NoError(t, err)
	input := done.traces[wayNone].three()
	require.Greater(t, input[0], 3.)
	for way, name := range ways {
		if way == wayNone || way >= wayVidStab && !hasVidStab() {
			continue
		}
		require.Len(t, done.traces[way].changes, c.Frames-2, name)
		require.Less(t, done.traces[way].three()[0], input[0], name)
	}
	require.Zero(t, done.traces[wayOurs].edges+done.traces[wayOnline].edges+done.traces[wayWhole].edges+done.white)
	require.Less(t, quantile(done.noise(c), 1), .2)
	require.Zero(t, done.cuts+done.wrong)

	v, plain := filmed(c), filmed(c)
	for _, f := range plain.Frames {
		for i := range f.Cb {
			f.Cb[i], f.Cr[i] = 128, 128
		}
	}
	lumas := func(of *peers.Video) (list [][]byte) {
		made, _ := p.Stabilized(of)
		all := []*peers.Video{made}
		if hasVidStab() {
			more, _, err := vidStabs(of, 10)
			require.NoError(t, err)
			all = append(all, more...)
		}
		for _, v := range all {
			for _, f := range v.Frames {
				list = append(list, f.Y)
			}
		}
		return list
	}
	require.Equal(t, lumas(plain), lumas(v))
}
