package main

import (
	"encoding/csv"
	"encoding/json"
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

func newReport(format string, w io.Writer, m method) report {
	table, csv := m.titles()
	switch format {
	case formatCSV:
		return newCSVReport(w, csv)
	case formatJSON:
		return &jsonReport{w: w}
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
	_, err := fmt.Fprintf(t.w, "%s\t%dx%d\t%s\t%.3f\n", res.name, res.size.X, res.size.Y,
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

// A jsonReport is one array with an object for each image.
type jsonReport struct {
	w     io.Writer
	items int
}

func (j *jsonReport) add(res result) error {
	text, err := json.Marshal(res.object(res))
	if err != nil {
		return err
	}
	separator := ",\n"
	if j.items == 0 {
		separator = "[\n"
	}
	j.items++
	_, err = fmt.Fprintf(j.w, "%s%s", separator, text)
	return err
}

func (j *jsonReport) close() error {
	end := "\n]\n"
	if j.items == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(j.w, end)
	return err
}
