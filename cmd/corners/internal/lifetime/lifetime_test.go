package lifetime

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestHeed checks that the echo of a signal is none, and that the next one ends the program.
func TestHeed(t *testing.T) {
	over := make(chan time.Time)
	signals, ended := make(chan os.Signal), make(chan bool)
	listen := func(signals chan os.Signal) {
		var got []os.Signal
		Heed(signals, func(s os.Signal) { got = append(got, s) }, func() <-chan time.Time { return over })
		require.Equal(t, []os.Signal{syscall.SIGTERM}, got)
		ended <- true
	}
	go listen(signals)
	signals <- syscall.SIGTERM
	for range 5 {
		signals <- os.Interrupt
	}
	over <- time.Time{}
	select {
	case <-ended:
		t.Fatal("an echo ended it")
	case signals <- os.Interrupt:
	}
	<-ended

	// What has come when the echo is over is part of it, too.
	close(over)
	for range 50 {
		signals = make(chan os.Signal, 3)
		signals <- syscall.SIGTERM
		signals <- os.Interrupt
		signals <- os.Interrupt
		go listen(signals)
		for len(signals) > 0 {
			select {
			case <-ended:
				t.Fatal("an echo ended it")
			default:
				runtime.Gosched()
			}
		}
		for running := true; running; {
			select {
			case <-ended:
				running = false
			case signals <- os.Interrupt:
			}
		}
	}
}
