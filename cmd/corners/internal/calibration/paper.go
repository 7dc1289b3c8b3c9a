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
type Paper struct {
	grid    drawnGrid
	cell    int
	square  float64
	charuco tag.Charuco // if it is one
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

func (p *Paper) define(flags *cli.Set) {
	flags.Var(&p.grid, "draw", "draw a chessboard with `CxR` inner corners, or charuco:CxR squares")
	flags.IntIn(&p.cell, "cell", 0, cli.From(0, 1000), "with -draw, in a .png file: squares (100) or cells (20) have `N` pixels")
}

// Paper returns what is to be drawn, or nil. The error names the first flag that makes no sense.
func (f *Flags) Paper(flags *cli.Set, names []string) (*Paper, error) {
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
	p.square = 25 // millimeters
	if flags.IsGiven("square") {
		p.square = f.square
	}
	if p.grid.charuco {
		p.cell = cmp.Or(p.cell, 20)
		var err error
		p.charuco, err = f.charucoOf(p.grid.Grid, "draw", p.square)
		return p, err
	}
	p.cell = cmp.Or(p.cell, 100)
	if err := chessboards.check(flags); err != nil {
		return nil, err
	}
	return p, p.chessboard().Check()
}

func (p *Paper) chessboard() calibrate.Chessboard {
	return calibrate.Chessboard{Columns: p.grid.Columns, Rows: p.grid.Rows}
}

// Name returns the name of the file without an extension.
func (p *Paper) Name() string {
	if p.grid.charuco {
		return "charuco-" + p.grid.String()
	}
	return "chessboard-" + p.grid.String()
}

// SVG returns the file in millimeters.
func (p *Paper) SVG() []byte {
	if p.grid.charuco {
		return p.charuco.SVG()
	}
	return p.chessboard().SVG(p.square)
}

// Draw returns the picture.
func (p *Paper) Draw() *image.Gray {
	if p.grid.charuco {
		return p.charuco.Draw(p.cell)
	}
	return p.chessboard().Draw(p.cell)
}

// Size returns about the size of the picture, at least that.
func (p *Paper) Size() image.Point {
	if p.grid.charuco {
		return p.charuco.Draw(1).Rect.Size().Mul(p.cell)
	}
	return image.Pt(p.grid.Columns+2, p.grid.Rows+2).Mul(p.cell)
}
