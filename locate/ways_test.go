package locate

import (
	"fmt"
	"image"
	"image/color"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/stretchr/testify/require"
)

// pictures are how the pixels of random pictures are made.
var pictures = map[string]func(rng *rand.Rand, x, y int) uint8{
	"noise":       func(rng *rand.Rand, _, _ int) uint8 { return uint8(rng.Uint32()) },
	"extremes":    func(rng *rand.Rand, _, _ int) uint8 { return uint8(rng.IntN(2)) * 255 },
	"checks":      func(_ *rand.Rand, x, y int) uint8 { return uint8((x+y)&1) * 255 },
	"flat":        func(*rand.Rand, int, int) uint8 { return 77 },
	"almost flat": func(rng *rand.Rand, _, _ int) uint8 { return 200 + uint8(rng.IntN(80)/79) },
	"bright dots": func(rng *rand.Rand, _, _ int) uint8 { return uint8(rng.IntN(90)/89) * 255 },
	"periodic":    func(_ *rand.Rand, x, y int) uint8 { return uint8(x%5*40 + y%3*20) },
	"smooth":      func(rng *rand.Rand, x, y int) uint8 { return uint8(x*3 + y*2 + rng.IntN(4)) },
	"coarse":      func(rng *rand.Rand, x, y int) uint8 { return uint8((x/8*37+y/8*91)%256/2 + rng.IntN(99)) },
}

// picture returns a picture with values for each channel.
func picture(rng *rand.Rand, kind string, w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = pictures[kind](rng, i/4%w, i/4/w)
	}
	return img
}

// pair returns a scene and a template of a kind, gray or in color, and with or without a mask.
func pair(t testing.TB, rng *rand.Rand, kind string, w, h, tw, th int, color bool, mask *image.Gray) (*Scene, *Template) {
	t.Helper()
	scene, template := picture(rng, kind, w, h), picture(rng, kind, tw, th)
	if rng.IntN(3) > 0 {
		x, y := rng.IntN(w-tw+1), rng.IntN(h-th+1)
		for row := range th {
			copy(template.Pix[row*template.Stride:][:4*tw], scene.Pix[scene.PixOffset(x, y+row):])
		}
		for range rng.IntN(3) * tw * th / 8 {
			template.Pix[rng.IntN(len(template.Pix))] ^= uint8(1 << rng.IntN(8))
		}
	}
	if color {
		m, err := NewColorTemplate(template, mask)
		require.NoError(t, err)
		return NewColorScene(scene), m
	}
	gray := func(img *image.RGBA) *image.Gray {
		g := image.NewGray(img.Rect)
		for i := range g.Pix {
			g.Pix[i] = img.Pix[4*i]
		}
		return g
	}
	m, err := NewTemplate(gray(template), mask)
	require.NoError(t, err)
	return NewScene(gray(scene)), m
}

// mask returns a random mask of w by h pixels: nil, a disc, dots, or some rectangles.
func mask(rng *rand.Rand, w, h int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, w, h))
	m.Pix[rng.IntN(len(m.Pix))] = 1
	switch rng.IntN(6) {
	case 0:
		for i := range m.Pix {
			x, y := 2*(i%w)-w+1, 2*(i/w)-h+1
			if x*x*h*h+y*y*w*w <= w*w*h*h {
				m.Pix[i] = 9
			}
		}
	case 1:
		for i := range m.Pix {
			m.Pix[i] |= uint8(rng.IntN(2))
		}
	case 2:
		for i := range m.Pix {
			if x, y := i%w, i/w; x >= w/3 && y < h/2 || x < 2 {
				m.Pix[i] = 255
			}
		}
	default:
		return nil
	}
	return m
}

// requireBounds checks that no bound is less than the score of its place, and that the places that
// are found by bounds are those that the scores of all places have.
func requireBounds(t testing.TB, s *Scene, m *Template, opts Options, side int, what string) {
	t.Helper()
	l, err := New(opts)
	require.NoError(t, err)
	opts = l.opts
	j := newJob()
	j.set(&opts, s, m)
	scores := make([]float64, j.w*j.h)
	for i := range scores {
		scores[i] = j.score(i%j.w, i/j.w)
	}
	j.bounds.side = side
	if j.bounds.sideOf() == 0 {
		return
	}
	for _, j.goal = range []goal{toFind, toFindAll} {
		j.crew.begin(&j.task)
		require.True(t, j.bounds.prepare(&j.crew), what)
		for i, b := range j.bounds.bounds {
			if b == -2 && scores[i] < opts.MinScore {
				continue
			}
			if float64(b) < scores[i] {
				t.Fatalf("%s: the bound of place %d is %v, its score %v", what, i, b, scores[i])
			}
		}
	}
	by, ok := j.find()
	all := append([]candidate{}, j.findAll()...)
	for _, way := range []way{byProducts, byTransforms} {
		plain := newJob()
		plain.set(&opts, s, m)
		plain.way = way
		want, wantOK := plain.find()
		require.Equal(t, wantOK, ok, what)
		if ok {
			require.Equal(t, want, by, what)
		}
		require.Equal(t, append([]candidate{}, plain.findAll()...), all, what)
		for i, v := range plain.respond(nil) {
			require.Equal(t, float32(scores[i]), v, what)
		}
	}
}

var formulas = []Similarity{Correlation, Cosine, Difference}

// TestBounds compares searches by bounds with those of all places, for all kinds of pictures and
// blocks of all sizes.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		for _, kind := range slices.Sorted(maps.Keys(pictures)) {
			side := 1 + rng.IntN(9)
			tw, th := side+rng.IntN(30), side+rng.IntN(30)
			s, m := pair(t, rng, kind, tw+rng.IntN(50), th+rng.IntN(40), tw, th, rng.IntN(3) == 0, mask(rng, tw, th))
			for _, similarity := range formulas {
				opts := Options{Similarity: similarity, MinScore: []float64{0, -1, 0.3, 1}[rng.IntN(4)], Workers: 1 + rng.IntN(3)}
				for _, set := range cpu.InstructionSets("locate") {
					restore := cpu.Limit(set.Set)
					requireBounds(t, s, m, opts, side, fmt.Sprintf("%s, %s, %d by %d, blocks of %d, %+v", set.Name, kind, tw, th, side, opts))
					restore()
				}
			}
		}
	}
}

// TestParts checks that bounds are the same however many parts the places are in, and that of equal
// scores the first one is found, whichever worker finds it.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const w, h = 640, 520 // for two workers
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(rng.Uint32())
	}
	part := func(x, y, w, h int) *image.Gray { return img.SubImage(image.Rect(x, y, x+w, y+h)).(*image.Gray) }
	large, err := NewTemplate(part(70, 300, 40, 33), nil)
	require.NoError(t, err)
	for y := range 8 { // another copy of the small one
		copy(img.Pix[img.PixOffset(500, 450+y):][:8], img.Pix[img.PixOffset(100, 90+y):])
	}
	small, err := NewTemplate(part(100, 90, 8, 8), nil)
	require.NoError(t, err)
	s := NewScene(img)
	of := func(m *Template, workers int) *job {
		opts := Options{Workers: workers}
		opts.setDefaults()
		j := newJob()
		j.set(&opts, s, m)
		return j
	}
	one, two := of(large, 1), of(large, 2)
	for _, j := range []*job{one, two} {
		j.bounds.side, j.goal = 4, toFind
		j.crew.begin(&j.task)
		require.True(t, j.bounds.prepare(&j.crew))
	}
	require.Len(t, one.crew.parts, 1)
	require.Greater(t, len(two.crew.parts), 2)
	require.Equal(t, one.bounds.bounds, two.bounds.bounds)

	j := of(small, 2)
	j.way = byProducts
	rounds := 50 // the second worker has the first one in some of them
	if testing.Short() {
		rounds = 10
	}
	for range rounds {
		best, ok := j.find()
		require.True(t, ok)
		require.Equal(t, candidate{1, 100, 90}, best)
	}
}

// TestSizes checks that a template is found in scenes of several sizes, one after the other, for which
// transforms have tiles of different sizes.
func TestSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	img := picture(rng, "noise", 300, 200)
	m, err := NewColorTemplate(img.SubImage(image.Rect(20, 30, 50, 45)).(*image.RGBA), nil)
	require.NoError(t, err)
	opts := Options{}
	opts.setDefaults()
	var sizes []image.Point
	for _, r := range []image.Rectangle{image.Rect(10, 20, 60, 60), img.Rect, image.Rect(10, 20, 60, 60)} {
		j := newJob()
		j.set(&opts, NewColorScene(img.SubImage(r).(*image.RGBA)), m)
		j.way = byTransforms
		size, _ := j.transformsTime()
		sizes = append(sizes, size)
		best, ok := j.find()
		require.Equal(t, size, m.transformed.size)
		require.True(t, ok)
		require.Equal(t, candidate{1, int32(20 - r.Min.X), int32(30 - r.Min.Y)}, best)
	}
	require.NotEqual(t, sizes[0], sizes[1])
}

// TestKept checks that templates are found by what a scene keeps of windows of their size, in one picture
// after the other, as they are by all scores.
func TestKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	sizes := []image.Point{{16, 16}, {20, 16}, {17, 21}, {30, 18}, {24, 24}, {19, 40}}
	s := new(Scene)
	measured, most := 0, 0
	for round := range 12 {
		w, h := 50+rng.IntN(40), 44+rng.IntN(30)
		img := picture(rng, "coarse", w, h)
		gray := image.NewGray(img.Rect)
		for i := range gray.Pix {
			gray.Pix[i] = img.Pix[4*i]
		}
		if color := round%3 == 1; color {
			ColorSceneInto(s, img)
		} else {
			SceneInto(s, gray)
		}
		for range 14 {
			size := sizes[rng.IntN(1+rng.IntN(len(sizes)))]
			r := image.Rectangle{Max: size}.Add(image.Pt(rng.IntN(w-size.X+1), rng.IntN(h-size.Y+1)))
			mask := mask(rng, size.X, size.Y)
			m, err := NewTemplate(gray.SubImage(r).(*image.Gray), mask)
			if s.channels == 3 {
				m, err = NewColorTemplate(img.SubImage(r).(*image.RGBA), mask)
			}
			require.NoError(t, err)
			opts := Options{Similarity: formulas[rng.IntN(2)], MinScore: []float64{0.5, -1}[rng.IntN(2)]}
			var found [2]candidate
			var all [2][]candidate
			for i, way := range []way{anyWay, byProducts} {
				j := newJob()
				j.set(&opts, s, m)
				j.bounds.side, j.way = 4, way
				found[i], _ = j.find()
				if j.bounds.measured {
					measured++
				}
				all[i] = append(all[i], j.findAll()...)
			}
			require.Equal(t, found[1], found[0], "%v in %d by %d, %+v", size, w, h, opts)
			require.Equal(t, all[1], all[0])
			most = max(most, len(s.cache.kept))
		}
	}
	require.Greater(t, measured, 20)
	require.Equal(t, mostKept, most)
}

// TestJobReleased checks that a job keeps nothing of the scene and the template.
func TestJobReleased(t *testing.T) {
	s, m := pair(t, rand.New(rand.NewPCG(7, 8)), "noise", 60, 50, 28, 26, false, nil)
	l, err := New(Options{})
	require.NoError(t, err)
	for _, way := range []way{anyWay, byTransforms} {
		j := l.begin(s, m)
		j.way = way
		j.find()
		require.True(t, j.bounds.outline != nil || j.transforms.spectra != nil)
		j.release()
		require.Zero(t, j.task)
		require.Nil(t, j.bounds.outline)
		require.Nil(t, j.bounds.planes)
		require.Zero(t, j.bounds.measures)
		require.Nil(t, j.transforms.spectra)
	}
}

// TestMostMatches checks that FindAll, with a limit of matches, does not take what it has found for what
// it keeps: places around a blob score more and more up to its middle, which excludes those before, and
// then there is room for a blob that scores less than them.
func TestMostMatches(t *testing.T) {
	const size = 20
	rng := rand.New(rand.NewPCG(11, 12))
	add := func(img *image.Gray, x, y int, contrast float64) {
		for i := range size * size {
			dx, dy := float64(i%size)-size/2, float64(i/size)-size/2
			v := &img.Pix[img.PixOffset(x+i%size, y+i/size)]
			*v = uint8(float64(*v) + contrast*math.Exp(-(dx*dx+dy*dy)/30))
		}
	}
	template := image.NewGray(image.Rect(0, 0, size, size))
	add(template, 0, 0, 200)
	m, err := NewTemplate(template, nil)
	require.NoError(t, err)
	for range 5 {
		img := image.NewGray(image.Rect(0, 0, 160, 120))
		for i := range img.Pix {
			img.Pix[i] = uint8(rng.IntN(40))
		}
		for i := range 12 {
			add(img, i%4*40+rng.IntN(20), i/4*40+rng.IntN(20), 10+190*rng.Float64())
		}
		for most := 1; most < 10; most++ {
			l, err := New(Options{MinScore: 0.3, MaxMatches: most})
			require.NoError(t, err)
			found := map[way][]candidate{}
			for _, way := range []way{byProducts, anyWay} {
				j := newJob()
				j.set(&l.opts, NewScene(img), m)
				j.bounds.side, j.way = 4, way
				found[way] = append(found[way], j.findAll()...)
			}
			require.Len(t, found[byProducts], most)
			require.Equal(t, found[byProducts], found[anyWay])
		}
	}
}

// FuzzBounds checks bounds and what is found by them.
func FuzzBounds(f *testing.F) {
	f.Add(uint64(1), uint8(20), uint8(17), uint8(30), uint8(25), uint8(4), uint8(0), uint8(0), 0.8)
	f.Add(uint64(2), uint8(64), uint8(64), uint8(3), uint8(40), uint8(8), uint8(5), uint8(2), -1.0)
	f.Fuzz(func(t *testing.T, seed uint64, tw, th, w, h, side, kind, similarity uint8, minScore float64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		names := []string{"noise", "extremes", "checks", "flat", "almost flat", "bright dots", "periodic", "smooth", "coarse"}
		width, height := 1+int(tw)%70, 1+int(th)%70
		s, m := pair(t, rng, names[int(kind)%len(names)], width+int(w)%60, height+int(h)%40, width, height, kind > 100, mask(rng, width, height))
		opts := Options{Similarity: formulas[similarity%3]}
		if minScore <= 1 {
			opts.MinScore = minScore
		}
		for _, set := range cpu.InstructionSets("locate") {
			restore := cpu.Limit(set.Set)
			requireBounds(t, s, m, opts, 1+int(side)%min(width, height), set.Name)
			restore()
		}
	})
}

// TestThreshold checks that the best place is found among those that are likely to score most, and not hidden by
// windows of little variation: the sums of the squares of their blocks lack as much.
func TestThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	picture := image.NewGray(image.Rect(0, 0, 240, 200))
	for i := range picture.Pix {
		picture.Pix[i] = 250 + uint8(i%240/40%2)
	}
	at := image.Rect(100, 90, 132, 122)
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			picture.SetGray(x, y, color.Gray{Y: uint8(60+(x-at.Min.X)/16*60) + uint8(rng.IntN(120))})
		}
	}
	m, err := NewTemplate(picture.SubImage(at).(*image.Gray), nil)
	require.NoError(t, err)
	l, err := New(Options{})
	require.NoError(t, err)
	j := newJob()
	j.set(&l.opts, NewScene(picture), m)
	j.bounds.side, j.goal = 4, toFind
	j.crew.begin(&j.task)
	require.True(t, j.bounds.prepare(&j.crew))
	require.EqualValues(t, 1, j.bounds.threshold)
}
