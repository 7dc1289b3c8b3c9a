package pose

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A slide is a problem whose models are 0, 1, and so on, each a step from the one before it, and
// that has the support of each. The inliers of a model are the bits of its number.
type slide struct {
	problem
	supports []float64
	at       int
}

func (s *slide) begin(m model, _ float64) { s.at = int(m.m[0]) }

func (s *slide) score(_, _ int, masks []byte) (count int, support float64) {
	masks[0] = byte(s.at)
	return 1, s.supports[s.at]
}

func (s *slide) sum(_ *equations, n int, _, _ float64, masks []byte) (count int, support, squares float64) {
	count, support = s.score(0, n, masks)
	return count, support, support
}

func (s *slide) step(*equations, float64, float64) (m model, change float64, ok bool) {
	return model{m: matrix{float64(s.at + 1)}}, 1, s.at+1 < len(s.supports)
}

// newSlide returns a job with eight pairs for a slide.
func newSlide(supports ...float64) *job {
	return &job{problem: &slide{supports: supports}, n: 8, masks: make([]byte, 8), spare: make([]byte, 8)}
}

// TestSettle checks that weighted least squares are taken back if they end with less than 0.95 of
// the support.
func TestSettle(t *testing.T) {
	require.Equal(t, 3.0, newSlide(100, 20, 110, 95).settle(candidate{}, 4, converged).m[0])
	taken := newSlide(100, 110, 120, 94.9).settle(candidate{}, 4, converged)
	require.Zero(t, taken.m[0])
	require.Equal(t, 100.0, taken.support)
}

// TestMostValuable checks that the inliers are those of the result that is chosen, wherever it is.
func TestMostValuable(t *testing.T) {
	for best := range 3 {
		j := newSlide(1, 2, 3)
		for i := range 3 {
			c := candidate{model: model{m: matrix{float64(i)}}, value: 1, finished: true}
			if i == best {
				c.value = 2
			}
			j.results = append(j.results, c)
			j.rescore(c, j.n, 1)
		}
		require.Equal(t, float64(best), j.mostValuable().m[0])
		require.Equal(t, byte(best), j.masks[0])
	}
}
