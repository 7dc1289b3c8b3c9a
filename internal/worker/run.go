// Package worker shares work, in particular images, among goroutines.
package worker

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Run calls own in the caller's goroutine, and meanwhile others with the numbers from 1 to
// workers-1, each in a goroutine of its own. When own has returned, nothing must be left to do
// but what others are doing: those that have not begun by then are not called any more. Run
// returns when all have ended. If own panics, so does Run; if one of the others panics, Run
// panics with a Panic of the named package.
//
// The goroutines are helpers, which wait a little for another call before they end. So calls
// that soon follow each other begin at once, and each number goes to the processor that had it
// in the call before.
//
// Variables that own refers to can stay on the caller's stack.
func Run(name string, workers int, own func(), others func(worker int)) {
	defer Done()
	if workers <= 1 {
		own()
		return
	}
	c := &call{name: name, others: others, ended: make(chan struct{}, 1)}
	c.begin(workers)
	func() {
		// The others use the caller's memory, so let them end before own's panic goes on.
		defer c.end()
		own()
	}()
	if p := c.panicked.Load(); p != nil {
		panic(p)
	}
}

// A call is a call of Run.
type call struct {
	name     string
	others   func(worker int)
	inside   atomic.Int64 // the number of helpers that work, and closed when no more may begin
	ended    chan struct{}
	panicked atomic.Pointer[Panic]
}

const closed = 1 << 32

// begin gives c to the helpers that wait, and starts the others.
func (c *call) begin(workers int) {
	started := false
	for w := 1; w < workers; w++ {
		if !give(w, c) {
			go help(c, w)
			started = true
		}
	}
	if started {
		// The goroutine that is started last waits for the caller's processor, while idle
		// processors take the others at once. So the last one has nothing to do; without it
		// the second worker would begin late.
		go func() {}()
	}
}

// end lets no more helpers begin, and returns when those that work have ended.
func (c *call) end() {
	if c.inside.Or(closed) == 0 {
		return
	}
	if !spin(patience, func() bool { return c.inside.Load() == closed }, &calls.useful) {
		<-c.ended
	}
}

// work does what is left of c as one of the others.
func (c *call) work(worker int) {
	for {
		n := c.inside.Load()
		if n&closed != 0 {
			return
		}
		if c.inside.CompareAndSwap(n, n+1) {
			break
		}
	}
	defer func() {
		if value := recover(); value != nil {
			c.panicked.Store(newPanic(c.name, value))
		}
		if c.inside.Add(-1) == closed {
			c.ended <- struct{}{} // which has room, also if end no longer waits
		}
	}()
	c.others(worker)
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
