package main

import (
	"context"
	"fmt"
	"io"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// A trackReport writes what frames have brought, each as soon as it is done.
type trackReport struct {
	ctx    context.Context // ends lists early
	w      io.Writer
	format string
	csv    report.CSV
	begun  bool
}

func newTrackReport(ctx context.Context, w io.Writer, format string) *trackReport {
	return &trackReport{ctx: ctx, w: w, format: format, csv: report.NewCSV(w)}
}

// add writes a frame.
func (r *trackReport) add(f frame, res trackedFrame) error {
	first := !r.begun
	r.begun = true
	switch r.format {
	case report.FormatCSV:
		return r.addCSV(first, res)
	case report.FormatJSON:
		return r.addJSON(f, res)
	}
	if first {
		fmt.Fprintf(r.w, "%-8s%-8s%-8s%-8s%-10s%-10s%s\n", "FRAME", "FOUND", "LOST", "NEW", "MOTION", "MS", "IMAGE")
	}
	_, err := fmt.Fprintf(r.w, "%-8d%-8d%-8d%-8d%-10.2f%-10.3f%s\n", res.number, res.found, len(res.points)-res.begun-res.found, res.begun,
		res.motion, res.time.Seconds()*1e3, printableName(f.name))
	return err
}

// printableName is printable for a name that may be empty.
func printableName(name string) string {
	if name == "" {
		return ""
	}
	return report.Printable(name)
}

func (r *trackReport) addCSV(first bool, res trackedFrame) error {
	if first {
		r.csv.Add("frame", "track", "x", "y", "error", "status")
	}
	for _, p := range res.points {
		r.csv.Add(report.Texts([]any{res.number, p.id, p.point.X, p.point.Y, p.err, p.status})...)
		if err := r.ctx.Err(); err != nil {
			r.csv.Flush()
			return err
		}
	}
	return r.csv.Flush()
}

func (r *trackReport) addJSON(f frame, res trackedFrame) error {
	return report.WriteObject(r.ctx, r.w, func(o *report.Object) {
		o.Add("frame", res.number)
		if f.name != "" {
			o.Add("image", f.name)
		}
		o.Add("motion", res.motion)
		o.List("points", len(res.points), func(i int, o *report.Object) {
			p := res.points[i]
			o.Add("track", p.id)
			o.Add("x", p.point.X)
			o.Add("y", p.point.Y)
			o.Add("error", p.err)
			o.Add("status", p.status)
		})
	})
}
