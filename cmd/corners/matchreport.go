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

	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/pose"
)

// write writes the report of corners match.
func (m *matching) write(ctx context.Context, w io.Writer, cfg matchConfig, picture string) error {
	switch cfg.format {
	case formatCSV:
		return m.writeCSV(w, cfg)
	case formatJSON:
		return m.writeJSON(ctx, w, cfg, picture)
	}
	return m.writeTable(w, cfg)
}

func (m *matching) writeTable(w io.Writer, cfg matchConfig) error {
	var text bytes.Buffer
	table := newTable(&text)
	fmt.Fprintln(table, "IMAGE\tSIZE\tKEYPOINTS")
	for i, keypoints := range []int{len(m.A), len(m.B)} {
		size := m.images[i].Size()
		fmt.Fprintf(table, "%s\t%dx%d\t%d\n", printable(cfg.names[i]), size.X, size.Y, keypoints)
	}
	table.Flush()
	fmt.Fprintf(&text, "%d matches", len(m.Matches))
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
	c := newCSV(w)
	c.add("query_x", "query_y", "train_x", "train_y", "distance", "inlier")
	matches, fits := m.inOrder()
	for i, pair := range matches {
		query, train := m.pair(pair)
		inlier := ""
		if cfg.model != noModel {
			inlier = strconv.FormatBool(fits[i])
		}
		c.add(texts([]any{query.X, query.Y, train.X, train.Y, pair.Distance, inlier})...)
	}
	return c.flush()
}

func (m *matching) writeJSON(ctx context.Context, w io.Writer, cfg matchConfig, picture string) error {
	o := jsonObject{ctx: ctx, w: w}
	o.braces(func() {
		for i, name := range []string{"query", "train"} {
			o.object(name, func(o *jsonObject) {
				o.add("image", cfg.names[i])
				o.add("width", m.images[i].Size().X)
				o.add("height", m.images[i].Size().Y)
				o.add("keypoints", []int{len(m.A), len(m.B)}[i])
			})
		}
		o.add("method", cfg.name)
		o.addFlags(cfg.flags, cfg.members)
		o.addFlags(cfg.flags, matchMembers)
		if picture != "" {
			o.add("picture", picture)
		}
		if cfg.model != noModel {
			o.object("model", func(o *jsonObject) { m.fillModel(o, cfg) })
		}
		matches, fits := m.inOrder()
		o.list("matches", len(matches), func(i int, o *jsonObject) {
			pair := matches[i]
			query, train := m.pair(pair)
			fillPoint(o, "query", pair.Query, query)
			fillPoint(o, "train", pair.Train, train)
			o.add("distance", pair.Distance)
			if cfg.model != noModel {
				o.add("inlier", fits[i])
			}
		})
	})
	return o.end("\n")
}

// fillPoint adds a keypoint, which corners -method NAME lists at that index.
func fillPoint(o *jsonObject, name string, index int32, k point.Keypoint) {
	o.object(name, func(o *jsonObject) {
		o.add("index", index)
		o.add("x", k.X)
		o.add("y", k.Y)
	})
}

// fillModel adds what is known of the model, with null where there is none.
func (m *matching) fillModel(o *jsonObject, cfg matchConfig) {
	o.add("kind", cfg.model)
	o.add("threshold", cfg.inlier)
	o.add("inliers", m.Inliers)
	matrix := m.matrix(cfg)
	if matrix == ([9]float64{}) {
		o.add("matrix", nil)
	} else {
		fillRows(o, "matrix", matrix)
	}
	switch cfg.model {
	case modelEssential:
		fillPose(o, "pose", m.motion.Pose)
		fillPose(o, "other", m.motion.Other)
		o.add("turn", m.motion.Turn)
		o.add("planar", m.motion.Planar)
		o.add("ambiguous", m.motion.Ambiguous)
		o.add("parallax", m.motion.Parallax)
	case modelFundamental:
		o.add("planar", m.flat())
		o.add("off_plane", m.fundamental.OffPlane)
	}
	if m.failed != nil {
		o.add("reason", m.reason(cfg))
	}
}

// fillRows adds the rows of a matrix.
func fillRows(o *jsonObject, name string, matrix [9]float64) {
	o.array(name, 3, func(i int) {
		row := matrix[3*i:]
		o.text = fmt.Appendf(o.text, "[%v,%v,%v]", row[0], row[1], row[2])
	})
}

// fillPose adds a pose, or null for the zero value.
func fillPose(o *jsonObject, name string, p pose.Pose) {
	if p == (pose.Pose{}) {
		o.add(name, nil)
		return
	}
	o.object(name, func(o *jsonObject) {
		fillRows(o, "rotation", p.R)
		w, x, y, z := p.Quaternion()
		for _, list := range []struct {
			name   string
			values []float64
		}{{"quaternion", []float64{w, x, y, z}}, {"translation", p.T[:]}} {
			o.array(list.name, len(list.values), func(i int) { o.text = fmt.Append(o.text, list.values[i]) })
		}
	})
}
