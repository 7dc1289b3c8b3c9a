package worker

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestShare checks that every number is done once, by a goroutine with a number of its
// own, for more and for fewer of them than there are.
func TestShare(t *testing.T) {
	for _, n := range []int{0, 1, 5, 100} {
		for _, workers := range []int{1, 2, 7} {
			done := make([]atomic.Int32, n)
			busy := make([]atomic.Bool, workers)
			Share("test", workers, n, func(worker, i int) {
				if busy[worker].Swap(true) {
					t.Errorf("two goroutines are worker %d", worker)
				}
				done[i].Add(1)
				busy[worker].Store(false)
			})
			for i := range done {
				require.EqualValues(t, 1, done[i].Load())
			}
		}
	}
}

// TestSharePanic checks that a panic goes on in the caller's goroutine.
// TestRunPanic checks that the others have ended when a panic of the caller's own work goes on.
func TestRunPanic(t *testing.T) {
	panicking, ended := make(chan bool), false
	require.PanicsWithValue(t, "own", func() {
		Run("test", 2, func() {
			close(panicking)
			panic("own")
		}, func(int) {
			<-panicking
			time.Sleep(20 * time.Millisecond)
			ended = true
		})
	})
	require.True(t, ended)
}

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
