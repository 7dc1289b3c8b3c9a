package tag

import (
	"image"
	"image/draw"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/internal/test/prints"
	"github.com/stretchr/testify/require"
)

// A mover is a marker that moves: its place in frame i is place plus i times speed.
type mover struct {
	marker
	place, speed homography
}

// newMovers returns a marker of each family in turn, in a row of places, with sides of the given length on
// average. Each moves by up to the given part of its side.
func newMovers(rng *rand.Rand, families []Family, places []geometry.Point, side, speed float64) (list []mover) {
	for i, p := range places {
		f := families[i%len(families)]
		s, half := speed*side, side/2*(0.7+0.6*rng.Float64())
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
		gx, gy := between(-0.15, 0.15), between(-0.15, 0.15)
		list = append(list, mover{
			marker: marker{f, rng.IntN(f.Len())},
			place: homography{
				half*cos + gx*p.X, -half*sin + gy*p.X, p.X,
				half*sin + gx*p.Y, half*cos + gy*p.Y, p.Y,
				gx, gy, 1,
			},
			speed: homography{2: between(-s, s), 5: between(-s, s)},
		})
	}
	return list
}

// frame returns frame i of a video of markers before a photo.
func frame(rng *rand.Rand, photo *image.Gray, movers []mover, i int) *image.Gray {
	scene := prints.FromGray(photo)
	for _, m := range movers {
		h := m.place
		for k := range h {
			h[k] += float64(i) * m.speed[k]
		}
		d := m.family.design()
		pattern := prints.Drawn(m.family.Draw(m.id, 1), d.margin)
		scene.Place(pattern, geometry.Transform(h), prints.Ink{Black: 30, White: 200}, nil, 1)
	}
	return scene.Pixels(0.6).Gray(2, rng)
}

// fiveBefore returns places of five markers before an image of that size.
func fiveBefore(w, h int) (places []geometry.Point) {
	for i := range 5 {
		places = append(places, geometry.Point{
			X: float64(w) * (0.15 + 0.175*float64(i)), Y: float64(h) * (0.3 + 0.4*float64(i%2)),
		})
	}
	return places
}

// TestFollow compares the markers of a video with those that Detect finds in the surroundings of those of
// the frame before.
func TestFollow(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	families := []Family{{}, {Kind: Standard41h12}, {Border: 2}, {Kind: ArUco5x5, Codes: 50, Inverted: true}}
	d := newDetector(t, Options{Families: families})
	photo := imagetest.Frames(t, 320, 240, 1)[0]
	tracked, lost := 0, 0
	videos := 4
	if testing.Short() {
		videos = 1
	}
	for range videos {
		movers := newMovers(rng, families, fiveBefore(320, 240), 45, 0.6)
		last := d.Detect(frame(rng, photo, movers, 0))
		for i := 1; i < 4; i++ {
			img := frame(rng, photo, movers, i)
			all := d.Detect(img)
			rng.Shuffle(len(last), func(i, k int) { last[i], last[k] = last[k], last[i] })
			got := d.Follow(img, last)
			j := d.begin(img)
			j.surround(last, image.Point{})
			for _, tag := range all {
				if slices.ContainsFunc(j.around, func(r image.Rectangle) bool { return holds(r, &tag) }) {
					require.Contains(t, got, tag)
				}
			}
			require.Equal(t, got, slices.DeleteFunc(slices.Clone(all), func(tag Tag) bool { return !slices.Contains(got, tag) }))
			tracked += len(got)
			lost += len(all) - len(got)
			last = d.AppendFollow(last[:0], img, last)
			require.Equal(t, got, last)
			last = all
		}
	}
	require.Greater(t, tracked, 7*videos)
	require.True(t, lost > 0 || testing.Short())
}

// holds reports whether the quad of a tag lies in a window with the given bounds.
func holds(bounds image.Rectangle, t *Tag) bool {
	return !slices.ContainsFunc(t.Corners[:], func(c geometry.Point) bool {
		return !image.Pt(int(math.Floor(c.X)), int(math.Floor(c.Y))).In(bounds.Inset(1))
	})
}

// TestWindows compares the quads in windows with those of the whole image that lie within.
func TestWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	j := newJob(oracleDetector(t, 16))
	quads := 0
	for range 300 {
		img := noise(rng, 20+rng.IntN(150), 20+rng.IntN(90))
		size := img.Rect.Size()
		r := image.Rect(rng.IntN(size.X), rng.IntN(size.Y), size.X, size.Y)
		r.Max = r.Min.Add(image.Pt(1+rng.IntN(r.Dx()), 1+rng.IntN(r.Dy())))
		j.begin(raster.NewPlane("tag", img))
		j.window.bounds = j.beyondEdges(r)
		j.findBits()
		j.findQuads()
		want := append([]quad{}, j.quads...)
		j.quads = j.quads[:0]
		j.open(r)
		j.findBits()
		j.findQuads()
		imagetest.RequireSame(t, want, append([]quad{}, j.quads...), "%v of %v", r, size)
		quads += len(want)
	}
	require.Greater(t, quads, 50)
}

// TestSurroundings checks where markers are searched.
func TestSurroundings(t *testing.T) {
	square := func(x, y, side float64) Tag {
		return Tag{Corners: [4]geometry.Point{{X: x, Y: y}, {X: x + side, Y: y}, {X: x + side, Y: y + side}, {X: x, Y: y + side}}}
	}
	nan, infinite := square(100, 100, 50), square(100, 100, 50)
	nan.Corners[2].Y = math.NaN()
	infinite.Corners[2].Y = math.Inf(1)
	for _, c := range []struct {
		last []Tag
		want []image.Rectangle
	}{
		{nil, nil},
		{[]Tag{square(100, 100, 50)}, []image.Rectangle{image.Rect(75, 75, 176, 176)}},
		{[]Tag{square(100.5, 100, 10)}, []image.Rectangle{image.Rect(84, 84, 127, 127)}},
		{[]Tag{square(0, 200, 40)}, []image.Rectangle{image.Rect(0, 180, 61, 240)}},
		{[]Tag{square(-100, 100, 50), square(400, 100, 50), square(100, 1e300, 50), nan, infinite}, nil},
		{[]Tag{square(-10, -10, 1e300)}, []image.Rectangle{image.Rect(0, 0, 320, 240)}},
		// The last one joins two others.
		{
			[]Tag{square(20, 20, 20), square(80, 20, 20), square(200, 150, 30), square(50, 25, 20)},
			[]image.Rectangle{image.Rect(184, 134, 247, 197), image.Rect(4, 4, 117, 62)},
		},
		// The last one joins the second one, and the box around both overlaps the first one.
		{[]Tag{square(90, 20, 10), square(20, 20, 20), square(70, 70, 40)}, []image.Rectangle{image.Rect(4, 4, 131, 131)}},
	} {
		for _, origin := range []image.Point{{}, {-7, 1000}} {
			img := image.NewGray(image.Rectangle{origin, origin.Add(image.Pt(320, 240))})
			j := newDetector(t, Options{}).begin(img)
			last := slices.Clone(c.last)
			for i := range last {
				for k := range last[i].Corners {
					last[i].Corners[k].X += float64(origin.X)
					last[i].Corners[k].Y += float64(origin.Y)
				}
			}
			j.surround(last, origin)
			require.Equal(t, c.want, append([]image.Rectangle(nil), j.around...))
		}
	}
}

// TestFollowViews checks Follow with images whose upper left pixel is not 0, 0, with empty ones and with
// malformed ones.
func TestFollowViews(t *testing.T) {
	d := newDetector(t, Options{})
	img := scenes(t, 320, 240, 9)[8]
	want := d.Detect(img)
	require.NotEmpty(t, want)
	require.Equal(t, want, d.Follow(img, want))
	require.Nil(t, d.Follow(img, nil))
	require.Equal(t, append([]Tag{{ID: 77}}, want...), d.AppendFollow([]Tag{{ID: 77}}, img, want))

	whole := image.NewGray(image.Rect(-30, 40, 400, 400))
	at := img.Rect.Add(image.Pt(-20, 50))
	draw.Draw(whole, at, img, image.Point{}, draw.Src)
	view := whole.SubImage(at).(*image.Gray)
	want = d.Detect(view)
	require.Equal(t, want, d.Follow(view, want))

	for _, empty := range imagetest.Empty() {
		require.Nil(t, d.Follow(empty, want))
	}
	require.PanicsWithValue(t, "tag: nil image", func() { d.Follow(nil, nil) })
	for _, img := range imagetest.Malformed() {
		imagetest.RequirePanic(t, "tag", func() { d.Follow(img, nil) })
	}
	require.PanicsWithValue(t, "tag: Detector not made by New", func() { new(Detector).Follow(img, nil) })
}

// TestFollowAllocations checks that nothing is allocated in the steady state.
func TestFollowAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	d := newDetector(t, Options{})
	img := scenes(t, 640, 480, 1)[0]
	last := d.Detect(img)
	tags := d.Follow(img, last)
	require.Greater(t, len(tags), 1)
	require.Zero(t, imagetest.Allocs(5, func() { tags = d.AppendFollow(tags[:0], img, last) }))
}
