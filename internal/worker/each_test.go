package worker

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A numbered is the lane of a test, with the numbers that it has done.
type numbered struct {
	busy atomic.Bool
	done []int
}

func newNumbered() *numbered { return new(numbered) }

// TestEach checks that every number is done once, by as many lanes as there are workers and
// numbers at most, and by no two goroutines with the same lane at once.
func TestEach(t *testing.T) {
	lanes := NewLanes("test", newNumbered)
	for n := range 30 {
		for _, workers := range []int{0, 1, 2, 7} {
			for _, l := range lanes.All() {
				l.done = l.done[:0]
			}
			Each(t, &lanes, workers, n, func(t *testing.T, l *numbered, i int) {
				if l.busy.Swap(true) {
					t.Error("two goroutines have the same lane")
				}
				l.done = append(l.done, i)
				l.busy.Store(false)
			})
			var done []int
			for k, l := range lanes.All() {
				if k >= max(min(workers, n), 1) {
					require.Empty(t, l.done)
				}
				done = append(done, l.done...)
			}
			require.ElementsMatch(t, upTo(n), done)
		}
	}
	require.Len(t, lanes.All(), 7)
	require.Len(t, lanes.AtLeast(3), 7)
	require.Len(t, lanes.AtLeast(8), 8)
}

// upTo returns the numbers from 0 to n-1.
func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// TestEachAlone checks that one worker does the numbers in their order, and that nothing is allocated
// for it.
func TestEachAlone(t *testing.T) {
	lanes := NewLanes("test", newNumbered)
	do := func(_ int, l *numbered, i int) { l.done = append(l.done, i) }
	for _, workers := range []int{-1, 0, 1} {
		lanes.All()[0].done = nil
		Each(0, &lanes, workers, 10, do)
		require.Equal(t, upTo(10), lanes.All()[0].done)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		lanes.All()[0].done = lanes.All()[0].done[:0]
		Each(0, &lanes, 1, 10, do)
	}))
	require.Len(t, lanes.All(), 1)
}

// TestEachPortions checks that each worker begins with its own portion, and that others do what is left
// of the portion of a slow one.
func TestEachPortions(t *testing.T) {
	const workers, n, slow = 4, 18, 2
	begins := [workers]int{0, 4, 9, 13}
	type state struct {
		begun, done       atomic.Int32
		allBegun, allDone chan struct{} // all workers have begun, and the slow one has nothing left to do
	}
	s := &state{allBegun: make(chan struct{}), allDone: make(chan struct{})}
	lanes := NewLanes("test", newNumbered)
	wait := func(c chan struct{}) {
		select {
		case <-c:
		case <-time.After(time.Minute):
			panic("workers are missing")
		}
	}
	Each(s, &lanes, workers, n, func(s *state, l *numbered, i int) {
		l.done = append(l.done, i)
		if len(l.done) == 1 && s.begun.Add(1) == workers {
			close(s.allBegun)
		}
		wait(s.allBegun)
		if l == lanes.All()[slow] {
			wait(s.allDone)
		} else if s.done.Add(1) == n-1 {
			close(s.allDone)
		}
	})
	for w, l := range lanes.All() {
		require.Equal(t, begins[w], l.done[0], "worker %d", w)
	}
	require.Len(t, lanes.All()[slow].done, 1)
}

// TestEachConcurrent lets calls, also within others, compete for the same helpers.
func TestEachConcurrent(t *testing.T) {
	done := new(atomic.Int64)
	lanes := NewLanes("outer", func() *Lanes[int] {
		inner := NewLanes("inner", func() *int { return new(int) })
		return &inner
	})
	Each(done, &lanes, 5, 100, func(done *atomic.Int64, inner *Lanes[int], _ int) {
		for range 10 {
			Each(done, inner, 3, 7, func(done *atomic.Int64, _ *int, _ int) { done.Add(1) })
		}
	})
	require.EqualValues(t, 100*10*7, done.Load())
}

// TestEachPanic checks that a panic goes on in the caller's goroutine, whoever has done the number.
func TestEachPanic(t *testing.T) {
	cause := errors.New("cause")
	lanes := NewLanes("test", newNumbered)
	for bad := range 10 {
		for _, workers := range []int{1, 3} {
			func() {
				defer func() {
					err, ok := recover().(error)
					require.True(t, ok)
					require.ErrorIs(t, err, cause)
				}()
				Each(cause, &lanes, workers, 10, func(cause error, _ *numbered, i int) {
					if i == bad {
						panic(cause)
					}
				})
				t.Error("no panic")
			}()
		}
	}
}

// TestEachPanicOfEach checks that a panic is told once where work is shared that shares work.
func TestEachPanicOfEach(t *testing.T) {
	lanes := NewLanes("outer", func() *Lanes[int] {
		inner := NewLanes("inner", func() *int { return new(int) })
		return &inner
	})
	begun := make(chan bool)
	defer func() {
		p, ok := recover().(*Panic)
		require.True(t, ok)
		require.Equal(t, "inner", p.Package)
		require.Equal(t, "cause", p.Value)
	}()
	// The caller waits in its number until a helper of a helper has failed.
	Each(begun, &lanes, 2, 2, func(begun chan bool, inner *Lanes[int], i int) {
		if i == 0 {
			<-begun
			return
		}
		Run("inner", begun, 2, func(begun chan bool) { <-begun }, func(begun chan bool, _ int) {
			close(begun)
			panic("cause")
		})
	})
	t.Error("no panic")
}
