package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// The formats of the report.
const (
	formatTable = "table"
	formatCSV   = "csv"
	formatJSON  = "json"
)

// A report writes results to standard output.
type report interface {
	add(res result) error
	close() error // writes what is left
}

func newReport(cfg config, w io.Writer) report {
	table, csv := cfg.method.titles()
	switch cfg.format {
	case formatCSV:
		return newCSVReport(w, csv)
	case formatJSON:
		return &jsonResults{jsonReport{w: w}, cfg.methodName, cfg.roi}
	}
	return &tableReport{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), titles: table}
}

// A tableReport has a line for each image. It is written at the end, when the
// widths of the columns are known.
type tableReport struct {
	w      *tabwriter.Writer
	titles []string
	lines  int
}

func (t *tableReport) add(res result) error {
	if t.lines == 0 {
		fmt.Fprintf(t.w, "IMAGE\tSIZE\t%s\tNS/PIXEL\n", strings.Join(t.titles, "\t"))
	}
	t.lines++
	_, err := fmt.Fprintf(t.w, "%s\t%dx%d\t%s\t%.3f\n", printable(res.name), res.size.X, res.size.Y,
		strings.Join(res.cells(), "\t"), res.nsPerPixel)
	return err
}

func (t *tableReport) close() error {
	return t.w.Flush()
}

// A csvReport has a line for each corner or keypoint.
type csvReport struct {
	w *csv.Writer
}

func newCSVReport(w io.Writer, titles []string) *csvReport {
	c := &csvReport{csv.NewWriter(w)}
	c.w.Write(append([]string{"image"}, titles...))
	return c
}

func (c *csvReport) add(res result) error {
	line := []string{res.name}
	res.records(func(cells ...string) {
		line = append(line[:1], cells...)
		c.w.Write(line)
	})
	return c.close()
}

func (c *csvReport) close() error {
	c.w.Flush()
	return c.w.Error()
}

// A jsonResults is a report in JSON, with an object for each image.
type jsonResults struct {
	jsonReport
	method string
	roi    roi
}

func (j *jsonResults) add(res result) error {
	return j.jsonReport.add(func(o *jsonObject) {
		o.add("image", res.name)
		o.add("width", res.size.X)
		o.add("height", res.size.Y)
		if !j.roi.Empty() {
			o.object("roi", j.roi.fill)
		}
		if res.picture != "" {
			o.add("picture", res.picture)
		}
		o.add("method", j.method)
		res.fill(o)
	})
}
