package worker

import (
	"sync"
	"sync/atomic"
)

// Run calls own in the caller's goroutine and others with the numbers from 1 to workers-1,
// each in a goroutine of its own. It returns when all have ended. A panic of own goes on
// then; one of another goroutine does so as a Panic in the named package.
//
// What own refers to may stay on the caller's stack.
func Run(name string, workers int, own func(), others func(worker int)) {
	var wait sync.WaitGroup
	var panicked atomic.Pointer[Panic]
	for w := 1; w < workers; w++ {
		wait.Go(func() {
			defer func() {
				if value := recover(); value != nil {
					panicked.Store(newPanic(name, value))
				}
			}()
			others(w)
		})
	}
	// The goroutine started last waits for the processor that the caller is on,
	// while others are taken by idle processors at once. So the last one has
	// nothing to do; without it the second worker would begin some 0.1 ms late.
	wait.Go(func() {})
	func() {
		// The others use what is the caller's, so they end before a panic goes on.
		defer wait.Wait()
		own()
	}()
	if p := panicked.Load(); p != nil {
		panic(p)
	}
}
