package calibrate

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/internal/test/prints"
	"github.com/stretchr/testify/require"
)

// A chessboard is one in a scene, in perspective.
type chessboard struct {
	columns, rows int
	pattern       prints.Pattern
	transform     geometry.Transform // from the pattern to pixels
}

// newChessboard returns a board around a center, turned by an angle, whose squares have sides of
// about the given number of pixels, and that leans by a share of its size.
func newChessboard(columns, rows int, center geometry.Point, square, angle, leanX, leanY float64) chessboard {
	p := prints.Chessboard(columns, rows)
	return chessboard{columns, rows, p, placed(&p, columns+1, rows+1, center, square, angle, leanX, leanY)}
}

// placed returns the transform from a pattern to pixels of which the given numbers of columns and rows of cells are
// around a center, turned by an angle, with sides of about the given number of pixels, and lean by a share of
// the pattern's size.
func placed(p *prints.Pattern, columns, rows int, center geometry.Point, side, angle, leanX, leanY float64) geometry.Transform {
	sin, cos := math.Sincos(angle)
	// The middle of the cells is not that of the pattern if they are not a square.
	middle := p.Corner(columns, rows)
	mx, my := (middle.X-1)/2, (middle.Y-1)/2
	half := side * float64(p.Cells) / 2
	a, b, c, d := half*cos, -half*sin, half*sin, half*cos
	x, y := center.X-a*mx-b*my, center.Y-c*mx-d*my
	return geometry.Transform{
		a + x*leanX, b + x*leanY, x,
		c + y*leanX, d + y*leanY, y,
		leanX, leanY, 1,
	}
}

// corner returns the place of an inner corner.
func (c *chessboard) corner(column, row int) geometry.Point {
	return c.transform.Apply(c.pattern.Corner(column+1, row+1))
}

// scene renders boards.
func scene(w, h int, blur, noise float64, ink prints.Ink, seed uint64, boards ...chessboard) *image.Gray {
	s := prints.NewScene(w, h, 110)
	for _, b := range boards {
		s.Place(b.pattern, b.transform, ink, nil, 2)
	}
	return s.Pixels(blur).Gray(noise, rand.New(rand.NewPCG(seed, 1)))
}

var ink = prints.Ink{Black: 30, White: 210}

// turnedCorner returns which corner of a board the one in a column and a row is after quarter
// turns.
func (c *chessboard) turnedCorner(turn, column, row int) (i, j int) {
	return [4]int{column, row, c.columns - 1 - column, c.columns - 1 - row}[turn],
		[4]int{row, c.rows - 1 - column, c.rows - 1 - row, column}[turn]
}

// requireBoard fails the test unless a board is complete, all its corners are within a distance of
// where they should be, counted from one of the ends, and the square before the first one is dark
// if there is such an end.
func requireBoard(t testing.TB, want *chessboard, got *Board, distance float64) {
	t.Helper()
	require.Equal(t, [3]int{max(want.columns, want.rows), min(want.columns, want.rows), want.columns * want.rows},
		[3]int{got.Columns, got.Rows, got.Count})
	require.True(t, got.Complete())
	dark := [4]bool{true, want.rows%2 == 0, (want.columns+want.rows)%2 == 0, want.columns%2 == 0}
	anyDark, found := false, -1
	for turn := range 4 {
		if want.columns != want.rows && (turn%2 == 1) != (want.columns < want.rows) {
			continue
		}
		anyDark = anyDark || dark[turn]
		worst := 0.0
		for row := range got.Rows {
			for column := range got.Columns {
				worst = max(worst, distanceOf(want.corner(want.turnedCorner(turn, column, row)), got.At(column, row)))
			}
		}
		if worst < distance {
			found = turn
		}
	}
	require.NotEqual(t, -1, found, "%d by %d: corners are not within %v of where they are", want.columns, want.rows, distance)
	require.True(t, dark[found] || !anyDark)
}

func distanceOf(a, b geometry.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// skipUnderRace skips a test that takes long, and of which nothing is concurrent.
func skipUnderRace(t *testing.T) {
	t.Helper()
	if imagetest.RaceEnabled() {
		t.Skip("it takes long, and has one goroutine")
	}
}
