package tag

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"image"
	"image/draw"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

func newDetector(t testing.TB, opts Options) *Detector {
	t.Helper()
	d, err := New(opts)
	require.NoError(t, err)
	return d
}

// everything are options that look for all kinds of quads.
var everything = Options{Families: []Family{
	{Kind: ArUco4x4}, {}, {Kind: Standard41h12}, {Border: 2}, {Kind: Tag16h5, Inverted: true, Border: 3}, {Kind: ArUco7x7, Border: 4},
}}

func TestErrors(t *testing.T) {
	for text, opts := range map[string]Options{
		"tag: Options.MinContrast is 1, not 2 to 255":           {MinContrast: 1},
		"tag: Options.MinContrast is 256, not 2 to 255":         {MinContrast: 256},
		"tag: Options.MaxCorrected is 7, not up to 6":           {MaxCorrected: 7},
		"tag: Options.Samples is 99, not 100 to 10000":          {Samples: 99},
		"tag: Options.Samples is 10001, not 100 to 10000":       {Samples: 10001},
		"tag: Family.Border is 9, not 0 to 4":                   {Families: []Family{{}, {Border: 9}}},
		"tag: Family.Codes is 36, not 0 to 35 for Kind tag25h9": {Families: []Family{{Kind: Tag25h9, Codes: 36}}},
	} {
		_, err := New(opts)
		require.EqualError(t, err, text)
	}
}

func TestOptions(t *testing.T) {
	require.Equal(t, Options{
		Families: []Family{{Kind: Tag36h11, Border: 1}}, MinContrast: 16, Samples: 800, Workers: 1,
	}, newDetector(t, Options{}).Options())
	families := []Family{{Kind: ArUco4x4, Codes: 50}, {Border: 2}}
	d := newDetector(t, Options{Families: families, MinContrast: 2, MaxCorrected: -7, Samples: 100, Workers: 3})
	families[0] = Family{}
	want := Options{
		Families:    []Family{{Kind: ArUco4x4, Codes: 50, Border: 1}, {Kind: Tag36h11, Border: 2}},
		MinContrast: 2, MaxCorrected: -1, Samples: 100, Workers: 3,
	}
	d.Options().Families[1] = Family{}
	require.Equal(t, want, d.Options())
}

// TestImages checks images that are malformed, empty, or so small that there can be no quad.
func TestImages(t *testing.T) {
	d := newDetector(t, everything)
	require.PanicsWithValue(t, "tag: nil image", func() { d.Detect(nil) })
	for _, img := range imagetest.Malformed() {
		imagetest.RequirePanic(t, "tag", func() { d.Detect(img) })
	}
	for _, img := range imagetest.Empty() {
		require.Nil(t, d.Detect(img))
	}
	rng := rand.New(rand.NewPCG(4, 2))
	for w := 1; w < 20; w++ {
		for h := 1; h < 20; h++ {
			require.Empty(t, d.Detect(noise(rng, w, h)))
		}
	}
	for _, size := range []image.Point{{1, 10000}, {10000, 1}, {10000, 9}, {9, 10000}} {
		require.Empty(t, d.Detect(noise(rng, size.X, size.Y)))
	}
	// The rows overlap.
	require.Empty(t, d.Detect(&image.Gray{Pix: make([]byte, 100), Rect: image.Rect(0, 0, 100, 50)}))
}

// TestViews checks that tags in a part of an image have the coordinates of the image.
func TestViews(t *testing.T) {
	d := newDetector(t, Options{})
	for _, g := range goldens(t)[:14] {
		want := d.Detect(g.image)
		for _, origin := range []image.Point{{0, 0}, {5, 3}, {-1001, 2002}} {
			at := image.Rectangle{origin, origin.Add(g.image.Rect.Size())}
			whole := image.NewGray(at.Inset(-7))
			for i := range whole.Pix {
				whole.Pix[i] = uint8(i * i >> 3)
			}
			draw.Draw(whole, at, g.image, image.Point{}, draw.Src)
			got := d.Detect(whole.SubImage(at).(*image.Gray))
			require.Len(t, got, len(want))
			move := geometry.Point{X: float64(origin.X), Y: float64(origin.Y)}
			for i := range got {
				tag := want[i]
				for k, c := range corners {
					tag.Corners[k].X += move.X
					tag.Corners[k].Y += move.Y
					require.Less(t, distance(tag.Corners[k], got[i].Transform.Apply(c)), 1e-9)
				}
				tag.Transform = got[i].Transform
				require.Equal(t, tag, got[i])
			}
		}
	}
}

// TestWorkers checks that the number of workers changes nothing.
func TestWorkers(t *testing.T) {
	opts := Options{Families: []Family{{}, {Kind: Standard41h12}, {Border: 2}}}
	one := newDetector(t, opts)
	for i, img := range scenes(t, 640, 480, 2) {
		want := one.Detect(img)
		require.NotEmpty(t, want)
		opts.Workers = 2 + 5*i
		several := newDetector(t, opts)
		require.Equal(t, want, several.Detect(img))
		require.Equal(t, one.Follow(img, want), several.Follow(img, want))
	}
}

// TestConcurrent checks that goroutines can share a Detector.
func TestConcurrent(t *testing.T) {
	shared := newDetector(t, Options{Workers: 2})
	images := scenes(t, 400, 300, 4)
	var want [][]Tag
	for _, img := range images {
		want = append(want, newDetector(t, Options{}).Detect(img))
	}
	var wait sync.WaitGroup
	for g := range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range images {
				i = (i + g) % len(images)
				if got := shared.Detect(images[i]); fmt.Sprint(want[i]) != fmt.Sprint(got) {
					t.Errorf("image %d: other tags", i)
				}
			}
		}()
	}
	wait.Wait()
}

// TestAllocations checks that nothing is allocated in the steady state.
func TestAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	d := newDetector(t, Options{Families: []Family{{}, {Kind: Standard41h12}, {Border: 2}}})
	images := scenes(t, 320, 240, 9)[6:]
	tags := d.Append(d.Detect(images[0]), images[2])
	require.NotEmpty(t, tags)
	require.Zero(t, imagetest.Allocs(5, func() {
		for _, img := range images {
			tags = d.Append(tags[:0], img)
		}
	}))
}

// TestReleased checks that nothing of the caller's is kept.
func TestReleased(t *testing.T) {
	d := newDetector(t, Options{})
	imagetest.RequireReleased(t, func(m imagetest.Memory) {
		img := scenes(t, 320, 240, 9)[8]
		imagetest.Watch(m, "pixels", &img.Pix[0])
		tags := d.Detect(img)
		imagetest.Watch(m, "tags", &tags[0])
	})
}

// TestAppend checks that what is there stays.
func TestAppend(t *testing.T) {
	d := newDetector(t, Options{})
	img := scenes(t, 320, 240, 9)[8]
	want := d.Detect(img)
	require.Equal(t, append([]Tag{{ID: 77}}, want...), d.Append([]Tag{{ID: 77}}, img))
}

// board returns an image with the given markers, upright, in cells of some pixels, on white: each to the
// right of the one before, and a cell higher.
func board(cell int, markers ...marker) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 20*cell*len(markers), 20*cell))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for i, m := range markers {
		drawing := m.family.Draw(m.id, cell)
		draw.Draw(img, drawing.Rect.Add(image.Pt((20*i+3)*cell, (7-i)*cell)), drawing, image.Point{}, draw.Src)
	}
	return img
}

type marker struct {
	family Family
	id     int
}

// TestOrder checks in which order tags are returned.
func TestOrder(t *testing.T) {
	tall, small := Family{Border: 2}, Family{Kind: ArUco6x6, Codes: 250}
	d := newDetector(t, Options{Families: []Family{small, tall}})
	img := board(5, marker{tall, 30}, marker{small, 9}, marker{tall, 4}, marker{small, 10}, marker{tall, 30}, marker{small, 9})
	tags := d.Detect(img)
	var got []marker
	for _, tag := range tags {
		got = append(got, marker{tag.Family, tag.ID})
	}
	small, tall = small.withDefaults(), tall.withDefaults()
	require.Equal(t, []marker{{small, 9}, {small, 9}, {small, 10}, {tall, 4}, {tall, 30}, {tall, 30}}, got)
	require.Less(t, tags[0].Center().Y, tags[1].Center().Y)
	require.Less(t, tags[4].Center().Y, tags[5].Center().Y)

	// The same place counts once, also for families that both have the marker.
	d = newDetector(t, Options{Families: []Family{tall, {Kind: Tag36h11, Codes: 31, Border: 2}, tall}})
	require.Len(t, d.Detect(img), 3)
}

// TestMaxCorrected checks how many wrong bits are corrected.
func TestMaxCorrected(t *testing.T) {
	for _, c := range []struct {
		kind                Kind
		wrong, maxCorrected int
		found               bool
	}{
		{Tag36h11, 0, -1, true},
		{Tag36h11, 1, -1, false},
		{Tag36h11, 1, 1, true},
		{Tag36h11, 2, 0, true},
		{Tag36h11, 2, 1, false},
		{Tag36h11, 3, 0, false},
		{Tag36h11, 3, 3, true},
		{Tag36h11, 5, 6, true},
		{Tag36h11, 6, 6, false}, // which another marker could have
		{ArUco4x4, 1, 6, false},
		{ArUco5x5, 1, 0, false},
		{ArUco5x5, 1, 1, true},
	} {
		const cell = 30
		f := Family{Kind: c.kind}
		img := board(cell, marker{f, 17})
		d := f.design()
		for i := range c.wrong {
			x, y := d.cell(5 * i)
			at := image.Rect(0, 0, cell, cell).Add(image.Pt((x+4)*cell, (y+8)*cell))
			color := image.White
			if f.White(17, x, y) {
				color = image.Black
			}
			draw.Draw(img, at, color, image.Point{}, draw.Src)
		}
		tags := newDetector(t, Options{Families: []Family{f}, MaxCorrected: c.maxCorrected}).Detect(img)
		if !c.found {
			require.Empty(t, tags, "%+v", c)
			continue
		}
		require.Len(t, tags, 1, "%+v", c)
		require.Equal(t, [2]int{17, c.wrong}, [2]int{tags[0].ID, tags[0].Corrected})
	}
}

// TestSquares checks that black squares of pixels at all angles are quads, and where these are.
func TestSquares(t *testing.T) {
	j := newJob(newDetector(t, Options{}))
	const half, size = 20.0, 80
	for degrees := range 90 {
		sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
		img := image.NewGray(image.Rect(0, 0, size, size))
		for y := range size {
			for x := range size {
				u, v := float64(x)-39.3, float64(y)-40.1
				if max(math.Abs(u*cos+v*sin), math.Abs(v*cos-u*sin)) > half {
					img.Pix[y*img.Stride+x] = 255
				}
			}
		}
		j.begin(raster.NewPlane("tag", img))
		j.findBits()
		j.findQuads()
		require.Len(t, j.quads, 1, degrees)
		q, ok := fitSides(&j.image, &j.quads[0])
		require.True(t, ok, degrees)
		for _, c := range [4]geometry.Point{{X: -half, Y: -half}, {X: half, Y: -half}, {X: half, Y: half}, {X: -half, Y: half}} {
			c = geometry.Point{X: 39.3 + c.X*cos - c.Y*sin, Y: 40.1 + c.X*sin + c.Y*cos}
			nearest := math.Inf(1)
			for _, p := range q {
				nearest = min(nearest, distance(p, c))
			}
			require.Less(t, nearest, 0.8, degrees)
		}
	}
}

// TestEdge compares responses to edges with integrals.
func TestEdge(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	kernel := func(s float64) float64 { return 35.0 / 32 * math.Pow(max(1-s*s, 0), 3) }
	const n = 20000
	for range 60 {
		angle, blur := rng.Float64()*2*math.Pi, 0.1+rng.Float64()*2.4
		ny, nx := math.Sincos(angle)
		if min(math.Abs(nx), math.Abs(ny)) < 0.03 {
			continue
		}
		e := newEdge(nx, ny, blur)
		x := (2*rng.Float64() - 1) * float64(e.reach+0.1)
		// The share of the pixel's square beyond a line at distance d, and its derivatives, averaged over
		// the kernel.
		var want [3]float64
		a, b := math.Abs(nx), math.Abs(ny)
		for i := range n {
			s := (float64(i)+0.5)/n*2 - 1
			for corner, sign := range map[float64]float64{(a + b) / 2: 1, (a - b) / 2: -1, (b - a) / 2: -1, (-a - b) / 2: 1} {
				if d := x - 3*blur*s + corner; d > 0 {
					k := sign * kernel(s) * 2 / n / (a * b)
					want[0], want[1], want[2] = want[0]+k*d*d/2, want[1]+k*d, want[2]+k
				}
			}
		}
		value, slope, bend := e.at(float32(x))
		require.InDelta(t, want[0], value, 1e-4)
		require.InDelta(t, want[1], slope, 1e-4)
		require.InDelta(t, want[2], bend, 3e-3)
	}
}

// TestDerivatives compares the derivatives of the residuals with differences. They leave out the change of
// the shades, and of the response by the angle of the lines, so only most of them are alike.
func TestDerivatives(t *testing.T) {
	j := goldens(t)[12].job(t)
	l := laneOf(j)
	f := &j.detector.plans[0]
	i := slices.IndexFunc(j.quads, func(q quad) bool {
		l.setTries(&j.image, &q)
		_, ok := l.reader.nearest(l.tries, f)
		return ok
	})
	require.GreaterOrEqual(t, i, 0)
	m, _ := l.reader.nearest(l.tries, f)
	q := turned(&m.quad, m.turn)
	h, ok := squareTo(&q)
	require.True(t, ok)
	begin := func() *fitter {
		fitter := &l.fitter
		require.True(t, fitter.begin(&j.image, h, &m, f, 800))
		require.True(t, fitter.round(true))
		return fitter
	}
	for k := range unknowns {
		const step = 2e-3
		given := *begin()
		var moved [2]fitter
		for i, sign := range [2]float64{-1, 1} {
			moved[i] = *begin()
			moved[i].equations.step = [unknowns]float64{}
			moved[i].equations.step[k] = sign * step
			moved[i].step()
			moved[i].setRun(float64(given.run.tune))
		}
		var at, before, after block
		var errors []float64
		for i := range given.run.x {
			if given.run.derive(&at, i, 3) && moved[0].run.derive(&before, i, 3) && moved[1].run.derive(&after, i, 3) {
				difference := float64(before.columns[residualAt][3]-after.columns[residualAt][3]) / (2 * step)
				derivative := float64(at.columns[k][3])
				errors = append(errors, math.Abs(difference-derivative)/(1+math.Abs(derivative)))
			}
		}
		require.Greater(t, len(errors), 50)
		slices.Sort(errors)
		limit := 0.05
		switch {
		case k == blurAt:
			limit = 0.2
		case k >= blackAt:
			limit = 1e-3
		}
		require.Less(t, errors[len(errors)/2], limit, k)
	}
}

// TestSameBits checks that the results have the same bits on every platform. The hash is that of portable
// Go on amd64.
func TestSameBits(t *testing.T) {
	h := fnv.New64a()
	add := func(v ...float64) {
		for _, x := range v {
			binary.Write(h, binary.LittleEndian, math.Float64bits(x))
		}
	}
	for i := range goldens(t) {
		g := &goldens(t)[i]
		for _, tag := range g.detector(t).Detect(g.image) {
			fmt.Fprint(h, tag.ID, tag.Family, tag.Corrected, tag.Hidden)
			add(tag.Transform[:]...)
			add(tag.Noise, tag.Misfit)
			for _, c := range tag.Corners {
				add(c.X, c.Y)
			}
		}
	}
	require.Equal(t, "f6fee92d77a50ae4", fmt.Sprintf("%016x", h.Sum64()))
}
