package pose

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// A golden is the input of a case and what a prototype in Go of the same method made of it, or, if
// it says "own", this package. Places
// are in 1/256 pixel, points of the world in 1/1024 of their unit, and numbers of results as
// strconv's format 'x' writes them.
type golden struct {
	Name      string
	Method    string
	CameraA   []float64 // the fields of a Camera
	CameraB   []float64
	Threshold float64
	Seed      uint64
	Pairs     [][]int64 // x y u v, or for absolute X Y Z u v
	Distances []float64

	Error                   string
	R, T, OtherR, OtherT    []string // R of fundamental is F
	Turn, Planar, Ambiguous bool
	Inliers                 int
	Beyond                  int // Parallax or OffPlane
	Mask                    string
	Stable                  bool // other seeds led to the same
}

// goldens returns the cases.
var goldens = sync.OnceValue(func() (cases []golden) {
	file, err := os.ReadFile("testdata/golden.json")
	if err == nil {
		err = json.Unmarshal(file, &cases)
	}
	if err != nil {
		panic(err)
	}
	return cases
})

// An outcome is what an Estimator makes of a golden.
type outcome struct {
	err                     error
	r, t, otherR, otherT    []float64
	turn, planar, ambiguous bool
	inliers, beyond         int
	mask                    []bool
}

// pairs returns the first camera of a case and its pairs.
func (c *golden) pairs() (cameraA camera.Camera, a []geometry.Point, world []Vector, b []geometry.Point) {
	for _, p := range c.Pairs {
		k := len(p) - 2
		b = append(b, geometry.Point{X: float64(p[k]) / 256, Y: float64(p[k+1]) / 256})
		if k == 2 {
			a = append(a, geometry.Point{X: float64(p[0]) / 256, Y: float64(p[1]) / 256})
		} else {
			world = append(world, Vector{float64(p[0]) / 1024, float64(p[1]) / 1024, float64(p[2]) / 1024})
		}
	}
	return goldenCamera(c.CameraA), a, world, b
}

// goldenCamera returns the camera with the given fields.
func goldenCamera(v []float64) camera.Camera {
	if v == nil {
		return camera.Camera{}
	}
	return camera.Camera{Fx: v[0], Fy: v[1], Cx: v[2], Cy: v[3], K1: v[4], K2: v[5], P1: v[6], P2: v[7], K3: v[8]}
}

// estimate runs the method of a case.
func (c *golden) estimate() outcome {
	cameraA, a, world, b := c.pairs()
	e, err := New(Options{InlierThreshold: c.Threshold, Seed: c.Seed})
	if err != nil {
		panic(err)
	}
	o := outcome{mask: make([]bool, len(b))}
	switch c.Method {
	case "relative":
		var m Motion
		m, o.err = e.Relative(cameraA, goldenCamera(c.CameraB), a, b, c.Distances, o.mask)
		o.r, o.t, o.otherR, o.otherT = m.Pose.R[:], m.Pose.T[:], m.Other.R[:], m.Other.T[:]
		o.turn, o.planar, o.ambiguous, o.inliers, o.beyond = m.Turn, m.Planar, m.Ambiguous, m.Inliers, m.Parallax
	case "absolute":
		var f Fit
		f, o.err = e.Absolute(cameraA, world, b, c.Distances, o.mask)
		o.r, o.t, o.inliers = f.Pose.R[:], f.Pose.T[:], f.Inliers
	case "fundamental":
		var f Epipolar
		f, o.err = e.Fundamental(a, b, c.Distances, o.mask)
		o.r, o.inliers, o.beyond = f.F[:], f.Inliers, f.OffPlane
	}
	return o
}

// outcomes returns what the cases lead to. It is computed once.
var outcomes = sync.OnceValue(func() []outcome {
	var all []outcome
	for _, c := range goldens() {
		all = append(all, c.estimate())
	}
	return all
})

// text returns a mask as goldens have it.
func text(mask []bool) string {
	s := make([]byte, len(mask))
	for i, in := range mask {
		s[i] = '0'
		if in {
			s[i] = '1'
		}
	}
	return string(s)
}

// TestGolden checks errors of all cases, results of those that depend on no seed, and the number
// of inliers of the others.
func TestGolden(t *testing.T) {
	codes := map[string]error{"": nil, "pairs": ErrPairs, "support": ErrSupport, "degenerate": ErrDegenerate}
	stable := 0
	require.Len(t, goldens(), 55)
	for i, c := range goldens() {
		o := outcomes()[i]
		require.True(t, errors.Is(o.err, codes[c.Error]), "%s: %v", c.Name, o.err)
		if !c.Stable {
			require.GreaterOrEqual(t, o.inliers, int(math.Ceil(0.95*float64(c.Inliers))), c.Name)
			continue
		}
		stable++
		require.Equal(t, c.Mask, text(o.mask), c.Name)
		require.Equal(t, c.Inliers, o.inliers, c.Name)
		beyond := c.Beyond
		if c.Method == "fundamental" && 2*beyond > c.Inliers {
			beyond = c.Inliers // the prototype left out those of smaller planes, too
		}
		require.Equal(t, beyond, o.beyond, c.Name)
		require.Equal(t, [3]bool{c.Turn, c.Planar, c.Ambiguous}, [3]bool{o.turn, o.planar, o.ambiguous}, c.Name)
		near(t, c.R, o.r, c.Method == "fundamental", c.Name)
		near(t, c.T, o.t, false, c.Name)
		near(t, c.OtherR, o.otherR, false, c.Name)
		near(t, c.OtherT, o.otherT, false, c.Name)
	}
	require.Equal(t, 51, stable)
}

// near checks that numbers are those wanted, up to their sign if asked.
func near(t *testing.T, want []string, got []float64, eitherSign bool, name string) {
	t.Helper()
	sign := 1.0
	for i, s := range want {
		w, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		if i == 0 && eitherSign && (w < 0) != (got[0] < 0) {
			sign = -1
		}
		require.InDelta(t, w, sign*got[i], 1e-9, "%s, element %d", name, i)
	}
}
