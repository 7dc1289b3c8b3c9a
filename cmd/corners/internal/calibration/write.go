package calibration

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// WriteTable writes the result as a table of the images, one of the camera, and what there is to say of
// it. title is that of the first column, and name returns how an image is called there.
func (r *Result) WriteTable(w io.Writer, title string, name func(*Image) string) error {
	table := report.NewTable(w)
	fmt.Fprintf(table, "%s\tSIZE\tBOARD\tCORNERS\tRMS\tINFLUENCE", title)
	if slices.ContainsFunc(r.Images, func(i Image) bool { return i.Note != "" }) {
		fmt.Fprint(table, "\tNOTE")
	}
	fmt.Fprintln(table)
	for i, row := range r.Rows() {
		img := &r.Images[i]
		fmt.Fprintf(table, "%s\t%dx%d\t%s\n", name(img), img.Size.X, img.Size.Y, strings.Join(row, "\t"))
	}
	if err := table.Flush(); err != nil || !r.Solved() {
		return err
	}
	table = report.NewTable(w)
	fmt.Fprintf(table, "\n%s\tVALUE\tDEVIATION\n", strings.ToUpper(r.Model))
	for _, f := range r.Fields() {
		deviation := "-"
		if f.Deviation > 0 {
			deviation = digits(f.Deviation)
		}
		fmt.Fprintf(table, "%s\t%.7g\t%s\n", f.Name, f.Value, deviation)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(r.Verdict(name), "\n"))
	return err
}

// WriteCSV writes the corners of the views. column is the name of the first column, in which name returns
// how an image is called.
func (r *Result) WriteCSV(ctx context.Context, w io.Writer, column string, name func(*Image) string) error {
	csv := report.NewCSV(w)
	csv.Add(column, "world_x", "world_y", "x", "y", "error_x", "error_y")
	for _, v := range r.Views {
		for k, e := range v.Errors {
			csv.Add(append([]string{name(v)}, report.Texts([]any{v.World[k][0], v.World[k][1], v.Image[k].X, v.Image[k].Y, e.X, e.Y})...)...)
		}
		if err := ctx.Err(); err != nil {
			csv.Flush()
			return err
		}
	}
	return csv.Flush()
}

// Fill adds what is known to an object in JSON.
func (r *Result) Fill(o *report.Object) {
	if r.Solved() {
		o.Add("width", r.Size.X)
		o.Add("height", r.Size.Y)
		o.Add("model", r.Model)
		fields := r.Fields()
		o.Object("camera", func(o *report.Object) {
			for _, f := range fields {
				o.Add(f.Name, f.Value)
			}
		})
		o.Object("deviations", func(o *report.Object) {
			for _, f := range fields {
				o.Add(f.Name, f.Deviation)
			}
		})
		o.Add("rms", r.RMS)
		o.Add("sigma", r.Sigma)
		o.Add("converged", r.Converged)
		o.Add("beyond", r.Beyond)
		o.Numbers("bend", r.Bend[:])
		o.Object("uncertainty", func(o *report.Object) {
			o.Add("middle", finite(r.Middle))
			o.Add("worst", finite(r.Worst))
			o.Add("x", r.WorstAt.X)
			o.Add("y", r.WorstAt.Y)
		})
		if h := r.Halves; h != nil {
			o.Object("halves", func(o *report.Object) {
				o.Add("difference", finite(h.Difference))
				o.Add("predicted", finite(h.Predicted))
			})
		}
		o.Object("hint", func(o *report.Object) {
			o.Add("x", r.Hint.At.X)
			o.Add("y", r.Hint.At.Y)
			o.Add("tilt_x", r.Hint.TiltX)
			o.Add("tilt_y", r.Hint.TiltY)
			o.Add("size", r.Hint.Size)
			o.Add("before", finite(r.Hint.Before))
			o.Add("after", finite(r.Hint.After))
		})
	}
	o.List("images", len(r.Images), func(i int, o *report.Object) { r.Images[i].fill(o) })
}

// fill adds an image to an object.
func (i *Image) fill(o *report.Object) {
	if i.Name != "" {
		o.Add("image", i.Name)
	} else {
		o.Add("frame", i.Frame)
	}
	o.Add("width", i.Size.X)
	o.Add("height", i.Size.Y)
	o.Add("used", i.Used)
	if i.Note != "" {
		o.Add("note", i.Note)
	}
	o.Add("columns", i.Columns)
	o.Add("rows", i.Rows)
	o.Add("corners", len(i.World))
	if i.Errors == nil {
		return
	}
	o.Add("rms", i.RMS)
	o.Add("influence", finite(i.Influence))
	w, x, y, z := i.Pose.Quaternion()
	for k, v := range []float64{w, x, y, z, i.Pose.T[0], i.Pose.T[1], i.Pose.T[2]} {
		o.Add([...]string{"qw", "qx", "qy", "qz", "tx", "ty", "tz"}[k], v)
	}
}

// finite returns a number as JSON can have it: nil stands for one that is not finite.
func finite(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}
