package tag

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/stretchr/testify/require"
)

// The tests of this file are about limits that no golden image is at.

// TestUnique checks which tags count as the same one.
func TestUnique(t *testing.T) {
	at := func(id int, x, diagonal float64, corrected int, rms float64) found {
		return found{fit: fit{rms: rms}, id: id, corrected: corrected, center: geometry.Point{X: x}, diagonal: diagonal}
	}
	ids := func(all ...found) (ids []int) {
		for _, f := range unique(all) {
			ids = append(ids, f.id)
		}
		return ids
	}
	require.Equal(t, []int{1, 2}, ids(at(1, 0, 100, 0, 0), at(2, 25, 100, 0, 0.1)))
	require.Equal(t, []int{1}, ids(at(1, 0, 100, 0, 0), at(2, 24, 100, 0, 0.1)))
	require.Equal(t, []int{1, 2}, ids(at(1, 0, 100, 0, 0), at(2, 24, 90, 0, 0.1)))
	require.Equal(t, []int{1}, ids(at(1, 0, 100, 0, 0), at(1, 49, 100, 0, 0.1)))
	require.Equal(t, []int{1, 1}, ids(at(1, 0, 100, 0, 0), at(1, 50, 100, 0, 0.1)))
	// The one with fewer corrected bits stays, then the one with the smaller residuals, then the first.
	require.Equal(t, []int{2}, ids(at(1, 0, 100, 1, 0), at(2, 0, 100, 0, 0.1)))
	require.Equal(t, []int{2}, ids(at(1, 0, 100, 1, 0.2), at(2, 0, 100, 1, 0.1)))
	first, second := at(1, 0, 100, 0, 0), at(2, 0, 100, 0, 0)
	second.quad = 1
	require.Equal(t, []int{1}, ids(second, first))
	// One that does not stay removes none.
	require.Equal(t, []int{1, 3}, ids(at(1, 0, 100, 0, 0), at(2, 20, 100, 0, 0.1), at(3, 40, 100, 0, 0.2)))
	family := at(1, 30, 100, 0, 0)
	family.family = 1
	require.Len(t, ids(at(1, 0, 100, 0, 0), family), 2)
}

// TestWeak checks that tags of weak families need a small misfit, of the only fit. With a larger one, all are
// hidden.
func TestWeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	j := newJob(newDetector(t, Options{Families: []Family{{Kind: ArUco4x4}}}))
	l, f := j.lanes.All()[0], &j.detector.plans[0]
	require.True(t, f.weak)
	var accepted, refused int
	for spots := range 120 {
		img := board(10, marker{f.family, 5})
		for range 2 * spots {
			x, y := 30+rng.IntN(80), 70+rng.IntN(80)
			draw.Draw(img, image.Rect(x, y, x+3, y+3), image.NewUniform(color.Gray{Y: 128}), image.Point{}, draw.Src)
		}
		j.begin(raster.NewPlane("tag", img))
		j.findBits()
		j.findQuads()
		laneOf(j)
		for i := range j.quads {
			l.setTries(&j.image, &j.quads[i])
			m, ok := l.reader.nearest(l.tries, f)
			if !ok {
				continue
			}
			result := l.fit(&j.image, &m, f, 800)
			misfit := result.misfit
			require.True(t, misfit <= 0.15 || result.hidden)
			tag, ok := l.decode(&j.image, f, 800)
			require.Equal(t, misfit <= 0.15, ok, misfit)
			if ok {
				require.Equal(t, misfit, tag.misfit)
				accepted++
			} else if misfit < 0.25 {
				refused++
			}
		}
	}
	require.Greater(t, accepted, 10)
	require.Greater(t, refused, 10)
}

// TestLast checks how many rounds a fit has.
func TestLast(t *testing.T) {
	for _, c := range []struct {
		move           float64
		round, lenient int
		last           bool
	}{
		{0.0029, 1, 0, true},
		{0.003, 1, 0, false},
		{1, 3, 0, false},
		{1, 4, 0, true},
		{0, 4, 4, false},
		{0, 5, 4, true},
		{1, 7, 4, false},
		{1, 8, 4, true},
	} {
		f := fitter{move: c.move}
		require.Equal(t, c.last, f.last(c.round, c.lenient), "%+v", c)
	}
}

// TestNear checks how far the corners may be from where they were.
func TestNear(t *testing.T) {
	for _, c := range []struct {
		half, shift, lean float64 // the shift is in pixels
		near              bool
	}{
		{5, 1.99, 0, true},
		{5, 2.01, 0, false},
		{50, 9.9, 0, true},
		{50, 10.1, 0, false},
		{0.5, 0, 0.89, true},
		{0.5, 0, 0.91, false}, // the horizon is near a corner
	} {
		f := fitter{start: homography{1, 0, 0, 0, 1, 0, c.lean, 0, 1}, half: c.half}
		f.unknown.homography = f.start
		f.unknown.homography[2] = c.shift / c.half
		require.Equal(t, c.near, f.near(), "%+v", c)
	}
}

// TestTries checks which quads are tried. Sides without edges stay where they are.
func TestTries(t *testing.T) {
	p := raster.NewPlane("tag", image.NewGray(image.Rect(0, 0, 100, 100)))
	for side, n := range map[float64]int{23.9: 5, 24: 2} {
		l := new(lane)
		q := quad{corners: [4]geometry.Point{{X: 20, Y: 20}, {X: 60, Y: 20}, {X: 60, Y: 20 + side}, {X: 20, Y: 20 + side}}}
		l.setTries(&p, &q)
		require.Len(t, l.tries, n)
	}
}

// TestRings checks the least difference of brightness along a border.
func TestRings(t *testing.T) {
	corners := [4]geometry.Point{{X: 10, Y: 10}, {X: 50, Y: 10}, {X: 50, Y: 50}, {X: 10, Y: 50}}
	h, ok := squareTo(&corners)
	require.True(t, ok)
	for difference, wrong := range map[int]int{-3: ringSamples, 0: ringSamples, 2: ringSamples, 3: 0, 50: 0} {
		img := image.NewGray(image.Rect(0, 0, 60, 60))
		light := image.NewGray(img.Rect)
		for i := range img.Pix {
			img.Pix[i], light.Pix[i] = 100, 100
			if !image.Pt(i%60, i/60).In(image.Rect(10, 10, 51, 51)) {
				img.Pix[i], light.Pix[i] = uint8(100+difference), uint8(100-difference)
			}
		}
		for reversed, img := range map[bool]*image.Gray{false: img, true: light} {
			var s sampler
			p := raster.NewPlane("tag", img)
			s.reset(&p, table.Best())
			require.Equal(t, wrong, wrongRings(s.sample(&h, placesNear(8)), reversed), difference)
		}
	}
}

// TestMeet checks where lines meet, and which are nearly parallel.
func TestMeet(t *testing.T) {
	for slope, meets := range map[float64]bool{0.049: false, 0.0501: true, -0.0501: true, -0.049: false, 0: false} {
		// The lines x = 2 and x = 5 - slope*y, whose normal is almost of length 1.
		p, ok := meet(line{1, 0, -2}, line{1, slope, -5})
		require.Equal(t, meets, ok)
		if ok {
			require.InDelta(t, 2, p.X, 1e-9)
			require.InDelta(t, 3/slope, p.Y, 1e-9)
		}
	}
}
