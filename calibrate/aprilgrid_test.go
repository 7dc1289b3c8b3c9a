package calibrate

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/internal/test/prints"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// A gridPrint is an AprilGrid in a scene. The unit is a cell.
type gridPrint struct {
	sheet     tag.Sheet
	pattern   prints.Pattern
	transform geometry.Transform // from the pattern to pixels
	lens      camera.Camera
}

// newGrid returns a sheet in the middle of an image with the given side, turned by an angle.
func newGrid(rng *rand.Rand, columns, rows, side int, marker, angle, k1 float64) gridPrint {
	g := gridPrint{sheet: tag.NewAprilGrid(columns, rows, 10, 3)}
	n := 13*max(columns, rows) + 3
	g.pattern = drawnPattern(g.sheet.Draw(1), n)
	center := geometry.Point{X: float64(side)/2 + rng.Float64(), Y: float64(side)/2 + rng.Float64()}
	g.transform = placed(&g.pattern, 13*columns+3, 13*rows+3, center, marker/10, angle, 0.3*rng.Float64()-0.15, 0.3*rng.Float64()-0.15)
	f := float64(side)
	g.lens = camera.Camera{Fx: f, Fy: f, Cx: f / 2, Cy: f / 2, K1: k1}
	return g
}

// render returns the image.
func (g *gridPrint) render(rng *rand.Rand, side int) *image.Gray {
	s := prints.NewScene(side, side, 120)
	if g.lens.K1 == 0 {
		s.Place(g.pattern, g.transform, ink, nil, 2)
	} else {
		s.PlaceBent(g.pattern, g.transform, ink, nil, 3, g.lens.Undistort)
	}
	return s.Pixels(0.6).Gray(2, rng)
}

// corner returns where the image has a place of the sheet.
func (g *gridPrint) corner(world pose.Vector) geometry.Point {
	at := g.pattern.Corner(int(math.Round(world[0]))+3, int(math.Round(world[1]))+3)
	place := []geometry.Point{g.transform.Apply(at)}
	g.lens.Distort(place, place)
	return place[0]
}

// TestAprilGrid compares the corners of markers, with and without a lens, with those of the tags. Without a lens, these
// are nearer to where they are in sharp images of upright sheets; notes/calibrate.md has the figures.
func TestAprilGrid(t *testing.T) {
	skipUnderRace(t)
	f := newFinder(t, FinderOptions{})
	for _, c := range []struct {
		marker, k1   float64
		least, width float64 // of the angle
		most, better float64
	}{
		{25, 0, 0.2, 1.1, 0.013, 1.05},
		{40, 0, 0.2, 1.1, 0.009, 1.05},
		{80, 0, 0.2, 1.1, 0.007, 1.05},
		{40, 0, -0.01, 0.02, 0.03, 0},
		{25, -0.15, 0, 6, 0.015, 3},
		{40, -0.15, 0, 6, 0.015, 5},
		{80, -0.15, 0, 6, 0.02, 10},
	} {
		if testing.Short() && (c.marker != 40 || c.better == 1.05) {
			continue // the difference shows in many corners only, and to render them takes seconds
		}
		var sums [2]float64
		n, all := 0, 0
		sheets := uint64(12)
		switch {
		case testing.Short():
			sheets = 2
		case c.k1 != 0:
			sheets = 4
		}
		for seed := range sheets {
			rng := rand.New(rand.NewPCG(seed, 3))
			columns, rows := 3, 2+int(seed%2)
			side := int(5.4 * c.marker)
			g := newGrid(rng, columns, rows, side, c.marker, c.least+c.width*rng.Float64(), c.k1)
			img := g.render(rng, side)
			tags := tagsOf(t, img, g.sheet.Family)
			world, points, ids, err := f.AprilGrid(img, g.sheet, tags)
			require.NoError(t, err)
			require.Len(t, points, len(ids))
			all += 4 * len(tags)
			for i := range tags {
				tags[i].Hidden = false
			}
			want, corners, markers := g.sheet.Points(tags)
			for i, w := range world {
				for k := range want {
					if want[k] == w {
						require.Equal(t, markers[k], ids[i])
						at := g.corner(w)
						e, before := distanceOf(at, points[i]), distanceOf(at, corners[k])
						require.Less(t, e, 0.2)
						sums[0] += e * e
						sums[1] += before * before
						n++
					}
				}
			}
		}
		rms, before := math.Sqrt(sums[0]/float64(2*n)), math.Sqrt(sums[1]/float64(2*n))
		t.Logf("markers of %v pixels, K1 %v, angle %v: %d of %d corners, rms %.4f, that of tags %.4f", c.marker, c.k1, c.least, n, all, rms, before)
		require.Greater(t, float64(n), 0.95*float64(all))
		require.Less(t, rms, c.most)
		require.Greater(t, before, c.better*rms)
	}
}

// TestAprilGridWrong describes sheets that are not the one in the image, and hides a part of it.
func TestAprilGridWrong(t *testing.T) {
	f := newFinder(t, FinderOptions{})
	rng := rand.New(rand.NewPCG(1, 3))
	g := newGrid(rng, 4, 3, 280, 40, 0.3, 0)
	img := g.render(rng, 280)
	tags := tagsOf(t, img, g.sheet.Family)
	require.Len(t, tags, 12)
	world, points, ids, err := f.AprilGrid(img, g.sheet, tags)
	require.NoError(t, err)
	require.Len(t, ids, 48)
	for i, w := range world {
		require.Less(t, distanceOf(g.corner(w), points[i]), 0.05)
	}
	for _, wrong := range []func(s *tag.Sheet){
		func(s *tag.Sheet) { s.Columns = 3 },
		func(s *tag.Sheet) { s.Columns = 5 },
		func(s *tag.Sheet) { s.Up = false },
		func(s *tag.Sheet) { s.Gap = 6 },
	} {
		sheet := g.sheet
		wrong(&sheet)
		world, points, ids, err := f.AprilGrid(img, sheet, tags)
		require.Equal(t, ErrSize, err, "%+v", sheet)
		require.Nil(t, world)
		require.Nil(t, points)
		require.Nil(t, ids)
	}
	other := g.sheet
	other.First = 100
	_, _, _, err = f.AprilGrid(img, other, tags)
	require.Equal(t, ErrNoBoard, err)
	_, _, _, err = f.AprilGrid(img, g.sheet, append(tags, tags...))
	require.Equal(t, ErrNoBoard, err)

	hidden := g.corner(world[10])
	disc(img, hidden, 6, 140)
	_, points, ids, err = f.AprilGrid(img, g.sheet, tags)
	require.NoError(t, err)
	require.Less(t, len(ids), 48)
	require.Greater(t, len(ids), 40)
	for _, p := range points {
		require.Greater(t, distanceOf(p, hidden), 6.)
	}

	require.PanicsWithValue(t, "calibrate: nil image", func() { f.AprilGrid(nil, g.sheet, tags) })
	const text = "calibrate: an AprilGrid has Squares, a positive Gap, and markers with a black border"
	for _, wrong := range []func(s *tag.Sheet){
		func(s *tag.Sheet) { s.Squares = false },
		func(s *tag.Sheet) { s.Gap = 0 },
		func(s *tag.Sheet) { s.Family.Inverted = true },
		func(s *tag.Sheet) { s.Family, s.Gap = tag.Family{Kind: tag.Standard41h12}, 20 },
	} {
		sheet := g.sheet
		wrong(&sheet)
		require.PanicsWithValue(t, text, func() { f.AprilGrid(img, sheet, tags) })
	}
	bad := g.sheet
	bad.Rows = 0
	require.PanicsWithValue(t, bad.Check().Error(), func() { f.AprilGrid(img, bad, tags) })
}

// TestAprilGridAllocations checks that nothing is allocated in the steady state, and that the number of workers and
// where the image begins change nothing.
func TestAprilGridAllocations(t *testing.T) {
	skipUnderRace(t)
	f := newFinder(t, FinderOptions{})
	rng := rand.New(rand.NewPCG(2, 3))
	g := newGrid(rng, 3, 3, 240, 40, 2, 0)
	img := g.render(rng, 240)
	tags := tagsOf(t, img, g.sheet.Family)
	want, points, ids, err := f.AprilGrid(img, g.sheet, tags)
	require.NoError(t, err)
	got, more, again, err := newFinder(t, FinderOptions{Workers: 3}).AppendAprilGrid(want, points, ids, img, g.sheet, tags)
	require.NoError(t, err)
	require.Equal(t, append(want, want...), got)
	require.Equal(t, append(points, points...), more)
	require.Equal(t, append(ids, ids...), again)
	require.Zero(t, imagetest.Allocs(5, func() {
		got, more, again, _ = f.AppendAprilGrid(got[:0], more[:0], again[:0], img, g.sheet, tags)
	}))
	img.Rect = img.Rect.Add(image.Pt(32, -64))
	_, more, _, err = f.AprilGrid(img, g.sheet, tagsOf(t, img, g.sheet.Family))
	require.NoError(t, err)
	for i, p := range more {
		require.InDelta(t, points[i].X+32, p.X, 1e-4)
		require.InDelta(t, points[i].Y-64, p.Y, 1e-4)
	}
}
