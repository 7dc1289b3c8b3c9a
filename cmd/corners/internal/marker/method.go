// Package marker has what corners tag is made of: its flags, the search for AprilTag and ArUco
// markers, what is reported and drawn of them, and drawings of markers for printing.
package marker

import (
	"errors"
	"fmt"
	"image"
	"image/draw"
	"slices"

	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
)

// What a Method takes at most.
const (
	pixelBytes = 56  // for each pixel: runs, components and quads in noise
	tagBytes   = 900 // for each marker, its pose and its drawing included
	leastSide  = 12  // pixels along a side of a marker, next to another one
)

// info describes a Method, but for its name and poses.
var info = method.Info{
	Things:  "tags",
	Titles:  []string{"FAMILY", "ID", "X", "Y"},
	Columns: []string{"family", "id", "x0", "y0", "x1", "y1", "x2", "y2", "x3", "y3", "corrected", "noise", "misfit", "hidden"},
	Members: []string{"border", "inverted", "contrast", "correct", "samples"},
}

// poseColumns are the columns of the poses of a marker.
var poseColumns = []string{
	"qw", "qx", "qy", "qz", "tx", "ty", "tz", "error",
	"other_qw", "other_qx", "other_qy", "other_qz", "other_tx", "other_ty", "other_tz", "other_error", "ambiguous",
}

// A Method finds markers. It implements method.Method.
type Method struct {
	cli.Markers
	camera   method.Camera
	placed   bool // there is a camera
	side     float64
	detector *tag.Detector
}

func (m *Method) Define(flags *cli.Set) {
	m.Markers.Define(flags)
	flags.Var(&m.camera, "camera", "tell where markers are that this `CAMERA` sees, in numbers or a file")
	flags.FloatIn(&m.side, "size", 1, cli.Above(0, 1e6), "a side of the border is `S` long; with -draw: mm, default 100")
}

func (m *Method) Prepare(workers int) (err error) {
	opts := m.Options()
	opts.Workers = workers
	m.detector, err = tag.New(opts)
	return err
}

// A marker is a tag and where it is.
type marker struct {
	tag.Tag
	at     tag.Placement
	placed bool
}

func (m *Method) Find(img, _ *image.Gray) method.Finding {
	var markers []marker
	for _, t := range m.detector.Detect(img) {
		found := marker{Tag: t}
		if m.placed {
			found.at, found.placed = t.Pose(m.camera.Camera, m.side)
		}
		markers = append(markers, found)
	}
	return method.Finding{
		Rows:   m.rows(markers),
		Count:  len(markers),
		Record: func(i int) []any { return m.record(&markers[i]) },
		Draw:   func(dst draw.Image) { m.draw(dst, markers) },
		Bytes:  int64(len(markers)) * tagBytes,
	}
}

// rows returns a row for each marker, or one of an image without any.
func (m *Method) rows(markers []marker) [][]any {
	const missing = "-"
	var rows [][]any
	for i := range markers {
		t := &markers[i]
		center := t.Center()
		row := []any{t.Family.Kind, t.ID, fmt.Sprintf("%.2f", center.X), fmt.Sprintf("%.2f", center.Y)}
		switch {
		case t.placed:
			row = append(row, fmt.Sprintf("%.4g", t.at.Pose.T.Norm()))
		case m.placed:
			row = append(row, missing)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		rows = [][]any{{missing, missing, missing, missing}}
		if m.placed {
			rows[0] = append(rows[0], missing)
		}
	}
	return rows
}

// record returns the columns of a marker. Those of poses are nil if there are none.
func (m *Method) record(t *marker) []any {
	columns := []any{t.Family.Kind, t.ID}
	for _, p := range t.Corners {
		columns = append(columns, p.X, p.Y)
	}
	columns = append(columns, t.Corrected, t.Noise, t.Misfit, t.Hidden)
	switch {
	case t.placed:
		columns = append(appendPose(columns, t.at.Pose), t.at.Error)
		columns = append(appendPose(columns, t.at.Other), t.at.OtherError, t.at.Ambiguous)
	case m.placed:
		columns = append(columns, make([]any, len(poseColumns))...)
	}
	return columns
}

// appendPose appends the quaternion and the translation of a pose.
func appendPose(columns []any, p pose.Pose) []any {
	w, x, y, z := p.Quaternion()
	return append(columns, w, x, y, z, p.T[0], p.T[1], p.T[2])
}

// draw draws the outlines and the IDs of markers, and the axes of those whose poses are known.
func (m *Method) draw(dst draw.Image, markers []marker) {
	var tags []tag.Tag
	var poses []pose.Pose
	for i := range markers {
		tags = append(tags, markers[i].Tag)
		if markers[i].placed {
			poses = append(poses, markers[i].at.Pose)
		}
	}
	overlay.Axes(dst, m.camera.Camera, poses, m.side/2)
	overlay.Tags(dst, tags)
}

// Repeater implements method.Method. Nothing is measured.
func (m *Method) Repeater() func(img *image.Gray) { return nil }

func (m *Method) Memory() int64 { return pixelBytes }

// Limit implements method.Method.
func (m *Method) Limit() limits.Limit { return limits.Tag }

// Lists implements method.Method.
func (m *Method) Lists(img *image.Gray, _ bool) int64 {
	size := img.Rect.Size().Div(leastSide).Add(image.Pt(1, 1))
	return int64(size.X) * int64(size.Y) * tagBytes
}

// Info returns the description of what m finds.
func (m *Method) Info() method.Info {
	res := info
	res.Name = m.Families()
	if m.placed {
		res.Titles = append(slices.Clone(res.Titles), "DISTANCE")
		res.Columns = append(slices.Clone(res.Columns), poseColumns...)
		res.Members = append(slices.Clone(res.Members), "size")
	}
	return res
}

// Check returns an error that names the first flag that makes no sense where images are searched.
// Prepare, Info and CheckSize come after it.
func (m *Method) Check(flags *cli.Set) error {
	m.placed = flags.IsGiven("camera")
	if !m.placed && flags.IsGiven("size") {
		return errors.New("flag -size needs flag -camera or -draw")
	}
	return nil
}

// CheckSize returns an error if the camera takes images of another size.
func (m *Method) CheckSize(size image.Point) error { return m.camera.CheckSize(size) }
