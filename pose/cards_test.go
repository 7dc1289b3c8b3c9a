package pose

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// A card is what a camera sees of a card of 40 to 200 mm: of its corners, or of points anywhere on it.
type card struct {
	camera camera.Camera
	truth  Pose
	world  []Vector
	image  []geometry.Point
	noise  float64
}

// newCard makes n points of a card at 200 to 2000 mm, tilted by up to 75 degrees, with noise of 0.1 to
// 2 pixels. With a thickness, as a share of the width, it is a body.
func newCard(r *rand.Rand, n int, thickness float64) *card {
	turn := func(axis Vector, angle float64) Pose {
		a := axis.unit().Scale(math.Sin(angle / 2))
		return FromQuaternion(math.Cos(angle/2), a[0], a[1], a[2], Vector{})
	}
	for {
		s := &card{camera: camera.Camera{Fx: 700, Fy: 700, Cx: 319.5, Cy: 239.5}, noise: 0.1 * math.Pow(20, r.Float64())}
		w := 40 + 160*r.Float64()
		h := w * (0.4 + 0.6*r.Float64())
		distance := 200 * math.Pow(10, r.Float64())
		tilt, spin, at := 75*r.Float64()*math.Pi/180, 2*math.Pi*r.Float64(), 2*math.Pi*r.Float64()
		s.truth = turn(Vector{math.Cos(at), math.Sin(at), 0}, tilt).Mul(turn(Vector{0, 0, 1}, spin))
		s.truth.T = Vector{(r.Float64() - 0.5) * 0.7 * distance, (r.Float64() - 0.5) * 0.5 * distance, distance}
		if n == 4 && thickness == 0 {
			s.world = []Vector{{-w / 2, -h / 2, 0}, {w / 2, -h / 2, 0}, {w / 2, h / 2, 0}, {-w / 2, h / 2, 0}}
		} else {
			for range n {
				s.world = append(s.world, Vector{(r.Float64() - 0.5) * w, (r.Float64() - 0.5) * h, (r.Float64() - 0.5) * w * thickness})
			}
		}
		if s.see(r) {
			return s
		}
	}
}

// see sets the image. It reports whether all points are in it.
func (s *card) see(r *rand.Rand) bool {
	s.image = nil
	for _, w := range s.world {
		p, ok := s.camera.Project(s.truth.Apply(w))
		if !ok || p.X < 0 || p.Y < 0 || p.X > 639 || p.Y > 479 {
			return false
		}
		s.image = append(s.image, noisy(r, p, s.noise))
	}
	return true
}

// squares returns the sum of the squared errors of a pose, by the definition: infinity if a point is
// behind the camera.
func (s *card) squares(p Pose) (sum float64) {
	for i, w := range s.world {
		var q [3]float64
		for k := range q {
			q[k] = p.R[3*k]*w[0] + p.R[3*k+1]*w[1] + p.R[3*k+2]*w[2] + p.T[k]
		}
		if q[2] <= 0 {
			return math.Inf(1)
		}
		dx, dy := s.camera.Fx*q[0]/q[2]+s.camera.Cx-s.image[i].X, s.camera.Fy*q[1]/q[2]+s.camera.Cy-s.image[i].Y
		sum += dx*dx + dy*dy
	}
	return sum
}

// minimum returns the minimum near a pose and its squared errors, found by other functions than those
// of the package: Levenberg and Marquardt's method with derivatives by finite differences of
// quaternions, with Gaussian elimination.
func (s *card) minimum(p Pose) (Pose, float64) {
	var center [3]float64
	for _, w := range s.world {
		for k := range center {
			center[k] += w[k] / float64(len(s.world))
		}
	}
	moved := func(p Pose, d [6]float64) Pose {
		q := FromQuaternion(1, d[0]/2, d[1]/2, d[2]/2, Vector{})
		r := q.Mul(Pose{R: p.R})
		c := p.Apply(center)
		rc := r.Apply(center)
		for k := range 3 {
			r.T[k] = c[k] + d[3+k]*c.Norm() - rc[k]
		}
		return r
	}
	residuals := func(p Pose) (e []float64) {
		for i, w := range s.world {
			q := p.Apply(w)
			e = append(e, s.camera.Fx*q[0]/q[2]+s.camera.Cx-s.image[i].X, s.camera.Fy*q[1]/q[2]+s.camera.Cy-s.image[i].Y)
		}
		return e
	}
	cost, damping := s.squares(p), 1e-3
	for range 100 {
		const h = 1e-6
		e := residuals(p)
		var slopes [6][]float64
		for k := range slopes {
			var d [6]float64
			d[k] = h
			up := residuals(moved(p, d))
			d[k] = -h
			for i, v := range residuals(moved(p, d)) {
				slopes[k] = append(slopes[k], (up[i]-v)/(2*h))
			}
		}
		improved := false
		for range 20 {
			var m [6][7]float64
			for i := range m {
				for k := range 6 {
					for n, v := range slopes[i] {
						m[i][k] += v * slopes[k][n]
					}
				}
				for n, v := range slopes[i] {
					m[i][6] -= v * e[n]
				}
				m[i][i] *= 1 + damping
			}
			for c := range 6 {
				at := c
				for i := c; i < 6; i++ {
					if math.Abs(m[i][c]) > math.Abs(m[at][c]) {
						at = i
					}
				}
				m[c], m[at] = m[at], m[c]
				for i := range 6 {
					if i != c {
						f := m[i][c] / m[c][c]
						for k := c; k < 7; k++ {
							m[i][k] -= f * m[c][k]
						}
					}
				}
			}
			var d [6]float64
			far := false
			for i := range d {
				d[i] = m[i][6] / m[i][i]
				far = far || !(math.Abs(d[i]) < 10)
			}
			damping *= 4
			if far {
				continue
			}
			next := moved(p, d)
			if c := s.squares(next); c < cost {
				improved = cost-c > 1e-9*cost
				p, cost, damping = next, c, max(damping/40, 1e-9)
				break
			}
		}
		if !improved {
			break
		}
	}
	return p, cost
}

// least returns the best of the minima near the truth and near some other poses.
func (s *card) least(r *rand.Rand, starts int) (best, nearTruth Pose, squares, truthSquares float64) {
	nearTruth, truthSquares = s.minimum(s.truth)
	best, squares = nearTruth, truthSquares
	center := s.truth.Apply(Vector{})
	for i := range starts {
		q := FromQuaternion(r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), Vector{})
		if i < 2 { // the normal mirrored across the line of sight
			from := s.truth
			if i == 1 {
				from = nearTruth
			}
			z := center.unit()
			e, f := from.R.matrix().column(0), from.R.matrix().column(1)
			e, f = e.Sub(z.Scale(2*e.Dot(z))), f.Sub(z.Scale(2*f.Dot(z)))
			n := e.Cross(f)
			q.R = Rotation{e[0], f[0], n[0], e[1], f[1], n[1], e[2], f[2], n[2]}
		}
		q.T = center
		if math.IsInf(s.squares(q), 1) {
			continue
		}
		if p, c := s.minimum(q); c < squares {
			best, squares = p, c
		}
	}
	return best, nearTruth, squares, truthSquares
}

// turnBetween returns the angle between rotations, in degrees.
func turnBetween(a, b *Rotation) float64 {
	trace := 0.0
	for i, v := range a {
		trace += v * b[i]
	}
	return math.Acos(max(-1, min(1, (trace-1)/2))) * 180 / math.Pi
}

// A cardTally counts what is made of cards.
type cardTally struct {
	scenes, refused int
	two             int // minima
	worse           int // the worse minimum is returned
	flips           int // noise makes the true minimum the worse one
	silent          int // of these, not Ambiguous
	ambiguous       int
	needless        int // of these, the minima are over 25 variances apart
}

// add adds the poses that were found of s, the best one first. err is why there are none.
func (c *cardTally) add(s *card, r *rand.Rand, found []Pose, ambiguous bool, err error) {
	c.scenes++
	if err != nil {
		c.refused++
		return
	}
	best, truth, squares, truthSquares := s.least(r, 14)
	// That of Absolute has weights: what counts is the minimum that it is near to.
	first, firstSquares := s.minimum(found[0])
	if firstSquares > squares*(1+1e-5)+1e-9 && turnBetween(&first.R, &best.R) > 0.1 {
		c.worse++
	}
	if len(found) > 1 {
		c.two++
	}
	if ambiguous {
		c.ambiguous++
	}
	isTruth := turnBetween(&truth.R, &first.R) < 1
	if !isTruth && truthSquares > firstSquares*(1+1e-9) {
		c.flips++
		if !ambiguous {
			c.silent++
		}
	}
	if isTruth && ambiguous && s.squares(found[1])-s.squares(found[0]) > 25*s.noise*s.noise {
		c.needless++
	}
}

// cardSizes are numbers of points of cards.
var cardSizes = [][2]int{{4, 4}, {5, 5}, {6, 7}, {8, 15}, {16, 60}}

// cardScenes is the number of cards of each size.
func cardScenes() int {
	switch {
	case *long:
		return 2000
	case testing.Short():
		return 8
	}
	return 40
}

// TestCards checks that LeastSquares never returns the worse one of two minima of a card, that a pose
// that noise makes worse than its mirror image is Ambiguous, and no pose is whose minima are 25
// variances apart, if the noise is given.
func TestCards(t *testing.T) {
	for _, known := range []bool{true, false} {
		var all cardTally
		for _, size := range cardSizes {
			random, others := rand.New(rand.NewPCG(11, uint64(size[0]))), rand.New(rand.NewPCG(11, 99))
			var tally cardTally
			for range cardScenes() {
				s := newCard(random, size[0]+random.IntN(size[1]-size[0]+1), 0)
				noise := s.noise
				if !known {
					noise = 0
				}
				found, err := LeastSquares(s.camera, s.world, s.image, noise)
				require.NoError(t, err)
				var poses []Pose
				for _, m := range found.Minima {
					poses = append(poses, m.Pose)
					require.InEpsilon(t, s.squares(m.Pose), m.Error*m.Error*float64(len(s.world)), 1e-6)
				}
				require.True(t, len(poses) == 1 && !found.Ambiguous || len(poses) == 2 && found.Minima[0].Error <= found.Minima[1].Error)
				tally.add(s, others, poses, found.Ambiguous, nil)
			}
			t.Logf("%d to %d points, noise given %v: %+v", size[0], size[1], known, tally)
			all.worse += tally.worse
			all.silent += tally.silent
			all.needless += tally.needless
		}
		require.Zero(t, all.worse)
		require.LessOrEqual(t, all.silent, 1)
		if known {
			require.Zero(t, all.needless)
		}
	}
}

// TestAbsoluteCards checks that Absolute seldom refuses cards of seven points and more, returns the
// worse one of two minima or does not say that noise may have exchanged them.
func TestAbsoluteCards(t *testing.T) {
	var all cardTally
	for _, size := range cardSizes[2:] {
		random, others := rand.New(rand.NewPCG(11, uint64(size[0]))), rand.New(rand.NewPCG(11, 99))
		for range cardScenes() {
			s := newCard(random, max(7, size[0]+random.IntN(size[1]-size[0]+1)), 0)
			e, err := New(Options{MinInliers: 4, InlierThreshold: max(2, 5*s.noise)})
			require.NoError(t, err)
			fit, err := e.Absolute(s.camera, s.world, s.image, nil, nil)
			if err == nil {
				require.True(t, fit.Planar)
			}
			poses := []Pose{fit.Pose}
			if fit.Other != (Pose{}) {
				poses = append(poses, fit.Other)
			}
			all.add(s, others, poses, fit.Ambiguous, err)
		}
	}
	t.Logf("%+v", all)
	require.LessOrEqual(t, all.refused, max(all.scenes/100, 1))
	require.LessOrEqual(t, all.worse, max(all.scenes/200, 1))
	require.LessOrEqual(t, all.silent, max(all.scenes/1000, 1))
}

// BenchmarkLeastSquares times how long four corners take to both poses, and other cards.
func BenchmarkLeastSquares(b *testing.B) {
	for _, n := range []int{4, 8, 30} {
		r := rand.New(rand.NewPCG(1, 1))
		var all []*card
		for range 64 {
			all = append(all, newCard(r, n, 0))
		}
		b.Run(fmt.Sprintf("points=%d", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				s := all[i%len(all)]
				i++
				LeastSquares(s.camera, s.world, s.image, s.noise)
			}
		})
	}
}
