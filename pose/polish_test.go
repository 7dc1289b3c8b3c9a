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

func (s *slide) setModel(m model, _ float64) { s.at = int(m.matrix[0]) }

func (s *slide) score(_, _ int, masks []byte) (count int, support float64) {
	masks[0] = byte(s.at)
	return 1, s.supports[s.at]
}

func (s *slide) sum(_ *equations, n int, _ weights, masks []byte) (count int, support, squares float64) {
	count, support = s.score(0, n, masks)
	return count, support, support
}

func (s *slide) step(*equations, float64, float64) (m model, change float64, ok bool) {
	return model{matrix: matrix{float64(s.at + 1)}}, 1, s.at+1 < len(s.supports)
}

func (s *slide) dimensions() float64 { return 1 }

// newSlide returns a polisher with eight pairs for a slide.
func newSlide(supports ...float64) *polisher {
	p := &newJob().polisher
	p.begin(&slide{supports: supports}, 1, 8)
	return p
}

// TestSettle checks that weighted least squares are taken back if they end with less than 0.95 of
// the support.
func TestSettle(t *testing.T) {
	p := newSlide(100, 20, 110, 95)
	settled := p.settle(new(model), 4, converged)
	require.Equal(t, 3.0, settled.matrix[0])
	settled = newSlide(100, 110, 120, 94.9).settle(new(model), 4, converged)
	require.Zero(t, settled.matrix[0])
}

// TestMostValuable checks that the inliers are those of the result that is chosen, wherever it is,
// also if it is finished only then.
func TestMostValuable(t *testing.T) {
	for best := range 3 {
		for _, finished := range []bool{true, false} {
			p := newSlide(1, 1, 1)
			for i := range 3 {
				c := p.score(model{matrix: matrix{float64(i)}}, p.n, 1)
				c.value, c.finished = 1, true
				if i == best {
					c.value, c.finished = 2, finished
				}
				p.settled = append(p.settled, c.model)
				p.results = append(p.results, c)
			}
			c := p.mostValuable()
			require.Equal(t, byte(c.matrix[0]), c.inliers[0])
			if finished {
				require.Equal(t, float64(best), c.matrix[0])
			}
		}
	}
}

// TestMasks checks that no two masks that are in use share memory, whatever was given back, and
// that those of earlier calls are used again.
func TestMasks(t *testing.T) {
	var p maskPool
	for _, n := range []int{64, 500, 3} {
		p.begin(n)
		var used [][]byte
		for i := range 20 {
			used = append(used, p.take(n))
			if i%3 == 2 {
				p.give(used[i-1])
				used[i-1] = p.take(n)
			}
		}
		for i, mask := range used {
			for k := range mask {
				mask[k] = byte(i)
			}
		}
		for i, mask := range used {
			for _, b := range mask {
				require.Equal(t, byte(i), b)
			}
		}
		require.Len(t, p.all, 20)
	}
}
