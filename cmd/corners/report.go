package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// A resultsReport writes results to standard output.
type resultsReport interface {
	add(res result) error
	close() error // writes what is left
}

// newReport returns a report for w. What is long ends early when the context is done.
func newReport(ctx context.Context, cfg config, w io.Writer) resultsReport {
	switch cfg.format {
	case report.FormatCSV:
		return newCSVReport(ctx, w, cfg.columns)
	case report.FormatJSON:
		return &jsonReport{report.NewList(ctx, w), cfg}
	}
	titles := cfg.titles
	if !cfg.untimed {
		titles = append(slices.Clone(titles), "NS/PIXEL")
	}
	return &tableReport{w: report.NewTable(w), titles: titles}
}

// A tableReport has a line or more for each image. It is written at the end, when the
// widths of the columns are known.
type tableReport struct {
	w      *report.Table
	titles []string
	lines  int
}

func (t *tableReport) add(res result) error {
	if t.lines == 0 {
		fmt.Fprintf(t.w, "IMAGE\tSIZE\t%s\n", strings.Join(t.titles, "\t"))
	}
	t.lines++
	for _, cells := range res.rows {
		fmt.Fprintf(t.w, "%s\t%dx%d\t%s\n", report.Printable(res.name), res.size.X, res.size.Y, strings.Join(report.Texts(cells), "\t"))
	}
	return nil
}

func (t *tableReport) close() error {
	return t.w.Flush()
}

// A csvReport has a line for each corner or keypoint.
type csvReport struct {
	ctx context.Context // ends lists early
	w   report.CSV
}

func newCSVReport(ctx context.Context, w io.Writer, columns []string) *csvReport {
	c := &csvReport{ctx, report.NewCSV(w)}
	c.w.Add(append([]string{"image"}, columns...)...)
	return c
}

func (c *csvReport) add(res result) error {
	for i := range res.count {
		err := c.w.Add(append([]string{res.name}, report.Texts(res.record(i))...)...)
		if err = cmp.Or(c.ctx.Err(), err); err != nil {
			c.w.Flush()
			return err
		}
	}
	return c.close()
}

func (c *csvReport) close() error {
	return c.w.Flush()
}

// A jsonReport is a report in JSON, with an object for each image.
type jsonReport struct {
	list *report.List
	cfg  config
}

func (j *jsonReport) add(res result) error {
	return j.list.Add(func(o *report.Object) {
		o.Add("image", res.name)
		o.Add("width", res.size.X)
		o.Add("height", res.size.Y)
		if !j.cfg.roi.Empty() {
			o.Object("roi", j.cfg.roi.fill)
		}
		if res.picture != "" {
			o.Add("picture", res.picture)
		}
		o.Add(j.cfg.subject, j.cfg.name)
		o.AddFlags(j.cfg.flags, j.cfg.members)
		o.List(j.cfg.things, res.count, func(i int, o *report.Object) {
			for column, v := range res.record(i) {
				o.Add(j.cfg.columns[column], v)
			}
		})
	})
}

func (j *jsonReport) close() error { return j.list.Close() }
