package tag

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// A golden is an image and what a prototype in Go of the same method made of it.
type golden struct {
	File     string
	Families []string
	Focal    float64 // of the camera of poses
	// The SHA-256 of the bits, as little-endian words.
	Dark, Light string
	// The sums over the components by edges, and those by edges and corners, of each kind of pixels.
	Runs, Components int
	Quads            [][]number
	Rings            [][]int    // by quads and families: wrong samples, or -1 if the family is not for the quad
	Sides            [][]number // by quads: nil if no rings are likely, and empty if the sides stay
	Reads            []goldenRead
	Tags             []goldenTag
	Truth            []goldenTruth // nil if it is not known where there are tags

	image *image.Gray
}

// A goldenRead is what can be read of a quad as a tag of a family.
type goldenRead struct {
	Quad, Family int
	Try          int
	Sharp        bool
	Turn, ID     int
	Wrong        int
	Word         string
	Black, White []number
	Fits         []goldenFit
	Accepted     bool
}

type goldenFit struct {
	OK           bool
	Outer, Inner int
	Rounds       [][3]float64 // the root mean square of the residuals, the move of the corners, and the blur after it
	Misfit       float64
	Corners      []number
}

// A goldenTruth is a tag that was rendered.
type goldenTruth struct {
	Family string
	ID     int
	P      [4][2]float64 // the corners
}

// A goldenTag is one of those that are left when each tag is there once.
type goldenTag struct {
	ID      int
	Errors  int
	Corners []number
	Hidden  bool
	Noise   number
	Misfit  number

	Pose, Other   []number // the rotation and the translation, for sides of length 1
	Error, Second number
	Ambiguous     bool
}

// A number is the hexadecimal bits of a float64.
type number float64

func (n *number) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 16, 64)
	*n = number(math.Float64frombits(v))
	return err
}

// points returns numbers as coordinates.
func points(n []number) (p [4]geometry.Point) {
	for i := range p {
		p[i] = geometry.Point{X: float64(n[2*i]), Y: float64(n[2*i+1])}
	}
	return p
}

// goldenFamilies are the names of families in golden.json.
var goldenFamilies = map[string]Family{
	"36h11":           {Kind: Tag36h11},
	"25h9":            {Kind: Tag25h9},
	"16h5":            {Kind: Tag16h5},
	"Standard41h12":   {Kind: Standard41h12},
	"ArUco 4x4 50":    {Kind: ArUco4x4, Codes: 50},
	"ArUco 5x5 100":   {Kind: ArUco5x5, Codes: 100},
	"ArUco 6x6 250":   {Kind: ArUco6x6, Codes: 250},
	"ArUco 7x7 1000":  {Kind: ArUco7x7},
	"ArUco MIP 36h12": {Kind: ArUcoMIP36h12},
	"36h11 border 2":  {Kind: Tag36h11, Border: 2},
}

// goldens returns the cases. The test is skipped in a downloaded module.
func goldens(t testing.TB) []golden {
	t.Helper()
	imagetest.NeedTestdata(t, "testdata/golden.json.gz")
	return readGoldens()
}

var readGoldens = sync.OnceValue(func() []golden {
	file, err := os.Open("testdata/golden.json.gz")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		panic(err)
	}
	var all struct{ Images []golden }
	if err := json.NewDecoder(unzipped).Decode(&all); err != nil {
		panic(err)
	}
	for i := range all.Images {
		g := &all.Images[i]
		file, err := os.Open(filepath.Join("testdata", g.File))
		if err != nil {
			panic(err)
		}
		img, err := png.Decode(file)
		file.Close()
		if err != nil {
			panic(err)
		}
		g.image = img.(*image.Gray)
	}
	return all.Images
})

// detector returns the Detector of a case.
func (g *golden) detector(t testing.TB) *Detector {
	var families []Family
	for _, name := range g.Families {
		f, ok := goldenFamilies[name]
		require.True(t, ok, name)
		families = append(families, f)
	}
	d, err := New(Options{Families: families})
	require.NoError(t, err)
	return d
}

// job returns a job for a case, with the bits and the quads.
func (g *golden) job(t testing.TB) *job {
	j := newJob(g.detector(t))
	j.begin(raster.NewPlane("tag", g.image))
	j.findBits()
	j.findQuads()
	return j
}

// eachGolden runs a test of each case.
func eachGolden(t *testing.T, test func(t *testing.T, g *golden, j *job)) {
	require.Len(t, goldens(t), 41)
	for i := range goldens(t) {
		g := &goldens(t)[i]
		if imagetest.RaceEnabled() && i%5 > 0 {
			continue // it takes a minute
		}
		t.Run(g.File, func(t *testing.T) { test(t, g, g.job(t)) })
	}
}

// TestGoldenBits compares the bits of pixels, and their components.
func TestGoldenBits(t *testing.T) {
	hash := func(b []uint64) string {
		h := sha256.New()
		require.NoError(t, binary.Write(h, binary.LittleEndian, b))
		return hex.EncodeToString(h.Sum(nil))
	}
	eachGolden(t, func(t *testing.T, g *golden, j *job) {
		b := &j.bitmap
		require.Equal(t, g.Dark, hash(b.dark))
		require.Equal(t, g.Light, hash(b.light))
		runs, components := 0, 0
		count := func() {
			for i := range j.labeler.bands {
				runs += len(j.labeler.bands[i].of)
			}
			components += len(componentsOf(&j.labeler))
		}
		for i, look := range j.detector.looks {
			pixels := [2][]uint64{b.dark, b.light}[i]
			if look.wanted {
				j.label(pixels)
				count()
				j.labeler.joinCorners()
				count()
			}
			if look.eroded {
				j.erode(pixels)
				j.label(j.eroded)
				count()
			}
		}
		require.Equal(t, g.Runs, runs)
		require.Equal(t, g.Components, components)
	})
}

// goldenQuads returns the quads of a job that the prototype has, after checking that it has no others. It
// had none of components with pixels in the outermost rows and columns of the image.
func (g *golden) goldenQuads(t *testing.T, j *job) []*quad {
	var both []*quad
	for i := range j.quads {
		q := &j.quads[i]
		if k := len(both); k < len(g.Quads) && q.corners == points(g.Quads[k]) {
			both = append(both, q)
			continue
		}
		require.True(t, slices.ContainsFunc(q.corners[:], func(p geometry.Point) bool {
			return min(p.X, p.Y) < 0 || p.X > float64(j.image.W-1) || p.Y > float64(j.image.H-1)
		}), q)
	}
	require.Len(t, both, len(g.Quads))
	return both
}

// TestGoldenQuads compares the quads, what their rings look like, and where their sides are.
func TestGoldenQuads(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *golden, j *job) {
		l := laneOf(j)
		for i, q := range g.goldenQuads(t, j) {
			h, ok := squareTo(&q.corners)
			for k := range j.detector.plans {
				f := &j.detector.plans[k]
				wrong := ringSamples
				if f.reversed != q.light {
					wrong = -1
				} else if ok {
					wrong = wrongRings(l.reader.sampler.sample(&h, f.near), f.reversed)
				}
				require.Equal(t, g.Rings[i][k], wrong, "quad %d, family %d", i, k)
			}
			require.Equal(t, g.Sides[i] != nil, l.reader.likely(q, &j.detector.looks[one(q.light)]), i)
			if g.Sides[i] == nil {
				continue
			}
			fitted, ok := fitSides(&j.image, q)
			require.Equal(t, len(g.Sides[i]) > 0, ok, i)
			if ok {
				require.Equal(t, points(g.Sides[i]), fitted, i)
			}
		}
	})
}

// TestGoldenReads compares what is read of each quad, and the fits that follow.
func TestGoldenReads(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *golden, j *job) {
		l := laneOf(j)
		reads := g.Reads
		for i, q := range g.goldenQuads(t, j) {
			if !l.reader.likely(q, &j.detector.looks[one(q.light)]) {
				continue
			}
			l.setTries(&j.image, q)
			for k := range j.detector.plans {
				f := &j.detector.plans[k]
				if f.reversed != q.light {
					continue
				}
				m, near := l.reader.nearest(l.tries, f)
				if m.wrong > f.bits {
					continue // nothing can be read
				}
				require.NotEmpty(t, reads)
				r := reads[0]
				reads = reads[1:]
				require.Equal(t, []int{r.Quad, r.Family, r.Try, r.Turn, r.ID, r.Wrong}, []int{i, k, m.try, m.turn, m.id, m.wrong})
				require.Equal(t, r.Sharp, m.word == 1)
				word := m.words[m.word]
				for range m.turn {
					word = f.turned(word)
				}
				require.Equal(t, r.Word, strconv.FormatUint(word, 16))
				for c := range 3 {
					require.InDelta(t, float64(r.Black[c]), m.black[c], 1e-9)
					require.InDelta(t, float64(r.White[c]), m.white[c], 1e-9)
				}
				require.Equal(t, len(r.Fits) > 0, near)
				if near {
					compareFits(t, r.Fits, j, l, &m, f)
				}
				tag, accepted := l.decode(&j.image, f, j.detector.opts.Samples)
				require.Equal(t, r.Accepted, accepted)
				if accepted {
					require.Equal(t, r.ID, tag.id)
				}
			}
		}
		require.Empty(t, reads)
	})
}

// compareFits compares the fits of a match with those of the prototype, and checks which of them becomes the
// result.
func compareFits(t *testing.T, want []goldenFit, j *job, l *lane, m *match, f *plan) {
	samples := j.detector.opts.Samples
	bestOf(t, l, m, f, func(h homography, lenient int) (fit, bool) {
		require.NotEmpty(t, want)
		first := &want[0]
		want = want[1:]
		return compareFit(t, first, j, l, h, m, f, lenient)
	})
	require.Empty(t, want)
	best := bestOf(t, l, m, f, func(h homography, lenient int) (fit, bool) {
		return l.fitter.fit(&j.image, h, m, f, samples, lenient)
	})
	require.Equal(t, best, l.fit(&j.image, m, f, samples))
}

// bestOf returns the best of the fits of a match.
func bestOf(t *testing.T, l *lane, m *match, f *plan, fitFrom func(h homography, lenient int) (fit, bool)) fit {
	q := turned(&m.quad, m.turn)
	h, ok := squareTo(&q)
	require.True(t, ok)
	best := fit{homography: h, misfit: 1, hidden: true}
	try := func(h homography, lenient int) {
		if result, ok := fitFrom(h, lenient); ok && result.misfit < best.misfit {
			best = result
		}
	}
	try(h, 0)
	if first := best.misfit; first > 0.05 && !f.weak {
		if first < 1 {
			try(best.homography, 4)
		}
		if best.misfit > 0.05 && best.misfit > 0.7*first {
			q := turned(&l.tries[1%len(l.tries)], m.turn)
			h, ok := squareTo(&q)
			require.True(t, ok)
			try(h, 4)
		}
	}
	return best
}

// fitTolerance is by how much the results of fits differ from the goldens, in pixels or as a share:
// the goldens are of float64.
const fitTolerance = 1e-4

// compareFit compares the rounds of a fit, and the result, which it returns. In the prototype, the weight of
// inner pixels does not depend on the size of cells, so they get that one.
func compareFit(t *testing.T, want *goldenFit, j *job, l *lane, h homography, m *match, f *plan, lenient int) (result fit, ok bool) {
	t.Helper()
	fitter := &l.fitter
	begun := fitter.begin(&j.image, h, m, f, j.detector.opts.Samples)
	require.Equal(t, [2]int{want.Outer, want.Inner}, [2]int{fitter.outer, fitter.inner})
	require.Equal(t, len(want.Rounds) > 0, begun)
	c := newChooser(fitter, &h, j.detector.opts.Samples)
	for i := range fitter.outer + fitter.inner {
		x, y := float64(fitter.run.x[i])*fitter.half+fitter.center.X, float64(fitter.run.y[i])*fitter.half+fitter.center.Y
		weight, outer := c.weigh(math.Round(x), math.Round(y))
		require.Equal(t, float32(weight), fitter.run.weight[i])
		if !outer {
			fitter.run.weight[i] = float32(min(1, 0.15*float64(c.inner)))
		}
	}
	for i, r := range want.Rounds {
		require.True(t, fitter.round(i == 0 || i < lenient))
		require.InEpsilon(t, r[0], fitter.rms, fitTolerance)
		require.InDelta(t, r[1], fitter.move, fitTolerance)
		last := fitter.last(i+1, lenient)
		require.Equal(t, i == len(want.Rounds)-1, last)
		if last {
			result, ok = fitter.assess()
		}
		fitter.step()
		require.InDelta(t, r[2], fitter.unknown.blur, fitTolerance)
	}
	ok = ok && fitter.near()
	require.Equal(t, want.OK, ok)
	if !ok {
		return fit{}, false
	}
	result.homography = fitter.pixelHomography()
	require.Equal(t, want.Misfit, result.misfit)
	for i, c := range points(want.Corners) {
		require.InDelta(t, 0, distance(c, result.homography.quad()[i]), fitTolerance)
	}
	return result, true
}

// TestGoldenTags compares the tags. Those whose inner pixels have a larger weight than in the prototype, for
// their small cells, have other corners, as TestTruth shows.
func TestGoldenTags(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *golden, j *job) {
		tags := j.detector.Detect(g.image)
		require.Len(t, tags, len(g.Tags))
		for _, want := range g.Tags {
			i := 0
			for i < len(tags) && distance(points(want.Corners)[0], tags[i].Corners[0]) > 1 {
				i++
			}
			require.Less(t, i, len(tags))
			got := tags[i]
			require.Equal(t, goldenFamilies[g.Families[0]].withDefaults(), got.Family) // images with others have no tags
			require.Equal(t, want.ID, got.ID)
			require.Equal(t, want.Errors, got.Corrected)
			if g.Truth == nil {
				require.False(t, got.Hidden) // boards, and whole tags
			}
			quad := points(want.Corners)
			if cells := j.detector.plans[0].cells; math.Sqrt(area(quad[:])) < 3.01*float64(cells) {
				continue
			}
			require.InEpsilon(t, float64(want.Noise), got.Noise, fitTolerance)
			require.InDelta(t, float64(want.Misfit), got.Misfit, 1e-9)
			for c, p := range quad {
				require.InDelta(t, 0, distance(p, got.Corners[c]), fitTolerance)
				require.InDelta(t, 0, distance(p, got.Transform.Apply(corners[c])), fitTolerance)
			}
		}
	})
}
