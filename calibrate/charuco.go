package calibrate

import (
	"errors"
	"image"
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
)

// ErrLayout is an error of Charuco: the markers are where a board with the other layout has them.
var ErrLayout = errors.New("calibrate: the board has the other layout: change Charuco.Legacy")

// Charuco returns where the inner corners of a ChArUco board that are seen in img are on the board, as board.Corner
// says, and in the image, and their IDs, in increasing order. The tags are those that a tag.Detector found in img;
// it has to look for the board's Family. Of the options of f, only Workers counts. The first two are a View.
//
// Corners that are hidden, beyond the edge of the image, or not beside a marker are left out. So are those that two
// markers have at different places; where there is only one, it must agree with a neighbor about another
// corner, and it must not be Hidden. Markers with an ID that two have do not count.
//
// Charuco fails with ErrNoBoard if no corner is found, or no two markers agree about one, with ErrLayout if more
// of them would if Legacy had the other value, and with ErrSize if many markers are not where a board of that
// size has them. It panics as Find does, and if board.Check returns an error.
func (f *Finder) Charuco(img *image.Gray, board tag.Charuco, tags []tag.Tag) (world []pose.Vector, points []geometry.Point, ids []int, err error) {
	return f.AppendCharuco(nil, nil, nil, img, board, tags)
}

// AppendCharuco appends what Charuco returns to world, points and ids, and returns them. With one worker it does not
// allocate in the steady state if there is room. If it fails, it returns them as they were.
func (f *Finder) AppendCharuco(world []pose.Vector, points []geometry.Point, ids []int, img *image.Gray, board tag.Charuco, tags []tag.Tag) ([]pose.Vector, []geometry.Point, []int, error) {
	j := f.expect(img)
	defer j.release()
	c := &j.charuco
	if err := c.begin(board, tags, img.Rect.Min); err != nil {
		return world, points, ids, err
	}
	// The markers do not belong to the picture of two edges. Their corners are along the diagonal.
	reach := min(share, math.Sqrt2*(board.Square-board.Marker)/(2*board.Square))
	c.eachCorner(func(at cell) {
		if s, ok := c.expect(at); ok {
			id := (int(at.row)-1)*(board.Columns-1) + int(at.column) - 1
			j.addExpected(expected{cell: at, sight: s, world: board.Corner(id), id: id}, reach)
		}
	})
	j.findExpected()
	return j.appendExpected(world, points, ids, img.Rect.Min)
}

// A charuco is a ChArUco board, with what its markers say of where its corners are. Its cells are the corners of
// squares, from the upper left one.
type charuco struct {
	markers
	square float64 // the side of one
}

// begin finds out where the markers of a board are in an image whose upper left pixel has the given
// coordinates. It fails if these are not the places of a board's markers.
func (c *charuco) begin(board tag.Charuco, tags []tag.Tag, origin image.Point) error {
	if err := board.Check(); err != nil {
		panic(err.Error())
	}
	c.see(board, tags, origin)
	agreed := c.agreed
	if agreed > 0 && c.strayed == 0 {
		return nil
	}
	elsewhere := c.areElsewhere()
	// A board begins with a white square if it has an even number of rows in the legacy layout.
	other, better := board, ErrLayout
	other.Legacy = !board.Legacy
	if board.Rows%2 != 0 {
		other.Legacy, better = true, ErrSize
		other.Rows++
	}
	if other.Check() == nil {
		c.see(other, tags, origin)
		if c.agreed > agreed {
			return better
		}
	}
	switch {
	case elsewhere:
		return ErrSize
	case agreed == 0:
		return ErrNoBoard
	}
	c.see(board, tags, origin)
	return nil
}

// see sets the markers, and compares what they say of the corners that they share.
func (c *charuco) see(board tag.Charuco, tags []tag.Tag, origin image.Point) {
	c.square = board.Square
	c.reset(board.Columns, board.Rows)
	for i := range tags {
		h, ok := board.Transform(tags[i])
		if !ok {
			continue
		}
		column, row, _ := board.Place(tags[i].ID)
		c.put(column, row, &tags[i], h, origin)
	}
	c.removeTwice()
	c.eachCorner(c.compare)
}

// eachCorner calls f for the inner corners, by rows.
func (c *charuco) eachCorner(f func(at cell)) {
	for row := 1; row < c.rows; row++ {
		for column := 1; column < c.columns; column++ {
			f(cell{int32(column), int32(row)})
		}
	}
}

// A pair is the markers above and below a corner.
type pair struct {
	above, below *marker // neither need be seen
	slope        float64 // 1 if the upper one is in the left square and the lower one in the right one, else -1
}

// beside returns the markers beside a corner.
func (c *charuco) beside(at cell) pair {
	i := (int(at.row)-1)*c.columns + int(at.column) - 1
	p := pair{&c.all[i], &c.all[i+c.columns+1], 1}
	if !p.above.seen && !p.below.seen {
		p = pair{&c.all[i+1], &c.all[i+c.columns], -1}
	}
	return p
}

// sights returns the corner as the two markers see it.
func (c *charuco) sights(p *pair, at cell) (above, below sight) {
	return c.sight(p.above, at, -p.slope, -1), c.sight(p.below, at, p.slope, 1)
}

// sight returns a corner as a marker sees it, whose square is to the right of it if right is 1, and to the left if
// it is -1. In the same way, it is below the corner, or above.
func (c *charuco) sight(m *marker, at cell, right, below float64) sight {
	place := func(x, y float64) vector { return m.at(float64(x*c.square), float64(y*c.square)) }
	x, y := float64(at.column), float64(at.row)
	s := sight{place: place(x, y), slope: float64(right * below)}
	s.right = place(x+right, y).minus(s.place).times(right)
	s.down = place(x, y+below).minus(s.place).times(below)
	return s
}

// compare compares what two markers say of a corner.
func (c *charuco) compare(at cell) {
	if p := c.beside(at); p.above.seen && p.below.seen {
		a, b := c.sights(&p, at)
		c.count(p.above, p.below, a.place.minus(b.place).length()/max(a.side(), b.side()))
	}
}

// expect returns where a corner is expected. It reports false if the markers do not tell.
func (c *charuco) expect(at cell) (sight, bool) {
	p := c.beside(at)
	a, b := c.sights(&p, at)
	switch {
	case p.above.seen && p.below.seen:
		apart := a.place.minus(b.place).length() / max(a.side(), b.side())
		return a.mean(&b), apart <= mostApart
	case p.above.seen:
		return a, p.above.isReliable()
	default:
		return b, p.below.isReliable()
	}
}
