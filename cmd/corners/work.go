package main

import "context"

// inOrder calls work with 0 to n-1, up to jobs calls at once, and then done with each
// result, in this order and in the caller's goroutine. When the context is done it begins
// no more work, and returns once all work that has begun is done.
func inOrder[T any](ctx context.Context, n, jobs int, work func(i int) T, done func(T)) {
	// Results wait for those before them, but not too many.
	pending := make(chan chan T, 2*jobs)
	slots := make(chan struct{}, jobs)
	go func() {
		defer close(pending)
		for i := range n {
			slots <- struct{}{}
			if ctx.Err() != nil {
				return
			}
			result := make(chan T, 1)
			pending <- result
			go func() {
				result <- work(i)
				<-slots
			}()
		}
	}()
	for result := range pending {
		done(<-result)
	}
}
