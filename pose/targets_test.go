package pose

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// requirePose checks the elements of a pose.
func requirePose(t *testing.T, want, got Pose, tolerance float64) {
	t.Helper()
	require.InDeltaSlice(t, want.R[:], got.R[:], tolerance)
	require.InDeltaSlice(t, want.T[:], got.T[:], tolerance*max(1, want.T.Norm()))
}

// projections returns where a camera at p sees points of the world.
func projections(t *testing.T, c camera.Camera, p Pose, world []Vector) (seen []geometry.Point) {
	t.Helper()
	for _, w := range world {
		at, ok := c.Project(p.Apply(w))
		require.True(t, ok)
		seen = append(seen, at)
	}
	return seen
}

// TestMarker checks the pose of the four corners of a marker, without noise, by all ways to find it.
func TestMarker(t *testing.T) {
	c := camera.Camera{Fx: 800, Fy: 800, Cx: 640, Cy: 360}
	marker := []Vector{{-0.05, 0.05, 0}, {0.05, 0.05, 0}, {0.05, -0.05, 0}, {-0.05, -0.05, 0}}
	truth := FromQuaternion(0.3, 1, 0.2, 0.1, Vector{0.02, -0.01, 0.4})
	seen := projections(t, c, truth, marker)

	found, err := LeastSquares(c, marker, seen, 0)
	require.NoError(t, err)
	require.Len(t, found.Minima, 2)
	require.False(t, found.Ambiguous)
	requirePose(t, truth, found.Minima[0].Pose, 1e-9)
	require.Less(t, found.Minima[0].Error, 1e-9)
	require.Greater(t, found.Minima[1].Error, 1.0)
	// The second sum of squares is 16 variances of half of its mean error.
	for _, more := range []float64{0.999, 1.001} {
		again, err := LeastSquares(c, marker, seen, more*found.Minima[1].Error/2)
		require.NoError(t, err)
		require.Equal(t, more > 1, again.Ambiguous)
	}

	e, err := New(Options{MinInliers: 4})
	require.NoError(t, err)
	fit, err := e.Absolute(c, marker, seen, nil, nil)
	require.NoError(t, err)
	requirePose(t, truth, fit.Pose, 1e-9)
	require.Equal(t, 4, fit.Inliers)
	require.True(t, fit.Planar)
	require.Less(t, fit.Error, 1e-9)

	near := View{c, FromQuaternion(0.3, 1.1, 0.1, 0.1, Vector{0, 0.01, 0.5})}
	placed, err := near.Refine(marker, seen)
	require.NoError(t, err)
	requirePose(t, truth, placed.Pose, 1e-9)
	require.Less(t, placed.Error, 1e-9)
}

// TestSmallest checks the smallest numbers of pairs that the documentation states: of right pairs all
// over images of 640 by 480 pixels, with the default options, so many are nearly always accepted, and
// fewer never are.
func TestSmallest(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for method, smallest := range []int{10, 6, 13} {
		refused := 0
		for range 40 {
			s := &scene{camera: camera.Camera{Fx: 600, Fy: 600, Cx: 320, Cy: 240}}
			s.truth = FromQuaternion(1, 0, 0, 0, Vector{0.2 * random.Float64(), 0.2, 0})
			s.fill(random, smallest, 1, 0, func(x, y float64) float64 { return 6 + float64(4*random.Float64()) })
			for i, p := range []geometry.Point{{X: 5, Y: 5}, {X: 635, Y: 5}, {X: 5, Y: 475}, {X: 635, Y: 475}} {
				x, y, _ := s.camera.Ray(p)
				z := 6 + float64(4*random.Float64())
				s.a[i], s.world[i] = p, Vector{x * z, y * z, z}
				s.b[i], _ = s.camera.Project(s.truth.Apply(s.world[i]))
			}
			if s.results(t, Options{}, nil).errs[method] != nil {
				refused++
			}
			order := make([]int, smallest-1)
			for i := range order {
				order[i] = i
			}
			require.Error(t, s.shuffled(order).results(t, Options{}, nil).errs[method], method)
		}
		require.LessOrEqual(t, refused, 5, method)
	}
}

// TestFewPairs checks that Absolute takes as few pairs as its MinInliers if all are right, with noise,
// on a card or not, and never so few pairs of random points.
func TestFewPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	sets := 60
	switch {
	case *long:
		sets = 2000
	case testing.Short():
		sets = 8
	}
	anywhere := func() geometry.Point { return geometry.Point{X: 640 * random.Float64(), Y: 480 * random.Float64()} }
	for _, least := range []int{0, 4, 5} {
		e, err := New(Options{MinInliers: least})
		require.NoError(t, err)
		if least == 0 {
			least = 6
		}
		for n := least; n <= 9; n++ {
			refused := 0
			for range sets {
				s := newCard(random, n, 0.5*float64(random.IntN(2)))
				s.noise = 0.3
				require.True(t, s.see(random))
				if _, err := e.Absolute(s.camera, s.world, s.image, nil, nil); err != nil {
					refused++
				}
				for _, deep := range []bool{false, true} {
					for i := range s.image {
						s.image[i] = anywhere()
						if deep {
							s.world[i] = Vector{random.Float64(), random.Float64(), random.Float64()}
						}
					}
					_, err := e.Absolute(s.camera, s.world, s.image, nil, nil)
					require.Error(t, err)
				}
			}
			t.Logf("%d pairs, of which %d must agree: %d of %d refused", n, least, refused, sets)
			require.LessOrEqual(t, refused, max(sets/20, 6))
		}
	}
}

// TestNarrow checks that tilted squares of a few pixels are no lines, and that lines are.
func TestNarrow(t *testing.T) {
	c := camera.Camera{Fx: 800, Fy: 800, Cx: 320, Cy: 240}
	e, err := New(Options{})
	require.NoError(t, err)
	sets := 30
	switch {
	case *long:
		sets = 500
	case testing.Short():
		sets = 4
	}
	for _, tilt := range []float64{0, 30, 60, 66, 70, 75, 80} {
		random := rand.New(rand.NewPCG(7, uint64(tilt)))
		half := tilt * math.Pi / 360
		truth := FromQuaternion(math.Cos(half), math.Sin(half), 0, 0, Vector{0.1, 0.05, 4})
		for range sets {
			for _, line := range []bool{false, true} {
				var world []Vector
				for i := range 64 {
					x, y := (float64(i%8)-3.5)/70, (float64(i/8)-3.5)/70
					if line {
						y = x / 2
					}
					world = append(world, Vector{x, y, 0})
				}
				seen := projections(t, c, truth, world)
				for i := range seen {
					seen[i] = noisy(random, seen[i], 0.5)
				}
				fit, err := e.Absolute(c, world, seen, nil, nil)
				if line {
					require.Error(t, err)
					continue
				}
				require.NoError(t, err, tilt)
				if turnBetween(&fit.Pose.R, &truth.R) > 20 {
					require.True(t, fit.Ambiguous, tilt)
				}
			}
		}
	}
}

// TestFlips checks the poses of a card of 30 points, from near to far: a pose on the other side is
// returned only where noise makes it the better one, and then it is Ambiguous, also if three of ten
// pairs are wrong. Of the farthest cards, weights may leave only one minimum, so that one of 1000 may
// not be.
func TestFlips(t *testing.T) {
	c := camera.Camera{Fx: 700, Fy: 700, Cx: 319.5, Cy: 239.5}
	e, err := New(Options{})
	require.NoError(t, err)
	draws := 20
	switch {
	case *long:
		draws = 200
	case testing.Short():
		draws = 3
	}
	scenes, silent := 0, 0
	for _, wrong := range []float64{0, 0.3} {
		for _, distance := range []float64{600, 800, 1600} {
			for _, tilt := range []float64{0.1, 0.2, 0.4} {
				flips, ambiguous, worse, refused := 0, 0, 0, 0
				scenes += draws
				for k := range draws {
					random := rand.New(rand.NewPCG(uint64(k), 2))
					s := &card{camera: c, truth: FromQuaternion(1, tilt, 0, 0, Vector{-40, -30, distance}), noise: 0.5}
					for range 30 {
						w := Vector{85 * random.Float64(), 54 * random.Float64(), 0}
						at, _ := c.Project(s.truth.Apply(w))
						s.world, s.image = append(s.world, w), append(s.image, noisy(random, at, s.noise))
					}
					image := slices.Clone(s.image)
					for i := range image {
						if random.Float64() < wrong {
							image[i] = geometry.Point{X: 640 * random.Float64(), Y: 480 * random.Float64()}
						}
					}
					fit, err := e.Absolute(c, s.world, image, nil, nil)
					if err != nil {
						refused++
						continue
					}
					if fit.Ambiguous {
						ambiguous++
						require.NotZero(t, fit.Other)
					}
					normal, want := fit.Pose.R.matrix().column(2), s.truth.R.matrix().column(2)
					if math.Acos(min(1, normal.Dot(want)))*180/math.Pi <= 20 {
						continue
					}
					flips++
					if !fit.Ambiguous {
						silent++
					}
					if _, c := s.minimum(fit.Pose); wrong == 0 && c > s.squares(s.truth) {
						worse++
					}
				}
				t.Logf("%.0f mm, %.0f degrees, wrong pairs %.1f: %d flips, worse %d, ambiguous %d, refused %d of %d", distance, 2*math.Atan(tilt)*180/math.Pi, wrong, flips, worse, ambiguous, refused, draws)
				require.Zero(t, worse)
				require.LessOrEqual(t, refused, draws/20)
			}
		}
	}
	require.LessOrEqual(t, silent, scenes/1000)
}
