package tensor

import (
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/stretchr/testify/require"
)

// TestResponder compares rows of responses with those of the Measure, with every
// instruction set.
func TestResponder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for row := range table.Available() {
		restore := cpu.Limit(row.Needs)
		for kind := MinEigenvalue; kind <= DetOverTrace; kind++ {
			m := New(kind, 0.04, 0.1)
			r := NewResponder(&m)
			for n := range 70 {
				var elements [3][]float32
				for k := range elements {
					for range n {
						elements[k] = append(elements[k], float32(rng.IntN(1000)-k/2*500))
					}
				}
				want, got := make([]float32, n), make([]float32, n+1)
				m.Respond(want, elements[0], elements[1], elements[2])
				r.Respond(got[:n], elements[0], elements[1], elements[2])
				require.Equal(t, append(want, 0), got, "%s, measure %d", row.Name, kind)
			}
		}
		restore()
	}
}
