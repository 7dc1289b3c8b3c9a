package tag

import (
	"math"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// What follows cannot come of an image, or hardly, but the steps must not rely on that.

// laneOf returns a lane of a job that is ready to read quads.
func laneOf(j *job) *lane {
	l := j.lanes.All()[0]
	l.reader.sampler.reset(&j.image, j.detector.kernels)
	return l
}

// goldenMatch returns a job, and what one of its quads is.
func goldenMatch(t *testing.T) (*job, *lane, *match) {
	j := goldens(t)[12].job(t)
	l := laneOf(j)
	for i := range j.quads {
		l.setTries(&j.image, &j.quads[i])
		if m, ok := l.reader.nearest(l.tries, &j.detector.plans[0]); ok {
			return j, l, &m
		}
	}
	t.Fatal("no tag")
	return nil, nil, nil
}

// badQuads have no homography: one side has no length, two sides cross, the third corner is inside the
// triangle of the others, or three corners are on a line.
var badQuads = [][4]geometry.Point{
	{{X: 10, Y: 10}, {X: 30, Y: 10}, {X: 30, Y: 10}, {X: 30, Y: 10}},
	{{X: 10, Y: 10}, {X: 40, Y: 10}, {X: 10, Y: 40}, {X: 40, Y: 40}},
	{{X: 10, Y: 10}, {X: 40, Y: 10}, {X: 15, Y: 15}, {X: 10, Y: 40}},
	{{X: 10, Y: 10}, {X: 40, Y: 10}, {X: 25, Y: 25}, {X: 10, Y: 40}},
}

func TestBadQuads(t *testing.T) {
	j, l, _ := goldenMatch(t)
	for i := range badQuads {
		_, ok := squareTo(&badQuads[i])
		require.False(t, ok, i)
		require.False(t, l.reader.likely(&quad{corners: badQuads[i]}, &j.detector.looks[0]))
	}
	_, ok := l.reader.nearest(badQuads, &j.detector.plans[0])
	require.False(t, ok)
}

// TestMirrored checks the inverse of a homography that mirrors.
func TestMirrored(t *testing.T) {
	h, ok := squareTo(&[4]geometry.Point{{X: 10, Y: 10}, {X: 12, Y: 40}, {X: 45, Y: 50}, {X: 33, Y: 8}})
	require.True(t, ok)
	inverse := h.inverse()
	p := h.at(0.25, -0.5)
	require.Positive(t, inverse.row(6, p.X, p.Y))
	q := inverse.at(p.X, p.Y)
	require.InDelta(t, 0.25, q.X, 1e-12)
	require.InDelta(t, -0.5, q.Y, 1e-12)
}

// TestHorizon checks that pixels behind the horizon of a tag are not chosen.
func TestHorizon(t *testing.T) {
	h := homography{10, 0, 50, 0, 10, 50, 0.9, 0, 1}
	c := newChooser(&fitter{cells: 8, half: 10, unit: 2.5}, &h, 800)
	p := h.at(0.5, 0.5)
	weight, _ := c.weigh(p.X, p.Y)
	require.Positive(t, weight)
	p = h.at(-1.5, 0.5)
	weight, _ = c.weigh(p.X, p.Y)
	require.Zero(t, weight)
}

// TestNoSolution checks equations that have none.
func TestNoSolution(t *testing.T) {
	_, _, ok := new(lineSums).solve()
	require.False(t, ok)
	require.False(t, new(equations).solve())
	line := shadeSums{}
	for i := range 5 {
		line.place(float64(i), float64(2*i))
		line.add(float64(i), float64(2*i), float64(i*i))
	}
	require.Equal(t, shade{6}, line.solve())
	point := polygon{vertices: make([]geometry.Point, 6)}
	require.False(t, point.reduce())
}

// TestNoFit checks what becomes of a fit without pixels in the drawing, of one that fails, and of a tag
// that cannot be read where the fit says that it is.
func TestNoFit(t *testing.T) {
	j, l, m := goldenMatch(t)
	f := &j.detector.plans[0]
	q := turned(&m.quad, m.turn)
	h, ok := squareTo(&q)
	require.True(t, ok)
	_, ok = l.fitter.fit(&j.image, h, m, f, 800, 0)
	require.True(t, ok)
	clear(l.fitter.run.masks)
	_, ok = l.fitter.assess()
	require.False(t, ok)

	unknown := *m
	unknown.black[0] = math.NaN()
	_, ok = l.fitter.fit(&j.image, h, &unknown, f, 800, 0)
	require.False(t, ok)
	failed := l.fit(&j.image, &unknown, f, 800)
	require.Equal(t, fit{homography: h, misfit: 1, hidden: true}, failed)

	wrong := *m
	wrong.wrong = f.corrected + 1
	corrected, ok := l.corrected(&wrong, f, &fit{homography: h})
	require.True(t, ok)
	require.Equal(t, m.wrong, corrected)
	_, ok = l.corrected(&wrong, f, &fit{homography: homography{10, 0, 30, 0, 10, 30, 0, 0, 1}})
	require.False(t, ok)
	_, ok = l.corrected(&wrong, f, &failed)
	require.False(t, ok)
}

// TestPlaces checks where a Tag is.
func TestPlaces(t *testing.T) {
	tag := goldens(t)[12].detector(t).Detect(goldens(t)[12].image)[0]
	c := tag.Center()
	x, y := tag.Position()
	require.Equal(t, [2]float32{float32(c.X), float32(c.Y)}, [2]float32{x, y})
	require.Equal(t, c.Pt(), tag.Pt())
	inside := geometry.Point{}
	for _, p := range tag.Corners {
		inside.X += p.X / 4
		inside.Y += p.Y / 4
	}
	require.Less(t, distance(c, inside), 10.0)
}
