package main

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/tag"
)

const (
	// markerImages is the number of images of markers of one side, and quickMarkers that in quick mode.
	markerImages, quickMarkers = 60, 2
	// noisyImages is the number of images that differ in their noise alone.
	noisyImages = 12
	// tagRounds is the number of rounds of races.
	tagRounds = 15
	// wrongCorner is the distance of a corner from its place, in pixels, from which on it is wrong.
	wrongCorner = 1
	// flippedMarker is the error of a rotation, in degrees, from which on it is of the other minimum.
	flippedMarker = 5
)

// markerSides are the sides of the quads, in pixels.
var markerSides = []float64{14, 18, 24, 32, 48, 80, 140}

// A markerFinder finds the marker of an image. Hidden says that its corners are not to be trusted.
type markerFinder struct {
	name string
	find func(img *image.Gray, m *marker) (corners [4]geometry.Point, hidden, ok bool)
}

// markerFinders returns package tag and its peers.
func markerFinders(p *peers.Peers, family tag.Family) []markerFinder {
	d := peers.Must(tag.New(tag.Options{Families: []tag.Family{family}}))
	list := []markerFinder{{"package tag", func(img *image.Gray, m *marker) (corners [4]geometry.Point, hidden, ok bool) {
		for _, t := range d.Detect(img) {
			if m.is(t.ID, t.Corners) {
				return t.Corners, t.Hidden, true
			}
		}
		return corners, false, false
	}}}
	for _, f := range p.MarkerFinders() {
		list = append(list, markerFinder{f.String(), func(img *image.Gray, m *marker) (corners [4]geometry.Point, hidden, ok bool) {
			for _, t := range p.Markers(f, family.Kind, img) {
				if m.is(t.ID, t.Corners) {
					return t.Corners, false, true
				}
			}
			return corners, false, false
		}})
	}
	return list
}

// center returns the mean of corners.
func center(corners [4]geometry.Point) (c geometry.Point) {
	for _, p := range corners {
		c.X, c.Y = c.X+p.X/4, c.Y+p.Y/4
	}
	return c
}

// is reports whether what was found is the marker.
func (m *marker) is(id int, corners [4]geometry.Point) bool {
	a, b := center(corners), center(m.corners)
	return id == m.id && math.Hypot(a.X-b.X, a.Y-b.Y) < m.side/2
}

// A markerRecord is what a finder made of images.
type markerRecord struct {
	images, found, hidden, untold int       // untold: wrong corners that are not hidden
	squares                       []float64 // of the distances of corners
	outward                       []float64 // of corners from the center, as far as they are off
	spread                        []float64 // variances of a coordinate, over images that differ in noise
}

// add notes corners of a marker.
func (r *markerRecord) add(m *marker, corners [4]geometry.Point, hidden bool) {
	r.found++
	c := center(m.corners)
	worst := 0.0
	for i, p := range corners {
		q := m.corners[i]
		dx, dy := p.X-q.X, p.Y-q.Y
		worst = max(worst, math.Hypot(dx, dy))
		r.squares = append(r.squares, dx*dx+dy*dy)
		r.outward = append(r.outward, (dx*(q.X-c.X)+dy*(q.Y-c.Y))/math.Hypot(q.X-c.X, q.Y-c.Y))
	}
	if hidden {
		r.hidden++
	} else if worst > wrongCorner {
		r.untold++
	}
}

// addSpread notes how the corners differ among images.
func (r *markerRecord) addSpread(list [][4]geometry.Point) {
	if len(list) < 2 {
		return
	}
	for i := range 4 {
		var x, y, xx, yy float64
		for _, c := range list {
			dx, dy := c[i].X-list[0][i].X, c[i].Y-list[0][i].Y
			x, y, xx, yy = x+dx, y+dy, xx+dx*dx, yy+dy*dy
		}
		n := float64(len(list))
		r.spread = append(r.spread, (xx-x*x/n)/(n-1), (yy-y*y/n)/(n-1))
	}
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// pixels returns a number of pixels, or a dash where nothing was found.
func pixels(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.3f", v)
}

// findMarkers has the finders find markers of 36h11 of one side.
func (s *session) findMarkers(finders []markerFinder, k markerKind, photos []*image.Gray, side float64, images, each int, seed uint64) []markerRecord {
	rng := rand.New(rand.NewPCG(seed, uint64(side)))
	records := make([]markerRecord, len(finders))
	for range images {
		m, list := k.see(rng, photos, tag.Family{Kind: tag.Tag36h11}, side, each)
		for i := range finders {
			var all [][4]geometry.Point
			for _, img := range list {
				records[i].images++
				if corners, hidden, ok := finders[i].find(img, &m); ok {
					records[i].add(&m, corners, hidden)
					all = append(all, corners)
				}
			}
			records[i].addSpread(all)
		}
	}
	s.step()
	return records
}

// A markerTable is a table of what finders make of images, with a column for each side.
type markerTable struct {
	kind   markerKind
	sides  []float64
	images int // of one side
	each   int // of one marker
	seed   uint64
	rows   []markerRow
}

// A markerRow is a number for each finder and side.
type markerRow struct {
	name string
	of   func(r *markerRecord) string
}

var (
	foundMarkers  = markerRow{"found", func(r *markerRecord) string { return fmt.Sprint(r.found) }}
	hiddenMarkers = markerRow{"Hidden", func(r *markerRecord) string { return fmt.Sprint(r.hidden) }}
	untoldMarkers = markerRow{"wrong and not Hidden", func(r *markerRecord) string { return fmt.Sprint(r.untold) }}
	markerErrors  = markerRow{"rms", func(r *markerRecord) string { return pixels(math.Sqrt(mean(r.squares))) }}
	markerBias    = markerRow{"outward", func(r *markerRecord) string { return pixels(mean(r.outward)) }}
	markerSpread  = markerRow{"jitter", func(r *markerRecord) string { return pixels(math.Sqrt(mean(r.spread))) }}
)

// markerTable returns the text of a table.
func (s *session) markerTable(finders []markerFinder, photos []*image.Gray, t *markerTable) string {
	if s.quick {
		t.images, t.sides, t.kind.lines = quickMarkers, t.sides[len(t.sides)-1:], 4
	}
	header := []string{"", "side, px"}
	columns := make([][]markerRecord, len(t.sides))
	for i, side := range t.sides {
		header = append(header, fmt.Sprint(side))
		columns[i] = s.findMarkers(finders, t.kind, photos, side, t.images, max(t.each, 1), t.seed)
	}
	var rows [][]string
	for _, r := range t.rows {
		for i, f := range finders {
			row := []string{r.name, f.name}
			for k := range columns {
				row = append(row, r.of(&columns[k][i]))
			}
			rows = append(rows, row)
		}
	}
	return table(2, header, rows)
}

// falseTable returns how many markers of each family are found in photos without any.
func (s *session) falseTable(p *peers.Peers) string {
	families := []tag.Family{
		{Kind: tag.Tag36h11},
		{Kind: tag.Tag36h11, Border: 2},
		{Kind: tag.Tag25h9},
		{Kind: tag.Tag16h5},
		{Kind: tag.Standard41h12},
		{Kind: tag.ArUco4x4},
		{Kind: tag.ArUco5x5},
		{Kind: tag.ArUco6x6},
		{Kind: tag.ArUco7x7},
		{Kind: tag.ArUcoMIP36h12},
	}
	finders := p.MarkerFinders()
	header := []string{"family", "package tag"}
	for _, f := range finders {
		header = append(header, f.String())
	}
	count := func(find func(img *image.Gray) int) string {
		n := 0
		for _, img := range s.photos {
			n += find(img)
		}
		return fmt.Sprint(n)
	}
	var rows [][]string
	for _, family := range families {
		name := family.Kind.String()
		if family.Border != 0 {
			name += fmt.Sprintf(", border %d", family.Border)
		}
		d := peers.Must(tag.New(tag.Options{Families: []tag.Family{family}}))
		row := []string{name, count(func(img *image.Gray) int { return len(d.Detect(img)) })}
		for _, f := range finders {
			cell := ""
			if f.Finds(family.Kind) && family.Border == 0 {
				cell = count(func(img *image.Gray) int { return len(p.Markers(f, family.Kind, img)) })
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
		s.step()
	}
	return table(1, header, rows)
}

// placementTable returns how the poses of markers differ from the true ones.
func (s *session) placementTable(photos []*image.Gray) string {
	sides, images := markerSides, markerImages
	if s.quick {
		sides, images = sides[len(sides)-1:], quickMarkers
	}
	d := peers.Must(tag.New(tag.Options{}))
	c := markerCamera(photos[0].Rect.Size())
	header := []string{"side, px", "poses", "rotation off by, median", "most", "other minimum", "not Ambiguous", "Ambiguous in all"}
	var rows [][]string
	for _, side := range sides {
		rng := rand.New(rand.NewPCG(7, uint64(side)))
		var misses []float64
		worst, other, untold, ambiguous := 0.0, 0, 0, 0
		for range images {
			m, list := usualMarkers.see(rng, photos, tag.Family{Kind: tag.Tag36h11}, side, 1)
			for _, t := range d.Detect(list[0]) {
				if !m.is(t.ID, t.Corners) || t.Hidden {
					continue
				}
				at, ok := t.Pose(c, 1)
				if !ok {
					continue
				}
				miss := rotationMiss(at.Pose, m.pose)
				misses = append(misses, miss)
				if at.Ambiguous {
					ambiguous++
				}
				if miss > flippedMarker {
					other++
					if !at.Ambiguous {
						untold++
					}
				} else {
					worst = max(worst, miss)
				}
			}
		}
		median := "-"
		if len(misses) > 0 {
			median = fmt.Sprintf("%.3f°", measure.Median(misses))
		}
		rows = append(rows, []string{fmt.Sprint(side), fmt.Sprint(len(misses)), median, fmt.Sprintf("%.2f°", worst), fmt.Sprint(other), fmt.Sprint(untold), fmt.Sprint(ambiguous)})
		s.step()
	}
	return table(0, header, rows)
}

// raceMarkers adds the times to c.
func (s *session) raceMarkers(c *comparison, p *peers.Peers) {
	for _, k := range []struct{ w, h, markers int }{{640, 480, 0}, {640, 480, 5}, {640, 480, 20}, {1920, 1080, 0}, {1920, 1080, 5}} {
		size := s.shorten(spec{k.w, k.h, 8, tagRounds})
		var list []*image.Gray
		rng := rand.New(rand.NewPCG(8, uint64(k.w+k.markers)))
		for _, photo := range s.frames(size) {
			if k.markers > 0 {
				photo = seeMany(rng, photo, k.markers)
			}
			list = append(list, photo)
		}
		times, ghz := compare(s, []peers.Test[*image.Gray]{p.MarkerTest()}, list, len(list), size.Rounds)
		c.inputs = append(c.inputs, input{fmt.Sprintf("%v, %d", size, k.markers), fmt.Sprintf("%v, %d markers", size, k.markers)})
		c.parts[0].times = append(c.parts[0].times, times)
		c.clocks = append(c.clocks, ghz)
	}
}

// compareTags compares package tag with AprilTag and OpenCV.
func compareTags(s *session, p *peers.Peers) (map[string][]byte, error) {
	s.steps(-1)
	size := s.shorten(spec{W: 640, H: 480, Frames: 24})
	photos := s.frames(size)
	finders := markerFinders(p, tag.Family{Kind: tag.Tag36h11})
	c := &comparison{
		name:        "tag",
		title:       "Package tag, AprilTag and OpenCV side by side",
		work:        work{1e3, "ns_per_frame", "%.0f", "frames per second", 1e9, "%.0f"},
		inputColumn: "frames",
		parts:       []part{{}},
		chartTitle:  "Markers of tag36h11 found",
		chartNote:   "Photos, with rendered markers, in one process, taking turns, one thread each.",
	}
	s.raceMarkers(c, p)
	tables := []struct {
		heading, text string
		markerTable
	}{
		{
			"## Sides", "Blur of 0.6 pixels and noise of 2 gray levels. Errors are of the corners that a finder has, in pixels: the root mean square of their distances from the truth, and how far they are outward in the mean.",
			markerTable{kind: usualMarkers, sides: markerSides, images: markerImages, seed: 1, rows: []markerRow{foundMarkers, markerErrors, markerBias}},
		},
		{
			"## Blur and noise", "Blur of 1.2 pixels and noise of 5 gray levels.",
			markerTable{kind: markerKind{blur: 1.2, noise: 5, lines: 8}, sides: markerSides, images: markerImages, seed: 2, rows: []markerRow{foundMarkers, markerErrors}},
		},
		{
			"## Perfect images", "No blur and no noise, on gray.",
			markerTable{kind: markerKind{lines: 64, plain: true}, sides: []float64{24, 40, 80, 140}, images: markerImages, seed: 3, rows: []markerRow{foundMarkers, markerErrors}},
		},
		{
			"## Jitter", fmt.Sprintf("Standard deviation of a corner's coordinate over %d images that differ in nothing but their noise.", noisyImages),
			markerTable{kind: usualMarkers, sides: []float64{24, 40, 80}, images: 15, each: noisyImages, seed: 4, rows: []markerRow{markerSpread}},
		},
		{
			"## Partly hidden markers", fmt.Sprintf("A half plane of gray lies over a part of each marker. Wrong: a corner is off by more than %d pixel.", wrongCorner),
			markerTable{kind: markerKind{blur: .6, noise: 2, lines: 8, covered: true}, sides: []float64{24, 40, 80}, images: 334, seed: 5, rows: []markerRow{foundMarkers, hiddenMarkers, untoldMarkers}},
		},
	}
	for i := range tables {
		t := &tables[i]
		c.more = append(c.more, t.heading, t.text, s.markerTable(finders, photos, &t.markerTable))
	}
	c.more = append(c.more,
		"## Photos without markers", fmt.Sprintf("What is found in %d photos that have none. The families of ArUco have 1000 codes.", len(s.photos)), s.falseTable(p),
		"## Poses", fmt.Sprintf("Poses of package tag, of markers that are not Hidden. The other minimum: the rotation is off by more than %d degrees.", flippedMarker), s.placementTable(photos))
	c.about = aboutComparison("Microseconds per frame", peers.TagPackages, strings.Join([]string{
		peers.VersionOfAprilTag() + ", too, with quad_decimate 1. OpenCV has its defaults, without and with refinement of corners.",
		fmt.Sprintf("The tables below are of images of %v pixels with one marker of tag36h11, tilted by up to 65 degrees, before a photo, %d for each side.", size, markerImages),
	}, " "))
	return s.files(c)
}
