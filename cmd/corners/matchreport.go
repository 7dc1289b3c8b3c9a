package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
	for i, keypoints := range []int{len(m.A), len(m.B)} {
		size := m.images[i].Size()
		fmt.Fprintf(table, "%s\t%dx%d\t%d\n", printable(cfg.names[i]), size.X, size.Y, keypoints)
	}
	table.Flush()
	fmt.Fprintf(&text, "%d matches", len(m.Matches))
	switch {
	case m.failed != nil:
		_, reason, _ := strings.Cut(m.failed.Error(), ": ") // without the package
		fmt.Fprintf(&text, ", no %s: %s\n", cfg.model, reason)
	case cfg.registrar != nil:
		fmt.Fprintf(&text, ", %d of them inliers of the %s\n", m.Inliers, cfg.model)
		for row := range slices.Chunk(m.Transform[:], 3) {
			fmt.Fprintf(&text, "%13.6g %13.6g %13.6g\n", row[0], row[1], row[2])
		}
	default:
		fmt.Fprintln(&text)
	}
	_, err := w.Write(text.Bytes())
	return err
}

func (m *matching) writeCSV(w io.Writer, cfg matchConfig) error {
	c := newCSV(w)
	c.add("query_x", "query_y", "train_x", "train_y", "distance", "inlier")
	matches, fits := m.inOrder()
	for i, pair := range matches {
		query, train := m.pair(pair)
		inlier := ""
		if cfg.registrar != nil {
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
		o.addFlags(cfg.flags, orbMembers)
		o.addFlags(cfg.flags, matchMembers)
		if picture != "" {
			o.add("picture", picture)
		}
		if cfg.registrar != nil {
			o.object("model", func(o *jsonObject) {
				o.add("kind", cfg.model)
				o.add("threshold", cfg.inlier)
				o.add("inliers", m.Inliers)
				m.fillMatrix(o)
			})
		}
		matches, fits := m.inOrder()
		o.list("matches", len(matches), func(i int, o *jsonObject) {
			pair := matches[i]
			query, train := m.pair(pair)
			fillPoint(o, "query", pair.Query, query)
			fillPoint(o, "train", pair.Train, train)
			o.add("distance", pair.Distance)
			if cfg.registrar != nil {
				o.add("inlier", fits[i])
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

// fillMatrix adds the rows of the transform, or null if there is none.
func (m *matching) fillMatrix(o *jsonObject) {
	if m.failed != nil {
		o.add("matrix", nil)
		return
	}
	o.array("matrix", 3, func(i int) {
		row := m.Transform[3*i:]
		o.text = fmt.Appendf(o.text, "[%v,%v,%v]", row[0], row[1], row[2])
	})
}
