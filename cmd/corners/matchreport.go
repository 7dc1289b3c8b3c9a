package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/fastcorners/fast/orb"
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
	for i, name := range cfg.names {
		size := m.images[i].Size()
		fmt.Fprintf(table, "%s\t%dx%d\t%d\n", printable(name), size.X, size.Y, len(m.keypoints[i]))
	}
	table.Flush()
	fmt.Fprintf(&text, "%d matches", len(m.matches))
	switch {
	case m.matrix != nil:
		fmt.Fprintf(&text, ", %d of them inliers of the homography\n", len(m.inliers()))
		for _, row := range m.matrix {
			fmt.Fprintf(&text, "%13.6g %13.6g %13.6g\n", row[0], row[1], row[2])
		}
	case cfg.homography:
		fmt.Fprintln(&text, ", no homography")
	default:
		fmt.Fprintln(&text)
	}
	_, err := w.Write(text.Bytes())
	return err
}

func (m *matching) writeCSV(w io.Writer, cfg matchConfig) error {
	c := newCSV(w)
	c.add("query_x", "query_y", "train_x", "train_y", "distance", "inlier")
	for i, pair := range m.matches {
		query, train := m.pair(pair)
		inlier := ""
		if cfg.homography {
			inlier = strconv.FormatBool(m.fits[i])
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
				o.add("keypoints", len(m.keypoints[i]))
			})
		}
		o.addFlags(cfg.flags, orbMembers)
		o.addFlags(cfg.flags, matchMembers)
		if picture != "" {
			o.add("picture", picture)
		}
		if cfg.homography {
			o.object("homography", func(o *jsonObject) {
				o.add("threshold", cfg.inlier)
				o.add("inliers", len(m.inliers()))
				m.fillMatrix(o)
			})
		}
		o.list("matches", len(m.matches), func(i int, o *jsonObject) {
			pair := m.matches[i]
			query, train := m.pair(pair)
			fillPoint(o, "query", pair.Query, query)
			fillPoint(o, "train", pair.Train, train)
			o.add("distance", pair.Distance)
			if cfg.homography {
				o.add("inlier", m.fits[i])
			}
		})
	})
	return o.end("\n")
}

// fillPoint adds a keypoint, which corners -method orb lists at that index.
func fillPoint(o *jsonObject, name string, index int32, k orb.Keypoint) {
	o.object(name, func(o *jsonObject) {
		o.add("index", index)
		o.add("x", k.X)
		o.add("y", k.Y)
	})
}

// fillMatrix adds the rows of the homography, or null if there is none.
func (m *matching) fillMatrix(o *jsonObject) {
	if m.matrix == nil {
		o.add("matrix", nil)
		return
	}
	o.array("matrix", len(m.matrix), func(i int) {
		row := m.matrix[i]
		o.text = fmt.Appendf(o.text, "[%v,%v,%v]", row[0], row[1], row[2])
	})
}
