package worker

import "sync/atomic"

// Share calls do for all numbers i from 0 to n-1, in order, in the given number of goroutines,
// including the caller's, which has worker number 0. If one of them panics, Share panics in the
// caller's goroutine when all have ended; the panic names the package that the work is for.
func Share(name string, workers, n int, do func(worker, i int)) {
	var next atomic.Int64
	work := func(w int) {
		defer func() {
			if value := recover(); value != nil {
				panic(newPanic(name, value))
			}
		}()
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(w, i)
		}
	}
	Run(name, workers, func() { work(0) }, work)
}
