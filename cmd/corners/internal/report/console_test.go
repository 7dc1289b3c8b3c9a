package report

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStatus checks that the exit status is that of the worst error.
func TestStatus(t *testing.T) {
	var text strings.Builder
	for _, errs := range [][]error{{Usage(io.EOF), io.EOF}, {io.EOF, Usage(io.EOF)}} {
		c := NewConsole(io.Discard, &text)
		for _, err := range errs {
			c.Fail(err)
		}
		require.Equal(t, StatusUsage, c.Status())
	}
}
