package worker

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestShare checks that every number is done once, by a goroutine with a number of its
// own, for more and for fewer of them than there are.
func TestShare(t *testing.T) {
	for name, share := range map[string]func(name string, workers, n int, do func(worker, i int)){"Share": Share, "ShareNear": ShareNear} {
		for _, n := range []int{0, 1, 5, 100} {
			for _, workers := range []int{1, 2, 7} {
				done := make([]atomic.Int32, n)
				busy := make([]atomic.Bool, workers)
				share("test", workers, n, func(worker, i int) {
					if busy[worker].Swap(true) {
						t.Errorf("%s: two goroutines are worker %d", name, worker)
					}
					done[i].Add(1)
					busy[worker].Store(false)
				})
				for i := range done {
					require.EqualValues(t, 1, done[i].Load(), name)
				}
			}
		}
	}
}

// TestRunPanic checks that the others have ended when a panic of the caller's own work goes on.
func TestRunPanic(t *testing.T) {
	begun, panicking, ended := make(chan bool), make(chan bool), false
	require.PanicsWithValue(t, "own", func() {
		Run("test", 2, func() {
			<-begun
			close(panicking)
			panic("own")
		}, func(int) {
			close(begun)
			<-panicking
			time.Sleep(20 * time.Millisecond)
			ended = true
		})
	})
	require.True(t, ended)
}

// TestRunWaits checks that Run returns when those of the others have ended that have begun, however
// long they take, and that none begins later.
func TestRunWaits(t *testing.T) {
	var running atomic.Int32
	for i := range 300 {
		Run("test", 4, func() {
			if i%2 > 0 {
				runtime.Gosched()
			}
		}, func(w int) {
			running.Add(1)
			time.Sleep(time.Duration(i%3*w) * 10 * time.Microsecond)
			running.Add(-1)
		})
		require.Zero(t, running.Load())
	}
}

// TestRunConcurrent lets calls, also within others, compete for the same helpers.
func TestRunConcurrent(t *testing.T) {
	var done atomic.Int64
	Share("outer", 5, 100, func(int, int) {
		for range 10 {
			Share("inner", 3, 7, func(int, int) { done.Add(1) })
		}
	})
	require.EqualValues(t, 100*10*7, done.Load())
}

// TestHelpersEnd checks that helpers do not wait for long, and leave nothing where they waited.
func TestHelpersEnd(t *testing.T) {
	for range 20 {
		Share("test", 8, 100, func(int, int) {})
	}
	require.Eventually(t, func() bool {
		for i := range places {
			if places[i].call.Load() != nil {
				return false
			}
		}
		return true
	}, time.Minute, time.Millisecond)
}

// TestSharePanic checks that a panic goes on in the caller's goroutine.
func TestSharePanic(t *testing.T) {
	cause := errors.New("cause")
	defer func() {
		err, ok := recover().(error)
		require.True(t, ok)
		require.ErrorIs(t, err, cause)
		require.ErrorContains(t, err, "test: panic of a worker: cause")
	}()
	Share("test", 3, 10, func(_, i int) {
		if i == 7 {
			panic(cause)
		}
	})
}

// TestSharePanicOfShare checks that a panic is told once where work is shared that shares work.
func TestSharePanicOfShare(t *testing.T) {
	defer func() {
		p, ok := recover().(*Panic)
		require.True(t, ok)
		require.Equal(t, "inner", p.Package)
		require.Equal(t, "cause", p.Value)
	}()
	Share("outer", 2, 2, func(int, int) {
		Share("inner", 2, 2, func(int, int) { panic("cause") })
	})
}

// TestNumber checks what numbers of workers mean.
func TestNumber(t *testing.T) {
	require.Equal(t, runtime.GOMAXPROCS(0), Number(-1))
	require.Equal(t, 1, Number(0))
	require.Equal(t, 5, Number(5))
}
