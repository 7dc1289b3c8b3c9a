package method

import (
	"strings"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
)

// harrisInfo describes the method of package harris with a measure.
func harrisInfo(name, summary string, measure harris.Measure) Info {
	intro := "The response of a pixel is the smaller eigenvalue of its structure tensor.\n"
	members := []string{"max_corners", "quality", "distance", "block", "gradient"}
	if measure == harris.Harris {
		members = append(members, "k")
		intro = `The response of a pixel is the determinant of its structure tensor minus K
times the square of the trace (-k).
`
	}
	return Info{
		Name:     name,
		Summary:  summary,
		New:      func() Method { return &harrisMethod{opts: harris.Options{Measure: measure}} },
		Packages: []string{"harris", "tensor", "nms"},
		Things:   "corners",
		Titles:   []string{"CORNERS"},
		Columns:  []string{"x", "y", "response"},
		Members:  members,
		Intro:    intro + tensorIntro,
		Rest: rings + strings.ReplaceAll(`
Examples:

  corners -method NAME photo.jpg
  corners -method NAME -corners 500 -distance 7 -quality 0.001 photo.jpg
  corners -method NAME -distance 0 -format csv photo.jpg
`, "NAME", name),
	}
}

const tensorIntro = `
The tensor is the matrix of the sums, over a window around the pixel (-block),
of the squares and the product of the gradients in both directions. So the
response is large where gradients point in different directions. The filters
that find them (-gradient) are sobel3, sobel5, sobel7, scharr and gaussian,
which has a standard deviation of 1 pixel.

A pixel is a corner when its response exceeds a share (-quality) of the
largest response, in the image or in the part that -mask selects, and no
response of a pixel that touches it is larger. Of these, from the strongest to
the weakest, -distance keeps each that is not too near to one kept before,
until there are as many as -corners asks for. They are in this order.

With Sobel's gradients they agree with OpenCV's goodFeaturesToTrack, for
method harris with useHarrisDetector.
`

// A harrisMethod is the method harris or shi-tomasi.
type harrisMethod struct {
	opts harris.Options
	detector[harris.Corner]
}

func (m *harrisMethod) Define(flags *cli.Set) {
	cli.Harris(flags, &m.opts)
}

func (m *harrisMethod) Prepare(workers int) error {
	m.opts.Workers = workers
	m.reach, m.bytes, m.spare = 40, 60, 1
	m.columns = func(c harris.Corner) []any { return []any{c.X, c.Y, c.Response} }
	m.roots = true
	m.limit = limits.Harris
	all := m.opts
	all.MinDistance, all.MaxCorners = 0, 0
	return searching(&m.detector, harris.New, m.opts, all)
}

func (m *harrisMethod) Memory() int64 { return 2 }
