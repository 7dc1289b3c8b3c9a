package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/pose"
)

// write writes the report of corners match.
func (m *matching) write(ctx context.Context, w io.Writer, cfg matchConfig, picture string) error {
	switch cfg.format {
	case report.FormatCSV:
		return m.writeCSV(w, cfg)
	case report.FormatJSON:
		return m.writeJSON(ctx, w, cfg, picture)
	}
	return m.writeTable(w, cfg)
}

func (m *matching) writeTable(w io.Writer, cfg matchConfig) error {
	var text bytes.Buffer
	table := report.NewTable(&text)
	fmt.Fprintln(table, "IMAGE\tSIZE\tKEYPOINTS")
	for i, keypoints := range []int{len(m.A), len(m.B)} {
		size := m.images[i].Size()
		fmt.Fprintf(table, "%s\t%dx%d\t%d\n", report.Printable(cfg.names[i]), size.X, size.Y, keypoints)
	}
	table.Flush()
	text.WriteString(report.Count(len(m.Matches), "match", "matches"))
	switch {
	case m.failed != nil:
		fmt.Fprintf(&text, ", no %s: %s\n", cfg.found(), m.reason(cfg))
	case cfg.model != noModel:
		fmt.Fprintf(&text, ", %d of them inliers of the %s\n", m.Inliers, cfg.found())
		m.writeModel(&text, cfg)
	default:
		fmt.Fprintln(&text)
	}
	_, err := w.Write(text.Bytes())
	return err
}

// found returns what the model is called.
func (cfg *matchConfig) found() string {
	if cfg.estimator != nil {
		return cfg.model + " matrix"
	}
	return cfg.model
}

// reason returns why there is no model.
func (m *matching) reason(cfg matchConfig) string {
	if cfg.model == modelFundamental && errors.Is(m.failed, pose.ErrDegenerate) {
		return "degenerate, since the points are on one plane or the camera only turned; use -model homography"
	}
	_, reason, _ := strings.Cut(m.failed.Error(), ": ") // without the package
	return reason
}

// writeModel writes what there is of the model besides its inliers.
func (m *matching) writeModel(w io.Writer, cfg matchConfig) {
	if cfg.model != modelEssential {
		matrix := m.matrix(cfg)
		for row := range slices.Chunk(matrix[:], 3) {
			fmt.Fprintf(w, "%13.6g %13.6g %13.6g\n", row[0], row[1], row[2])
		}
		if m.flat() {
			fmt.Fprintln(w, "planar: nine tenths of the inliers or more are on one plane, so the matrix is uncertain; -model homography explains them")
		}
		return
	}
	writePose(w, m.motion.Pose)
	if m.motion.Turn {
		fmt.Fprintln(w, "turn: a rotation explains the inliers, so the camera did not move, or by too little to be seen")
	}
	if m.motion.Planar {
		fmt.Fprintln(w, "planar: nine tenths of the inliers or more are on one plane")
	}
	if m.motion.Ambiguous {
		fmt.Fprintln(w, "ambiguous: another motion explains nearly as much, and the images do not tell which is right")
		writePose(w, m.motion.Other)
	}
}

// writePose writes the rows of R and T, and what they mean.
func writePose(w io.Writer, p pose.Pose) {
	for i, t := range p.T {
		fmt.Fprintf(w, "%13.6g %13.6g %13.6g %13.6g\n", p.R[3*i], p.R[3*i+1], p.R[3*i+2], t)
	}
	cos, x, y, z := p.Quaternion() // of half the angle
	sin := math.Sqrt(x*x + y*y + z*z)
	fmt.Fprintf(w, "rotation by %.6g degrees around %.4f %.4f %.4f", 360/math.Pi*math.Atan2(sin, cos), ratio(x, sin), ratio(y, sin), ratio(z, sin))
	if c := p.Center(); p.T != (pose.Vector{}) {
		fmt.Fprintf(w, ", camera of B at %.4f %.4f %.4f", c[0], c[1], c[2])
	}
	fmt.Fprintln(w)
}

// ratio returns a/b, or 0 if b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// matrix returns the elements of the matrix of the model.
func (m *matching) matrix(cfg matchConfig) [9]float64 {
	switch cfg.model {
	case modelEssential:
		return m.essential
	case modelFundamental:
		return m.fundamental.F
	}
	return m.Transform
}

func (m *matching) writeCSV(w io.Writer, cfg matchConfig) error {
	c := report.NewCSV(w)
	c.Add("query_x", "query_y", "train_x", "train_y", "distance", "inlier")
	matches, fits := m.inOrder()
	for i, pair := range matches {
		query, train := m.pair(pair)
		inlier := ""
		if cfg.model != noModel {
			inlier = strconv.FormatBool(fits[i])
		}
		c.Add(report.Texts([]any{query.X, query.Y, train.X, train.Y, pair.Distance, inlier})...)
	}
	return c.Flush()
}

func (m *matching) writeJSON(ctx context.Context, w io.Writer, cfg matchConfig, picture string) error {
	return report.WriteObject(ctx, w, func(o *report.Object) {
		for i, name := range []string{"query", "train"} {
			o.Object(name, func(o *report.Object) {
				o.Add("image", cfg.names[i])
				o.Add("width", m.images[i].Size().X)
				o.Add("height", m.images[i].Size().Y)
				o.Add("keypoints", []int{len(m.A), len(m.B)}[i])
			})
		}
		o.Add("method", cfg.Name)
		o.AddFlags(cfg.flags, cfg.Members)
		o.AddFlags(cfg.flags, matchMembers)
		if picture != "" {
			o.Add("picture", picture)
		}
		if cfg.model != noModel {
			o.Object("model", func(o *report.Object) { m.fillModel(o, cfg) })
		}
		matches, fits := m.inOrder()
		o.List("matches", len(matches), func(i int, o *report.Object) {
			pair := matches[i]
			query, train := m.pair(pair)
			fillPoint(o, "query", pair.Query, query)
			fillPoint(o, "train", pair.Train, train)
			o.Add("distance", pair.Distance)
			if cfg.model != noModel {
				o.Add("inlier", fits[i])
			}
		})
	})
}

// fillPoint adds a keypoint, which corners -method NAME lists at that index.
func fillPoint(o *report.Object, name string, index int32, k point.Keypoint) {
	o.Object(name, func(o *report.Object) {
		o.Add("index", index)
		o.Add("x", k.X)
		o.Add("y", k.Y)
	})
}

// fillModel adds what is known of the model, with null where there is none.
func (m *matching) fillModel(o *report.Object, cfg matchConfig) {
	o.Add("kind", cfg.model)
	o.Add("threshold", cfg.inlier)
	o.Add("inliers", m.Inliers)
	matrix := m.matrix(cfg)
	if matrix == ([9]float64{}) {
		o.Add("matrix", nil)
	} else {
		o.Rows("matrix", matrix[:])
	}
	switch cfg.model {
	case modelEssential:
		fillPose(o, "pose", m.motion.Pose)
		fillPose(o, "other", m.motion.Other)
		o.Add("turn", m.motion.Turn)
		o.Add("planar", m.motion.Planar)
		o.Add("ambiguous", m.motion.Ambiguous)
		o.Add("parallax", m.motion.Parallax)
	case modelFundamental:
		o.Add("planar", m.flat())
		o.Add("off_plane", m.fundamental.OffPlane)
	}
	if m.failed != nil {
		o.Add("reason", m.reason(cfg))
	}
}

// fillPose adds a pose, or null for the zero value.
func fillPose(o *report.Object, name string, p pose.Pose) {
	if p == (pose.Pose{}) {
		o.Add(name, nil)
		return
	}
	o.Object(name, func(o *report.Object) {
		o.Rows("rotation", p.R[:])
		w, x, y, z := p.Quaternion()
		o.Numbers("quaternion", []float64{w, x, y, z})
		o.Numbers("translation", p.T[:])
	})
}
