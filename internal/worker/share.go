package worker

import "sync/atomic"

// Share calls do for all numbers i from 0 to n-1, in order, in the given number of goroutines,
// including the caller's, which has worker number 0. If one of them panics, Share panics in the
// caller's goroutine when all have ended; the panic names the package that the work is for.
func Share(name string, workers, n int, do func(worker, i int)) {
	var next atomic.Int64
	run(name, workers, func(w int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(w, i)
		}
	})
}

// run is Run for work that is the same for all. Panics name the package also if they are the caller's.
func run(name string, workers int, work func(worker int)) {
	guarded := func(w int) {
		defer func() {
			if value := recover(); value != nil {
				panic(newPanic(name, value))
			}
		}()
		work(w)
	}
	Run(name, workers, func() { guarded(0) }, guarded)
}

// A portion is what a worker does first.
type portion struct {
	next atomic.Int64 // that nobody has taken
	end  int64
	_    [112]byte // keeps portions in cache lines of their own
}

// ShareNear is Share but for the order: each worker begins with a portion of the numbers that follow
// each other, the same one in each call, and then takes from the portions of others. So what numbers
// that are near each other have in common, and what is left of the call before, is often in its
// cache.
func ShareNear(name string, workers, n int, do func(worker, i int)) {
	portions := make([]portion, workers)
	for w := range portions {
		portions[w].next.Store(int64(n) * int64(w) / int64(workers))
		portions[w].end = int64(n) * int64(w+1) / int64(workers)
	}
	run(name, workers, func(w int) {
		for k := range portions {
			p := &portions[(w+k)%workers]
			for i := p.next.Add(1) - 1; i < p.end; i = p.next.Add(1) - 1 {
				do(w, int(i))
			}
		}
	})
}
