package calibrate

import (
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// A Board is a chessboard that was found in an image, or a part of one.
type Board struct {
	// Columns and Rows are the numbers of inner corners in a row and in a column. There are at
	// least as many columns as rows.
	Columns, Rows int
	// Count is the number of corners that were found.
	Count int
	// Corners are the places of the inner corners in pixels, row by row, and NaN, NaN for those
	// that were not found. Columns are clockwise of rows, as seen: a board is turned, but never
	// mirrored.
	Corners []geometry.Point
	// Deviations are the standard deviations of the coordinates of each corner, in pixels, as the
	// differences between the image and the fitted edges explain them: more in noise and blur, and
	// much more where something else was fitted. Those of corners whose fit failed are shares of a
	// square, and those that were not found are NaN. nil, in a Board made by hand, means that all are
	// alike.
	Deviations []float64
}

// Complete reports whether all corners were found.
func (b *Board) Complete() bool { return b.Count == b.Columns*b.Rows }

// At returns the corner in a column and a row, which count from 0. It panics if there is none.
func (b *Board) At(column, row int) geometry.Point {
	if column < 0 || row < 0 || column >= b.Columns || row >= b.Rows {
		panic(fmt.Sprintf("calibrate: corner %d, %d of a board of %d by %d", column, row, b.Columns, b.Rows))
	}
	return b.Corners[row*b.Columns+column]
}

// View returns the corners that were found as a View of a board whose squares have sides of the
// given length, in any unit: the first corner is at 0, 0, 0, and x grows along the rows. Corners weigh
// by their Deviations: of photos of which half are blurred, cameras are several times as exact. View
// panics unless the length is positive and finite.
func (b *Board) View(square float64) View {
	if !(square > 0 && square <= math.MaxFloat64) {
		panic(fmt.Sprintf("calibrate: squares of %v", square))
	}
	v := View{World: make([]pose.Vector, 0, b.Count), Image: make([]geometry.Point, 0, b.Count)}
	for k, p := range b.Corners {
		if !math.IsNaN(p.X) {
			v.World = append(v.World, pose.Vector{float64(k%b.Columns) * square, float64(k/b.Columns) * square, 0})
			v.Image = append(v.Image, p)
			if b.Deviations != nil {
				v.Deviations = append(v.Deviations, b.Deviations[k])
			}
		}
	}
	return v
}

// board returns the Board of a grid in an image whose upper left pixel has the given coordinates.
func (j *job) board(g grid, origin image.Point) Board {
	j.open(g)
	j.refine()
	low, high := j.lattice.bounds()
	best := j.turn(low, high)
	b := Board{Columns: best.columns, Rows: best.rows, Count: g.n, Corners: make([]geometry.Point, best.columns*best.rows)}
	b.Deviations = make([]float64, len(b.Corners))
	for i := range b.Corners {
		b.Corners[i] = geometry.Point{X: math.NaN(), Y: math.NaN()}
		b.Deviations[i] = math.NaN()
	}
	for i, c := range j.lattice.corners {
		column, row := best.at(c.cell)
		p := j.refinements[i].places[1]
		b.Deviations[row*b.Columns+column] = j.refinements[i].deviation
		b.Corners[row*b.Columns+column] = geometry.Point{X: p.x + float64(origin.X), Y: p.y + float64(origin.Y)}
	}
	return b
}

// A turned says how the cells of a lattice are counted in a board.
type turned struct {
	columns, rows int
	first         cell // of the board
	right, down   cell // the steps
}

// at returns the column and the row of a cell.
func (t *turned) at(c cell) (column, row int) {
	d := c.plus(t.first.back())
	return int(d.column*t.right.column + d.row*t.right.row), int(d.column*t.down.column + d.row*t.down.row)
}

// turn returns the way in which the lattice's cells between two are counted: with at least as many
// columns as rows, with a dark square before the first corner if that can be, and then with columns
// most to the right and rows most down.
func (j *job) turn(low, high cell) turned {
	l := &j.lattice
	var best turned
	bestDark, bestScore := false, math.Inf(-1)
	// Each one begins with the first corner of the last row of the one before.
	firsts := [4]cell{low, {low.column, high.row}, high, {high.column, low.row}}
	for k, first := range firsts {
		t := turned{first: first, right: steps[(4-k)%4], down: steps[(5-k)%4]}
		t.columns, t.rows = int(high.column-low.column)+1, int(high.row-low.row)+1
		if k%2 == 1 {
			t.columns, t.rows = t.rows, t.columns
		}
		if t.columns < t.rows {
			continue
		}
		// The square before the first corner lies between the ways back.
		dark := !l.lightAfter(first, (6-k)%4)
		score := j.uprightness(&t)
		if best.columns == 0 || dark && !bestDark || dark == bestDark && score > bestScore {
			best, bestDark, bestScore = t, dark, score
		}
	}
	return best
}

// uprightness returns how much the columns go to the right and the rows down, up to 2.
func (j *job) uprightness(t *turned) float64 {
	var columns, rows vector
	for i, c := range j.lattice.corners {
		column, row := t.at(c.cell)
		p := j.refinements[i].places[1]
		columns = columns.plus(p.times(float64(2*column - t.columns + 1)))
		rows = rows.plus(p.times(float64(2*row - t.rows + 1)))
	}
	return columns.unit().x + rows.unit().y
}
