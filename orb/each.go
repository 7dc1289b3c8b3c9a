package orb

import (
	"slices"

	"github.com/fastcorners/fast/internal/worker"
)

// each calls do for all levels, in the number of goroutines that the options ask for. If search is
// set, it finds the corners of a level that get a response before that, and those of the smallest
// level first: what is found on it helps with the others.
func (s *scratch) each(search bool, do func(s *scratch, l *level, memory *lane)) {
	e, own := s.extractor, s.lanes.All()[0]
	if s.workers > 1 {
		if search {
			s.search()
		}
		s.do = do
		worker.EachNumber(s, &s.lanes, s.workers, len(s.levels), func(s *scratch, memory *lane, i int) {
			l := &s.levels[i]
			if search && !l.sieved {
				s.sieve(l, memory)
			}
			s.do(s, l, memory)
		})
		return
	}
	guess := 0
	for i := range slices.Backward(s.levels) {
		l := &s.levels[i]
		if search {
			l.guess = guess
			l.search(e, own)
			guess = l.lowest
		}
		do(s, l, own)
	}
}

// searchRows is the least number of rows that a worker searches at a time: it also reads a few rows
// around them.
const searchRows = 64

// search finds the corners of all levels, and of the smallest one those that get a response.
func (s *scratch) search() {
	last := len(s.levels) - 1
	if last < 0 {
		return
	}
	smallest := &s.levels[last]
	smallest.guess = 0
	s.searchBands(s.levels[last:])
	s.sieve(smallest, s.lanes.All()[0])
	for i := range s.levels[:last] {
		s.levels[i].guess = smallest.lowest
	}
	s.searchBands(s.levels[:last])
}

// searchBands finds corners of levels, in bands.
func (s *scratch) searchBands(levels []level) {
	s.bands = s.bands[:0]
	for i := range levels {
		l := &levels[i]
		l.sieved = false
		inside := l.inside(s.extractor)
		s.addBands(l, inside.Min.Y, inside.Max.Y, searchRows)
	}
	worker.EachNumber(s, &s.lanes, s.workers, len(s.bands), (*scratch).searchBand)
}

// searchBand finds the corners of band i.
func (s *scratch) searchBand(memory *lane, i int) {
	b := &s.bands[i]
	inside := b.level.inside(s.extractor)
	inside.Min.Y, inside.Max.Y = b.begin, b.end
	b.corners = b.level.appendCorners(b.corners[:0], s.extractor, memory, inside, b.level.threshold(s.extractor))
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
	l.sieved = true
}
