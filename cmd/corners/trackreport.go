package main

import (
	"context"
	"fmt"
	"io"
)

// A trackReport writes what frames have brought, each as soon as it is done.
type trackReport struct {
	ctx    context.Context // ends lists early
	w      io.Writer
	format string
	csv    csvWriter
	begun  bool
}

func newTrackReport(ctx context.Context, w io.Writer, format string) *trackReport {
	return &trackReport{ctx: ctx, w: w, format: format, csv: newCSV(w)}
}

// add writes a frame.
func (r *trackReport) add(f frame, res trackedFrame) error {
	first := !r.begun
	r.begun = true
	switch r.format {
	case formatCSV:
		return r.addCSV(first, res)
	case formatJSON:
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
	return printable(name)
}

func (r *trackReport) addCSV(first bool, res trackedFrame) error {
	if first {
		r.csv.add("frame", "track", "x", "y", "error", "status")
	}
	for _, p := range res.points {
		r.csv.add(texts([]any{res.number, p.id, p.point.X, p.point.Y, p.err, p.status})...)
		if err := r.ctx.Err(); err != nil {
			r.csv.flush()
			return err
		}
	}
	return r.csv.flush()
}

func (r *trackReport) addJSON(f frame, res trackedFrame) error {
	o := jsonObject{ctx: r.ctx, w: r.w}
	o.braces(func() {
		o.add("frame", res.number)
		if f.name != "" {
			o.add("image", f.name)
		}
		o.add("motion", res.motion)
		o.list("points", len(res.points), func(i int, o *jsonObject) {
			p := res.points[i]
			o.add("track", p.id)
			o.add("x", p.point.X)
			o.add("y", p.point.Y)
			o.add("error", p.err)
			o.add("status", p.status)
		})
	})
	return o.end("\n")
}
