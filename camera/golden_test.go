package camera_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// A bits is a float64 that JSON holds as the hexadecimal digits of its bits.
type bits float64

func (b *bits) UnmarshalText(text []byte) error {
	u, err := strconv.ParseUint(string(text), 16, 64)
	*b = bits(math.Float64frombits(u))
	return err
}

// A golden is what another implementation of the definition finds for a camera. Answers are nil
// where there is none. The derivatives are by the coordinates of the points and by the fields, two
// rows each; camera.json has none.
type golden struct {
	Model  camera.Model
	Fields [12]float64
	End    bits

	Pixels         [][2]bits
	Bearings, Rays [][]bits

	Points      [][3]bits
	Projections [][]bits

	PointDerivatives, FieldDerivatives [][]float64
}

// camera returns the camera of a golden.
func (g *golden) camera() camera.Camera { return withFields(g.Model, g.Fields) }

// withFields returns the camera with the given fields, in their order.
func withFields(m camera.Model, f [12]float64) camera.Camera {
	return camera.Camera{
		Model: m, Fx: f[0], Fy: f[1], Cx: f[2], Cy: f[3], K1: f[4], K2: f[5], P1: f[6], P2: f[7],
		K3: f[8], K4: f[9], K5: f[10], K6: f[11],
	}
}

// readGoldens returns the cameras of all files.
func readGoldens(t testing.TB) (list []golden) {
	for _, name := range []string{"camera.json", "more.json"} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		var some []golden
		require.NoError(t, json.Unmarshal(data, &some))
		require.NotEmpty(t, some)
		list = append(list, some...)
	}
	return list
}

// TestGolden compares ends, bearings, rays and projections with those of another implementation, to
// the bit, and derivatives to 1e-12 of the largest one in their row.
func TestGolden(t *testing.T) {
	derivatives := 0
	for i, g := range readGoldens(t) {
		c := g.camera()
		require.Equal(t, float64(g.End), c.End(), "camera %d", i)
		for k, p := range g.Pixels {
			what := fmt.Sprintf("camera %d, pixel %d", i, k)
			pixel := geometry.Point{X: float64(p[0]), Y: float64(p[1])}
			b, ok := c.Bearing(pixel)
			requireBits(t, what+", bearing", g.Bearings[k], b[:], ok)
			x, y, ok := c.Ray(pixel)
			requireBits(t, what+", ray", g.Rays[k], []float64{x, y}, ok)
		}
		for k, p := range g.Points {
			what := fmt.Sprintf("camera %d, point %d", i, k)
			point := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
			q, ok := c.Project(point)
			requireBits(t, what, g.Projections[k], []float64{q.X, q.Y}, ok)
			if g.PointDerivatives == nil || !ok {
				continue
			}
			derivatives++
			d, ok := c.Derivatives(point)
			require.True(t, ok, what)
			require.Equal(t, q, d.Pixel, what)
			for row := range 2 {
				requireClose(t, what, g.PointDerivatives[k][3*row:][:3], d.Point[row][:])
				requireClose(t, what, g.FieldDerivatives[k][12*row:][:12], d.Field[row][:])
			}
		}
	}
	require.Greater(t, derivatives, 50)
}

// requireBits checks that numbers, if there are some, are those of a golden.
func requireBits(t *testing.T, what string, want []bits, got []float64, ok bool) {
	t.Helper()
	require.Equal(t, want != nil, ok, what)
	for i, w := range want {
		require.Equal(t, math.Float64bits(float64(w)), math.Float64bits(got[i]), "%s: %v, want %v", what, got, want)
	}
}

// requireClose checks that numbers differ by no more than 1e-12 of the largest one.
func requireClose(t *testing.T, what string, want, got []float64) {
	t.Helper()
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	require.InDeltaSlice(t, want, got, 1e-12*largest, what)
}
