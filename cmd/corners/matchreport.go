package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/fastcorners/fast/internal/homography"
)

// write writes the report of corners match.
func (m *matching) write(w io.Writer, cfg matchConfig, picture string) error {
	switch cfg.format {
	case formatCSV:
		return m.writeCSV(w, cfg)
	case formatJSON:
		return m.writeJSON(w, cfg, picture)
	}
	return m.writeTable(w, cfg)
}

func (m *matching) writeTable(w io.Writer, cfg matchConfig) error {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "IMAGE\tSIZE\tKEYPOINTS")
	for i, name := range cfg.names {
		size := m.images[i].Bounds().Size()
		fmt.Fprintf(table, "%s\t%dx%d\t%d\n", name, size.X, size.Y, len(m.keypoints[i]))
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
	c := csv.NewWriter(w)
	c.Write([]string{"query_x", "query_y", "train_x", "train_y", "distance", "inlier"})
	for i, pair := range m.matches {
		query, train := m.pair(pair)
		inlier := ""
		if cfg.homography {
			inlier = strconv.FormatBool(m.fits[i])
		}
		c.Write([]string{
			number(query.X), number(query.Y), number(train.X), number(train.Y),
			strconv.Itoa(int(pair.Distance)), inlier,
		})
	}
	c.Flush()
	return c.Error()
}

// A matchObject is two images and their matches in JSON.
type matchObject struct {
	Query matchImage `json:"query"`
	Train matchImage `json:"train"`
	orbFlags
	matchFlags
	Picture    string            `json:"picture,omitempty"`
	Homography *homographyObject `json:"homography,omitempty"` // with -homography
	Matches    []matchPair       `json:"matches"`
}

type matchImage struct {
	Image     string `json:"image"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Keypoints int    `json:"keypoints"`
}

type homographyObject struct {
	Threshold float64            `json:"threshold"`
	Inliers   int                `json:"inliers"`
	Matrix    *homography.Matrix `json:"matrix"` // null if there is none
}

type matchPair struct {
	Query    matchPoint `json:"query"`
	Train    matchPoint `json:"train"`
	Distance int32      `json:"distance"`
	Inlier   *bool      `json:"inlier,omitempty"` // with -homography
}

// A matchPoint is a keypoint, which corners -method orb lists at that index.
type matchPoint struct {
	Index int32   `json:"index"`
	X     float32 `json:"x"`
	Y     float32 `json:"y"`
}

func (m *matching) writeJSON(w io.Writer, cfg matchConfig, picture string) error {
	var images [2]matchImage
	for i, name := range cfg.names {
		size := m.images[i].Bounds().Size()
		images[i] = matchImage{name, size.X, size.Y, len(m.keypoints[i])}
	}
	object := matchObject{
		Query:      images[0],
		Train:      images[1],
		orbFlags:   cfg.orbFlags,
		matchFlags: cfg.matchFlags,
		Picture:    picture,
		Matches:    make([]matchPair, len(m.matches)),
	}
	if cfg.homography {
		object.Homography = &homographyObject{cfg.inlier, len(m.inliers()), m.matrix}
	}
	for i, pair := range m.matches {
		query, train := m.pair(pair)
		object.Matches[i] = matchPair{
			Query:    matchPoint{pair.Query, query.X, query.Y},
			Train:    matchPoint{pair.Train, train.X, train.Y},
			Distance: pair.Distance,
		}
		if cfg.homography {
			object.Matches[i].Inlier = &m.fits[i]
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
