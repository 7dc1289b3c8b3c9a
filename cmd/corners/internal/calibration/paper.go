package calibration

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
)

// A Paper is a drawing of a chessboard.
type Paper struct {
	board  cli.Grid
	square float64
	cell   int
}

func (p *Paper) define(flags *cli.Set) {
	flags.Var(&p.board, "draw", "read no images, but draw a chessboard with `CxR` inner corners")
	flags.IntIn(&p.cell, "cell", 100, cli.From(1, 1000), "with -draw: in a .png file, squares have `N` pixels")
}

// Paper returns what is to be drawn, or nil. The error names the first flag that makes no sense.
func (f *Flags) Paper(flags *cli.Set, names []string) (*Paper, error) {
	p := &f.paper
	if p.board.Columns == 0 {
		if flags.IsGiven("cell") {
			return nil, fmt.Errorf("flag -cell needs flag -draw")
		}
		return nil, nil
	}
	for _, name := range []string{
		"board", "aprilgrid", "size", "gap", "model", "distortion", "fix", "start", "huber", "bend", "ros", "uncertain", "views",
		"jobs", "workers", "format", "no-picture", "stretch",
	} {
		if flags.IsGiven(name) {
			return nil, fmt.Errorf("flag -%s is for images, and -draw reads none", name)
		}
	}
	if len(names) > 0 {
		return nil, fmt.Errorf("%s: flag -draw reads no images", report.Printable(names[0]))
	}
	p.square = 25 // millimeters
	if flags.IsGiven("square") {
		p.square = f.square
	}
	return p, p.chessboard().Check()
}

func (p *Paper) chessboard() calibrate.Chessboard {
	return calibrate.Chessboard{Columns: p.board.Columns, Rows: p.board.Rows}
}

// Name returns the name of the file without an extension.
func (p *Paper) Name() string { return "chessboard-" + p.board.String() }

// SVG returns the file in millimeters.
func (p *Paper) SVG() []byte { return p.chessboard().SVG(p.square) }

// Draw returns the picture.
func (p *Paper) Draw() *image.Gray { return p.chessboard().Draw(p.cell) }

// Size returns the size of the picture, which it may exceed by 1.
func (p *Paper) Size() image.Point { return image.Pt(p.board.Columns+2, p.board.Rows+2).Mul(p.cell) }
