package marker

import (
	"cmp"
	"fmt"
	"image"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/tag"
)

// A Paper is a drawing of markers.
type Paper struct {
	first  markerValue
	grid   cli.Grid
	gap    float64
	kalibr bool
	cell   int
}

func (p *Paper) Define(flags *cli.Set) {
	flags.Var(&p.first, "draw", "read no images, but draw the marker `FAMILY:ID` into a file")
	flags.Var(&p.grid, "sheet", "with -draw: draw `CxR` markers, in C columns and R rows")
	flags.FloatIn(&p.gap, "gap", 0, cli.From(0, 1e6), "with -sheet: markers are `MM` apart; 0: as near as can be")
	flags.BoolVar(&p.kalibr, "kalibr", false, "with -sheet: draw a board of Kalibr, with squares")
	flags.IntIn(&p.cell, "cell", 20, cli.From(1, 1000), "with -draw: in a .png file, cells have `N` pixels")
}

// Wanted reports whether there is something to draw.
func (p *Paper) Wanted() bool { return p.first.kind != 0 }

// Check returns an error that names the first flag that makes no sense.
func (p *Paper) Check(flags *cli.Set, names []string) error {
	if !p.Wanted() {
		for _, name := range []string{"sheet", "gap", "kalibr", "cell"} {
			if flags.IsGiven(name) {
				return fmt.Errorf("flag -%s needs flag -draw", name)
			}
		}
		return nil
	}
	for _, name := range []string{"gap", "kalibr"} {
		if flags.IsGiven(name) && p.grid.Columns == 0 {
			return fmt.Errorf("flag -%s needs flag -sheet", name)
		}
	}
	for _, name := range []string{"family", "contrast", "correct", "samples", "camera", "roi", "jobs", "workers", "format", "no-picture", "stretch", "encode"} {
		if flags.IsGiven(name) {
			return fmt.Errorf("flag -%s is for images, and -draw reads none", name)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("%s: flag -draw reads no images", report.Printable(names[0]))
	}
	return nil
}

// A Drawing is what is drawn.
type Drawing struct {
	paper *Paper
	sheet tag.Sheet
}

// Drawing returns what is drawn, after Check. Flags of m tell how markers look.
func (p *Paper) Drawing(m *Method, flags *cli.Set) (*Drawing, error) {
	side := 100.0
	if flags.IsGiven("size") {
		side = m.side
	}
	s := tag.Sheet{Family: m.Look(), First: p.first.id, Columns: max(1, p.grid.Columns), Rows: max(1, p.grid.Rows), Side: side, Gap: p.gap}
	if p.kalibr {
		const spacing = 0.3 // that of the boards of Kalibr's documentation
		board := tag.NewAprilGrid(s.Columns, s.Rows, side, cmp.Or(p.gap, spacing*side))
		board.Family.Inverted, board.First = m.Look().Inverted, s.First
		s = board
	}
	s.Family.Kind = p.first.kind
	return &Drawing{p, s}, s.Check()
}

// Name returns the name of the file without an extension.
func (d *Drawing) Name() string {
	p := d.paper
	name := fmt.Sprintf("%v-%d", p.first.kind, p.first.id)
	if p.grid.Columns > 0 {
		name += "-" + p.grid.String()
	}
	return name
}

// SVG returns the file in millimeters.
func (d *Drawing) SVG() []byte { return d.sheet.SVG() }

// Draw returns the picture.
func (d *Drawing) Draw() *image.Gray { return d.sheet.Draw(d.paper.cell) }

// Size returns about the size of the picture.
func (d *Drawing) Size() image.Point { return d.sheet.Draw(1).Rect.Size().Mul(d.paper.cell) }
