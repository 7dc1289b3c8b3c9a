package calibrate

import (
	"cmp"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// FinderOptions specify what a Finder finds. Zero fields have their default values.
type FinderOptions struct {
	// Columns and Rows are the numbers of inner corners of a board in its two directions, in any
	// order, 3 to 200. If they are set, a Finder finds only complete boards of that size. 0, both,
	// means boards of any size, of which a part may be hidden.
	Columns, Rows int
	// MinCorners is the least number of corners of a board if Columns and Rows are 0, at least 6. 0
	// means 20: few corners may be seen by chance, and in markers.
	MinCorners int
	// Threshold is the least response of a corner, 1 to 2000. A corner of an ideal board has 6 to 8
	// times the difference of white and black. 0 means 40.
	Threshold int
	// Levels is the number of sizes in which an image is searched, 1 to 5: the image itself, its
	// half, and so on, while the smaller side of the one before has at least 128 pixels. More find
	// larger blurred corners. 0 means 3.
	Levels int
	// MaxBoards is the largest number of boards that Find returns: those with the most corners. 0,
	// or a negative number, means no limit. It does not change what FindOne does.
	MaxBoards int
	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

// setDefaults replaces the fields that stand for other values by these.
func (o *FinderOptions) setDefaults() {
	o.MinCorners = cmp.Or(o.MinCorners, 20)
	o.Threshold = cmp.Or(o.Threshold, 40)
	o.Levels = cmp.Or(o.Levels, 3)
	o.MaxBoards = max(o.MaxBoards, 0)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range. All have their defaults.
func (o *FinderOptions) check() error {
	fields := option.Fields{Package: "calibrate", Type: "FinderOptions"}
	const sizes = "3 to 200, or 0 with the other one"
	wrong := func(n int) bool { return n != 0 && (n < 3 || n > 200) }
	switch {
	case wrong(o.Columns), o.Columns == 0 && o.Rows >= 3 && o.Rows <= 200:
		return fields.OutOfRange("Columns", o.Columns, sizes)
	case wrong(o.Rows), o.Rows == 0 && o.Columns != 0:
		return fields.OutOfRange("Rows", o.Rows, sizes)
	case o.MinCorners < 6:
		return fields.OutOfRange("MinCorners", o.MinCorners, "at least 6")
	case o.Threshold < 1 || o.Threshold > 2000:
		return fields.OutOfRange("Threshold", o.Threshold, "1 to 2000")
	case o.Levels < 1 || o.Levels > 5:
		return fields.OutOfRange("Levels", o.Levels, "1 to 5")
	}
	return nil
}
