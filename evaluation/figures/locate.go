package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/locate"
)

// locateRounds is how many rounds the races of package locate take, and slowRounds those that take
// long.
const locateRounds, slowRounds = 5, 3

// The sizes of templates, and of scenes.
var (
	locateTemplates = []image.Point{{8, 8}, {16, 16}, {32, 32}, {64, 64}, {128, 128}, {300, 200}}
	locateSizes     = []image.Point{{640, 480}, {1920, 1080}, {2560, 1440}}
	fullHD          = locateSizes[1]
)

// What is measured, as records have it.
const (
	inResponse = "Response"
	inFind     = "Find"
	byOpenCV   = "opencv"
)

// A locateRecord is a number of a part of the figure: milliseconds, unless what it tells of is another
// quantity.
type locateRecord struct {
	Part, Template, Size, Picture, Change string
	Quantity, By                          string
	Value, Spread                         float64
	Commit                                string
}

// A locateRun makes the records of the parts.
type locateRun struct {
	*session
	peers   *peers.Peers
	sets    []cpu.InstructionSet // that are measured, the best one first
	records []locateRecord
	part    string
}

// A locatePart is a part of the figure, which can be measured without the others.
type locatePart struct {
	name string
	run  func(r *locateRun) error
}

// locateParts returns all parts.
func locateParts() []locatePart {
	var list []locatePart
	for _, size := range locateTemplates {
		list = append(list, locatePart{nameOf(size), func(r *locateRun) error { return r.present(size) }})
	}
	return append(
		list,
		locatePart{"worst", (*locateRun).worst},
		locatePart{"masked", (*locateRun).masked},
		locatePart{"color", (*locateRun).color},
		locatePart{"masked color", (*locateRun).maskedColor},
		locatePart{"regions", (*locateRun).regions},
		locatePart{"scenes", (*locateRun).scenes},
		locatePart{"portable", (*locateRun).portable},
		locatePart{"inexact", (*locateRun).inexact},
	)
}

// compareLocate compares package locate with OpenCV.
func compareLocate(s *session, p *peers.Peers) (map[string][]byte, error) {
	r := &locateRun{session: s, peers: p}
	all := peers.Sets(peers.LocatePackages...)
	r.sets = slices.DeleteFunc(slices.Clone(all), func(set cpu.InstructionSet) bool { return set.Name != "avx512" && set.Name != "avx2" })
	if len(r.sets) == 0 {
		r.sets = all[:1]
	}
	parts := locateParts()
	for _, name := range s.parts {
		if !slices.ContainsFunc(parts, func(part locatePart) bool { return part.name == name }) {
			return nil, fmt.Errorf("no part is called %q", name)
		}
	}
	if len(s.parts) > 0 {
		if err := r.keep(filepath.Join(s.dir, "locate.csv")); err != nil {
			return nil, err
		}
		parts = slices.DeleteFunc(parts, func(part locatePart) bool { return !slices.Contains(s.parts, part.name) })
	}
	s.steps(len(parts))
	for _, part := range parts {
		r.part = part.name
		if err := part.run(r); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
		s.step()
	}
	for _, record := range r.records {
		if record.Spread > 0 {
			s.spreads = append(s.spreads, record.Spread)
		}
	}
	return map[string][]byte{"locate.csv": r.csv(), "locate.md": r.page()}, nil
}

// keep reads the records of the parts that are not measured again, if there are any.
func (r *locateRun) keep(file string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return err
	}
	for _, row := range rows[1:] {
		if slices.Contains(r.parts, row[0]) {
			continue
		}
		value, err := strconv.ParseFloat(row[7], 64)
		if err != nil {
			return err
		}
		spread, err := strconv.ParseFloat(row[8], 64)
		if err != nil {
			return err
		}
		r.records = append(r.records, locateRecord{row[0], row[1], row[2], row[3], row[4], row[5], row[6], value, spread, row[9]})
	}
	return nil
}

// csv returns all records.
func (r *locateRun) csv() []byte {
	var data bytes.Buffer
	w := csv.NewWriter(&data)
	w.Write([]string{"part", "template", "size", "picture", "change", "quantity", "by", "value", "spread", "commit"})
	for _, c := range r.records {
		w.Write([]string{c.Part, c.Template, c.Size, c.Picture, c.Change, c.Quantity, c.By, number(c.Value), number(c.Spread), c.Commit})
	}
	w.Flush()
	return data.Bytes()
}

// number returns a number with five digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// add adds a record of a case.
func (r *locateRun) add(c *locateCase, quantity, by string, value, spread float64) {
	r.records = append(r.records, locateRecord{
		r.part, nameOf(c.template.Rect.Size()), nameOf(c.size), c.picture, c.change, quantity, by, value, spread, r.stamp.commit,
	})
}

// A timed is a way to do the work of a case.
type timed struct {
	quantity, by string
	do           func(int)
}

// race measures ways to do the work of a case, each n times in a round, and adds records of the
// milliseconds.
func (r *locateRun) race(c *locateCase, rounds, n int, list []timed) {
	if r.quick {
		rounds, n = 1, 1
	}
	var contenders []func(int)
	for _, t := range list {
		contenders = append(contenders, t.do)
	}
	result := measure.Race(contenders, make([]int, n), n, rounds, func() {})
	for i, t := range list {
		r.add(c, t.quantity, t.by, result.Nanoseconds[i]/1e6, result.Spread[i])
	}
}

// bySets returns a way for each instruction set.
func bySets(sets []cpu.InstructionSet, quantity string, create func() func(int)) (list []timed) {
	for _, set := range sets {
		list = append(list, timed{quantity, set.Name, peers.Limit(set, create)})
	}
	return list
}

// both returns Response and Find in a Scene that is made anew each time, with a template.
func both(sets []cpu.InstructionSet, opts locate.Options, reset func(s *locate.Scene), template func() *locate.Template) []timed {
	l := peers.Must(locate.New(opts))
	return append(bySets(sets, inResponse, func() func(int) {
		var s locate.Scene
		var response []float32
		return func(int) {
			reset(&s)
			response = l.AppendResponse(response[:0], &s, template())
		}
	}), bySets(sets, inFind, func() func(int) {
		var s locate.Scene
		return func(int) {
			reset(&s)
			l.Find(&s, template())
		}
	})...)
}

// ways returns Response and Find, with what the scene and the template of a case need, and OpenCV.
func (r *locateRun) ways(c *locateCase, sets []cpu.InstructionSet, opts locate.Options) []timed {
	return append(both(sets, opts, func(s *locate.Scene) { locate.SceneInto(s, c.scene) }, func() *locate.Template {
		return peers.Must(locate.NewTemplate(c.template, nil))
	}), r.opencv(peers.GrayPixels(c.scene), peers.GrayPixels(c.template), nil))
}

// opencv returns matchTemplate with minMaxLoc.
func (r *locateRun) opencv(scene, template peers.Pixels, mask *image.Gray) timed {
	return timed{inResponse, byOpenCV, func(int) { r.peers.Search(locate.Correlation, scene, template, mask) }}
}

// sizes returns the sizes of scenes to be measured.
func (r *locateRun) sizes(list ...image.Point) []image.Point {
	if r.quick {
		return []image.Point{{330, 250}}
	}
	return list
}

// present measures the cases of a template, and compares the responses with OpenCV's.
func (r *locateRun) present(template image.Point) error {
	sizes := r.sizes(locateSizes...)
	cases, err := r.locateCases(template, sizes, sizes[len(sizes)/2])
	if err != nil {
		return err
	}
	for i := range cases {
		c := &cases[i]
		r.race(c, locateRounds, 1, r.ways(c, r.sets, locate.Options{}))
		if err := r.check(c); err != nil {
			return err
		}
	}
	return nil
}

// check compares what Find finds with all scores, and those with OpenCV's. It adds records of the largest
// difference, and of how much less OpenCV's best place scores, if it is another one.
func (r *locateRun) check(c *locateCase) error {
	l := peers.Must(locate.New(locate.Options{MinScore: -1}))
	scene, template := locate.NewScene(c.scene), peers.Must(locate.NewTemplate(c.template, nil))
	want := l.Response(scene, template)
	best, _ := l.Find(scene, template)
	at := 0
	for i, v := range want {
		if v > want[at] {
			at = i
		}
	}
	if float32(best.Score) != want[at] {
		return fmt.Errorf("%s in %s: Find's best score is %v, not %v", c.change, c.picture, best.Score, want[at])
	}
	picture, part := peers.GrayPixels(c.scene), peers.GrayPixels(c.template)
	most := 0.0
	for i, v := range r.peers.SearchResponse(locate.Correlation, picture, part, nil) {
		most = max(most, math.Abs(float64(v)-float64(want[i])))
	}
	r.add(c, "largest error", byOpenCV, most, 0)
	if place, _ := r.peers.Search(locate.Correlation, picture, part, nil); place != best.Pt() {
		r.add(c, "score less than the best", byOpenCV, best.Score-l.Score(scene, template, place.X, place.Y), 0)
	}
	return nil
}

// worst measures cases in which bounds exclude little. Find has no MinScore.
func (r *locateRun) worst() error {
	for _, template := range r.templates() {
		cases := r.worstCases(template, r.sizes(fullHD)[0])
		for i := range cases {
			c := &cases[i]
			r.race(c, slowRounds, 1, r.ways(c, r.sets, locate.Options{MinScore: -1}))
			if err := r.check(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// templates returns the sizes of templates to be measured.
func (r *locateRun) templates() []image.Point {
	if r.quick {
		return locateTemplates[2:3]
	}
	return locateTemplates
}

// disc returns a mask of the pixels within an ellipse.
func disc(size image.Point) *image.Gray {
	mask := image.NewGray(image.Rectangle{Max: size})
	for i := range mask.Pix {
		x, y := float64(2*(i%size.X)+1)/float64(size.X)-1, float64(2*(i/size.X)+1)/float64(size.Y)-1
		if x*x+y*y <= 1 {
			mask.Pix[i] = 255
		}
	}
	return mask
}

// cut returns a case of a template that is cut out of a screen, and both in color.
func (r *locateRun) cut(size, template image.Point) (c *locateCase, screen, part *image.RGBA, err error) {
	if screen, err = r.screen(size); err != nil {
		return nil, nil, nil, err
	}
	gray := fast.Gray(screen)
	at := cutFrom(rand.New(rand.NewPCG(1, uint64(template.X))), gray, template)
	return &locateCase{size, onScreen, isCopy, gray, copyOf(gray, at)}, screen, screen.SubImage(at).(*image.RGBA), nil
}

// masked measures a template with a mask, on a screen, and counts what OpenCV makes that is no number.
func (r *locateRun) masked() error {
	for _, template := range r.templates() {
		c, _, _, err := r.cut(r.sizes(fullHD)[0], template)
		if err != nil {
			return err
		}
		mask := disc(template)
		l := peers.Must(locate.New(locate.Options{}))
		made := peers.Must(locate.NewTemplate(c.template, mask))
		list := both(r.sets, locate.Options{}, func(s *locate.Scene) { locate.SceneInto(s, c.scene) }, func() *locate.Template { return made })
		picture, part := peers.GrayPixels(c.scene), peers.GrayPixels(c.template)
		r.race(c, slowRounds, 1, append(list, r.opencv(picture, part, mask)))
		nan, infinite, most := 0, 0, 0.0
		want := l.Response(locate.NewScene(c.scene), made)
		for i, v := range r.peers.SearchResponse(locate.Correlation, picture, part, mask) {
			switch d := math.Abs(float64(v) - float64(want[i])); {
			case math.IsNaN(d):
				nan++
			case math.IsInf(d, 0):
				infinite++
			default:
				most = max(most, d)
			}
		}
		r.add(c, "not a number", byOpenCV, float64(nan), 0)
		r.add(c, "infinite", byOpenCV, float64(infinite), 0)
		r.add(c, "largest error", byOpenCV, most, 0)
	}
	return nil
}

// inColors measures templates in color, with or without a mask.
func (r *locateRun) inColors(size image.Point, templates []image.Point, masked bool) error {
	for _, template := range templates {
		c, screen, part, err := r.cut(r.sizes(size)[0], template)
		if err != nil {
			return err
		}
		var mask *image.Gray
		if masked {
			mask = disc(template)
		}
		c.picture += " in color"
		made := peers.Must(locate.NewColorTemplate(part, mask))
		list := both(r.sets, locate.Options{}, func(s *locate.Scene) { locate.ColorSceneInto(s, screen) }, func() *locate.Template { return made })
		r.race(c, slowRounds, 1, append(list, r.opencv(peers.RGBPixels(screen), peers.RGBPixels(part), mask)))
	}
	return nil
}

func (r *locateRun) color() error { return r.inColors(fullHD, r.templates(), false) }

func (r *locateRun) maskedColor() error {
	if err := r.inColors(locateSizes[0], r.templates(), true); err != nil || r.quick {
		return err
	}
	return r.inColors(fullHD, []image.Point{{64, 64}}, true)
}

// regions measures templates, which are made, in small parts of a screen, whose pixels a Scene copies
// each time.
func (r *locateRun) regions() error {
	for _, c := range []struct{ size, template image.Point }{
		{image.Pt(200, 60), image.Pt(32, 32)},
		{image.Pt(400, 200), image.Pt(64, 64)},
		{image.Pt(100, 100), image.Pt(100, 100)},
	} {
		whole, _, _, err := r.cut(r.sizes(fullHD)[0], image.Pt(100, 100))
		if err != nil {
			return err
		}
		// A part with detail, and what is around it.
		all := whole.scene.Rect.Max
		size := image.Rectangle{Max: c.size}.Intersect(whole.scene.Rect).Max
		at := cutFrom(rand.New(rand.NewPCG(1, uint64(c.template.X))), whole.scene, image.Pt(min(c.template.X, size.X), min(c.template.Y, size.Y)))
		corner := at.Min.Sub(size.Sub(at.Size()).Div(2))
		corner = image.Pt(max(0, min(corner.X, all.X-size.X)), max(0, min(corner.Y, all.Y-size.Y)))
		region := whole.scene.SubImage(image.Rectangle{corner, corner.Add(size)}).(*image.Gray)
		part := copyOf(whole.scene, at)
		in := &locateCase{size, onScreen, "region", region, part}
		l := peers.Must(locate.New(locate.Options{}))
		made := peers.Must(locate.NewTemplate(part, nil))
		list := bySets(r.sets, inFind, func() func(int) {
			var s locate.Scene
			return func(int) {
				locate.SceneInto(&s, region)
				l.Find(&s, made)
			}
		})
		r.race(in, 21, 200, append(list, r.opencv(peers.GrayPixels(region), peers.GrayPixels(part), nil)))
	}
	return nil
}

// scenes measures the first, another and ten templates in a Scene, and two workers.
func (r *locateRun) scenes() error {
	side := image.Pt(64, 64)
	c, _, _, err := r.cut(r.sizes(fullHD)[0], side)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	templates := []*locate.Template{peers.Must(locate.NewTemplate(c.template, nil))}
	for range 9 {
		other := copyOf(c.scene, cutFrom(rng, c.scene, side))
		templates = append(templates, peers.Must(locate.NewTemplate(other, nil)))
	}
	l := peers.Must(locate.New(locate.Options{}))
	list := append(bySets(r.sets, "one template", func() func(int) {
		var s locate.Scene
		return func(int) {
			locate.SceneInto(&s, c.scene)
			l.Find(&s, templates[0])
		}
	}), bySets(r.sets, "another template", func() func(int) {
		s := locate.NewScene(c.scene)
		return func(int) { l.Find(s, templates[0]) }
	})...)
	list = append(list, bySets(r.sets, "ten templates", func() func(int) {
		var s locate.Scene
		return func(int) {
			locate.SceneInto(&s, c.scene)
			for _, t := range templates {
				l.Find(&s, t)
			}
		}
	})...)
	for _, workers := range []int{1, 2} {
		l := peers.Must(locate.New(locate.Options{Workers: workers}))
		var response []float32
		s := locate.NewScene(c.scene)
		list = append(
			list,
			timed{fmt.Sprintf("Find, %d workers", workers), r.sets[0].Name, func(int) { l.Find(s, templates[0]) }},
			timed{fmt.Sprintf("Response, %d workers", workers), r.sets[0].Name, func(int) { response = l.AppendResponse(response[:0], s, templates[0]) }},
		)
	}
	r.race(c, 2*locateRounds, 1, list)
	return nil
}

// portable measures portable Go.
func (r *locateRun) portable() error {
	all := peers.Sets(peers.LocatePackages...)
	for _, template := range r.templates() {
		c, _, _, err := r.cut(r.sizes(locateSizes[0])[0], template)
		if err != nil {
			return err
		}
		r.race(c, slowRounds, 1, r.ways(c, all[len(all)-1:], locate.Options{}))
	}
	return nil
}

// inexact looks for what OpenCV computes that is not what its formulas say.
func (r *locateRun) inexact() error {
	c, _, _, err := r.cut(r.sizes(fullHD)[0], image.Pt(64, 64))
	if err != nil {
		return err
	}
	picture, part := peers.GrayPixels(c.scene), peers.GrayPixels(c.template)
	_, sum := r.peers.Search(locate.Difference, picture, part, nil)
	r.add(c, "TM_SQDIFF at the copy, where it should be 0", byOpenCV, sum, 0)
	flat := copyOf(c.scene, c.template.Rect)
	for i := range flat.Pix {
		flat.Pix[i] = 100
	}
	least := float32(1)
	for _, v := range r.peers.SearchResponse(locate.Correlation, picture, peers.GrayPixels(flat), nil) {
		least = min(least, v)
	}
	r.add(c, "least response of TM_CCOEFF_NORMED to a flat template, which correlates with nothing", byOpenCV, float64(least), 0)
	for s, name := range []string{locate.Correlation: "TM_CCOEFF_NORMED", locate.Cosine: "TM_CCORR_NORMED"} {
		l := peers.Must(locate.New(locate.Options{Similarity: locate.Similarity(s)}))
		want := l.Response(locate.NewScene(c.scene), peers.Must(locate.NewTemplate(c.template, nil)))
		most := 0.0
		for i, v := range r.peers.SearchResponse(locate.Similarity(s), picture, part, nil) {
			most = max(most, math.Abs(float64(v)-float64(want[i])))
		}
		r.add(c, "largest error of "+name, byOpenCV, most, 0)
	}
	return nil
}
