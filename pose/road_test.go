package pose

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// newRoad returns what a camera on a car sees that drives on: points in a band of 35 rows around
// the horizon, at depths of 8 to 60, before and after a step of 2. Half of the pairs are wrong, with
// both places in the band. Places are in 1/256 pixel.
func newRoad(r *rand.Rand) *scene {
	s := &scene{camera: camera.Camera{Fx: 707, Fy: 707, Cx: 620, Cy: 188}}
	turn := func() float64 { return 0.01 * r.NormFloat64() }
	s.truth = FromQuaternion(1, turn()/4, turn(), turn()/4, Vector{0.06 * r.NormFloat64(), 0.02 * r.NormFloat64(), -2})
	place := func() geometry.Point {
		return geometry.Point{X: 1240 * r.Float64(), Y: 170.5 + float64(35*r.Float64())}
	}
	rounded := func(p geometry.Point) geometry.Point {
		return geometry.Point{X: math.Round(p.X*256) / 256, Y: math.Round(p.Y*256) / 256}
	}
	for len(s.a) < 350 {
		p := place()
		x, y, _ := s.camera.Ray(p)
		z := 8 / (1 - float64(r.Float64()*(1-8./60)))
		q, ok := s.camera.Project(s.truth.Apply(Vector{x * z, y * z, z}))
		if !ok || q.X < 0 || q.X > 1240 {
			continue
		}
		if r.IntN(2) == 0 {
			q = place()
		} else {
			p, q = noisy(r, p, 0.7), noisy(r, q, 0.7)
		}
		s.a, s.b = append(s.a, rounded(p)), append(s.b, rounded(q))
	}
	return s
}

// off returns by how many degrees a motion's rotation and translation are wrong, whichever is more.
func (s *scene) off(p Pose) float64 {
	d := p.Mul(Pose{R: s.truth.Inverse().R}).R
	turn := math.Acos(min(1, (d[0]+d[4]+d[8]-1)/2))
	shift := math.Acos(max(-1, min(1, p.T.Dot(s.truth.T.unit()))))
	return max(turn, shift) * 180 / math.Pi
}

// A road is a scene of testdata/road.json: x, y, u and v of each pair in 1/256 pixel, and by how
// many degrees OpenCV 4.6's USAC_ACCURATE is wrong with thresholds of 1, 2 and 3 pixels.
type road struct {
	Pairs [][4]float64
	USAC  [3]float64
}

// TestRoad checks that motions that explain nearly as many pairs as the true one, sideways and
// turned as wrong pairs in a band allow for, are chosen no more often than by OpenCV, and never
// without a hint. The scenes are those of a fixed seed.
func TestRoad(t *testing.T) {
	file, err := os.ReadFile("testdata/road.json")
	require.NoError(t, err)
	var roads []road
	require.NoError(t, json.Unmarshal(file, &roads))
	require.Len(t, roads, 12)
	random := rand.New(rand.NewPCG(3, 35))
	var wrong, theirs, ambiguous [3]int
	for _, golden := range roads {
		s := newRoad(random)
		for i, p := range golden.Pairs {
			a, b := geometry.Point{X: p[0] / 256, Y: p[1] / 256}, geometry.Point{X: p[2] / 256, Y: p[3] / 256}
			require.InDeltaSlice(t, []float64{s.a[i].X, s.a[i].Y, s.b[i].X, s.b[i].Y}, []float64{a.X, a.Y, b.X, b.Y}, 1./256)
			s.a[i], s.b[i] = a, b
		}
		for k := range wrong {
			if testing.Short() && k < 2 {
				continue
			}
			e, err := New(Options{InlierThreshold: float64(k + 1)})
			require.NoError(t, err)
			m, err := e.Relative(s.camera, s.camera, s.a, s.b, nil, nil)
			require.NoError(t, err)
			if golden.USAC[k] > 10 {
				theirs[k]++
			}
			if m.Ambiguous {
				ambiguous[k]++
				require.Greater(t, math.Abs(s.off(m.Other)-s.off(m.Pose)), 1.0)
			} else {
				require.Zero(t, m.Other)
			}
			if s.off(m.Pose) > 10 {
				wrong[k]++
				require.True(t, m.Ambiguous)
			}
		}
	}
	t.Log("wrong", wrong, "USAC", theirs, "ambiguous", ambiguous)
	for k := range wrong {
		require.LessOrEqual(t, wrong[k], theirs[k])
	}
	require.Positive(t, ambiguous[2])
}
