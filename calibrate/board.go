package calibrate

import (
	"fmt"
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// A Board is a chessboard that was found in an image, or a part of one.
type Board struct {
	// Columns and Rows are the numbers of inner corners in a row and in a column. There are at least as
	// many columns as rows.
	Columns, Rows int
	// Count is the number of corners that were found.
	Count int
	// Corners are the places of the inner corners in pixels, row by row, and NaN, NaN for those that
	// were not found. Columns are clockwise of rows, as seen: a board is turned, but never mirrored.
	Corners []geometry.Point
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

// View returns the corners that were found as a View of a board whose squares have sides of the given
// length, in any unit: the first corner is at 0, 0, 0, and x grows along the rows. It panics unless the
// length is positive and finite.
func (b *Board) View(square float64) View {
	if !(square > 0 && square <= math.MaxFloat64) {
		panic(fmt.Sprintf("calibrate: squares of %v", square))
	}
	v := View{World: make([]pose.Vector, 0, b.Count), Image: make([]geometry.Point, 0, b.Count)}
	for k, p := range b.Corners {
		if !math.IsNaN(p.X) {
			v.World = append(v.World, pose.Vector{float64(k%b.Columns) * square, float64(k/b.Columns) * square, 0})
			v.Image = append(v.Image, p)
		}
	}
	return v
}
