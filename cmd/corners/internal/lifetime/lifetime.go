// Package lifetime has how long a run of the program lasts: until it is done, or until it is
// interrupted and what it has begun has had a little time.
package lifetime

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// Patience is for how long a run that ends early waits for work that is nearly done, and then for
// its report.
const Patience = 75 * time.Millisecond

// EchoTime is for how long after a signal others count as its echo.
const EchoTime = time.Second

// DrainTime is for how long a run that ends early writes what it has read, if it does.
const DrainTime = 30 * time.Second

// statusSignal plus the number of a signal is the exit status after it, as in shells.
const statusSignal = 128

// Heed calls first with the first signal, and returns after a second one that is not its echo:
// programs such as timeout send two at once, as do those that pass on the signal of a terminal that
// all have received. The echo is over when settled says so, and with it what has come by then.
func Heed(signals <-chan os.Signal, first func(os.Signal), settled func() <-chan time.Time) {
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

// An Interruption is a signal that ends the program early. It is the cause of the context that ends.
type Interruption struct{ os.Signal }

func (i Interruption) Error() string { return i.String() }

// A Lifetime is that of a run.
type Lifetime struct {
	Outer  context.Context // done when the program is interrupted
	Early  context.Context // done when the run ends early, then or for another reason
	Late   context.Context // done when patience has passed since
	End    func()          // ends the run early
	Drains atomic.Bool     // what has been read is written when the run ends early

	patience time.Duration
}

// New returns the Lifetime of a run that ends early when the context is done, with that patience.
func New(ctx context.Context, patience time.Duration) *Lifetime {
	l := &Lifetime{Outer: ctx, patience: patience}
	l.Early, l.End = context.WithCancel(ctx)
	late, expire := context.WithCancel(context.Background())
	context.AfterFunc(l.Early, func() { time.AfterFunc(patience, expire) })
	l.Late = late
	return l
}

// Wait returns the exit status that it receives. When the program is interrupted, it waits no
// longer than it takes to write what has been read, and then returns an error.
func (l *Lifetime) Wait(ended <-chan int) (status int, err error) {
	if status, err := Receive(l.Outer, ended); err == nil {
		return status, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*l.patience)
	defer cancel()
	if status, err = Receive(ctx, ended); err != nil && l.Drains.Load() {
		ctx, cancel := context.WithTimeout(context.Background(), DrainTime)
		defer cancel()
		status, err = Receive(ctx, ended)
	}
	return status, err
}

// Interrupted reports whether the program is interrupted.
func (l *Lifetime) Interrupted() bool { return l.Outer.Err() != nil }

// Status returns the exit status of a run that is interrupted.
func (l *Lifetime) Status() int {
	if i, ok := errors.AsType[Interruption](context.Cause(l.Outer)); ok {
		if number, ok := i.Signal.(syscall.Signal); ok {
			return statusSignal + int(number)
		}
	}
	return statusSignal + int(syscall.SIGINT)
}
