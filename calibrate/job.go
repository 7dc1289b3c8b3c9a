package calibrate

import (
	"cmp"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A job is the memory of a call. Its coordinates are relative to the upper left pixel of the image.
type job struct {
	finder      *Finder
	memory      [5]level // the image, and halves of it
	levels      []level  // those of them that are searched
	lanes       worker.Lanes[lane]
	bands       []band
	sorter      sorter
	gathered    []peak // of a level
	peaks       []levelPeak
	candidates  []candidate
	crosses     []cross
	buckets     buckets
	strips      [2]strips
	wanted      [][4]int32 // the nearest suitable crosses along the edges of each
	lattice     lattice
	cells       []cell
	stored      []corner // of grids
	grids       []grid
	boards      []grid // the largest first
	others      []grid // those of other sizes, likewise, if a size was told
	refinements []refinement
	charuco     charuco
	aprilGrid   aprilGrid
	expected    []expected // corners of one of these
	values      []float64  // of which there is a median
}

// A levelPeak is a peak of a level.
type levelPeak struct {
	peak
	level *level
}

// A lane is the memory of a worker.
type lane struct {
	searcher
	examiner
	fitter
}

func newJob(f *Finder) *job {
	return &job{finder: f, lanes: worker.NewLanes("calibrate", func() *lane {
		return &lane{searcher: searcher{respondRow: f.kernels.responses}, fitter: fitter{fitRound: f.kernels.fit}}
	})}
}

// release puts j back. It keeps nothing that belongs to the caller.
func (j *job) release() {
	j.memory[0].Plane = raster.Plane{}
	for _, l := range j.lanes.All() {
		l.run.pix = nil
	}
	j.finder.pool.Put(j)
}

// leastHalved is the least side of a level of which there is a half.
const leastHalved = 128

// begin begins with an image, and makes its levels.
func (j *job) begin(p raster.Plane) {
	j.memory[0] = level{p, 1, 1}
	n := 1
	for ; n < j.finder.opts.Levels && min(j.memory[n-1].W, j.memory[n-1].H) >= leastHalved; n++ {
		j.memory[n].halve(j.finder.resizers[n-1], &j.memory[n-1])
	}
	j.levels = j.memory[:n]
}

const (
	// bandPixels is the number of pixels, and sharePeaks that of peaks, that are worth another
	// worker.
	bandPixels = 1 << 16
	sharePeaks = 64
	// leastRows is the least number of rows of a band, since those around it are searched, too.
	leastRows = 32
)

// findPeaks finds the peaks of all levels, the finest first.
func (j *job) findPeaks() {
	image := &j.levels[0]
	workers := worker.For(j.finder.opts.Workers, int64(image.W)*int64(image.H)/bandPixels)
	j.bands = j.bands[:0]
	for k := range j.levels {
		l := &j.levels[k]
		rows := raster.BandRows(l.H, workers, leastRows, 1)
		for y := 0; y < l.H; y += rows {
			j.bands = append(j.bands, band{level: l, begin: y, end: min(y+rows, l.H)})
		}
	}
	for _, l := range j.lanes.All() {
		l.found = l.found[:0]
	}
	worker.Each(j, &j.lanes, workers, len(j.bands), (*job).searchBand)
	j.peaks = j.peaks[:0]
	for bands := j.bands; len(bands) > 0; {
		l := bands[0].level
		j.gathered = j.gathered[:0]
		for ; len(bands) > 0 && bands[0].level == l; bands = bands[1:] {
			b := &bands[0]
			j.gathered = append(j.gathered, b.lane.found[b.first:][:b.n]...)
		}
		for _, p := range j.sorter.strongest(j.gathered) {
			j.peaks = append(j.peaks, levelPeak{p, l})
		}
	}
}

// searchBand finds the peaks of band i.
func (j *job) searchBand(l *lane, i int) {
	b := &j.bands[i]
	b.lane, b.first = l, len(l.found)
	l.search(b, int16(j.finder.opts.Threshold))
	b.n = len(l.found) - b.first
}

// findCrosses finds the crosses at the peaks. One that is seen in several levels has the place
// where the finest of them has it.
func (j *job) findCrosses() {
	j.candidates = raster.Resize(j.candidates, len(j.peaks))
	workers := worker.For(j.finder.opts.Workers, int64(len(j.peaks))/sharePeaks)
	worker.Each(j, &j.lanes, workers, len(j.peaks), (*job).examinePeak)
	j.crosses = j.crosses[:0]
	j.buckets.reset(j.levels[0].W, j.levels[0].H)
	for i := range j.candidates {
		if c := &j.candidates[i]; c.ok && !j.isKnown(&c.cross) {
			j.addCross(&c.cross)
		}
	}
}

// examinePeak makes a candidate of peak i.
func (j *job) examinePeak(l *lane, i int) {
	p := &j.peaks[i]
	j.candidates[i] = l.examine(p.level, p.peak)
}

// findBoards makes boards of the grids: fills and trims them, and accepts those with enough
// corners.
func (j *job) findBoards() {
	j.boards, j.others = j.boards[:0], j.others[:0]
	for _, g := range j.grids {
		if slices.ContainsFunc(j.corners(g), func(c corner) bool { return j.crosses[c.cross].taken }) {
			continue
		}
		j.open(g)
		j.fill()
		j.trim()
		j.accept()
	}
	larger := func(a, b grid) int { return cmp.Compare(b.n, a.n) }
	slices.SortStableFunc(j.boards, larger)
	slices.SortStableFunc(j.others, larger)
}

// accept makes a board of the lattice if it has enough corners or, if a size was told, that size.
func (j *job) accept() {
	l, opts := &j.lattice, &j.finder.opts
	if l.count == 0 {
		return
	}
	if opts.Columns > 0 {
		columns, rows := l.size()
		if l.count < columns*rows || columns != max(opts.Columns, opts.Rows) || rows != min(opts.Columns, opts.Rows) {
			if l.count >= opts.MinCorners {
				j.others = append(j.others, j.store())
			}
			return
		}
	} else if l.count < opts.MinCorners {
		return
	}
	for _, c := range l.corners {
		j.crosses[c.cross].taken = true
	}
	j.boards = append(j.boards, j.store())
}
