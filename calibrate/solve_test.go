package calibrate

import (
	"encoding/json"
	"image"
	"math"
	"os"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// A problem is a calibration and what another implementation of the definition finds: of corners in
// views, row by row on a board with squares of 1. left and right are those of OpenCV's photos left01.jpg
// to left14.jpg and right01.jpg to right14.jpg; the others are drawn.
type problem struct {
	Name          string
	W, H          int
	Model         camera.Model
	Fields        []int
	Huber         float64
	Columns, Rows int
	Views         [][][2]float64
	Truth         *[12]float64

	Camera     [12]float64
	RMS        float64
	SD         []float64 // in the order of Fields
	Poses      []pose.Pose
	Worst      float64 // the largest uncertainty at the places, in pixels
	Halves     float64
	HalvesSays float64
}

// A quality is what another implementation says about the solution of a problem.
type quality struct {
	Name      string
	Starts    []struct{ F, Score float64 } // the best four
	Halves    [2]float64                   // the root mean square errors of the even and the odd views
	Fields    [2][12]float64               // of their cameras
	Influence []float64
	Hint      Hint
	Left      float64 // the root mean square of the uncertainty at the places, in pixels
}

// readGolden reads a file of testdata. The test is skipped in a downloaded module.
func readGolden[E any](t testing.TB, name string) (list []E) {
	t.Helper()
	imagetest.NeedTestdata(t, "testdata/"+name)
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &list))
	require.NotEmpty(t, list)
	return list
}

// problems returns those of solve.json.
func problems(t testing.TB) []problem { return readGolden[problem](t, "solve.json") }

func (p *problem) size() image.Point { return image.Pt(p.W, p.H) }

// views returns the views.
func (p *problem) views() (views []View) {
	for _, points := range p.Views {
		var v View
		for i, x := range points {
			v.World = append(v.World, pose.Vector{float64(i % p.Columns), float64(i / p.Columns)})
			v.Image = append(v.Image, geometry.Point{X: x[0], Y: x[1]})
		}
		views = append(views, v)
	}
	return views
}

// options returns those that the problem is about.
func (p *problem) options() Options {
	opts := Options{Model: p.Model, HuberThreshold: p.Huber}
	if len(p.Fields) == numFields {
		opts.Distortion = 8
	}
	return opts
}

// calibrator returns a Calibrator for options that are right.
func calibrator(t testing.TB, opts Options) *Calibrator {
	t.Helper()
	c, err := New(opts)
	require.NoError(t, err)
	return c
}

// solve returns the calibration of the problem.
func (p *problem) solve(t testing.TB) Calibration {
	t.Helper()
	c, err := calibrator(t, p.options()).Calibrate(p.size(), p.views())
	require.NoError(t, err)
	return c
}

// withFields returns the camera with the given fields, in their order.
func withFields(m camera.Model, f [12]float64) camera.Camera {
	c := camera.Camera{Model: m}
	for i, p := range fieldsOf(&c) {
		*p = f[i]
	}
	return c
}

// requireRelative requires that a number differs from another one by no more than a share of it.
func requireRelative(t testing.TB, want, got, share float64, what string) {
	t.Helper()
	require.InDelta(t, want, got, share*math.Abs(want), what)
}

// TestSolve compares with the solutions of another implementation: root mean square errors to 1e-8 and
// deviations to 1e-4 of their values, and projections to 1e-6 pixel. Fields of cameras can differ more,
// since some lie in flat valleys, but not from the truth where the points are exact.
func TestSolve(t *testing.T) {
	for _, p := range problems(t) {
		t.Run(p.Name, func(t *testing.T) {
			o := p.options()
			require.Equal(t, p.Fields, calibrator(t, o).opts.freedom().fields)
			c := p.solve(t)
			require.True(t, c.Converged)
			require.Zero(t, c.Beyond)
			if p.Name == "exact2" {
				for i, field := range fieldsOf(&c.Camera) {
					require.InDelta(t, p.Truth[i], *field, 1e-9*max(1, math.Abs(p.Truth[i])), "field %d", i)
				}
				require.Less(t, c.RMS, 1e-10)
				return
			}
			requireRelative(t, p.RMS, c.RMS, 1e-8, "rms")
			other := withFields(p.Model, p.Camera)
			for i, v := range p.views() {
				for k, e := range c.Errors(i) {
					q, ok := other.Project(p.Poses[i].Apply(v.World[k]))
					require.True(t, ok)
					require.InDelta(t, q.X, v.Image[k].X-e.X, 1e-6)
					require.InDelta(t, q.Y, v.Image[k].Y-e.Y, 1e-6)
				}
			}
			deviations := c.StandardDeviations()
			for i, want := range p.SD {
				requireRelative(t, want, deviations[p.Fields[i]], 1e-4, "deviation")
			}
			worst := 0.0
			for _, at := range places(p.size()) {
				if u := c.Uncertainty(at); u == u {
					worst = max(worst, u)
				}
			}
			requireRelative(t, p.Worst, worst, 1e-4, "worst")
		})
	}
}

// TestStarts compares the best four starts with those of another implementation.
func TestStarts(t *testing.T) {
	qualities := readGolden[quality](t, "quality.json")
	for _, p := range problems(t) {
		for _, q := range qualities {
			if q.Name != p.Name {
				continue
			}
			o := calibrator(t, p.options()).opts
			starts := newSolver(&o, o.freedom(), p.views()).starts(&o, p.size())
			for i, want := range q.Starts {
				requireRelative(t, want.F, starts[i].camera.Fx, 1e-9, "focal length")
				requireRelative(t, want.Score, starts[i].score, 1e-9, "score")
			}
		}
	}
}
