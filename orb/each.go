package orb

import (
	"slices"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A work is what is done with all levels.
type work struct {
	search    bool                   // finds the corners that get a response
	keypoints func(j *job, l *level) // sets those found on a level
	angles    bool                   // sets the angles of the keypoints
	// descriptors makes those of the keypoints.
	descriptors bool
}

// each does a work with all levels, in the number of goroutines that the options ask for.
func (j *job) each(w work) {
	j.work = w
	if j.workers > 1 {
		j.share()
		return
	}
	guess, memory := 0, j.lanes.All()[0]
	for i := range slices.Backward(j.levels) {
		l := &j.levels[i]
		if w.search {
			// What is found on a smaller level helps with a larger one.
			l.guess = guess
			l.search(j.extractor, memory)
			guess = l.lowest
		}
		j.setKeypoints(l)
		j.finish(memory, &band{level: l, end: l.img.H})
	}
}

// setKeypoints sets the keypoints of l, and makes room for their descriptors.
func (j *job) setKeypoints(l *level) {
	j.work.keypoints(j, l)
	l.descs = raster.Resize(l.descs, len(l.found))
}

// finish does with the keypoints in rows of a level what is left.
func (j *job) finish(memory *lane, b *band) {
	l, e := b.level, j.extractor
	if j.work.angles {
		for i := range l.found {
			if k := &l.found[i]; int(k.y) >= b.begin && int(k.y) < b.end {
				k.angle = l.angle(&e.disc, memory, int(k.x), int(k.y))
			}
		}
	}
	if j.work.descriptors {
		l.describe(e, memory, b.begin, b.end)
	}
}

// share is each by several workers.
func (j *job) share() {
	if j.work.search {
		j.search()
	}
	j.number(len(j.levels), (*job).findKeypoints)
	n := 0
	for i := range j.levels {
		n += len(j.levels[i].found)
	}
	j.parts = j.parts[:0]
	for i := range j.levels {
		l := &j.levels[i]
		// Parts that several workers do at the end are small.
		parts := max(len(l.found)*3*j.workers/max(n, 1), 1)
		j.parts = appendBands(j.parts, l, 0, l.img.H, max((l.img.H+parts-1)/parts, finishRows))
	}
	j.number(len(j.parts), (*job).finishPart)
}

// finishRows is the least number of rows of a part of keypoints: those in parts above and below look
// at some of the same pixels.
const finishRows = 128

// number calls do for the numbers from 0 to n-1.
func (j *job) number(n int, do func(j *job, memory *lane, i int)) {
	worker.Each(j, &j.lanes, j.workers, n, do)
}

// findKeypoints finds those of level i.
func (j *job) findKeypoints(memory *lane, i int) {
	l := &j.levels[i]
	if j.work.search && i < len(j.levels)-1 {
		j.sieve(l, memory)
	}
	j.setKeypoints(l)
}

// finishPart finishes part i of the keypoints.
func (j *job) finishPart(memory *lane, i int) { j.finish(memory, &j.parts[i]) }

// searchRows is the least number of rows that a worker searches at a time: it also reads a few rows
// around them.
const searchRows = 64

// search finds the corners of all levels, and of the smallest one those that get a response.
func (j *job) search() {
	last := len(j.levels) - 1
	if last < 0 {
		return
	}
	j.bands = j.bands[:0]
	smallest := &j.levels[last]
	smallest.guess = 0
	j.searchBands(j.levels[last:])
	j.sieve(smallest, j.lanes.All()[0])
	others := j.levels[:last]
	for i := range others {
		// The other levels are searched at the same time, and do not learn from each other. It
		// costs less to find some more corners than to search again.
		others[i].guess = smallest.lowest - smallest.lowest/8
	}
	j.searchBands(others)
	for i := range others {
		l := &others[i]
		if j.count(l) < l.wanted(j.extractor) && l.threshold(j.extractor) > j.extractor.threshold {
			l.guess = 0
			j.searchBands(others[i : i+1])
		}
	}
}

// searchBands finds the corners of levels, in bands, which take the place of those that the levels
// had before.
func (j *job) searchBands(levels []level) {
	first := len(j.bands)
	for i := range levels {
		l := &levels[i]
		for i := range j.bands[:first] {
			if b := &j.bands[i]; b.level == l {
				b.level = nil
			}
		}
	}
	// Bands at the same height of all levels follow each other, so that a worker searches what it
	// has made.
	n := 4 * j.workers
	for i := range n {
		for k := range levels {
			l := &levels[k]
			inside := l.inside(j.extractor)
			bands := max(min(n, inside.Dy()/searchRows), 1)
			if band := i * bands / n; (i+1)*bands/n > band {
				begin, end := inside.Dy()*band/bands, inside.Dy()*(band+1)/bands
				j.bands = appendBands(j.bands, l, inside.Min.Y+begin, inside.Min.Y+end, end-begin)
			}
		}
	}
	j.number(len(j.bands)-first, func(j *job, memory *lane, i int) {
		e, b := j.extractor, &j.bands[first+i]
		inside := b.level.inside(e)
		inside.Min.Y, inside.Max.Y = b.begin, b.end
		b.corners = b.level.appendCorners(b.corners[:0], e, memory, inside, b.level.threshold(e))
	})
}

// count returns how many corners have been found in the bands of l.
func (j *job) count(l *level) int {
	n := 0
	for i := range j.bands {
		if b := &j.bands[i]; b.level == l {
			n += len(b.corners)
		}
	}
	return n
}

// sieve leaves those of the corners found in the bands of l that get a response.
func (j *job) sieve(l *level, memory *lane) {
	l.corners = l.corners[:0]
	for i := range j.bands {
		if b := &j.bands[i]; b.level == l {
			l.corners = append(l.corners, b.corners...)
		}
	}
	l.sieve(j.extractor, memory)
}
