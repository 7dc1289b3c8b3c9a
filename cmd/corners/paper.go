package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/tag"
)

// A markerValue is the flag for a marker: its family and its ID.
type markerValue struct {
	kind tag.Kind // 0 if there is none
	id   int
}

func (v *markerValue) String() string {
	if v.kind == 0 {
		return ""
	}
	return fmt.Sprintf("%v:%d", v.kind, v.id)
}

func (v *markerValue) Set(text string) error {
	kind, id, given, err := parseMarker(text)
	if err != nil {
		return err
	}
	if last := (tag.Family{Kind: kind}).Len() - 1; !given || id < 0 || id > last {
		return fmt.Errorf("want %v, a colon, and an ID of 0 to %d", kind, last)
	}
	*v = markerValue{kind, id}
	return nil
}

// A gridValue is the flag for the columns and rows of a sheet.
type gridValue struct{ columns, rows int }

func (v *gridValue) String() string {
	if v.columns == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", v.columns, v.rows)
}

func (v *gridValue) Set(text string) error {
	columns, rows, _ := strings.Cut(text, "x")
	var err, err2 error
	v.columns, err = strconv.Atoi(columns)
	v.rows, err2 = strconv.Atoi(rows)
	if cmp.Or(err, err2) != nil || v.columns < 1 || v.rows < 1 {
		return errors.New("want numbers of columns and of rows, as 6x4")
	}
	return nil
}

// A paper is a drawing of markers.
type paper struct {
	first  markerValue
	grid   gridValue
	gap    float64
	kalibr bool
	cell   int
}

func (d *paper) define(flags *cli.Set) {
	flags.Var(&d.first, "draw", "read no images, but draw the marker `FAMILY:ID` into a file")
	flags.Var(&d.grid, "sheet", "with -draw: draw `CxR` markers, in C columns and R rows")
	flags.FloatIn(&d.gap, "gap", 0, cli.From(0, 1e6), "with -sheet: markers are `MM` apart; 0: as near as can be")
	flags.BoolVar(&d.kalibr, "kalibr", false, "with -sheet: draw a board of Kalibr, with squares")
	flags.IntIn(&d.cell, "cell", 20, cli.From(1, 1000), "with -draw: in a .png file, cells have `N` pixels")
}

// wanted reports whether there is something to draw.
func (d *paper) wanted() bool { return d.first.kind != 0 }

// check returns an error that names the first flag that makes no sense.
func (d *paper) check(flags *cli.Set, names []string) error {
	if !d.wanted() {
		for _, name := range []string{"sheet", "gap", "kalibr", "cell"} {
			if flags.IsGiven(name) {
				return fmt.Errorf("flag -%s needs flag -draw", name)
			}
		}
		return nil
	}
	for _, name := range []string{"gap", "kalibr"} {
		if flags.IsGiven(name) && d.grid.columns == 0 {
			return fmt.Errorf("flag -%s needs flag -sheet", name)
		}
	}
	for _, name := range []string{"family", "contrast", "correct", "samples", "camera", "roi", "jobs", "workers", "format", "no-picture", "stretch"} {
		if flags.IsGiven(name) {
			return fmt.Errorf("flag -%s is for images, and -draw reads none", name)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("%s: flag -draw reads no images", report.Printable(names[0]))
	}
	return nil
}

// sheet returns what is drawn.
func (d *paper) sheet(look tag.Family, side float64) (tag.Sheet, error) {
	s := tag.Sheet{Family: look, First: d.first.id, Columns: max(1, d.grid.columns), Rows: max(1, d.grid.rows), Side: side, Gap: d.gap}
	if d.kalibr {
		const spacing = 0.3 // that of the boards of Kalibr's documentation
		board := tag.NewAprilGrid(s.Columns, s.Rows, side, cmp.Or(d.gap, spacing*side))
		board.Family.Inverted, board.First = look.Inverted, s.First
		s = board
	}
	s.Family.Kind = d.first.kind
	return s, s.Check()
}

// name returns the name of the file without an extension.
func (d *paper) name() string {
	name := fmt.Sprintf("%v-%d", d.first.kind, d.first.id)
	if d.grid.columns > 0 {
		name += "-" + d.grid.String()
	}
	return name
}

// drawPaper draws markers into a file.
func drawPaper(p *program, out output, d *paper, s tag.Sheet) error {
	path := out.path
	extension := strings.ToLower(filepath.Ext(path))
	if files.IsDir(path) || extension != ".svg" && extension != ".png" {
		extension = ".svg"
		path = filepath.Join(path, d.name()+extension)
	}
	if err := p.drafts.MakeDir(filepath.Dir(path), "drawing"); err != nil {
		return err
	}
	if extension == ".svg" {
		if err := p.drafts.SaveSVG(p.life.Early, path, s.SVG(), out.force); err != nil {
			return err
		}
		return p.console.SayWritten(out.format, []string{path})
	}
	size := s.Draw(1).Rect.Size().Mul(d.cell)
	if err := p.reader.Check(size, cli.Memory(size, 2)); err != nil {
		return report.Named(path, err)
	}
	if err := p.drafts.Save(p.life.Early, path, s.Draw(d.cell), out.force); err != nil {
		return err
	}
	return p.console.SayWritten(out.format, []string{path})
}
