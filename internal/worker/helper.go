package worker

import (
	"runtime"
	"sync/atomic"
	"time"
)

// To wake a processor takes longer than many calls do, and processors wake each other in turn. So
// helpers that have nothing to do wait a little for another call without giving up their processors.
const (
	// patience is how long they wait after a call has ended, and the caller for the last helpers.
	patience = 50 * time.Microsecond
	// callPatience is how long they wait, at most, for the call to end.
	callPatience = 200 * time.Microsecond
)

// A place is where a helper waits.
type place struct {
	call atomic.Pointer[call] // nil if no helper waits, or nobody, or what is given to the helper
	_    [120]byte            // keeps places in cache lines of their own
}

// places has a place for each number of a worker, so that a number goes to the processor that had it in
// the call before. The first one is not used.
var places [64]place

// nobody marks the place of a helper that waits.
var nobody call

// give gives c to the helper that waits at the place of a worker, and reports whether there is one.
func give(worker int, c *call) bool {
	return worker < len(places) && places[worker].call.CompareAndSwap(&nobody, c)
}

// help is the goroutine of a helper: it works for c and then for the calls that it is given.
func help(c *call, worker int) {
	for ; c != nil; c = c.next(worker) {
		c.work(worker)
	}
}

// next waits until c has ended, and a little longer, for another call to be given to the helper. It
// returns nil if there is none.
func (c *call) next(worker int) *call {
	if worker >= len(places) || worker >= runtime.GOMAXPROCS(0) {
		return nil
	}
	p := &places[worker].call
	if !p.CompareAndSwap(nil, &nobody) {
		return nil // another helper waits there
	}
	given := func() bool { return p.Load() != &nobody }
	spin(callPatience, func() bool { return c.inside.Load()&closed != 0 || given() })
	if !spin(patience, given) && p.CompareAndSwap(&nobody, nil) {
		return nil
	}
	return p.Swap(nil)
}

// Wait waits for what the helpers of a call do, but no longer than they would wait for the call to
// end. It reports whether the condition holds.
func Wait(condition func() bool) bool { return spin(callPatience, condition) }

// spin waits for a condition without giving up the processor to other goroutines, but no longer than
// it has patience, and not at all if nothing could change the condition meanwhile. It reports whether
// the condition holds.
//
// Other threads that wait for the processor go first: one of them may be what the condition depends
// on, if the system has woken the helper on the caller's processor.
func spin(patience time.Duration, condition func() bool) bool {
	if runtime.GOMAXPROCS(0) == 1 {
		return condition()
	}
	const pauses = 8 // between looks at the time
	for start := time.Now(); ; yield() {
		for range pauses {
			if condition() {
				return true
			}
			pause()
		}
		if time.Since(start) >= patience {
			return condition()
		}
	}
}
