//go:build unix

package report

import (
	"errors"
	"os/signal"
	"syscall"
)

// IgnoreBrokenPipes lets writing to a pipe that nobody reads any longer fail, where the
// program would be killed with its temporary files still there.
func IgnoreBrokenPipes() {
	signal.Ignore(syscall.SIGPIPE)
}

// isBrokenPipe reports whether an error is that of writing to such a pipe.
func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE)
}
