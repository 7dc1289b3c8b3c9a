package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// Results are what is found in images, on its way to the report and the places of the pictures.
type results struct {
	console *report.Console
	drafts  *files.Drafts
	report  resultsReport
	force   bool     // overwrite any file
	drawn   []string // the pictures in their places
	broken  error    // standard output
}

// add reports what was found in an image, if nothing failed, and returns whether that is done.
func (r *results) add(o outcome) bool {
	if r.broken != nil || errors.Is(o.err, context.Canceled) {
		return false
	}
	if o.err == nil && o.res.picture != "" {
		if o.err = r.drafts.Publish(o.res.draft, o.res.picture, r.force); o.err == nil {
			r.drawn = append(r.drawn, o.res.picture)
		}
	}
	if o.err != nil {
		r.console.Fail(o.err)
		return true
	}
	for _, note := range o.res.notes {
		r.console.Note(o.res.name, "%s", note)
	}
	r.console.Pause(func() { r.broken = r.report.add(*o.res) })
	return r.broken == nil
}

// close writes what is left of the report, and tells of the pictures.
func (r *results) close(out output) error {
	if r.broken != nil {
		return r.broken
	}
	if err := r.report.close(); err != nil || len(r.drawn) == 0 {
		return err
	}
	return r.console.SayWritten(out.format, r.drawn)
}

// A resultsReport writes results to standard output.
type resultsReport interface {
	add(res result) error
	close() error // writes what is left
}

// newReport returns a report for w. What is long ends early when the context is done.
func newReport(ctx context.Context, cfg searchConfig, w io.Writer) resultsReport {
	switch cfg.format {
	case report.FormatCSV:
		return newCSVReport(ctx, w, cfg.Columns)
	case report.FormatJSON:
		return &jsonReport{report.NewList(ctx, w), cfg}
	}
	titles := cfg.Titles
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
	for _, cells := range res.Rows {
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
	for i := range res.Count {
		err := c.w.Add(append([]string{res.name}, report.Texts(res.Record(i))...)...)
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
	cfg  searchConfig
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
		o.Add(j.cfg.subject, j.cfg.Name)
		o.AddFlags(j.cfg.flags, j.cfg.Members)
		o.List(j.cfg.Things, res.Count, func(i int, o *report.Object) {
			for column, v := range res.Record(i) {
				o.Add(j.cfg.Columns[column], v)
			}
		})
	})
}

func (j *jsonReport) close() error { return j.list.Close() }
