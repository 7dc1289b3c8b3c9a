package measure

import (
	"image"
	"testing"
	"time"

	"github.com/fastcorners/fast"
	"github.com/stretchr/testify/require"
)

func TestRace(t *testing.T) {
	frames := []*image.Gray{image.NewGray(image.Rect(0, 0, 100, 10)), image.NewGray(image.Rect(0, 0, 100, 10))}
	var order []string
	wait := func(name string, d time.Duration) func(*image.Gray) {
		return func(*image.Gray) {
			order = append(order, name)
			time.Sleep(d)
		}
	}
	rounds := 0
	r := Race([]func(*image.Gray){wait("a", time.Millisecond), wait("b", 3*time.Millisecond)}, frames, 2000, 2, func() { rounds++ })
	require.Equal(t, 3, rounds)
	require.Equal(t, []string{"a", "a", "b", "b", "b", "b", "a", "a", "a", "a", "b", "b"}, order)
	require.Len(t, r.Nanoseconds, 2)
	require.GreaterOrEqual(t, r.Nanoseconds[0], 1000.0)
	require.GreaterOrEqual(t, r.Nanoseconds[1], 3000.0)
	require.InDelta(t, 1, r.PerCycle(0)*r.Nanoseconds[0]*r.GHz, 1e-9)
}

// TestSpread checks the spread of a contender whose rounds differ, beside one whose
// rounds do not.
func TestSpread(t *testing.T) {
	rounds := [][]float64{{20, 20, 20, 20, 20}, {20, 20, 40, 10, 40}}
	r := newResult(rounds, []float64{3, 5, 4})
	require.Equal(t, Result{Rounds: rounds, Nanoseconds: []float64{20, 20}, Spread: []float64{0, .5}, GHz: 4}, r) // 0, 0, 10, 20 and 20 of 20
}

// TestRatio checks the ratio of two contenders of which the second one always takes twice as long
// or a little more, while the processor is slower in some rounds.
func TestRatio(t *testing.T) {
	r := newResult([][]float64{{10, 10, 10, 30, 30}, {61, 20, 20, 62, 60}}, []float64{3, 3, 3})
	require.Equal(t, []float64{10, 60}, r.Nanoseconds)
	require.Equal(t, 2.0, r.Ratio(1, 0)) // 6.1, 2, 2, 2.07, 2
	require.Equal(t, 0.5, r.Ratio(0, 1))
	require.Equal(t, 1.0, r.Ratio(1, 1))
}

func TestDetector(t *testing.T) {
	detect, err := Detector(fast.Options{Kernel: fast.Scalar})
	require.NoError(t, err)
	detect(image.NewGray(image.Rect(0, 0, 9, 9)))
	_, err = Detector(fast.Options{ArcLength: 99})
	require.Error(t, err)
}

func TestMedian(t *testing.T) {
	require.Equal(t, 2.0, Median([]float64{3, 1, 2}))
	require.Equal(t, 2.0, Median([]float64{4, 3, 1, 2}))
}

func TestClock(t *testing.T) {
	ghz := UsualClock()
	t.Logf("%.2f GHz", ghz)
	require.Positive(t, ghz)
}

// TestOrder checks that all contenders do every round, that another one begins each time, and that none
// always follows the same one.
func TestOrder(t *testing.T) {
	var order []int
	contender := func(i int) func(int) { return func(int) { order = append(order, i) } }
	Race([]func(int){contender(0), contender(1), contender(2)}, []int{0}, 1, 3, func() {})
	require.Equal(t, []int{0, 1, 2, 1, 0, 2, 2, 0, 1, 0, 2, 1}, order)
}
