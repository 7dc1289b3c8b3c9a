// Package worker has what packages that share work among goroutines have in common.
package worker

import (
	"fmt"
	"runtime/debug"
)

// A Panic is the panic of another goroutine than the caller's, in which it goes on.
type Panic struct {
	Package string // that the goroutine works for
	Value   any
	Stack   []byte // of the goroutine
}

// newPanic returns what a goroutine has recovered. It is called while the stack is
// that of the panic.
func newPanic(name string, value any) *Panic {
	if p, ok := value.(*Panic); ok {
		return p // of work that is shared in turn
	}
	return &Panic{name, value, debug.Stack()}
}

func (p *Panic) Error() string {
	return fmt.Sprintf("%s: panic of a worker: %v\n\n%s", p.Package, p.Value, p.Stack)
}

// Unwrap returns the value of the panic if that is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
