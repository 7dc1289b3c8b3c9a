package worker

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNumber checks what options stand for.
func TestNumber(t *testing.T) {
	require.Equal(t, runtime.GOMAXPROCS(0), Number(-1))
	require.Equal(t, 1, Number(0))
	require.Equal(t, 5, Number(5))
}

// TestFor checks that what is asked for and what is of use limit each other.
func TestFor(t *testing.T) {
	for range 2 { // whatever was asked for before
		require.Equal(t, 1, For(1, 100))
		require.Equal(t, 1, For(0, 100))
		require.Equal(t, 1, For(7, 0))
		require.Equal(t, 1, For(7, -1))
		require.Equal(t, 3, For(3, 100))
		require.Equal(t, 5, For(7, 5))
		require.Equal(t, 7, For(7, math.MaxInt64))
	}
}

// TestRunAlone checks that one worker is the caller alone, and that nothing is allocated for it.
func TestRunAlone(t *testing.T) {
	type numbers struct{ own int }
	n := new(numbers)
	own, others := func(n *numbers) { n.own++ }, func(*numbers, int) { panic("there are no others") }
	for _, workers := range []int{-1, 0, 1} {
		n.own = 0
		Run("test", n, workers, own, others)
		require.Equal(t, 1, n.own)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { Run("test", n, 1, own, others) }))
}

// TestRunOthers checks that others run with their numbers while own does.
func TestRunOthers(t *testing.T) {
	const workers = 5
	var begun [workers]atomic.Int32
	all := make(chan struct{})
	var count atomic.Int32
	Run("test", &begun, workers, func(*[workers]atomic.Int32) {
		<-all
	}, func(begun *[workers]atomic.Int32, w int) {
		begun[w].Add(1)
		if count.Add(1) == workers-1 {
			close(all)
		}
	})
	for w := range begun {
		require.EqualValues(t, min(w, 1), begun[w].Load())
	}
}

// TestRunPanic checks that the others have ended when a panic of the caller's own work goes on.
func TestRunPanic(t *testing.T) {
	begun, panicking, ended := make(chan bool), make(chan bool), false
	require.PanicsWithValue(t, "own", func() {
		Run("test", &ended, 2, func(*bool) {
			<-begun
			close(panicking)
			panic("own")
		}, func(ended *bool, _ int) {
			close(begun)
			<-panicking
			time.Sleep(20 * time.Millisecond)
			*ended = true
		})
	})
	require.True(t, ended)
}

func failing(err error) { panic(err) }

// TestOthersPanic checks that a panic of a helper goes on in the caller's goroutine, with the stack of
// the helper, and that the helper can be used again.
func TestOthersPanic(t *testing.T) {
	cause := errors.New("cause")
	for range 20 {
		begun := make(chan bool)
		func() {
			defer func() {
				p, ok := recover().(*Panic)
				require.True(t, ok)
				require.Equal(t, "test", p.Package)
				require.ErrorIs(t, p, cause)
				require.ErrorContains(t, p, "test: panic of a worker: cause")
				require.Contains(t, string(p.Stack), "worker.failing")
				require.NoError(t, (&Panic{Value: "no error"}).Unwrap())
			}()
			Run("test", cause, 2, func(error) { <-begun }, func(cause error, _ int) {
				close(begun)
				failing(cause)
			})
			t.Error("no panic")
		}()
	}
}

// TestRunWaits checks that Run returns when those of the others have ended that have begun, however
// long they take, and that none begins later.
func TestRunWaits(t *testing.T) {
	running := new(atomic.Int32)
	for i := range 300 {
		Run("test", running, 4, func(*atomic.Int32) {
			if i%2 > 0 {
				runtime.Gosched()
			}
		}, func(running *atomic.Int32, w int) {
			running.Add(1)
			time.Sleep(time.Duration(i%3*w) * 10 * time.Microsecond)
			running.Add(-1)
		})
		require.Zero(t, running.Load())
	}
}

// helpers returns how many goroutines of helpers there are.
func helpers() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "internal/worker.help(")
}

// TestHelpersWait checks that helpers wait for the next call, where there is another processor, and
// that the next call gives them its work.
func TestHelpersWait(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("helpers do not wait on a single processor")
	}
	for start := time.Now(); ; {
		var c call
		c.inside.Store(closed) // the helper has nothing to do for it
		begun := make(chan bool)
		Run("test", begun, 2, func(begun chan bool) { <-begun }, func(begun chan bool, _ int) { close(begun) })
		// Unless the system has stopped it for too long, the helper waits at its place.
		if Wait(func() bool { return places[1].call.Load() == &nobody }) && give(1, &c) {
			break
		}
		require.Less(t, time.Since(start), time.Minute, "no helper has waited")
	}
}

// TestHelpersEnd checks that helpers do not wait for long, and that neither a goroutine nor a call is
// left where they waited.
func TestHelpersEnd(t *testing.T) {
	lanes := NewLanes("test", func() *int { return new(int) })
	for range 20 {
		Each(0, &lanes, 8, 100, func(int, *int, int) {})
	}
	require.Eventually(t, func() bool {
		for i := range places {
			if places[i].call.Load() != nil {
				return false
			}
		}
		return helpers() == 0
	}, time.Minute, time.Millisecond)
}

// TestOneProcessor checks that all work is done where there is one processor, by helpers that do not
// wait on it.
func TestOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	lanes := NewLanes("test", func() *int { return new(int) })
	for range 50 {
		done := new(atomic.Int32)
		Each(done, &lanes, 3, 100, func(done *atomic.Int32, _ *int, i int) {
			if i%10 == 0 {
				runtime.Gosched()
			}
			done.Add(1)
		})
		require.EqualValues(t, 100, done.Load())
	}
	require.False(t, spin(math.MaxInt64, func() bool { return false }), "nobody could change it")
}

// TestManyWorkers checks that there can be more workers than places for helpers that wait.
func TestManyWorkers(t *testing.T) {
	const workers = 2 * len(places)
	all := make(chan struct{})
	count := new(atomic.Int32)
	Run("test", count, workers, func(*atomic.Int32) { <-all }, func(count *atomic.Int32, _ int) {
		if count.Add(1) == int32(workers-1) {
			close(all)
		}
	})
	require.EqualValues(t, workers-1, count.Load())
}

// TestSpin checks that a wait ends with its condition or in time.
func TestSpin(t *testing.T) {
	require.True(t, spin(time.Minute, func() bool { return true }))
	require.False(t, spin(0, func() bool { return false }))
	require.False(t, spin(time.Millisecond, func() bool { return false }))
	n := 0
	later := func() bool { n++; return n > 20 }
	require.Equal(t, runtime.GOMAXPROCS(0) > 1, spin(time.Minute, later))
}
