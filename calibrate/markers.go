package calibrate

import (
	"image"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/tag"
)

// A marker is what is seen in a place of a board.
type marker struct {
	id      int
	seen    bool               // there is a marker
	twice   bool               // there are several ones
	hidden  bool               // something seems to be in front of it
	agreed  bool               // it has a corner where another one has it
	strayed bool               // it has a corner at a very different place than another one
	toImage geometry.Transform // from the board, or from the marker's own coordinates
}

// at returns a place in the image.
func (m *marker) at(x, y float64) vector {
	p := m.toImage.Apply(geometry.Point{X: x, Y: y})
	return vector{p.X, p.Y}
}

// isReliable reports whether what a marker says of a corner counts although no other one does.
func (m *marker) isReliable() bool { return m.seen && m.agreed && !m.strayed && !m.hidden }

// markers are those of a board.
type markers struct {
	columns, rows int
	all           []marker // by rows
	agreed        int      // the number of corners that two markers have at the same place
	strayed       int      // the number of those that they have at very different places
}

const (
	// mostApart is by how much two markers may differ in where they have a corner, in distances of the next
	// corner, if they agree.
	mostApart = 0.2
	// leastStray is the least such difference of markers that do not share the corner.
	leastStray = 0.5
)

// reset begins with a board of the given size.
func (m *markers) reset(columns, rows int) {
	m.columns, m.rows = columns, rows
	m.all = raster.Resize(m.all, columns*rows)
	clear(m.all)
	m.agreed, m.strayed = 0, 0
}

// put adds a marker, with a transform to an image whose upper left pixel has the given coordinates.
func (m *markers) put(column, row int, t *tag.Tag, h geometry.Transform, origin image.Point) {
	for k := range 3 {
		h[k] -= float64(float64(origin.X) * h[6+k])
		h[3+k] -= float64(float64(origin.Y) * h[6+k])
	}
	at := &m.all[row*m.columns+column]
	*at = marker{id: t.ID, seen: true, twice: at.seen, hidden: t.Hidden, toImage: h}
}

// removeTwice removes the markers that were put several times, since only one of them can be that of the board.
func (m *markers) removeTwice() {
	for i := range m.all {
		if m.all[i].twice {
			m.all[i] = marker{}
		}
	}
}

// count counts a corner that two markers have at places that are the given number of distances of the next corner
// apart.
func (m *markers) count(a, b *marker, apart float64) {
	switch {
	case apart <= mostApart:
		a.agreed, b.agreed = true, true
		m.agreed++
	case !(apart < leastStray):
		a.strayed, b.strayed = true, true
		m.strayed++
	}
}

// areElsewhere reports whether too many markers are not where the board has them.
func (m *markers) areElsewhere() bool { return 3*m.strayed > m.agreed }

// A sight is a corner, as markers beside it see it.
type sight struct {
	place vector
	// From the corner to the next one, along a row and along a column.
	right, down vector
	slope       float64 // 1 if the light squares are the upper left and the lower right one, else -1
}

// side returns the least distance to the next corner.
func (s *sight) side() float64 { return min(s.right.length(), s.down.length()) }

// mean returns the mean of two sights of a corner.
func (s *sight) mean(t *sight) sight {
	return sight{
		s.place.plus(t.place).times(0.5),
		s.right.plus(t.right).times(0.5),
		s.down.plus(t.down).times(0.5),
		s.slope,
	}
}
