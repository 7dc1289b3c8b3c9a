package locate

import (
	"cmp"
	"image"
)

// A Match is a place of a template in a scene.
type Match struct {
	// X and Y are the position of the template's upper left pixel, in the coordinates of the
	// scene's image.
	X, Y int
	// Score is the similarity, -1 to 1. An identical picture scores exactly 1, unless it is flat.
	Score float64
	// DX and DY, -0.5 to 0.5, are the distances in pixels, to the right and down, from the place to
	// the peak of the score between pixels. In each direction, it is the peak of the parabola
	// through the scores of the place and its two neighbors. DX or DY is 0 if a neighbor is missing
	// or has a higher score.
	DX, DY float64
}

// Pt returns the place of the match.
func (m Match) Pt() image.Point { return image.Pt(m.X, m.Y) }

// Position returns the place of the match, X+DX and Y+DY.
func (m Match) Position() (x, y float32) {
	return float32(float64(m.X) + m.DX), float32(float64(m.Y) + m.DY)
}

// Strength returns the score of the match.
func (m Match) Strength() float32 { return float32(m.Score) }

// A candidate is a place, counted from the upper left one, and its score.
type candidate struct {
	score float64
	x, y  int32
}

// compare orders candidates: by score, the largest first, then by rows, then by columns.
func compare(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x))
}

// peak returns how far the peak of the parabola through the scores l, c and r of three places is
// from that of the one in the middle.
func peak(l, c, r float64) float64 {
	u, v := c-l, c-r
	if u >= 0 && v >= 0 && u+v > 0 {
		return (u - v) / (2 * (u + v))
	}
	return 0
}

// A suppression chooses candidates that overlap little.
type suppression struct {
	w, h    int     // of the template
	largest float64 // overlap, in pixels
	// cells are rectangles of places, and each has the number of the last kept place in it, counted
	// from 1. A place can exclude none that is farther away than the next cell.
	cellW, cellH int
	columns      int
	cells        []int32
	previous     []int32 // in the cell of each kept one, likewise
	kept         []candidate
}

// begin prepares for a template of w by h pixels, and places in so many columns and rows.
func (s *suppression) begin(w, h, columns, rows int, overlap float64) {
	s.w, s.h, s.largest = w, h, overlap*float64(w*h)
	// An overlap larger than that needs a common part that is larger in width alone, and in height.
	s.cellW, s.cellH = side(w, overlap), side(h, overlap)
	s.columns = (columns-1)/s.cellW + 1
	n := s.columns * ((rows-1)/s.cellH + 1)
	if n > cap(s.cells) {
		s.cells = make([]int32, n)
	}
	s.cells = s.cells[:n]
	clear(s.cells)
	s.kept, s.previous = s.kept[:0], s.previous[:0]
}

// side returns the side of a cell for a template's side n.
func side(n int, overlap float64) int {
	return min(int(float64(n)*(1-overlap))+1, n)
}

// keep keeps a candidate if it overlaps little with each that is kept.
func (s *suppression) keep(c candidate) bool {
	x, y := int(c.x)/s.cellW, int(c.y)/s.cellH
	rows := len(s.cells) / s.columns
	for cy := max(y-1, 0); cy <= min(y+1, rows-1); cy++ {
		for cx := max(x-1, 0); cx <= min(x+1, s.columns-1); cx++ {
			for k := s.cells[cy*s.columns+cx]; k > 0; k = s.previous[k-1] {
				if s.excludes(s.kept[k-1], c) {
					return false
				}
			}
		}
	}
	cell := &s.cells[y*s.columns+x]
	s.kept, s.previous = append(s.kept, c), append(s.previous, *cell)
	*cell = int32(len(s.kept))
	return true
}

// excludes reports whether two candidates overlap too much.
func (s *suppression) excludes(a, b candidate) bool {
	dx, dy := abs(int(a.x)-int(b.x)), abs(int(a.y)-int(b.y))
	return dx < s.w && dy < s.h && float64((s.w-dx)*(s.h-dy)) > s.largest
}

func abs(n int) int {
	return max(n, -n)
}
