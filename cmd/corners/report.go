package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/fastcorners/fast"
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

func newReport(format string, w io.Writer) report {
	switch format {
	case formatCSV:
		return newCSVReport(w)
	case formatJSON:
		return &jsonReport{w: w}
	}
	return newTableReport(w)
}

// A tableReport has a line for each image. It is written at the end, when the
// widths of the columns are known.
type tableReport struct {
	w     *tabwriter.Writer
	lines int
}

func newTableReport(w io.Writer) *tableReport {
	return &tableReport{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
}

func (t *tableReport) add(res result) error {
	if t.lines == 0 {
		fmt.Fprintln(t.w, "IMAGE\tSIZE\tKERNEL\tTHRESHOLD\tCORNERS\tNS/PIXEL")
	}
	t.lines++
	_, err := fmt.Fprintf(t.w, "%s\t%dx%d\t%v\t%d\t%d\t%.3f\n", res.name, res.size.X, res.size.Y,
		res.opts.Kernel, res.opts.Threshold, len(res.corners), res.nsPerPixel)
	return err
}

func (t *tableReport) close() error {
	return t.w.Flush()
}

// A csvReport has a line for each corner.
type csvReport struct {
	w *csv.Writer
}

func newCSVReport(w io.Writer) *csvReport {
	c := &csvReport{csv.NewWriter(w)}
	c.w.Write([]string{"image", "x", "y", "score"})
	return c
}

func (c *csvReport) add(res result) error {
	for _, corner := range res.corners {
		x, y, score := strconv.Itoa(int(corner.X)), strconv.Itoa(int(corner.Y)), strconv.Itoa(int(corner.Score))
		c.w.Write([]string{res.name, x, y, score})
	}
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

type jsonImage struct {
	Image     string       `json:"image"`
	Width     int          `json:"width"`
	Height    int          `json:"height"`
	Kernel    fast.Kernel  `json:"kernel"`
	Threshold uint8        `json:"threshold"`
	Arc       int          `json:"arc"`
	Nonmax    bool         `json:"nonmax"`
	Picture   string       `json:"picture,omitempty"`
	Corners   []jsonCorner `json:"corners"`
}

type jsonCorner struct {
	X     int32 `json:"x"`
	Y     int32 `json:"y"`
	Score uint8 `json:"score"`
}

func (j *jsonReport) add(res result) error {
	item := jsonImage{
		Image:     res.name,
		Width:     res.size.X,
		Height:    res.size.Y,
		Kernel:    res.opts.Kernel,
		Threshold: res.opts.Threshold,
		Arc:       res.opts.ArcLength,
		Nonmax:    res.opts.NonmaxSuppression,
		Picture:   res.picture,
		Corners:   make([]jsonCorner, len(res.corners)),
	}
	for i, c := range res.corners {
		item.Corners[i] = jsonCorner(c)
	}
	text, err := json.Marshal(item)
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
