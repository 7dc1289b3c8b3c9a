package calibration

import (
	"cmp"
	"fmt"
	"image"
	"strings"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/tag"
)

// A Paper is a drawing of a board.
type Paper interface {
	Name() string      // of the file, without an extension
	SVG() []byte       // the file in millimeters
	Draw() *image.Gray // the picture
	Size() image.Point // about that of the picture, at least
}

// paperFlags are the flags of drawings.
type paperFlags struct {
	grid drawnGrid
	cell int
}

// A drawnGrid is the flag for the size of a board.
type drawnGrid struct {
	cli.Grid
	charuco bool // with markers, and the numbers are those of squares
}

// charucoPrefix begins the size of a ChArUco board.
const charucoPrefix = "charuco:"

func (g *drawnGrid) Set(text string) error {
	text, g.charuco = strings.CutPrefix(text, charucoPrefix)
	return g.Grid.Set(text)
}

func (p *paperFlags) define(flags *cli.Set) {
	flags.Var(&p.grid, "draw", "draw a chessboard with `CxR` inner corners, or charuco:CxR squares")
	flags.IntIn(&p.cell, "cell", 0, cli.From(0, 1000), "with -draw, in a .png file: squares (100) or cells (20) have `N` pixels")
}

// Paper returns what is to be drawn, or nil. The error names the first flag that makes no sense.
func (f *Flags) Paper(flags *cli.Set, names []string) (Paper, error) {
	p := &f.paper
	if p.grid.Columns == 0 {
		if flags.IsGiven("cell") {
			return nil, fmt.Errorf("flag -cell needs flag -draw")
		}
		return nil, nil
	}
	for _, name := range []string{
		"board", "aprilgrid", "charuco", "size", "gap", "model", "distortion", "fix", "start", "huber", "bend", "ros", "uncertain", "views",
		"jobs", "workers", "format", "no-picture", "stretch",
	} {
		if flags.IsGiven(name) {
			return nil, fmt.Errorf("flag -%s is for images, and -draw reads none", name)
		}
	}
	if len(names) > 0 {
		return nil, fmt.Errorf("%s: flag -draw reads no images", report.Printable(names[0]))
	}
	square := 25. // millimeters
	if flags.IsGiven("square") {
		square = f.square
	}
	if p.grid.charuco {
		board, err := f.charucoOf(p.grid.Grid, "draw", square)
		return charucoPaper{board, cmp.Or(p.cell, 20)}, err
	}
	if err := chessboards.check(flags); err != nil {
		return nil, err
	}
	board := calibrate.Chessboard{Columns: p.grid.Columns, Rows: p.grid.Rows}
	return chessPaper{board, square, cmp.Or(p.cell, 100)}, board.Check()
}

// chessPaper is a drawing of a chessboard.
type chessPaper struct {
	board  calibrate.Chessboard
	square float64
	cell   int
}

func (p chessPaper) Name() string {
	return fmt.Sprintf("chessboard-%dx%d", p.board.Columns, p.board.Rows)
}

func (p chessPaper) SVG() []byte { return p.board.SVG(p.square) }

func (p chessPaper) Draw() *image.Gray { return p.board.Draw(p.cell) }

func (p chessPaper) Size() image.Point {
	return image.Pt(p.board.Columns+2, p.board.Rows+2).Mul(p.cell) // which it may exceed by 1
}

// charucoPaper is a drawing of a ChArUco board.
type charucoPaper struct {
	board tag.Charuco
	cell  int
}

func (p charucoPaper) Name() string {
	return fmt.Sprintf("charuco-%dx%d", p.board.Columns, p.board.Rows)
}

func (p charucoPaper) SVG() []byte { return p.board.SVG() }

func (p charucoPaper) Draw() *image.Gray { return p.board.Draw(p.cell) }

func (p charucoPaper) Size() image.Point { return p.board.Draw(1).Rect.Size().Mul(p.cell) }
