// Package worker shares work, in particular images, among goroutines.
package worker

import (
	"fmt"
	"runtime/debug"
)

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
