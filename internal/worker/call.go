package worker

import "sync/atomic"

// A call is a call of Run by several workers.
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
	if !spin(patience, func() bool { return c.inside.Load() == closed }) {
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
