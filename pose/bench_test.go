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
	r.twoViews.set(n, 1e-5, 1e-5)
	f.twoViews.set(n, 1e-5, 1e-5)
	p.u, p.v, p.points = r.run.u, r.run.v, s.world
	for i, a := range rayA {
		r.place(i, a.X, a.Y, rayB[i].X, rayB[i].Y)
		f.place(i, a.X, a.Y, rayB[i].X, rayB[i].Y)
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
	if !f.solvesGroups() {
		return
	}
	b.Run("points=sevenInGroups", func(b *testing.B) {
		var models []model
		var samples [groupSize][7]int
		i := 0
		for b.Loop() {
			for g := range samples {
				for k := range samples[g] {
					samples[g][k] = (i + g + 7*k) % n
				}
			}
			f.solveGroup(samples[:])
			for g := range samples {
				models = f.solved(models[:0], g)
			}
			i = (i + groupSize) % n
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*groupSize), "ns/sample")
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
