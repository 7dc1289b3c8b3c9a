package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A report writes results to standard output.
type report interface {
	add(res result) error
	close() error // writes what is left
}

// newReport returns a report for w. What is long ends early when the context is done.
func newReport(ctx context.Context, cfg config, w io.Writer) report {
	switch cfg.format {
	case formatCSV:
		return newCSVReport(ctx, w, cfg.columns)
	case formatJSON:
		return &jsonResults{jsonReport{ctx: ctx, w: w}, cfg}
	}
	titles := cfg.titles
	if !cfg.untimed {
		titles = append(slices.Clone(titles), "NS/PIXEL")
	}
	return &tableReport{w: newTable(w), titles: titles}
}

// A tableReport has a line or more for each image. It is written at the end, when the
// widths of the columns are known.
type tableReport struct {
	w      *table
	titles []string
	lines  int
}

func (t *tableReport) add(res result) error {
	if t.lines == 0 {
		fmt.Fprintf(t.w, "IMAGE\tSIZE\t%s\n", strings.Join(t.titles, "\t"))
	}
	t.lines++
	for _, cells := range res.rows {
		fmt.Fprintf(t.w, "%s\t%dx%d\t%s\n", printable(res.name), res.size.X, res.size.Y, strings.Join(texts(cells), "\t"))
	}
	return nil
}

func (t *tableReport) close() error {
	return t.w.Flush()
}

// A csvReport has a line for each corner or keypoint.
type csvReport struct {
	ctx context.Context // ends lists early
	w   csvWriter
}

func newCSVReport(ctx context.Context, w io.Writer, columns []string) *csvReport {
	c := &csvReport{ctx, newCSV(w)}
	c.w.add(append([]string{"image"}, columns...)...)
	return c
}

func (c *csvReport) add(res result) error {
	for i := range res.count {
		err := c.w.add(append([]string{res.name}, texts(res.record(i))...)...)
		if err = cmp.Or(c.ctx.Err(), err); err != nil {
			c.w.flush()
			return err
		}
	}
	return c.close()
}

func (c *csvReport) close() error {
	return c.w.flush()
}

// texts returns values as package fmt prints them: numbers with as many digits as tell them
// from others.
func texts(values []any) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = fmt.Sprint(v)
	}
	return list
}

// A jsonResults is a report in JSON, with an object for each image.
type jsonResults struct {
	jsonReport
	cfg config
}

func (j *jsonResults) add(res result) error {
	return j.jsonReport.add(func(o *jsonObject) {
		o.add("image", res.name)
		o.add("width", res.size.X)
		o.add("height", res.size.Y)
		if !j.cfg.roi.Empty() {
			o.object("roi", j.cfg.roi.fill)
		}
		if res.picture != "" {
			o.add("picture", res.picture)
		}
		o.add(j.cfg.subject, j.cfg.name)
		o.addFlags(j.cfg.flags, j.cfg.members)
		o.list(j.cfg.things, res.count, func(i int, o *jsonObject) {
			for column, v := range res.record(i) {
				o.add(j.cfg.columns[column], v)
			}
		})
	})
}
