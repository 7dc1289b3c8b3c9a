// Package worker shares the work of a call among goroutines. Every call gets as many as it asks for
// and is worth, however long ago the last one was; what goroutines do between calls is in
// docs/workers.md.
package worker

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Number returns the number of goroutines that an option Workers stands for.
func Number(option int) int {
	if option < 0 {
		return runtime.GOMAXPROCS(0)
	}
	return max(option, 1)
}

// For returns the number of workers for a call that asks for a number of them and is worth a number of
// shares: the smaller one, but at least 1. A share is as much as a processor does while another one
// wakes up, or more.
func For(asked int, shares int64) int {
	return int(max(min(int64(asked), shares), 1))
}

// Run calls own in the caller's goroutine, and meanwhile others with the numbers from 1 to workers-1,
// each in a goroutine of its own, all with s. When own returns, nothing must be left to do but what
// others are doing: those that have not begun by then are not called. Run returns when all have ended.
// If own panics, so does Run; if one of the others panics, Run panics with a [Panic] of the named
// package.
//
// Variables that own refers to can stay on the caller's stack. With one worker, Run does nothing but
// call own.
func Run[S any](name string, s S, workers int, own func(S), others func(S, int)) {
	if workers <= 1 {
		own(s)
		return
	}
	c := &call{name: name, others: func(w int) { others(s, w) }, ended: make(chan struct{}, 1)}
	c.begin(workers)
	func() {
		// The others use the caller's memory, so let them end before own's panic goes on.
		defer c.end()
		own(s)
	}()
	if p := c.panicked.Load(); p != nil {
		panic(p)
	}
}

// A Panic is the value of a panic in the caller's goroutine that began in another one.
type Panic struct {
	Package string // for which the goroutine worked
	Value   any
	Stack   []byte // of the goroutine
}

// newPanic returns the Panic for a value that a goroutine has recovered. It must be called
// while the stack is still that of the panic.
func newPanic(name string, value any) *Panic {
	if p, ok := value.(*Panic); ok {
		return p // from work that the goroutine shared itself
	}
	return &Panic{name, value, debug.Stack()}
}

func (p *Panic) Error() string {
	return fmt.Sprintf("%s: panic of a worker: %v\n\n%s", p.Package, p.Value, p.Stack)
}

// Unwrap returns the value of the panic if it is an error, and nil otherwise.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
