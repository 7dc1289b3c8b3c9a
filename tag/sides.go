package tag

import (
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
)

// fitSides returns q with its sides where the brightness of the pixels changes most. It reports false
// if that is too far away.
func fitSides(p *raster.Plane, q *quad) ([4]geometry.Point, bool) {
	short := shortest(&q.corners)
	reach := 3
	if short < 14 {
		reach = 1
	} else if short < 40 {
		reach = 2
	}
	var sides [4]line
	for i := range sides {
		sides[i] = fitSide(p, q, i, reach)
	}
	fitted, ok := between(&sides)
	if !ok {
		return fitted, false
	}
	for i := range fitted {
		if distance(fitted[i], q.corners[i]) > max(2, 0.15*short) {
			return fitted, false
		}
	}
	return fitted, true
}

// shortest returns the length of the shortest side.
func shortest(q *[4]geometry.Point) float64 {
	return min(distance(q[0], q[1]), distance(q[1], q[2]), distance(q[2], q[3]), distance(q[3], q[0]))
}

// fitSide fits side i of q in three rounds. Where one fails, the side stays.
func fitSide(p *raster.Plane, q *quad, i, reach int) line {
	s := newScan(p, q, i)
	given := s.line
	for round := range 3 {
		if !s.fit(reach, round > 0) {
			return given
		}
		reach = min(reach, 2)
	}
	return s.line
}

// A scan fits a line to a side of a quad, by rows if the side crosses rows more steeply than columns,
// and by columns if not. It calls them rows in both cases, and places in them columns.
type scan struct {
	plane *raster.Plane
	light bool              // inside
	ends  [2]geometry.Point // of the side
	line  line              // the side as it is now
}

// newScan returns the scan of side i of q.
func newScan(p *raster.Plane, q *quad, i int) scan {
	a, b := q.corners[i], q.corners[(i+1)&3]
	return scan{p, q.light, [2]geometry.Point{a, b}, lineThrough(a, b)}
}

// fit fits the line to the pixels that are within reach of it. If robust is set, places far from the
// line count less. It reports false, and the line stays, if too few rows have an edge.
func (s *scan) fit(reach int, robust bool) bool {
	// The line is column = slope*row + offset.
	p, l := s.plane, s.line
	from, to := s.ends[0].Y, s.ends[1].Y
	normal, other := l.a, l.b
	rows, columns, down, across := p.H, p.W, p.Stride, 1
	byColumns := math.Abs(l.a) < math.Abs(l.b)
	if byColumns {
		from, to = s.ends[0].X, s.ends[1].X
		normal, other = l.b, l.a
		rows, columns, down, across = p.W, p.H, 1, p.Stride
	}
	slope, offset := -other/normal, -l.c/normal
	sign := 1 // of the difference of brightness along a row
	if (normal < 0) != s.light {
		sign = -1
	}
	inset := min(1.5, 0.15*distance(s.ends[0], s.ends[1]))
	first := max(int(math.Ceil(min(from, to)+inset)), 0)
	last := min(int(math.Floor(max(from, to)-inset)), rows-1)
	if last-first < 1 {
		return false
	}
	sums := lineSums{middle: float64(first+last) / 2}
	for row := first; row <= last; row++ {
		expected := float64(slope*float64(row)) + offset
		begin := int(math.Floor(expected)) - reach
		if begin < 0 || begin+2*reach+2 > columns {
			continue
		}
		rise, moment := edgeAt(p.Pix[row*down+begin*across:], across, 2*reach+1, sign)
		if rise < 4 {
			continue
		}
		weight := float64(rise)
		column := float64(begin) + float64(moment)/(2*weight)
		if robust {
			r := (column - expected) / 0.3
			weight /= 1 + float64(r*r)
		}
		sums.add(float64(row), column, weight)
	}
	if sums.rows < 2 || 2*sums.rows < last-first+1 {
		return false
	}
	m, x, ok := sums.solve()
	if !ok {
		return false
	}
	r := math.Sqrt(1 + float64(m*m))
	if normal < 0 {
		r = -r
	}
	s.line = line{1 / r, -m / r, -x / r}
	if byColumns {
		s.line = line{-m / r, 1 / r, -x / r}
	}
	return true
}

// edgeAt returns the sum of the positive ones among n differences of successive pixels, times sign, and
// the sum of these times 1, 3, 5 and so on.
func edgeAt(pix []byte, step, n, sign int) (rise, moment int) {
	before := int(pix[0])
	for i := range n {
		v := int(pix[(i+1)*step])
		d := max((v-before)*sign, 0)
		rise += d
		moment += d * (2*i + 1)
		before = v
	}
	return rise, moment
}

// lineSums are the weighted sums of a line through places in rows.
type lineSums struct {
	middle          float64 // subtracted from rows
	w, y, yy, x, xy float64
	rows            int
}

func (s *lineSums) add(row, column, weight float64) {
	y := row - s.middle
	s.w += weight
	s.y += float64(weight * y)
	s.yy += float64(weight * y * y)
	s.x += float64(weight * column)
	s.xy += float64(weight * column * y)
	s.rows++
}

// solve returns the line column = m*row + x.
func (s *lineSums) solve() (m, x float64, ok bool) {
	den := float64(s.w*s.yy) - float64(s.y*s.y)
	if !(den > 0) {
		return 0, 0, false
	}
	m = (float64(s.w*s.xy) - float64(s.x*s.y)) / den
	x = (s.x-float64(m*s.y))/s.w - float64(m*s.middle)
	return m, x, true
}
