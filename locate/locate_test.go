package locate_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/locate"
	"github.com/stretchr/testify/require"
)

// locator returns a Locator with options.
func locator(t testing.TB, opts locate.Options) *locate.Locator {
	t.Helper()
	l, err := locate.New(opts)
	require.NoError(t, err)
	return l
}

var similarities = []locate.Similarity{locate.Correlation, locate.Cosine, locate.Difference}

// A kind is how the pixels of random pictures are made.
var kinds = map[string]func(rng *rand.Rand, x, y int) uint8{
	"noise":       func(rng *rand.Rand, _, _ int) uint8 { return uint8(rng.Uint32()) },
	"extremes":    func(rng *rand.Rand, _, _ int) uint8 { return uint8(rng.IntN(2)) * 255 },
	"checks":      func(_ *rand.Rand, x, y int) uint8 { return uint8((x+y)&1) * 255 },
	"flat":        func(*rand.Rand, int, int) uint8 { return 77 },
	"almost flat": func(rng *rand.Rand, _, _ int) uint8 { return 200 + uint8(rng.IntN(40)/39) },
	"bright dots": func(rng *rand.Rand, _, _ int) uint8 { return uint8(rng.IntN(30)/29) * 255 },
	"periodic":    func(_ *rand.Rand, x, y int) uint8 { return uint8(x%5*40 + y%3*20) },
	"smooth":      func(rng *rand.Rand, x, y int) uint8 { return uint8(x*3 + y*2 + rng.IntN(4)) },
}

// random returns a picture of a kind, a part of another one whose pixels are all different from
// those of the kind.
func random(rng *rand.Rand, kind string, r image.Rectangle) *image.Gray {
	around := r.Inset(-rng.IntN(4))
	parent := image.NewGray(around)
	for i := range parent.Pix {
		parent.Pix[i] = uint8(rng.Uint32())
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			parent.SetGray(x, y, color.Gray{kinds[kind](rng, x, y)})
		}
	}
	return parent.SubImage(r).(*image.Gray)
}

// randomInstance returns pictures of a kind: the scene of w by h pixels and a template of tw by th,
// which is often cut out of the scene.
func randomInstance(rng *rand.Rand, kind string, w, h, tw, th int) *instance {
	origin := image.Pt(rng.IntN(40)-20, rng.IntN(40)-20)
	in := &instance{scene: random(rng, kind, image.Rect(0, 0, w, h).Add(origin))}
	in.template = random(rng, kind, image.Rect(0, 0, tw, th))
	if w >= tw && h >= th && rng.IntN(4) > 0 {
		at := origin.Add(image.Pt(rng.IntN(w-tw+1), rng.IntN(h-th+1)))
		in.template = in.scene.SubImage(image.Rect(0, 0, tw, th).Add(at)).(*image.Gray)
	}
	if rng.IntN(3) == 0 {
		in.colorScene, in.colorTemplate = colors(in.scene), colors(in.template)
	}
	if rng.IntN(3) == 0 {
		in.mask = random(rng, "bright dots", image.Rect(5, 5, 5+tw, 5+th))
		if rng.IntN(2) == 0 {
			in.mask = imagetest.Disc(image.Rect(0, 0, tw, th))
		}
		in.mask.Pix[in.mask.PixOffset(in.mask.Rect.Min.X+rng.IntN(tw), in.mask.Rect.Min.Y+rng.IntN(th))] = 1
	}
	return in
}

// requireOracle compares everything that a Locator finds with the definition.
func requireOracle(t testing.TB, in *instance, opts locate.Options, what string) {
	t.Helper()
	in.oracle(opts.Similarity).require(t, in, opts, what)
}

// require compares everything that a Locator finds in an instance with what the oracle does.
func (o *oracle) require(t testing.TB, in *instance, opts locate.Options, what string) {
	t.Helper()
	l := locator(t, opts)
	opts = l.Options()
	s, template := in.make(t)
	response := make([]float32, len(o.scores))
	for i, v := range o.scores {
		response[i] = float32(v)
		if i%7 == 0 {
			require.Equal(t, v, l.Score(s, template, o.origin.X+i%o.w, o.origin.Y+i/o.w), what)
		}
	}
	imagetest.RequireSame(t, response, l.AppendResponse([]float32{}, s, template), what)
	want, found := o.find(opts.MinScore)
	got, ok := l.Find(s, template)
	require.Equal(t, found, ok, what)
	require.Equal(t, want, got, what)
	require.Equal(t, o.findAll(opts.MinScore, opts.Overlap, opts.MaxMatches), l.FindAll(s, template), what)
}

// TestOracle compares with the definition on all kinds of pictures and with all options.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			tw, th := 1+rng.IntN(20), 1+rng.IntN(20)
			in := randomInstance(rng, kind, 1+rng.IntN(60), 1+rng.IntN(45), tw, th)
			for _, similarity := range similarities {
				opts := locate.Options{
					Similarity: similarity,
					MinScore:   []float64{0, -1, 0.3, 1, 0.999}[rng.IntN(5)],
					Overlap:    []float64{0, -1, 0.5, 0.9, 1}[rng.IntN(5)],
					MaxMatches: rng.IntN(5) * rng.IntN(2),
				}
				for _, set := range cpu.InstructionSets("locate") {
					restore := cpu.Limit(set.Set)
					requireOracle(t, in, opts, fmt.Sprintf("%s, %s, %d by %d, %+v", set.Name, kind, tw, th, opts))
					restore()
				}
			}
		}
	}
}

// TestWidths compares with the definition for all widths of scenes and templates up to some vectors.
func TestWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for w := 1; w <= 70; w++ {
		if testing.Short() && w%9 > 0 {
			continue
		}
		in := randomInstance(rng, "extremes", w, 1+rng.IntN(9), 1+rng.IntN(w), 1+rng.IntN(4))
		for _, set := range cpu.InstructionSets("locate") {
			restore := cpu.Limit(set.Set)
			requireOracle(t, in, locate.Options{Similarity: similarities[w%3], MinScore: 0.1}, fmt.Sprintf("%s, %d columns", set.Name, w))
			restore()
		}
	}
}

// TestLargeSums checks that no sum overflows: all products of the largest template are as large as
// can be.
func TestLargeSums(t *testing.T) {
	r := image.Rect(0, 0, 1024, 1024)
	scene, template := image.NewGray(image.Rect(0, 0, 1025, 1026)), image.NewGray(r)
	for y := range 1026 {
		for x := range 1025 {
			scene.Pix[scene.PixOffset(x, y)] = uint8((x+y)&1) * 255
		}
	}
	for y := range 1024 {
		for x := range 1024 {
			template.Pix[y*1024+x] = uint8((x+y)&1) * 255
		}
	}
	for _, in := range []*instance{{scene: scene, template: template}, {colorScene: rgba(scene), colorTemplate: rgba(template)}} {
		for _, mask := range []*image.Gray{nil, imagetest.Disc(r)} {
			in.mask = mask
			s, template := in.make(t)
			for _, similarity := range similarities {
				l := locator(t, locate.Options{Similarity: similarity, MinScore: -1})
				other := map[locate.Similarity]float64{locate.Correlation: -1}[similarity]
				for i, v := range l.Response(s, template) {
					want := other
					if (i%2+i/2)&1 == 0 {
						want = 1
					}
					require.InDelta(t, want, v, 1e-12, "%v, place %d", similarity, i)
				}
				require.Equal(t, 1.0, l.Score(s, template, 0, 0))
			}
		}
		if testing.Short() {
			break
		}
	}
	// In a bright band pixels less the mean are larger.
	band := image.NewGray(r)
	for i := range 64 * 1024 {
		band.Pix[i] = 255
	}
	s, same := (&instance{scene: band, template: band}).make(t)
	for _, similarity := range similarities {
		l := locator(t, locate.Options{Similarity: similarity})
		require.Equal(t, []float32{1}, l.Response(s, same))
		require.Equal(t, 1.0, l.Score(s, same, 0, 0))
	}
}

// rgba returns img as a picture in color.
func rgba(img *image.Gray) *image.RGBA {
	dst := image.NewRGBA(img.Rect)
	draw.Draw(dst, dst.Rect, img, img.Rect.Min, draw.Src)
	return dst
}

// TestWorkers checks that results do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	photo := imagetest.Photo(t, "seeding_1920x1080").SubImage(image.Rect(300, 200, 1000, 800)).(*image.Gray)
	for _, color := range []bool{false, true} {
		in := &instance{scene: photo, template: photo.SubImage(image.Rect(400, 400, 407, 405)).(*image.Gray)}
		if color {
			in.mask = imagetest.Disc(image.Rect(0, 0, 7, 5))
			in.colorScene, in.colorTemplate = colors(in.scene), colors(in.template)
		}
		s, template := in.make(t)
		opts := locate.Options{MinScore: 0.5}
		one := locator(t, opts)
		response, matches := one.Response(s, template), one.FindAll(s, template)
		best, ok := one.Find(s, template)
		require.True(t, ok)
		require.Greater(t, len(matches), 1)
		for _, workers := range []int{2, 7} {
			opts.Workers = workers
			l := locator(t, opts)
			imagetest.RequireSame(t, response, l.Response(s, template), workers)
			require.Equal(t, matches, l.FindAll(s, template))
			got, _ := l.Find(s, template)
			require.Equal(t, best, got)
		}
	}
}

// TestConcurrent checks that Locator, Scene and Template can be shared.
func TestConcurrent(t *testing.T) {
	photo := imagetest.Photo(t, "camera_512x512").SubImage(image.Rect(0, 0, 200, 200)).(*image.Gray)
	in := &instance{scene: photo, template: photo.SubImage(image.Rect(40, 40, 60, 50)).(*image.Gray)}
	s, template := in.make(t)
	l := locator(t, locate.Options{MinScore: 0.7})
	want := l.FindAll(s, template)
	require.NotEmpty(t, want)
	fresh, other := in.make(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range 3 {
				m, ok := l.Find(fresh, other)
				if all := l.FindAll(fresh, other); !ok || m != want[0] || len(all) != len(want) {
					t.Errorf("%v, %d matches", m, len(all))
				}
			}
		}()
	}
	wait.Wait()
}

// TestCopy checks that a copy scores exactly 1 at its place with every similarity.
func TestCopy(t *testing.T) {
	photo := imagetest.Photo(t, "chelsea_451x300")
	for i, size := range []image.Point{{3, 2}, {20, 30}, {100, 60}} {
		at := image.Pt(50+31*i, 70+11*i)
		in := &instance{scene: photo, template: photo.SubImage(image.Rectangle{at, at.Add(size)}).(*image.Gray)}
		s, template := in.make(t)
		for _, similarity := range similarities {
			l := locator(t, locate.Options{Similarity: similarity, MinScore: 1})
			require.Equal(t, 1.0, l.Score(s, template, at.X, at.Y))
			if size.X >= 20 && similarity != locate.Cosine {
				m, ok := l.Find(s, template)
				require.True(t, ok)
				require.Equal(t, image.Rectangle{at, at.Add(size)}, template.Bounds(m))
			}
		}
	}
}

// TestFlat checks that flat templates and windows are not found.
func TestFlat(t *testing.T) {
	scene := image.NewGray(image.Rect(0, 0, 30, 30))
	scene.SetGray(25, 25, color.Gray{9})
	flat, err := locate.NewTemplate(image.NewGray(image.Rect(0, 0, 4, 4)), nil)
	require.NoError(t, err)
	require.True(t, flat.Flat())
	s, l := locate.NewScene(scene), locator(t, locate.Options{MinScore: 1e-300})
	_, ok := l.Find(s, flat)
	require.False(t, ok)
	require.Empty(t, l.FindAll(s, flat))
	dotted := image.NewGray(image.Rect(0, 0, 4, 4))
	dotted.SetGray(1, 1, color.Gray{200})
	template, err := locate.NewTemplate(dotted, nil)
	require.NoError(t, err)
	require.False(t, template.Flat())
	require.Zero(t, l.Score(s, template, 3, 3))
	require.Equal(t, 1.0, l.Score(s, template, 24, 24))
	m, ok := locator(t, locate.Options{MinScore: -1}).Find(s, flat)
	require.True(t, ok)
	require.Zero(t, m)
	two := image.NewRGBA(image.Rect(0, 0, 4, 4))
	for i := range two.Pix {
		two.Pix[i] = uint8(i % 4 * 50)
	}
	template, err = locate.NewColorTemplate(two, nil)
	require.NoError(t, err)
	require.True(t, template.Flat(), "each channel has its own mean")
}

// TestSceneInto checks that a Scene can be used for other pictures, smaller and larger ones.
func TestSceneInto(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s := new(locate.Scene)
	l := locator(t, locate.Options{MinScore: -1})
	for range 20 {
		in := randomInstance(rng, "noise", 1+rng.IntN(50), 1+rng.IntN(50), 1+rng.IntN(9), 1+rng.IntN(9))
		fresh, template := in.make(t)
		if in.colorScene != nil {
			locate.ColorSceneInto(s, in.colorScene)
		} else {
			locate.SceneInto(s, in.scene)
		}
		require.Equal(t, l.FindAll(fresh, template), l.FindAll(s, template))
	}
	// Bounds by sums of blocks are of the present picture, too.
	l = locator(t, locate.Options{})
	photo := imagetest.Photo(t, "camera_512x512")
	for i := range 4 {
		scene := photo.SubImage(image.Rect(0, 0, 200, 150).Add(image.Pt(60*i, 70*i))).(*image.Gray)
		at := scene.Rect.Min.Add(image.Pt(70, 60))
		template, err := locate.NewTemplate(photo.SubImage(image.Rectangle{at, at.Add(image.Pt(32, 32))}).(*image.Gray), nil)
		require.NoError(t, err)
		locate.SceneInto(s, scene)
		m, ok := l.Find(s, template)
		require.True(t, ok)
		require.Equal(t, at, m.Pt())
	}
}

// TestCopied checks that neither Scene nor Template refers to the caller's pictures.
func TestCopied(t *testing.T) {
	in := randomInstance(rand.New(rand.NewPCG(7, 8)), "noise", 40, 30, 5, 5)
	s, template := in.make(t)
	l := locator(t, locate.Options{MinScore: -1})
	want := l.Response(s, template)
	clear(in.scene.Pix)
	clear(in.template.Pix)
	require.Equal(t, want, l.Response(s, template))
}

// TestTooLarge checks that a template that is larger than the scene has no place.
func TestTooLarge(t *testing.T) {
	template, err := locate.NewTemplate(image.NewGray(image.Rect(0, 0, 9, 3)), nil)
	require.NoError(t, err)
	l := locator(t, locate.Options{MinScore: -1, Similarity: locate.Difference})
	for _, r := range []image.Rectangle{image.Rect(0, 0, 8, 50), image.Rect(0, 0, 50, 2), image.Rect(3, 3, 3, 3)} {
		s := locate.NewScene(image.NewGray(r))
		_, ok := l.Find(s, template)
		require.False(t, ok)
		require.Empty(t, l.FindAll(s, template))
		require.Empty(t, l.Response(s, template))
		imagetest.RequirePanic(t, "locate", func() { l.Score(s, template, 3, 3) })
	}
}

// TestErrors checks which templates are refused.
func TestErrors(t *testing.T) {
	gray := func(w, h int) *image.Gray { return image.NewGray(image.Rect(0, 0, w, h)) }
	full := gray(5, 4)
	full.Pix[3] = 1
	for want, f := range map[string]func() (*locate.Template, error){
		"locate: empty template": func() (*locate.Template, error) { return locate.NewTemplate(gray(0, 5), nil) },
		"locate: template of 1025 by 1 pixels, more than 1024 a side": func() (*locate.Template, error) {
			return locate.NewColorTemplate(image.NewRGBA(image.Rect(0, 0, 1025, 1)), nil)
		},
		"locate: mask of 4 by 4 pixels for a template of 5 by 4": func() (*locate.Template, error) { return locate.NewTemplate(gray(5, 4), gray(4, 4)) },
		"locate: mask without pixels":                            func() (*locate.Template, error) { return locate.NewTemplate(full, gray(5, 4)) },
	} {
		_, err := f()
		require.EqualError(t, err, want)
	}
	_, err := locate.NewTemplate(gray(5, 4), full)
	require.NoError(t, err)
	_, err = locate.NewTemplate(gray(1024, 1024), nil)
	require.NoError(t, err)
	for _, img := range imagetest.Empty() {
		_, err := locate.NewTemplate(img, nil)
		require.EqualError(t, err, "locate: empty template")
		require.Empty(t, locator(t, locate.Options{}).Response(locate.NewScene(img), template(t, full)))
	}
}

// template returns the Template of a gray picture.
func template(t testing.TB, img *image.Gray) *locate.Template {
	t.Helper()
	template, err := locate.NewTemplate(img, nil)
	require.NoError(t, err)
	return template
}

// TestPanics checks what panics.
func TestPanics(t *testing.T) {
	gray := image.NewGray(image.Rect(5, 5, 20, 20))
	l, s, small := locator(t, locate.Options{}), locate.NewScene(gray), template(t, image.NewGray(image.Rect(0, 0, 5, 5)))
	for _, img := range imagetest.Malformed() {
		colored := &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
		imagetest.RequirePanic(t, "locate", func() { locate.NewScene(img) })
		imagetest.RequirePanic(t, "locate", func() { locate.NewColorScene(colored) })
		if img.Stride == 0 {
			continue // too large for a template
		}
		imagetest.RequirePanic(t, "locate", func() { _, _ = locate.NewTemplate(img, nil) })
		imagetest.RequirePanic(t, "locate", func() { _, _ = locate.NewTemplate(gray, img) })
		imagetest.RequirePanic(t, "locate", func() { _, _ = locate.NewColorTemplate(colored, nil) })
	}
	for _, f := range []func(){
		func() { locate.NewScene(nil) },
		func() { locate.NewColorScene(nil) },
		func() { locate.SceneInto(nil, gray) },
		func() { locate.ColorSceneInto(nil, image.NewRGBA(gray.Rect)) },
		func() { _, _ = locate.NewTemplate(nil, nil) },
		func() { _, _ = locate.NewColorTemplate(nil, nil) },
		func() { locate.AlphaMask(nil) },
		func() { locate.AlphaMask((*image.Gray)(nil)) },
		func() { l.Find(nil, small) },
		func() { l.Find(s, nil) },
		func() { l.Find(new(locate.Scene), small) },
		func() { l.Find(s, new(locate.Template)) },
		func() { l.Find(locate.NewColorScene(image.NewRGBA(gray.Rect)), small) },
		func() { new(locate.Locator).Find(s, small) },
		func() { new(locate.Template).Flat() },
		func() { l.Score(s, small, 4, 5) },
		func() { l.Score(s, small, 5, 16) },
		func() { l.Score(s, small, 16, 5) },
	} {
		imagetest.RequirePanic(t, "locate", f)
	}
	require.NotPanics(t, func() { l.Score(s, small, 15, 15) })
}

// TestAlphaMask checks where the limit of alpha is, and that the mask has the image's bounds.
func TestAlphaMask(t *testing.T) {
	img := image.NewNRGBA(image.Rect(-2, 3, 254, 5))
	for i := range 256 {
		img.SetNRGBA(i-2, 3, color.NRGBA{1, 2, 3, uint8(i)})
	}
	mask := locate.AlphaMask(img)
	require.Equal(t, img.Rect, mask.Rect)
	for i := range 256 {
		want := uint8(0)
		if i >= 128 {
			want = 255
		}
		require.Equal(t, want, mask.GrayAt(i-2, 3).Y)
		require.Zero(t, mask.GrayAt(i-2, 4).Y)
	}
	deep := image.NewNRGBA64(image.Rect(0, 0, 2, 1))
	deep.SetNRGBA64(0, 0, color.NRGBA64{A: 0x7fff})
	deep.SetNRGBA64(1, 0, color.NRGBA64{A: 0x8000})
	require.Equal(t, []byte{0, 255}, locate.AlphaMask(deep).Pix)
}

// TestOptions checks what negative numbers mean.
func TestOptions(t *testing.T) {
	require.Equal(t, locate.Options{MinScore: 0.8, Overlap: 0.25, Workers: 1}, locator(t, locate.Options{MaxMatches: -3}).Options())
	require.Equal(t, locate.Options{MinScore: -1, Workers: 1}, locator(t, locate.Options{MinScore: -0.1, Overlap: -7}).Options())
	_, err := locate.New(locate.Options{MinScore: 1.1})
	require.EqualError(t, err, "locate: Options.MinScore is 1.1, not a number up to 1")
	_, err = locate.New(locate.Options{Overlap: 2})
	require.EqualError(t, err, "locate: Options.Overlap is 2, not a number up to 1")
}

// TestMatch checks the methods of points.
func TestMatch(t *testing.T) {
	m := locate.Match{X: -3, Y: 5, Score: 0.75, DX: 0.25, DY: -0.5}
	require.Equal(t, image.Pt(-3, 5), m.Pt())
	x, y := m.Position()
	require.Equal(t, [2]float32{-2.75, 4.5}, [2]float32{x, y})
	require.Equal(t, float32(0.75), m.Strength())
}

// TestAllocations checks that nothing allocates in the steady state.
func TestAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	photo := imagetest.Photo(t, "camera_512x512").SubImage(image.Rect(0, 0, 120, 100)).(*image.Gray)
	for _, mask := range []*image.Gray{nil, imagetest.Disc(image.Rect(0, 0, 20, 18))} {
		in := &instance{scene: photo, template: photo.SubImage(image.Rect(40, 40, 60, 58)).(*image.Gray), mask: mask}
		s, template := in.make(t)
		l := locator(t, locate.Options{MinScore: 0.5})
		var matches []locate.Match
		var response []float32
		require.Zero(t, imagetest.Allocs(10, func() {
			locate.SceneInto(s, photo)
			l.Find(s, template)
			l.Score(s, template, 3, 3)
			matches = l.AppendFindAll(matches[:0], s, template)
			response = l.AppendResponse(response[:0], s, template)
		}))
		require.NotEmpty(t, matches)
	}
}

// TestReleased checks that a Locator keeps neither scenes nor templates.
func TestReleased(t *testing.T) {
	l := locator(t, locate.Options{})
	for _, mask := range []*image.Gray{nil, imagetest.Disc(image.Rect(0, 0, 20, 18))} {
		imagetest.RequireReleased(t, func(m imagetest.Memory) {
			in := randomInstance(rand.New(rand.NewPCG(1, 1)), "noise", 50, 50, 20, 18)
			in.mask = mask
			s, template := in.make(t)
			l.FindAll(s, template)
			response := l.Response(s, template)
			l.Score(s, template, in.scene.Rect.Min.X, in.scene.Rect.Min.Y)
			imagetest.Watch(m, "scene", s)
			imagetest.Watch(m, "template", template)
			imagetest.Watch(m, "response", &response[0])
		})
	}
}
