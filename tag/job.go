package tag

import (
	"cmp"
	"image"
	"slices"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A job is the memory of a call. Its coordinates are relative to the upper left pixel of the image.
type job struct {
	detector *Detector
	image    raster.Plane
	window   window
	around   []image.Rectangle // the surroundings of markers
	lanes    worker.Lanes[lane]
	bands    int // of rows of tiles, for the workers
	bitmap   bitmap
	eroding  []uint64
	eroded   []uint64
	labeler  labeler
	how      int32   // the components are joined whose quads are added
	shift    float64 // of their sides
	quads    []quad
	made     []quad // places for those of the chosen components
	found    []found
}

func newJob(d *Detector) *job {
	return &job{detector: d, lanes: worker.NewLanes("tag", func() *lane {
		return &lane{binarizer: binarizer{kernels: d.kernels}, fitter: fitter{kernels: d.kernels}}
	})}
}

// release puts j back. It keeps nothing that belongs to the caller.
func (j *job) release() {
	j.image, j.window.pixels = raster.Plane{}, raster.Plane{}
	j.detector.pool.Put(j)
}

// begin begins with an image, none of whose quads are known, and opens the window that is all of it.
func (j *job) begin(p raster.Plane) {
	j.image = p
	j.quads = j.quads[:0]
	j.open(image.Rect(0, 0, p.W, p.H))
}

// append appends the tags that the quads are, in an image whose upper left pixel has the given
// coordinates.
func (j *job) append(dst []Tag, origin image.Point) []Tag {
	worker.Each(j, &j.lanes, j.detector.opts.Workers, len(j.quads), (*job).try)
	j.found = j.found[:0]
	for _, l := range j.lanes.All() {
		j.found = append(j.found, l.found...)
		l.found = l.found[:0]
		l.reader.sampler.release()
	}
	j.found = unique(j.found)
	slices.SortFunc(j.found, found.compare)
	x, y := float64(origin.X), float64(origin.Y)
	for i := range j.found {
		dst = append(dst, j.found[i].tag(&j.detector.plans[j.found[i].family], x, y))
	}
	return dst
}

// bandPixels is the number of pixels that are worth another worker.
const bandPixels = 1 << 17

// findBits divides the window into bands, and computes the bits of its pixels.
func (j *job) findBits() {
	p := &j.window.pixels
	j.bitmap.reset(p)
	j.bands = min(worker.For(j.detector.opts.Workers, int64(p.W)*int64(p.H)/bandPixels), max(tileRows(p), 1))
	worker.Each(j, &j.lanes, j.bands, j.bands, (*job).findBand)
	j.labeler.divide(&j.window, j.bands)
}

// findBand computes the bits of band i.
func (j *job) findBand(l *lane, i int) {
	p := &j.window.pixels
	rows := tileRows(p)
	l.binarizer.run(&j.bitmap, p, j.detector.opts.MinContrast, i*rows/j.bands, (i+1)*rows/j.bands)
}

// findQuads adds the quads in the window: those of the components of dark pixels, of light ones, and of
// those that remain of them when those at their edges are removed, as far as they are asked for.
func (j *job) findQuads() {
	pixels := [2][]uint64{j.bitmap.dark, j.bitmap.light}
	for i, look := range j.detector.looks {
		if look.wanted {
			j.label(pixels[i])
			j.addQuads(byEdges, i > 0, 0.5)
			j.labeler.joinCorners()
			j.addQuads(byCorners, i > 0, 0.5)
		}
	}
	for i, look := range j.detector.looks {
		if look.eroded {
			j.erode(pixels[i])
			j.label(j.eroded)
			j.addQuads(byEdges, i > 0, 1.5)
		}
	}
}

// erode sets eroded to the bits that remain of those that are set when those at edges are removed.
func (j *job) erode(b []uint64) {
	j.eroded, j.eroding = raster.Resize(j.eroded, len(b)), b
	worker.Each(j, &j.lanes, j.bands, j.bands, (*job).erodeBand)
}

func (j *job) erodeBand(_ *lane, i int) {
	b := &j.labeler.bands[i]
	erode(j.eroded, j.eroding, j.bitmap.words, b.y0, b.y1)
}

// label finds the components of set bits.
func (j *job) label(b []uint64) {
	l := &j.labeler
	l.pixels, l.words = b, j.bitmap.words
	worker.Each(j, &j.lanes, j.bands, j.bands, (*job).findRuns)
	l.number()
	worker.Each(j, &j.lanes, j.bands, j.bands, (*job).measure)
	l.joinBands(&j.lanes.All()[0].seam)
}

// findRuns, measure, choose and trace do a step for band i.
func (j *job) findRuns(l *lane, i int) { j.labeler.find(&l.seam, i) }
func (j *job) measure(_ *lane, i int)  { j.labeler.measure(i) }
func (j *job) choose(_ *lane, i int)   { j.labeler.choose(i, j.how) }
func (j *job) trace(_ *lane, i int)    { j.labeler.trace(i) }

// hullShare is the number of hulls that are worth another worker.
const hullShare = 32

// addQuads adds the quads of the components that are joined as given, byEdges or byCorners, whose sides
// move outward by shift.
func (j *job) addQuads(how int32, light bool, shift float64) {
	j.how = how
	worker.Each(j, &j.lanes, j.bands, j.bands, (*job).choose)
	j.labeler.place()
	worker.Each(j, &j.lanes, j.bands, j.bands, (*job).trace)
	chosen, known := j.labeler.chosen, len(j.quads)
	j.quads = slices.Grow(j.quads, len(chosen))[:known+len(chosen)]
	j.made, j.shift = j.quads[known:], shift
	workers := worker.For(j.detector.opts.Workers, int64(len(chosen)/hullShare))
	worker.Each(j, &j.lanes, workers, len(chosen), (*job).makeQuad)
	for i, ok := range chosen {
		if ok != refused {
			j.quads[known] = quad{j.made[i].corners, light}
			known++
		}
	}
	j.quads = j.quads[:known]
}

// refused replaces a chosen component that is no quad.
const refused = -1

// makeQuad makes the quad of a chosen component.
func (j *job) makeQuad(l *lane, i int) {
	k := &j.labeler.chosen[i]
	c := &j.labeler.components[*k]
	q, ok := l.polygon.find(j.labeler.outline(*k), c.y0, c.area, j.shift)
	if !ok {
		*k = refused
		return
	}
	j.made[i].corners = q
}

// A lane is the memory of a worker.
type lane struct {
	binarizer binarizer
	seam      seam
	polygon   polygon
	tries     [][4]geometry.Point
	reader    reader
	fitter    fitter
	found     []found
}

// try adds the tags that a quad is.
func (j *job) try(l *lane, i int) {
	q := &j.quads[i]
	look := &j.detector.looks[one(q.light)]
	l.reader.sampler.reset(&j.image, j.detector.kernels)
	if !l.reader.likely(q, look) {
		return
	}
	l.setTries(&j.image, q)
	for k := range j.detector.plans {
		f := &j.detector.plans[k]
		if f.reversed != q.light {
			continue
		}
		if t, ok := l.decode(&j.image, f, j.detector.opts.Samples); ok {
			t.quad, t.family = i, k
			l.found = append(l.found, t)
		}
	}
}

// setTries sets the quads to try for one: with its sides fitted to the pixels if they can be, as it is,
// and, if it is small, a little smaller or larger.
func (l *lane) setTries(p *raster.Plane, q *quad) {
	l.tries = l.tries[:0]
	if fitted, ok := fitSides(p, q); ok {
		l.tries = append(l.tries, fitted)
	}
	l.tries = append(l.tries, q.corners)
	if shortest(&q.corners) >= 24 {
		return
	}
	for _, shift := range [3]float64{-0.35, -0.7, 0.35} {
		if other, ok := grown(&l.tries[0], shift); ok {
			l.tries = append(l.tries, other)
		}
	}
}

// compare orders what a Detector returns.
func (a found) compare(b found) int {
	return cmp.Or(
		cmp.Compare(a.family, b.family),
		cmp.Compare(a.id, b.id),
		cmp.Compare(a.center.Y, b.center.Y),
		cmp.Compare(a.center.X, b.center.X),
	)
}
