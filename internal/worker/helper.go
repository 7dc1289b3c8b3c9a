package worker

import (
	"runtime"
	"sync/atomic"
	"time"
)

// To wake a processor takes some 35 microseconds, and to wake several takes that long for each, since
// they wake each other in turn. So helpers that have nothing to do wait a little for another call
// without giving up their processors.
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

// places has a place for each number of a worker. The first one is not used.
var places [64]place

// nobody is the call that a helper has which waits for one.
var nobody call

// give gives c to the helper that waits to be the worker of a number, or reports that there is
// none.
func give(worker int, c *call) bool {
	return worker < len(places) && places[worker].call.CompareAndSwap(&nobody, c)
}

// help is the goroutine of a helper: it works for c and then for the calls that it is given.
func help(c *call, worker int) {
	for ; c != nil; c = c.next(worker) {
		c.work(worker)
	}
}

// next waits for another call to be given to the helper, and returns nil if there is none.
func (c *call) next(worker int) *call {
	if worker >= len(places) || worker >= runtime.GOMAXPROCS(0) {
		return nil
	}
	p := &places[worker].call
	if !p.CompareAndSwap(nil, &nobody) {
		return nil // another helper waits there
	}
	given := func() bool { return p.Load() != &nobody }
	spin(callPatience, func() bool { return c.inside.Load()&closed != 0 || given() }, &calls.useful)
	if !spin(patience, given, nil) && p.CompareAndSwap(&nobody, nil) {
		return nil
	}
	c = p.Load()
	p.Store(nil)
	return c
}

// Wait waits for what the helpers of a call do, but no longer than they would wait for the call to
// end. It reports whether the condition holds.
func Wait(condition func() bool) bool {
	return spin(callPatience, condition, &calls.useful)
}

// spin waits for a condition, without giving up the processor to other goroutines, but no longer than
// it has patience, and not at all if others could not work meanwhile. It reports whether the
// condition holds. If others work meanwhile on other processors, it sets beside, which may be nil.
//
// Other threads that wait for the processor go first: one of them may be what the condition depends
// on, if the system has woken the helper on the caller's processor.
func spin(patience time.Duration, condition func() bool, beside *atomic.Bool) bool {
	if runtime.GOMAXPROCS(0) == 1 {
		return condition()
	}
	const pauses = 8 // between looks at the time
	for start := now(); ; {
		for i := range pauses {
			if condition() {
				if i > 0 && beside != nil {
					beside.Store(true)
				}
				return true
			}
			pause()
		}
		before := now()
		if before-start >= patience {
			return condition()
		}
		yield()
		if beside != nil && now()-before < quick && !condition() {
			beside.Store(true)
		}
	}
}

// quick is less than another thread works while a thread yields to it.
const quick = 10 * time.Microsecond
