package worker

import (
	"sync"
	"sync/atomic"
)

// Share calls do for all numbers below n, in order, in so many goroutines. Each of these
// has a number, too. When one of them panics, Share does so, once all have ended; the
// panic names the package that the work is for.
func Share(name string, workers, n int, do func(worker, i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	var panicked atomic.Pointer[Panic]
	for w := range workers {
		wait.Go(func() {
			defer func() {
				if value := recover(); value != nil {
					panicked.Store(NewPanic(name, value))
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(w, i)
			}
		})
	}
	wait.Wait()
	if p := panicked.Load(); p != nil {
		panic(p)
	}
}
