package main

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// patience is for how long a session that ends early waits for work that is nearly done, and
// then for its report.
const patience = 75 * time.Millisecond

// echoTime is for how long after a signal others count as its echo.
const echoTime = time.Second

// drainTime is for how long a session that ends early writes what it has read, if it does.
const drainTime = 30 * time.Second

// heed calls first with the first signal, and returns after a second one that is not its echo:
// programs such as timeout send two at once, as do those that pass on the signal of a terminal that
// all have received. The echo is over when settled says so, and with it what has come by then.
func heed(signals <-chan os.Signal, first func(os.Signal), settled func() <-chan time.Time) {
	first(<-signals)
	over := settled()
	for {
		select {
		case <-signals:
		case <-over:
			for len(signals) > 0 {
				<-signals
			}
			<-signals
			return
		}
	}
}

// An interruption is a signal that ends the program early.
type interruption struct{ os.Signal }

func (i interruption) Error() string { return i.String() }

// A lifetime is that of a session.
type lifetime struct {
	outer  context.Context // done when the program is interrupted
	ctx    context.Context // done when the session ends early, then or for another reason
	late   context.Context // done when patience has passed since
	cancel func()
	drains atomic.Bool // what has been read is written when the session ends early

	patience time.Duration
}

// newLifetime returns the lifetime of a session that ends early when the context is done.
func newLifetime(ctx context.Context, patience time.Duration) *lifetime {
	l := &lifetime{outer: ctx, patience: patience}
	l.ctx, l.cancel = context.WithCancel(ctx)
	late, expire := context.WithCancel(context.Background())
	context.AfterFunc(l.ctx, func() { time.AfterFunc(patience, expire) })
	l.late = late
	return l
}

// wait returns the exit status that it receives. When the program is interrupted, it waits no
// longer than it takes to write what has been read, and then returns an error.
func (l *lifetime) wait(ended <-chan int) (status int, err error) {
	if status, err := receive(l.outer, ended); err == nil {
		return status, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*l.patience)
	defer cancel()
	if status, err = receive(ctx, ended); err != nil && l.drains.Load() {
		ctx, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		status, err = receive(ctx, ended)
	}
	return status, err
}

// interrupted returns the exit status of a session that ends early.
func (l *lifetime) interrupted() int {
	if i, ok := errors.AsType[interruption](context.Cause(l.outer)); ok {
		if number, ok := i.Signal.(syscall.Signal); ok {
			return statusSignal + int(number)
		}
	}
	return statusInterrupted
}
