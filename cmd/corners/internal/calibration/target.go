package calibration

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/tag"
)

// A Target is a flat thing with points in places that are known, such as a chessboard.
type Target interface {
	// Find returns what an image shows of the target. The error says why there is nothing to be used.
	Find(img *image.Gray) (Seen, error)
	// Memory returns the number of bytes per pixel that Find takes at most.
	Memory() int64
}

// Seen is what an image shows of a target.
type Seen struct {
	Columns, Rows  int // of all its points, whether they are seen or not
	calibrate.View     // has no points if it is not seen
}

// targetFlags are the flags of targets.
type targetFlags struct {
	board     cli.Grid
	square    float64
	april     cli.Grid
	size, gap float64
}

func (f *targetFlags) define(flags *cli.Set) {
	flags.Var(&f.board, "board", "find complete chessboards with `CxR` inner corners; by default any with 20 or more")
	flags.FloatIn(&f.square, "square", 1, cli.Above(0, 1e6), "sides of squares are `S` long; with -draw: mm, default 25")
	flags.Var(&f.april, "aprilgrid", "find a board of Kalibr with `CxR` markers, not a chessboard")
	flags.FloatIn(&f.size, "size", 1, cli.Above(0, 1e6), "with -aprilgrid: sides of markers are `S` long")
	flags.FloatIn(&f.gap, "gap", 0, cli.From(0, 1e6), "with -aprilgrid: markers are `S` apart; 0: 0.3 times -size")
}

// Target returns the target that the images show. The error is that of a flag. A further kind of target
// is to be another case here, with a flag, and a type that implements Target.
func (f *targetFlags) Target(flags *cli.Set, workers int) (Target, error) {
	if f.april.Columns > 0 {
		for _, name := range []string{"board", "square"} {
			if flags.IsGiven(name) {
				return nil, fmt.Errorf("flag -%s is for chessboards, and -aprilgrid for another board", name)
			}
		}
		return newAprilGrid(f.april, f.size, f.gap, workers)
	}
	for _, name := range []string{"size", "gap"} {
		if flags.IsGiven(name) {
			return nil, fmt.Errorf("flag -%s needs flag -aprilgrid", name)
		}
	}
	finder, err := calibrate.NewFinder(calibrate.FinderOptions{Columns: f.board.Columns, Rows: f.board.Rows, Workers: workers})
	return &chessboard{finder, f.square}, err
}

// A chessboard is one of any size, or of that of its finder.
type chessboard struct {
	finder *calibrate.Finder
	square float64
}

func (c *chessboard) Find(img *image.Gray) (Seen, error) {
	b, err := c.finder.FindOne(img)
	if err != nil {
		return Seen{}, withoutPackage(err)
	}
	return Seen{b.Columns, b.Rows, b.View(c.square)}, nil
}

func (c *chessboard) Memory() int64 { return boardBytes }

// What targets take at most for each pixel.
const (
	boardBytes = 12 // responses, and the smaller levels with theirs
	aprilBytes = 56 // as corners tag
)

// withoutPackage returns an error without the name of the package.
func withoutPackage(err error) error {
	_, text, _ := strings.Cut(err.Error(), ": ")
	return errors.New(text)
}

// An aprilGrid is a board of Kalibr.
type aprilGrid struct {
	sheet    tag.Sheet
	detector *tag.Detector
}

// spacing is the gap between markers, as a share of their sides, on the boards of Kalibr's documentation.
const spacing = 0.3

func newAprilGrid(g cli.Grid, size, gap float64, workers int) (*aprilGrid, error) {
	if gap == 0 {
		gap = spacing * size
	}
	sheet := tag.NewAprilGrid(g.Columns, g.Rows, size, gap)
	if n := sheet.Family.Len(); g.Columns > n/g.Rows {
		return nil, fmt.Errorf("invalid value %v for flag -aprilgrid: want up to %d markers", &g, n)
	}
	if err := sheet.Check(); err != nil {
		return nil, err
	}
	detector, err := tag.New(tag.Options{Families: []tag.Family{sheet.Family}, Workers: workers})
	return &aprilGrid{sheet, detector}, err
}

// leastMarkers is how many markers a view has at least, unless the board has fewer.
const leastMarkers = 4

func (a *aprilGrid) Find(img *image.Gray) (Seen, error) {
	tags := a.detector.Detect(img)
	world, points, _ := a.sheet.Points(tags)
	all := a.sheet.Columns * a.sheet.Rows
	hidden := slices.ContainsFunc(tags, func(t tag.Tag) bool { return t.Hidden })
	switch n := len(points) / 4; {
	case n == 0 && hidden:
		return Seen{}, errors.New("markers are covered, or bent by the lens")
	case n == 0:
		return Seen{}, errors.New("no marker of the board")
	case n < min(leastMarkers, all):
		return Seen{}, fmt.Errorf("too few markers: %d of %d", n, all)
	}
	return Seen{2 * a.sheet.Columns, 2 * a.sheet.Rows, calibrate.View{World: world, Image: points}}, nil
}

func (a *aprilGrid) Memory() int64 { return aprilBytes }
