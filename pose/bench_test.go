package pose

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkSolvers times the solvers with many samples of noisy pairs, as branches would be
// learned by heart if there were few: models of essential matrices with their poses, too.
func BenchmarkSolvers(b *testing.B) {
	const n = 2000
	s := newScene(rand.New(rand.NewPCG(2, 9)), n, 0.7, 0.7)
	rayA, rayB := s.rays()
	j := newJob()
	r, f, p := &j.relative, &j.fundamental, &j.absolute
	r.set(n, 1e-5, 1e-5)
	f.set(n, 1e-5, 1e-5)
	p.u, p.v, p.points = r.u, r.v, s.world
	for i, a := range rayA {
		r.x[i], r.y[i], r.u[i], r.v[i] = a.X, a.Y, rayB[i].X, rayB[i].Y
		f.x[i], f.y[i], f.u[i], f.v[i] = a.X, a.Y, rayB[i].X, rayB[i].Y
	}
	for _, solver := range []struct {
		name    string
		size    int
		problem problem
	}{{"five", relativeSize, r}, {"seven", fundamentalSize, f}, {"three", absoluteSize, p}} {
		b.Run("points="+solver.name, func(b *testing.B) {
			var models []model
			var sample [7]int
			i := 0
			for b.Loop() {
				for k := range solver.size {
					sample[k] = (i + 7*k) % n
				}
				models = solver.problem.solve(models[:0], sample[:solver.size])
				i = (i + 1) % n
			}
		})
	}
	if !f.solvesLanes() {
		return
	}
	b.Run("points=sevenInLanes", func(b *testing.B) {
		var models []model
		var samples [lanes][7]int
		i := 0
		for b.Loop() {
			for l := range samples {
				for k := range samples[l] {
					samples[l][k] = (i + l + 7*k) % n
				}
			}
			f.solveLanes(samples[:])
			for l := range samples {
				models = f.sevens.models(models[:0], l)
			}
			i = (i + lanes) % n
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lanes), "ns/sample")
	})
}

func BenchmarkEstimator(b *testing.B) {
	for _, share := range []float64{0.9, 0.5, 0.3} {
		s := newScene(rand.New(rand.NewPCG(1, 7)), 500, share, 1)
		e, err := New(Options{})
		require.NoError(b, err)
		b.Run(fmt.Sprintf("method=relative/share=%g", share), func(b *testing.B) {
			for b.Loop() {
				e.Relative(s.camera, s.camera, s.a, s.b, nil, nil)
			}
		})
		b.Run(fmt.Sprintf("method=absolute/share=%g", share), func(b *testing.B) {
			for b.Loop() {
				e.Absolute(s.camera, s.world, s.b, nil, nil)
			}
		})
		b.Run(fmt.Sprintf("method=fundamental/share=%g", share), func(b *testing.B) {
			for b.Loop() {
				e.Fundamental(s.a, s.b, nil, nil)
			}
		})
	}
}
