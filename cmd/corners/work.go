package main

import "context"

// inOrder calls work with 0 to n-1, for up to jobs of them at once, and then done with
// each result, in this order and in the caller's goroutine. It ends early when the context
// is done: then results that are there by now are still handed to done. It returns how
// many were.
func inOrder[T any](ctx context.Context, n, jobs int, work func(i int) T, done func(T)) int {
	// Results wait for those before them, but not too many.
	pending := make(chan chan T, 2*jobs)
	slots := make(chan struct{}, jobs)
	go func() {
		defer close(pending)
		for i := range n {
			result := make(chan T, 1)
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case pending <- result:
			case <-ctx.Done():
				return
			}
			go func() {
				result <- work(i)
				<-slots
			}()
		}
	}()
	count := 0
	for result := range pending {
		select {
		case value := <-result:
			done(value)
			count++
			continue
		case <-ctx.Done():
		}
		select {
		case value := <-result:
			done(value)
			count++
		default:
		}
	}
	return count
}
