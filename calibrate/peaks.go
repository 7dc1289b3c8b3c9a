package calibrate

import "github.com/fastcorners/fast/internal/raster"

// around is the distance up to which a peak's response is the largest.
const around = 2

// mostPeaks is the number of peaks of a level that are examined: those with the largest responses.
const mostPeaks = 3000

// mostResponse is the largest response that there can be.
const mostResponse = 8 * 255

// A peak is a pixel whose response is the largest one around it.
type peak struct {
	x, y     int32
	response int16
}

// A band is some rows of a level, and where its peaks are.
type band struct {
	level      *level
	begin, end int // the rows
	lane       *lane
	first, n   int // the peaks, in the lane
}

// A searcher finds the peaks of bands.
type searcher struct {
	respondRow func(*responseRun) // the kernel
	run        responseRun
	rows       [2*around + 1][]int16 // the last responses, row y in rows[y%len(rows)]
	largest    [2*around + 1]int16   // of each row
	found      []peak
}

// search appends the peaks of a band whose responses are at least threshold.
func (s *searcher) search(b *band, threshold int16) {
	l := b.level
	if l.W <= 2*ringRadius {
		return
	}
	for i := range s.rows {
		s.rows[i] = raster.Resize(s.rows[i], l.W)
		clear(s.rows[i])
	}
	next := max(b.begin-around, ringRadius)
	for y := max(b.begin, ringRadius); y < min(b.end, l.H-ringRadius); y++ {
		for ; next <= y+around; next++ {
			s.respond(l, next)
		}
		if s.largest[y%len(s.rows)] >= threshold {
			s.searchRow(y, threshold)
		}
	}
}

// respond computes the responses of row y. There are none within ringRadius of the edges.
func (s *searcher) respond(l *level, y int) {
	k := y % len(s.rows)
	if y >= l.H-ringRadius {
		clear(s.rows[k])
		s.largest[k] = 0
		return
	}
	r := &s.run
	r.pix, r.stride = l.Pix[(y-ringRadius)*l.Stride:][:2*ringRadius*l.Stride+l.W], l.Stride
	r.responses = s.rows[k][ringRadius : l.W-ringRadius]
	if len(r.responses) < leastRow {
		responsesOfRow(r)
	} else {
		s.respondRow(r)
	}
	s.largest[k] = r.largest
}

// searchRow appends the peaks of row y.
func (s *searcher) searchRow(y int, threshold int16) {
	row := s.rows[y%len(s.rows)]
	row = row[:len(row)-ringRadius]
	for x := ringRadius; x < len(row); {
		// All bits of some responses are no less than the largest one. Most are 0.
		if x+8 <= len(row) {
			r := row[x:][:8]
			if (r[0]|r[1]|r[2]|r[3])|(r[4]|r[5]|r[6]|r[7]) < threshold {
				x += 8
				continue
			}
		}
		for end := min(x+8, len(row)); x < end; x++ {
			if v := row[x]; v >= threshold && s.isPeak(x, y, v) {
				s.found = append(s.found, peak{int32(x), int32(y), v})
			}
		}
	}
}

// isPeak reports whether v, the response at x, y, is larger than those before it within around, and
// no smaller than those after it.
func (s *searcher) isPeak(x, y int, v int16) bool {
	for dy := -around; dy <= around; dy++ {
		for i, other := range s.rows[(y+dy)%len(s.rows)][x-around:][:2*around+1] {
			before := dy < 0 || dy == 0 && i < around
			if other > v || before && other == v {
				return false
			}
		}
	}
	return true
}

// A sorter sorts peaks.
type sorter struct {
	begins [mostResponse + 2]int32 // where those of each response begin
	sorted []peak
}

// strongest returns the peaks with the largest responses, in the memory of s and in their order,
// the largest first and equal ones in the order of p, or p itself if it is short enough.
func (s *sorter) strongest(p []peak) []peak {
	if len(p) <= mostPeaks {
		return p
	}
	clear(s.begins[:])
	for i := range p {
		s.begins[mostResponse-p[i].response+1]++
	}
	for i := range mostResponse {
		s.begins[i+1] += s.begins[i]
	}
	s.sorted = raster.Resize(s.sorted, mostPeaks)
	for i := range p {
		at := &s.begins[mostResponse-p[i].response]
		if *at < mostPeaks {
			s.sorted[*at] = p[i]
		}
		*at++
	}
	return s.sorted
}
