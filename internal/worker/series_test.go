package worker

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A frame is a call of a program that waits for the next one.
type frame struct {
	pause time.Duration // before it
	large bool
	took  time.Duration
}

// helpedIn returns in which of so many equal frames, after a pause, calls get helpers.
func (s *series) helpedIn(n int, f frame, use func(i int)) (list []int) {
	now := time.Duration(s.end.Load()) + time.Second
	for i := range n {
		now += f.pause
		if s.join(now, f.large) {
			list = append(list, i)
			use(i)
		}
		now += f.took
		s.leave(now)
	}
	return list
}

// upTo returns the numbers from begin up to end.
func upTo(begin, end int) (list []int) {
	for i := begin; i < end; i++ {
		list = append(list, i)
	}
	return list
}

// TestSeries checks which calls get helpers.
func TestSeries(t *testing.T) {
	never := func(int) {}
	for _, c := range []struct {
		name string
		frame
		use  func(s *series) func(i int)
		want []int
	}{
		{"small after pauses", frame{3 * time.Millisecond, false, 2 * time.Millisecond}, nil, nil},
		{"small and long after pauses", frame{3 * time.Millisecond, false, time.Second}, nil, nil},
		{"small, after each other", frame{10 * time.Microsecond, false, 90 * time.Microsecond}, nil, upTo(40, 60)},
		{
			"large after pauses, with helpers that are of use",
			frame{3 * time.Millisecond, true, time.Millisecond},
			func(s *series) func(int) { return func(int) { s.useful.Store(true) } }, upTo(0, 60),
		},
		{
			"large after pauses, with helpers that are of no use",
			frame{3 * time.Millisecond, true, time.Millisecond},
			nil,
			[]int{0, 2, 6, 14, 30, 46},
		},
		{
			"large after pauses, with helpers that are of use later",
			frame{3 * time.Millisecond, true, time.Millisecond},
			func(s *series) func(int) { return func(i int) { s.useful.Store(i >= 14) } }, append([]int{0, 2, 6}, upTo(14, 60)...),
		},
		{"large and long after pauses, with helpers that are of no use", frame{3 * time.Millisecond, true, shortSeries}, nil, upTo(0, 60)},
		{"large, after each other", frame{10 * time.Microsecond, true, time.Millisecond}, nil, upTo(0, 60)},
	} {
		s := new(series)
		use := never
		if c.use != nil {
			use = c.use(s)
		}
		require.Equal(t, c.want, s.helpedIn(60, c.frame, use), c.name)
	}
}

// TestSeriesOfUse checks that helpers that were of use in a long series are tried again after it.
func TestSeriesOfUse(t *testing.T) {
	s, of := new(series), frame{3 * time.Millisecond, true, time.Millisecond}
	require.Equal(t, []int{0, 2}, s.helpedIn(6, of, func(int) {}))
	s.helpedIn(9, frame{0, false, time.Millisecond}, func(int) { s.useful.Store(true) })
	require.Equal(t, []int{0, 2}, s.helpedIn(6, of, func(int) {}))
}

// TestSeriesSmallCalls checks that a call gets what the first large one of its series got.
func TestSeriesSmallCalls(t *testing.T) {
	s := new(series)
	now := time.Hour
	require.False(t, s.join(now, false))
	require.True(t, s.join(now+1, true))
	require.True(t, s.join(now+2, false))
	now += seriesPause + 1
	require.False(t, s.join(now, true), "since nobody has seen that the helpers were of use")
	require.Zero(t, s.rest.Load())
}

// TestLimit checks that what is asked for limits what is of use, whatever the time.
func TestLimit(t *testing.T) {
	for range 100 {
		require.Equal(t, 1, Limit(1, 100, 8))
		require.Equal(t, 1, Limit(0, 100, 8))
		require.Equal(t, 1, Limit(7, 0, 8))
		require.Equal(t, 1, Limit(7, 1, 8))
		require.Contains(t, []int{1, 3}, Limit(3, 100, 8))
		require.Contains(t, []int{1, 5}, Limit(7, 5, 8))
		Done()
	}
	AlwaysAwake = true
	defer func() { AlwaysAwake = false }()
	require.Equal(t, 3, Limit(3, 100, 8))
	require.Equal(t, 5, Limit(7, 5, 8))
}

// TestSpin checks that a wait ends in time, and notes that others work beside it only if it yields in
// vain.
func TestSpin(t *testing.T) {
	var beside atomic.Bool
	require.True(t, spin(time.Minute, func() bool { return true }, &beside))
	require.False(t, beside.Load())
	require.False(t, spin(0, func() bool { return false }, &beside))
	require.False(t, beside.Load())
	require.False(t, spin(time.Millisecond, func() bool { return false }, nil))
	n := 0
	later := func() bool { n++; return n > 2 }
	if runtime.GOMAXPROCS(0) == 1 {
		require.False(t, spin(time.Minute, later, &beside), "nobody could change it meanwhile")
		require.False(t, beside.Load())
		return
	}
	require.True(t, spin(time.Minute, later, &beside))
	require.True(t, beside.Load())
}
