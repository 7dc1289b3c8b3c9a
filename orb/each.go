package orb

import (
	"slices"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A work is what is done with all levels.
type work struct {
	search    bool                       // finds the corners that get a response
	keypoints func(s *scratch, l *level) // sets those found on a level
	angles    bool                       // sets the angles of the keypoints
	// descriptors makes those of the keypoints.
	descriptors bool
}

// each does a work with all levels, in the number of goroutines that the options ask for.
func (s *scratch) each(w work) {
	s.work = w
	if s.workers > 1 {
		s.share()
		return
	}
	guess, memory := 0, s.lanes.All()[0]
	for i := range slices.Backward(s.levels) {
		l := &s.levels[i]
		if w.search {
			// What is found on a smaller level helps with a larger one.
			l.guess = guess
			l.search(s.extractor, memory)
			guess = l.lowest
		}
		s.setKeypoints(l)
		s.finish(memory, &band{level: l, end: l.img.H})
	}
}

// setKeypoints sets the keypoints of l, and makes room for their descriptors.
func (s *scratch) setKeypoints(l *level) {
	s.work.keypoints(s, l)
	l.descs = raster.Resize(l.descs, len(l.found))
}

// finish does with the keypoints in rows of a level what is left.
func (s *scratch) finish(memory *lane, b *band) {
	l, e := b.level, s.extractor
	if s.work.angles {
		for i := range l.found {
			if k := &l.found[i]; int(k.y) >= b.begin && int(k.y) < b.end {
				k.angle = l.angle(&e.disc, memory, int(k.x), int(k.y))
			}
		}
	}
	if s.work.descriptors {
		l.describe(e, memory, b.begin, b.end)
	}
}

// share is each by several workers.
func (s *scratch) share() {
	if s.work.search {
		s.search()
	}
	s.number(len(s.levels), (*scratch).findKeypoints)
	n := 0
	for i := range s.levels {
		n += len(s.levels[i].found)
	}
	s.parts = s.parts[:0]
	for i := range s.levels {
		l := &s.levels[i]
		// Parts that several workers do at the end are small.
		parts := max(len(l.found)*3*s.workers/max(n, 1), 1)
		s.parts = appendBands(s.parts, l, 0, l.img.H, max((l.img.H+parts-1)/parts, finishRows))
	}
	s.number(len(s.parts), (*scratch).finishPart)
}

// finishRows is the least number of rows of a part of keypoints: those in parts above and below look
// at some of the same pixels.
const finishRows = 128

// number calls do for the numbers from 0 to n-1.
func (s *scratch) number(n int, do func(s *scratch, memory *lane, i int)) {
	worker.Each(s, &s.lanes, s.workers, n, do)
}

// findKeypoints finds those of level i.
func (s *scratch) findKeypoints(memory *lane, i int) {
	l := &s.levels[i]
	if s.work.search && i < len(s.levels)-1 {
		s.sieve(l, memory)
	}
	s.setKeypoints(l)
}

// finishPart finishes part i of the keypoints.
func (s *scratch) finishPart(memory *lane, i int) { s.finish(memory, &s.parts[i]) }

// searchRows is the least number of rows that a worker searches at a time: it also reads a few rows
// around them.
const searchRows = 64

// search finds the corners of all levels, and of the smallest one those that get a response.
func (s *scratch) search() {
	last := len(s.levels) - 1
	if last < 0 {
		return
	}
	s.bands = s.bands[:0]
	smallest := &s.levels[last]
	smallest.guess = 0
	s.searchBands(s.levels[last:])
	s.sieve(smallest, s.lanes.All()[0])
	others := s.levels[:last]
	for i := range others {
		// The other levels are searched at the same time, and do not learn from each other. It
		// costs less to find some more corners than to search again.
		others[i].guess = smallest.lowest - smallest.lowest/8
	}
	s.searchBands(others)
	for i := range others {
		l := &others[i]
		if s.count(l) < l.wanted(s.extractor) && l.threshold(s.extractor) > s.extractor.threshold {
			l.guess = 0
			s.searchBands(others[i : i+1])
		}
	}
}

// searchBands finds the corners of levels, in bands, which take the place of those that the levels
// had before.
func (s *scratch) searchBands(levels []level) {
	first := len(s.bands)
	for i := range levels {
		l := &levels[i]
		for i := range s.bands[:first] {
			if b := &s.bands[i]; b.level == l {
				b.level = nil
			}
		}
	}
	// Bands at the same height of all levels follow each other, so that a worker searches what it
	// has made.
	n := 4 * s.workers
	for i := range n {
		for k := range levels {
			l := &levels[k]
			inside := l.inside(s.extractor)
			bands := max(min(n, inside.Dy()/searchRows), 1)
			if band := i * bands / n; (i+1)*bands/n > band {
				begin, end := inside.Dy()*band/bands, inside.Dy()*(band+1)/bands
				s.bands = appendBands(s.bands, l, inside.Min.Y+begin, inside.Min.Y+end, end-begin)
			}
		}
	}
	s.number(len(s.bands)-first, func(s *scratch, memory *lane, i int) {
		e, b := s.extractor, &s.bands[first+i]
		inside := b.level.inside(e)
		inside.Min.Y, inside.Max.Y = b.begin, b.end
		b.corners = b.level.appendCorners(b.corners[:0], e, memory, inside, b.level.threshold(e))
	})
}

// count returns how many corners have been found in the bands of l.
func (s *scratch) count(l *level) int {
	n := 0
	for i := range s.bands {
		if b := &s.bands[i]; b.level == l {
			n += len(b.corners)
		}
	}
	return n
}

// sieve leaves those of the corners found in the bands of l that get a response.
func (s *scratch) sieve(l *level, memory *lane) {
	l.corners = l.corners[:0]
	for i := range s.bands {
		if b := &s.bands[i]; b.level == l {
			l.corners = append(l.corners, b.corners...)
		}
	}
	l.sieve(s.extractor, memory)
}
