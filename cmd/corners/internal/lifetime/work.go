package lifetime

import "context"

// Await returns what f returns. It does not wait for f longer than the context lasts.
func Await[T any](ctx context.Context, f func() T) (T, error) {
	result := make(chan T, 1)
	go func() { result <- f() }()
	return Receive(ctx, result)
}

// Receive receives a value, or returns the context's error when it is done before.
func Receive[T any](ctx context.Context, from <-chan T) (T, error) {
	select {
	case v := <-from:
		return v, nil
	case <-ctx.Done():
	}
	select {
	case v := <-from:
		return v, nil
	default:
		var none T
		return none, ctx.Err()
	}
}

// InOrder calls work with 0 to n-1, up to jobs calls at once, and then done with each
// result, in this order and in the caller's goroutine. When the context is done it begins
// no more work. It waits for the work that has begun until the other context is done, too,
// and then leaves out what has no result.
func InOrder[T any](ctx, late context.Context, n, jobs int, work func(i int) T, done func(T)) {
	// Results wait for those before them, but not too many.
	pending := make(chan chan T, 2*jobs)
	slots := make(chan struct{}, jobs)
	go func() {
		defer close(pending)
		for i := range n {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
			}
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
		if r, err := Receive(late, result); err == nil {
			done(r)
		}
	}
}
