package tag_test

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/internal/test/prints"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// A rendered is an image of a marker of Tag36h11, whose corners are known.
type rendered struct {
	image   *image.Gray
	id      int
	corners [4]geometry.Point
}

// render renders a marker on gray, at a place in an image of the given size, with a quad of the given
// side, rotated, and tilted by up to a factor of two.
func render(rng *rand.Rand, size image.Point, at geometry.Point, side float64, covers ...prints.Cover) rendered {
	r := rendered{id: rng.IntN(587)}
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	narrow, half := 1-rng.Float64()/2, side/2
	lean := geometry.Point{X: .3*rng.Float64() - .15, Y: .3*rng.Float64() - .15}
	to := geometry.Transform{
		half*cos + at.X*lean.X, -half*narrow*sin + at.X*lean.Y, at.X,
		half*sin + at.Y*lean.X, half*narrow*cos + at.Y*lean.Y, at.Y,
		lean.X, lean.Y, 1,
	}
	for i, c := range [4]geometry.Point{{X: -1, Y: -1}, {X: 1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}} {
		r.corners[i] = to.Apply(c)
	}
	pattern := prints.Drawn(tag.Family{}.Draw(r.id, 1), 1)
	scene := prints.NewScene(size.X, size.Y, 60+100*rng.Float64())
	scene.Place(pattern, to, prints.Ink{Black: 15 + 45*rng.Float64(), White: 150 + 85*rng.Float64()}, covers, 4)
	r.image = scene.Pixels(.6).Gray(2, rng)
	return r
}

// findings counts what is found of rendered markers.
type findings struct {
	found, hidden int
	squares       float64 // of the errors of corners that are not hidden, in pixels
}

// find looks for a marker. If its corners are off by more than a pixel, it must be Hidden.
func (f *findings) find(t *testing.T, d *tag.Detector, r *rendered) {
	for _, found := range d.Detect(r.image) {
		if found.ID != r.id {
			require.True(t, found.Hidden, "another marker")
			continue
		}
		worst, sum := 0.0, 0.0
		for i, c := range found.Corners {
			e := math.Hypot(c.X-r.corners[i].X, c.Y-r.corners[i].Y)
			worst, sum = max(worst, e), sum+e*e/4
		}
		f.found++
		if found.Hidden {
			f.hidden++
			continue
		}
		require.LessOrEqual(t, worst, 1.0)
		f.squares += sum
	}
}

// error returns the root of the mean squared error.
func (f *findings) error() float64 { return math.Sqrt(f.squares / float64(f.found-f.hidden)) }

// middle returns a place that is at most a pixel from the middle of an image.
func middle(rng *rand.Rand, size image.Point) geometry.Point {
	return geometry.Point{X: float64(size.X)/2 + rng.Float64(), Y: float64(size.Y)/2 + rng.Float64()}
}

// newCoveredDetector returns a Detector with defaults.
func newCoveredDetector(t *testing.T) *tag.Detector {
	imagetest.SkipRace(t)
	d, err := tag.New(tag.Options{})
	require.NoError(t, err)
	return d
}

// images returns n, or fewer in short tests.
func images(n int) int {
	if testing.Short() {
		return n / 3
	}
	return n
}

// TestCovered covers one or two corners of markers. Those that are off by over a pixel must be Hidden.
func TestCovered(t *testing.T) {
	d := newCoveredDetector(t)
	rng := rand.New(rand.NewPCG(11, 1))
	var all findings
	n := images(240)
	for i := range n {
		side := [3]float64{24, 40, 80}[i%3]
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		cover := prints.Cover{A: cos, B: sin, C: .55 + .75*rng.Float64(), Gray: 255 * rng.Float64()}
		size := image.Pt(int(2*side), int(2*side))
		r := render(rng, size, middle(rng, size), side, cover)
		all.find(t, d, &r)
	}
	require.Greater(t, all.found, n/4)
	require.Less(t, all.hidden, all.found*9/10) // many are covered too little to harm
	require.Less(t, all.error(), .1)
}

// TestCoveredBorder covers markers by what ends parallel to an edge and looks as the quiet zone does, so
// that the border looks narrower than it is. Only the inner cells tell.
func TestCoveredBorder(t *testing.T) {
	d := newCoveredDetector(t)
	rng := rand.New(rand.NewPCG(11, 2))
	var all findings
	n := images(200)
	for i := range n {
		side := [2]float64{24, 40}[i%2]
		cover := prints.Cover{A: 1, C: 1 - .25*rng.Float64(), Gray: 150 + 85*rng.Float64()}
		if i%4 >= 2 {
			cover.A, cover.B = 0, -1
		}
		size := image.Pt(int(2*side), int(2*side))
		r := render(rng, size, middle(rng, size), side, cover)
		all.find(t, d, &r)
	}
	require.Greater(t, all.found, n/2)
	require.Greater(t, all.hidden, all.found*2/3)
}

// TestWhole checks that markers that nothing covers are not Hidden, also if they are sharpened.
func TestWhole(t *testing.T) {
	d := newCoveredDetector(t)
	for _, amount := range []float64{0, .5, 1, 2} {
		rng := rand.New(rand.NewPCG(11, 3))
		var all findings
		n := images(60)
		for i := range n {
			side := [4]float64{24, 32, 40, 80}[i%4]
			size := image.Pt(int(2*side), int(2*side))
			r := render(rng, size, middle(rng, size), side)
			r.image = sharpened(r.image, amount)
			all.find(t, d, &r)
		}
		require.Equal(t, n, all.found)
		require.Zero(t, all.hidden)
		require.Less(t, all.error(), .04)
	}
}

// sharpened returns an image with the differences from the mean of 3 by 3 pixels increased.
func sharpened(img *image.Gray, amount float64) *image.Gray {
	sharp := image.NewGray(img.Rect)
	at := func(x, y int) float64 {
		return float64(img.GrayAt(min(max(x, 0), img.Rect.Max.X-1), min(max(y, 0), img.Rect.Max.Y-1)).Y)
	}
	for y := range img.Rect.Max.Y {
		for x := range img.Rect.Max.X {
			mean := 0.0
			for k := range 9 {
				mean += at(x+k%3-1, y+k/3-1) / 9
			}
			sharp.Pix[y*sharp.Stride+x] = uint8(min(max(math.Round(at(x, y)+amount*(at(x, y)-mean)), 0), 255))
		}
	}
	return sharp
}

// TestCutOff looks for markers that the edge of the image cuts off. Those that lose only a part of the quiet
// zone are not Hidden.
func TestCutOff(t *testing.T) {
	d := newCoveredDetector(t)
	rng := rand.New(rand.NewPCG(11, 4))
	var cut, whole findings
	n := images(200)
	for i := range n {
		side := [3]float64{24, 40, 80}[i%3]
		size := image.Pt(int(2*side), int(2*side))
		at := middle(rng, size)
		at.X -= (.4 + .4*rng.Float64()) * side
		r := render(rng, size, at, side)
		inside := true
		for _, c := range r.corners {
			inside = inside && c.X > 0
		}
		if inside {
			whole.find(t, d, &r)
		} else {
			cut.find(t, d, &r)
		}
	}
	require.Greater(t, cut.found, n/4)
	require.Greater(t, cut.hidden, n/20)
	require.Less(t, cut.error(), .1)
	require.Greater(t, whole.found, n/20)
	require.Zero(t, whole.hidden)
	require.Less(t, whole.error(), .04)
}
