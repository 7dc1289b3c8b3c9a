package calibration

import (
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/internal/option"
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
	charuco   cli.Grid
	marker    float64
	kind      tag.Kind
	legacy    bool
}

func (f *targetFlags) define(flags *cli.Set) {
	flags.Var(&f.board, "board", "find complete chessboards with `CxR` inner corners; by default any with 20 or more")
	flags.FloatIn(&f.square, "square", 1, cli.Above(0, 1e6), "sides of squares are `S` long; with -draw: mm, default 25")
	flags.Var(&f.april, "aprilgrid", "find a board of Kalibr with `CxR` markers, not a chessboard")
	flags.FloatIn(&f.size, "size", 1, cli.Above(0, 1e6), "with -aprilgrid: sides of markers are `S` long")
	flags.FloatIn(&f.gap, "gap", 0, cli.From(0, 1e6), "with -aprilgrid: markers are `S` apart; 0: 0.3 times -size")
	flags.Var(&f.charuco, "charuco", "find a ChArUco board with `CxR` squares, not a chessboard")
	flags.FloatIn(&f.marker, "marker", 0, cli.From(0, 1e6), "of ChArUco: sides of markers are `S` long; 0: 0.75 times -square")
	f.kind = tag.ArUco4x4
	flags.Named(&f.kind, f.kind.UnmarshalText, "family", "of ChArUco: markers are of `FAMILY`, as for corners tag")
	flags.BoolVar(&f.legacy, "legacy", false, "of ChArUco: squares are laid out as in OpenCV before 4.6")
}

// A kind of target, the flag that asks for it, which may be none, and the flags that are for others.
type targetKind struct {
	what, flag string
	others     []string
}

var (
	chessboards = targetKind{"chessboards", "", []string{"size", "gap", "marker", "family", "legacy"}}
	aprilGrids  = targetKind{"AprilGrids", "aprilgrid", []string{"board", "square", "charuco", "marker", "family", "legacy"}}
	charucos    = targetKind{"ChArUco boards", "charuco", []string{"board", "size", "gap"}}
)

// check returns an error if a flag is given that is for other targets.
func (k *targetKind) check(flags *cli.Set) error {
	for _, name := range k.others {
		if flags.IsGiven(name) {
			return fmt.Errorf("flag -%s is not for %s", name, k.what)
		}
	}
	return nil
}

// charucoOf returns the ChArUco board with so many squares of a size. The error is that of a flag, of which
// the given one has the number of squares.
func (f *targetFlags) charucoOf(g cli.Grid, flag string, square float64) (tag.Charuco, error) {
	marker := f.marker
	if marker == 0 {
		marker = 0.75 * square
	}
	b := tag.Charuco{Family: tag.Family{Kind: f.kind}, Columns: g.Columns, Rows: g.Rows, Square: square, Marker: marker, Legacy: f.legacy}
	err := b.Check()
	var wrong *option.Error
	switch {
	case !errors.As(err, &wrong):
	case wrong.Field == "Charuco.Marker":
		err = fmt.Errorf("invalid value %v for flag -marker: want less than -square, with room for a cell around it", marker)
	default:
		err = fmt.Errorf("invalid value %v for flag -%s: want 2x2 or more, with up to %d markers", &g, flag, b.Family.Len())
	}
	return b, err
}

// Target returns the target that the images show. The error is that of a flag.
func (f *targetFlags) Target(flags *cli.Set, workers int) (Target, error) {
	switch {
	case f.april.Columns > 0:
		if err := aprilGrids.check(flags); err != nil {
			return nil, err
		}
		return newAprilGrid(f.april, f.size, f.gap, workers)
	case f.charuco.Columns > 0:
		if err := charucos.check(flags); err != nil {
			return nil, err
		}
		board, err := f.charucoOf(f.charuco, "charuco", f.square)
		if err != nil {
			return nil, err
		}
		m, err := newMarkers(board.Family, workers)
		return &charuco{m, board}, err
	}
	if err := chessboards.check(flags); err != nil {
		return nil, err
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
	boardBytes  = 12 // responses, and the smaller levels with theirs
	markerBytes = 56 // as corners tag
)

// withoutPackage returns an error without the name of the package.
func withoutPackage(err error) error {
	_, text, _ := strings.Cut(err.Error(), ": ")
	return errors.New(text)
}

// markers find those of a board, and then its corners.
type markers struct {
	detector *tag.Detector
	finder   *calibrate.Finder
}

func newMarkers(family tag.Family, workers int) (m markers, err error) {
	if m.detector, err = tag.New(tag.Options{Families: []tag.Family{family}, Workers: workers}); err != nil {
		return m, err
	}
	m.finder, err = calibrate.NewFinder(calibrate.FinderOptions{Workers: workers})
	return m, err
}

func (m *markers) Memory() int64 { return markerBytes }

// leastPoints is how many points a view has at least: fewer say little, and may be wrong.
const leastPoints = 8

// seen returns what is seen of a board with columns by rows points, of which those that are found are
// given, or what has failed.
func seen(columns, rows int, v calibrate.View, err error) (Seen, error) {
	switch n := len(v.Image); {
	case err != nil:
		return Seen{}, withoutPackage(err)
	case n < min(leastPoints, columns*rows):
		return Seen{}, fmt.Errorf("too few corners: %d of %d", n, columns*rows)
	}
	return Seen{columns, rows, v}, nil
}

// An aprilGrid is a board of Kalibr.
type aprilGrid struct {
	markers
	sheet tag.Sheet
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
	m, err := newMarkers(sheet.Family, workers)
	return &aprilGrid{m, sheet}, err
}

func (a *aprilGrid) Find(img *image.Gray) (Seen, error) {
	var v calibrate.View
	var err error
	v.World, v.Image, _, err = a.finder.AprilGrid(img, a.sheet, a.detector.Detect(img))
	return seen(2*a.sheet.Columns, 2*a.sheet.Rows, v, err)
}

// A charuco is a ChArUco board.
type charuco struct {
	markers
	board tag.Charuco
}

func (c *charuco) Find(img *image.Gray) (Seen, error) {
	var v calibrate.View
	var err error
	v.World, v.Image, _, err = c.finder.Charuco(img, c.board, c.detector.Detect(img))
	if errors.Is(err, calibrate.ErrLayout) {
		err = errors.New("charuco: the squares are laid out the other way: see -legacy")
	}
	return seen(c.board.Columns-1, c.board.Rows-1, v, err)
}
