// Package worker shares work, in particular images, among goroutines.
package worker

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Run calls own in the caller's goroutine, and others with the numbers from 1 to workers-1, each
// in a goroutine of its own. It returns when all have ended. If own panics, so does Run; if
// one of the others panics, Run panics with a Panic of the named package.
//
// Variables that own refers to can stay on the caller's stack.
func Run(name string, workers int, own func(), others func(worker int)) {
	var wait sync.WaitGroup
	var panicked atomic.Pointer[Panic]
	for w := 1; w < workers; w++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			defer func() {
				if value := recover(); value != nil {
					panicked.Store(newPanic(name, value))
				}
			}()
			others(w)
		}()
	}
	// The goroutine that is started last waits for the caller's processor, while idle
	// processors take the others at once. So the last one has nothing to do; without it
	// the second worker would begin late.
	wait.Add(1)
	go wait.Done()
	func() {
		// The others use the caller's memory, so let them end before own's panic goes on.
		defer wait.Wait()
		own()
	}()
	if p := panicked.Load(); p != nil {
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
